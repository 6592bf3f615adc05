package portfolio

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
)

// The statistics follow the definitions of empyrical (github.com/quantopian/empyrical,
// empyrical/stats.py), with 365 days in a year, because this market never closes, and with 0
// as the risk-free and the required return. Returns are daily and simple: 0.01 is +1 %.

// Estimate is a statistic and the size of its sample.
type Estimate struct {
	Value *float64 // nil with too few returns, or where the statistic is undefined
	N     int64    // number of returns
}

// Drawdown is the maximum drawdown of a portfolio. Its days are those at whose ends the
// values were reached.
type Drawdown struct {
	Estimate                // the relative loss from the peak, 0 or below
	Peak, Trough *time.Time // nil without a loss
	Recovered    *time.Time // when the peak was reached again; nil while it was not
}

// Risk holds the daily returns and the statistics of their risk.
type Risk struct {
	Returns                                    []float64
	Volatility, Sharpe, Sortino, VaR95, CVaR95 Estimate
	MaxDrawdown                                Drawdown
}

// The least number of returns of each statistic: the deviation of fewer than 5 is noise, and
// 5 % of fewer than 20 days is less than one day.
const (
	MinForDeviation = 5
	MinForTail      = 20
	MinForDrawdown  = 2
)

// The units of the statistics.
const (
	daysPerYear = 365
	tail        = 0.05
)

// risk computes the returns of all points after the first, and their statistics. A day that
// begins with nothing, inflows included, has no return.
func risk(points []Point) Risk {
	var r Risk
	var days []time.Time // of the returns
	for i := 1; i < len(points); i++ {
		before := points[i-1].Total() + points[i].inflow - points[i-1].inflow
		if before <= 0 {
			continue
		}
		r.Returns = append(r.Returns, float64(points[i].Total())/float64(before)-1)
		days = append(days, points[i].Day)
	}
	n := len(r.Returns)
	estimate := func(minimum int, f func([]float64) float64) Estimate {
		e := Estimate{N: int64(n)}
		if n < minimum {
			return e
		}
		if v := f(r.Returns); !math.IsNaN(v) && !math.IsInf(v, 0) {
			e.Value = &v
		}
		return e
	}
	r.Volatility = estimate(MinForDeviation, volatility)
	r.Sharpe = estimate(MinForDeviation, sharpe)
	r.Sortino = estimate(MinForDeviation, sortino)
	r.VaR95 = estimate(MinForTail, valueAtRisk)
	r.CVaR95 = estimate(MinForTail, conditionalValueAtRisk)
	r.MaxDrawdown.Estimate = estimate(MinForDrawdown, func(returns []float64) float64 {
		d := drawdown(returns)
		r.MaxDrawdown.setDates(d, days)
		return d.depth
	})
	return r
}

// volatility returns the annual volatility: the sample standard deviation (n−1) of the daily
// returns times √365 (annual_volatility).
func volatility(returns []float64) float64 {
	return stat.StdDev(returns, nil) * math.Sqrt(daysPerYear)
}

// sharpe returns the annual Sharpe ratio: the mean over the sample standard deviation, times
// √365 (sharpe_ratio); NaN for returns that do not vary.
func sharpe(returns []float64) float64 {
	mean, deviation := stat.MeanStdDev(returns, nil)
	if deviation < minDeviation {
		return math.NaN()
	}
	return mean / deviation * math.Sqrt(daysPerYear)
}

// minDeviation is the bound below which a deviation is a rounding error of equal returns.
const minDeviation = 1e-15

// sortino returns the Sortino ratio: the annual mean over the annual downside risk, which is
// the root mean square of the returns with positive ones taken as 0 (sortino_ratio,
// downside_risk); NaN without a negative return.
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

// valueAtRisk returns the historical value at risk: the 5 % quantile of the returns
// (value_at_risk).
func valueAtRisk(returns []float64) float64 {
	sorted := slices.Sorted(slices.Values(returns))
	return quantile7(tail, sorted)
}

// quantile7 returns the quantile of type 7 (Hyndman and Fan, 1996), numpy's default: linear
// between the sorted values at (n−1)·p. gonum's LinInterp is another type.
func quantile7(p float64, sorted []float64) float64 {
	at := float64(len(sorted)-1) * p
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-math.Floor(at))*(sorted[high]-sorted[low])
}

// conditionalValueAtRisk returns the mean of the ⌊(n−1)·0.05⌋+1 worst returns
// (conditional_value_at_risk).
func conditionalValueAtRisk(returns []float64) float64 {
	sorted := slices.Sorted(slices.Values(returns))
	return stat.Mean(sorted[:int(float64(len(sorted)-1)*tail)+1], nil)
}

// decline is a drawdown between indexes: 0 is before the first return, i after the i-th.
type decline struct {
	depth                   float64 // 0 or below
	peak, trough, recovered int     // recovered is -1 while the peak was not reached again
}

// drawdown returns the maximum drawdown (max_drawdown): of the cumulative value of 1 coin,
// the smallest ratio of a value to the highest one before it, less 1.
func drawdown(returns []float64) decline {
	value, highest, highestAt := 1.0, 1.0, 0
	worst := decline{recovered: -1}
	var peakValue float64
	for i, r := range returns {
		value *= 1 + r
		if value >= highest {
			highest, highestAt = value, i+1
		}
		if depth := value/highest - 1; depth < worst.depth {
			worst = decline{depth: depth, peak: highestAt, trough: i + 1, recovered: -1}
			peakValue = highest
		}
		if worst.depth < 0 && worst.recovered < 0 && i+1 > worst.trough && value >= peakValue {
			worst.recovered = i + 1
		}
	}
	return worst
}

// setDates converts the indexes of a decline to days: index i is the day of the i-th return,
// 0 the day before the first.
func (d *Drawdown) setDates(worst decline, days []time.Time) {
	if worst.depth == 0 {
		return
	}
	day := func(i int) *time.Time {
		t := days[0].AddDate(0, 0, -1)
		if i > 0 {
			t = days[i-1]
		}
		return &t
	}
	d.Peak, d.Trough = day(worst.peak), day(worst.trough)
	if worst.recovered >= 0 {
		d.Recovered = day(worst.recovered)
	}
}

// Concentration measures how unevenly the value of the tokens, at reference prices, is spread
// over tiers. The pointers are nil when no token has a value.
type Concentration struct {
	HHI       *float64 // Herfindahl-Hirschman index: the sum of the squared shares of the tiers
	Effective *float64 // 1/HHI: the number of tiers of equal value with the same index
	TopShare  *float64 // of the tier with the highest value
	TopTier   int64
	N         int64 // number of tiers with a value
}

func concentration(positions []Position) Concentration {
	var c Concentration
	var total, top, squares float64
	for _, p := range positions {
		value := float64(p.Count) * float64(*p.Prices[Reference])
		if value <= 0 {
			continue
		}
		c.N++
		total += value
		squares += value * value
		if value > top {
			top, c.TopTier = value, p.Tier
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
