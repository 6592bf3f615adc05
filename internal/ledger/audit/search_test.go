package audit

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain/replay"
)

// TestSearchReports checks that the search for rows that differ names those that the chain and the tables do
// not have equally often, and no others of the same sum.
func TestSearchReports(t *testing.T) {
	t.Parallel()
	var f search
	f.rows = map[string]*suspect{}
	for i := range f.selected {
		f.selected[i] = true
	}
	for sign, rows := range map[int][]int64{1: {1, 2, 3, 3}, -1: {1, 3, 4}} {
		r := &rowSums{search: &f, sign: sign, height: 7}
		for _, n := range rows {
			r.begin(rowToken)
			r.number(n)
			r.number(0)
			r.end()
		}
	}
	s := &scan{}
	var err error
	if s.replay, err = replay.New(replay.Options{Parts: 1}); err != nil {
		t.Fatal(err)
	}
	defer s.replay.Close()
	f.report(s)
	report, err := s.replay.Finish()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range report.Problems {
		found[p.What] = fmt.Sprintf("%s, height %d", p.Expected, p.Height)
	}
	want := map[string]string{
		"chain":                    "a genesis transaction, height -1", // none was replayed
		"chain_token 2 position 0": "a row, height 7",
		"chain_token 3 position 0": "a row, height 7",
		"chain_token 4 position 0": "no such row, height -1",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}
