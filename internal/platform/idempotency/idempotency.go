// Package idempotency gives a call that is repeated the answer that it got before.
//
// A client that does not know whether a call arrived sends it again with the same
// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). The first answer is
// stored in the very transaction that had the effect, so that there is never one
// without the other, and is kept for 24 hours for the account that called. Answers are
// encrypted: some hold a secret that is shown once.
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

// Keep is how long an answer is given again.
const Keep = 24 * time.Hour

// MaxKey is the longest key, in characters.
const MaxKey = 255

// Errors of repeated calls.
var (
	ErrOther    = errors.New("idempotency: the key was used for another request")
	ErrInFlight = errors.New("idempotency: a call with the same key is under way")
)

// Call is a call that may be repeated.
type Call struct {
	Account chain.Address // who calls
	Key     string        // 1 to MaxKey characters of the client's choice
	Request [32]byte      // hash of all that makes the call what it is
}

// Answers keeps what calls were answered.
type Answers struct {
	vault *vault.Vault
	now   func() time.Time

	mu       sync.Mutex
	underWay map[inFlight]bool
}

type inFlight struct {
	account chain.Address
	key     string
}

// New returns Answers that are encrypted with a key derived from secret, of 32 bytes or more.
func New(secret []byte, now func() time.Time) (*Answers, error) {
	v, err := vault.New(secret, "idempotency")
	if err != nil {
		return nil, fmt.Errorf("idempotency: %w", err)
	}
	return &Answers{vault: v, now: now, underWay: make(map[inFlight]bool)}, nil
}

// Begin marks a call as under way until end is called. ErrInFlight when it is already:
// what the other one will be answered is not known yet.
func (a *Answers) Begin(c Call) (end func(), err error) {
	k := inFlight{c.Account, c.Key}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.underWay[k] {
		return nil, ErrInFlight
	}
	a.underWay[k] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.underWay, k)
	}, nil
}

// Find returns what the call was answered, or nil when it is new. Errors: ErrOther.
func (a *Answers) Find(ctx context.Context, tx *store.Tx, c Call) ([]byte, error) {
	row, err := q.New(tx).GetAnswer(ctx, q.GetAnswerParams{
		Account: c.Account[:], Name: c.Key, CreatedAt: a.now().Add(-Keep).UnixMilli()})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("idempotency: find: %w", err)
	}
	if [32]byte(row.Request) != c.Request {
		return nil, ErrOther
	}
	answer, err := a.vault.Open(row.Answer, c.bound())
	if err != nil {
		return nil, fmt.Errorf("idempotency: a stored answer: %w", err)
	}
	return answer, nil
}

// Save stores what the call is answered. It must run in the transaction of the call's
// effect: after a crash both are there, or neither. ErrInFlight when the same call was
// under way on another node and came first: the effect must then not happen again.
func (a *Answers) Save(ctx context.Context, tx *store.Tx, c Call, answer []byte) error {
	now := a.now()
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

// bound is what an answer is bound to: put in another's place, it does not decrypt.
func (c Call) bound() []byte { return append(append(c.Account[:], c.Request[:]...), c.Key...) }

// Drop deletes answers that are too old to be given again, and returns how many.
func (a *Answers) Drop(ctx context.Context, tx *store.Tx) (int64, error) {
	return q.New(tx).DeleteAnswers(ctx, a.now().Add(-Keep).UnixMilli())
}
