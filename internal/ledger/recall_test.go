package ledger_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestRemembered checks which accounts a node of several remembers: the actor of each transaction that is
// stored, as a read would return it, and no other account that the transaction changes.
func TestRemembered(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	e.Share()
	ann, bob := e.join(t), e.join(t)
	token := e.Win(t, &ann, 2)
	check := func(what string, p player, want bool) {
		t.Helper()
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			kept, ok := e.Remembered(p.Address)
			state, err := e.LoadActor(ctx, tx, p.Address)
			if err == nil && ok != want {
				t.Errorf("%s: remembered is %v", what, ok)
			}
			if err == nil && ok {
				if diff := cmp.Diff(state, kept); diff != "" {
					t.Errorf("%s (-read +remembered)\n%s", what, diff)
				}
			}
			return err
		})
	}
	check("winner", ann, true)
	check("account", bob, true)
	e.MustPost(t, ledgertest.Faucet(bob))
	check("faucet", bob, true)
	// The callbacks of two commits run in the other order.
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		tx.AfterCommit(func() { e.MustPost(t, ledgertest.Faucet(bob)) })
		_, err := e.Post(ctx, tx, ledgertest.Faucet(bob))
		return err
	})
	check("remembered late", bob, true)
	// A commit that the database has lost: the next transaction has the same nonce.
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE ledger_account SET nonce = nonce - 1 WHERE address = $1", bob.Address[:])
		return err
	})
	e.Clock.Add(time.Second)
	e.MustPost(t, ledgertest.Faucet(bob))
	check("of the same nonce", bob, true)
	e.MustPost(t, ledgertest.Sale(bob, ann, token.ID))
	check("seller", ann, false)
	check("buyer", bob, true)
	_ = e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := e.Post(ctx, tx, ledgertest.Faucet(ann)); err != nil {
			t.Error(err)
		}
		return errStatement
	})
	check("rolled back", ann, false)
	e.Forget()
	check("forgotten", bob, false)
}

// TestRecall checks that an account is recalled, and forgotten, only where outcomes are assumed: elsewhere
// it must be read.
func TestRecall(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	recall := func() (state ledger.ActorState, ok, assumed bool) {
		e.Update(t, func(_ context.Context, tx *store.Tx) error {
			state, ok = e.Recall(tx, ann.Address)
			assumed = tx.Deferred().Assumed()
			return nil
		})
		return state, ok, assumed
	}
	if e.DB.Exclusive() {
		if state, ok, _ := recall(); ok || state != (ledger.ActorState{}) {
			t.Errorf("the only node recalls %+v, %v", state, ok)
		}
	}
	e.Share()
	e.MustPost(t, ledgertest.Faucet(ann))
	kept, _ := e.Remembered(ann.Address)
	for n := range 2 {
		state, ok, assumed := recall()
		if want := assumed && n == 0; ok != want || want && state != kept {
			t.Errorf("call %d: %+v, %v, want %v", n, state, ok, want)
		}
		if _, still := e.Remembered(ann.Address); still == assumed {
			t.Errorf("call %d: assumed is %v, and afterwards remembered is %v", n, assumed, still)
		}
	}
}
