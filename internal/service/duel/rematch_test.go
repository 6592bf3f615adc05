package duel_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// TestUnlisted checks that an unlisted duel is in no list of others, that its stakes move, and
// name its code on the chain, only once it is joined, and that nothing is settled before.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob, poor := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full), h.join(t, "poor", chain.Full)
	if _, err := h.unlisted(t, ann, startingBalance+1); !isShort(err) {
		t.Errorf("more than the balance: %v", err)
	}
	d := h.must(t)(h.unlisted(t, ann, 100))
	lists := func(f duel.Filter) int {
		var list []*duel.Duel
		f.Before, f.Count = ledger.Newest, 10
		h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
			list, err = h.List(ctx, tx, f)
			return err
		})
		return len(list)
	}
	for want, filters := range [][]duel.Filter{
		{{}, {Status: duel.Open}, {Of: bob.Address}}, {{Of: ann.Address}, {Of: ann.Address, Status: duel.Open}},
	} {
		for _, f := range filters {
			if got := lists(f); got != want {
				t.Errorf("%+v: %d duels, want %d", f, got, want)
			}
		}
	}
	if got := h.balance(t, ann.Address); got != startingBalance {
		t.Errorf("the creator has %d coins before anyone joined", got)
	}
	if d = h.must(t)(h.enter(t, bob, d.Code)); d.Listed || d.StakeTx[0] == nil || d.StakeTx[1] == nil {
		t.Errorf("joined: %+v", d)
	}
	if got := h.balance(t, chain.Escrow(d.Code)); got != 200 {
		t.Errorf("%d coins in the escrow, want 200", got)
	}
	h.must(t)(h.resign(t, bob, d.Code))
	if a, b := h.balance(t, ann.Address), h.balance(t, bob.Address); a != 1100 || b != 900 {
		t.Errorf("after bob resigned: balances %d and %d", a, b)
	}
	if lists(duel.Filter{}) != 0 || lists(duel.Filter{Status: duel.Finished}) != 0 {
		t.Error("an unlisted duel is listed after its end")
	}

	d = h.must(t)(h.unlisted(t, ann, 100))
	if d = h.must(t)(h.cancel(t, ann, d.Code)); d.SettleTx != nil || h.balance(t, ann.Address) != 1100 {
		t.Errorf("cancelled: settled by %v, balance %d", d.SettleTx, h.balance(t, ann.Address))
	}
	d = h.must(t)(h.unlisted(t, ann, 700))
	h.must(t)(h.create(t, ann, 600)) // spends what the invitation offers
	if _, err := h.enter(t, poor, d.Code); !errors.Is(err, duel.ErrOpponentFunds) {
		t.Errorf("the creator is short: %v", err)
	}
	if d = h.read(t, d.Code); d.Status != duel.Open || h.balance(t, poor.Address) != startingBalance {
		t.Errorf("after a join that failed: %+v", d)
	}
	h.SealAll(t)
	h.WantValid(t)
}

func isShort(err error) bool {
	_, ok := errors.AsType[*chain.InsufficientFundsError](err)
	return ok
}

// TestResign checks which side may resign when, and that the other side wins, whatever was committed.
func TestResign(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob, cyd := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full), h.join(t, "cyd", chain.Full)
	d := h.must(t)(h.create(t, ann, 100))
	if _, err := h.resign(t, ann, d.Code); !errors.Is(err, duel.ErrNotYet) {
		t.Errorf("while open: %v", err)
	}
	d = h.play(t, h.must(t)(h.enter(t, bob, d.Code)), "rs", "rr", "rs")
	h.must(t)(h.commit(t, ann, d.Code, salted(game.Rock)))
	hand := salted(game.Paper)
	h.must(t)(h.commit(t, bob, d.Code, hand))
	h.must(t)(h.reveal(t, bob, d.Code, hand))
	if _, err := h.resign(t, cyd, d.Code); !errors.Is(err, duel.ErrForbidden) {
		t.Errorf("by a stranger: %v", err)
	}
	d = h.must(t)(h.resign(t, ann, d.Code))
	if d.Winner != game.B || d.Resigned() != game.A || len(d.Rounds) != 6 || h.finished[d.Code] != 1 {
		t.Errorf("resigned: winner %v, by %v, %d rounds, %d reports", d.Winner, d.Resigned(), len(d.Rounds),
			h.finished[d.Code])
	}
	for _, r := range d.RoundsFor(game.NoSide)[3:] {
		if r.Hands != [2]chain.DuelHand{} {
			t.Errorf("round %d shows %+v", r.N, r.Hands)
		}
	}
	if a, b := h.balance(t, ann.Address), h.balance(t, bob.Address); a != 900 || b != 1100 {
		t.Errorf("balances %d and %d", a, b)
	}
	if _, err := h.resign(t, bob, d.Code); !errors.Is(err, duel.ErrMovedOn) {
		t.Errorf("after the end: %v", err)
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestRematch checks that a rematch needs both sides while the offer stands, begins once with
// swapped sides and the same stake, and that a failed payment leaves the offer.
func TestRematch(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob, cyd := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full), h.join(t, "cyd", chain.Full)
	d := h.must(t)(h.enter(t, bob, h.must(t)(h.create(t, ann, 400)).Code))
	if _, err := h.rematch(t, ann, d.Code); !errors.Is(err, duel.ErrNoRematch) {
		t.Errorf("while the duel goes on: %v", err)
	}
	h.must(t)(h.resign(t, ann, d.Code)) // 600 and 1400
	if _, err := h.rematch(t, cyd, d.Code); !errors.Is(err, duel.ErrForbidden) {
		t.Errorf("by a stranger: %v", err)
	}
	h.must(t)(h.rematch(t, ann, d.Code))
	h.Clock.Add(duel.RematchTimeout)
	if d = h.must(t)(h.rematch(t, bob, d.Code)); d.Rematch.Code != "" || d.Rematch.By != game.B {
		t.Errorf("an offer that had lapsed was accepted: %+v", d.Rematch)
	}
	d = h.must(t)(h.withdraw(t, bob, d.Code))
	if d = h.must(t)(h.rematch(t, ann, d.Code)); d.Rematch.Code != "" {
		t.Errorf("an offer that was withdrawn was accepted: %+v", d.Rematch)
	}
	spent := h.must(t)(h.create(t, ann, 500)) // ann has 100 left
	if _, err := h.rematch(t, bob, d.Code); !errors.Is(err, duel.ErrOpponentFunds) {
		t.Errorf("the side that offered is short: %v", err)
	}
	h.must(t)(h.cancel(t, ann, spent.Code))
	var wait sync.WaitGroup
	for range 4 { // of concurrent calls one begins the rematch, and the others find it or a conflict
		wait.Go(func() {
			err := h.Ledger.DB.UpdateAt(t.Context(), duel.Isolation, func(ctx context.Context, tx *store.Tx) error {
				_, err := h.OfferRematch(ctx, tx, bob, d.Code)
				return err
			})
			if err != nil && !errors.Is(err, ledger.ErrConflict) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	d = h.read(t, d.Code)
	next := h.read(t, d.Rematch.Code)
	if next.A.Address != bob.Address || next.B.Address != ann.Address || next.Stake != 400 || next.Status != duel.Active ||
		next.Rated || next.Listed || next.RematchOf != d.Code {
		t.Errorf("the rematch is %+v", next)
	}
	if a, b, e := h.balance(t, ann.Address), h.balance(t, bob.Address), h.balance(t, chain.Escrow(next.Code)); a != 200 ||
		b != 1000 || e != 800 {
		t.Errorf("balances %d and %d, %d in the escrow", a, b, e)
	}
	if again := h.must(t)(h.rematch(t, ann, d.Code)); again.Rematch.Code != next.Code {
		t.Errorf("a repeated call begins %s after %s", again.Rematch.Code, next.Code)
	}
	practice := h.must(t)(h.resign(t, ann, h.must(t)(h.spar(t, ann)).Code))
	if _, err := h.rematch(t, ann, practice.Code); !errors.Is(err, duel.ErrNoRematch) {
		t.Errorf("against the sparring bot: %v", err)
	}
	h.Clock.Add(duel.HumanStepTimeout * 3)
	h.sweep(t)
	h.SealAll(t)
	h.WantValid(t)
}

// TestRematchOfTooMany checks that a rematch counts as a duel of both sides: neither may have
// MaxUnfinished already.
func TestRematchOfTooMany(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		busy int // 0 for the side that accepts, 1 for the side that offered
		want error
	}{"accepts": {0, duel.ErrUnfinished}, "offered": {1, duel.ErrNoRematch}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			sides := [2]duel.Player{h.join(t, "ann", chain.Guest), h.join(t, "bob", chain.Guest)}
			d := h.must(t)(h.enter(t, sides[1], h.must(t)(h.create(t, sides[0], 0)).Code))
			h.must(t)(h.resign(t, sides[0], d.Code))
			h.must(t)(h.rematch(t, sides[1], d.Code))
			var last *duel.Duel
			for range duel.MaxUnfinished {
				last = h.must(t)(h.spar(t, sides[c.busy]))
			}
			if _, err := h.rematch(t, sides[0], d.Code); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			h.must(t)(h.resign(t, sides[c.busy], last.Code))
			if d = h.must(t)(h.rematch(t, sides[0], d.Code)); d.Rematch.Code == "" {
				t.Error("the rematch has not begun with one duel fewer")
			}
		})
	}
}
