package account_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestForgetTheRest: that one of an account's sessions has ended does not keep the others
// from being forgotten with the account, as another node asks for when it has ended them.
func TestForgetTheRest(t *testing.T) {
	t.Parallel()
	d := newDoor(t, ledgertest.Options{})
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
	// Another node ends the others, of which this one is told by the address alone.
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM session")
		return err
	})
	for _, token := range tokens[1:] {
		if err := lookUp(token); err != nil {
			t.Fatalf("not remembered: %v", err)
		}
	}
	d.Forget(address.String())
	for i, token := range tokens {
		if err := lookUp(token); !errors.Is(err, account.ErrNoSession) {
			t.Errorf("session %d: error %v, want ErrNoSession", i, err)
		}
	}
}

// TestRememberedAgain: once a change of an account is stored, its sessions are remembered
// again as they are looked up, with what has changed.
func TestRememberedAgain(t *testing.T) {
	t.Parallel()
	d := newDoor(t, ledgertest.Options{})
	opened := d.guest(t)
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.Rename(ctx, tx, opened.Account.Address, "Ann")
		return err
	})
	for i, step := range []string{"read", "remembered"} {
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
