package cup

import (
	"context"

	"roshambo/internal/store"
)

// Move moves one cup on, as Advance does.
func (s *Service) Move(ctx context.Context, tx *store.Tx, number int64) error {
	return s.advance(ctx, tx, number)
}
