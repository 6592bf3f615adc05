package rank

import (
	"context"
	"fmt"

	"roshambo/internal/store"
)

// checkRows is how many entries Check reads at a time.
const checkRows = 1000

// Boards returns all boards with a row or pending changes, in order.
func (x *Index[B]) Boards(tx *store.Tx) ([]B, error) {
	return x.boards(tx, "SELECT board FROM "+x.t.Totals+" UNION SELECT board FROM "+x.t.Changes+" ORDER BY board")
}

// Pending returns how many changes are pending, for operators.
func (x *Index[B]) Pending(tx *store.Tx) (n int64, err error) {
	err = tx.Scan("SELECT count(*) AS n FROM "+x.t.Changes, nil, func(r store.Row) { n = r.Int(0) })
	return n, err
}

// Totals returns the number of entries of each board from first up to last, without those
// that never had an entry.
func (x *Index[B]) Totals(tx *store.Tx, first, last B) (map[B]int64, error) {
	totals := map[B]int64{}
	err := tx.Scan("SELECT board, total AS n FROM "+x.t.Totals+" WHERE board >= $1 AND board <= $2 "+
		"UNION ALL SELECT board, CAST(SUM((CASE WHEN now IS NULL THEN 0 ELSE 1 END) - "+
		"(CASE WHEN was IS NULL THEN 0 ELSE 1 END)) AS bigint) FROM "+x.t.Changes+
		" WHERE board >= $1 AND board <= $2 GROUP BY board",
		[]any{first, last}, func(r store.Row) { totals[boardIn[B](r)] += r.Int(1) })
	return totals, err
}

// Drop deletes totals, blocks and pending changes of the boards from first up to before, so
// that no reader counts with them. The service deletes their entries.
func (x *Index[B]) Drop(ctx context.Context, tx *store.Tx, first, before B) error {
	for _, table := range []string{x.t.Blocks, x.t.Totals, x.t.Changes} {
		if _, err := x.exec(ctx, tx, "DELETE FROM "+table+" WHERE board >= $1 AND board < $2", first, before); err != nil {
			return err
		}
	}
	return nil
}

// Rebuild recomputes the blocks and the total of a board from its entries, and discards its
// pending changes, which the entries contain. Errors: one for a board that a concurrent
// compaction changes.
func (x *Index[B]) Rebuild(ctx context.Context, tx *store.Tx, board B) error {
	row, _, err := x.read(tx, board)
	if err != nil {
		return err
	}
	for _, table := range []string{x.t.Blocks, x.t.Changes} {
		if _, err := x.exec(ctx, tx, "DELETE FROM "+table+" WHERE board = $1", board); err != nil {
			return err
		}
	}
	var rows [][]any
	total := int64(0)
	for from, more := First, true; more; {
		list, err := x.list(tx, board, from, x.BlockSize+1)
		if err != nil {
			return err
		}
		n := min(int64(len(list)), x.BlockSize)
		rows = append(rows, []any{board, from.Key, []byte(from.Member), n})
		total += n
		if more = n < int64(len(list)); more {
			from = list[n]
		}
	}
	if err := store.BulkInsert(ctx, tx, x.t.Blocks, blockColumns, rows); err != nil {
		return err
	}
	return x.swap(ctx, tx, board, row, total)
}

// Check compares the total of a board with the sum of its blocks, and the blocks, with the
// pending changes, with the entries. It calls report with each pair of counts, equal or not,
// and returns the number of entries. It reads them in pages.
func (x *Index[B]) Check(tx *store.Tx, board B, report func(what string, expected, found int64)) (int64, error) {
	c := compaction[B]{x: x, tx: tx, board: board}
	row, changes, err := x.read(tx, board)
	if err != nil {
		return 0, err
	}
	if c.blocks, err = x.readBlocks(tx, board); err != nil {
		return 0, err
	}
	sum := int64(0)
	for _, b := range c.blocks {
		sum += b.n
	}
	report("entries of its blocks", sum, row.total)
	for i := range changes {
		c.apply(&changes[i])
	}
	counted, total, err := c.countEntries()
	if err != nil {
		return 0, err
	}
	for i, b := range c.blocks {
		report(fmt.Sprint("block ", i), counted[i], b.n)
	}
	return total, nil
}

// countEntries counts the entries in the range of each block, and all.
func (c *compaction[B]) countEntries() (counted []int64, total int64, err error) {
	counted = make([]int64, len(c.blocks))
	i, from := 0, First
	for {
		list, err := c.x.list(c.tx, c.board, from, checkRows)
		if err != nil {
			return nil, 0, err
		}
		for _, p := range list {
			for i+1 < len(c.blocks) && !p.Before(c.blocks[i+1].first) {
				i++
			}
			counted[i]++
			from = p.Next()
		}
		total += int64(len(list))
		if len(list) < checkRows {
			return counted, total, nil
		}
	}
}
