package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestFreezingSuspendsSessions: the only way into a guest's account is its session. It is refused while the
// account is frozen, however long, and works afterwards as long as before.
func TestFreezingSuspendsSessions(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	a := opened.Account.Address
	lookUp := func(step string, want error) {
		t.Helper()
		if _, err := d.LookUp(t.Context(), account.Credential{Session: opened.Token}, account.Use{}); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", step, err, want)
		}
	}
	drop := func(want int64) {
		t.Helper()
		d.Update(t, func(ctx context.Context, tx *store.Tx) error {
			n, err := d.DropStaleSessions(ctx, tx)
			if err == nil && n != want {
				t.Errorf("dropped %d sessions, want %d", n, want)
			}
			return err
		})
	}
	d.Clock.Add(account.SessionIdle - time.Hour)
	lookUp("before", nil)
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { _, err := d.Freeze(ctx, tx, a); return err })
	d.Clock.Add(2 * account.SessionMax)
	lookUp("frozen", account.ErrFrozen)
	drop(0)
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { _, err := d.Unfreeze(ctx, tx, a); return err })
	lookUp("thawed", nil) // which counts as a use

	d.Clock.Add(account.SessionIdle - time.Hour)
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { _, err := d.Freeze(ctx, tx, a); return err })
	d.Clock.Add(2 * account.SessionMax)
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { _, err := d.Unfreeze(ctx, tx, a); return err })
	d.Clock.Add(time.Hour + time.Minute)
	lookUp("idle", account.ErrNoSession)
	drop(1)
}
