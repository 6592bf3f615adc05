package glicko

import "math"

// Fixed is the stored form of a rating, in whole numbers: every database and processor
// reads the same value to the last bit. Each game starts from whole numbers and ends with
// rounding, so errors of float64 do not accumulate over many games.
type Fixed struct {
	Rating     int64 // in millionths of a point
	Deviation  int64 // in millionths of a point
	Volatility int64 // in millionths of a millionth
}

// The units of Fixed.
const (
	Point          = 1e6
	VolatilityUnit = 1e12
)

// Newcomer is the rating of a new player.
var Newcomer = Start().Fixed()

// Fixed rounds r to the stored precision. The values must be within the bounds: Go leaves open what
// the conversion of a larger number to int64 gives, so that it depends on the processor.
func (r Rating) Fixed() Fixed {
	return Fixed{
		Rating: int64(math.Round(r.Rating * Point)), Deviation: int64(math.Round(r.Deviation * Point)),
		Volatility: int64(math.Round(r.Volatility * VolatilityUnit)),
	}
}

// Float returns f as floating-point numbers for computation.
func (f Fixed) Float() Rating {
	return Rating{
		Rating: float64(f.Rating) / Point, Deviation: float64(f.Deviation) / Point,
		Volatility: float64(f.Volatility) / VolatilityUnit,
	}
}

// Score is the result of a game for the first of two players.
type Score float64

// The scores of a game.
const (
	Win  Score = 1
	Draw Score = 0.5
	Loss Score = 0
)

// Game returns the ratings of both players after a game with score for a.
func Game(a, b Fixed, score Score) (afterA, afterB Fixed) {
	fa, fb := a.Float(), b.Float()
	afterA = fa.After(Result{Opponent: fb, Score: float64(score)}).Fixed()
	afterB = fb.After(Result{Opponent: fa, Score: 1 - float64(score)}).Fixed()
	return afterA, afterB
}

// TakeBack returns f without the change that a game made from before to after. The volatility stays.
func (f Fixed) TakeBack(before, after Fixed) Fixed {
	f.Rating = min(max(f.Rating-(after.Rating-before.Rating), -MaxRating*Point), MaxRating*Point)
	f.Deviation = min(max(f.Deviation-(after.Deviation-before.Deviation), MinDeviation*Point), MaxDeviation*Point)
	return f
}
