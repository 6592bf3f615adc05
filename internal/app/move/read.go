package move

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
)

// list returns the columns of a table for SELECT.
func list(t store.Table) string { return strings.Join(names(t), ", ") }

// withoutMove returns the condition that leaves out the rows of a move, "" for other tables.
func withoutMove(t store.Table) string {
	if t.Name != "meta" {
		return ""
	}
	return " WHERE name NOT IN ('" + layout.MetaMoving + "', '" + layout.MetaMoved + "')"
}

// read passes the rows of a table behind the first skip ones to send, in batches and by primary key, which is the
// order in which an earlier call has read them.
func (m *Move) read(ctx context.Context, t store.Table, skip int64, send func([][]any) error) error {
	if len(t.Key) == 0 {
		return fmt.Errorf("table %s has no primary key", t.Name)
	}
	query := fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s LIMIT %d OFFSET $1", list(t), t.Name, withoutMove(t),
		strings.Join(t.Key, ", "), int64(math.MaxInt64))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := m.from.Views(ctx, 1, func(_ context.Context, txs []*store.Tx) error {
		var rows [][]any
		size := 0
		pass := func() {
			if len(rows) == 0 || ctx.Err() != nil {
				return
			}
			if err := send(rows); err != nil {
				cancel(err) // ends the scan
				return
			}
			// A View that is run again goes on behind the rows that were sent.
			skip += int64(len(rows))
			rows, size = nil, 0
		}
		err := txs[0].Scan(query, []any{skip}, func(r store.Row) {
			row, bytes := values(t, r)
			size += bytes
			if rows = append(rows, row); len(rows) == m.rows || size >= batchBytes {
				pass()
			}
		})
		if err != nil {
			return err
		}
		pass()
		return nil
	})
	if cause := context.Cause(ctx); cause != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return cause
	}
	return err
}

// values returns a row as BulkLoad takes it, and the bytes of its texts and blobs.
func values(t store.Table, r store.Row) (row []any, size int) {
	row = make([]any, len(t.Columns))
	for i, c := range t.Columns {
		switch {
		case r.Null(i):
		case c.Type == store.Integer:
			row[i] = r.Int(i)
		case c.Type == store.Text:
			text := string(r.Bytes(i))
			row[i], size = text, size+len(text)
		default:
			blob := append([]byte{}, r.Bytes(i)...) // an empty one is not nil
			row[i], size = blob, size+len(blob)
		}
	}
	return row, size
}
