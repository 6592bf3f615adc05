package account

import (
	"context"
	"database/sql"
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

// The kinds of links, as stored.
const (
	linkSignIn = "sign_in"
	linkReset  = "reset"
)

// LinkRequest are the arguments of RequestLink.
type LinkRequest struct {
	Email     string
	Requester *chain.Address // the account of the requesting session; nil without one
	Proof     Proof          // of that session; zero for a guest, which needs none
	RequestID string         // of the request, for the log; "" for none
}

// RequestLink queues a mail with a magic link to an address. The result does not reveal
// whether an account has that address. The link records whether the proof suffices to
// attach the address to the requester's account. Errors: ErrEmail.
func (s *Service) RequestLink(ctx context.Context, tx *store.Tx, r LinkRequest) error {
	p := q.InsertMagicLinkParams{Kind: linkSignIn, Email: r.Email, RequestID: r.RequestID}
	if r.Requester != nil {
		p.Address = r.Requester[:]
	}
	if r.Requester != nil && !r.Proof.Token.None() {
		switch err := s.authorize(ctx, tx, *r.Requester, r.Proof); {
		case err == nil:
			p.Confirmed = 1
		case !errors.Is(err, ErrNoSession) && !errors.Is(err, ErrSignInRequired):
			return err
		}
	}
	return s.queueLink(ctx, tx, p)
}

// RequestReset queues a mail with a link that resets the password of the account of an
// address. It stores the same row whether or not an account has the address, so that
// neither the result nor its time reveals that; Send drops the row of an unknown address.
// The id of the request is for the log. Errors: ErrEmail.
func (s *Service) RequestReset(ctx context.Context, tx *store.Tx, email, requestID string) error {
	return s.queueLink(ctx, tx, q.InsertMagicLinkParams{Kind: linkReset, Email: email, RequestID: requestID})
}

// queueLink stores a link of p's kind, mailbox and requester, with a new token. Errors:
// ErrEmail.
func (s *Service) queueLink(ctx context.Context, tx *store.Tx, p q.InsertMagicLinkParams) error {
	// Reject a display name, a comment and a second address: the mailer would use them, too.
	if a, err := mail.ParseAddress(p.Email); err != nil || a.Address != p.Email || a.Name != "" {
		return ErrEmail
	}
	token, hash, err := s.newLinkToken(p.Kind)
	if err != nil {
		return err
	}
	now := tx.Now()
	p.TokenHash, p.Token = hash[:], s.Vault.Seal([]byte(token), hash[:])
	p.EmailKey = emailKey(p.Email) // SQL's lower knows only ASCII on SQLite
	p.CreatedAt, p.ExpiresAt = now.UnixMilli(), now.Add(LinkLife).UnixMilli()
	if err := q.New(tx).InsertMagicLink(ctx, p); err != nil {
		return fmt.Errorf("account: request link: %w", err)
	}
	tx.AfterCommit(s.Links.Wake)
	return nil
}

// newLinkToken returns the text of a random token of a kind of link, and its hash.
func (s *Service) newLinkToken(kind string) (text string, hash [32]byte, err error) {
	if kind == linkReset {
		token, err := newSecret[resetKind](s)
		return token.text, token.hash(), err
	}
	token, err := newSecret[linkKind](s)
	return token.text, token.hash(), err
}

// RedeemOptions are a link's token and the session of the browser that redeems it.
type RedeemOptions struct {
	Token   LinkToken
	Session *chain.Address // the account of the browser's session; nil for none
	Before  SessionToken   // of that session
	Agent   string         // the browser's User-Agent
	// ExistingOnly makes Redeem return ErrNewAccount where it would open a new account.
	ExistingOnly bool
	Start        Start   // of a new account
	Keep         []int64 // ids of the guest's keys and its bots' keys that stay valid in the guest's own browser
}

// ErrNewAccount reports that redeeming a link would open a new account.
var ErrNewAccount = errors.New("account: the link opens a new account")

// Redeem opens a session for the recipient of a link. A known mail address signs in to its
// account. An unknown one is attached to the guest that requested the link, whichever
// browser opens it. To a full account it is attached only if the requesting browser opens
// the link and proved to belong to the owner, with the request or by a recent sign-in:
// otherwise the thief of a session could attach a mailbox and keep the account. In all
// other cases Redeem opens a new account.
//
// The requester may have entered the mailbox of another person. Therefore, if another
// browser opens the link, all sessions and keys of the guest end: only the recipient of
// the mail keeps access. In the guest's own browser the keys end, except o.Keep. Errors:
// ErrLink, ErrLimit, ErrNewAccount, ErrNotFound for an unknown key, and ErrSignInRequired. All
// but ErrLink leave the link valid.
func (s *Service) Redeem(ctx context.Context, tx *store.Tx, o RedeemOptions) (Opened, error) {
	if o.Token.None() {
		return Opened{}, ErrLink
	}
	if err := s.lockLinked(ctx, tx, linkSignIn, o.Token.hash()); err != nil {
		return Opened{}, err
	}
	link, err := s.takeLink(ctx, tx, linkSignIn, o.Token.hash())
	if err != nil {
		return Opened{}, err
	}
	known, err := q.New(tx).GetEmail(ctx, emailKey(link.Email))
	if err == nil {
		return s.SignIn(ctx, tx, chain.Address(known.Address), o.Before, o.Agent)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return Opened{}, fmt.Errorf("account: redeem: %w", err)
	}
	a, ended, err := s.accountFor(ctx, tx, link, o)
	if err != nil {
		return Opened{}, err
	}
	if err := s.attach(ctx, tx, a, link.Email); err != nil {
		return Opened{}, err
	}
	opened, err := s.SignIn(ctx, tx, a.Address, o.Before, o.Agent)
	opened.EndedKeys = ended
	return opened, err
}

// lockLinked locks the account that a link is for before the link and the account's sessions are changed: the
// account's other use cases, and its deletion, lock them in this order. That is the owner of the link's mailbox, also
// when another account asked for the link; a mailbox without an owner may become the requester's. A link that is gone
// is refused by takeLink.
func (s *Service) lockLinked(ctx context.Context, tx *store.Tx, kind string, hash [32]byte) error {
	link, err := q.New(tx).GetLink(ctx, q.GetLinkParams{TokenHash: hash[:], Kind: kind})
	address := link.Address
	if err == nil {
		var mailbox q.GetEmailRow
		mailbox, err = q.New(tx).GetEmail(ctx, emailKey(link.Email))
		switch {
		case err == nil:
			address = mailbox.Address
		case errors.Is(err, sql.ErrNoRows):
			err = nil
		}
	}
	if err == nil && address != nil {
		_, err = q.New(tx).LockAccount(ctx, address)
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("account: lock the account of a link: %w", err)
	}
	return nil
}

// takeLink deletes the link of a kind with the hash of a token and returns it. Errors: ErrLink.
func (s *Service) takeLink(
	ctx context.Context, tx *store.Tx, kind string, hash [32]byte,
) (q.TakeMagicLinkRow, error) {
	link, err := q.New(tx).TakeMagicLink(ctx, q.TakeMagicLinkParams{TokenHash: hash[:], Kind: kind})
	if errors.Is(err, sql.ErrNoRows) {
		return link, ErrLink
	}
	if err != nil {
		return link, fmt.Errorf("account: redeem: %w", err)
	}
	if tx.Now().UnixMilli() >= link.ExpiresAt {
		return link, ErrLink
	}
	return link, nil
}

// accountFor returns the account that the unknown mail address of a link is attached to, and
// the keys of it that have ended. Errors: ErrNewAccount, ErrSignInRequired, ErrNotFound.
func (s *Service) accountFor(
	ctx context.Context, tx *store.Tx, link q.TakeMagicLinkRow, o RedeemOptions,
) (a Account, ended []Key, err error) {
	if link.Address == nil { // requested without a session
		a, err = s.openForLink(ctx, tx, o)
		return a, nil, err
	}
	if a, err = s.Get(ctx, tx, chain.Address(link.Address)); err != nil {
		return a, nil, err
	}
	sameBrowser := o.Session != nil && *o.Session == a.Address
	if !sameBrowser && a.Kind != chain.Guest {
		a, err = s.openForLink(ctx, tx, o)
		return a, nil, err
	}
	switch {
	case a.Kind == chain.Full && link.Confirmed == 0:
		// A later sign-in would not say who has requested it: the thief of a session sends the link to the owner.
		err = ErrSignInRequired
	case !sameBrowser:
		err = s.endAccess(ctx, tx, a.Address)
	case a.Kind == chain.Guest:
		ended, err = s.endKeys(ctx, tx, a.Address, o.Keep)
	}
	if err != nil {
		return a, nil, err
	}
	if a.Kind == chain.Guest {
		if err := s.makeFull(ctx, tx, a.Address, link.Email); err != nil {
			return a, nil, err
		}
	}
	if err := s.secure(ctx, tx, a.Address); err != nil {
		return Account{}, nil, err
	}
	return a, ended, s.notifyRenamed(ctx, tx, a)
}

// makeFull turns a guest into a full account, with a mailbox or "". The guest's pending links to others end: a thief of
// its cookie may have requested one to a mailbox of its own, which the owner's browser would attach.
func (s *Service) makeFull(ctx context.Context, tx *store.Tx, guest chain.Address, mailbox string) error {
	queries := q.New(tx)
	if err := queries.SetKind(ctx, q.SetKindParams{Kind: string(chain.Full), Address: guest[:]}); err != nil {
		return fmt.Errorf("account: secure %v: %w", guest, err)
	}
	others := q.DeleteLinksExceptParams{Address: guest[:], EmailKey: emailKey(mailbox)}
	if err := queries.DeleteLinksExcept(ctx, others); err != nil {
		return fmt.Errorf("account: end the links of %v: %w", guest, err)
	}
	return nil
}

// CheckReset checks that a reset link is valid and that its account may have the new password, before
// that is hashed. Errors: ErrLink, ErrWeakPassword.
func (s *Service) CheckReset(ctx context.Context, token ResetToken, password string) error {
	if token.None() {
		return ErrLink
	}
	hash := token.hash()
	return s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		link, err := q.New(tx).GetLink(ctx, q.GetLinkParams{
			TokenHash: hash[:], Kind: linkReset, ExpiresAt: tx.Now().UnixMilli()})
		if errors.Is(err, sql.ErrNoRows) {
			return ErrLink
		}
		if err != nil {
			return fmt.Errorf("account: reset: %w", err)
		}
		mailbox, err := q.New(tx).GetEmail(ctx, emailKey(link.Email))
		if errors.Is(err, sql.ErrNoRows) {
			return ErrLink
		}
		if err != nil {
			return fmt.Errorf("account: reset: %w", err)
		}
		a, err := s.Get(ctx, tx, chain.Address(mailbox.Address))
		if err != nil {
			return err
		}
		return s.CheckNewPassword(password, a.Username)
	})
}

// ResetOptions are the arguments of RedeemReset.
type ResetOptions struct {
	Token    ResetToken
	Password string       // hash of the new password in PHC form, from Hasher
	Before   SessionToken // of the browser; zero for none
	Agent    string       // the browser's User-Agent
	Keep     []int64      // ids of the keys that stay valid
}

// RedeemReset sets the password of the account that has the link's mailbox now, ends all of
// the account's sessions and opens a new one. A change of the password or the removal of
// the mailbox voids the links that were requested before. Errors: ErrLink.
func (s *Service) RedeemReset(ctx context.Context, tx *store.Tx, o ResetOptions) (Opened, error) {
	if o.Token.None() {
		return Opened{}, ErrLink
	}
	if err := s.lockLinked(ctx, tx, linkReset, o.Token.hash()); err != nil {
		return Opened{}, err
	}
	link, err := s.takeLink(ctx, tx, linkReset, o.Token.hash())
	if err != nil {
		return Opened{}, err
	}
	mailbox, err := q.New(tx).GetEmail(ctx, emailKey(link.Email))
	if errors.Is(err, sql.ErrNoRows) {
		return Opened{}, ErrLink
	}
	if err != nil {
		return Opened{}, fmt.Errorf("account: reset: %w", err)
	}
	address := chain.Address(mailbox.Address)
	credential, err := s.credentialOf(ctx, tx, address)
	if err != nil {
		return Opened{}, err
	}
	if credential.ChangedAt > link.CreatedAt {
		return Opened{}, ErrLink
	}
	if !o.Before.None() {
		if err := s.EndSession(ctx, tx, o.Before); err != nil {
			return Opened{}, err
		}
	}
	return s.setPassword(ctx, tx, ChangeOptions{Address: address, Password: o.Password, Agent: o.Agent, Keep: o.Keep})
}

// openForLink opens a full account for the recipient of a link. Errors: ErrNewAccount.
func (s *Service) openForLink(ctx context.Context, tx *store.Tx, o RedeemOptions) (Account, error) {
	if o.ExistingOnly {
		return Account{}, ErrNewAccount
	}
	opened, err := s.open(ctx, tx, chain.Full, "", o.Start)
	return opened.Account, err
}

// endAccess ends the sessions of an account and revokes its keys and its bots' keys.
func (s *Service) endAccess(ctx context.Context, tx *store.Tx, address chain.Address) error {
	if err := s.lockKeysOf(ctx, tx, address); err != nil {
		return err
	}
	now := tx.Now().UnixMilli()
	if err := q.New(tx).RevokeAllKeysOf(ctx, q.RevokeAllKeysOfParams{Now: &now, Address: address[:]}); err != nil {
		return fmt.Errorf("account: revoke all keys of %v: %w", address, err)
	}
	if err := q.New(tx).DeleteSessionsOf(ctx, address[:]); err != nil {
		return fmt.Errorf("account: end all sessions of %v: %w", address, err)
	}
	return nil
}

// MailboxKey returns the form in which attempts to mail an address count: without the tag behind a plus
// sign, because mail systems deliver all tags to one mailbox.
func MailboxKey(email string) string {
	local, domain, _ := strings.Cut(emailKey(email), "@")
	local, _, _ = strings.Cut(local, "+")
	return local + "@" + domain
}

// emailKey returns the form in which mail addresses are compared. The local part is
// case-sensitive by RFC 5321, but mail systems treat it as case-insensitive in practice.
func emailKey(email string) string { return strings.ToLower(email) }

// Links mails the queued links and notices.
type Links struct {
	Service *Service
	Mailer  Mailer
	Base    string // public URL of the page, for example https://example.org

	// Sent is called for each link that was mailed, with its kind and the id of the request for it; nil for none.
	Sent func(kind, requestID string)

	wake chan struct{}
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

// Send mails the queued links and notices. It claims a mail, sends it, then marks it as sent. A crash
// before the mark sends the mail again once the claim has expired; this is harmless, as a
// link can be redeemed only once.
func (l *Links) Send(ctx context.Context) error {
	s := l.Service
	var rows []q.UnsentLinksRow
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		now := tx.Now()
		rows, err = q.New(tx).UnsentLinks(ctx, q.UnsentLinksParams{
			Now: now.UnixMilli(), ClaimedBefore: now.Add(-claimLife).UnixMilli(), Count: mailBatch})
		return err
	})
	for _, row := range rows {
		err = errors.Join(err, l.send(ctx, row))
	}
	return errors.Join(err, l.sendNotices(ctx))
}

// send claims, mails and marks one link. It sends nothing if another node holds the claim
// or has sent the mail, or if no account has the mailbox of a reset link.
func (l *Links) send(ctx context.Context, row q.UnsentLinksRow) error {
	s := l.Service
	token, err := s.Vault.Open(row.Token, row.TokenHash)
	if err != nil {
		return fmt.Errorf("account: link: %w", err)
	}
	var m linkMail
	err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		m, err = s.claimLink(ctx, tx, row)
		return err
	})
	if err != nil || m.subject == "" {
		return err
	}
	if err := l.Mailer.Send(ctx, row.Email, m.subject, l.text(m, string(token))); err != nil {
		return fmt.Errorf("account: mail a link: %w", err)
	}
	if l.Sent != nil {
		l.Sent(row.Kind, row.RequestID)
	}
	return s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		sent := tx.Now().UnixMilli()
		return q.New(tx).LinkSent(ctx, q.LinkSentParams{Now: &sent, TokenHash: row.TokenHash})
	})
}

// linkMail says what a link is for.
type linkMail struct {
	subject string // "" for a link that is not to be mailed
	purpose string // completes "Open this link within 15 minutes to"
	path    string // of the page that redeems the link, up to its token
	effect  string // completes "It works once"
}

// The pages that redeem links.
const (
	signInPath = "/link#"
	resetPath  = "/account#reset="
)

// claimLink claims a link, and returns what its mail says. Errors come from the database.
func (s *Service) claimLink(ctx context.Context, tx *store.Tx, row q.UnsentLinksRow) (m linkMail, err error) {
	n, err := q.New(tx).ClaimLink(ctx, q.ClaimLinkParams{Now: tx.Now().UnixMilli(), TokenHash: row.TokenHash,
		ClaimedBefore: tx.Now().Add(-claimLife).UnixMilli()})
	if err != nil || n == 0 {
		return m, err
	}
	mailbox, err := q.New(tx).GetEmail(ctx, emailKey(row.Email))
	owned := err == nil // by an account
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return m, fmt.Errorf("account: mailbox of a link: %w", err)
	}
	switch {
	case owned:
		a, err := s.Get(ctx, tx, chain.Address(mailbox.Address))
		if err != nil {
			return m, err
		}
		if row.Kind == linkReset {
			return linkMail{"Reset your Roshambo password", "choose a new password for your Roshambo account " + a.Username,
				resetPath, " and ends all sessions of the account"}, nil
		}
		return linkMail{"Sign in to Roshambo", "sign in to Roshambo as " + a.Username, signInPath, ""}, nil
	case row.Kind == linkReset:
		return m, q.New(tx).DeleteLink(ctx, row.TokenHash)
	case row.Address == nil:
		return linkMail{"Open your Roshambo account", "open a Roshambo account with this email address", signInPath, ""}, nil
	default:
		return s.attachMail(ctx, tx, chain.Address(row.Address))
	}
}

// attachMail returns what the mail of a link says that adds an address to the account of its requester, as far as is
// known before the link is opened.
func (s *Service) attachMail(ctx context.Context, tx *store.Tx, requester chain.Address) (m linkMail, err error) {
	a, err := s.Get(ctx, tx, requester)
	if err != nil {
		return m, err
	}
	if a.Kind == chain.Guest {
		return linkMail{"Save your Roshambo account", "save the Roshambo account " + a.Username +
			" with this email address", signInPath, ""}, nil
	}
	return linkMail{"Add this address to your Roshambo account", "add this email address to the Roshambo account " +
		a.Username, signInPath, ", in the browser that asked for it"}, nil
}

// text returns the body of a mail. The token is in the fragment of the URL, which
// browsers do not send to any server.
func (l *Links) text(m linkMail, token string) string {
	return fmt.Sprintf("Open this link within %d minutes to %s:\n\n%s%s%s\n\n"+
		"It works once%s. If you did not ask for it, do nothing.\n",
		int(LinkLife.Minutes()), m.purpose, l.Base, m.path, token, m.effect)
}

// DropExpiredLinks deletes expired links and returns their number.
func (s *Service) DropExpiredLinks(ctx context.Context, tx *store.Tx) (int64, error) {
	return q.New(tx).DeleteExpiredLinks(ctx, tx.Now().UnixMilli())
}
