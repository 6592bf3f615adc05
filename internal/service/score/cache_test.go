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

// TestTopRowsAreCurrent checks which pending changes leave the first rows of a board as they are.
func TestTopRowsAreCurrent(t *testing.T) {
	t.Parallel()
	full := &topRows{version: 3, pending: 1, rows: make([]Row, MaxRows)}
	for i := range full.rows {
		full.positions = append(full.positions, position{int64(i), "m"})
	}
	last := int64(MaxRows - 1)
	part := &topRows{version: 3, pending: 1, rows: full.rows[1:], positions: full.positions[1:]}
	key := func(n int64) *int64 { return &n }
	behind := change{member: "n", newKey: key(last)}
	for name, c := range map[string]struct {
		top     *topRows
		version int64
		pending []change
		want    bool
	}{
		"nothing cached":              {nil, 3, nil, false},
		"another version":             {full, 4, []change{behind}, false},
		"as many changes":             {part, 3, []change{{member: "m", newKey: key(0)}}, true},
		"one more, behind":            {full, 3, []change{behind, {member: "x", newKey: key(last + 1)}}, true},
		"the same key, behind":        {full, 3, []change{behind, behind}, true},
		"all rows, and one more":      {part, 3, []change{behind, {member: "x", newKey: key(last + 1)}}, false},
		"the last row is moved":       {full, 3, []change{behind, {member: "m", oldKey: key(last), newKey: key(300)}}, false},
		"a new first row":             {full, 3, []change{behind, {member: "x", newKey: key(-1)}}, false},
		"removed behind the rows":     {full, 3, []change{behind, {member: "x", oldKey: key(last + 5)}}, true},
		"removed from the rows":       {full, 3, []change{behind, {member: "m", oldKey: key(4)}}, false},
		"the first of several inside": {full, 3, []change{{member: "m", oldKey: key(0), newKey: key(0)}, behind}, false},
	} {
		v := &boardView{index: &blockIndex{version: c.version}, pending: c.pending}
		if got := c.top.current(v); got != c.want {
			t.Errorf("%s: current %v, want %v", name, got, c.want)
		}
	}
}
