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

// rename gives an account another name.
func (d *fixture) rename(t *testing.T, who chain.Address, name string) error {
	t.Helper()
	return d.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.Rename(ctx, tx, who, name)
		return err
	})
}

// takes returns the ways in which an account could take a name.
func (d *fixture) takes(who chain.Address, name string) map[string]func(context.Context, *store.Tx) error {
	return map[string]func(context.Context, *store.Tx) error{
		"rename": func(ctx context.Context, tx *store.Tx) error { _, err := d.Rename(ctx, tx, who, name); return err },
		"register": func(ctx context.Context, tx *store.Tx) error {
			_, err := d.Register(ctx, tx, account.RegisterOptions{Username: name, Password: "phc"})
			return err
		},
		"register a guest": func(ctx context.Context, tx *store.Tx) error {
			_, err := d.Register(ctx, tx, account.RegisterOptions{Username: name, Password: "phc", Guest: &who})
			return err
		},
		"bot": func(ctx context.Context, tx *store.Tx) error {
			_, _, err := d.CreateBot(ctx, tx, who, name, account.FreeStart)
			return err
		},
	}
}

// TestHeldNames checks that a former name stays its owner's for NameHeld, in every spelling, and is free
// afterwards.
func TestHeldNames(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann, eve := d.guest(t).Account.Address, d.guest(t).Account.Address
	for _, name := range []string{"anna", "anne"} {
		if err := d.rename(t, ann, name); err != nil {
			t.Fatal(err)
		}
	}
	d.Clock.Add(account.NameHeld - time.Millisecond)
	for how, take := range d.takes(eve, "AN_NA") {
		if err := d.do(t, take); !errors.Is(err, account.ErrUsernameTaken) {
			t.Errorf("%s: error %v, want %v", how, err, account.ErrUsernameTaken)
		}
	}
	if err := d.CheckRegister(t.Context(), account.RegisterOptions{Username: "anna"}); !errors.Is(err,
		account.ErrUsernameTaken) {
		t.Errorf("check: error %v, want %v", err, account.ErrUsernameTaken)
	}
	if err := d.rename(t, ann, "Anna"); err != nil {
		t.Errorf("its owner takes it back: %v", err)
	}
	if err := d.rename(t, eve, "anne"); !errors.Is(err, account.ErrUsernameTaken) {
		t.Errorf("the name before: error %v", err)
	}
	d.Clock.Add(account.NameHeld)
	if err := d.rename(t, eve, "anne"); err != nil {
		t.Errorf("once it is no longer held: %v", err)
	}
}

// TestWithdrawnName checks that no account takes a withdrawn name again, its former owner included, and that
// a withdrawal is no rename of the owner.
func TestWithdrawnName(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann, eve := d.guest(t).Account.Address, d.guest(t).Account.Address
	if err := d.rename(t, ann, "abusive"); err != nil {
		t.Fatal(err)
	}
	var got account.Account
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		got, err = d.WithdrawName(ctx, tx, ann)
		return err
	})
	if !guestName.MatchString(got.Username) || got.Address != ann {
		t.Errorf("withdrawn: %+v", got)
	}
	d.Clock.Add(account.NameHeld + time.Hour)
	for _, who := range []chain.Address{ann, eve} {
		if err := d.rename(t, who, "abusive"); !errors.Is(err, account.ErrUsernameTaken) {
			t.Errorf("taken again: error %v, want %v", err, account.ErrUsernameTaken)
		}
	}
	for how, take := range d.takes(eve, "A-busive") {
		if err := d.do(t, take); !errors.Is(err, account.ErrUsernameTaken) {
			t.Errorf("%s: error %v, want %v", how, err, account.ErrUsernameTaken)
		}
	}
	err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.WithdrawName(ctx, tx, chain.Address{1})
		return err
	})
	if !errors.Is(err, account.ErrNotFound) {
		t.Errorf("a missing account: error %v", err)
	}
}

// TestRenameLimit checks how often a name may change within NameHeld, and the time of the next change.
func TestRenameLimit(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann := d.guest(t).Account.Address
	first := d.Clock.Now()
	for _, name := range []string{"one", "two", "three"} {
		if err := d.rename(t, ann, name); err != nil {
			t.Fatal(err)
		}
		d.Clock.Add(time.Hour)
	}
	for _, wait := range []time.Duration{0, account.NameHeld - 3*time.Hour - time.Millisecond} {
		d.Clock.Add(wait)
		limit, limited := errors.AsType[*account.RenameLimitError](d.rename(t, ann, "four"))
		if !limited || !limit.Next.Equal(first.Add(account.NameHeld)) {
			t.Errorf("%v later: error %v, want the next at %v", wait, limit, first.Add(account.NameHeld))
		}
	}
	if err := d.rename(t, ann, "THREE"); err != nil {
		t.Errorf("another spelling: %v", err)
	}
	d.Clock.Add(time.Millisecond)
	if err := d.rename(t, ann, "four"); err != nil {
		t.Errorf("after NameHeld: %v", err)
	}
	if _, limited := errors.AsType[*account.RenameLimitError](d.rename(t, ann, "five")); !limited {
		t.Error("a fifth name within NameHeld of the second")
	}
}
