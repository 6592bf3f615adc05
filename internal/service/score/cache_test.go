package score

import (
	"context"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestBoardCache checks that an index is used for its version alone, and that the cache is
// bounded.
func TestBoardCache(t *testing.T) {
	t.Parallel()
	c := boardCache{indexes: map[Board]*blockIndex{}}
	c.putIndex(1, &blockIndex{version: 7, total: 3})
	if i := c.index(1, 7); i == nil || i.total != 3 {
		t.Errorf("index %+v, want the one of version 7", i)
	}
	if c.index(1, 6) != nil || c.index(1, 8) != nil || c.index(2, 7) != nil {
		t.Error("an index of another version or board is used")
	}
	for b := range Board(3 * maxCachedBoards) {
		c.putIndex(b, &blockIndex{})
		if c.index(b, 0) == nil || len(c.indexes) > maxCachedBoards {
			t.Fatalf("board %d cached: %v, %d boards, want at most %d", b, c.index(b, 0) != nil, len(c.indexes),
				maxCachedBoards)
		}
		if b == maxCachedBoards-1 && len(c.indexes) != maxCachedBoards {
			t.Errorf("%d boards are cached, want %d", len(c.indexes), maxCachedBoards)
		}
	}
}

// TestTopCache checks that unchanged top rows are not read again, that each change of the board
// makes them be read again, and that the cache is bounded.
func TestTopCache(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	read := func(b Board) (t0, t1 *topRows) {
		for _, to := range []**topRows{&t0, &t1} {
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				v, err := h.openBoard(ctx, tx, b)
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
	for n := range int64(2 * maxCachedBoards) {
		b := boardOf(kindDaily, n)
		if first, second := read(b); first != second || len(h.boards.tops) > maxCachedBoards {
			t.Fatalf("board %v: cached %v, %d boards, want at most %d", b, first == second, len(h.boards.tops),
				maxCachedBoards)
		}
	}
}
