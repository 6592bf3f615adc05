package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// ErrLocked reports that a token which a caller moves or locks is locked.
var ErrLocked = errors.New("ledger: the token is locked")

// Lock keeps a token in its owner's wallet until it is unlocked: every transfer of it fails with
// ErrLocked. It returns the token. Locks are no part of the chain. Errors: chain.ErrNotOwner,
// ErrLocked.
//
// Of a concurrent lock and transfer one succeeds, because both swap the token's row.
func (l *Ledger) Lock(ctx context.Context, tx *store.Tx, owner chain.Address, id int64) (chain.Token, error) {
	row, err := q.New(tx).GetToken(ctx, id)
	token := layout.Token(row.Tier, row.Owner, row.Bound)
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && token.Owner != owner:
		err = chain.ErrNotOwner
	case err == nil && row.Locked != 0:
		err = ErrLocked
	case err == nil:
		err = OneRow(q.New(tx.Deferred()).LockToken(ctx, q.LockTokenParams{TokenID: id, Owner: owner[:]}))
	}
	if err != nil {
		return chain.Token{}, fmt.Errorf("ledger: lock token %d: %w", id, err)
	}
	return token, nil
}

// PrefetchToken makes the database read a token that Lock or Token is about to read.
func (l *Ledger) PrefetchToken(tx *store.Tx, id int64) { tx.Prefetch(q.GetToken, id) }

// TouchToken checks that a token is the owner's and not locked, and writes its row without a
// change. It is for callers that store something about a token that they do not move: under
// snapshot isolation (store.Snapshot), this write conflicts with every concurrent move, and one of
// the two is retried. Errors: those of Lock.
func (l *Ledger) TouchToken(ctx context.Context, tx *store.Tx, owner chain.Address, id int64) error {
	n, err := q.New(tx).HoldToken(ctx, q.HoldTokenParams{TokenID: id, Owner: owner[:]})
	if err != nil {
		return fmt.Errorf("ledger: touch token %d: %w", id, err)
	}
	if n == 1 {
		return nil
	}
	return l.lockError(ctx, tx, owner, id)
}

// TouchAccount writes an account's row without a change. It is for callers whose decision depends
// on several rows of the account, none of which they write: under snapshot isolation, this write
// conflicts with other calls of TouchAccount and with every Post that changes the account, and one
// of the two is retried.
func (l *Ledger) TouchAccount(ctx context.Context, tx *store.Tx, account chain.Address) error {
	if err := OneRow(q.New(tx.Deferred()).HoldAccount(ctx, account[:])); err != nil {
		return fmt.Errorf("ledger: touch %v: %w", account, err)
	}
	return nil
}

// lockError returns the reason why a token could not be locked or touched.
func (l *Ledger) lockError(ctx context.Context, tx *store.Tx, owner chain.Address, id int64) error {
	token, _, err := l.Token(ctx, tx, id)
	switch {
	case errors.Is(err, ErrNotFound) || err == nil && token.Owner != owner:
		return chain.ErrNotOwner
	case err != nil:
		return err
	}
	return ErrLocked
}

// Unlock unlocks a token. Errors: ErrConflict when it is not locked.
func (l *Ledger) Unlock(ctx context.Context, tx *store.Tx, id int64) error {
	if err := OneRow(q.New(tx.Deferred()).UnlockToken(ctx, id)); err != nil {
		return fmt.Errorf("ledger: unlock token %d: %w", id, err)
	}
	return nil
}

// Locked reports whether a token is locked. A token that does not exist is not.
func (l *Ledger) Locked(ctx context.Context, tx *store.Tx, id int64) (bool, error) {
	row, err := q.New(tx).GetToken(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ledger: token %d: %w", id, err)
	}
	return row.Locked != 0, nil
}
