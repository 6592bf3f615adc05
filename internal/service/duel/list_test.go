package duel_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// TestUnfinishedRanked checks that a bot's ranked duel is found until it is over, also if it
// ends by its deadlines.
func TestUnfinishedRanked(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
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
	h.Clock.Add(duel.BotStepTimeout)
	if got := unfinished(two); got != d.Code || len(h.read(t, d.Code).Rounds) != 1 {
		t.Errorf("after one missed deadline: %q", got)
	}
	h.Clock.Add(duel.BotStepTimeout)
	if got := unfinished(two); got != "" || h.finished[d.Code] != 1 {
		t.Errorf("after two: %q, %d reports to the listener", got, h.finished[d.Code])
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestStepsOf checks the earliest deadline of the steps that an account owes in all of its duels.
func TestStepsOf(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Guest), h.join(t, "bob", chain.Guest)
	want := func(when string, playing bool, next time.Time) {
		t.Helper()
		h.Update(t, func(ctx context.Context, tx *store.Tx) error {
			got, err := h.StepsOf(ctx, tx, ann.Address)
			if err == nil && (got.Playing != playing || !got.Next.Equal(next)) {
				t.Errorf("%s: %+v, want %t and %v", when, got, playing, next)
			}
			return err
		})
	}
	h.must(t)(h.create(t, ann, 0))
	want("an open duel", false, time.Time{})
	first := h.must(t)(h.enter(t, bob, h.must(t)(h.create(t, ann, 0)).Code))
	h.Clock.Add(time.Second)
	second := h.must(t)(h.enter(t, bob, h.must(t)(h.create(t, ann, 0)).Code))
	for _, d := range []*duel.Duel{first, second} {
		want("before the commit", true, d.Deadline)
		h.Update(t, func(ctx context.Context, tx *store.Tx) error {
			step := duel.Step{Caller: ann.Address, Code: d.Code}
			_, err := h.Commit(ctx, tx, step, chain.HashHand(game.Rock, "a salt"))
			return err
		})
	}
	want("after both commits", true, time.Time{})
	h.Clock.Add(time.Hour)
	want("after all deadlines", false, time.Time{})
}

// TestLists pages through duels with every filter.
func TestLists(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob, cyd := h.join(t, "ann", chain.Guest), h.join(t, "bob", chain.Guest), h.join(t, "cyd", chain.Guest)
	var all []*duel.Duel // newest first
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

// TestApplyDue checks that one call applies all deadlines that have passed, however many.
func TestApplyDue(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	const due = 250
	var p duel.Player
	for i := range due {
		if i%duel.MaxUnfinished == 0 {
			p = h.join(t, fmt.Sprintf("player-%d", i), chain.Guest)
		}
		h.must(t)(h.create(t, p, 0))
	}
	h.Clock.Add(duel.JoinTimeout)
	if err := h.ApplyDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := h.List(ctx, tx, duel.Filter{Before: ledger.Newest, Count: due})
		if len(list) != 0 {
			t.Errorf("%d of %d duels did not expire", len(list), due)
		}
		return err
	})
}
