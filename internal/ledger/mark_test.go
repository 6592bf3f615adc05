package ledger_test

import (
	"context"
	"log/slog"
	"testing"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestMark checks that a database is marked as restored from the first mark on until it is taken.
func TestMark(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	want := func(what string, want bool) {
		t.Helper()
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			marked, err := ledger.Marked(ctx, tx)
			if err == nil && marked != want {
				t.Errorf("%s: marked is %v", what, marked)
			}
			return err
		})
	}
	take := func(what string, want bool) {
		t.Helper()
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, taken, err := ledger.TakeMark(ctx, tx)
			if err == nil && taken != want {
				t.Errorf("%s: taken is %v", what, taken)
			}
			return err
		})
	}
	want("new", false)
	take("new", false)
	for range 2 {
		if err := ledger.MarkRestored(t.Context(), e.DB, "a test"); err != nil {
			t.Fatal(err)
		}
	}
	want("restored", true)
	take("restored", true)
	want("taken", false)
	take("taken", false)
}

// TestRecoveryElsewhere checks that a recovery that was rolled back takes no number, that another node
// learns of one by Reload, and that a new account's commitment is that of the last one.
func TestRecoveryElsewhere(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	other, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: ledgertest.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier, Now: e.Clock.Now,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := e.Recover(ctx, tx, "a test"); err != nil {
			t.Error(err)
		}
		return errStatement
	})
	e.Update(t, func(ctx context.Context, tx *store.Tx) error { return e.Recover(ctx, tx, "a test") })
	e.View(t, other.Reload)
	if a, b := e.Recovery(), other.Recovery(); a != 1 || b != 1 {
		t.Errorf("recovery %d, elsewhere %d, want 1", a, b)
	}
	if got, _ := e.account(t, e.join(t)); got.Recovery != 1 {
		t.Errorf("an account of recovery %d, want 1", got.Recovery)
	}
	e.SealAll(t)
	e.WantValid(t)
}
