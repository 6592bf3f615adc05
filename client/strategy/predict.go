package strategy

import "roshambo/game"

// predicting are the strategies that foretell the other side's next move from all
// that it did, and beat it. What they cannot foretell they leave to chance.
var predicting = []Entry{
	{"frequency", "Beats the other side's most frequent move.", beat(func() predictor { return &frequency{} })},
	{"anti-rotation", "Beats the step that the other side most often takes from one move to its next.", beat(func() predictor { return &rotation{} })},
	{"markov-1", "Beats what most often followed rounds like the last one.", beat(func() predictor { return newMarkov(1) })},
	{"markov-2", "Beats what most often followed the last two rounds.", beat(func() predictor { return newMarkov(2) })},
	{"markov-3", "Beats what most often followed the last three rounds.", beat(func() predictor { return newMarkov(3) })},
	{"history", "Finds the longest stretch of the past that ended as the present does, and beats what followed it.", beat(func() predictor { return &match{look: both} })},
}

// predictor foretells the other side's next move.
type predictor interface {
	// learn is told each round once: the last one of h.
	learn(h []Round)
	// predict says what the other side shows after h; not ok when it cannot tell.
	predict(h []Round) (m game.Move, ok bool)
}

// beat makes a strategy of a predictor.
func beat(p func() predictor) func() algorithm {
	return func() algorithm { return beating{p()} }
}

type beating struct{ predictor }

func (b beating) choose(h []Round, c *coins) game.Move {
	if m, ok := b.predict(h); ok {
		return shift(m, 1)
	}
	return c.move()
}

// tally counts moves.
type tally struct {
	count  [3]int
	latest game.Move // decides between moves that are equally frequent
}

func (t *tally) add(m game.Move) {
	t.count[m]++
	t.latest = m
}

// most returns the most frequent move; not ok when there was none.
func (t *tally) most() (m game.Move, ok bool) {
	m = t.latest
	for i, n := range t.count {
		if n > t.count[m] {
			m = game.Move(i)
		}
	}
	return m, t.count[m] > 0
}

// frequency foretells the most frequent move of the last window rounds, or of all
// when window is 0. Beating it is fictitious play (G. W. Brown, "Iterative solution
// of games by fictitious play", 1951).
type frequency struct {
	tally
	window int
}

func (f *frequency) learn(h []Round) {
	f.add(h[len(h)-1].Theirs)
	if f.window > 0 && len(h) > f.window {
		f.count[h[len(h)-1-f.window].Theirs]--
	}
}

func (f *frequency) predict([]Round) (game.Move, bool) { return f.most() }

// rotation foretells the most frequent step: 0 stays, 1 goes to what beats it, 2 to
// what it beats. Antirotn of the competition.
type rotation struct{ steps tally }

func (r *rotation) learn(h []Round) {
	if n := len(h); n > 1 {
		r.steps.add((h[n-1].Theirs + 3 - h[n-2].Theirs) % 3)
	}
}

func (r *rotation) predict(h []Round) (game.Move, bool) {
	step, ok := r.steps.most()
	if !ok {
		return 0, false
	}
	return shift(h[len(h)-1].Theirs, int(step)), true
}

// markov foretells what most often followed the last rounds: as many of them as have
// occurred before, at most its order. Markov chains are how C. E. Shannon's and D. W.
// Hagelbarger's penny-matching machines played ("A mind-reading (?) machine", 1953);
// falling back to shorter contexts is PPM's (J. Cleary and I. Witten, "Data
// compression using adaptive coding and partial string matching", 1984).
type markov struct {
	order int
	next  []map[uint64]*tally // by the length of the context, and the context
}

func newMarkov(order int) *markov {
	m := &markov{order: order}
	for range order + 1 {
		m.next = append(m.next, map[uint64]*tally{})
	}
	return m
}

// context packs the last n rounds of h into a number.
func context(h []Round, n int) uint64 {
	var c uint64
	for _, r := range h[len(h)-n:] {
		c = c*9 + uint64(r.Mine)*3 + uint64(r.Theirs)
	}
	return c
}

func (m *markov) learn(h []Round) {
	past := h[:len(h)-1]
	for n := range min(m.order, len(past)) + 1 {
		c := context(past, n)
		if m.next[n][c] == nil {
			m.next[n][c] = &tally{}
		}
		m.next[n][c].add(h[len(h)-1].Theirs)
	}
}

func (m *markov) predict(h []Round) (game.Move, bool) {
	for n := min(m.order, len(h)); n >= 0; n-- {
		if t := m.next[n][context(h, n)]; t != nil {
			return t.most()
		}
	}
	return 0, false
}

// What a match compares of two rounds.
var (
	both   = func(a, b Round) bool { return a == b }
	theirs = func(a, b Round) bool { return a.Theirs == b.Theirs }
	mine   = func(a, b Round) bool { return a.Mine == b.Mine }
)

// memory is how many rounds back a match looks, so that a long history does not make
// each round dearer than the last.
const memory = 1024

// match foretells what followed the latest of the longest stretches of the past that
// look like the end of the history. It is how A. Ehrenfeucht and J. Mycielski predict
// ("A pseudorandom sequence: how random is it?", American Mathematical Monthly 99,
// 1992), who then do the opposite.
type match struct {
	look func(a, b Round) bool
	most int // the greatest length that counts, 0 for any: shorter is later
	// length[i] is how many rounds before round first+i look like the last ones of the
	// history; at the edge of what is remembered it is 0.
	length []int
	first  int
}

func (m *match) learn(h []Round) {
	newest := h[len(h)-1]
	m.length = append(m.length, 0)
	for i := len(m.length) - 1; i > 0; i-- {
		m.length[i] = 0
		if m.look(h[m.first+i-1], newest) {
			m.length[i] = m.length[i-1] + 1
		}
	}
	if len(m.length) > memory {
		m.length = m.length[1:]
		m.length[0] = 0
		m.first++
	}
}

func (m *match) predict(h []Round) (game.Move, bool) {
	best, at := 0, 0
	for i, n := range m.length {
		if m.most > 0 {
			n = min(n, m.most)
		}
		if n > 0 && n >= best {
			best, at = n, i
		}
	}
	if best == 0 {
		return 0, false
	}
	return h[m.first+at].Theirs, true
}
