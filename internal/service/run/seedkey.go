package run

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
)

// ErrSeedKey reports that the stored seeds are encrypted with another key.
var ErrSeedKey = errors.New("run: the seeds in the database are encrypted with another seed key")

// fingerprint returns a text that identifies a key without revealing it.
func fingerprint(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("roshambo/seed-key/v1"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// CheckKey checks at startup that the stored seeds are encrypted with the configured key:
// with another key every run in play would fail at its next throw. The first call stores
// the key's fingerprint. Errors: ErrSeedKey.
func (s *Service) CheckKey(ctx context.Context) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		stored, err := queries.GetSeedKey(ctx)
		switch {
		case errors.Is(err, sql.ErrNoRows): // the first start, which stores the fingerprint
		case err != nil:
			return err
		case stored != s.Seeds.fingerprint:
			return ErrSeedKey
		default:
			return nil
		}
		if err := s.checkAnySeed(ctx, queries); err != nil {
			return err
		}
		return queries.PutSeedKey(ctx, s.Seeds.fingerprint)
	})
	if err != nil {
		return fmt.Errorf("run: seed key: %w", err)
	}
	return nil
}

// checkAnySeed decrypts one stored seed, if there is any: a database of an old version has
// seeds but no fingerprint. Errors: ErrSeedKey.
func (s *Service) checkAnySeed(ctx context.Context, queries *q.Queries) error {
	row, err := queries.AnyCommitment(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := s.Seeds.open(chain.Hash(row.Commitment), row.Seed); err != nil {
		return fmt.Errorf("%w: %w", ErrSeedKey, err)
	}
	return nil
}
