// Package glicko rates players by the results of their games, as Mark E. Glickman
// describes in "Example of the Glicko-2 system" (2022,
// http://www.glicko.net/glicko/glicko2.pdf). Step numbers refer to that paper.
//
// A rating estimates a player's strength. The deviation is its uncertainty: the true
// strength lies within two deviations in 19 of 20 cases. The volatility is the expected
// change of the strength from one period to the next.
//
// # Choices that the paper leaves open
//
// A rating period is one game: each game updates both ratings at once, from both values
// before it. So the deviation grows by the volatility before each game and not with time,
// and a rating depends only on the games and their order. A player who pauses keeps the
// rating; the time of the last game shows its age.
//
// τ is 0.5, as in the paper's example: one game hardly changes the volatility, and some
// dozens are enough to notice that a bot's program was replaced.
//
// # Bounds
//
// The paper's formulas are unstable with one game a period: each decided game between equals
// is a surprise, which raises the volatility, which raises the deviation, which makes the next
// game move the ratings further. Without bounds two equal players leave the range of int64
// after some 230,000 games if they never draw. So the volatility is at most 0.1, the deviation
// between 45 and 350, and one game moves a rating by at most 700 points. With these bounds the
// deviation of two equal players settles near 79 when they never draw, and at the lower bound
// when they draw one game in ten; the deviation of thirteen players of unequal strength,
// without draws, grows to 79 over a million games. TestStableForYears plays them.
package glicko

import "math"

// The values of a new player, and τ, which limits how fast the volatility changes.
const (
	StartRating     = 1500
	StartDeviation  = 350
	StartVolatility = 0.06
	Tau             = 0.5
)

// The bounds of a rating, and of its change in one period. MaxRating is far beyond every rating that
// results lead to: it makes each rating a number that Fixed can store.
const (
	MaxRating     = 1e6
	MinDeviation  = 45
	MaxDeviation  = StartDeviation
	MaxVolatility = 0.1
	MaxChange     = 700
)

// scale is the number of points in one unit of the paper's Glicko-2 scale (step 2).
const scale = 173.7178

// Rating is the estimate of a player's strength.
type Rating struct {
	Rating     float64 // in points
	Deviation  float64 // in points
	Volatility float64 // on the Glicko-2 scale
}

// Start returns the rating of a new player.
func Start() Rating {
	return Rating{Rating: StartRating, Deviation: StartDeviation, Volatility: StartVolatility}
}

// Result is one game of a period.
type Result struct {
	Opponent Rating  // before the period
	Score    float64 // 1 for a win, 0.5 for a draw, 0 for a loss
}

// After returns the rating after a period with these games, within the bounds. Without games only
// the deviation grows, by step 6.
func (r Rating) After(results ...Result) Rating {
	phi := r.Deviation / scale
	if len(results) == 0 {
		return Rating{r.Rating, scale * math.Hypot(phi, r.Volatility), r.Volatility}.bounded()
	}
	var information, surprise float64 // 1/v of step 3, and the sum of step 4
	for _, result := range results {
		g := weight(result.Opponent.Deviation / scale)
		e := 1 / (1 + math.Exp(-g*(r.Rating-result.Opponent.Rating)/scale))
		information += g * g * e * (1 - e)
		surprise += g * (result.Score - e)
	}
	v := 1 / max(information, math.SmallestNonzeroFloat32) // the bound avoids a division by 0 for a very uneven game
	sigma := min(volatility(r.Volatility, phi, v, v*surprise), MaxVolatility)
	before := math.Hypot(phi, sigma)           // step 6
	phi = 1 / math.Sqrt(1/(before*before)+1/v) // step 7
	change := phi * phi * surprise * scale     // step 7
	return Rating{r.Rating + clamp(change, -MaxChange, MaxChange), phi * scale, sigma}.bounded()
}

// bounded returns r with each value moved to the nearest one within its bounds.
func (r Rating) bounded() Rating {
	return Rating{
		Rating:     clamp(r.Rating, -MaxRating, MaxRating),
		Deviation:  clamp(r.Deviation, MinDeviation, MaxDeviation),
		Volatility: min(r.Volatility, MaxVolatility),
	}
}

// clamp returns the value between low and high that is nearest to x.
func clamp(x, low, high float64) float64 { return min(max(x, low), high) }

// weight is the function g of step 3: a game against an opponent with a large deviation has
// less weight.
func weight(phi float64) float64 { return 1 / math.Sqrt(1+3*phi*phi/(math.Pi*math.Pi)) }

// precision is the convergence tolerance ε of step 5, with the paper's value.
const precision = 0.000001

// volatility returns the new volatility of step 5: the root of f, found with the Illinois
// variant of regula falsi.
func volatility(sigma, phi, v, delta float64) float64 {
	a := math.Log(sigma * sigma)
	f := func(x float64) float64 {
		ex, d := math.Exp(x), phi*phi+v
		return ex*(delta*delta-d-ex)/(2*(d+ex)*(d+ex)) - (x-a)/(Tau*Tau)
	}
	low, high := a, math.Log(max(delta*delta-phi*phi-v, math.SmallestNonzeroFloat32))
	if delta*delta <= phi*phi+v {
		high = a - Tau
		for f(high) < 0 { // terminates: f grows without bound as x falls
			high -= Tau
		}
	}
	atLow, atHigh := f(low), f(high)
	for math.Abs(high-low) > precision {
		middle := low + (low-high)*atLow/(atHigh-atLow)
		atMiddle := f(middle)
		if atMiddle*atHigh <= 0 {
			low, atLow = high, atHigh
		} else {
			atLow /= 2
		}
		high, atHigh = middle, atMiddle
	}
	return math.Exp(low / 2)
}
