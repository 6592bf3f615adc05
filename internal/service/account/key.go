package account

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// MaxKeys and MaxBots are how many an account may have.
const (
	MaxKeys = 5
	MaxBots = 3
)

// Keys of programs are a prefix that says whose they are and 256 random bits in
// base64url. The database holds a hash.
const (
	playerKeyPrefix = "rsk_"
	botKeyPrefix    = "rsb_"
	keyLength       = len(playerKeyPrefix) + 43
	shownPrefix     = 12 // characters of a key that are kept to recognise it by
)

// ErrLimit says that the account has as many keys or bots as it may have.
var ErrLimit = errors.New("account: the limit is reached")

// Key is an API key, without its secret.
type Key struct {
	ID        int64
	Label     string
	Prefix    string
	CreatedAt time.Time
	UsedAt    *time.Time
	RevokedAt *time.Time
}

// NewKey makes a key for a player's account. The secret is returned here and never
// again. Errors: ErrLimit.
func (s *Service) NewKey(ctx context.Context, tx *store.Tx, address chain.Address, label string) (k Key, secret string, err error) {
	if err := s.lock(ctx, tx, address); err != nil {
		return Key{}, "", err
	}
	n, err := q.New(tx).CountKeys(ctx, address[:])
	if err != nil {
		return Key{}, "", fmt.Errorf("account: keys of %v: %w", address, err)
	}
	if n >= MaxKeys {
		return Key{}, "", ErrLimit
	}
	return s.insertKey(ctx, tx, address, playerKeyPrefix, label)
}

// lock makes this transaction the only one that counts what an account has, and adds to
// it: of two that saw one place left, both would take it. SQLite has one writer anyway.
// Errors: ErrNotFound.
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

func (s *Service) insertKey(ctx context.Context, tx *store.Tx, address chain.Address, prefix, label string) (Key, string, error) {
	var random [32]byte
	if err := s.random(random[:]); err != nil {
		return Key{}, "", err
	}
	secret := writeKey(prefix, random)
	k, err := s.storeKey(ctx, tx, address, secret, label)
	return k, secret, err
}

// writeKey writes a key.
func writeKey(prefix string, secret [32]byte) string {
	return prefix + base64.RawURLEncoding.EncodeToString(secret[:])
}

// storeKey stores a key, as its hash.
func (s *Service) storeKey(ctx context.Context, tx *store.Tx, address chain.Address, secret, label string) (Key, error) {
	hash := sha256.Sum256([]byte(secret))
	now := s.Now().UnixMilli()
	k := Key{Label: label, Prefix: secret[:shownPrefix], CreatedAt: column.Time(now)}
	var err error
	k.ID, err = q.New(tx).InsertKey(ctx, q.InsertKeyParams{
		Hash: hash[:], Address: address[:], Label: label, Prefix: k.Prefix, CreatedAt: now})
	if err != nil {
		return Key{}, fmt.Errorf("account: new key: %w", err)
	}
	return k, nil
}

// Keys returns up to count keys of an account with ids below before, the newest first,
// revoked ones too.
func (s *Service) Keys(ctx context.Context, tx *store.Tx, address chain.Address, before, count int64) ([]Key, error) {
	rows, err := q.New(tx).ListKeys(ctx, q.ListKeysParams{Address: address[:], Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("account: keys of %v: %w", address, err)
	}
	list := make([]Key, len(rows))
	for i, r := range rows {
		list[i] = Key{r.KeyID, r.Label, r.Prefix, column.Time(r.CreatedAt), column.OptionalTime(r.UsedAt), column.OptionalTime(r.RevokedAt)}
	}
	return list, nil
}

// Revoke ends a key of the account. Errors: ErrNotFound, also for somebody else's key
// and for one that was revoked before.
func (s *Service) Revoke(ctx context.Context, tx *store.Tx, address chain.Address, id int64) error {
	now := s.Now().UnixMilli()
	n, err := q.New(tx).RevokeKey(ctx, q.RevokeKeyParams{Now: &now, KeyID: id, Address: address[:]})
	if err != nil {
		return fmt.Errorf("account: revoke key %d: %w", id, err)
	}
	if n == 0 {
		return ErrNotFound
	}
	return s.forgetWith(tx, subject{account: address})
}

// KeyUse is a key in use.
type KeyUse struct {
	ID      int64
	Account Account
	Stale   bool      // TouchKey is due
	Until   time.Time // when it will be
}

// touchKeyEvery is how exactly the last use of a key is known.
const touchKeyEvery = time.Minute

// Key returns whose key a secret is, or ErrNoSession when there is no such key, or it
// was revoked.
func (s *Service) Key(ctx context.Context, tx *store.Tx, secret string) (KeyUse, error) {
	if len(secret) != keyLength || !strings.HasPrefix(secret, playerKeyPrefix) && !strings.HasPrefix(secret, botKeyPrefix) {
		return KeyUse{}, ErrNoSession
	}
	hash := sha256.Sum256([]byte(secret))
	row, err := q.New(tx).GetKey(ctx, hash[:])
	if errors.Is(err, sql.ErrNoRows) {
		return KeyUse{}, ErrNoSession
	}
	if err != nil {
		return KeyUse{}, fmt.Errorf("account: key: %w", err)
	}
	use := KeyUse{ID: row.KeyID, Account: fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt), Stale: true}
	if row.UsedAt != nil {
		use.Until = time.UnixMilli(*row.UsedAt).Add(touchKeyEvery)
		use.Stale = s.Now().After(use.Until)
	}
	return use, nil
}

// TouchKey notes that a key is in use.
func (s *Service) TouchKey(ctx context.Context, tx *store.Tx, id int64) error {
	now := s.Now().UnixMilli()
	return q.New(tx).TouchKey(ctx, q.TouchKeyParams{Now: &now, KeyID: id})
}
