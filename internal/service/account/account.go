// Package account manages accounts and authenticates callers: guests, passwords, sessions,
// magic links, API keys and bots. Balances belong to the ledger.
//
// An account has a random address on the chain and a username. A guest gets a generated
// username. A session is a random token in a cookie; the database stores only its hash,
// so a stolen database opens no session.
package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/vault"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
	"roshambo/internal/store/recent"
)

// Account is a registered account, a guest or a bot.
type Account struct {
	Address   chain.Address
	Kind      chain.AccountKind
	Username  string
	CreatedAt time.Time
	FaucetAt  time.Time // last faucet claim; zero if there was none
}

// Commitments creates the commitment of an account's first house run.
type Commitments interface {
	FirstCommitment(ctx context.Context, tx *store.Tx, account chain.Address) (chain.Hash, error)
}

// Listener receives every change of an account's name or kind, inside the transaction
// of the change; an error rolls the change back.
type Listener interface {
	Renamed(ctx context.Context, tx *store.Tx, a Account) error
}

// Isolation is the isolation level of OpenGuest. A snapshot suffices: every row that
// OpenGuest writes has a fresh random key, and a unique index guards the username.
const Isolation = store.Snapshot

// Service implements the use cases of accounts. Its fields are set once, before use.
type Service struct {
	DB          *store.DB
	Ledger      *ledger.Ledger
	Commitments Commitments
	Listener    Listener // nil for none
	Now         func() time.Time
	Rand        io.Reader // of cryptographic quality
	Faucet      Faucet
	Hasher      *Hasher
	Vault       *vault.Vault // encrypts tokens that wait to be mailed
	Links       *Links
	Failures    Failures
	// RefuseWeak makes CheckNewPassword refuse weak passwords.
	RefuseWeak bool
	// NetworkKey is the secret key of the hashes of networks.
	NetworkKey []byte

	addresses recent.Map[[32]byte, rememberedCaller] // by the hash of a session or key
	networks  recent.Map[networkUse, time.Time]      // when this node recorded a use
	clients   knownClients
}

// Faucet holds the limits of the faucet. The rules of the chain hold the amount.
type Faucet struct {
	Below int64         // pays only accounts with a balance below this
	Every time.Duration // minimum time between two claims of an account
}

// Errors of this package.
var (
	ErrNoSession   = errors.New("account: no such session")
	ErrNotFound    = errors.New("account: not found")
	ErrBalanceHigh = errors.New("account: the balance is too high for the faucet")
)

// TooSoonError reports a faucet claim before Next, the time of the next allowed claim.
type TooSoonError struct{ Next time.Time }

func (e *TooSoonError) Error() string {
	return "account: the faucet is available again at " + e.Next.String()
}

// Opened is an account with its balance and the session that was just opened for it.
type Opened struct {
	Account Account
	Balance int64 // in coins
	Token   SessionToken

	// EndedKeys are the keys that ended with it: of a guest that was secured, or of an account whose owner
	// changed the password or signed out everywhere else.
	EndedKeys []Key
}

// Start is the start of an account: free, or bound (docs/protocol.md, section 2).
type Start bool

// The starts. The starting balance of a bound one is bound, and its free and daily runs win bound
// tokens until the account has been secured for 3 days.
const (
	FreeStart  Start = false
	BoundStart Start = true
)

// OpenGuest creates a guest account and opens a session for it. agent is the browser's
// User-Agent. The session's address is remembered, because a guest opens an account to play at once.
func (s *Service) OpenGuest(ctx context.Context, tx *store.Tx, agent string, start Start) (Opened, error) {
	opened, err := s.open(ctx, tx, chain.Guest, "", start)
	if err != nil {
		return Opened{}, err
	}
	opened.Token, err = s.openSession(ctx, tx, opened.Account.Address, agent, false)
	if err != nil {
		return Opened{}, err
	}
	tx.AfterCommit(func() { s.remember(Credential{Session: opened.Token}, opened.Account.Address) })
	return opened, nil
}

// nameAttempts is how many generated names insertWithGeneratedName tries. There are about
// 4 billion of them, so more than one collision means broken randomness.
const nameAttempts = 20

// insertWithGeneratedName stores a under a generated username and sets a.Username.
func (s *Service) insertWithGeneratedName(ctx context.Context, tx *store.Tx, a *Account) error {
	queries := writes(tx) // a generated name is hardly ever taken
	for range nameAttempts {
		var err error
		if a.Username, err = s.generateName(); err != nil {
			return err
		}
		if n, err := insert(ctx, queries, a); err != nil || n == 1 {
			return err
		}
	}
	return errors.New("account: no free name found")
}

// writes returns the statements of this package, for outcomes that the use case assumes
// (store.Deferred).
func writes(tx *store.Tx) *q.Queries { return q.New(tx.Deferred()) }

// Get returns an account by its address. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, tx *store.Tx, address chain.Address) (Account, error) {
	row, err := q.New(tx).GetAccount(ctx, address[:])
	if err != nil {
		return Account{}, store.Absent(err, ErrNotFound, "account: %v", address)
	}
	return fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt), nil
}

// ByName returns an account by its username; case, - and _ do not matter. Errors: ErrNotFound.
func (s *Service) ByName(ctx context.Context, tx *store.Tx, username string) (Account, error) {
	if !usernamePattern.MatchString(username) {
		return Account{}, ErrNotFound
	}
	row, err := q.New(tx).GetAccountByName(ctx, nameKey(username))
	if err != nil {
		return Account{}, store.Absent(err, ErrNotFound, "account: by name")
	}
	return fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt), nil
}

// fromRow converts the columns of an account row. Times are Unix milliseconds; a nil
// faucetAt means that the account never used the faucet.
func fromRow(address []byte, kind, username string, createdAt int64, faucetAt *int64) Account {
	a := Account{Kind: chain.AccountKind(kind), Username: username, CreatedAt: column.Time(createdAt)}
	copy(a.Address[:], address)
	if faucetAt != nil {
		a.FaucetAt = column.Time(*faucetAt)
	}
	return a
}

// FaucetNext returns the time of a's next allowed faucet claim; a time in the past means
// now.
func (s *Service) FaucetNext(a Account) time.Time {
	if a.FaucetAt.IsZero() {
		return a.CreatedAt
	}
	pause := time.Duration(s.Ledger.Rules().FaucetPause) * time.Millisecond // the chain refuses an earlier one
	return a.FaucetAt.Add(max(s.Faucet.Every, pause))
}

// ClaimFaucet pays coins to an account with a low balance, at most once in Faucet.Every.
// Errors: ErrNotFound, ErrBalanceHigh, *TooSoonError.
func (s *Service) ClaimFaucet(
	ctx context.Context, tx *store.Tx, address chain.Address,
) (Account, ledger.Posted, error) {
	fail := func(err error) (Account, ledger.Posted, error) { return Account{}, ledger.Posted{}, err }
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return fail(err)
	}
	state, _, err := s.Ledger.Account(ctx, tx, address)
	if err != nil {
		return fail(err)
	}
	now := tx.Now()
	if next := s.FaucetNext(a); now.Before(next) {
		return fail(&TooSoonError{Next: next})
	}
	if state.Balance >= s.Faucet.Below {
		return fail(ErrBalanceHigh)
	}
	before := int64(0)
	if !a.FaucetAt.IsZero() {
		before = a.FaucetAt.UnixMilli()
	}
	millis := now.UnixMilli()
	n, err := q.New(tx).SetFaucet(ctx, q.SetFaucetParams{Now: &millis, Address: address[:], Before: before})
	if err := ledger.OneRow(n, err); err != nil { // a concurrent claim replaced the same timestamp
		return fail(fmt.Errorf("account: faucet of %v: %w", address, err))
	}
	a.FaucetAt = column.Time(millis)
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{
		Actor: address, Data: &chain.Faucet{}, Time: now,
		Transfers: []chain.Transfer{{Amount: s.Ledger.Rules().FaucetAmount, To: address}},
	})
	return a, posted, err
}

// secure records on the chain that an account has a password or a verified mailbox, unless the chain
// says so already.
func (s *Service) secure(ctx context.Context, tx *store.Tx, address chain.Address) error {
	actor, err := s.Ledger.LoadActor(ctx, tx, address)
	if err != nil || actor.Account.SecuredAt != 0 {
		return err
	}
	_, err = s.Ledger.Post(ctx, tx, ledger.Draft{Actor: address, Data: &chain.AccountSecure{}, State: &actor})
	return err
}

// random fills b from Rand.
func (s *Service) random(b []byte) error {
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return fmt.Errorf("account: randomness: %w", err)
	}
	return nil
}

// notifyRenamed passes a's new name or kind to the listener.
func (s *Service) notifyRenamed(ctx context.Context, tx *store.Tx, a Account) error {
	if s.Listener == nil {
		return nil
	}
	return s.Listener.Renamed(ctx, tx, a)
}
