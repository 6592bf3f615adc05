package ledger

import (
	"context"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// ErrLocked reports that a token which a caller moves or locks is locked.
var ErrLocked = errors.New("ledger: the token is locked")

// TokenState is a token with its lock.
type TokenState struct {
	chain.Token
	Locked bool
}

// MayMove returns nil if an account may move the token, or lock it. Errors: chain.ErrNotOwner,
// ErrLocked.
func (t *TokenState) MayMove(owner chain.Address) error {
	switch {
	case t.Tier == 0 || t.Owner != owner:
		return chain.ErrNotOwner
	case t.Locked:
		return ErrLocked
	}
	return nil
}

// LoadToken returns a token, by which the caller decides whether to lock, touch or move it. It is
// the zero TokenState when there is none.
func (l *Ledger) LoadToken(ctx context.Context, tx *store.Tx, id int64) (TokenState, error) {
	row, err := loadToken(ctx, q.New(tx), id)
	if err != nil {
		return TokenState{}, fmt.Errorf("ledger: token %d: %w", id, err)
	}
	return TokenState{Token: row.state, Locked: row.locked}, nil
}

// PrefetchToken makes the database read a token that LoadToken is about to read.
func PrefetchToken(tx *store.Tx, id int64) { tx.Prefetch(q.GetToken, id) }

// Lock keeps a token in its owner's wallet until it is unlocked: every transfer of it fails with
// ErrLocked. Locks are no part of the chain. Errors: ErrConflict when the token is not the owner's,
// or is locked: see TokenState.MayMove.
//
// Of a concurrent lock and transfer one succeeds, because both swap the token's row.
func (l *Ledger) Lock(ctx context.Context, tx *store.Tx, owner chain.Address, id int64) error {
	err := OneRow(writes(tx).LockToken(ctx, q.LockTokenParams{TokenID: id, Owner: owner[:]}))
	if err != nil {
		return fmt.Errorf("ledger: lock token %d: %w", id, err)
	}
	return nil
}

// TouchToken writes the row of an owner's unlocked token without a change. It is for callers that
// store something about a token that they do not move: under snapshot isolation (store.Snapshot),
// this write conflicts with every concurrent move, and one of the two is retried. Errors: the same
// as of Lock.
func (l *Ledger) TouchToken(ctx context.Context, tx *store.Tx, owner chain.Address, id int64) error {
	err := OneRow(q.New(tx).HoldToken(ctx, q.HoldTokenParams{TokenID: id, Owner: owner[:]}))
	if err != nil {
		return fmt.Errorf("ledger: touch token %d: %w", id, err)
	}
	return nil
}

// TouchAccount writes an account's row without a change. It is for callers whose decision depends
// on several rows of the account, none of which they write: under snapshot isolation, this write
// conflicts with other calls of TouchAccount and with every Post that changes the account, and one
// of the two is retried.
func (l *Ledger) TouchAccount(ctx context.Context, tx *store.Tx, account chain.Address) error {
	if err := OneRow(writes(tx).HoldAccount(ctx, account[:])); err != nil {
		return fmt.Errorf("ledger: touch %v: %w", account, err)
	}
	return nil
}

// Unlock unlocks a token. Errors: ErrConflict when it is not locked.
func (l *Ledger) Unlock(ctx context.Context, tx *store.Tx, id int64) error {
	if err := OneRow(writes(tx).UnlockToken(ctx, id)); err != nil {
		return fmt.Errorf("ledger: unlock token %d: %w", id, err)
	}
	return nil
}
