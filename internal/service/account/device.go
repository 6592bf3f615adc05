package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// Logging in cannot be blocked by strangers: a browser or a network address from which the
// owner has signed in before is not held to the throttle of the name, which anyone can use
// up. A browser is known by a random token in a cookie of its own, which grants nothing
// else: its holder still needs the password, and has the throttle of a device.

const (
	// DeviceLife is how long a browser stays known after the last sign-in from it.
	DeviceLife = 180 * 24 * time.Hour
	// maxDevices is the maximum number of known browsers of an account.
	maxDevices = 20
	// clientLife is how long a network address stays known, in memory alone.
	clientLife = 48 * time.Hour
	// maxKnownClients bounds the known addresses in memory.
	maxKnownClients = 20_000
)

// deviceHash returns the stored form of a browser's token for one account, so that the
// database does not show which accounts share a browser.
func deviceHash(token DeviceToken, a chain.Address) []byte {
	sum := sha256.Sum256(append([]byte("roshambo/device/v1 "+token.text+" "), a[:]...))
	return sum[:]
}

// NewDevice returns the token of a browser that has none.
func (s *Service) NewDevice() (DeviceToken, error) { return newSecret[deviceKind](s) }

// RememberDevice makes the browser with a token known for an account, in the transaction of a
// sign-in.
func (s *Service) RememberDevice(ctx context.Context, tx *store.Tx, address chain.Address, token DeviceToken) error {
	queries, now := q.New(tx), tx.Now().UnixMilli()
	err := queries.RememberDevice(ctx, q.RememberDeviceParams{
		Address: address[:], Device: deviceHash(token, address), SeenAt: now})
	if err != nil {
		return fmt.Errorf("account: device of %v: %w", address, err)
	}
	err = queries.DropOldDevicesOf(ctx, q.DropOldDevicesOfParams{Address: address[:], Keep: maxDevices})
	if err != nil {
		return fmt.Errorf("account: device of %v: %w", address, err)
	}
	return nil
}

// knownDevice reports whether the browser with a token is known for an account.
func (s *Service) knownDevice(ctx context.Context, address chain.Address, token DeviceToken) (known bool, err error) {
	if token.None() {
		return false, nil
	}
	err = s.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := q.New(tx).CountDevice(ctx, q.CountDeviceParams{Address: address[:], Device: deviceHash(token, address),
			Since: tx.Now().Add(-DeviceLife).UnixMilli()})
		known = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("account: device of %v: %w", address, err)
	}
	return known, nil
}

// DropStaleDevices deletes browsers that are no longer known and returns their number.
func (s *Service) DropStaleDevices(ctx context.Context, tx *store.Tx) (int64, error) {
	return q.New(tx).DropStaleDevices(ctx, tx.Now().Add(-DeviceLife).UnixMilli())
}

// deviceName names the throttle of a browser in place of an address.
func deviceName(name string, token DeviceToken) string {
	sum := token.hash()
	return name + " " + hex.EncodeToString(sum[:8])
}

// knownClients are network addresses from which owners have logged in, by name. The zero
// value is empty.
type knownClients struct {
	mu sync.Mutex // guards at
	at map[FailureKey]time.Time
}

// add makes an address known for a name.
func (k *knownClients) add(name string, client netip.Addr, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.at == nil {
		k.at = map[FailureKey]time.Time{}
	}
	key := FailureKey{name, client}
	if _, ok := k.at[key]; !ok && len(k.at) >= maxKnownClients {
		for other := range k.at { // evict any one
			delete(k.at, other)
			break
		}
	}
	k.at[key] = now
}

// has reports whether an address is known for a name.
func (k *knownClients) has(name string, client netip.Addr, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, ok := k.at[FailureKey{name, client}]
	return ok && now.Sub(at) < clientLife
}

// dropExpired forgets the addresses that are no longer known.
func (k *knownClients) dropExpired(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, at := range k.at {
		if now.Sub(at) >= clientLife {
			delete(k.at, key)
		}
	}
}

// DropKnownClients forgets network addresses that are no longer known.
func (s *Service) DropKnownClients() { s.clients.dropExpired(s.Now()) }
