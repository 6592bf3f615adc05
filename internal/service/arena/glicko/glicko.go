// Package glicko rates players by the results of their games, as Mark E. Glickman
// describes it in "Example of the Glicko-2 system" (2022,
// http://www.glicko.net/glicko/glicko2.pdf). The steps named here are that paper's.
//
// A rating says how well somebody plays, its deviation how sure that is (the true
// strength lies within two deviations in 19 of 20 cases), and the volatility how much
// the strength is expected to change from one period to the next.
//
// # What the paper leaves open, decided
//
// A rating period is one game of one's own: each game changes both ratings at once, from
// what both were before it. So the deviation grows by the volatility before each game
// and not with the calendar, and a rating depends on nothing but the games and their
// order. Who stays away keeps the rating; how old it is shows in the time of the last
// game. Between equals who go on playing, the deviation settles near 60.
//
// The deviation never exceeds the 350 that a newcomer has. τ is 0.5, as in the paper's
// example: the volatility hardly moves in a game, and notices in some dozens that a
// program was exchanged for another one.
package glicko

import "math"

// The numbers of a newcomer, and τ, which bounds how fast volatility changes.
const (
	StartRating     = 1500
	StartDeviation  = 350
	StartVolatility = 0.06
	Tau             = 0.5
)

// scale is how many points are one unit of the paper's inner scale (step 2).
const scale = 173.7178

// Rating is what is known of a player.
type Rating struct {
	Rating     float64 // in points
	Deviation  float64 // in points
	Volatility float64 // on the inner scale
}

// Start is the rating of a newcomer.
func Start() Rating { return Rating{StartRating, StartDeviation, StartVolatility} }

// Result is one game of a period: who it was played against, and how it came out, 1 for
// a win, 0.5 for a draw, 0 for a loss.
type Result struct {
	Opponent Rating
	Score    float64
}

// After returns the rating after a period with these games. Without any, only the
// deviation grows.
func (r Rating) After(results ...Result) Rating {
	mu, phi := (r.Rating-StartRating)/scale, r.Deviation/scale
	if len(results) == 0 {
		return Rating{r.Rating, min(scale*math.Hypot(phi, r.Volatility), StartDeviation), r.Volatility}
	}
	var information, surprise float64 // 1/v of step 3, and the sum of step 4
	for _, result := range results {
		g := weight(result.Opponent.Deviation / scale)
		e := 1 / (1 + math.Exp(-g*(r.Rating-result.Opponent.Rating)/scale))
		information += g * g * e * (1 - e)
		surprise += g * (result.Score - e)
	}
	v := 1 / max(information, math.SmallestNonzeroFloat32) // no game is so uneven that it would divide by 0
	sigma := volatility(r.Volatility, phi, v, v*surprise)
	before := math.Hypot(phi, sigma)           // step 6
	phi = 1 / math.Sqrt(1/(before*before)+1/v) // step 7
	mu += phi * phi * surprise                 //
	return Rating{mu*scale + StartRating, min(phi*scale, StartDeviation), sigma}
}

// weight is g of step 3: a game against somebody of unknown strength says less.
func weight(phi float64) float64 { return 1 / math.Sqrt(1+3*phi*phi/(math.Pi*math.Pi)) }

// precision is ε of step 5, as the paper has it.
const precision = 0.000001

// volatility is step 5: the root of f, by the Illinois variant of regula falsi.
func volatility(sigma, phi, v, delta float64) float64 {
	a := math.Log(sigma * sigma)
	f := func(x float64) float64 {
		ex, d := math.Exp(x), phi*phi+v
		return ex*(delta*delta-d-ex)/(2*(d+ex)*(d+ex)) - (x-a)/(Tau*Tau)
	}
	low, high := a, math.Log(max(delta*delta-phi*phi-v, math.SmallestNonzeroFloat32))
	if delta*delta <= phi*phi+v {
		high = a - Tau
		for f(high) < 0 { // ends: f grows without bound as x falls
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
