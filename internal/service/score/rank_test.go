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
func (h *house) crowd(t *testing.T, id Board, n int) []key {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same crowd every time
	keys := make([]key, n)
	var rows [][]any
	for i := range keys {
		member := binary.BigEndian.AppendUint64(bytes.Repeat([]byte{7}, 12), uint64(i))
		keys[i] = key{random.Int64N(int64(n) / 3), string(member)}
		rows = append(rows, []any{int64(id), member, keys[i].place, int64(1), ""})
	}
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		if err := store.BulkInsert(ctx, tx, "score_entry", []string{"board", "member", "place", "value", "ref"}, rows); err != nil {
			return err
		}
		return Rebuild(ctx, tx, id)
	})
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.member, b.member))
	})
	return keys
}

// TestRanks: on a board of thousands, with some hundred changes that wait or are folded
// in, each rank is that of the sorted list.
func TestRanks(t *testing.T) {
	t.Parallel()
	h := newHouse(t, ledgertest.Options{})
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
			moved := newSheet()
			if err := moved.read(tx, []any{int64(id)}, members); err != nil {
				return err
			}
			for i := range some {
				keys[i].place = random.Int64N(1000) // most to one end: blocks there are split, others joined
				moved.put(spot{id, keys[i].member}, func(*entry) entry { return entry{place: keys[i].place, value: int64(round)} })
			}
			return moved.store(ctx, tx)
		})
		slices.SortFunc(keys, func(a, b key) int {
			return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.member, b.member))
		})
		for range 2 { // while the changes wait, and once they are folded in
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				b, err := h.see(ctx, tx, id)
				if err != nil {
					return err
				}
				if len(b.dir.firsts) < 20 {
					t.Errorf("%d blocks", len(b.dir.firsts))
				}
				for i := 0; i < len(keys); i += 7 {
					got, err := b.rank(ctx, keys[i])
					if err != nil {
						return err
					}
					if got != int64(i)+1 {
						t.Fatalf("round %d, %d changes wait: rank %d, want %d", round, len(b.waiting), got, i+1)
					}
				}
				if b.total() != int64(len(keys)) {
					t.Errorf("%d entries, want %d", b.total(), len(keys))
				}
				return nil
			})
			if err := h.Fold(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFoldedOnce: of two who fold the same changes one takes its work back.
func TestFoldedOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, ledgertest.Options{})
	a := h.player(t, 1, "account")
	h.claim(t, a, "one", 3)
	done := make(chan error, 4)
	for range cap(done) {
		go func() { done <- h.Fold(t.Context()) }()
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
		"more points":           {pointsPlace(9, at), pointsPlace(8, day(1))},
		"the same, earlier":     {pointsPlace(8, day(1)), pointsPlace(8, at)},
		"any points, none":      {pointsPlace(1, at), pointsPlace(0, day(1))},
		"very many points":      {pointsPlace(1<<40, at), pointsPlace(1<<31, at)},
		"more tiers":            {runPlace(3, 250, at), runPlace(2, 2, day(1))},
		"fewer throws":          {runPlace(3, 4, at), runPlace(3, 5, day(1))},
		"as many, earlier":      {runPlace(3, 4, day(1)), runPlace(3, 4, at)},
		"no tier, fewer throws": {runPlace(0, 1, at), runPlace(0, 2, at)},
	} {
		if c.better >= c.worse {
			t.Errorf("%s: place %d is not before %d", name, c.better, c.worse)
		}
	}
	for _, throws := range []int64{0, 1, 255, 256} {
		if got := throwsOf(runPlace(16, throws, at)); got != throws {
			t.Errorf("%d throws are read as %d", throws, got)
		}
	}
	if got := reached(pointsPlace(77, at)); !got.Equal(at) {
		t.Errorf("reached %v, want %v", got, at)
	}
}
