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

// Keep is how long an answer is kept.
const Keep = 24 * time.Hour

// MaxKey is the greatest length of a key, in characters.
const MaxKey = 255

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

	mu      sync.Mutex
	running map[inFlight]bool
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
	return &Answers{vault: v, running: make(map[inFlight]bool)}, nil
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
	now := tx.Now()
	n, err := q.New(tx).PutAnswer(ctx, q.PutAnswerParams{
		Account: c.Account[:], Name: c.Key, Request: c.Request[:],
		Answer: a.vault.Seal(answer, c.bound()), CreatedAt: now.UnixMilli(), TooOld: now.Add(-Keep).UnixMilli(),
	})
	if err != nil {
		return fmt.Errorf("idempotency: save: %w", err)
	}
	if n == 0 {
		return ErrInFlight
	}
	return nil
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
