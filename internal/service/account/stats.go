package account

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// Stats holds the figures of accounts for operators.
type Stats struct {
	Sessions    int64     // stored sessions; expired ones are deleted within an hour
	Mails       int64     // mails in the queue
	MailWaiting time.Time // when the oldest of them was queued; zero if there is none
}

// Stats reads the current figures.
func (s *Service) Stats(ctx context.Context, tx *store.Tx) (st Stats, err error) {
	queries := q.New(tx)
	if st.Sessions, err = queries.CountSessions(ctx); err != nil {
		return st, fmt.Errorf("account: sessions: %w", err)
	}
	box, err := queries.Outbox(ctx, tx.Now().UnixMilli())
	if err != nil {
		return st, fmt.Errorf("account: outbox: %w", err)
	}
	if st.Mails = box.Waiting; st.Mails > 0 {
		st.MailWaiting = time.UnixMilli(box.Since)
	}
	return st, nil
}

// Waiting returns the number of calls that hash a password or wait for a slot.
func (h *Hasher) Waiting() int { return int(h.waiting.Load()) }
