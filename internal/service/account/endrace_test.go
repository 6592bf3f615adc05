package account_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestFreezeDuringUse freezes an account while a use case of its session has locked the account, and before
// that use case has read its caller: neither waits for the other in a circle, the use case commits, and the
// next one is refused. It also authorises a caller while the freezing has changed all but not committed.
func TestFreezeDuringUse(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	if d.Ledger.DB.Exclusive() {
		return // updates do not run concurrently
	}
	ended := make(chan error, 1)
	await := func() {
		for len(ended) == 0 && d.lockWaits(t) == 0 {
			runtime.Gosched()
		}
	}
	opened := d.guest(t)
	c, address := account.Credential{Session: opened.Token}, opened.Account.Address
	uses := 0
	use := func(then func()) error {
		return d.Ledger.DB.UpdateAt(t.Context(), store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
			uses++
			if err := d.AddsTo(ctx, tx, address); err != nil {
				return err
			}
			if _, err := d.Service.Get(ctx, tx, address); err != nil { // sends the lock, too
				return err
			}
			then()
			_, err := d.Authorise(ctx, tx, c)
			return err
		})
	}
	freezes := 0
	freeze := func(then func()) error {
		return d.do(t, func(ctx context.Context, tx *store.Tx) error {
			freezes++
			_, err := d.Freeze(ctx, tx, address)
			then()
			return err
		})
	}
	err := use(func() {
		go func() { ended <- freeze(func() {}) }()
		await()
	})
	if err != nil || uses != 1 {
		t.Errorf("the use case ran %d times, and its error is %v", uses, err)
	}
	if err := <-ended; err != nil || freezes != 2 { // its snapshot was older than the use case
		t.Errorf("the freezing ran %d times, and its error is %v", freezes, err)
	}
	if err := use(func() {}); !errors.Is(err, account.ErrFrozen) {
		t.Errorf("a use case after the freezing: error %v", err)
	}

	d.Update(t, func(ctx context.Context, tx *store.Tx) error { _, err := d.Unfreeze(ctx, tx, address); return err })
	err = freeze(func() {
		go func() { ended <- use(func() {}) }()
		await()
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, account.ErrFrozen) {
		t.Errorf("a use case that waited for the freezing: error %v", err)
	}
}

// TestRedeemingWaitsForTheOwner redeems a link to a mailbox, which another account or none has asked for, while a use
// case has locked the owner's account: it waits with the link free, which that use case may delete. SQLite has one
// writer.
func TestRedeemingWaitsForTheOwner(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	if o.Ledger.DB.Exclusive() {
		return // updates do not run concurrently
	}
	ann := o.attach(t, o.registered(t, "ann"), "ann@example.org")
	address := ann.Account.Address
	anonymous := func() string {
		o.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return o.RequestLink(ctx, tx, account.LinkRequest{Email: "ANN@example.org"})
		})
		return o.token(t, `/link#`)
	}
	for name, link := range map[string]func() string{
		"without a session": anonymous,
		"by a guest":        func() string { return o.link(t, o.guest(t), account.Proof{}, "ann@example.org") },
	} {
		token, redeemed, free := account.ParseLink(link()), make(chan error, 1), 0
		o.Update(t, func(ctx context.Context, tx *store.Tx) error {
			if err := o.AddsTo(ctx, tx, address); err != nil {
				return err
			}
			if _, err := o.Service.Get(ctx, tx, address); err != nil { // sends the lock, too
				return err
			}
			go func() {
				redeemed <- o.Ledger.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					_, err := o.Redeem(ctx, tx, account.RedeemOptions{Token: token})
					return err
				})
			}()
			for len(redeemed) == 0 && o.lockWaits(t) == 0 {
				runtime.Gosched()
			}
			return tx.QueryRowContext(ctx, `SELECT count(*) FROM
				(SELECT 1 FROM magic_link FOR UPDATE SKIP LOCKED) AS l`).Scan(&free)
		})
		if err := <-redeemed; err != nil || free != 1 {
			t.Errorf("requested %s: %d links are free while the redemption waits, which ends with %v", name, free, err)
		}
	}
}

// lockWaits returns how many connections to the database wait for a lock.
func (d *fixture) lockWaits(t *testing.T) (n int) {
	t.Helper()
	d.View(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
	})
	return n
}
