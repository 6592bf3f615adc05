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

// WriteText writes the standings and the crosstable: the row of a strategy holds the
// percentage of duels that it won against the strategy whose number heads the column.
func (r *Result) WriteText(w io.Writer) error {
	// The tabwriter keeps the first error until Flush.
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "#\tstrategy\tduels\tpoints\tworst\texploit\t")
	for i := range r.Standings {
		fmt.Fprintf(t, "\t%d", i+1)
	}
	fmt.Fprintln(t, "\t")
	for i, s := range r.Standings {
		fmt.Fprintf(t, "%d\t%s\t%.1f%%\t%+.2f\t%+.2f\t%.2f\t", i+1, s.Name, 100*s.Score, s.Points, s.Worst, s.Exploitability)
		for _, other := range r.Standings {
			fmt.Fprintf(t, "\t%s", r.cell(s.Name, other.Name))
		}
		fmt.Fprintln(t, "\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
duels    won, of %d against each opponent; a draw counts half
points   rounds won minus rounds lost, per round; no coins: the lab plays duels without a stake
worst    points per round against its worst opponent
exploit  points per round of an opponent that knows its code but not its seed
1, 2, …  duels won against that strategy, in percent
`, r.Duels)
	return err
}

// cell returns the share of duels that one entrant won against another, in percent.
func (r *Result) cell(name, other string) string {
	for _, m := range r.Matches {
		mine, theirs, ok := m.of(name)
		if ok && theirs.Name == other {
			return fmt.Sprintf("%.0f", 100*ratio(2*mine.Duels+m.Drawn, 2*r.Duels))
		}
	}
	return "·"
}
