package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// RecentSignIn is how long after signing in a session may change the ways to sign in:
// password and mailboxes. A session that was stolen later needs the password for that, so
// its thief cannot keep the account.
const RecentSignIn = 10 * time.Minute

// ErrSignInRequired reports that the caller gave no password and that the session signed in
// longer than RecentSignIn ago, or never, like a guest's session.
var ErrSignInRequired = errors.New("account: neither the password nor a recent sign-in")

// Proof is a session's evidence that its browser belongs to the owner of the account.
type Proof struct {
	Token SessionToken

	// verified is the stored hash of the password that the caller gave; "" for none. The
	// transaction compares it with the stored one: a concurrent change voids the proof.
	verified string
}

// Origin is where a password comes from.
type Origin struct {
	Client netip.Addr  // the network address; zero when unknown
	Device DeviceToken // of the browser; zero for none
}

// CheckPassword returns the proof of a session of a that also gave a's password; an empty password
// adds nothing to the session. from is for the throttles of failed logins. It hashes, so it must
// run outside of transactions. Errors: ErrCredentials, *ThrottledError, ErrBusy.
func (s *Service) CheckPassword(
	ctx context.Context, a Account, token SessionToken, password string, from Origin,
) (Proof, error) {
	p := Proof{Token: token}
	if password == "" {
		return p, nil
	}
	login, err := s.CheckLogin(ctx, LoginOptions{Username: a.Username, Password: password, Client: from.Client,
		Device: from.Device})
	if err != nil {
		return p, err
	}
	if login.Address != a.Address { // a has been renamed, and another account has the name
		return p, ErrCredentials
	}
	p.verified = login.verified
	return p, nil
}

// Authorized checks a proof before work that a transaction must not do, such as hashing a
// password; the transaction checks the proof again. Errors: as authorize.
func (s *Service) Authorized(ctx context.Context, address chain.Address, p Proof) error {
	return s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error { return s.authorize(ctx, tx, address, p) })
}

// authorize checks that the session of p is active and may change the ways to sign in to
// the account: p has the account's current password, or the session signed in less than
// RecentSignIn ago. Errors: ErrNoSession, ErrCredentials if the password has changed since
// it was verified, ErrSignInRequired.
func (s *Service) authorize(ctx context.Context, tx *store.Tx, address chain.Address, p Proof) error {
	hash := p.Token.hash()
	row, err := q.New(tx).GetSignIn(ctx, q.GetSignInParams{TokenHash: hash[:], Address: address[:]})
	if err != nil {
		return store.Absent(err, ErrNoSession, "account: sign-in of %v", address)
	}
	if p.verified == "" {
		if !s.recent(row.SignedInAt) {
			return ErrSignInRequired
		}
		return nil
	}
	credential, err := s.credentialOf(ctx, tx, address)
	if err != nil {
		return err
	}
	if credential.Password != p.verified {
		return ErrCredentials
	}
	return nil
}

// credentialOf returns the password hash of an account and the time of its last change; the
// zero value for an account without a password.
func (s *Service) credentialOf(ctx context.Context, tx *store.Tx, a chain.Address) (q.GetCredentialOfRow, error) {
	row, err := q.New(tx).GetCredentialOf(ctx, a[:])
	if err != nil {
		return row, store.Absent(err, nil, "account: credential of %v", a)
	}
	return row, nil
}

// ChangeOptions are the arguments of ChangePassword.
type ChangeOptions struct {
	Address  chain.Address
	Proof    Proof
	Password string  // hash of the new password in PHC form, from Hasher
	Agent    string  // the browser's User-Agent
	Keep     []int64 // ids of the keys that stay valid
}

// ChangePassword sets the password of a full account, also its first one. It ends all
// sessions of the account, the calling one included, whose token may be known to a thief,
// pending links and all keys but those in o.Keep, its bots' included, and opens a new session. All mailboxes
// receive a notice. Errors: as authorize, and ErrNotFound for an unknown key.
func (s *Service) ChangePassword(ctx context.Context, tx *store.Tx, o ChangeOptions) (Opened, error) {
	if err := s.authorize(ctx, tx, o.Address, o.Proof); err != nil {
		return Opened{}, err
	}
	return s.setPassword(ctx, tx, o)
}

// setPassword stores a password hash, ends all sessions and keys of the account, queues the notices
// and opens a new session. It does not read o.Proof. Nothing of it remains if the transaction does not commit: the old
// password and the old sessions stay valid.
func (s *Service) setPassword(
	ctx context.Context, tx *store.Tx, o ChangeOptions,
) (opened Opened, err error) {
	address := o.Address
	// A guest has no password: it registers.
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return Opened{}, err
	}
	if a.Kind != chain.Full {
		return Opened{}, ErrSignInRequired
	}
	queries := q.New(tx)
	err = queries.SetCredential(ctx, q.SetCredentialParams{
		Address: address[:], Password: o.Password, ChangedAt: tx.Now().UnixMilli()})
	if err != nil {
		return Opened{}, fmt.Errorf("account: change the password of %v: %w", address, err)
	}
	if err := queries.DeleteSessionsOf(ctx, address[:]); err != nil {
		return Opened{}, fmt.Errorf("account: end all sessions of %v: %w", address, err)
	}
	// A thief may have requested or read one of the links: no pending one works any more.
	if err := queries.DeleteLinksOf(ctx, address[:]); err != nil {
		return Opened{}, fmt.Errorf("account: end the links of %v: %w", address, err)
	}
	ended, err := s.endKeys(ctx, tx, address, o.Keep)
	if err != nil {
		return Opened{}, err
	}
	if err := s.notify(ctx, tx, a, noticePassword, ""); err != nil {
		return Opened{}, err
	}
	opened, err = s.SignIn(ctx, tx, address, SessionToken{}, o.Agent)
	opened.EndedKeys = ended
	return opened, err
}

// EndOtherSessions ends all sessions of an account but the one of token, and all keys but those in keep, its
// bots' included. It replaces the
// token of that session and returns the new one, because a thief may have copied the old
// one; the session keeps its age and its time of signing in. Errors: ErrNoSession, and ErrNotFound for an
// unknown key.
func (s *Service) EndOtherSessions(
	ctx context.Context, tx *store.Tx, address chain.Address, token SessionToken, keep []int64,
) (Opened, error) {
	next, err := newSecret[sessionKind](s)
	if err != nil {
		return Opened{}, err
	}
	before, after, queries := token.hash(), next.hash(), q.New(tx)
	n, err := queries.ReplaceSessionToken(ctx, q.ReplaceSessionTokenParams{
		Next: after[:], TokenHash: before[:], Address: address[:]})
	if err != nil {
		return Opened{}, fmt.Errorf("account: replace a session's token: %w", err)
	}
	if n == 0 {
		return Opened{}, ErrNoSession
	}
	if err := s.endOthers(ctx, tx, address, next); err != nil {
		return Opened{}, err
	}
	ended, err := s.endKeys(ctx, tx, address, keep)
	if err != nil {
		return Opened{}, err
	}
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return Opened{}, err
	}
	state, _, err := s.Ledger.Account(ctx, tx, address)
	return Opened{Account: a, Balance: state.Balance, Token: next, EndedKeys: ended}, err
}

// endOthers ends all sessions of an account but the one of token, and its pending links: a thief may have
// requested or read one.
func (s *Service) endOthers(ctx context.Context, tx *store.Tx, address chain.Address, token SessionToken) error {
	keep, queries := token.hash(), q.New(tx)
	err := queries.DeleteOtherSessionsOf(ctx, q.DeleteOtherSessionsOfParams{Address: address[:], Keep: keep[:]})
	if err != nil {
		return fmt.Errorf("account: end the other sessions of %v: %w", address, err)
	}
	if err := queries.DeleteLinksOf(ctx, address[:]); err != nil {
		return fmt.Errorf("account: end the links of %v: %w", address, err)
	}
	return nil
}
