package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/db"
	q "roshambo/internal/query/ledgerq"
)

// ErrLocked says that a token was to move, or to be locked, that is locked.
var ErrLocked = errors.New("ledger: the token is locked")

// Lock keeps a token in its owner's wallet until it is unlocked: whatever would move it
// fails with ErrLocked. Locks are no part of the chain. Errors: chain.ErrNotOwner,
// ErrLocked.
//
// Of a lock and a transfer at the same time one counts: both swap the token's row.
func (l *Ledger) Lock(ctx context.Context, tx *db.Tx, owner chain.Address, id int64) error {
	queries := q.New(tx)
	n, err := queries.LockToken(ctx, q.LockTokenParams{TokenID: id, Owner: owner[:]})
	if err != nil {
		return fmt.Errorf("ledger: lock token %d: %w", id, err)
	}
	if n == 1 {
		return nil
	}
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
func (l *Ledger) Unlock(ctx context.Context, tx *db.Tx, id int64) error {
	if err := OneRow(q.New(tx).UnlockToken(ctx, id)); err != nil {
		return fmt.Errorf("ledger: unlock token %d: %w", id, err)
	}
	return nil
}

// Locked says whether a token is locked. A token that never was is not.
func (l *Ledger) Locked(ctx context.Context, tx *db.Tx, id int64) (bool, error) {
	row, err := q.New(tx).GetToken(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ledger: token %d: %w", id, err)
	}
	return row.Locked != 0, nil
}
