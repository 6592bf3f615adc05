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
	// ErrLink reports a link that was redeemed before, has expired, or was never sent.
	ErrLink = errors.New("account: no such link")
	// ErrEmail reports a malformed mail address.
	ErrEmail = errors.New("account: not an address of a mailbox")
)

// Mailer sends mails. An error means that the mail was not sent.
type Mailer interface {
	Send(ctx context.Context, to, subject, text string) error
}

// RequestLink queues a mail with a magic link to an address. The result does not reveal
// whether an account has that address. guest is the account of the requesting session, nil
// without one. Errors: ErrEmail.
func (s *Service) RequestLink(ctx context.Context, tx *store.Tx, email string, guest *chain.Address) error {
	// Reject a display name, a comment and a second address: the mailer would use them, too.
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
	Session *chain.Address // the account of the browser's session; nil for none
	Before  string         // the token of that session
	Agent   string         // the browser's User-Agent
	// ExistingOnly makes Redeem return ErrNewAccount where it would open a new account.
	ExistingOnly bool
}

// ErrNewAccount reports that redeeming a link would open a new account.
var ErrNewAccount = errors.New("account: the link opens a new account")

// Redeem opens a session for the recipient of a link. A known mail address signs in to its
// account. An unknown one is attached to the guest that requested the link, whichever
// browser opens it; to a full account it is attached only if the requesting browser opens
// the link. In all other cases Redeem opens a new account.
//
// The requester may have entered the mailbox of another person. Therefore, if another
// browser opens the link, all sessions and keys of the guest end: only the recipient of
// the mail keeps access. Errors: ErrLink, ErrNewAccount.
func (s *Service) Redeem(ctx context.Context, tx *store.Tx, o RedeemOptions) (Opened, error) {
	queries := q.New(tx)
	hash := hashToken(o.Token)
	link, err := queries.TakeMagicLink(ctx, hash[:])
	if errors.Is(err, sql.ErrNoRows) {
		return Opened{}, ErrLink
	}
	if err != nil {
		return Opened{}, fmt.Errorf("account: redeem: %w", err)
	}
	if s.Now().UnixMilli() >= link.ExpiresAt {
		return Opened{}, ErrLink
	}
	known, err := queries.GetEmail(ctx, emailKey(link.Email))
	if err == nil {
		return s.SignIn(ctx, tx, chain.Address(known.Address), o.Before, o.Agent)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return Opened{}, fmt.Errorf("account: redeem: %w", err)
	}
	address, err := s.accountFor(ctx, tx, link.Address, o)
	if err != nil {
		return Opened{}, err
	}
	n, err := queries.InsertEmail(ctx, q.InsertEmailParams{
		EmailKey: emailKey(link.Email), Email: link.Email, Address: address[:], VerifiedAt: s.Now().UnixMilli()})
	if err != nil {
		return Opened{}, fmt.Errorf("account: attach a mail address to %v: %w", address, err)
	}
	if n == 0 {
		return Opened{}, ErrLink // a concurrent call attached the address to another account
	}
	return s.SignIn(ctx, tx, address, o.Before, o.Agent)
}

// accountFor returns the address of the account that an unknown mail address is attached
// to. requester is the account that requested the link; nil for none. Errors: ErrNewAccount.
func (s *Service) accountFor(
	ctx context.Context, tx *store.Tx, requester []byte, o RedeemOptions,
) (chain.Address, error) {
	if requester == nil {
		return s.openForLink(ctx, tx, o)
	}
	a, err := s.Get(ctx, tx, chain.Address(requester))
	if err != nil {
		return chain.Address{}, err
	}
	if o.Session == nil || *o.Session != a.Address { // another browser than the requesting one
		if a.Kind != chain.Guest {
			return s.openForLink(ctx, tx, o)
		}
		if err := s.endAccess(ctx, tx, a.Address); err != nil {
			return chain.Address{}, err
		}
	}
	if err := q.New(tx).SetKind(ctx, q.SetKindParams{Kind: string(chain.Full), Address: a.Address[:]}); err != nil {
		return chain.Address{}, fmt.Errorf("account: secure %v: %w", a.Address, err)
	}
	if err := s.invalidateWith(tx, subject{account: a.Address}); err != nil {
		return chain.Address{}, err
	}
	return a.Address, s.notifyRenamed(ctx, tx, a)
}

// openForLink opens a full account for the recipient of a link. Errors: ErrNewAccount.
func (s *Service) openForLink(ctx context.Context, tx *store.Tx, o RedeemOptions) (chain.Address, error) {
	if o.ExistingOnly {
		return chain.Address{}, ErrNewAccount
	}
	opened, err := s.open(ctx, tx, chain.Full, "")
	return opened.Account.Address, err
}

// endAccess ends the sessions of an account and revokes its keys and its bots' keys.
func (s *Service) endAccess(ctx context.Context, tx *store.Tx, address chain.Address) error {
	now := s.Now().UnixMilli()
	if err := q.New(tx).RevokeAllKeysOf(ctx, q.RevokeAllKeysOfParams{Now: &now, Address: address[:]}); err != nil {
		return fmt.Errorf("account: revoke all keys of %v: %w", address, err)
	}
	if err := q.New(tx).DeleteSessionsOf(ctx, address[:]); err != nil {
		return fmt.Errorf("account: end all sessions of %v: %w", address, err)
	}
	return s.invalidateWith(tx, allCallers) // the cache does not know the owners of bots
}

// emailKey returns the form in which mail addresses are compared. The local part is
// case-sensitive by RFC 5321, but mail systems treat it as case-insensitive in practice.
func emailKey(email string) string { return strings.ToLower(email) }

// Links mails the queued magic links.
type Links struct {
	Service *Service
	Mailer  Mailer
	Base    string // public URL of the page, for example https://example.org
	wake    chan struct{}
}

// NewLinks returns Links that mail nothing until Send is called.
func NewLinks(s *Service, m Mailer) *Links {
	return &Links{Service: s, Mailer: m, wake: make(chan struct{}, 1)}
}

// Wake signals Woken that a mail is queued. It never blocks.
func (l *Links) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Woken returns the channel that receives after a call of Wake.
func (l *Links) Woken() <-chan struct{} { return l.wake }

const (
	// claimLife is the lease of a mail: how long one node may take to send it before
	// another node tries.
	claimLife = time.Minute
	// mailBatch is the maximum number of mails of one Send.
	mailBatch = 50
)

// Send mails the queued links. It claims a mail, sends it, then marks it as sent. A crash
// before the mark sends the mail again once the claim has expired; this is harmless, as a
// link can be redeemed only once.
func (l *Links) Send(ctx context.Context) error {
	s := l.Service
	now := s.Now()
	var rows []q.UnsentLinksRow
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		rows, err = q.New(tx).UnsentLinks(ctx, q.UnsentLinksParams{
			Now: now.UnixMilli(), ClaimedBefore: now.Add(-claimLife).UnixMilli(), Count: mailBatch})
		return err
	})
	for _, row := range rows {
		err = errors.Join(err, l.send(ctx, row))
	}
	return err
}

// send claims, mails and marks one link. It sends nothing if another node holds the claim
// or has sent the mail.
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

// text returns the body of the mail. The token is in the fragment of the URL, which
// browsers do not send to any server.
func (l *Links) text(token string) string {
	return fmt.Sprintf("Open this link within %d minutes to sign in to Roshambo:\n\n%s/link#%s\n\n"+
		"It works once. If you did not ask for it, do nothing.\n", int(LinkLife.Minutes()), l.Base, token)
}

// DropExpiredLinks deletes expired links and returns their number.
func (s *Service) DropExpiredLinks(ctx context.Context, tx *store.Tx) (int64, error) {
	return q.New(tx).DeleteExpiredLinks(ctx, s.Now().UnixMilli())
}
