package score

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// crowd puts n entries onto a board, many of them of one place, and returns their keys in
// order.
func (h *harness) crowd(t *testing.T, id Board, n int) []position {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same crowd every time
	keys := make([]position, n)
	var rows [][]any
	for i := range keys {
		member := binary.BigEndian.AppendUint64(bytes.Repeat([]byte{7}, 12), uint64(i))
		keys[i] = position{random.Int64N(int64(n) / 3), string(member)}
		rows = append(rows, []any{int64(id), member, keys[i].sortKey, int64(1), ""})
	}
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		if err := store.BulkInsert(ctx, tx, "score_entry", []string{"board", "member", "place", "value", "ref"}, rows); err != nil {
			return err
		}
		return Rebuild(ctx, tx, id)
	})
	slices.SortFunc(keys, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.sortKey, b.sortKey), cmp.Compare(a.member, b.member))
	})
	return keys
}

// TestRanks: on a board of thousands, with some hundred changes that wait or are folded
// in, each rank is that of the sorted list.
func TestRanks(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	id := boardOf(kindWeek, 5)
	keys := h.crowd(t, id, 5000)
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // likewise
	for round := range 3 {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			some, members := map[int]bool{}, []any(nil)
			for len(some) < 300 {
				i := random.IntN(len(keys))
				some[i], members = true, append(members, []byte(keys[i].member))
			}
			moved := newBoardUpdate()
			if err := moved.load(tx, []any{int64(id)}, members); err != nil {
				return err
			}
			for i := range some {
				keys[i].sortKey = random.Int64N(1000) // most to one end: blocks there are split, others joined
				moved.put(entryKey{id, keys[i].member}, func(*entry) entry { return entry{sortKey: keys[i].sortKey, value: int64(round)} })
			}
			return moved.store(ctx, tx)
		})
		slices.SortFunc(keys, func(a, b position) int {
			return cmp.Or(cmp.Compare(a.sortKey, b.sortKey), cmp.Compare(a.member, b.member))
		})
		for range 2 { // while the changes wait, and once they are folded in
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				b, err := h.openBoard(ctx, tx, id)
				if err != nil {
					return err
				}
				if len(b.index.firsts) < 20 {
					t.Errorf("%d blocks", len(b.index.firsts))
				}
				for i := 0; i < len(keys); i += 7 {
					got, err := b.rank(ctx, keys[i])
					if err != nil {
						return err
					}
					if got != int64(i)+1 {
						t.Fatalf("round %d, %d changes wait: rank %d, want %d", round, len(b.pending), got, i+1)
					}
				}
				if b.total() != int64(len(keys)) {
					t.Errorf("%d entries, want %d", b.total(), len(keys))
				}
				return nil
			})
			if err := h.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFoldedOnce: of two who fold the same changes one takes its work back.
func TestFoldedOnce(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	a := h.player(t, 1, "account")
	h.claim(t, a, "one", 3)
	done := make(chan error, 4)
	for range cap(done) {
		go func() { done <- h.Compact(t.Context()) }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	h.wantBoard(t, boardAll, []line{{string(a[:]), 8, 0, h.ledger.Clock.Now().Unix()}})
}

// TestPlaces: the order of places is that of what they stand for.
func TestPlaces(t *testing.T) {
	t.Parallel()
	at := day(3)
	for name, c := range map[string]struct{ better, worse int64 }{
		"more points":           {pointsKey(9, at), pointsKey(8, day(1))},
		"the same, earlier":     {pointsKey(8, day(1)), pointsKey(8, at)},
		"any points, none":      {pointsKey(1, at), pointsKey(0, day(1))},
		"very many points":      {pointsKey(1<<40, at), pointsKey(1<<31, at)},
		"more tiers":            {runKey(3, 250, at), runKey(2, 2, day(1))},
		"fewer throws":          {runKey(3, 4, at), runKey(3, 5, day(1))},
		"as many, earlier":      {runKey(3, 4, day(1)), runKey(3, 4, at)},
		"no tier, fewer throws": {runKey(0, 1, at), runKey(0, 2, at)},
	} {
		if c.better >= c.worse {
			t.Errorf("%s: place %d is not before %d", name, c.better, c.worse)
		}
	}
	for _, throws := range []int64{0, 1, 255, 256} {
		if got := throwsOf(runKey(16, throws, at)); got != throws {
			t.Errorf("%d throws are read as %d", throws, got)
		}
	}
	if got := reached(pointsKey(77, at)); !got.Equal(at) {
		t.Errorf("reached %v, want %v", got, at)
	}
}
