package account_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

const faucetEvery = 4 * time.Hour

// poor opens an account with a balance of coins.
func (d *fixture) poor(t testing.TB, coins int64) chain.Address {
	t.Helper()
	address := d.guest(t).Account.Address
	d.stake(t, address, 1000-coins)
	return address
}

// stake moves coins of an account into the escrow of a duel.
func (d *fixture) stake(t testing.TB, address chain.Address, coins int64) {
	t.Helper()
	duel := address.Short() + d.Clock.Now().String()[:19]
	d.MustPost(t, ledger.Draft{Actor: address, Data: &chain.DuelStake{DuelID: duel},
		Transfers: []chain.Transfer{{Amount: coins, From: address, To: chain.Escrow(duel)}}})
}

func (d *fixture) drip(t testing.TB, address chain.Address) (a account.Account, p ledger.Posted, err error) {
	t.Helper()
	err = d.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		a, p, err = d.Service.ClaimFaucet(ctx, tx, address)
		return err
	})
	return a, p, err
}

// TestFaucet checks that the faucet pays 200 coins to accounts with fewer than 500, every
// 4 hours.
func TestFaucet(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	rich := d.poor(t, 500)
	before := d.Dump(t)
	if _, _, err := d.drip(t, rich); !errors.Is(err, account.ErrBalanceHigh) {
		t.Errorf("with 500 coins: error %v", err)
	}
	if _, _, err := d.drip(t, chain.Address{1}); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("missing account: error %v", err)
	}
	if diff := cmp.Diff(before, d.Dump(t)); diff != "" {
		t.Errorf("refused claims changed the database:\n%s", diff)
	}

	poor := d.poor(t, 99)
	for n, wait := range []time.Duration{0, faucetEvery, faucetEvery + time.Hour} {
		d.Clock.Add(wait)
		a, posted, err := d.drip(t, poor)
		if err != nil || posted.Balance != 299+int64(n)*200 || !a.FaucetAt.Equal(d.Clock.Now()) ||
			!d.FaucetNext(a).Equal(d.Clock.Now().Add(faucetEvery)) {
			t.Errorf("%d: %+v, %+v, error %v", n, a, posted, err)
		}
		for _, wait := range []time.Duration{0, faucetEvery - time.Millisecond} {
			d.Clock.Add(wait)
			_, _, err := d.drip(t, poor)
			if soon, ok := errors.AsType[*account.TooSoonError](err); !ok || !soon.Next.Equal(a.FaucetAt.Add(faucetEvery)) {
				t.Errorf("%d, %v later: error %v", n, wait, err)
			}
			d.Clock.Add(-wait)
		}
	}
	d.Clock.Add(faucetEvery)
	if _, _, err := d.drip(t, poor); !errors.Is(err, account.ErrBalanceHigh) {
		t.Errorf("with 699 coins: error %v", err)
	}
	d.SealAll(t)
	d.WantValid(t)
}

// TestConcurrentFaucet claims the faucet concurrently for one account: one claim succeeds.
func TestConcurrentFaucet(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	poor := d.poor(t, 1)
	for round := range int64(2) {
		var all sync.WaitGroup
		var paid atomic.Int64
		for range 12 {
			all.Go(func() {
				_, _, err := d.drip(t, poor)
				if err == nil {
					paid.Add(1)
				} else if _, soon := errors.AsType[*account.TooSoonError](err); !soon {
					t.Error(err)
				}
			})
		}
		all.Wait()
		d.View(t, func(ctx context.Context, tx *store.Tx) error {
			state, _, err := d.Ledger.Account(ctx, tx, poor)
			if paid.Load() != 1 || state.Balance != 1+200*(round+1) {
				t.Errorf("paid %d times, balance %d", paid.Load(), state.Balance)
			}
			return err
		})
		d.Clock.Add(faucetEvery)
	}
}

// TestFaucetUnderFaults checks that the faucet pays once, whatever happens to the commit.
func TestFaucetUnderFaults(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			faults := new(ledgertest.Faults)
			d := newFixture(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
			poor := d.poor(t, 100)
			faults.Play(m)
			if _, _, err := d.drip(t, poor); (err != nil) != m.Unavailable {
				t.Errorf("error %v, want unavailable: %v", err, m.Unavailable)
			}
			_, posted, err := d.drip(t, poor)
			_, soon := errors.AsType[*account.TooSoonError](err)
			if soon != m.Stored || !soon && (err != nil || posted.Balance != 300) {
				t.Errorf("second claim: balance %d, error %v, first one stored: %v", posted.Balance, err, m.Stored)
			}
			d.SealAll(t)
			d.WantValid(t)
		})
	}
}
