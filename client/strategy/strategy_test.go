package strategy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roshambo/game"
)

// play plays n rounds between two strategies and returns the points of the first.
func play(t *testing.T, a, b string, n int) int {
	t.Helper()
	sum := 0
	ours, theirs := named(t, a, Seed{1}), named(t, b, Seed{2})
	var forward, backward []Round
	for range n {
		m, o := ours.Next(forward), theirs.Next(backward)
		forward, backward = append(forward, Round{m, o}), append(backward, Round{o, m})
		sum += points(m, o)
	}
	return sum
}

func named(tb testing.TB, name string, seed Seed) Strategy {
	tb.Helper()
	s, err := New(name, seed)
	if err != nil {
		tb.Fatal(err)
	}
	if s.Name() != name {
		tb.Fatalf("New(%q): its name is %q", name, s.Name())
	}
	return s
}

// TestBeats requires a minimum of points in 1,000 rounds against the intended opponent.
func TestBeats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		winner, loser string
		least         int
	}{
		{"paper", "rock", 1000},
		{"paper", "mostly-rock", 350}, // 0.6 - 0.2
		{"rotate", "copy-last", 990},
		{"beat-last", "rock", 990},
		{"beat-last", "copy-last", 450},
		{"reflect", "beat-last", 990},
		{"win-stay", "scissors", 990},
		{"switch", "beat-last", 400},
		{"frequency", "rock", 990},
		{"frequency", "mostly-rock", 350},
		{"anti-rotation", "rotate", 990},
		{"anti-rotation", "reflect", 990},
		{"anti-rotation", "switch", 300},
		{"markov-1", "rotate", 980},
		{"markov-1", "win-stay", 980},
		{"markov-1", "beat-last", 980},
		{"markov-2", "frequency", 900},
		{"markov-3", "markov-1", 150},
		{"history", "markov-2", 150},
		{"history", "frequency", 950},
	} {
		if got := play(t, tt.winner, tt.loser, 1000); got < tt.least {
			t.Errorf("%s against %s: %d points, want %d", tt.winner, tt.loser, got, tt.least)
		}
	}
}

// chancy are the strategies whose moves cannot be predicted, wholly or partly.
var chancy = map[string]int{"random": math.MinInt, "mostly-rock": 300, "switch": 300}

// TestMixingBeatsPredictable requires that the mixing strategies beat every predictable one by a
// wide margin.
func TestMixingBeatsPredictable(t *testing.T) {
	t.Parallel()
	for _, winner := range mixing {
		for _, loser := range slices.Concat(oblivious, reactive, predicting) {
			least, ok := chancy[loser.Name]
			if !ok {
				least = 600
			}
			if got := play(t, winner.Name, loser.Name, 1000); got < least {
				t.Errorf("%s against %s: %d points, want %d", winner.Name, loser.Name, got, least)
			}
		}
	}
}

// TestChanceHasNoOpponent: against the equilibrium every strategy scores zero, within five
// standard deviations of the sum of points.
func TestChanceHasNoOpponent(t *testing.T) {
	t.Parallel()
	const n = 1500
	bound := 5 * math.Sqrt(n*2.0/3)
	for _, e := range Catalogue() {
		if got := play(t, e.Name, "random", n); math.Abs(float64(got)) > bound {
			t.Errorf("%s against random: %d points in %d rounds, more than chance gives (%.0f)", e.Name, got, n, bound)
		}
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, e := range Catalogue() {
		if seen[e.Name] || e.Name != strings.ToLower(e.Name) || strings.ContainsAny(e.Name, " \t") {
			t.Errorf("%q: want a unique name in lower case, without blanks", e.Name)
		}
		seen[e.Name] = true
		if !strings.HasSuffix(e.About, ".") {
			t.Errorf("%s: %q is not a sentence", e.Name, e.About)
		}
	}
	if len(seen) < 12 {
		t.Errorf("%d strategies, want a dozen", len(seen))
	}
	if s, err := New("none", Seed{}); err == nil {
		t.Errorf("New(none): got %v, want an error", s)
	}
}

// rounds decodes a history, one round per byte.
func rounds(b []byte) []Round {
	h := make([]Round, 0, len(b))
	for _, x := range b {
		h = append(h, Round{game.Move(x % 3), game.Move(x / 3 % 3)})
	}
	return h
}

// FuzzNext checks that every strategy returns a valid move for any history, and the same move
// whether it has followed the history from the start, has seen another one before, or is new.
func FuzzNext(f *testing.F) {
	f.Add([]byte{}, byte(0))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2}, byte(5))
	f.Add(slices.Repeat([]byte{4, 8, 0}, 40), byte(119))
	f.Fuzz(func(t *testing.T, b []byte, cut byte) {
		h := rounds(b[:min(len(b), matchWindow+64)])
		for _, e := range Catalogue() {
			fresh, grown := named(t, e.Name, Seed{9}), named(t, e.Name, Seed{9})
			want := fresh.Next(h)
			if want > game.Scissors {
				t.Fatalf("%s after %v: %v is not a move", e.Name, h, want)
			}
			if got := fresh.Next(h); got != want {
				t.Errorf("%s after %v: second call %v, first call %v", e.Name, h, got, want)
			}
			grown.Next(h[:min(len(h), int(cut))])
			if got := grown.Next(h); got != want {
				t.Errorf("%s after %v: grown from %d rounds, %v, fresh %v", e.Name, h, cut, got, want)
			}
			grown.Next([]Round{{game.Rock, game.Rock}, {game.Paper, game.Scissors}, {game.Paper, game.Rock}})
			if got := grown.Next(h); got != want {
				t.Errorf("%s after %v: after another history %v, fresh %v", e.Name, h, got, want)
			}
		}
	})
}

func TestSeedsAreTheirOwn(t *testing.T) {
	t.Parallel()
	moves := func(seed Seed) (s []game.Move) {
		random := named(t, "random", seed)
		for n := range 60 {
			s = append(s, random.Next(make([]Round, n)))
		}
		return s
	}
	if !slices.Equal(moves(Seed{1}), moves(Seed{1})) {
		t.Error("the same seed gave other moves")
	}
	for _, other := range []Seed{{2}, Seed{1}.Derive("a"), Seed{1}.Derive("b"), {24: 1, 0: 1}} {
		if slices.Equal(moves(Seed{1}), moves(other)) {
			t.Errorf("seed %x gave the moves of seed 1", other)
		}
	}
}

func TestDeBruijnHoldsEachWordOnce(t *testing.T) {
	t.Parallel()
	if len(deBruijnCycle) != 81 {
		t.Fatalf("the sequence has %d moves, want 81", len(deBruijnCycle))
	}
	seen := map[[deBruijnOrder]game.Move]bool{}
	for i := range deBruijnCycle {
		var word [deBruijnOrder]game.Move
		for k := range word {
			word[k] = deBruijnCycle[(i+k)%len(deBruijnCycle)]
		}
		if seen[word] {
			t.Errorf("%v occurs twice", word)
		}
		seen[word] = true
	}
}

// naiveMatch implements the comment of suffixMatch directly.
func naiveMatch(h []Round, equal func(a, b Round) bool) (game.Move, bool) {
	best, at := 0, 0
	for i := max(1, len(h)-matchWindow); i < len(h); i++ {
		n := 0
		for n < i-max(0, len(h)-matchWindow) && equal(h[i-1-n], h[len(h)-1-n]) {
			n++
		}
		if n > 0 && n >= best {
			best, at = n, i
		}
	}
	if best == 0 {
		return 0, false
	}
	return h[at].Theirs, true
}

func TestMatchIsWhatItSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Repeat a few rounds, so that matches exist.
		pattern := rapid.SliceOfN(rapid.Byte(), 1, 12).Draw(t, "pattern")
		h := rounds(slices.Concat(slices.Repeat(pattern, rapid.IntRange(0, 30).Draw(t, "times")),
			rapid.SliceOf(rapid.Byte()).Draw(t, "end")))
		if rapid.IntRange(0, 20).Draw(t, "long") == 0 {
			h = slices.Repeat(append(h, Round{}), 1+matchWindow/(len(h)+1))
		}
		for name, look := range map[string]func(a, b Round) bool{"both": both, "theirs": theirs, "mine": mine} {
			m := &suffixMatch{equal: look}
			for n := range h {
				m.learn(h[:n+1])
			}
			got, ok := m.predict(h)
			if want, wantOK := naiveMatch(h, look); got != want || ok != wantOK {
				t.Errorf("%s, after %v: got %v, %v, want %v, %v", name, h, got, ok, want, wantOK)
			}
		}
	})
}

func TestFrequencyForgetsWhatIsOutsideItsWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := rounds(rapid.SliceOf(rapid.Byte()).Draw(t, "history"))
		f := &frequency{window: 5}
		for n := range h {
			f.learn(h[:n+1])
		}
		var want [3]int
		for _, r := range h[max(0, len(h)-5):] {
			want[r.Theirs]++
		}
		if f.count != want {
			t.Errorf("after %v: counts %v, want %v", h, f.count, want)
		}
	})
}

// TestHedgeRegret checks the regret bound of hedge against every strategy.
func TestHedgeRegret(t *testing.T) {
	t.Parallel()
	const n = 1000
	for _, e := range Catalogue() {
		us, them := &instance{entry: mixing[1], seed: Seed{1}, algorithm: newHedge()}, named(t, e.Name, Seed{2})
		sum, best := 0, make([]int, len(newPanel().advice))
		var forward, backward []Round
		for range n {
			m, o := us.Next(forward), them.Next(backward)
			forward, backward = append(forward, Round{m, o}), append(backward, Round{o, m})
			sum += points(m, o)
			for i, a := range us.algorithm.(*hedge).panel.advice {
				best[i] += a.points(o)
			}
		}
		// With rate η and N advisers the regret is at most ηT + ln N/η, here 156, plus the
		// deviation of the random draws.
		if most := slices.Max(best); sum < most-156-5*int(math.Sqrt(n*2.0/3)) {
			t.Errorf("against %s: %d points, the best adviser %d", e.Name, sum, most)
		}
	}
}
