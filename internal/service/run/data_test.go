package run_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// named gives an account a name.
func (h *fixture) named(t *testing.T, who chain.Address, name string) {
	t.Helper()
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at)
			VALUES ($1, 'guest', $2, $2, $2, 0)`, who[:], name)
		return err
	})
}

// ended reads all runs that ended before now, in pages, and returns their ids.
func (h *fixture) ended(t *testing.T, of *chain.Address, count int64) (ids []string) {
	t.Helper()
	page := run.DataPage{Of: of, Before: h.Clock.Now(), Count: count}
	for {
		var list []run.NamedRun
		h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
			list, err = h.EndedBetween(ctx, tx, page)
			return err
		})
		for _, r := range list {
			if r.Username != fmt.Sprintf("player-%x", r.Account[:4]) {
				t.Errorf("run %s is of %q", r.ID, r.Username)
			}
			ids = append(ids, r.ID)
			page.After = page.Position(r.Run)
		}
		if int64(len(list)) < count {
			return ids
		}
	}
}

// TestEndedBetween: runs come in the order of their ends, page by page, of all and of one player, and neither those in
// play nor those that end now.
func TestEndedBetween(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	a, b := h.join(t), h.join(t)
	for _, who := range []chain.Address{a, b} {
		h.named(t, who, fmt.Sprintf("player-%x", who[:4]))
	}
	var all []string
	own := map[chain.Address][]string{}
	end := func(who chain.Address, id string) {
		h.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, _, err := h.Abandon(ctx, tx, who, id)
			return err
		})
		all, own[who] = append(all, id), append(own[who], id)
	}
	for n := range 5 { // b starts first and ends last; of the last ones nothing separates the times
		if n < 3 {
			h.Clock.Add(time.Second)
		}
		late := h.begin(t, b, run.StartOptions{})
		early := h.begin(t, a, run.StartOptions{})
		end(a, early)
		if n < 3 {
			h.Clock.Add(time.Second)
		}
		end(b, late)
	}
	h.begin(t, a, run.StartOptions{})
	h.Clock.Add(time.Millisecond)
	for _, count := range []int64{1, 3, 100} {
		for _, c := range []struct {
			of   *chain.Address
			want []string
		}{{nil, all}, {&a, own[a]}, {&b, own[b]}} {
			got := h.ended(t, c.of, count)
			if sorted(got) != sorted(c.want) || fmt.Sprint(got[:6*len(c.want)/10]) != fmt.Sprint(c.want[:6*len(c.want)/10]) {
				t.Errorf("in pages of %d, of %v: %v, want %v", count, c.of, got, c.want)
			}
		}
	}
	id := h.begin(t, b, run.StartOptions{})
	end(b, id)
	if got := h.ended(t, nil, 100); len(got) != len(all)-1 {
		t.Errorf("%d runs, want those before now, %d", len(got), len(all)-1)
	}
}

// sorted returns the ids in an order of their own: runs of one millisecond come in the order of their ids.
func sorted(ids []string) string {
	ids = append([]string{}, ids...)
	slices.Sort(ids)
	return fmt.Sprint(ids)
}
