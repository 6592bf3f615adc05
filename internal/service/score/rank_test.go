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

// fillBoard adds n entries to a board, several of them per sort key, and returns their
// positions in order.
func (h *harness) fillBoard(t *testing.T, id Board, n int) []position {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) // the same entries every time
	keys := make([]position, n)
	var rows [][]any
	for i := range keys {
		member := binary.BigEndian.AppendUint64(bytes.Repeat([]byte{7}, 12), uint64(i))
		keys[i] = position{Key: random.Int64N(int64(n) / 3), Member: string(member)}
		rows = append(rows, []any{int64(id), member, keys[i].Key, int64(1), ""})
	}
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		columns := []string{"board", "member", "place", "value", "ref"}
		if err := store.BulkInsert(ctx, tx, "score_entry", columns, rows); err != nil {
			return err
		}
		return h.ranks.Rebuild(ctx, tx, int64(id))
	})
	slices.SortFunc(keys, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Member, b.Member))
	})
	return keys
}

// TestRanks compares ranks with a sorted list, on a board of thousands of entries with hundreds
// of changes, pending and compacted.
func TestRanks(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	id := boardOf(kindWeek, 5)
	keys := h.fillBoard(t, id, 5000)
	random := rand.New(rand.NewPCG(3, 4)) // the same changes every time
	for round := range 3 {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			some, members := map[int]bool{}, []any(nil)
			for len(some) < 300 {
				i := random.IntN(len(keys))
				some[i], members = true, append(members, []byte(keys[i].Member))
			}
			update := newBoardUpdate()
			if err := update.load(tx, []any{int64(id)}, members); err != nil {
				return err
			}
			for i := range some {
				keys[i].Key = random.Int64N(1000) // most move to one end: blocks there are split, others merged
				update.put(entryKey{id, keys[i].Member}, func(*entry) entry {
					return entry{sortKey: keys[i].Key, value: int64(round)}
				})
			}
			return update.store(ctx, tx, h.ranks)
		})
		slices.SortFunc(keys, func(a, b position) int {
			return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Member, b.Member))
		})
		for range 2 { // with pending changes, and after the compaction
			h.view(t, func(_ context.Context, tx *store.Tx) error {
				b, err := h.openBoard(tx, id)
				if err != nil {
					return err
				}
				if b.Blocks() < 20 {
					t.Errorf("%d blocks, want at least 20", b.Blocks())
				}
				for i := 0; i < len(keys); i += 7 {
					got, err := b.Before(keys[i])
					if err != nil {
						return err
					}
					if got != int64(i) {
						t.Fatalf("round %d: %d entries before number %d, revision %v", round, got, i, b.Revision())
					}
				}
				if b.Total() != int64(len(keys)) {
					t.Errorf("%d entries, want %d", b.Total(), len(keys))
				}
				return nil
			})
			if err := h.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCompactedOnce checks that concurrent compactions merge each change once.
func TestCompactedOnce(t *testing.T) {
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

// TestSortKeys checks that sort keys order results as the rules do, and can be decoded.
func TestSortKeys(t *testing.T) {
	t.Parallel()
	at := day(3)
	for name, c := range map[string]struct{ better, worse int64 }{
		"more points":             {pointsKey(9, at), pointsKey(8, day(1))},
		"equal points, earlier":   {pointsKey(8, day(1)), pointsKey(8, at)},
		"some points, none":       {pointsKey(1, at), pointsKey(0, day(1))},
		"very many points":        {pointsKey(1<<40, at), pointsKey(1<<31, at)},
		"more tiers":              {runKey(3, 250, at), runKey(2, 2, day(1))},
		"fewer throws":            {runKey(3, 4, at), runKey(3, 5, day(1))},
		"as many throws, earlier": {runKey(3, 4, day(1)), runKey(3, 4, at)},
		"no tier, fewer throws":   {runKey(0, 1, at), runKey(0, 2, at)},
	} {
		if c.better >= c.worse {
			t.Errorf("%s: sort key %d is not below %d", name, c.better, c.worse)
		}
	}
	for _, throws := range []int64{0, 1, 255, 256} {
		if got := throwsOf(runKey(16, throws, at)); got != throws {
			t.Errorf("throws %d decoded as %d", throws, got)
		}
	}
	if got := reached(pointsKey(77, at)); !got.Equal(at) {
		t.Errorf("reached %v, want %v", got, at)
	}
}
