package lab

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteJSON writes the result as an indented JSON document.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteText writes the standings, the crosstable and the failures of programs: the row of a strategy in the crosstable
// holds the percentage of duels that it won against the strategy whose number heads the column, with its interval.
func (r *Result) WriteText(w io.Writer) error {
	// The tabwriter keeps the first error until Flush.
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "#\tstrategy\tduels\t95 %\tpoints\tworst\texploit\t")
	for i, s := range r.Standings {
		fmt.Fprintf(t, "%d\t%s\t%.1f%%\t%s\t%+.2f\t%+.2f\t%.2f\t\n",
			i+1, s.Name, 100*s.Score, s.Interval, s.Points, s.Worst, s.Exploitability)
	}
	fmt.Fprint(t, "\n#\tstrategy\t")
	for i := range r.Standings {
		fmt.Fprintf(t, "\t%d\t", i+1)
	}
	fmt.Fprintln(t)
	for i, s := range r.Standings {
		fmt.Fprintf(t, "%d\t%s\t", i+1, s.Name)
		for _, other := range r.Standings {
			share, interval := r.cell(s.Name, other.Name)
			fmt.Fprintf(t, "\t%s\t%s", share, interval)
		}
		fmt.Fprintln(t, "\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range r.Standings {
		if s.Failed > 0 {
			if _, err := fmt.Fprintf(w, "\n%d duels forfeited: %s\n", s.Failed, s.Failure); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, `
duels    won, of %d against each opponent; a draw counts half
95 %%     confidence interval of duels, in percent
points   rounds won minus rounds lost, per round; no coins: the lab plays duels without a stake
worst    points per round against its worst opponent
exploit  points per round of an opponent that knows its code but not its seed
1, 2, …  duels won against that strategy, in percent, with the interval
`, r.Duels)
	return err
}

// String returns the interval in percent.
func (i Interval) String() string { return fmt.Sprintf("%.0f–%.0f", 100*i.Low, 100*i.High) }

// cell returns the share of duels that one entrant won against another, in percent, and its interval.
func (r *Result) cell(name, other string) (share, interval string) {
	for _, m := range r.Matches {
		mine, theirs, ok := m.of(name)
		if ok && theirs.Name == other {
			return fmt.Sprintf("%.0f", 100*ratio(2*mine.Duels+m.Drawn, 2*r.Duels)), mine.Interval.String()
		}
	}
	return "·", ""
}
