package games

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"roshambo/canon"
)

// Audit are the figures of a record: the shares of hands and outcomes with their exact 99 % intervals,
// and the tests of uniformity. All figures are integers, so that every verifier prints the same ones.
type Audit struct {
	Record Record `json:"record"`
	// PaidBack is Won over Staked in parts per million, rounded down, at most 2^53-1; nil when nothing
	// was staked. It counts tokens at their base value, and the house pays less for one: Rules.BuybackPrice.
	PaidBack *int64  `json:"paid_back_ppm"`
	Shares   []Share `json:"shares"`
	Tests    []Test  `json:"tests"`
}

// Share is a count of a total with the Clopper-Pearson interval of its probability. In parts per
// million; the bounds are rounded outwards.
type Share struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
	Of    int64  `json:"of"`
	Low   int64  `json:"low_ppm"`
	High  int64  `json:"high_ppm"`
}

// Test is Pearson's chi-square test of three counts against equal probabilities, with 2 degrees of
// freedom.
type Test struct {
	What string `json:"what"`
	// ChiSquare is in thousandths, rounded down. P is the probability of a value at least as large
	// for a fair house, exp(-chi/2), in parts per million, rounded down.
	ChiSquare int64 `json:"chi_square_milli"`
	P         int64 `json:"p_ppm"`
}

// million converts a probability to parts per million.
const million = 1_000_000

// Audit returns the figures of the record.
//
// An interval belongs to a share whose trials are independent with one probability. That holds for the
// hands of a fair house, and so for the outcomes: whatever a player shows, each outcome has probability
// one third. The hands of players and the claims of runs are their choice; their intervals describe.
func (r *Record) Audit() Audit {
	a := Audit{Record: *r}
	if r.Staked > 0 {
		exact := new(big.Int).Mul(big.NewInt(r.Won), big.NewInt(million))
		exact.Quo(exact, big.NewInt(r.Staked))
		back := int64(canon.MaxInt)
		if exact.IsInt64() {
			back = min(back, exact.Int64())
		}
		a.PaidBack = &back
	}
	hands := [3]string{"rock", "paper", "scissors"}
	for i, hand := range hands {
		a.share("house "+hand, r.House[i], r.Throws)
	}
	outcomes := [3]int64{r.Wins, r.Ties, r.Losses}
	for i, outcome := range [3]string{"wins", "ties", "losses"} {
		a.share(outcome, outcomes[i], r.Throws)
	}
	for i, hand := range hands {
		a.share("players "+hand, r.Players[i], r.Throws)
	}
	a.share("runs claimed", r.Claimed, r.Runs)
	if r.Voided > 0 {
		// The house decides which runs it loses, so a reader sees the shares in the best and the worst case:
		// as if each void run had been won, or lost, with one more throw.
		for i, outcome := range [3]string{"wins", "ties", "losses"} {
			won, lost := r.Voided*[3]int64{1, 0, 0}[i], r.Voided*[3]int64{0, 0, 1}[i]
			a.share(outcome+", void won", outcomes[i]+won, r.Throws+r.Voided)
			a.share(outcome+", void lost", outcomes[i]+lost, r.Throws+r.Voided)
		}
		a.share("runs claimed, void won", r.Claimed+r.Voided, r.Runs+r.Voided)
		a.share("runs claimed, void lost", r.Claimed, r.Runs+r.Voided)
	}
	if r.Throws > 0 {
		a.Tests = append(a.Tests, test("hands of the house", r.House), test("outcomes", outcomes))
	}
	return a
}

// fair reports whether a fair house determines the probability of the share: a third for its hands and for
// outcomes. The others are the choice of players.
func (s *Share) fair() bool {
	return !strings.HasPrefix(s.What, "players ") && !strings.HasPrefix(s.What, "runs ")
}

// share adds a share, unless the total is 0.
func (a *Audit) share(what string, count, of int64) {
	if of == 0 {
		return
	}
	low, high := Interval(count, of)
	a.Shares = append(a.Shares, Share{What: what, Count: count, Of: of, Low: int64(math.Floor(low * million)),
		High: int64(math.Ceil(high * million))})
}

// test returns the test of three counts, of which one is above 0.
func test(what string, counts [3]int64) Test {
	n, squares := counts[0]+counts[1]+counts[2], 0.0
	for _, k := range counts {
		away := float64(3*k - n) // three times the difference from a third
		squares += away * away
	}
	chi := squares / (3 * float64(n))
	return Test{What: what, ChiSquare: int64(math.Floor(1000 * chi)), P: int64(math.Floor(million * math.Exp(-chi/2)))}
}

// alpha is the probability that an interval does not hold the true value, at most.
const alpha = 0.01

// Interval returns the Clopper-Pearson interval at 99 % for the probability of an event that happened
// count times of n, 0 <= count <= n, n >= 1. Its bounds are quantiles of beta distributions:
// Clopper and Pearson, Biometrika 26 (1934).
func Interval(count, n int64) (low, high float64) {
	k, total := float64(count), float64(n)
	if low = 0; count > 0 {
		low = quantile(alpha/2, k, total-k+1)
	}
	if high = 1; count < n {
		high = quantile(1-alpha/2, k+1, total-k)
	}
	return low, high
}

// quantile returns the x with incompleteBeta(x, a, b) = p, by bisection.
func quantile(p, a, b float64) float64 {
	low, high := 0.0, 1.0
	for range 60 { // to the precision of a float64
		if middle := (low + high) / 2; incompleteBeta(middle, a, b) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// incompleteBeta returns the regularized incomplete beta function, by its continued fraction on the side
// where that converges fast (DLMF 8.17.22).
func incompleteBeta(x, a, b float64) float64 {
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(1-x, b, a)
	}
	if x <= 0 {
		return 0
	}
	ab, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	return math.Exp(ab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) * betaFraction(x, a, b) / a
}

// betaFraction evaluates the continued fraction by Lentz's method.
func betaFraction(x, a, b float64) float64 {
	const tiny, terms = 1e-300, 1_000_000
	// A denominator of 0 would end the recurrence.
	floor := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/floor(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m < terms; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/floor(1+even*d), floor(1+even/c)
		f *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/floor(1+odd*d), floor(1+odd/c)
		step := d * c
		if f *= step; math.Abs(step-1) < 1e-15 {
			break
		}
	}
	return f
}

// Text returns the figures as lines of text, the same as verify.py --audit:
//
//	house rock        0 of 11, 99 % between 0.0000 % and 38.2247 %, expected 33.3333 %
func (a *Audit) Text() string {
	var b strings.Builder
	r := &a.Record
	fmt.Fprintf(&b, "runs          %d: %d claimed, %d lost, %d abandoned\nthrows        %d\nduels         %d\n",
		r.Runs, r.Claimed, r.Lost, r.Abandoned, r.Throws, r.Duels)
	if r.Recoveries > 0 {
		fmt.Fprintf(&b, "recoveries    %d, with %d runs void\n", r.Recoveries, r.Voided)
	}
	for tier, n := range r.VoidTiers {
		if n > 0 {
			fmt.Fprintf(&b, "void          %d at tier %d\n", n, tier)
		}
	}
	fmt.Fprintf(&b, "staked        %d coins: fees, and the base value of burned tokens\n", r.Staked)
	fmt.Fprintf(&b, "won           base value %d with them, %d without a stake\n", r.Won, r.Given)
	if a.PaidBack != nil {
		fmt.Fprintf(&b, "return        %s %% in base value; the house pays less for a token\n", percent(*a.PaidBack))
	}
	for _, s := range a.Shares {
		fmt.Fprintf(&b, "%-16s  %d of %d, 99 %% between %s %% and %s %%", s.What, s.Count, s.Of, percent(s.Low),
			percent(s.High))
		if s.fair() {
			fmt.Fprintf(&b, ", expected %s %%", percent(million/3))
		}
		b.WriteByte('\n')
	}
	for _, t := range a.Tests {
		fmt.Fprintf(&b, "uniformity of %s: chi-square %d.%03d, p = %d.%06d\n", t.What, t.ChiSquare/1000, t.ChiSquare%1000,
			t.P/million, t.P%million)
	}
	return b.String()
}

// percent writes parts per million as a percentage.
func percent(ppm int64) string { return fmt.Sprintf("%d.%04d", ppm/10_000, ppm%10_000) }
