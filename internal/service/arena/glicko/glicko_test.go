package glicko_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"roshambo/internal/service/arena/glicko"
)

// TestPaper checks the paper's worked example and two large surprises. The paper gives five
// digits, which the test checks below; the further digits were computed with 60 decimal
// places, the root of step 5 by bisection. A volatility without iteration would be off by
// 4e-6 in the example and by 1e-5 or more in the surprises.
func TestPaper(t *testing.T) {
	t.Parallel()
	player := func(rating, deviation float64) glicko.Rating {
		return glicko.Rating{Rating: rating, Deviation: deviation, Volatility: 0.06}
	}
	upset := glicko.Result{Opponent: player(2100, 50), Score: 1}
	const scale = 173.7178
	for _, tt := range []struct {
		name           string
		before         glicko.Rating
		games          []glicko.Result
		mu, phi, sigma float64
	}{
		{"the example", player(1500, 200), []glicko.Result{
			{Opponent: player(1400, 30), Score: 1}, {Opponent: player(1550, 100), Score: 0}, {Opponent: player(1700, 300),
				Score: 0},
		}, -0.206940966676476, 0.872199188133308, 0.059995984400678},
		{"a win against 1200 points more", player(1000, 50), []glicko.Result{{Opponent: player(2200, 60), Score: 1}},
			-2.793417210695566, 0.293999290463398, 0.060012988126140},
		{"five wins against 600 points more", player(1500, 60), slices.Repeat([]glicko.Result{upset}, 5),
			0.576956332778698, 0.347405849906932, 0.060299076800550},
	} {
		got := tt.before.After(tt.games...)
		mu, phi := (got.Rating-glicko.StartRating)/scale, got.Deviation/scale
		if math.Abs(mu-tt.mu) > 1e-7 || math.Abs(phi-tt.phi) > 1e-7 || math.Abs(got.Volatility-tt.sigma) > 1e-7 {
			t.Errorf("%s: got mu %.9f, phi %.9f, sigma %.9f, want %.9f, %.9f, %.9f", tt.name, mu, phi, got.Volatility,
				tt.mu, tt.phi, tt.sigma)
		}
	}
	got := player(1500, 200).After(
		glicko.Result{Opponent: player(1400, 30), Score: 1}, glicko.Result{Opponent: player(1550, 100),
			Score: 0}, glicko.Result{Opponent: player(1700, 300), Score: 0},
	)
	if math.Abs(got.Rating-1464.06) > 0.01 || math.Abs(got.Deviation-151.52) > 0.01 ||
		math.Abs(got.Volatility-0.05999) > 0.00001 {
		t.Errorf("got %+v, the paper says 1464.06, 151.52 and 0.05999", got)
	}
	// Without games only the deviation grows: √(200² + (173.7178·0.06)²).
	idle := player(1500, 200).After()
	if idle.Rating != 1500 || idle.Volatility != 0.06 || math.Abs(idle.Deviation-200.271416699) > 1e-7 {
		t.Errorf("after a period without games: %+v", idle)
	}
	if idle := glicko.Start().After(); idle.Deviation != glicko.StartDeviation {
		t.Errorf("a newcomer's deviation grew to %v", idle.Deviation)
	}
}

// ratings draws a rating within the bounds, plausible ones and the extremes.
func ratings(t *rapid.T, name string) glicko.Fixed {
	edge := int64(glicko.MaxRating * glicko.Point)
	return glicko.Fixed{
		Rating: rapid.OneOf(
			rapid.Int64Range(-2000*glicko.Point, 6000*glicko.Point), rapid.Int64Range(-edge, edge),
		).Draw(t, name+" rating"),
		Deviation: rapid.Int64Range(
			glicko.MinDeviation*glicko.Point, glicko.MaxDeviation*glicko.Point).Draw(t, name+" deviation"),
		Volatility: rapid.Int64Range(
			1, glicko.MaxVolatility*glicko.VolatilityUnit).Draw(t, name+" volatility"),
	}
}

var scores = []glicko.Score{glicko.Win, glicko.Draw, glicko.Loss}

// TestGame checks that a winner never loses rating points and a loser never gains any, that
// the order of the players makes no difference, and that the deviation stays in its bounds.
func TestGame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := ratings(t, "a"), ratings(t, "b")
		score := rapid.SampledFrom(scores).Draw(t, "score")
		afterA, afterB := glicko.Game(a, b, score)
		otherB, otherA := glicko.Game(b, a, 1-score)
		if afterA != otherA || afterB != otherB {
			t.Fatalf("a, b: %+v %+v; b, a: %+v %+v", afterA, afterB, otherA, otherB)
		}
		gainA, gainB := afterA.Rating-a.Rating, afterB.Rating-b.Rating
		if score == glicko.Win && (gainA < 0 || gainB > 0) || score == glicko.Loss && (gainA > 0 || gainB < 0) {
			t.Fatalf("score %v: a gained %d, b %d millionths", score, gainA, gainB)
		}
		if score == glicko.Draw && a.Rating > b.Rating && (gainA > 0 || gainB < 0) {
			t.Fatalf("after a draw the higher rated player gained %d, the other %d", gainA, gainB)
		}
		for _, after := range []glicko.Fixed{afterA, afterB} {
			wantBounded(t, after)
		}
		if most := int64(glicko.MaxChange * glicko.Point); max(gainA, -gainA, gainB, -gainB) > most {
			t.Fatalf("one game moves the ratings by %d and %d millionths", gainA, gainB)
		}
		wantBounded(t, a.TakeBack(b, afterB))
	})
}

// wantBounded checks that a rating is within the bounds.
func wantBounded(t rapid.TB, r glicko.Fixed) {
	t.Helper()
	if r.Rating < -glicko.MaxRating*glicko.Point || r.Rating > glicko.MaxRating*glicko.Point ||
		r.Deviation < glicko.MinDeviation*glicko.Point || r.Deviation > glicko.MaxDeviation*glicko.Point ||
		r.Volatility <= 0 || r.Volatility > glicko.MaxVolatility*glicko.VolatilityUnit {
		t.Fatalf("out of bounds: %+v", r)
	}
}

// TestEquals checks that between players with equal values a win moves both ratings by the
// same amount, and a draw moves neither.
func TestEquals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := ratings(t, "both")
		inside := int64((glicko.MaxRating - glicko.MaxChange) * glicko.Point) // a bound stops no change
		a.Rating = min(max(a.Rating, -inside), inside)
		x, y := glicko.Game(a, a, glicko.Win)
		if up, down := x.Rating-a.Rating, a.Rating-y.Rating; up != down || up <= 0 || x.Deviation != y.Deviation {
			t.Fatalf("a win moves the winner by %d, the loser by %d", up, down)
		}
		x, y = glicko.Game(a, a, glicko.Draw)
		if x != y || x.Rating != a.Rating {
			t.Fatalf("a draw changes %+v to %+v and %+v", a, x, y)
		}
	})
}

// TestRun checks that no rating leaves its bounds after random games.
func TestRun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		players := make([]glicko.Fixed, rapid.IntRange(2, 5).Draw(t, "players"))
		for i := range players {
			players[i] = glicko.Newcomer
		}
		for range rapid.IntRange(1, 300).Draw(t, "games") {
			i := rapid.IntRange(0, len(players)-1).Draw(t, "i")
			j := (i + rapid.IntRange(1, len(players)-1).Draw(t, "j")) % len(players)
			players[i], players[j] = glicko.Game(players[i], players[j], rapid.SampledFrom(scores).Draw(t, "score"))
		}
		for _, p := range players {
			f := p.Float()
			wantBounded(t, p)
			if f.Volatility < 0.01 || f.Rating < -1500 || f.Rating > 4500 {
				t.Fatalf("implausible: %+v", f)
			}
		}
	})
}

// TestConvergence plays random games between players of known strengths, each decided by
// chance according to the strengths: the ratings converge to the strengths.
func TestConvergence(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(2026, 11)) // of a simulation
	const n = 40
	strengths, players := make([]float64, n), make([]glicko.Fixed, n)
	for i := range players {
		strengths[i], players[i] = 1100+20*float64(i), glicko.Newcomer
	}
	for range 300 * n / 2 {
		i := chance.IntN(n)
		j := (i + 1 + chance.IntN(n-1)) % n
		score := glicko.Loss
		if chance.Float64() < 1/(1+math.Pow(10, (strengths[j]-strengths[i])/400)) {
			score = glicko.Win
		}
		players[i], players[j] = glicko.Game(players[i], players[j], score)
	}
	var sum, bias float64
	within := 0
	for i, p := range players {
		f := p.Float()
		off := f.Rating - strengths[i]
		sum += off * off
		bias += off
		if math.Abs(off) < 2*f.Deviation {
			within++
		}
		if f.Deviation > 110 {
			t.Errorf("player %d is still provisional: %+v", i, f)
		}
	}
	// The mean of the strengths is 1490, the mean of the initial ratings 1500.
	if spread := math.Sqrt(sum / n); spread > 75 {
		t.Errorf("ratings are %.0f points off on average, want less than 75", spread)
	}
	if math.Abs(bias/n) > 25 {
		t.Errorf("all ratings together are %.0f points off", bias/n)
	}
	if within < n*8/10 {
		t.Errorf("%d of %d strengths lie within two deviations", within, n)
	}
}
