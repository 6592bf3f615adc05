package rank

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"roshambo/internal/store"
)

const (
	// interval is the least time between two compactions.
	interval = time.Second
	// threshold is how many pending changes make a compaction of a board worthwhile. Fewer
	// cost each reader less than reloading the board's blocks after a new version.
	threshold = 32
	// allEvery is how many compactions pass until one ignores the threshold.
	allEvery = 30
)

// blockSize is the number of entries in a new block. A block of more than twice as many is
// split; one of a quarter or less is merged into its neighbour.
const blockSize = 128

// wakeUp makes Run look for changes now.
func (x *Index[B]) wakeUp() {
	select {
	case x.wake <- struct{}{}:
	default: // a token is there: Run has yet to look
	}
}

// Run compacts the boards as changes arrive, until ctx ends. Before it waits for changes it
// calls idle, unless that is nil. Two compactions of one board conflict and one rolls back, so
// one node should run it for all, under a lease. onError receives the errors.
func (x *Index[B]) Run(ctx context.Context, idle func(context.Context) error, onError func(error)) {
	report := func(err error) {
		if err != nil && ctx.Err() == nil {
			onError(err)
		}
	}
	var poll <-chan time.Time // for changes that other nodes make
	if !x.db.Exclusive() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		poll = ticker.C
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for n := 0; ; n++ {
		if idle != nil {
			report(idle(ctx))
		}
		select {
		case <-ctx.Done():
			return
		case <-x.wake:
		case <-poll:
		}
		least := int64(threshold)
		if n%allEvery == 0 {
			least = 1
		}
		report(x.Compact(ctx, least))
		timer.Reset(interval)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

// errCompacted reports that another node has compacted the board meanwhile.
var errCompacted = errors.New("rank: another node compacted the board")

// Compact merges the pending changes of each board that has at least so many into its blocks,
// board by board, each in a transaction of its own. A crash leaves a board as it was or
// compacted; both count the same. An error of one board does not stop the others; all are
// joined.
func (x *Index[B]) Compact(ctx context.Context, least int64) error {
	var boards []B
	err := x.db.View(ctx, func(_ context.Context, tx *store.Tx) (err error) {
		text := "SELECT board FROM " + x.t.Changes + " GROUP BY board HAVING count(*) >= $1 ORDER BY board"
		boards, err = x.boards(tx, text, least)
		return err
	})
	if err != nil {
		return fmt.Errorf("rank: compact: %w", err)
	}
	return store.Each(ctx, boards, func(ctx context.Context, b B) error {
		err := x.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error { return x.compactBoard(ctx, tx, b) })
		if err != nil && !errors.Is(err, errCompacted) {
			return fmt.Errorf("rank: compact board %v: %w", b, err)
		}
		return nil
	})
}

// boards runs a query that returns boards.
func (x *Index[B]) boards(tx *store.Tx, query string, args ...any) (list []B, err error) {
	err = tx.Scan(query, args, func(r store.Row) { list = append(list, boardIn[B](r)) })
	return list, err
}

// boardIn returns the board in the first column.
func boardIn[B int64 | string](r store.Row) (b B) {
	switch to := any(&b).(type) {
	case *int64:
		*to = r.Int(0)
	case *string:
		*to = string(r.Bytes(0))
	}
	return b
}

// compactBoard merges the pending changes of one board into its blocks: block counts plus
// changes are the entries, as of one snapshot. Errors: errCompacted.
func (x *Index[B]) compactBoard(ctx context.Context, tx *store.Tx, board B) error {
	c := compaction[B]{x: x, tx: tx, board: board}
	row, changes, err := x.read(tx, board)
	if err != nil || len(changes) == 0 {
		return err
	}
	if c.blocks, err = x.readBlocks(tx, board); err != nil {
		return err
	}
	total, last := row.total, int64(0)
	for i := range changes {
		total, last = total+changes[i].delta(Last), max(last, changes[i].id)
		c.apply(&changes[i])
	}
	if err := c.store(ctx); err != nil {
		return err
	}
	if err := x.swap(ctx, tx, board, row, total); err != nil {
		return err
	}
	text := "DELETE FROM " + x.t.Changes + " WHERE board = $1 AND id <= $2"
	deleted, err := x.exec(ctx, tx, text, board, last)
	if err != nil {
		return err
	}
	if deleted != int64(len(changes)) {
		return errCompacted // a change with a smaller id was committed meanwhile: roll back, and retry later
	}
	return nil
}

// swap stores the total of a board and raises its version: of concurrent compactions one is
// stored. Errors: errCompacted.
func (x *Index[B]) swap(ctx context.Context, tx *store.Tx, board B, row boardRow, total int64) error {
	n, err := x.exec(ctx, tx, "INSERT INTO "+x.t.Totals+" AS t (board, total, version) VALUES ($1, $2, 1) "+
		"ON CONFLICT (board) DO UPDATE SET total = excluded.total, version = t.version + 1 WHERE t.version = $3",
		board, total, row.version)
	if err != nil {
		return err
	}
	if n != 1 {
		return errCompacted
	}
	return nil
}

// exec runs a statement and returns how many rows it changed.
func (x *Index[B]) exec(ctx context.Context, tx *store.Tx, query string, args ...any) (int64, error) {
	result, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// list returns up to count positions of entries, from one on.
func (x *Index[B]) list(tx *store.Tx, board B, from Position, count int64) (list []Position, err error) {
	err = tx.Scan(x.text.list, []any{board, from.Key, []byte(from.Member), count}, func(r store.Row) {
		list = append(list, Position{r.Int(0), string(r.Bytes(1))})
	})
	return list, err
}

// compaction holds the blocks of one board while changes are merged into them.
type compaction[B int64 | string] struct {
	x       *Index[B]
	tx      *store.Tx
	board   B
	blocks  []block // in order
	deleted [][]any // keys of stored blocks that are merged into others
}

// apply moves one entry from the block of its old position to the block of its new one.
func (c *compaction[B]) apply(p *pending) {
	if p.old != nil {
		find(c.blocks, Position{*p.old, p.member}).n--
	}
	if p.new != nil {
		find(c.blocks, Position{*p.new, p.member}).n++
	}
}

var (
	blockKey     = []string{"board", "place", "member"}
	blockColumns = []string{"board", "place", "member", "n"}
)

// store merges small blocks, splits large ones, and writes the blocks that changed. Errors:
// ErrDamaged when a count falls below zero or disagrees with the entries.
func (c *compaction[B]) store(ctx context.Context) error {
	c.mergeSmall()
	var changed [][]any
	for i := 0; i < len(c.blocks); i++ {
		if c.blocks[i].n < 0 {
			return ErrDamaged
		}
		if c.blocks[i].n > 2*c.x.BlockSize {
			parts, err := c.split(c.blocks[i])
			if err != nil {
				return err
			}
			c.blocks = slices.Replace(c.blocks, i, i+1, parts...)
		}
		if b := c.blocks[i]; b.n != b.stored {
			changed = append(changed, []any{c.board, b.first.Key, []byte(b.first.Member), b.n})
		}
	}
	if _, err := store.BulkDelete(ctx, c.tx, c.x.t.Blocks, blockKey, c.deleted); err != nil {
		return err
	}
	return store.BulkUpsert(ctx, c.tx, store.UpsertTarget{Table: c.x.t.Blocks, Key: blockKey, Others: blockColumns[3:]},
		changed)
}

// mergeSmall merges each small block with the one before it, unless the sum exceeds BlockSize.
func (c *compaction[B]) mergeSmall() {
	kept, size := c.blocks[:1], c.x.BlockSize
	for _, b := range c.blocks[1:] {
		last := &kept[len(kept)-1]
		if small := size/4 + 1; (b.n < small || last.n < small) && last.n+b.n <= size {
			last.n += b.n
			if b.stored >= 0 {
				c.deleted = append(c.deleted, []any{c.board, b.first.Key, []byte(b.first.Member)})
			}
			continue
		}
		kept = append(kept, b)
	}
	c.blocks = kept
}

// split cuts a block into blocks of BlockSize entries. It reads the entries to find the new
// first positions. Errors: ErrDamaged when there are fewer entries than the block counts.
func (c *compaction[B]) split(b block) ([]block, error) {
	parts := []block{{first: b.first, stored: b.stored}}
	for left := b.n; ; {
		last, n := &parts[len(parts)-1], min(left, c.x.BlockSize)
		rows, err := c.x.list(c.tx, c.board, last.first, n+1)
		if err != nil {
			return nil, err
		}
		last.n = n
		if left -= n; int64(len(rows)) < n+min(left, 1) {
			return nil, ErrDamaged
		}
		if left == 0 {
			return parts, nil
		}
		parts = append(parts, block{first: rows[n], stored: -1})
	}
}
