package arena

import (
	"context"

	"roshambo/internal/store"
)

// Compact merges all pending changes of ratings into the index of the ranks.
func (s *Service) Compact(ctx context.Context) error { return s.ranks.Compact(ctx, 1) }

// RebuildRanks recomputes the index of the ranks in a pool from its ratings.
func (s *Service) RebuildRanks(ctx context.Context, tx *store.Tx, pool Pool) error {
	return s.ranks.Rebuild(ctx, tx, string(pool))
}

// SetBlockSize sets the number of ratings in a block of the index of the ranks.
func (s *Service) SetBlockSize(n int64) { s.ranks.BlockSize = n }

// Woken reports whether the matcher was woken since the last call.
func (s *Service) Woken() bool {
	select {
	case <-s.wake:
		return true
	default:
		return false
	}
}
