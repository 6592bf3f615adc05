package market

import (
	"context"
	"time"

	"roshambo/internal/store"
)

// VoidOffer voids an offer that was read earlier.
func (s *Service) VoidOffer(ctx context.Context, tx *store.Tx, o *Offer, now time.Time) error {
	return s.voidOffer(ctx, tx, o, now)
}
