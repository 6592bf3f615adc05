package portfolio

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
)

// The statistics, by the definitions of empyrical (github.com/quantopian/empyrical,
// empyrical/stats.py), with 365 days in a year, as this market never closes, and with 0
// as the risk-free and the required return.

// Estimate is a statistic and what it rests on.
type Estimate struct {
	Value *float64 // nil when there are too few returns, or none can be told
	N     int64    // returns
}

// Drawdown is the deepest fall of a portfolio below its peak.
type Drawdown struct {
	Estimate                // the fall, 0 or below
	Peak, Trough *time.Time // the days at whose ends they were; nil when it never fell
	Recovered    *time.Time // when the peak was reached again; nil when it was not
}

// Risk is what daily returns tell.
type Risk struct {
	Returns                                    []float64
	Volatility, Sharpe, Sortino, VaR95, CVaR95 Estimate
	MaxDrawdown                                Drawdown
}

// How many returns the statistics need: a spread of fewer than 5 says little, and the
// worst 5 % of fewer than 20 days are no day.
const (
	leastSpread   = 5
	leastTail     = 20
	leastDrawdown = 2

	daysPerYear = 365
	tail        = 0.05
)

// risk works out the returns of the points after the first, and what they tell.
func risk(points []Point) Risk {
	var r Risk
	var days []time.Time // at whose ends the returns were made
	for i := 1; i < len(points); i++ {
		before := points[i-1].Total() + points[i].inflow - points[i-1].inflow
		if before <= 0 {
			continue // nothing was there that could grow or shrink
		}
		r.Returns = append(r.Returns, float64(points[i].Total())/float64(before)-1)
		days = append(days, points[i].Day)
	}
	n := len(r.Returns)
	estimate := func(least int, f func([]float64) float64) Estimate {
		e := Estimate{N: int64(n)}
		if n < least {
			return e
		}
		if v := f(r.Returns); !math.IsNaN(v) && !math.IsInf(v, 0) {
			e.Value = &v
		}
		return e
	}
	r.Volatility = estimate(leastSpread, volatility)
	r.Sharpe = estimate(leastSpread, sharpe)
	r.Sortino = estimate(leastSpread, sortino)
	r.VaR95 = estimate(leastTail, valueAtRisk)
	r.CVaR95 = estimate(leastTail, conditionalValueAtRisk)
	r.MaxDrawdown.Estimate = estimate(leastDrawdown, func(returns []float64) float64 {
		d := drawdown(returns)
		r.MaxDrawdown.dates(d, days)
		return d.depth
	})
	return r
}

// volatility is the annual one: the sample standard deviation (n−1) of the daily returns
// times √365 (annual_volatility).
func volatility(returns []float64) float64 {
	return stat.StdDev(returns, nil) * math.Sqrt(daysPerYear)
}

// sharpe is the mean over the sample standard deviation, times √365 (sharpe_ratio).
// Returns that do not vary have none.
func sharpe(returns []float64) float64 {
	mean, deviation := stat.MeanStdDev(returns, nil)
	if deviation < minDeviation {
		return math.NaN()
	}
	return mean / deviation * math.Sqrt(daysPerYear)
}

// minDeviation is below what rounding makes of returns that are all the same.
const minDeviation = 1e-15

// sortino is the annual mean over the annual downside risk, which is the root of the mean
// of the squares of the negative returns, the others taken as 0 (sortino_ratio,
// downside_risk). Without a negative return there is none.
func sortino(returns []float64) float64 {
	var squares float64
	for _, r := range returns {
		squares += min(r, 0) * min(r, 0)
	}
	downside := math.Sqrt(squares/float64(len(returns))) * math.Sqrt(daysPerYear)
	if downside < minDeviation {
		return math.NaN()
	}
	return stat.Mean(returns, nil) * daysPerYear / downside
}

// valueAtRisk is the historical one: the 5 % quantile of the returns (value_at_risk).
func valueAtRisk(returns []float64) float64 {
	sorted := slices.Sorted(slices.Values(returns))
	return quantile7(tail, sorted)
}

// quantile7 is the quantile of type 7 (Hyndman and Fan, 1996), numpy's default, which is
// linear between the sorted values at (n−1)·p. gonum's LinInterp is another type.
func quantile7(p float64, sorted []float64) float64 {
	at := float64(len(sorted)-1) * p
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-math.Floor(at))*(sorted[high]-sorted[low])
}

// conditionalValueAtRisk is the mean of the worst returns, the first ⌊(n−1)·0.05⌋+1 of
// them (conditional_value_at_risk).
func conditionalValueAtRisk(returns []float64) float64 {
	sorted := slices.Sorted(slices.Values(returns))
	return stat.Mean(sorted[:int(float64(len(sorted)-1)*tail)+1], nil)
}

// fall is a drawdown by positions: 0 is before the first return, i after the i-th.
type fall struct {
	depth                   float64
	peak, trough, recovered int // recovered is -1 for never
}

// drawdown is the smallest value over the highest before it, less 1, of what 1 coin
// becomes (max_drawdown). A value that is not above 0 ends it: everything was lost.
func drawdown(returns []float64) fall {
	value, highest, highestAt := 1.0, 1.0, 0
	worst := fall{recovered: -1}
	var peakValue float64
	for i, r := range returns {
		value *= 1 + r
		if value >= highest {
			highest, highestAt = value, i+1
		}
		if depth := value/highest - 1; depth < worst.depth {
			worst = fall{depth, highestAt, i + 1, -1}
			peakValue = highest
		}
		if worst.depth < 0 && worst.recovered < 0 && i+1 > worst.trough && value >= peakValue {
			worst.recovered = i + 1
		}
	}
	return worst
}

// dates turns the positions of a fall into days.
func (d *Drawdown) dates(f fall, days []time.Time) {
	if f.depth == 0 {
		return
	}
	day := func(i int) *time.Time {
		t := days[0].AddDate(0, 0, -1)
		if i > 0 {
			t = days[i-1]
		}
		return &t
	}
	d.Peak, d.Trough = day(f.peak), day(f.trough)
	if f.recovered >= 0 {
		d.Recovered = day(f.recovered)
	}
}

// Concentration is how much of the tokens' worth, at reference prices, lies in few tiers.
type Concentration struct {
	HHI       *float64 // Herfindahl-Hirschman index: the sum of the squares of the shares
	Effective *float64 // its inverse: as many tiers of the same worth would give it
	TopShare  *float64 // of the tier that is worth most
	TopTier   int64
	N         int64 // tiers
}

func concentration(positions []Position) Concentration {
	var c Concentration
	var total, top, squares float64
	for _, p := range positions {
		worth := float64(p.Count) * float64(*p.Prices[Reference])
		if worth <= 0 {
			continue
		}
		c.N++
		total += worth
		squares += worth * worth
		if worth > top {
			top, c.TopTier = worth, p.Tier
		}
	}
	if c.N == 0 {
		return c
	}
	hhi, share := squares/(total*total), top/total
	effective := 1 / hhi
	c.HHI, c.Effective, c.TopShare = &hhi, &effective, &share
	return c
}
