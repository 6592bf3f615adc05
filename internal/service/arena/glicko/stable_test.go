package glicko_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/arena/glicko"
)

// TestStable plays more games than the paper's formulas survive without bounds (some 230,000 of two equal
// players). TestStableForYears plays more of them, at night.
func TestStable(t *testing.T) {
	t.Parallel()
	stable(t, 1, 300_000)
}

// stable plays games between two equal players and between thirteen unequal ones, with few and many
// draws, for each of some seeds. The difference of two ratings always stays within 1,000 points of
// the true difference, and its error is below 100 points in the mean. The deviation settles where the package says.
func stable(t *testing.T, seeds uint64, games int) {
	t.Helper()
	equal, unequal := make([]float64, 2), make([]float64, 13)
	for i := range unequal {
		unequal[i] = 25 * float64(i)
	}
	for _, strengths := range [][]float64{equal, unequal} {
		for _, draws := range []float64{0, 0.1, 0.5} {
			for n := range seeds {
				p := newPool(strengths, draws, testseed.Seed(t)+n)
				p.play(t, games)
				if len(strengths) == 2 || games >= 1_000_000 { // before, the deviations of many still grow
					p.wantSettled(t)
				}
			}
		}
	}
}

// pool is a group of players with known strengths.
type pool struct {
	strengths []float64 // in points
	draws     float64   // the share of draws, less where a side is too strong for it
	players   []glicko.Fixed
	chance    *rand.Rand
	deviation float64 // of all players, the mean over the second half of the games
}

// wantSettled requires the deviations that the package's documentation names.
func (p *pool) wantSettled(t *testing.T) {
	t.Helper()
	for want, applies := range map[float64]bool{79: p.draws == 0, 45: len(p.players) == 2 && p.draws == 0.1} {
		if applies && math.Abs(p.deviation-want) > 2 {
			t.Errorf("%d players, %.0f %% draws: the deviations are %.1f in the mean, want %.0f", len(p.players), 100*p.draws,
				p.deviation, want)
		}
	}
}

func newPool(strengths []float64, draws float64, seed uint64) *pool {
	p := &pool{strengths: strengths, draws: draws, players: make([]glicko.Fixed, len(strengths)),
		chance: rand.New(rand.NewPCG(seed, 11))} // of a simulation
	for i := range p.players {
		p.players[i] = glicko.Newcomer
	}
	return p
}

// game plays one game between two players, with the score that their strengths lead one to expect, and
// returns by how much the difference of their ratings is wrong afterwards.
func (p *pool) game() (off float64) {
	i := p.chance.IntN(len(p.players))
	j := (i + 1 + p.chance.IntN(len(p.players)-1)) % len(p.players)
	truth := p.strengths[i] - p.strengths[j]
	expected := 1 / (1 + math.Pow(10, -truth/400))
	draws := min(p.draws, 2*min(expected, 1-expected))
	score := glicko.Loss
	switch u := p.chance.Float64(); {
	case u < draws:
		score = glicko.Draw
	case u < expected+draws/2:
		score = glicko.Win
	}
	p.players[i], p.players[j] = glicko.Game(p.players[i], p.players[j], score)
	return math.Abs(p.players[i].Float().Rating - p.players[j].Float().Rating - truth)
}

// play plays games and checks the ratings after each.
func (p *pool) play(t *testing.T, games int) {
	t.Helper()
	var worst, squares float64
	for n := range games {
		off := p.game()
		worst, squares = max(worst, off), squares+off*off
		if n >= games/2 {
			for i := range p.players {
				p.deviation += p.players[i].Float().Deviation / float64((games-games/2)*len(p.players))
			}
		}
		if off > 1000 {
			t.Fatalf("%d players, %.0f %% draws: after %d games a difference is %.0f points off, the players %+v",
				len(p.players), 100*p.draws, n+1, off, p.players)
		}
	}
	for _, r := range p.players {
		wantBounded(t, r)
	}
	mean := math.Sqrt(squares / float64(games))
	if mean > 100 {
		t.Errorf("%d players, %.0f %% draws: differences are %.0f points off in the mean", len(p.players),
			100*p.draws, mean)
	}
	t.Logf("%d players, %.0f %% draws: off by %.0f points at most, %.0f in the mean; at the end %+v", len(p.players),
		100*p.draws, worst, mean, p.players[0].Float())
}
