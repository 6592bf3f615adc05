package ledger_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestLock checks that no transaction moves a locked token until it is unlocked.
func TestLock(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann, bob := e.join(t), e.join(t)
	cheap, dear := e.Win(t, &ann, 1), e.Win(t, &ann, 2)
	lock := func(p player, id int64) error {
		return e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			token, err := e.LoadToken(ctx, tx, id)
			if err != nil {
				return err
			}
			if err := token.MayMove(p.Address); err != nil {
				return err
			}
			return e.Lock(ctx, tx, p.Address, id)
		})
	}
	unlock := func(id int64) error {
		return e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error { return e.Unlock(ctx, tx, id) })
	}
	try := func(d ledger.Draft) error {
		return e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := e.Post(ctx, tx, d)
			return err
		})
	}
	want := func(what string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	want("another account locks", lock(bob, cheap.ID), chain.ErrNotOwner)
	want("an unknown token is locked", lock(ann, 99), chain.ErrNotOwner)
	want("an unlocked token is unlocked", unlock(cheap.ID), ledger.ErrConflict)
	want("locking", lock(ann, cheap.ID), nil)
	want("locking twice", lock(ann, cheap.ID), ledger.ErrLocked)
	want("a sale", try(ledgertest.Sale(bob, ann, cheap.ID)), ledger.ErrLocked)
	want("a buyback", try(ledgertest.Buyback(ann, cheap)), ledger.ErrLocked)
	want("burning", try(ledgertest.Burn(ann, e.NewID(), e.NewHash(), cheap)), ledger.ErrLocked)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		got, err := e.CheapestToken(ctx, tx, ann.Address)
		h, errHolding := e.Holding(ctx, tx, ann.Address)
		if got != dear || h.Cheapest == nil || *h.Cheapest != dear {
			t.Errorf("the cheapest token is %+v, %+v, want %+v, which is not locked", got, h.Cheapest, dear)
		}
		return errors.Join(err, errHolding)
	})
	want("unlocking", unlock(cheap.ID), nil)
	want("a sale of the unlocked token", try(ledgertest.Sale(bob, ann, cheap.ID)), nil)
	e.WantValid(t)
}

// TestListener checks that a listener gets each transaction in its own database transaction, and
// that its error rolls both back.
func TestListener(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	var heard []ledger.Fact
	var objection error
	e.Listen(listener(func(f *ledger.Fact) error { heard = append(heard, *f); return objection }))
	ann, bob := e.join(t), e.join(t)
	token := e.Win(t, &ann, 2)
	heard = nil
	posted := e.MustPost(t, ledgertest.Sale(bob, ann, token.ID))
	if len(heard) != 1 || heard[0].Hash != posted.Hash || len(heard[0].Tokens) != 1 || len(heard[0].Accounts) != 2 {
		t.Fatalf("heard %+v, want one sale of a token between two accounts", heard)
	}
	moved := ledger.TokenFact{ID: token.ID, Tier: 2, From: ann.Address, To: bob.Address}
	if got, want := heard[0].Tokens[0], moved; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, a := range heard[0].Accounts {
		want := ledger.AccountFact{Address: ann.Address, Kind: chain.Guest, Delta: 98, Balance: 1098}
		if a.Address == bob.Address {
			want = ledger.AccountFact{Address: bob.Address, Kind: chain.Guest, Delta: -100, Balance: 900}
		}
		if a != want {
			t.Errorf("got %+v, want %+v", a, want)
		}
	}
	objection = errors.New("no")
	err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := e.Post(ctx, tx, ledgertest.Faucet(ann))
		return err
	})
	if !errors.Is(err, objection) {
		t.Errorf("got %v, want the listener's objection", err)
	}
	e.WantValid(t)
}

type listener func(*ledger.Fact) error

// Posted passes the fact on.
func (l listener) Posted(_ context.Context, _ *store.Tx, f *ledger.Fact) error { return l(f) }
