package duel_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// TestUnfinishedRanked: the arena finds a bot's duel until it is over, also when only its
// deadlines say that it is.
func TestUnfinishedRanked(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	one, two := h.join(t, "one", chain.Bot), h.join(t, "two", chain.Bot)
	unfinished := func(p duel.Player) (code string) {
		h.Update(t, func(ctx context.Context, tx *store.Tx) error {
			d, err := h.UnfinishedRanked(ctx, tx, p.Address)
			if d != nil {
				code = d.Code
			}
			return err
		})
		return code
	}
	h.must(t)(h.create(t, one, 0))
	h.must(t)(h.spar(t, one))
	if got := unfinished(one); got != "" {
		t.Errorf("without a ranked duel: %s", got)
	}
	d := h.must(t)(h.ranked(t, one, two))
	if d.Pool() != duel.Bots || unfinished(one) != d.Code || unfinished(two) != d.Code {
		t.Errorf("begun %s in the pool %q, found %q and %q", d.Code, d.Pool(), unfinished(one), unfinished(two))
	}
	h.Clock.Add(duel.ForBots)
	if got := unfinished(two); got != d.Code || len(h.look(t, d.Code).Rounds) != 1 {
		t.Errorf("after one missed deadline: %q", got)
	}
	h.Clock.Add(duel.ForBots)
	if got := unfinished(two); got != "" || h.finished[d.Code] != 1 {
		t.Errorf("after two: %q, the listener told %d times", got, h.finished[d.Code])
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestLists pages through duels of all kinds, by every filter.
func TestLists(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ann, bob, cyd := h.join(t, "ann", chain.Guest), h.join(t, "bob", chain.Guest), h.join(t, "cyd", chain.Guest)
	var all []*duel.Duel // the newest first
	for i := range 18 {
		a, b := ann, bob
		if i%2 == 0 {
			a, b = cyd, ann
		}
		d := h.must(t)(h.create(t, a, 0))
		switch i % 3 {
		case 0:
			d = h.play(t, h.must(t)(h.enter(t, b, d.Code)), "rs", "rs", "rs")
		case 1:
			d = h.must(t)(h.enter(t, b, d.Code))
		}
		all = append([]*duel.Duel{d}, all...)
	}
	all = append([]*duel.Duel{h.must(t)(h.spar(t, bob))}, all...)
	for _, status := range []duel.Status{"", duel.Open, duel.Active, duel.Finished} {
		for _, who := range []duel.Player{{}, ann, bob, cyd} {
			var want, got []string
			for _, d := range all {
				if (status == "" || d.Status == status) && (who.Kind == "" || d.Side(who.Address) != game.NoSide) {
					want = append(want, d.Code)
				}
			}
			f := duel.Filter{Of: who.Address, Status: status, Before: ledger.Newest, Count: 4}
			h.View(t, func(ctx context.Context, tx *store.Tx) error {
				for {
					list, err := h.List(ctx, tx, f)
					if err != nil || len(list) == 0 {
						return err
					}
					for _, d := range list {
						got = append(got, d.Code)
					}
					f.Before = list[len(list)-1].Seq()
				}
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q of %q:\n%s", status, who.Username, diff)
			}
		}
	}
}
