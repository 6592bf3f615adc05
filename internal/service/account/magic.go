package account

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// LinkLife is how long a magic link can be redeemed.
const LinkLife = 15 * time.Minute

// Errors of magic links.
var (
	// ErrLink says that a link was redeemed before, is too old, or was never sent.
	ErrLink = errors.New("account: no such link")
	// ErrEmail says that no mail can be sent to what should be an address.
	ErrEmail = errors.New("account: not an address of a mailbox")
)

// Mailer sends a mail, or returns an error and has not.
type Mailer interface {
	Send(ctx context.Context, to, subject, text string) error
}

// RequestLink notes that a link is to be mailed to an address. Nothing tells whether
// the address is known. guest is the account that asks, when it has a session. Errors:
// ErrEmail.
func (s *Service) RequestLink(ctx context.Context, tx *store.Tx, email string, guest *chain.Address) error {
	// A name beside the address, a comment or a second address would be mailed to, too.
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || a.Name != "" {
		return ErrEmail
	}
	var secret [32]byte
	if err := s.random(secret[:]); err != nil {
		return err
	}
	token := base64.RawURLEncoding.EncodeToString(secret[:])
	hash, now := hashToken(token), s.Now()
	p := q.InsertMagicLinkParams{
		TokenHash: hash[:], Token: s.Vault.Seal([]byte(token), hash[:]), Email: email,
		CreatedAt: now.UnixMilli(), ExpiresAt: now.Add(LinkLife).UnixMilli(),
	}
	if guest != nil {
		p.Address = guest[:]
	}
	if err := q.New(tx).InsertMagicLink(ctx, p); err != nil {
		return fmt.Errorf("account: request link: %w", err)
	}
	tx.AfterCommit(s.Links.Wake)
	return nil
}

// RedeemOptions are a link's token and the session of the browser that redeems it.
type RedeemOptions struct {
	Token   string
	Session *chain.Address // whose session the browser has; nil for none
	Before  string         // that session's token
	Agent   string
}

// Redeem opens a session for who received a link. A known address signs in to its
// account. An unknown one is attached to the guest that asked, wherever the link is
// opened, and to an account that is no guest's only by the browser that asked; in all
// other cases it opens a new account.
//
// Whoever asks may name somebody else's mailbox. So, when another browser opens the
// link, all that could act for the guest before ends: who receives the mail has the
// account alone. Errors: ErrLink.
func (s *Service) Redeem(ctx context.Context, tx *store.Tx, o RedeemOptions) (Opened, error) {
	queries := q.New(tx)
	hash := hashToken(o.Token)
	link, err := queries.TakeMagicLink(ctx, hash[:])
	if errors.Is(err, sql.ErrNoRows) || err == nil && s.Now().UnixMilli() >= link.ExpiresAt {
		return Opened{}, ErrLink
	}
	if err != nil {
		return Opened{}, fmt.Errorf("account: redeem: %w", err)
	}
	known, err := queries.GetEmail(ctx, emailKey(link.Email))
	if err == nil {
		return s.SignIn(ctx, tx, chain.Address(known.Address), o.Before, o.Agent)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return Opened{}, fmt.Errorf("account: redeem: %w", err)
	}
	address, err := s.accountFor(ctx, tx, link.Address, o.Session)
	if err != nil {
		return Opened{}, err
	}
	n, err := queries.InsertEmail(ctx, q.InsertEmailParams{
		EmailKey: emailKey(link.Email), Email: link.Email, Address: address[:], VerifiedAt: s.Now().UnixMilli()})
	if err != nil {
		return Opened{}, fmt.Errorf("account: attach address to %v: %w", address, err)
	}
	if n == 0 {
		return Opened{}, ErrLink // attached elsewhere at the same time
	}
	return s.SignIn(ctx, tx, address, o.Before, o.Agent)
}

// accountFor returns the account that an unknown address is attached to. asked is the
// account that asked for the link, session the one that redeems it; nil for none.
func (s *Service) accountFor(ctx context.Context, tx *store.Tx, asked []byte, session *chain.Address) (chain.Address, error) {
	if asked == nil {
		opened, err := s.open(ctx, tx, chain.Full, "")
		return opened.Account.Address, err
	}
	a, err := s.Get(ctx, tx, chain.Address(asked))
	if err != nil {
		return chain.Address{}, err
	}
	if session == nil || *session != a.Address { // another browser than the one that asked
		if a.Kind != chain.Guest {
			opened, err := s.open(ctx, tx, chain.Full, "")
			return opened.Account.Address, err
		}
		if err := s.shutOut(ctx, tx, a.Address); err != nil {
			return chain.Address{}, err
		}
	}
	if err := q.New(tx).SetKind(ctx, q.SetKindParams{Kind: string(chain.Full), Address: a.Address[:]}); err != nil {
		return chain.Address{}, fmt.Errorf("account: secure %v: %w", a.Address, err)
	}
	if err := s.forgetWith(tx, subject{account: a.Address}); err != nil {
		return chain.Address{}, err
	}
	return a.Address, s.changed(ctx, tx, a)
}

// shutOut ends all that acts for an account: its sessions, its keys and its bots' keys.
func (s *Service) shutOut(ctx context.Context, tx *store.Tx, address chain.Address) error {
	now := s.Now().UnixMilli()
	err := q.New(tx).RevokeAllKeysOf(ctx, q.RevokeAllKeysOfParams{Now: &now, Address: address[:]})
	if err == nil {
		err = q.New(tx).DeleteSessionsOf(ctx, address[:])
	}
	if err != nil {
		return fmt.Errorf("account: shut out of %v: %w", address, err)
	}
	return s.forgetWith(tx, everybody) // whose bots they are is not remembered
}

// emailKey is what addresses are compared by. The part before the @ may mean different
// mailboxes in different cases, but none that anybody has seen.
func emailKey(email string) string { return strings.ToLower(email) }

// Links mails the links that were asked for.
type Links struct {
	Service *Service
	Mailer  Mailer
	Base    string // where browsers reach the page, for example https://example.org
	wake    chan struct{}
}

// NewLinks returns Links that mail nothing until Run.
func NewLinks(s *Service, m Mailer) *Links {
	return &Links{Service: s, Mailer: m, wake: make(chan struct{}, 1)}
}

// Wake tells that there is a mail to send.
func (l *Links) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Woken is where Wake is heard.
func (l *Links) Woken() <-chan struct{} { return l.wake }

const (
	// claimLife is how long one node may take over a mail before another tries.
	claimLife = time.Minute
	// mailsAtOnce bounds one pass.
	mailsAtOnce = 50
)

// Send mails what waits. A mail is first claimed, then sent, then marked as sent: a
// crash in between sends it again after a minute, which does no harm, as its link can
// be redeemed once.
func (l *Links) Send(ctx context.Context) error {
	s := l.Service
	now := s.Now()
	var rows []q.UnsentLinksRow
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		rows, err = q.New(tx).UnsentLinks(ctx, q.UnsentLinksParams{
			Now: now.UnixMilli(), ClaimedBefore: now.Add(-claimLife).UnixMilli(), Count: mailsAtOnce})
		return err
	})
	for _, row := range rows {
		err = errors.Join(err, l.send(ctx, row))
	}
	return err
}

func (l *Links) send(ctx context.Context, row q.UnsentLinksRow) error {
	s := l.Service
	token, err := s.Vault.Open(row.Token, row.TokenHash)
	if err != nil {
		return fmt.Errorf("account: link: %w", err)
	}
	claimed := false
	err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := q.New(tx).ClaimLink(ctx, q.ClaimLinkParams{Now: s.Now().UnixMilli(), TokenHash: row.TokenHash,
			ClaimedBefore: s.Now().Add(-claimLife).UnixMilli()})
		claimed = n == 1
		return err
	})
	if err != nil || !claimed {
		return err
	}
	if err := l.Mailer.Send(ctx, row.Email, "Your link to Roshambo", l.text(string(token))); err != nil {
		return fmt.Errorf("account: mail a link: %w", err)
	}
	return s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		sent := s.Now().UnixMilli()
		return q.New(tx).LinkSent(ctx, q.LinkSentParams{Now: &sent, TokenHash: row.TokenHash})
	})
}

// text is the mail. The token stands behind a #, which browsers send to nobody.
func (l *Links) text(token string) string {
	return fmt.Sprintf("Open this link within %d minutes to sign in to Roshambo:\n\n%s/link#%s\n\n"+
		"It works once. If you did not ask for it, do nothing.\n", int(LinkLife.Minutes()), l.Base, token)
}

// DropExpiredLinks deletes links that are too old, and returns how many.
func (s *Service) DropExpiredLinks(ctx context.Context, tx *store.Tx) (int64, error) {
	return q.New(tx).DeleteExpiredLinks(ctx, s.Now().UnixMilli())
}
