package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// MarkRestored marks a database as an older state of its service: a restored backup, a standby that
// was behind, an accepted rollback. The next start performs a recovery (TakeMark) with a public reason;
// "" is DefaultReason. No node may run; one that runs writes nothing from then on (CheckWritable).
func MarkRestored(ctx context.Context, d *store.DB, reason string) error {
	err := d.Update(ctx, func(ctx context.Context, tx *store.Tx) error { return PutMark(ctx, tx, reason) })
	if err != nil {
		return fmt.Errorf("ledger: mark as restored: %w", err)
	}
	return nil
}

// PutMark is MarkRestored in a transaction of the caller.
func PutMark(ctx context.Context, tx *store.Tx, reason string) error {
	return q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRestored, Value: reason})
}

// Marked reports whether the database is marked as restored.
func Marked(ctx context.Context, tx *store.Tx) (bool, error) {
	_, err := q.New(tx).GetMeta(ctx, layout.MetaRestored)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// TakeMark removes the mark, and reports whether there was one, with the reason in it; also what says that the lost
// blocks are declared, which is for the time until the recovery. The caller
// performs the recovery in the same tx: a crash before its commit leaves the mark. While nodes report a loss that is
// not declared, the mark stays.
func TakeMark(ctx context.Context, tx *store.Tx) (reason string, marked bool, err error) {
	reason, err = q.New(tx).GetMeta(ctx, layout.MetaRestored)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	switch lost, err := loadLost(ctx, tx); {
	case err != nil:
		return "", false, err
	case lost != nil && lost.declared:
		if _, err := q.New(tx).DeleteMeta(ctx, layout.MetaRecovering); err != nil {
			return "", false, err
		}
	case lost != nil && lost.Root != (tlog.Hash{}):
		return "", false, nil // reported since: it is declared first, so that one recovery serves both
	}
	n, err := q.New(tx).DeleteMeta(ctx, layout.MetaRestored)
	return reason, n > 0, err
}
