package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

const (
	// compactInterval is the least time between two compactions.
	compactInterval = time.Second
	// compactThreshold is how many pending changes make a compaction of a board worthwhile.
	// Fewer cost each reader less than reloading the board's blocks after a new version.
	compactThreshold = 32
	// compactAllEvery is how many compactions pass until one ignores the threshold.
	compactAllEvery = 30
)

// blockSize is the number of entries in a new block. A block of more than twice as many is
// split; one of a quarter or less is merged into its neighbour.
const blockSize = 128

// wakeCompactor makes RunCompactor look for changes now.
func (s *Service) wakeCompactor() {
	select {
	case s.changesWake <- struct{}{}:
	default: // a token is there: the compactor has yet to look
	}
}

// RunCompactor compacts the boards as changes arrive, and drops old boards once a day, until
// ctx ends. Two compactors of one board conflict and one rolls back, so one node should run
// it for all, under a lease. onError receives the errors.
func (s *Service) RunCompactor(ctx context.Context, onError func(error)) {
	report := func(err error) {
		if err != nil && ctx.Err() == nil {
			onError(err)
		}
	}
	var poll <-chan time.Time // for changes that other nodes make
	if !s.DB.Exclusive() {
		ticker := time.NewTicker(compactInterval)
		defer ticker.Stop()
		poll = ticker.C
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	lastDrop := int64(0) // a day
	for n := 0; ; n++ {
		if day := DayOf(s.now()); day != lastDrop {
			lastDrop = day
			report(s.DropOldBoards(ctx))
		}
		select {
		case <-ctx.Done():
			return
		case <-s.changesWake:
		case <-poll:
		}
		threshold := int64(compactThreshold)
		if n%compactAllEvery == 0 {
			threshold = 1
		}
		report(s.compact(ctx, threshold))
		timer.Reset(compactInterval)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

// errCompacted reports that another node has compacted the board meanwhile.
var errCompacted = errors.New("score: another node compacted the board")

// Compact merges all pending changes into the blocks of their boards.
func (s *Service) Compact(ctx context.Context) error { return s.compact(ctx, 1) }

// compact compacts the boards with at least threshold pending changes, each in a transaction
// of its own. An error of one board does not stop the others; all are joined.
func (s *Service) compact(ctx context.Context, threshold int64) error {
	var boards []q.CountChangesByBoardRow
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		boards, err = q.New(tx).CountChangesByBoard(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("score: compact: %w", err)
	}
	var failed []error
	for _, b := range boards {
		if b.Pending < threshold {
			continue
		}
		id := Board(b.Board)
		err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			return compactBoard(ctx, tx, id, s.newBlockSize)
		})
		if err != nil && !errors.Is(err, errCompacted) && !errors.Is(err, ledger.ErrConflict) {
			failed = append(failed, fmt.Errorf("score: compact board %d: %w", id, err))
		}
	}
	return errors.Join(failed...)
}

// block is a range of entries on a board: from first up to the next block's first.
type block struct {
	first  position
	n      int64 // entries
	stored int64 // n in the database; -1 for a block that is not stored
}

// PendingChanges returns how many changes of sort keys are pending, for operators.
func (*Service) PendingChanges(ctx context.Context, tx *store.Tx) (int64, error) {
	n, err := q.New(tx).CountPendingChanges(ctx)
	if err != nil {
		return 0, fmt.Errorf("score: pending changes: %w", err)
	}
	return n, nil
}

// compactBoard merges the pending changes of one board into its blocks: block counts plus
// changes are the entries, as of one snapshot. Errors: errCompacted, ledger.ErrConflict when
// another node compacted the board.
func compactBoard(ctx context.Context, tx *store.Tx, id Board, size int64) error {
	c := compaction{ctx: ctx, queries: q.New(tx), id: id, size: size}
	row, err := c.queries.GetBoard(ctx, int64(id))
	isNew := errors.Is(err, sql.ErrNoRows)
	if err != nil && !isNew {
		return err
	}
	changes, err := readChanges(ctx, c.queries, id)
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := c.loadBlocks(); err != nil {
		return err
	}
	total := row.Total
	for i := range changes {
		total += changes[i].delta(maxPosition)
		c.apply(&changes[i])
	}
	if err := c.store(); err != nil {
		return err
	}
	if isNew {
		err = conflict(c.queries.InsertBoard(ctx, q.InsertBoardParams{Board: int64(id), Total: total}))
	} else {
		err = c.swapVersion(total, row.Version)
	}
	if err != nil {
		return err
	}
	last := changes[len(changes)-1].id
	deleted, err := c.queries.DeleteChanges(ctx, q.DeleteChangesParams{Board: int64(id), Last: last})
	if err != nil {
		return err
	}
	if deleted != int64(len(changes)) {
		return errCompacted // a change with a smaller id was committed meanwhile: roll back and retry
	}
	return nil
}

// conflict replaces the unique violation of a concurrent insert by ledger.ErrConflict.
func conflict(err error) error {
	if store.IsUnique(err) {
		return ledger.ErrConflict
	}
	return err
}

// compaction holds the blocks of one board while changes are merged into them.
type compaction struct {
	ctx     context.Context
	queries *q.Queries
	id      Board
	size    int64      // of new blocks
	blocks  []block    // in order; the first one begins at minPosition
	deleted []position // first positions of stored blocks that are merged into others
}

// loadBlocks reads the stored blocks. A board without blocks gets one empty block.
func (c *compaction) loadBlocks() error {
	rows, err := c.queries.ListBlocks(c.ctx, int64(c.id))
	if err != nil {
		return err
	}
	c.blocks = make([]block, len(rows))
	for i, r := range rows {
		c.blocks[i] = block{first: position{r.Place, string(r.Member)}, n: r.N, stored: r.N}
	}
	if len(rows) == 0 {
		c.blocks = []block{{first: minPosition, stored: -1}}
	}
	return nil
}

// swapVersion stores the total of the board and raises its version.
func (c *compaction) swapVersion(total, version int64) error {
	n, err := c.queries.SwapBoard(c.ctx, q.SwapBoardParams{Board: int64(c.id), Total: total, Expected: version})
	if err != nil {
		return err
	}
	if n != 1 {
		return errCompacted
	}
	return nil
}

// apply moves one entry from the block of its old position to that of its new one.
func (c *compaction) apply(ch *change) {
	if ch.oldKey != nil {
		c.blockAt(position{*ch.oldKey, ch.member}).n--
	}
	if ch.newKey != nil {
		c.blockAt(position{*ch.newKey, ch.member}).n++
	}
}

// blockAt returns the block whose range holds p.
func (c *compaction) blockAt(p position) *block {
	i, exact := slices.BinarySearchFunc(c.blocks, p, func(b block, p position) int {
		switch {
		case b.first.before(p):
			return -1
		case p.before(b.first):
			return 1
		}
		return 0
	})
	if !exact {
		i--
	}
	return &c.blocks[i]
}

// store merges small blocks, splits large ones, and writes the blocks that changed. Errors:
// errDamaged when a count falls below zero or disagrees with the entries.
func (c *compaction) store() error {
	c.mergeSmall()
	for i := 0; i < len(c.blocks); i++ {
		if c.blocks[i].n < 0 {
			return errDamaged
		}
		if c.blocks[i].n <= 2*c.size {
			continue
		}
		parts, err := c.split(i)
		if err != nil {
			return err
		}
		c.blocks = slices.Replace(c.blocks, i, i+1, parts...)
		i += len(parts) - 1
	}
	for _, p := range c.deleted {
		err := c.queries.DeleteBlock(c.ctx, q.DeleteBlockParams{
			Board: int64(c.id), Place: p.sortKey, Member: []byte(p.member),
		})
		if err != nil {
			return err
		}
	}
	for i := range c.blocks {
		if err := c.write(&c.blocks[i]); err != nil {
			return err
		}
	}
	return nil
}

// write inserts or updates a block whose count differs from the stored one.
func (c *compaction) write(b *block) error {
	switch b.stored {
	case b.n:
		return nil
	case -1:
		return conflict(c.queries.InsertBlock(c.ctx, q.InsertBlockParams{
			Board: int64(c.id), Place: b.first.sortKey, Member: []byte(b.first.member), N: b.n}))
	default:
		return c.queries.UpdateBlock(c.ctx, q.UpdateBlockParams{
			Board: int64(c.id), Place: b.first.sortKey, Member: []byte(b.first.member), N: b.n})
	}
}

// mergeSmall merges each small block with the one before it, unless the sum exceeds size.
func (c *compaction) mergeSmall() {
	kept := c.blocks[:1]
	for _, b := range c.blocks[1:] {
		last := &kept[len(kept)-1]
		if small := c.size/4 + 1; (b.n < small || last.n < small) && last.n+b.n <= c.size {
			last.n += b.n
			if b.stored >= 0 {
				c.deleted = append(c.deleted, b.first)
			}
			continue
		}
		kept = append(kept, b)
	}
	c.blocks = kept
}

// split cuts block i into blocks of size entries. It reads the entries to find the new first
// positions. Errors: errDamaged when there are fewer entries than the block counts.
func (c *compaction) split(i int) ([]block, error) {
	b := c.blocks[i]
	parts := []block{{first: b.first, stored: b.stored}}
	from, left := b.first, b.n
	for left > 0 {
		rows, err := c.queries.ListFrom(c.ctx, q.ListFromParams{
			Board: int64(c.id), Place: from.sortKey, Member: []byte(from.member), Count: min(left, c.size) + 1})
		if err != nil {
			return nil, err
		}
		n := min(left, c.size)
		if int64(len(rows)) < n {
			return nil, errDamaged
		}
		parts[len(parts)-1].n = n
		if left -= n; left > 0 {
			if int64(len(rows)) == n {
				return nil, errDamaged
			}
			from = position{rows[n].Place, string(rows[n].Member)}
			parts = append(parts, block{first: from, stored: -1})
		}
	}
	return parts, nil
}

// Rebuild recomputes the blocks and the total of a board from its entries, and discards its
// pending changes, which the entries contain.
func Rebuild(ctx context.Context, tx *store.Tx, id Board) error {
	queries := q.New(tx)
	changes, err := readChanges(ctx, queries, id)
	if err != nil {
		return err
	}
	if err := queries.DeleteBlocks(ctx, int64(id)); err != nil {
		return err
	}
	rows, total, err := blockRows(ctx, queries, id)
	if err != nil {
		return err
	}
	if err := store.BulkInsert(ctx, tx, "score_block", []string{"board", "place", "member", "n"}, rows); err != nil {
		return err
	}
	if len(changes) > 0 {
		_, err = queries.DeleteChanges(ctx, q.DeleteChangesParams{Board: int64(id), Last: changes[len(changes)-1].id})
		if err != nil {
			return err
		}
	}
	row, err := queries.GetBoard(ctx, int64(id))
	if errors.Is(err, sql.ErrNoRows) {
		return conflict(queries.InsertBoard(ctx, q.InsertBoardParams{Board: int64(id), Total: total}))
	}
	if err != nil {
		return err
	}
	return ledger.OneRow(queries.SwapBoard(ctx, q.SwapBoardParams{
		Board: int64(id), Total: total, Expected: row.Version,
	}))
}

// blockRows cuts the entries of a board into blocks, and returns their rows (board, place,
// member, n) and the number of entries.
func blockRows(ctx context.Context, queries *q.Queries, id Board) (rows [][]any, total int64, err error) {
	from := minPosition
	for {
		list, err := queries.ListFrom(ctx, q.ListFromParams{
			Board: int64(id), Place: from.sortKey, Member: []byte(from.member), Count: blockSize + 1})
		if err != nil {
			return nil, 0, err
		}
		n := min(len(list), blockSize)
		rows = append(rows, []any{int64(id), from.sortKey, []byte(from.member), int64(n)})
		total += int64(n)
		if len(list) <= blockSize {
			return rows, total, nil
		}
		from = position{list[n].Place, string(list[n].Member)}
	}
}
