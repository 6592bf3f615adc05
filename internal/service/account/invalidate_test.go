package account_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestInvalidateRest ends one session of an account, and then checks that another node's
// invalidation of the account drops the other sessions.
func TestInvalidateRest(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	address := opened.Account.Address
	tokens := []string{opened.Token}
	for range 2 {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error {
			again, err := d.SignIn(ctx, tx, address, "", "another browser")
			tokens = append(tokens, again.Token)
			return err
		})
	}
	lookUp := func(token string) error {
		t.Helper()
		_, err := d.LookUpSession(t.Context(), token)
		return err
	}
	for _, token := range tokens {
		if err := lookUp(token); err != nil {
			t.Fatal(err)
		}
	}
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.EndSession(ctx, tx, tokens[0]) })
	// Another node ends the others and sends only the account's address.
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM session")
		return err
	})
	for _, token := range tokens[1:] {
		if err := lookUp(token); err != nil {
			t.Fatalf("not cached: %v", err)
		}
	}
	d.Invalidate(address.String())
	for i, token := range tokens {
		if err := lookUp(token); !errors.Is(err, account.ErrNoSession) {
			t.Errorf("session %d: error %v, want ErrNoSession", i, err)
		}
	}
}

// TestCachedAgain checks that the sessions of a changed account are cached again by the
// first lookup after the change, with the changed account.
func TestCachedAgain(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.Rename(ctx, tx, opened.Account.Address, "Ann")
		return err
	})
	for i, step := range []string{"read", "cached"} {
		session, err := d.LookUpSession(t.Context(), opened.Token)
		if err != nil || session.Account.Username != "Ann" {
			t.Errorf("%s: %+v, error %v", step, session, err)
		}
		if i == 0 {
			d.Update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, "DELETE FROM session")
				return err
			})
		}
	}
}
