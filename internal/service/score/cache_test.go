package score

import (
	"context"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestTopCache checks that unchanged top rows are not read again, that each change of the board
// makes them be read again, and that the cache is bounded.
func TestTopCache(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	read := func(b Board) (t0, t1 *topRows) {
		for _, to := range []**topRows{&t0, &t1} {
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				v, err := h.openBoard(tx, b)
				if err != nil {
					return err
				}
				*to, err = h.top(ctx, v)
				return err
			})
		}
		return t0, t1
	}
	var last *topRows
	for i, change := range []func(){
		func() {},
		func() { h.claim(t, ann, "first", 2) },
		func() { h.claim(t, ann, "second", 3) },
		func() {
			if err := h.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		func() { h.claim(t, ann, "third", 4) },
	} {
		change()
		first, second := read(boardAll)
		if first != second || first == last {
			t.Errorf("step %d: the rows are read again: %v; those of before are used: %v", i, first != second, first == last)
		}
		last = first
	}
	for n := range int64(2 * maxCachedTops) {
		b := boardOf(kindDaily, n)
		if first, second := read(b); first != second || len(h.tops.rows) > maxCachedTops {
			t.Fatalf("board %v: cached %v, %d boards, want at most %d", b, first == second, len(h.tops.rows),
				maxCachedTops)
		}
	}
}
