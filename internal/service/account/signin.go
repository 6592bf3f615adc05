package account

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// Usernames: 3 to 32 characters, unique without regard to case.
var usernamePattern = regexp.MustCompile(UsernamePattern)

// UsernamePattern is what a username looks like.
const UsernamePattern = `^[A-Za-z0-9_-]{3,32}$`

// Errors of signing in.
var (
	ErrUsernameTaken = errors.New("account: the username is taken")
	ErrUsername      = errors.New("account: not a username")
	ErrRegistered    = errors.New("account: the account has a password already")
)

// RegisterOptions are a username, a password hashed by Hasher, and who asks.
type RegisterOptions struct {
	Username string
	Password string         // PHC, never the password itself
	Guest    *chain.Address // whose account is secured; nil opens a new one
	Token    string         // of its session, which ends
	Agent    string
}

// Register makes an account that can be signed in to: the caller's own, with balance,
// tokens and history, or a new one. The caller's is a guest's, or one that could be
// signed in to by mail alone. It opens a new session; the guest's ends, because
// its token may be known to whoever set it. Errors: ErrUsername, ErrUsernameTaken,
// ErrRegistered, and ErrNoSession when that session has ended already, however recently
// the caller looked it up.
func (s *Service) Register(ctx context.Context, tx *store.Tx, o RegisterOptions) (Opened, error) {
	if err := s.checkUsername(o.Username); err != nil {
		return Opened{}, err
	}
	opened, err := s.namedAccount(ctx, tx, o)
	if err != nil {
		return Opened{}, err
	}
	address := opened.Account.Address
	n, err := q.New(tx).InsertCredential(ctx, q.InsertCredentialParams{
		Address: address[:], Password: o.Password, ChangedAt: s.Now().UnixMilli()})
	if err != nil {
		return Opened{}, fmt.Errorf("account: register %v: %w", address, err)
	}
	if n == 0 {
		return Opened{}, ErrRegistered
	}
	if o.Token != "" {
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

// namedAccount gives the caller's account its name, or opens an account with it.
func (s *Service) namedAccount(ctx context.Context, tx *store.Tx, o RegisterOptions) (Opened, error) {
	if o.Guest == nil {
		return s.open(ctx, tx, chain.Full, o.Username)
	}
	a, err := s.Rename(ctx, tx, *o.Guest, o.Username)
	if err != nil {
		return Opened{}, err
	}
	a.Kind = chain.Full
	if err := q.New(tx).SetKind(ctx, q.SetKindParams{Kind: string(a.Kind), Address: a.Address[:]}); err != nil {
		return Opened{}, fmt.Errorf("account: register %v: %w", a.Address, err)
	}
	if err := s.forgetWith(tx, subject{account: a.Address}); err != nil {
		return Opened{}, err
	}
	if err := s.changed(ctx, tx, a); err != nil {
		return Opened{}, err
	}
	state, _, err := s.Ledger.Account(ctx, tx, a.Address)
	return Opened{Account: a, Balance: state.Balance}, err
}

// Rename gives an account another name. Errors: ErrUsername, ErrUsernameTaken,
// ErrNotFound.
func (s *Service) Rename(ctx context.Context, tx *store.Tx, address chain.Address, username string) (Account, error) {
	if err := s.checkUsername(username); err != nil {
		return Account{}, err
	}
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return Account{}, err
	}
	n, err := q.New(tx).SetUsername(ctx, q.SetUsernameParams{
		Username: username, UsernameKey: strings.ToLower(username), Address: address[:]})
	if store.IsUnique(err) || err == nil && n == 0 {
		return Account{}, ErrUsernameTaken
	}
	if err != nil {
		return Account{}, fmt.Errorf("account: rename %v: %w", address, err)
	}
	if err := s.forgetWith(tx, subject{account: address}); err != nil {
		return Account{}, err
	}
	a.Username = username
	return a, s.changed(ctx, tx, a)
}

// SignIn opens a session for an account that has shown who it is. The session that the
// browser had before ends.
func (s *Service) SignIn(ctx context.Context, tx *store.Tx, address chain.Address, before, agent string) (Opened, error) {
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return Opened{}, err
	}
	state, _, err := s.Ledger.Account(ctx, tx, address)
	if err != nil {
		return Opened{}, err
	}
	if before != "" {
		if err := s.EndSession(ctx, tx, before); err != nil {
			return Opened{}, err
		}
	}
	token, err := s.nextSession(ctx, tx, address, agent)
	return Opened{Account: a, Balance: state.Balance, Token: token}, err
}

// open opens an account of a kind with a name, or with one made up when name is "".
func (s *Service) open(ctx context.Context, tx *store.Tx, kind chain.AccountKind, name string) (Opened, error) {
	a := Account{Kind: kind, Username: name, CreatedAt: s.Now().UTC().Truncate(time.Millisecond)}
	if err := s.random(a.Address[:]); err != nil {
		return Opened{}, err
	}
	if err := s.insertAccount(ctx, tx, &a); err != nil {
		return Opened{}, err
	}
	commitment, err := s.Commitments.First(ctx, tx, a.Address)
	if err != nil {
		return Opened{}, fmt.Errorf("account: open: %w", err)
	}
	draft := ledger.Draft{Actor: a.Address, Data: &chain.AccountCreate{Commitment: commitment, AccountKind: kind}}
	if start := s.Ledger.Rules().StartingBalance; start > 0 {
		draft.Transfers = []chain.Transfer{{Amount: start, To: a.Address}}
	}
	posted, err := s.Ledger.Post(ctx, tx, draft)
	return Opened{Account: a, Balance: posted.Balance}, err
}

func (s *Service) insertAccount(ctx context.Context, tx *store.Tx, a *Account) error {
	if a.Username == "" {
		return s.insertNamed(ctx, tx, a)
	}
	n, err := insert(ctx, q.New(tx), a)
	if err == nil && n == 0 {
		return ErrUsernameTaken
	}
	return err
}

func insert(ctx context.Context, queries *q.Queries, a *Account) (int64, error) {
	n, err := queries.InsertAccount(ctx, q.InsertAccountParams{
		Address: a.Address[:], Kind: string(a.Kind), Username: a.Username, UsernameKey: strings.ToLower(a.Username),
		CreatedAt: a.CreatedAt.UnixMilli(),
	})
	if err != nil {
		return 0, fmt.Errorf("account: insert: %w", err)
	}
	return n, nil
}
