package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// The kinds of notices, as stored.
const (
	noticeAttached = "attached"
	noticeRemoved  = "removed"
	noticePassword = "password"
	noticeDeleted  = "deleted"
	noticeBotKey   = "bot_key"
)

// noticeLife is how long the sending of a notice is retried. A notice holds no token, so it
// may arrive much later than a link.
const noticeLife = 24 * time.Hour

// notify queues a notice of a change to every mailbox of an account, except one that was
// just attached. about is the mailbox that was attached or removed, or the name of the bot whose key has
// ended; "" for other changes. The notices are part of the transaction: they are mailed if the change is
// stored, also after a crash.
func (s *Service) notify(ctx context.Context, tx *store.Tx, a Account, kind, about string) error {
	queries := q.New(tx)
	rows, err := queries.ListEmails(ctx, a.Address[:])
	if err != nil {
		return fmt.Errorf("account: mailboxes of %v: %w", a.Address, err)
	}
	now := tx.Now()
	for _, r := range rows {
		if kind == noticeAttached && r.Email == about {
			continue
		}
		var id [16]byte
		if err := s.random(id[:]); err != nil {
			return err
		}
		err := queries.InsertNotice(ctx, q.InsertNoticeParams{
			NoticeID: id[:], Email: r.Email, Kind: kind, Username: a.Username, About: about,
			CreatedAt: now.UnixMilli(), ExpiresAt: now.Add(noticeLife).UnixMilli()})
		if err != nil {
			return fmt.Errorf("account: notice to a mailbox of %v: %w", a.Address, err)
		}
		tx.AfterCommit(s.Links.Wake)
	}
	return nil
}

// sendNotices mails the queued notices, at most mailBatch of them.
func (l *Links) sendNotices(ctx context.Context) error {
	s := l.Service
	var rows []q.UnsentNoticesRow
	err := s.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		now := tx.Now()
		rows, err = q.New(tx).UnsentNotices(ctx, q.UnsentNoticesParams{
			Now: now.UnixMilli(), ClaimedBefore: now.Add(-claimLife).UnixMilli(), Count: mailBatch})
		return err
	})
	for _, row := range rows {
		err = errors.Join(err, l.sendNotice(ctx, row))
	}
	return err
}

// sendNotice claims, mails and deletes one notice. A crash before the deletion mails the
// notice again once the claim has expired; a repeated notice is harmless.
func (l *Links) sendNotice(ctx context.Context, row q.UnsentNoticesRow) error {
	s := l.Service
	claimed := false
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := q.New(tx).ClaimNotice(ctx, q.ClaimNoticeParams{Now: tx.Now().UnixMilli(), NoticeID: row.NoticeID,
			ClaimedBefore: tx.Now().Add(-claimLife).UnixMilli()})
		claimed = n == 1
		return err
	})
	if err != nil || !claimed {
		return err
	}
	if err := l.Mailer.Send(ctx, row.Email, "A change of your Roshambo account", l.noticeText(row)); err != nil {
		return fmt.Errorf("account: mail a notice: %w", err)
	}
	return s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		return q.New(tx).DeleteNotice(ctx, row.NoticeID)
	})
}

// noticeText returns the body of a notice. It holds no link that signs in.
func (l *Links) noticeText(row q.UnsentNoticesRow) string {
	change := "Its password was changed, and all of its sessions ended."
	switch row.Kind {
	case noticeBotKey:
		return fmt.Sprintf("Your Roshambo account %s has a bot, %s. The host of a cup that the bot has joined has ended its "+
			"key. The bot goes on with a fresh key, which you alone get and see:\n\n%s/developers\n",
			row.Username, row.About, l.Base)
	case noticeDeleted:
		return fmt.Sprintf("Your Roshambo account %s was deleted, as its owner asked. This mailbox is no longer attached to "+
			"an account, and nothing more will be sent to it.\n", row.Username)
	case noticeAttached:
		change = "The mailbox " + row.About + " was attached to it."
	case noticeRemoved:
		change = "The mailbox " + row.About + " was removed from it."
	}
	return fmt.Sprintf("Your Roshambo account %s has changed. %s\n\n"+
		"If you made this change, do nothing. If not, change or reset the account's password at once, which ends all "+
		"sessions, and then check its mailboxes and API keys:\n\n%s/account\n", row.Username, change, l.Base)
}

// DropExpiredNotices deletes notices that could not be mailed and returns their number.
func (s *Service) DropExpiredNotices(ctx context.Context, tx *store.Tx) (int64, error) {
	return q.New(tx).DeleteExpiredNotices(ctx, tx.Now().UnixMilli())
}
