package account_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// budgetOf is a Throttle that admits a number of failures per key, for good.
type budgetOf struct {
	most  int
	taken map[account.FailureKey]int
}

// Take implements account.Throttle.
func (b *budgetOf) Take(_ context.Context, key account.FailureKey) (time.Duration, error) {
	if b.taken[key] >= b.most {
		return time.Minute, nil
	}
	b.taken[key]++
	return 0, nil
}

// Refund implements account.Throttle.
func (b *budgetOf) Refund(_ context.Context, key account.FailureKey) error {
	b.taken[key]--
	return nil
}

// TestStrangersBlockNoLogin uses up the throttle of a name from many addresses: the owner still
// logs in from a known browser and from a known address, others and the holder of another
// account's browser do not; and a known browser has a throttle of its own.
func TestStrangersBlockNoLogin(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	of := func(n int) *budgetOf { return &budgetOf{n, map[account.FailureKey]int{}} }
	o.Failures = account.Failures{ByNameAndClient: of(10), ByName: of(60), ByClient: of(1000)}
	ann, bob := o.registered(t, "ann"), o.registered(t, "bob")
	devices := map[string]account.DeviceToken{}
	for name, opened := range map[string]account.Opened{"ann": ann, "bob": bob} {
		token, err := o.NewDevice()
		if err != nil {
			t.Fatal(err)
		}
		devices[name] = token
		o.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return o.RememberDevice(ctx, tx, opened.Account.Address, token)
		})
	}
	login := func(password, from string, device account.DeviceToken) error {
		_, err := o.CheckLogin(t.Context(), account.LoginOptions{Username: "Ann", Password: password,
			Client: netip.MustParseAddr(from), Device: device})
		return err
	}
	const home, cafe = "192.0.2.1", "192.0.2.2"
	if err := login("first password", home, account.DeviceToken{}); err != nil { // home is known from now on
		t.Fatal(err)
	}
	for i := range 60 {
		err := login("a guess", fmt.Sprintf("203.0.113.%d", i/10), account.DeviceToken{})
		if !errors.Is(err, account.ErrCredentials) {
			t.Fatalf("guess %d: error %v", i, err)
		}
	}
	none := account.DeviceToken{}
	var throttled *account.ThrottledError
	for _, tt := range []struct {
		name, from string
		device     account.DeviceToken
		blocked    bool
	}{
		{"elsewhere", cafe, none, true}, {"the browser of bob", cafe, devices["bob"], true},
		{"not a token", cafe, account.ParseDevice("x"), true},
		{"known address", home, none, false}, {"known browser", cafe, devices["ann"], false},
		{"the address of a known browser", cafe, none, false}, {"another address", "192.0.2.3", none, true},
	} {
		if err := login("first password", tt.from, tt.device); errors.As(err, &throttled) != tt.blocked ||
			err != nil != tt.blocked {
			t.Errorf("%s: error %v, want throttled: %t", tt.name, err, tt.blocked)
		}
	}
	for i := range 11 { // a stolen browser guesses no more than a stranger does
		err := login("a guess", cafe, devices["ann"])
		if throttle := errors.As(err, &throttled); throttle != (i == 10) {
			t.Errorf("guess %d from a known browser: error %v", i, err)
		}
	}
	o.Clock.Add(account.DeviceLife)
	if err := login("first password", home, devices["ann"]); !errors.As(err, &throttled) {
		t.Errorf("browser and address of long ago: error %v", err)
	}
}

// TestDevicesAreBounded: an account has at most 20 known browsers, the last used ones.
func TestDevicesAreBounded(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.registered(t, "ann").Account.Address
	for i := range 25 {
		o.Clock.Add(time.Minute)
		o.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return o.RememberDevice(ctx, tx, ann, account.ParseDevice(fmt.Sprintf("rsd_%043d", i)))
		})
	}
	var n, newest int64
	o.View(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*), max(seen_at) FROM known_device").Scan(&n, &newest)
	})
	if n != 20 || newest != o.Clock.Now().UnixMilli() {
		t.Errorf("%d browsers, the newest of %d", n, newest)
	}
	o.Clock.Add(account.DeviceLife)
	o.Update(t, func(ctx context.Context, tx *store.Tx) error {
		dropped, err := o.DropStaleDevices(ctx, tx)
		if err == nil && dropped != 20 {
			t.Errorf("%d browsers dropped", dropped)
		}
		return err
	})
}
