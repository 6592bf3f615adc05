package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A row decides only with enough rounds on a machine without much other work.
const (
	leastRounds = 8
	mostLoad    = 1.0 // threads that run or wait for a processor before a measurement, in the mean
)

// result is one measurement of a row on one server.
type result struct {
	Value float64 `json:"value"` // in the unit of the row
	// Figures are further values, in the order of the row's formats; 0 where there is none.
	Figures []float64 `json:"figures,omitempty"`
}

// estimate is a median with its 95 % interval.
type estimate struct {
	median, low, high float64
	bounded           bool // there are enough values for the interval
}

// estimated returns the median of values, and the interval that holds the true median in 95 of 100
// cases, whatever the distribution is: from the k-th smallest value to the k-th largest, for the
// greatest k so that a fair coin shows fewer than k heads, or fewer than k tails, in at most 5 % of
// as many throws.
func estimated(values []float64) estimate {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	e := estimate{median: (sorted[(n-1)/2] + sorted[n/2]) / 2, low: sorted[0], high: sorted[n-1]}
	heads := math.Pow(0.5, float64(n)) // the probability of k heads
	for k, tail := 0, heads; 2*tail <= 0.05; tail += heads {
		e.low, e.high, e.bounded = sorted[k], sorted[n-1-k], true
		k++
		heads *= float64(n-k+1) / float64(k)
	}
	return e
}

// format formats an estimate with the format of one value, such as %.0f/s.
func (e estimate) format(one string) string {
	text := fmt.Sprintf(one, e.median)
	if e.bounded {
		verb := one[:strings.IndexByte(one, 'f')+1]
		text += fmt.Sprintf(" ["+verb+"–"+verb+"]", e.low, e.high)
	}
	return text
}

// column returns one figure of all results; -1 is the value.
func column(all []result, figure int) []float64 {
	values := make([]float64, len(all))
	for i, r := range all {
		if values[i] = r.Value; figure >= 0 {
			values[i] = r.Figures[figure]
		}
	}
	return values
}

// ratios returns, for each round, the value of one server divided by the value of another.
func ratios(of, to []result) []float64 {
	values := make([]float64, len(of))
	for i := range of {
		values[i] = of[i].Value / to[i].Value
	}
	return values
}

// doubt returns why a row decides nothing; "" when it decides. loads are those before its measurements.
func doubt(rounds int, loads []float64) string {
	sum := 0.0
	for _, l := range loads {
		sum += l
	}
	load := sum / float64(len(loads))
	switch {
	case rounds < leastRounds:
		return fmt.Sprintf(" (undecided: %d rounds)", rounds)
	case load >= mostLoad:
		return fmt.Sprintf(" (undecided: load %.1f)", load)
	}
	return ""
}
