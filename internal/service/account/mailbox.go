package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// MaxMailboxes limits the mailboxes of one account, and with them the notices of one change.
const MaxMailboxes = 5

// ErrLastCredential reports that an account without a password has one mailbox left.
var ErrLastCredential = errors.New("account: the last way to sign in")

// Mailbox is a verified mail address of an account.
type Mailbox struct {
	Email      string // as entered
	VerifiedAt time.Time
}

// Mailboxes returns the mailboxes of an account, the oldest first, and whether the account
// has a password.
func (s *Service) Mailboxes(
	ctx context.Context, tx *store.Tx, address chain.Address,
) (list []Mailbox, password bool, err error) {
	rows, err := q.New(tx).ListEmails(ctx, address[:])
	if err != nil {
		return nil, false, fmt.Errorf("account: mailboxes of %v: %w", address, err)
	}
	for _, r := range rows {
		list = append(list, Mailbox{Email: r.Email, VerifiedAt: column.Time(r.VerifiedAt)})
	}
	credential, err := s.credentialOf(ctx, tx, address)
	return list, credential.Password != "", err
}

// RemoveMailbox detaches a mailbox from an account; letter case does not matter. Links that
// wait in the mailbox open no session of the account any more: redeeming looks up the
// mailbox. All mailboxes receive a notice, the removed one included. Errors: as authorize,
// ErrNotFound, ErrLastCredential.
func (s *Service) RemoveMailbox(
	ctx context.Context, tx *store.Tx, address chain.Address, p Proof, email string,
) error {
	if err := s.authorize(ctx, tx, address, p); err != nil {
		return err
	}
	// Of two concurrent removals, one must see that the other leaves the last mailbox.
	if err := s.lock(ctx, tx, address); err != nil {
		return err
	}
	list, password, err := s.Mailboxes(ctx, tx, address)
	if err != nil {
		return err
	}
	removed := ""
	for _, m := range list {
		if emailKey(m.Email) == emailKey(email) {
			removed = m.Email
		}
	}
	if removed == "" {
		return ErrNotFound
	}
	if len(list) == 1 && !password {
		return ErrLastCredential
	}
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return err
	}
	// The notices are queued in the transaction of the removal: a crash leaves both or neither.
	if err := s.notify(ctx, tx, a, noticeRemoved, removed); err != nil {
		return err
	}
	n, err := q.New(tx).DeleteEmail(ctx, q.DeleteEmailParams{EmailKey: emailKey(removed), Address: address[:]})
	if err != nil {
		return fmt.Errorf("account: remove a mailbox of %v: %w", address, err)
	}
	if n == 0 {
		return ErrNotFound
	}
	return nil
}

// attach stores a verified mailbox of an account and queues the notices to the mailboxes
// that the account had before. Errors: ErrLimit, ErrLink if the mailbox belongs to another
// account by now.
func (s *Service) attach(ctx context.Context, tx *store.Tx, a Account, email string) error {
	if err := s.lock(ctx, tx, a.Address); err != nil {
		return err
	}
	queries := q.New(tx)
	rows, err := queries.ListEmails(ctx, a.Address[:])
	if err != nil {
		return fmt.Errorf("account: mailboxes of %v: %w", a.Address, err)
	}
	if len(rows) >= MaxMailboxes {
		return ErrLimit
	}
	n, err := queries.InsertEmail(ctx, q.InsertEmailParams{
		EmailKey: emailKey(email), Email: email, Address: a.Address[:], VerifiedAt: tx.Now().UnixMilli()})
	if err != nil {
		return fmt.Errorf("account: attach a mail address to %v: %w", a.Address, err)
	}
	if n == 0 {
		return ErrLink // a concurrent call attached the address to another account
	}
	return s.notify(ctx, tx, a, noticeAttached, email)
}
