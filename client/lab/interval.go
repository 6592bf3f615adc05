package lab

import "math"

// Interval is a confidence interval of a share, 0 to 1.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// z is the 97.5 % quantile of the normal distribution for intervals of 95 %.
const z = 1.959964

// wilson returns the Wilson score interval of 95 % for a number of half points in duels (E. B. Wilson, "Probable
// inference, the law of succession, and statistical inference", 1927). Unlike the normal interval it is right for
// shares near 0 and 1. A draw counts half, so the interval is too wide for many draws, never too narrow. It takes
// duels as independent.
func wilson(halfPoints, duels int) Interval {
	if duels == 0 {
		return Interval{High: 1}
	}
	// With p the observed share: the shares for which p is within z standard deviations of what n duels give.
	n := float64(duels)
	p := float64(halfPoints) / (2 * n)
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{Low: rounded(max(0, center-half)), High: rounded(min(1, center+half))}
}

// rounded rounds as ratio does, to four decimal places, so that results on different processors are the same text.
func rounded(x float64) float64 { return math.Round(10000*x) / 10000 }
