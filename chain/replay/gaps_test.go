package replay

import "testing"

// TestGaps checks which times between blocks are gaps, and that a report keeps the longest ones in the order
// of the chain, and counts all.
func TestGaps(t *testing.T) {
	t.Parallel()
	var r Report
	at := int64(0)
	add := func(pause int64) {
		r.addGap(r.Height, at, at+pause)
		at += pause
		r.Height++
	}
	add(MaxQuiet)
	if r.GapCount != 0 {
		t.Fatalf("a pause of %d ms is a gap", MaxQuiet)
	}
	sum := int64(0)
	for i := range int64(KeptGaps + 3) {
		add(MaxQuiet + 1 + i)
		add(0)
		sum += MaxQuiet + 1 + i
	}
	if r.GapCount != KeptGaps+3 || r.GapTime != sum || len(r.Gaps) != KeptGaps {
		t.Fatalf("%d gaps of %d ms, %d kept; want %d of %d, %d kept", r.GapCount, r.GapTime, len(r.Gaps), KeptGaps+3, sum,
			KeptGaps)
	}
	for i, g := range r.Gaps { // the three shortest, which came first, are gone
		if g.Height != int64(2*(i+3)+1) || g.To-g.From != int64(MaxQuiet+1+i+3) {
			t.Errorf("gap %d: %+v", i, g)
		}
	}
}
