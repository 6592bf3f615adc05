// Package idempotency answers a repeated call with the stored answer of the first one.
//
// A client that does not know whether a call arrived sends it again with the same Idempotency-Key
// (draft-ietf-httpapi-idempotency-key-header). The first answer is stored in the transaction of
// the call's effect, so that neither exists without the other, and is kept for 24 hours for the
// calling account. Answers are encrypted, because some hold a secret that is shown once.
package idempotency

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/vault"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/idempotencyq"
)

// Keep is how long an answer is kept, unless newer ones of the account need the room.
const Keep = 24 * time.Hour

// MaxKey is the greatest length of a key, in characters.
const MaxKey = 255

// The answers of an account take at most maxBytes, as an address must not make a service keep data without a
// bound. The oldest go, but none younger than keepAtLeast, within which clients repeat: so that no call is refused
// for their room. Counting in the database would be a write more for each call, so a node notes how much it has
// stored for an account, and Trim trims it after each trimAfter bytes and once more when its newest answer is old
// enough. The difference from keptBytes is room for several nodes and for answers noted before a restart.
const (
	maxBytes    = 16 << 20
	keptBytes   = 12 << 20
	trimAfter   = 1 << 20
	keepAtLeast = 10 * time.Minute
	// rowBytes is what an answer counts beside its body, so that the number of short ones has a bound, too.
	rowBytes = 1 << 10
	// mostNoted bounds the accounts that a node notes. Beyond it, it forgets those that have stored little.
	mostNoted = 1 << 16
)

// Errors of repeated calls.
var (
	ErrKeyReused = errors.New("idempotency: the key was used for another request")
	ErrInFlight  = errors.New("idempotency: a call with the same key is under way")
)

// Call identifies a call that may be repeated.
type Call struct {
	Account chain.Address // of the caller
	Key     string        // of the client's choice, or a hash of it
	Request [32]byte      // hash of method, path, query and body
}

// Answers stores the answers of calls.
type Answers struct {
	vault *vault.Vault

	mu      sync.Mutex // guards the fields below
	running map[inFlight]bool
	saved   map[chain.Address]saved
}

// saved is what this node has stored for an account.
type saved struct {
	bytes int       // since the account was trimmed
	last  time.Time // the newest answer
	again bool      // it was trimmed when its newest answers were too young
}

type inFlight struct {
	account chain.Address
	key     string
}

// New returns Answers whose encryption key is derived from secret, of at least 32 bytes.
func New(secret []byte) (*Answers, error) {
	v, err := vault.New(secret, "idempotency")
	if err != nil {
		return nil, fmt.Errorf("idempotency: %w", err)
	}
	return &Answers{vault: v, running: make(map[inFlight]bool), saved: make(map[chain.Address]saved)}, nil
}

// Begin marks a call as running until end is called. Errors: ErrInFlight when it is running
// already: its answer is not known yet.
func (a *Answers) Begin(c Call) (end func(), err error) {
	k := inFlight{c.Account, c.Key}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running[k] {
		return nil, ErrInFlight
	}
	a.running[k] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.running, k)
	}, nil
}

// Find returns the stored answer of a call, or nil when there is none. Errors: ErrKeyReused.
func (a *Answers) Find(ctx context.Context, tx *store.Tx, c Call) ([]byte, error) {
	row, err := q.New(tx).GetAnswer(ctx, q.GetAnswerParams{
		Account: c.Account[:], Name: c.Key, CreatedAt: tx.Now().Add(-Keep).UnixMilli()})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("idempotency: find: %w", err)
	}
	if [32]byte(row.Request) != c.Request {
		return nil, ErrKeyReused
	}
	answer, err := a.vault.Open(row.Answer, c.bound())
	if err != nil {
		return nil, fmt.Errorf("idempotency: a stored answer: %w", err)
	}
	return answer, nil
}

// Save stores the answer of a call. It must run in the transaction of the call's effect: after a
// crash both are stored, or neither. Errors: ErrInFlight when the same call came first on another
// node; then the caller must roll back the effect.
func (a *Answers) Save(ctx context.Context, tx *store.Tx, c Call, answer []byte) error {
	now, sealed := tx.Now(), a.vault.Seal(answer, c.bound())
	n, err := q.New(tx).PutAnswer(ctx, q.PutAnswerParams{
		Account: c.Account[:], Name: c.Key, Request: c.Request[:],
		Answer: sealed, CreatedAt: now.UnixMilli(), TooOld: now.Add(-Keep).UnixMilli(),
	})
	if err != nil {
		return fmt.Errorf("idempotency: save: %w", err)
	}
	if n == 0 {
		return ErrInFlight
	}
	a.note(c.Account, len(sealed)+rowBytes, now)
	return nil
}

// note counts an answer, also one that is then rolled back: its account is trimmed the earlier.
func (a *Answers) note(account chain.Address, size int, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.saved) >= mostNoted {
		maps.DeleteFunc(a.saved, func(_ chain.Address, s saved) bool { return s.bytes < trimAfter && !s.again })
	}
	s := a.saved[account]
	s.bytes, s.last = s.bytes+size, now
	a.saved[account] = s
}

// Trim deletes the oldest answers of the accounts for which this node has stored much, each in a
// transaction of its own: a call must not fail because of another one's answer. To be called every minute.
func (a *Answers) Trim(ctx context.Context, db *store.DB) error {
	var now time.Time
	err := db.View(ctx, func(_ context.Context, tx *store.Tx) error { now = tx.Now(); return nil })
	if err != nil {
		return fmt.Errorf("idempotency: trim: %w", err)
	}
	for account, s := range a.due(now) {
		err := db.UpdateAt(ctx, store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
			return q.New(tx).TrimAnswers(ctx, q.TrimAnswersParams{
				Account: account[:], Row: rowBytes, Bytes: keptBytes, Before: now.Add(-keepAtLeast).UnixMilli()})
		})
		if err != nil {
			return fmt.Errorf("idempotency: trim the answers of %v: %w", account, err)
		}
		a.trimmed(account, s.bytes, now)
	}
	return nil
}

// due returns the accounts to trim.
func (a *Answers) due(now time.Time) map[chain.Address]saved {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make(map[chain.Address]saved)
	for account, s := range a.saved {
		if s.bytes >= trimAfter || s.again && now.Sub(s.last) > keepAtLeast {
			list[account] = s
		}
	}
	return list
}

// trimmed takes note that an account was trimmed when this node had stored that many bytes for it.
func (a *Answers) trimmed(account chain.Address, bytes int, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.saved[account]
	if s.bytes, s.again = s.bytes-bytes, now.Sub(s.last) <= keepAtLeast; s.bytes == 0 && !s.again {
		delete(a.saved, account)
		return
	}
	a.saved[account] = s
}

// bound returns the data to which an answer is bound: it does not decrypt as the answer of another
// call.
func (c Call) bound() []byte { return append(append(c.Account[:], c.Request[:]...), c.Key...) }

// Drop deletes expired answers and returns their number.
func (a *Answers) Drop(ctx context.Context, tx *store.Tx) (int64, error) {
	return q.New(tx).DeleteAnswers(ctx, tx.Now().Add(-Keep).UnixMilli())
}

// Forget deletes the stored answers of an account, which is being deleted. On PostgreSQL the transaction of the
// deletion does not see an answer of a call that committed beside it, while the deletion waited for that call's session
// or key: the caller runs Forget again in a transaction after it.
func (a *Answers) Forget(ctx context.Context, tx *store.Tx, account chain.Address) error {
	if err := q.New(tx).DeleteAnswersOf(ctx, account[:]); err != nil {
		return fmt.Errorf("idempotency: forget %v: %w", account, err)
	}
	return nil
}
