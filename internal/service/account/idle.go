package account

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

const (
	// GuestIdle is the age at which a guest that never did anything is removed.
	GuestIdle = 30 * 24 * time.Hour
	// idleBatch is the maximum number of guests of one IdleGuests.
	idleBatch = 500
)

// IdleGuests returns guests older than GuestIdle that have only opened their account: no
// transaction but the first, no session, key, bot, link, team or duel. The caller removes
// them with RemoveGuest.
func (s *Service) IdleGuests(ctx context.Context, tx *store.Tx) ([]chain.Address, error) {
	rows, err := q.New(tx).IdleGuests(ctx, q.IdleGuestsParams{
		CreatedBefore: tx.Now().Add(-GuestIdle).UnixMilli(), Count: idleBatch})
	if err != nil {
		return nil, fmt.Errorf("account: idle guests: %w", err)
	}
	list := make([]chain.Address, len(rows))
	for i, r := range rows {
		list[i] = chain.Address(r)
	}
	return list, nil
}

// RemoveGuest deletes the row of an idle guest. No one can act for it any more, as it has no
// session and no key; its address, balance and first commitment stay on the chain and in the
// ledger. A crash between two guests leaves the rest for the next round.
func (s *Service) RemoveGuest(ctx context.Context, tx *store.Tx, guest chain.Address) error {
	if err := q.New(tx).DeleteRenamesOf(ctx, guest[:]); err != nil {
		return fmt.Errorf("account: remove guest %v: %w", guest, err)
	}
	if _, err := q.New(tx).DeleteGuest(ctx, guest[:]); err != nil {
		return fmt.Errorf("account: remove guest %v: %w", guest, err)
	}
	return nil
}
