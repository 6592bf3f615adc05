// Package account knows who is calling: accounts, guests, and the sessions that
// browsers hold. Balances are the ledger's.
//
// An account has an address on the chain, chosen at random, and a name. A guest's
// name is made up. A session is a random token in a cookie; the database holds its
// hash alone, so that a stolen database opens no session.
package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/vault"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// Account is who somebody is.
type Account struct {
	Address   chain.Address
	Kind      chain.AccountKind
	Username  string
	CreatedAt time.Time
	FaucetAt  time.Time // when the faucet last gave; zero for never
}

// Commitments gives a new account the commitment of its first house run.
type Commitments interface {
	First(ctx context.Context, tx *store.Tx, account chain.Address) (chain.Hash, error)
}

// Listener is told of accounts whose name or kind has changed, inside the same
// transaction.
type Listener interface {
	Renamed(ctx context.Context, tx *store.Tx, a Account) error
}

// Isolation is that of OpenGuest: all that it writes has a key of its own, and that of the
// username is unique.
const Isolation = store.Snapshot

// Service is the use cases of accounts. Its fields are set once, before use.
type Service struct {
	DB          *store.DB
	Ledger      *ledger.Ledger
	Commitments Commitments
	Listener    Listener // nil for none
	Now         func() time.Time
	Rand        io.Reader // of cryptographic quality
	Faucet      Faucet
	Hasher      *Hasher
	Vault       *vault.Vault // of tokens on their way into a mail
	Links       *Links
	Failures    Failures
	// Reserved are usernames, in lower case, that nobody can take: whoever bore one
	// would be taken for a part of the service.
	Reserved map[string]bool
	// Remember is how long it may take until this node hears of a session or a key that
	// ended on another one and that it was not told of. What ends here is heard of at once.
	Remember time.Duration
	// Hears reports whether this node hears what others tell, and would know within some
	// seconds if not. It remembers for RememberHeard meanwhile, and is to Forget("") before
	// Hears is true again when it may have missed something. Nil is never.
	Hears         func() bool
	RememberHeard time.Duration
	// Tell tells other nodes what to Forget, as tx commits; nil where there are none.
	Tell func(tx *store.Tx, what string) error

	callers callers
}

// Faucet says when the faucet gives. The amount stands in the rules of the chain.
type Faucet struct {
	Below int64         // only to balances below this
	Every time.Duration // at most this often
}

// Errors of this package.
var (
	ErrNoSession   = errors.New("account: no such session")
	ErrNotFound    = errors.New("account: not found")
	ErrBalanceHigh = errors.New("account: the balance is too high for the faucet")
)

// TooSoonError says that the faucet gives again at Next.
type TooSoonError struct{ Next time.Time }

func (e *TooSoonError) Error() string { return "account: the faucet gives again at " + e.Next.String() }

// Opened is a new account with its first session.
type Opened struct {
	Account Account
	Balance int64
	Token   string // of the session; a secret
}

// OpenGuest opens an account for somebody who has none, and a session for it.
func (s *Service) OpenGuest(ctx context.Context, tx *store.Tx, agent string) (Opened, error) {
	opened, err := s.open(ctx, tx, chain.Guest, "")
	if err != nil {
		return Opened{}, err
	}
	opened.Token, err = s.openSession(ctx, tx, opened.Account.Address, agent)
	return opened, err
}

// nameTries is how often a made-up name may be taken before that is an error.
// There are some 4 billion names.
const nameTries = 20

func (s *Service) insertNamed(ctx context.Context, tx *store.Tx, a *Account) error {
	queries := q.New(tx.Deferred()) // a made-up name is hardly ever taken
	for range nameTries {
		var err error
		if a.Username, err = s.makeUpName(); err != nil {
			return err
		}
		if n, err := insert(ctx, queries, a); err != nil || n == 1 {
			return err
		}
	}
	return errors.New("account: no free name found")
}

// Get returns an account by its address.
func (s *Service) Get(ctx context.Context, tx *store.Tx, address chain.Address) (Account, error) {
	row, err := q.New(tx).GetAccount(ctx, address[:])
	if errors.Is(err, sql.ErrNoRows) {
		return Account{}, ErrNotFound
	}
	if err != nil {
		return Account{}, fmt.Errorf("account: %v: %w", address, err)
	}
	return fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt), nil
}

// ByName returns an account by its username, in any case. Errors: ErrNotFound.
func (s *Service) ByName(ctx context.Context, tx *store.Tx, username string) (Account, error) {
	if !usernamePattern.MatchString(username) {
		return Account{}, ErrNotFound
	}
	row, err := q.New(tx).GetAccountByName(ctx, strings.ToLower(username))
	if errors.Is(err, sql.ErrNoRows) {
		return Account{}, ErrNotFound
	}
	if err != nil {
		return Account{}, fmt.Errorf("account: by name: %w", err)
	}
	return fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt), nil
}

func fromRow(address []byte, kind, username string, createdAt int64, faucetAt *int64) Account {
	a := Account{Kind: chain.AccountKind(kind), Username: username, CreatedAt: column.Time(createdAt)}
	copy(a.Address[:], address)
	if faucetAt != nil {
		a.FaucetAt = column.Time(*faucetAt)
	}
	return a
}

// FaucetNext returns when the faucet may give to a again; a time past is now.
func (s *Service) FaucetNext(a Account) time.Time {
	if a.FaucetAt.IsZero() {
		return a.CreatedAt
	}
	return a.FaucetAt.Add(s.Faucet.Every)
}

// Drip gives a few coins to who has few. Errors: ErrBalanceHigh, *TooSoonError.
func (s *Service) Drip(ctx context.Context, tx *store.Tx, address chain.Address) (Account, ledger.Posted, error) {
	fail := func(err error) (Account, ledger.Posted, error) { return Account{}, ledger.Posted{}, err }
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return fail(err)
	}
	state, _, err := s.Ledger.Account(ctx, tx, address)
	if err != nil {
		return fail(err)
	}
	now := s.Now()
	if next := s.FaucetNext(a); now.Before(next) {
		return fail(&TooSoonError{Next: next})
	}
	if state.Balance >= s.Faucet.Below {
		return fail(ErrBalanceHigh)
	}
	seen := int64(0)
	if !a.FaucetAt.IsZero() {
		seen = a.FaucetAt.UnixMilli()
	}
	millis := now.UnixMilli()
	n, err := q.New(tx).SetFaucet(ctx, q.SetFaucetParams{Now: &millis, Address: address[:], Seen: seen})
	if err == nil && n != 1 {
		err = ledger.ErrConflict
	}
	if err != nil {
		return fail(fmt.Errorf("account: faucet of %v: %w", address, err))
	}
	if err := s.forgetWith(tx, subject{account: address}); err != nil {
		return fail(err)
	}
	a.FaucetAt = column.Time(millis)
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{
		Actor: address, Data: &chain.Faucet{},
		Transfers: []chain.Transfer{{Amount: s.Ledger.Rules().FaucetAmount, To: address}},
	})
	return a, posted, err
}

func (s *Service) random(b []byte) error {
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return fmt.Errorf("account: randomness: %w", err)
	}
	return nil
}

// changed tells of an account whose name or kind is another now.
func (s *Service) changed(ctx context.Context, tx *store.Tx, a Account) error {
	if s.Listener == nil {
		return nil
	}
	return s.Listener.Renamed(ctx, tx, a)
}
