package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// MaxKeys and MaxBots limit the active keys and the bots of one account.
const (
	MaxKeys = 5
	MaxBots = 3
)

// shownPrefix is how many leading characters of a key are stored, so that its owner can recognise it.
const shownPrefix = 12

// ErrLimit reports that the account already has MaxKeys keys or MaxBots bots.
var ErrLimit = errors.New("account: the limit is reached")

// Key is an API key, without its secret.
type Key struct {
	ID        int64
	Label     string
	Prefix    string
	CreatedAt time.Time
	UsedAt    *time.Time
	UsedFrom  string // network of the last use, shortened; "" for unknown
	RevokedAt *time.Time
	ExpiresAt *time.Time // nil for a key without an end
	Scopes    Scopes
	Address   chain.Address // whose it is: an account, or one of its bots
}

// CreateKey creates a key for a player's account. Only this call returns the secret.
// Errors: ErrNotFound, ErrLimit.
func (s *Service) CreateKey(
	ctx context.Context, tx *store.Tx, address chain.Address, label string, scopes Scopes,
) (k Key, secret KeySecret, err error) {
	if err := s.lock(ctx, tx, address); err != nil {
		return Key{}, KeySecret{}, err
	}
	n, err := q.New(tx).CountKeys(ctx, q.CountKeysParams{Address: address[:], Now: tx.Now().UnixMilli()})
	if err != nil {
		return Key{}, KeySecret{}, fmt.Errorf("account: keys of %v: %w", address, err)
	}
	if n >= MaxKeys {
		return Key{}, KeySecret{}, ErrLimit
	}
	return s.insertKey(ctx, tx, address, newKey{prefix: playerKeyPrefix, label: label, scopes: scopes})
}

// lock locks the account's row until the transaction ends. Without it two concurrent
// transactions could both see one free slot below a limit and both fill it. SQLite needs
// no lock, as it has one writer. Errors: ErrNotFound, also for a deleted account.
func (s *Service) lock(ctx context.Context, tx *store.Tx, address chain.Address) error {
	n, err := q.New(tx).LockAccount(ctx, address[:])
	if err != nil {
		return fmt.Errorf("account: lock %v: %w", address, err)
	}
	if n == 0 {
		return ErrNotFound
	}
	return nil
}

// newKey describes a key to create.
type newKey struct {
	prefix string // names the kind of its account
	label  string
	scopes Scopes
}

// insertKey creates a random key and returns it with its secret.
func (s *Service) insertKey(
	ctx context.Context, tx *store.Tx, address chain.Address, n newKey,
) (Key, KeySecret, error) {
	secret, err := drawSecret[keyKind](s, n.prefix)
	if err != nil {
		return Key{}, KeySecret{}, err
	}
	k, err := s.storeKey(ctx, tx, address, secret, n)
	return k, secret, err
}

// storeKey stores the hash of a key.
func (s *Service) storeKey(
	ctx context.Context, tx *store.Tx, address chain.Address, secret KeySecret, n newKey,
) (Key, error) {
	hash := secret.hash()
	now := tx.Now().UnixMilli()
	k := Key{Label: n.label, Prefix: secret.text[:shownPrefix], CreatedAt: column.Time(now), Scopes: n.scopes,
		Address: address}
	var err error
	k.ID, err = q.New(tx).InsertKey(ctx, q.InsertKeyParams{
		Hash: hash[:], Address: address[:], Label: k.Label, Prefix: k.Prefix, CreatedAt: now, Scopes: int64(n.scopes)})
	if err != nil {
		return Key{}, fmt.Errorf("account: new key: %w", err)
	}
	return k, nil
}

// Keys returns up to count keys of an account with ids below before, newest first,
// including revoked ones.
func (s *Service) Keys(ctx context.Context, tx *store.Tx, address chain.Address, before, count int64) ([]Key, error) {
	rows, err := q.New(tx).ListKeys(ctx, q.ListKeysParams{Address: address[:], Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("account: keys of %v: %w", address, err)
	}
	list := make([]Key, len(rows))
	for i, r := range rows {
		list[i] = Key{
			ID: r.KeyID, Label: r.Label, Prefix: r.Prefix, CreatedAt: column.Time(r.CreatedAt),
			UsedAt: column.OptionalTime(r.UsedAt), UsedFrom: r.UsedFrom, RevokedAt: column.OptionalTime(r.RevokedAt),
			ExpiresAt: column.OptionalTime(r.ExpiresAt), Scopes: Scopes(r.Scopes), Address: address,
		}
	}
	return list, nil
}

// RevokeKey revokes a key of the account, and all keys that it has made. Errors: ErrNotFound if the account
// has no active key with that id.
func (s *Service) RevokeKey(ctx context.Context, tx *store.Tx, address chain.Address, id int64) error {
	if err := s.lockKeysOf(ctx, tx, address); err != nil {
		return err
	}
	now := tx.Now().UnixMilli()
	n, err := q.New(tx).RevokeKey(ctx, q.RevokeKeyParams{Now: &now, KeyID: id, Address: address[:]})
	if err != nil {
		return fmt.Errorf("account: revoke key %d: %w", id, err)
	}
	if n == 0 {
		return ErrNotFound
	}
	return s.revokeMade(ctx, tx, address, now)
}

// touchKeyEvery is the precision of a key's last-use time; it saves a write per request.
const touchKeyEvery = time.Minute

// TouchKey records the current time and a network as the last use of a key.
func (s *Service) TouchKey(ctx context.Context, tx *store.Tx, id int64, network string) error {
	now := tx.Now().UnixMilli()
	return q.New(tx).TouchKey(ctx, q.TouchKeyParams{Now: &now, UsedFrom: network, KeyID: id})
}
