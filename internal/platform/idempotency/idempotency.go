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

// The answers of an account take at most maxBytes, as what an address can make a service keep must have a
// bound. The oldest go, but none younger than keepAtLeast, within which clients repeat. Counting each answer in
// the database would be a write more for each call, so a node trims an account after it has stored trimAfter
// bytes for it; the difference from keptBytes is room for several nodes, and for what is stored before a restart.
const (
	maxBytes    = 16 << 20
	keptBytes   = 12 << 20
	trimAfter   = 1 << 20
	keepAtLeast = 10 * time.Minute
	// mostCounted bounds the accounts that a node counts for. Beyond it, it counts anew.
	mostCounted = 1 << 16
)

// Errors of repeated calls.
var (
	ErrKeyReused = errors.New("idempotency: the key was used for another request")
	ErrInFlight  = errors.New("idempotency: a call with the same key is under way")
)

// Call identifies a call that may be repeated.
type Call struct {
	Account chain.Address // of the caller
	Key     string        // 1 to MaxKey characters of the client's choice
	Request [32]byte      // hash of method, path, query and body
}

// Answers stores the answers of calls.
type Answers struct {
	vault *vault.Vault

	mu      sync.Mutex // guards the fields below
	running map[inFlight]bool
	saved   map[chain.Address]int // bytes since the account was trimmed
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
	return &Answers{vault: v, running: make(map[inFlight]bool), saved: make(map[chain.Address]int)}, nil
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
	now, queries, sealed := tx.Now(), q.New(tx), a.vault.Seal(answer, c.bound())
	n, err := queries.PutAnswer(ctx, q.PutAnswerParams{
		Account: c.Account[:], Name: c.Key, Request: c.Request[:],
		Answer: sealed, CreatedAt: now.UnixMilli(), TooOld: now.Add(-Keep).UnixMilli(),
	})
	if err != nil {
		return fmt.Errorf("idempotency: save: %w", err)
	}
	if n == 0 {
		return ErrInFlight
	}
	if !a.trimDue(c.Account, len(sealed)) {
		return nil
	}
	err = queries.TrimAnswers(ctx, q.TrimAnswersParams{
		Account: c.Account[:], Bytes: keptBytes, Before: now.Add(-keepAtLeast).UnixMilli()})
	if err != nil {
		return fmt.Errorf("idempotency: trim: %w", err)
	}
	return nil
}

// trimDue counts the bytes of an answer and reports whether its account is to be trimmed now. When the
// transaction is rolled back, the next trim comes up to trimAfter bytes later.
func (a *Answers) trimDue(account chain.Address, size int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.saved) >= mostCounted {
		clear(a.saved)
	}
	if a.saved[account] += size; a.saved[account] < trimAfter {
		return false
	}
	delete(a.saved, account)
	return true
}

// bound returns the data to which an answer is bound: it does not decrypt as the answer of another
// call.
func (c Call) bound() []byte { return append(append(c.Account[:], c.Request[:]...), c.Key...) }

// Drop deletes expired answers and returns their number.
func (a *Answers) Drop(ctx context.Context, tx *store.Tx) (int64, error) {
	return q.New(tx).DeleteAnswers(ctx, tx.Now().Add(-Keep).UnixMilli())
}

// Forget deletes the stored answers of an account, which is being deleted.
func (a *Answers) Forget(ctx context.Context, tx *store.Tx, account chain.Address) error {
	if err := q.New(tx).DeleteAnswersOf(ctx, account[:]); err != nil {
		return fmt.Errorf("idempotency: forget %v: %w", account, err)
	}
	return nil
}
