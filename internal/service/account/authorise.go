package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// A caller's authority is read where the effect is stored (docs/adr/0028-authority-at-the-commit.md):
//
//   - Each use case authorises its caller in its own transaction, each personal read in its own
//     snapshot. In an Update the row of the session or key is held until COMMIT.
//   - Everything that ends a caller deletes that row, or locks it before it changes it or the account:
//     signing out, revoking, freezing, deleting. So a use case has committed before the end, or is
//     refused. TestEndingLocks finds statements that end a caller without it.
//   - A use case that adds what the deletion of its account must end locks the account's row, too, so
//     that a deletion which waited for it begins again and sees what it added.
//   - Rows are locked in one order: accounts, then sessions, then keys, then all others. So a use case that locks or
//     changes the account's row does that before it authorises its caller, one that ends sessions and keys does so
//     before it changes rows of other services, and none waits for another in a circle.
//
// A small memory of secret hash → address gives the arguments of statements before the row is read. It
// may be out of date, and never says that a secret is valid, of which kind, or what it permits.

// Credential is the session or the key that a request presents; the other one is zero.
type Credential struct {
	Session SessionToken
	Key     KeySecret
}

// hash returns the stored form of the secret.
func (c Credential) hash() [32]byte {
	if c.Key.None() {
		return c.Session.hash()
	}
	return c.Key.hash()
}

// None reports whether c has no secret.
func (c Credential) None() bool { return c.Key.None() && c.Session.None() }

// Caller is an authorised caller.
type Caller struct {
	Account Account
	Scopes  Scopes // of a key; all for a session
	key     int64
	Stale   bool // its last use is to be recorded
}

// Authorise reads the caller of a credential. In an Update the row of the session or key is held: no
// transaction that ends the caller commits before this one. Errors: ErrNoSession, ErrFrozen.
func (s *Service) Authorise(ctx context.Context, tx *store.Tx, c Credential) (Caller, error) {
	if !c.Key.None() {
		return s.loadKey(ctx, q.New(tx.HoldRows("k")), c.Key)
	}
	return s.loadSession(ctx, q.New(tx.HoldRows("s")), c.Session)
}

// PrefetchCaller prefetches the row that Authorise reads.
func (s *Service) PrefetchCaller(tx *store.Tx, c Credential) {
	hash := c.hash()
	if !c.Key.None() {
		tx.HoldRows("k").Prefetch(q.GetKey, hash[:])
		return
	}
	tx.HoldRows("s").Prefetch(q.GetSession, hash[:])
}

// AuthoriseAssumed is Authorise for use cases that need no more of their caller than its address, as
// remembered, and a key's scopes: the server compares the row with them, without a round trip of its
// own. It reports false if the outcome cannot be assumed; then the caller must call Authorise.
func (s *Service) AuthoriseAssumed(
	ctx context.Context, tx *store.Tx, c Credential, address chain.Address, needed Scopes,
) (assumed bool, err error) {
	hash, now := c.hash(), s.Now()
	if !c.Key.None() {
		return tx.HoldRows("k").Assume(ctx, q.HoldKey, hash[:], address[:], now.UnixMilli(), int64(needed))
	}
	return tx.HoldRows("s").Assume(ctx, q.HoldSession, hash[:], address[:],
		now.Add(-SessionIdle).UnixMilli(), now.Add(-SessionMax).UnixMilli())
}

// AuthoriseEnd is Authorise for use cases that end sessions or keys of the account at an address. It
// locks the account and the caller's row in the order of all such use cases.
func (s *Service) AuthoriseEnd(
	ctx context.Context, tx *store.Tx, c Credential, address chain.Address,
) (Caller, error) {
	if _, err := q.New(tx).LockAccount(ctx, address[:]); err != nil {
		return Caller{}, fmt.Errorf("account: lock %v: %w", address, err)
	}
	if !c.Key.None() {
		return s.loadKey(ctx, q.New(tx.LockRows("k")), c.Key)
	}
	return s.loadSession(ctx, q.New(tx.LockRows("s")), c.Session)
}

// AddsTo locks the account of a use case that adds what the account's deletion must end: a duel, a
// listing, a seat. Isolation levels below Serializable need it. A use case that changes the account's row
// calls it, too, before Authorise. Of a deleted account it finds no row, and the use case is refused.
// Errors: ErrNoSession.
func (s *Service) AddsTo(ctx context.Context, tx *store.Tx, address chain.Address) error {
	n, err := writes(tx).LockAccount(ctx, address[:])
	if err != nil {
		return fmt.Errorf("account: lock %v: %w", address, err)
	}
	if n == 0 {
		return ErrNoSession
	}
	return nil
}

// HoldPlayer locks the account of another player than the caller for a use case that begins something with it. It
// reports false for an account that is deleted or frozen. Its deletion or freezing comes before the use case or after
// it, never in between.
func (s *Service) HoldPlayer(ctx context.Context, tx *store.Tx, address chain.Address) (bool, error) {
	n, err := writes(tx).HoldPlayer(ctx, address[:])
	if err != nil {
		return false, fmt.Errorf("account: lock %v: %w", address, err)
	}
	return n == 1, nil
}

// lockSessionsOf waits for the use cases of an account's sessions, before the account is frozen.
func (s *Service) lockSessionsOf(ctx context.Context, tx *store.Tx, address chain.Address) error {
	if _, err := q.New(tx.LockRows("s")).SessionsToSuspend(ctx, address[:]); err != nil {
		return fmt.Errorf("account: lock the sessions of %v: %w", address, err)
	}
	return nil
}

// lockKeysOf waits for the use cases of an account's keys and of its bots' keys, before a statement ends
// any of them.
func (s *Service) lockKeysOf(ctx context.Context, tx *store.Tx, address chain.Address) error {
	if _, err := q.New(tx.LockRows("k")).KeysToEnd(ctx, address[:]); err != nil {
		return fmt.Errorf("account: lock the keys of %v: %w", address, err)
	}
	return nil
}

// rememberFor is how long the address of a secret is remembered. An active caller is looked up alone once
// in this time, which records its last use.
const rememberFor = time.Minute

// rememberedCaller is the address that a secret had.
type rememberedCaller struct {
	address chain.Address
	until   time.Time
}

// Remembered returns the address that a credential had within the last minute. It says nothing about
// whether the credential is valid.
func (s *Service) Remembered(c Credential) (chain.Address, bool) {
	known, ok := s.addresses.Get(c.hash())
	if now := s.Now(); !ok || !now.Before(known.until) || known.until.Sub(now) > rememberFor {
		return chain.Address{}, false
	}
	return known.address, true
}

// RememberedHash returns the hash of a credential that this node has found valid and still remembers, however
// long ago, and "" for another one. It says nothing about whether the credential is valid now: limits count
// by it, so that a secret that was never valid counts by its network address.
func (s *Service) RememberedHash(c Credential) string {
	hash := c.hash()
	if _, ok := s.addresses.Get(hash); !ok {
		return ""
	}
	return string(hash[:])
}

// remember stores the address of a credential.
func (s *Service) remember(c Credential, address chain.Address) {
	s.addresses.Put(c.hash(), rememberedCaller{address, s.Now().Add(rememberFor)})
}

// ForgetAddresses drops the remembered addresses and uses of networks, to return memory.
func (s *Service) ForgetAddresses() {
	s.addresses.Clear()
	s.networks.Clear()
}

// LookUp returns the caller of a credential as of now, outside of any transaction, and records its use: of a
// key with the client's shortened network, and of the networks that the account is charged to. Errors:
// ErrNoSession, ErrFrozen.
func (s *Service) LookUp(ctx context.Context, c Credential, from Use) (found Caller, err error) {
	if c.None() {
		return Caller{}, ErrNoSession
	}
	err = s.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		found, err = s.Authorise(ctx, tx, c)
		return err
	})
	if errors.Is(err, ErrNoSession) {
		s.addresses.Remove(c.hash())
	}
	if err != nil {
		return Caller{}, err
	}
	s.remember(c, found.Account.Address)
	if !found.Stale && s.isNoted(found.Account.Address, from.Networks) {
		return found, nil
	}
	err = s.DB.UpdateAt(ctx, store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
		if _, err := s.Authorise(ctx, tx, c); err != nil { // the account may have been deleted since
			return err
		}
		if err := s.NoteUse(ctx, tx, found.Account.Address, from.Networks); err != nil || !found.Stale {
			return err
		}
		if found.key != 0 {
			return s.TouchKey(ctx, tx, found.key, from.Shown)
		}
		return s.TouchSession(ctx, tx, c.Session)
	})
	if errors.Is(err, ledger.ErrRecovering) { // nothing can be stored, and reads are answered
		err = nil
	}
	return found, err
}

// loadSession reads the session of a token by queries that may lock its row.
func (s *Service) loadSession(ctx context.Context, queries *q.Queries, token SessionToken) (Caller, error) {
	hash := token.hash()
	row, err := queries.GetSession(ctx, hash[:])
	if err != nil {
		return Caller{}, store.Absent(err, ErrNoSession, "account: session")
	}
	if row.FrozenAt != nil { // the session is suspended, and does not age
		return Caller{}, ErrFrozen
	}
	now, lastUse := s.Now(), time.UnixMilli(row.SeenAt)
	if now.Sub(lastUse) > SessionIdle || now.Sub(time.UnixMilli(row.SessionCreatedAt)) > SessionMax {
		return Caller{}, ErrNoSession
	}
	a := fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt)
	return Caller{Account: a, Scopes: AllScopes, Stale: now.Sub(lastUse) > touchEvery}, nil
}

// loadKey reads the key with a secret by queries that may lock its row.
func (s *Service) loadKey(ctx context.Context, queries *q.Queries, secret KeySecret) (Caller, error) {
	hash := secret.hash()
	row, err := queries.GetKey(ctx, hash[:])
	if err != nil {
		return Caller{}, store.Absent(err, ErrNoSession, "account: key")
	}
	if row.ExpiresAt != nil && s.Now().UnixMilli() >= *row.ExpiresAt {
		return Caller{}, ErrNoSession
	}
	if row.FrozenAt != nil {
		return Caller{}, ErrFrozen
	}
	a := fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt)
	stale := row.UsedAt == nil || s.Now().Sub(time.UnixMilli(*row.UsedAt)) > touchKeyEvery
	return Caller{Account: a, Scopes: Scopes(row.Scopes), key: row.KeyID, Stale: stale}, nil
}
