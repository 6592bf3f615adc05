package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestConcurrentLimits creates keys and bots of one account concurrently: exactly MaxKeys
// and MaxBots calls succeed. A missing account gets no key.
func TestConcurrentLimits(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann := d.guest(t).Account.Address
	var keys, bots atomic.Int64
	count := func(n *atomic.Int64, add func(ctx context.Context, tx *store.Tx) error) {
		switch err := d.do(t, add); {
		case err == nil:
			n.Add(1)
		case !errors.Is(err, account.ErrLimit):
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			count(&keys, func(ctx context.Context, tx *store.Tx) error {
				_, _, err := d.CreateKey(ctx, tx, ann, "x", account.AllScopes)
				return err
			})
			count(&bots, func(ctx context.Context, tx *store.Tx) error {
				_, _, err := d.CreateBot(ctx, tx, ann, fmt.Sprint("bot-", i), account.FreeStart)
				return err
			})
		})
	}
	all.Wait()
	if keys.Load() != account.MaxKeys || bots.Load() != account.MaxBots {
		t.Errorf("%d keys and %d bots, want %d and %d", keys.Load(), bots.Load(), account.MaxKeys, account.MaxBots)
	}
	if err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, _, err := d.CreateKey(ctx, tx, chain.Address{1}, "x", account.AllScopes)
		return err
	}); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("a key of a missing account: error %v, want ErrNotFound", err)
	}
}

// TestConcurrentNames has accounts take names that look alike at once: one gets its name.
func TestConcurrentNames(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	var taken atomic.Int64
	var all sync.WaitGroup
	for _, name := range []string{"Kilroy", "KiIroy", "k1lroy", "kil_r0y"} {
		for _, how := range []string{"rename", "register", "register a guest", "bot"} {
			take := d.takes(d.guest(t).Account.Address, name)[how]
			all.Go(func() {
				if err := d.do(t, take); err == nil {
					taken.Add(1)
				} else if !errors.Is(err, account.ErrUsernameTaken) {
					t.Errorf("%s %s: error %v", how, name, err)
				}
			})
		}
	}
	all.Wait()
	if n := taken.Load(); n != 1 {
		t.Errorf("%d names that look alike are taken, want 1", n)
	}
}

// TestEndUnderFaults checks that, whatever happens to the commit of a sign-out, the cache
// does not let the session in afterwards, even though it is looked up during the commit.
func TestEndUnderFaults(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			faults := new(ledgertest.Faults)
			d := newFixture(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
			opened := d.guest(t)
			letIn := func() bool {
				_, err := d.LookUp(t.Context(), account.Credential{Session: opened.Token}, account.Use{})
				if err != nil && !errors.Is(err, account.ErrNoSession) {
					t.Error(err)
				}
				return err == nil
			}
			if !letIn() {
				t.Fatal("the session is not let in")
			}
			faults.Play(m)
			err := d.Service.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				if err := d.EndSession(ctx, tx, opened.Token); err != nil {
					return err
				}
				result := make(chan bool)
				go func() { result <- letIn() }()
				if !<-result {
					t.Error("the session ended before the commit")
				}
				return nil
			})
			if errors.Is(err, store.ErrUnavailable) != m.Unavailable || err != nil && !m.Unavailable {
				t.Errorf("sign-out: error %v, want unavailable: %v", err, m.Unavailable)
			}
			if got := letIn(); got == m.Stored {
				t.Errorf("let in: %v, end stored: %v", got, m.Stored)
			}
		})
	}
}
