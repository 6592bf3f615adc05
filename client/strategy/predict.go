package strategy

import "roshambo/game"

// predicting are the strategies that predict the opponent's next move from the history
// and beat it. Without a prediction they play a random move.
var predicting = []Entry{
	{"frequency", "Beats the opponent's most frequent move.", beat(func() predictor { return &frequency{} })},
	{
		"anti-rotation",
		"Beats the opponent's most frequent step from one move to the next.",
		beat(func() predictor { return &rotation{} }),
	},
	{
		"markov-1",
		"Beats the move that most often followed the last round.",
		beat(func() predictor { return newMarkov(1) }),
	},
	{
		"markov-2",
		"Beats the move that most often followed the last two rounds.",
		beat(func() predictor { return newMarkov(2) }),
	},
	{
		"markov-3",
		"Beats the move that most often followed the last three rounds.",
		beat(func() predictor { return newMarkov(3) }),
	},
	{
		"history",
		"Finds the longest part of the past that equals the most recent rounds, and beats the move that followed it.",
		beat(func() predictor { return &suffixMatch{equal: both} }),
	},
}

// predictor predicts the opponent's next move.
type predictor interface {
	// learn is called once for each round: the last one of h.
	learn(h []Round)
	// predict returns the opponent's expected move after h; ok is false without a
	// prediction.
	predict(h []Round) (m game.Move, ok bool)
}

// beat returns the constructor of a strategy that beats the prediction.
func beat(p func() predictor) func() algorithm {
	return func() algorithm { return beating{p()} }
}

// beating plays the move that beats the prediction.
type beating struct{ predictor }

// choose falls back to a random move.
func (b beating) choose(h []Round, c *rng) game.Move {
	if m, ok := b.predict(h); ok {
		return shift(m, 1)
	}
	return c.move()
}

// tally counts moves.
type tally struct {
	count  [3]int
	latest game.Move // breaks ties between equally frequent moves
}

// add counts a move.
func (t *tally) add(m game.Move) {
	t.count[m]++
	t.latest = m
}

// most returns the most frequent move; ok is false before the first.
func (t *tally) most() (m game.Move, ok bool) {
	m = t.latest
	for i, n := range t.count {
		if n > t.count[m] {
			m = game.Move(i)
		}
	}
	return m, t.count[m] > 0
}

// frequency predicts the most frequent move of the last window rounds, or of all rounds
// if window is 0. Beating it is fictitious play (G. W. Brown, "Iterative solution of
// games by fictitious play", 1951).
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

// rotation predicts the most frequent step: 0 repeats, 1 moves to the move that beats the
// last one, 2 to the move that it beats. Antirotn of the competition.
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

// markov predicts the move that most often followed the last rounds. It uses the longest
// context that has occurred before, at most order rounds. C. E. Shannon's and D. W.
// Hagelbarger's penny-matching machines used Markov chains ("A mind-reading (?) machine",
// 1953); shorter contexts as fallback are PPM's idea (J. Cleary and I. Witten, "Data
// compression using adaptive coding and partial string matching", 1984).
type markov struct {
	order int
	next  []map[uint64]*tally // by length of the context, then by context
}

// newMarkov returns a chain of the given order.
func newMarkov(order int) *markov {
	m := &markov{order: order}
	for range order + 1 {
		m.next = append(m.next, map[uint64]*tally{})
	}
	return m
}

// context packs the last n rounds of h into a number, in base 9.
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

// Comparisons of two rounds for suffixMatch.
var (
	both   = func(a, b Round) bool { return a == b }
	theirs = func(a, b Round) bool { return a.Theirs == b.Theirs }
	mine   = func(a, b Round) bool { return a.Mine == b.Mine }
)

// matchWindow is the number of rounds that a suffixMatch searches, so that the cost of a
// round does not grow with the history.
const matchWindow = 1024

// suffixMatch finds the longest parts of the past that equal the end of the history, and
// predicts the move that followed the latest of them. A. Ehrenfeucht and J. Mycielski
// predict in this way ("A pseudorandom sequence: how random is it?", American
// Mathematical Monthly 99, 1992), and then play the opposite.
type suffixMatch struct {
	equal func(a, b Round) bool
	// length[i] is the number of rounds before round first+i that equal the last rounds
	// of the history; it is 0 at the edge of the window.
	length []int
	first  int
}

func (m *suffixMatch) learn(h []Round) {
	newest := h[len(h)-1]
	m.length = append(m.length, 0)
	for i := len(m.length) - 1; i > 0; i-- {
		m.length[i] = 0
		if m.equal(h[m.first+i-1], newest) {
			m.length[i] = m.length[i-1] + 1
		}
	}
	if len(m.length) > matchWindow {
		m.length = m.length[1:]
		m.length[0] = 0
		m.first++
	}
}

func (m *suffixMatch) predict(h []Round) (game.Move, bool) {
	best, at := 0, 0
	for i, n := range m.length {
		if n > 0 && n >= best {
			best, at = n, i
		}
	}
	if best == 0 {
		return 0, false
	}
	return h[m.first+at].Theirs, true
}
