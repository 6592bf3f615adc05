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

// ErrLocked says that a token was to move, or to be locked, that is locked.
var ErrLocked = errors.New("ledger: the token is locked")

// Lock keeps a token in its owner's wallet until it is unlocked: whatever would move it
// fails with ErrLocked. It returns the token. Locks are no part of the chain. Errors:
// chain.ErrNotOwner, ErrLocked.
//
// Of a lock and a transfer at the same time one counts: both swap the token's row.
func (l *Ledger) Lock(ctx context.Context, tx *store.Tx, owner chain.Address, id int64) (chain.Token, error) {
	row, err := q.New(tx).GetToken(ctx, id)
	token := layout.Token(row.Tier, row.Owner)
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && token.Owner != owner:
		err = chain.ErrNotOwner
	case err == nil && row.Locked != 0:
		err = ErrLocked
	case err == nil:
		err = OneRow(q.New(tx.Later()).LockToken(ctx, q.LockTokenParams{TokenID: id, Owner: owner[:]}))
	}
	if err != nil {
		return chain.Token{}, fmt.Errorf("ledger: lock token %d: %w", id, err)
	}
	return token, nil
}

// AnnounceToken tells the database that Lock will read a token, or Token.
func (l *Ledger) PrefetchToken(tx *store.Tx, id int64) { tx.Ahead(q.GetToken, id) }

// Hold sees to it that a token which is the owner's and not locked stays so until tx ends.
// It is for who notes something about a token that he does not move: of that and a move,
// which are isolated by snapshots (store.Snapshot), one runs again behind the other, as both
// write the token's row. Errors: those of Lock.
func (l *Ledger) TouchToken(ctx context.Context, tx *store.Tx, owner chain.Address, id int64) error {
	n, err := q.New(tx).HoldToken(ctx, q.HoldTokenParams{TokenID: id, Owner: owner[:]})
	if err != nil {
		return fmt.Errorf("ledger: hold token %d: %w", id, err)
	}
	if n == 1 {
		return nil
	}
	return l.lockError(ctx, tx, owner, id)
}

// HoldAccount sees to it that of two use cases which hold an account, or change its row by
// a Post, and are isolated by snapshots, one runs again behind the other. It is for who
// decides by something that the account has several of, which none of them writes.
func (l *Ledger) TouchAccount(ctx context.Context, tx *store.Tx, account chain.Address) error {
	if err := OneRow(q.New(tx.Later()).HoldAccount(ctx, account[:])); err != nil {
		return fmt.Errorf("ledger: hold %v: %w", account, err)
	}
	return nil
}

// notHad says why a token could not be locked or held.
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

// Unlock lets a locked token move again.
func (l *Ledger) Unlock(ctx context.Context, tx *store.Tx, id int64) error {
	if err := OneRow(q.New(tx.Later()).UnlockToken(ctx, id)); err != nil {
		return fmt.Errorf("ledger: unlock token %d: %w", id, err)
	}
	return nil
}

// Locked says whether a token is locked. A token that never was is not.
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
