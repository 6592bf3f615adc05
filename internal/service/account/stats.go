package account

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// Stats are what operators watch.
type Stats struct {
	Sessions    int64     // that are stored; those that are over go within the hour
	Mails       int64     // that wait to be sent
	MailWaiting time.Time // since when the first of them does; zero when none does
}

// Stats returns them as they stand.
func (s *Service) Stats(ctx context.Context, tx *store.Tx) (st Stats, err error) {
	queries := q.New(tx)
	if st.Sessions, err = queries.CountSessions(ctx); err != nil {
		return st, fmt.Errorf("account: sessions: %w", err)
	}
	box, err := queries.Outbox(ctx, s.Now().UnixMilli())
	if err != nil {
		return st, fmt.Errorf("account: outbox: %w", err)
	}
	if st.Mails = box.Waiting; st.Mails > 0 {
		st.MailWaiting = time.UnixMilli(box.Since)
	}
	return st, nil
}

// Waiting returns how many passwords are being hashed or wait for that.
func (h *Hasher) Waiting() int { return int(h.waiting.Load()) }
