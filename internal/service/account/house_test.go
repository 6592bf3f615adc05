package account_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/names"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// houseBot ensures that a house bot exists.
func (d *fixture) houseBot(t *testing.T, name string, key account.KeySecret) error {
	t.Helper()
	return d.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.EnsureHouseBot(ctx, tx, name, key)
		return err
	})
}

// byKey returns the account of a key.
func (d *fixture) byKey(t *testing.T, key account.KeySecret) (a account.Account, err error) {
	t.Helper()
	err = d.Ledger.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		use, err := d.Service.Authorise(ctx, tx, account.Credential{Key: key})
		a = use.Account
		return err
	})
	return a, err
}

func TestHouseBotIsMadeOnce(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	key, next := account.BotKey([32]byte{1}), account.BotKey([32]byte{2})
	var first account.Account
	for range 3 {
		if err := d.houseBot(t, "house-rock", key); err != nil {
			t.Fatal(err)
		}
		a, err := d.byKey(t, key)
		if err != nil || a.Kind != chain.Bot || a.Username != "house-rock" {
			t.Fatalf("the key belongs to %+v, error %v", a, err)
		}
		if first == (account.Account{}) {
			first = a
		}
		if a != first {
			t.Errorf("first %+v, then %+v", first, a)
		}
	}
	// After a change of the service's secret the same bot gets another key.
	if err := d.houseBot(t, "house-rock", next); err != nil {
		t.Fatal(err)
	}
	if a, err := d.byKey(t, next); err != nil || a != first {
		t.Errorf("the next key belongs to %+v, error %v, want %+v", a, err, first)
	}
	if a, err := d.byKey(t, key); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("the old key belongs to %+v, error %v, want %v", a, err, account.ErrNoSession)
	}
	if err := d.houseBot(t, "rock", account.BotKey([32]byte{3})); !errors.Is(err, account.ErrUsername) {
		t.Errorf("a name without the house's prefix: got %v, want %v", err, account.ErrUsername)
	}
}

// TestHousePrefix checks that no caller can choose a name with the house's prefix.
func TestHousePrefix(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	guest := d.guest(t).Account.Address
	for _, name := range []string{"house-rock", "House-of-cards", "HOUSE-x"} {
		for how, try := range map[string]func(ctx context.Context, tx *store.Tx) error{
			"renamed": func(ctx context.Context, tx *store.Tx) error { _, err := d.Rename(ctx, tx, guest, name); return err },
			"registered": func(ctx context.Context, tx *store.Tx) error {
				_, err := d.Register(ctx, tx, account.RegisterOptions{Username: name})
				return err
			},
			"a bot": func(ctx context.Context, tx *store.Tx) error {
				_, _, err := d.CreateBot(ctx, tx, guest, name, account.FreeStart)
				return err
			},
		} {
			if err := d.do(t, try); !errors.Is(err, account.ErrUsernameTaken) {
				t.Errorf("%s, %s: got %v, want %v", name, how, err, account.ErrUsernameTaken)
			}
		}
	}
	err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.Rename(ctx, tx, guest, "household")
		return err
	})
	if err != nil {
		t.Errorf("household: %v", err)
	}
}

// TestNoHouseBot checks that an account with a house bot's name that is older than the reservation of the
// prefix becomes no house bot: neither a person's nor a bot with an owner.
func TestNoHouseBot(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	guest := d.guest(t).Account.Address
	var bot account.BotInfo
	var secret account.KeySecret
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		bot, secret, err = d.CreateBot(ctx, tx, guest, "a-bot", account.FreeStart)
		return err
	})
	for name, who := range map[string]chain.Address{"house-rock": guest, "house-paper": bot.Account.Address} {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE account SET username = $1, username_key = $2, username_fold = $3 WHERE address = $4",
				name, strings.ReplaceAll(name, "-", ""), names.Fold(name), who[:])
			return err
		})
		key := account.BotKey([32]byte{who[0]})
		if err := d.houseBot(t, name, key); !errors.Is(err, account.ErrUsernameTaken) {
			t.Errorf("%s: error %v, want %v", name, err, account.ErrUsernameTaken)
		}
		if a, err := d.byKey(t, key); !errors.Is(err, account.ErrNoSession) {
			t.Errorf("%s: the key belongs to %+v, error %v", name, a, err)
		}
	}
	if a, err := d.byKey(t, secret); err != nil || a.Address != bot.Account.Address {
		t.Errorf("the key of the bot with an owner belongs to %+v, error %v", a, err)
	}
}

// TestRotateForeignKey checks that only the owner of a bot replaces its key.
func TestRotateForeignKey(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann, eve := d.guest(t).Account.Address, d.guest(t).Account.Address
	var bot account.BotInfo
	var secret account.KeySecret
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		bot, secret, err = d.CreateBot(ctx, tx, ann, "a-bot", account.FreeStart)
		return err
	})
	rotate := func(owner, of chain.Address) error {
		return d.do(t, func(ctx context.Context, tx *store.Tx) error {
			_, _, err := d.RotateBotKey(ctx, tx, owner, of)
			return err
		})
	}
	for name, err := range map[string]error{
		"another's bot": rotate(eve, bot.Account.Address), "no bot": rotate(ann, eve),
		"no account": rotate(ann, chain.Address{1}),
	} {
		if !errors.Is(err, account.ErrNotFound) {
			t.Errorf("%s: error %v, want %v", name, err, account.ErrNotFound)
		}
	}
	if _, err := d.byKey(t, secret); err != nil {
		t.Errorf("the bot's key after refused calls: %v", err)
	}
	if err := rotate(ann, bot.Account.Address); err != nil {
		t.Error(err)
	}
	if _, err := d.byKey(t, secret); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("the former key: error %v", err)
	}
}
