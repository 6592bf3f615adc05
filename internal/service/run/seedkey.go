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

// ErrSeedKey says that the seeds in the database are encrypted with another key.
var ErrSeedKey = errors.New("run: the seeds in the database are not of this seed key")

// fingerprint tells keys apart, and nothing else of them.
func fingerprint(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("roshambo/seed-key/v1"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// CheckKey makes sure, before anybody plays, that the seeds in the database are of this
// key: otherwise every run that has begun would stop at its next throw. The first start
// notes the key's fingerprint. Errors: ErrSeedKey.
func (s *Service) CheckKey(ctx context.Context) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		known, err := queries.GetSeedKey(ctx)
		switch {
		case err == nil && known != s.Seeds.fingerprint:
			return ErrSeedKey
		case err == nil || !errors.Is(err, sql.ErrNoRows):
			return err
		}
		// A database from before there were fingerprints: one of its seeds tells.
		row, err := queries.AnyCommitment(ctx)
		if err == nil {
			if _, err := s.Seeds.open(chain.Hash(row.Commitment), row.Seed); err != nil {
				return fmt.Errorf("%w: %w", ErrSeedKey, err)
			}
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return queries.PutSeedKey(ctx, s.Seeds.fingerprint)
	})
	if err != nil {
		return fmt.Errorf("run: seed key: %w", err)
	}
	return nil
}
