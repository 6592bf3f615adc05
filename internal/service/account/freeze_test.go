package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/chain"
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

// TestFrozenApart: a bot that was frozen by itself is not admitted with its owner, whichever was frozen first, and a bot
// of a frozen owner is not admitted before the owner.
func TestFrozenApart(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	owner := d.guest(t).Account.Address
	var bot chain.Address
	var key account.KeySecret
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		info, secret, err := d.CreateBot(ctx, tx, owner, "a-bot", account.FreeStart)
		bot, key = info.Account.Address, secret
		return err
	})
	type act func(context.Context, *store.Tx, chain.Address) ([]chain.Address, error)
	do := func(change act, a chain.Address, want error) {
		t.Helper()
		d.Clock.Add(time.Minute)
		err := d.Ledger.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := change(ctx, tx, a)
			return err
		})
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	works := func(step string, want error) {
		t.Helper()
		if _, err := d.LookUp(t.Context(), account.Credential{Key: key}, account.Use{}); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", step, err, want)
		}
	}
	for _, order := range [][]chain.Address{{bot, owner}, {owner, bot}} {
		for _, a := range order {
			do(d.Freeze, a, nil)
		}
		do(d.Unfreeze, bot, account.ErrOwnerFrozen)
		works("frozen", account.ErrFrozen)
		do(d.Unfreeze, owner, nil)
		works("frozen by itself", account.ErrFrozen)
		do(d.Unfreeze, bot, nil)
		works("thawed", nil)
	}
	do(d.Freeze, owner, nil)
	works("frozen with the owner", account.ErrFrozen)
	do(d.Unfreeze, owner, nil)
	works("thawed with the owner", nil)
}
