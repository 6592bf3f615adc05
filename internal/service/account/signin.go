package account

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// usernamePattern matches usernames: 3 to 32 characters. No two look alike (package names).
var usernamePattern = regexp.MustCompile(UsernamePattern)

// UsernamePattern is the regular expression of a valid username.
const UsernamePattern = `^[A-Za-z0-9_-]{3,32}$`

// Errors of signing in.
var (
	ErrUsernameTaken = errors.New("account: the username is taken")
	ErrUsername      = errors.New("account: not a username")
	ErrRegistered    = errors.New("account: the account has a password already")
)

// RegisterOptions are the arguments of Register.
type RegisterOptions struct {
	Username string
	Password string         // hash in PHC form from Hasher, never the password itself
	Guest    *chain.Address // the account to secure; nil opens a new one
	Token    SessionToken   // of its session, which ends; zero for none
	Agent    string         // the browser's User-Agent
	Start    Start          // of a new account
	Keep     []int64        // ids of the account's keys and its bots' keys that stay valid
}

// CheckRegister checks what Register checks before the password is hashed, which is
// expensive; Register checks it again. Errors: as Register.
func (s *Service) CheckRegister(ctx context.Context, o RegisterOptions) error {
	if err := checkUsername(o.Username); err != nil {
		return err
	}
	return s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		if o.Guest == nil {
			return s.checkFree(ctx, tx, o.Username, chain.Address{})
		}
		a, err := s.Get(ctx, tx, *o.Guest)
		if err != nil {
			return err
		}
		if err := s.checkFree(ctx, tx, o.Username, *o.Guest); err != nil || a.Kind != chain.Full {
			return err
		}
		return s.mayGetPassword(ctx, tx, a, o.Token)
	})
}

// Register adds a username and a password to an account: to the caller's, which keeps its
// balance, tokens and history, or to a new one. The caller's account is a guest, or one
// that could sign in by mail only. Register opens a new session and ends the one of
// o.Token, because another party may have set that token (session fixation). Errors:
// ErrUsername, ErrUsernameTaken, ErrRegistered, and ErrNoSession if the session of o.Token
// has ended since the caller was identified. A full account needs a recent sign-in: without
// one, the thief of a session could set a password. Errors: ErrSignInRequired, ErrNotFound for an
// unknown key in o.Keep.
func (s *Service) Register(ctx context.Context, tx *store.Tx, o RegisterOptions) (Opened, error) {
	if err := checkUsername(o.Username); err != nil {
		return Opened{}, err
	}
	opened, err := s.namedAccount(ctx, tx, o)
	if err != nil {
		return Opened{}, err
	}
	address := opened.Account.Address
	n, err := q.New(tx).InsertCredential(ctx, q.InsertCredentialParams{
		Address: address[:], Password: o.Password, ChangedAt: tx.Now().UnixMilli()})
	if err != nil {
		return Opened{}, fmt.Errorf("account: register %v: %w", address, err)
	}
	if n == 0 {
		return Opened{}, ErrRegistered
	}
	if !o.Token.None() {
		ended, err := s.endSession(ctx, tx, o.Token)
		if err != nil {
			return Opened{}, err
		}
		if !ended {
			return Opened{}, ErrNoSession
		}
	}
	opened.Token, err = s.nextSession(ctx, tx, address, o.Agent)
	return opened, err
}

// namedAccount renames the caller's account and makes it a full account, or opens a full
// account with the name.
func (s *Service) namedAccount(ctx context.Context, tx *store.Tx, o RegisterOptions) (Opened, error) {
	if o.Guest == nil {
		return s.open(ctx, tx, chain.Full, o.Username, o.Start)
	}
	a, err := s.Get(ctx, tx, *o.Guest)
	if err != nil {
		return Opened{}, err
	}
	// A rename changes rows of other services, which use cases of a key change while they hold the key: sessions and
	// keys end before it.
	if a.Kind == chain.Full {
		if err := s.endForPassword(ctx, tx, a, o.Token); err != nil {
			return Opened{}, err
		}
	}
	ended, err := s.endKeys(ctx, tx, a.Address, o.Keep)
	if err != nil {
		return Opened{}, err
	}
	// The generated name of a guest is not held, and does not count as a rename.
	if a, err = s.setName(ctx, tx, a, o.Username); err != nil {
		return Opened{}, err
	}
	if a.Kind == chain.Full {
		err = s.notify(ctx, tx, a, noticePassword, "")
	} else {
		err = s.makeFull(ctx, tx, a.Address, "")
	}
	if err != nil {
		return Opened{}, err
	}
	a.Kind = chain.Full
	if err := s.notifyRenamed(ctx, tx, a); err != nil {
		return Opened{}, err
	}
	if err := s.secure(ctx, tx, a.Address); err != nil {
		return Opened{}, err
	}
	state, _, err := s.Ledger.Account(ctx, tx, a.Address)
	return Opened{Account: a, Balance: state.Balance, EndedKeys: ended}, err
}

// endForPassword checks that a full account may get its first password from a session, and ends its other sessions
// and its pending links as every change of the password does. Errors: ErrRegistered, as authorize.
func (s *Service) endForPassword(ctx context.Context, tx *store.Tx, a Account, token SessionToken) error {
	if err := s.mayGetPassword(ctx, tx, a, token); err != nil {
		return err
	}
	return s.endOthers(ctx, tx, a.Address, token)
}

// mayGetPassword checks that a full account may get its first password from a session.
// Errors: ErrRegistered, as authorize.
func (s *Service) mayGetPassword(ctx context.Context, tx *store.Tx, a Account, token SessionToken) error {
	credential, err := s.credentialOf(ctx, tx, a.Address)
	if err != nil {
		return err
	}
	if credential.Password != "" {
		return ErrRegistered
	}
	return s.authorize(ctx, tx, a.Address, Proof{Token: token})
}

// SignIn opens a session for an account that the caller has authenticated for. It ends the
// session with the token before, the browser's previous one, zero for none.
func (s *Service) SignIn(
	ctx context.Context, tx *store.Tx, address chain.Address, before SessionToken, agent string,
) (Opened, error) {
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return Opened{}, err
	}
	state, _, err := s.Ledger.Account(ctx, tx, address)
	if err != nil {
		return Opened{}, err
	}
	if !before.None() {
		if err := s.EndSession(ctx, tx, before); err != nil {
			return Opened{}, err
		}
	}
	token, err := s.nextSession(ctx, tx, address, agent)
	return Opened{Account: a, Balance: state.Balance, Token: token}, err
}

// open creates an account with its starting balance and first commitment. An empty name
// stands for a generated one. Errors: ErrUsernameTaken.
func (s *Service) open(
	ctx context.Context, tx *store.Tx, kind chain.AccountKind, name string, start Start,
) (Opened, error) {
	a := Account{Kind: kind, Username: name, CreatedAt: tx.Now()}
	if err := s.random(a.Address[:]); err != nil {
		return Opened{}, err
	}
	if err := s.insertAccount(ctx, tx, &a); err != nil {
		return Opened{}, err
	}
	commitment, err := s.Commitments.FirstCommitment(ctx, tx, a.Address)
	if err != nil {
		return Opened{}, fmt.Errorf("account: open: %w", err)
	}
	draft := ledger.Draft{Actor: a.Address, Data: &chain.AccountCreate{
		Bound: bool(start), Commitment: commitment, AccountKind: kind}}
	if balance := s.Ledger.Rules().StartingBalance; balance > 0 {
		draft.Transfers = []chain.Transfer{{Amount: balance, To: a.Address}}
	}
	posted, err := s.Ledger.Post(ctx, tx, draft)
	return Opened{Account: a, Balance: posted.Balance}, err
}

// insertAccount stores a. If a.Username is "" it generates one. Errors: ErrUsernameTaken.
func (s *Service) insertAccount(ctx context.Context, tx *store.Tx, a *Account) error {
	if a.Username == "" {
		return s.insertWithGeneratedName(ctx, tx, a)
	}
	if err := s.checkFree(ctx, tx, a.Username, chain.Address{}); err != nil {
		return err
	}
	n, err := insert(ctx, q.New(tx), a)
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrUsernameTaken
	}
	return nil
}

// insert stores a and returns 1, or 0 if its username is taken.
func insert(ctx context.Context, queries *q.Queries, a *Account) (int64, error) {
	n, err := queries.InsertAccount(ctx, q.InsertAccountParams{
		Address: a.Address[:], Kind: string(a.Kind), Username: a.Username,
		UsernameKey: nameKey(a.Username), UsernameFold: names.Fold(a.Username), CreatedAt: a.CreatedAt.UnixMilli(),
	})
	if err != nil {
		return 0, fmt.Errorf("account: insert: %w", err)
	}
	return n, nil
}
