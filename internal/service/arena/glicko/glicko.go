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
// rating; the time of the last game shows its age. Between equal players who play on, the
// deviation settles near 60.
//
// The deviation never exceeds 350, the value of a new player. τ is 0.5, as in the paper's
// example: one game hardly changes the volatility, and some dozens are enough to notice
// that a bot's program was replaced.
package glicko

import "math"

// The values of a new player, and τ, which limits how fast the volatility changes.
const (
	StartRating     = 1500
	StartDeviation  = 350
	StartVolatility = 0.06
	Tau             = 0.5
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

// After returns the rating after a period with these games. Without games only the deviation
// grows, by step 6.
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
	v := 1 / max(information, math.SmallestNonzeroFloat32) // the bound avoids a division by 0 for a very uneven game
	sigma := volatility(r.Volatility, phi, v, v*surprise)
	before := math.Hypot(phi, sigma)           // step 6
	phi = 1 / math.Sqrt(1/(before*before)+1/v) // step 7
	mu += phi * phi * surprise                 // step 7
	return Rating{mu*scale + StartRating, min(phi*scale, StartDeviation), sigma}
}

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
