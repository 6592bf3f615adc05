package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// MarkRestored marks a database as an older state of its service: a restored backup, a standby that
// was behind, an accepted rollback. The next start performs a recovery (TakeMark). No node may run.
func MarkRestored(ctx context.Context, d *store.DB) error {
	err := d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		return q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRestored, Value: "1"})
	})
	if err != nil {
		return fmt.Errorf("ledger: mark as restored: %w", err)
	}
	return nil
}

// Marked reports whether the database is marked as restored.
func Marked(ctx context.Context, tx *store.Tx) (bool, error) {
	_, err := q.New(tx).GetMeta(ctx, layout.MetaRestored)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// TakeMark removes the mark, and reports whether there was one. The caller performs the recovery in
// the same tx: a crash before its commit leaves the mark.
func TakeMark(ctx context.Context, tx *store.Tx) (bool, error) {
	n, err := q.New(tx).DeleteMeta(ctx, layout.MetaRestored)
	return n > 0, err
}
