package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/db"
	"roshambo/internal/ledger"
	q "roshambo/internal/query/accountq"
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
	ErrCredentials   = errors.New("account: username or password is wrong")
)

// ThrottledError says that too many logins failed; the next one is possible in Wait.
type ThrottledError struct{ Wait time.Duration }

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("account: logins are possible in %v", e.Wait)
}

// Throttle counts failures by key. Take uses one up, and returns how long to wait when
// there is none left; Refund gives one back.
type Throttle interface {
	Take(ctx context.Context, key string) (wait time.Duration, err error)
	Refund(ctx context.Context, key string) error
}

// RegisterOptions are a username, a password hashed by Hasher, and who asks.
type RegisterOptions struct {
	Username string
	Password string         // PHC, never the password itself
	Guest    *chain.Address // whose account is secured; nil opens a new one
	Token    string         // of the guest's session, which ends
	Agent    string
}

// Register makes an account that can be signed in to: the guest's own, with balance,
// tokens and history, or a new one. It opens a new session; the guest's ends, because
// its token may be known to whoever set it. Errors: ErrUsername, ErrUsernameTaken,
// ErrRegistered.
func (s *Service) Register(ctx context.Context, tx *db.Tx, o RegisterOptions) (Opened, error) {
	if !usernamePattern.MatchString(o.Username) {
		return Opened{}, ErrUsername
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
		if err := s.EndSession(ctx, tx, o.Token); err != nil {
			return Opened{}, err
		}
	}
	opened.Token, err = s.openSession(ctx, tx, address, o.Agent)
	return opened, err
}

// namedAccount gives the guest its name, or opens an account with it.
func (s *Service) namedAccount(ctx context.Context, tx *db.Tx, o RegisterOptions) (Opened, error) {
	if o.Guest == nil {
		return s.open(ctx, tx, chain.Full, o.Username)
	}
	a, err := s.Rename(ctx, tx, *o.Guest, o.Username)
	if err != nil {
		return Opened{}, err
	}
	if a.Kind != chain.Guest {
		return Opened{}, ErrRegistered
	}
	a.Kind = chain.Full
	if err := q.New(tx).SetKind(ctx, q.SetKindParams{Kind: string(a.Kind), Address: a.Address[:]}); err != nil {
		return Opened{}, fmt.Errorf("account: register %v: %w", a.Address, err)
	}
	state, _, err := s.Ledger.Account(ctx, tx, a.Address)
	return Opened{Account: a, Balance: state.Balance}, err
}

// Rename gives an account another name. Errors: ErrUsername, ErrUsernameTaken,
// ErrNotFound.
func (s *Service) Rename(ctx context.Context, tx *db.Tx, address chain.Address, username string) (Account, error) {
	if !usernamePattern.MatchString(username) {
		return Account{}, ErrUsername
	}
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return Account{}, err
	}
	n, err := q.New(tx).SetUsername(ctx, q.SetUsernameParams{
		Username: username, UsernameKey: strings.ToLower(username), Address: address[:]})
	if db.IsUnique(err) || err == nil && n == 0 {
		return Account{}, ErrUsernameTaken
	}
	if err != nil {
		return Account{}, fmt.Errorf("account: rename %v: %w", address, err)
	}
	a.Username = username
	return a, nil
}

// LoginOptions are what somebody signs in with.
type LoginOptions struct {
	Username, Password string
	Client             string // the client's network address, for the throttle
}

// CheckLogin returns the account of a username and password. It hashes, so it runs
// outside of any transaction. Which half was wrong is not told, also not by the time
// it takes. Errors: ErrCredentials, *ThrottledError, ErrBusy.
func (s *Service) CheckLogin(ctx context.Context, o LoginOptions) (chain.Address, error) {
	name := strings.ToLower(o.Username)
	counts := []struct {
		throttle Throttle
		key      string
	}{{s.FailuresByName, name}, {s.FailuresByClient, o.Client}}
	// Attempts are counted before they are tried, so that many at once cannot slip by.
	for _, c := range counts {
		wait, err := c.throttle.Take(ctx, c.key)
		if err != nil {
			return chain.Address{}, fmt.Errorf("account: login: %w", err)
		}
		if wait > 0 {
			return chain.Address{}, &ThrottledError{wait}
		}
	}
	address, password, err := s.credential(ctx, name)
	if err != nil {
		return chain.Address{}, err
	}
	ok, err := s.Hasher.Verify(ctx, o.Password, password)
	if err != nil {
		return chain.Address{}, fmt.Errorf("account: login: %w", err)
	}
	if !ok {
		return chain.Address{}, ErrCredentials
	}
	for _, c := range counts {
		if err := c.throttle.Refund(ctx, c.key); err != nil {
			return chain.Address{}, fmt.Errorf("account: login: %w", err)
		}
	}
	return address, nil
}

// credential returns the stored password of a name, "" when nobody has the name.
func (s *Service) credential(ctx context.Context, name string) (address chain.Address, password string, err error) {
	err = s.DB.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := q.New(tx).GetCredential(ctx, name)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		copy(address[:], row.Address)
		password = row.Password
		return err
	})
	if err != nil {
		return address, "", fmt.Errorf("account: login: %w", err)
	}
	return address, password, nil
}

// SignIn opens a session for an account that has shown who it is. The session that the
// browser had before ends.
func (s *Service) SignIn(ctx context.Context, tx *db.Tx, address chain.Address, before, agent string) (Opened, error) {
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
	token, err := s.openSession(ctx, tx, address, agent)
	return Opened{Account: a, Balance: state.Balance, Token: token}, err
}

// open opens an account of a kind with a name, or with one made up when name is "".
func (s *Service) open(ctx context.Context, tx *db.Tx, kind chain.AccountKind, name string) (Opened, error) {
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

func (s *Service) insertAccount(ctx context.Context, tx *db.Tx, a *Account) error {
	if a.Username == "" {
		return s.insertNamed(ctx, tx, a)
	}
	n, err := s.insert(ctx, tx, a)
	if err == nil && n == 0 {
		return ErrUsernameTaken
	}
	return err
}

func (s *Service) insert(ctx context.Context, tx *db.Tx, a *Account) (int64, error) {
	n, err := q.New(tx).InsertAccount(ctx, q.InsertAccountParams{
		Address: a.Address[:], Kind: string(a.Kind), Username: a.Username, UsernameKey: strings.ToLower(a.Username),
		CreatedAt: a.CreatedAt.UnixMilli(),
	})
	if err != nil {
		return 0, fmt.Errorf("account: insert: %w", err)
	}
	return n, nil
}
