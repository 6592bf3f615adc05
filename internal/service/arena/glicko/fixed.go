package glicko

import "math"

// Fixed is a rating as it is stored: in whole numbers, so that no database and no
// processor has an opinion of its own on its last bit. Each game starts from whole
// numbers and is rounded to whole numbers, so what float64 loses on its way does not
// add up over a thousand games.
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

// Newcomer is the rating before the first game.
var Newcomer = Start().Fixed()

// Fixed rounds to what is stored.
func (r Rating) Fixed() Fixed {
	return Fixed{
		int64(math.Round(r.Rating * Point)), int64(math.Round(r.Deviation * Point)),
		int64(math.Round(r.Volatility * VolatilityUnit)),
	}
}

// Float returns what is stored as numbers to reckon with.
func (f Fixed) Float() Rating {
	return Rating{float64(f.Rating) / Point, float64(f.Deviation) / Point, float64(f.Volatility) / VolatilityUnit}
}

// Score is how a game came out for the first of two players.
type Score float64

// The scores of a game.
const (
	Win  Score = 1
	Draw Score = 0.5
	Loss Score = 0
)

// Game returns the ratings of both players after a game that came out with score for a.
func Game(a, b Fixed, score Score) (afterA, afterB Fixed) {
	fa, fb := a.Float(), b.Float()
	return fa.After(Result{fb, float64(score)}).Fixed(), fb.After(Result{fa, 1 - float64(score)}).Fixed()
}
