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
	// foldEvery is the least time between two foldings.
	foldEvery = time.Second
	// foldMany is how many changes make a folding worth while. They cost each reader
	// less than all readers pay for learning the board's blocks anew.
	foldMany = 32
	// foldAll is how often fewer are folded in all the same.
	foldAll = 30
)

// blockSize is how many entries a block has that is made new. One that has come to have
// twice as many is split; one with fewer than a quarter goes to the one before.
const blockSize = 128

func (s *Service) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// Run folds changes in as they come, and once a day drops the boards of long ago, until ctx
// ends. Of two nodes that fold the same board
// one takes its work back, so one should do it for all. failed is told of errors.
func (s *Service) Run(ctx context.Context, failed func(error)) {
	var others <-chan time.Time // when to look for changes that other nodes have made
	if !s.DB.Exclusive() {
		ticker := time.NewTicker(foldEvery)
		defer ticker.Stop()
		others = ticker.C
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	lastDrop := int64(0) // the day of it
	for n := 0; ; n++ {
		if day := DayOf(s.now()); day != lastDrop {
			lastDrop = day
			if err := s.Drop(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-s.woken:
		case <-others:
		}
		many := int64(foldMany)
		if n%foldAll == 0 {
			many = 1
		}
		if err := s.fold(ctx, many); err != nil && ctx.Err() == nil {
			failed(err)
		}
		timer.Reset(foldEvery)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

// errFolded says that another node has folded the board meanwhile.
var errFolded = errors.New("score: another node was folding")

// Fold folds in all changes that wait.
func (s *Service) Fold(ctx context.Context) error { return s.fold(ctx, 1) }

// fold folds in the changes of boards with so many of them, board by board, each in its
// own transaction.
func (s *Service) fold(ctx context.Context, many int64) error {
	var boards []q.ListChangedRow
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		boards, err = q.New(tx).ListChanged(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("score: fold: %w", err)
	}
	var failed []error // one damaged board keeps no other from its turn
	for _, b := range boards {
		if b.Waiting < many {
			continue
		}
		id := b.Board
		err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error { return foldBoard(ctx, tx, Board(id), s.blockSize) })
		if err != nil && !errors.Is(err, errFolded) && !errors.Is(err, ledger.ErrConflict) {
			failed = append(failed, fmt.Errorf("score: fold board %d: %w", id, err))
		}
	}
	return errors.Join(failed...)
}

// block is a run of entries on a board, from first to the next block's.
type block struct {
	first  key
	n      int64
	stored int64 // n as it is stored; -1 for a block that is not
}

// foldBoard folds in the changes of one board. What it reads is one snapshot: the
// blocks, with all the changes, are what the entries are.
func foldBoard(ctx context.Context, tx *store.Tx, id Board, size int64) error {
	f := folding{ctx: ctx, queries: q.New(tx), id: id, size: size}
	row, err := f.queries.GetBoard(ctx, int64(id))
	fresh := errors.Is(err, sql.ErrNoRows)
	if err != nil && !fresh {
		return err
	}
	changes, err := readChanges(ctx, f.queries, id)
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := f.read(); err != nil {
		return err
	}
	total := row.Total
	for i := range changes {
		total += changes[i].moved(end)
		f.apply(&changes[i])
	}
	if err := f.store(); err != nil {
		return err
	}
	if fresh {
		err = conflict(f.queries.InsertBoard(ctx, q.InsertBoardParams{Board: int64(id), Total: total}))
	} else {
		err = f.swap(total, row.Version)
	}
	if err != nil {
		return err
	}
	gone, err := f.queries.DeleteChanges(ctx, q.DeleteChangesParams{Board: int64(id), Last: changes[len(changes)-1].id})
	if err == nil && gone != int64(len(changes)) {
		err = errFolded // one came into the middle: take all of it back and look again
	}
	return err
}

// conflict turns the error of a row that somebody else has just made into ErrConflict.
func conflict(err error) error {
	if store.IsUnique(err) {
		return ledger.ErrConflict
	}
	return err
}

// folding is a board that is being folded.
type folding struct {
	ctx     context.Context
	queries *q.Queries
	id      Board
	size    int64   // of new blocks
	blocks  []block // in order; the first one begins at start
	gone    []key   // blocks that are to be deleted
}

func (f *folding) read() error {
	rows, err := f.queries.ListBlocks(f.ctx, int64(f.id))
	if err != nil {
		return err
	}
	f.blocks = make([]block, len(rows))
	for i, r := range rows {
		f.blocks[i] = block{key{r.Place, string(r.Member)}, r.N, r.N}
	}
	if len(rows) == 0 {
		f.blocks = []block{{start, 0, -1}}
	}
	return nil
}

func (f *folding) swap(total, seen int64) error {
	n, err := f.queries.SwapBoard(f.ctx, q.SwapBoardParams{Board: int64(f.id), Total: total, Seen: seen})
	if err == nil && n != 1 {
		err = errFolded
	}
	return err
}

func (f *folding) apply(c *change) {
	if c.was != nil {
		f.at(key{*c.was, c.member}).n--
	}
	if c.now != nil {
		f.at(key{*c.now, c.member}).n++
	}
}

// at returns the block in which k is, or would be.
func (f *folding) at(k key) *block {
	i, found := slices.BinarySearchFunc(f.blocks, k, func(b block, k key) int {
		switch {
		case b.first.before(k):
			return -1
		case k.before(b.first):
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	return &f.blocks[i]
}

// store cuts blocks that have grown, joins those that have shrunk, and writes what is
// not as it was.
func (f *folding) store() error {
	f.join()
	for i := 0; i < len(f.blocks); i++ {
		if f.blocks[i].n < 0 {
			return errDamaged
		}
		if f.blocks[i].n <= 2*f.size {
			continue
		}
		parts, err := f.split(i)
		if err != nil {
			return err
		}
		f.blocks = slices.Replace(f.blocks, i, i+1, parts...)
		i += len(parts) - 1
	}
	for _, k := range f.gone {
		err := f.queries.DeleteBlock(f.ctx, q.DeleteBlockParams{Board: int64(f.id), Place: k.place, Member: []byte(k.member)})
		if err != nil {
			return err
		}
	}
	for i := range f.blocks {
		if err := f.write(&f.blocks[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *folding) write(b *block) error {
	switch b.stored {
	case b.n:
		return nil
	case -1:
		return conflict(f.queries.InsertBlock(f.ctx, q.InsertBlockParams{
			Board: int64(f.id), Place: b.first.place, Member: []byte(b.first.member), N: b.n}))
	default:
		return f.queries.UpdateBlock(f.ctx, q.UpdateBlockParams{
			Board: int64(f.id), Place: b.first.place, Member: []byte(b.first.member), N: b.n})
	}
}

// join gives small blocks to the one before.
func (f *folding) join() {
	kept := f.blocks[:1]
	for _, b := range f.blocks[1:] {
		last := &kept[len(kept)-1]
		if small := f.size/4 + 1; (b.n < small || last.n < small) && last.n+b.n <= f.size {
			last.n += b.n
			if b.stored >= 0 {
				f.gone = append(f.gone, b.first)
			}
			continue
		}
		kept = append(kept, b)
	}
	f.blocks = kept
}

// split cuts a block into some of blockSize. It walks along the entries themselves, of
// which there must be as many as were counted.
func (f *folding) split(i int) ([]block, error) {
	b := f.blocks[i]
	parts := []block{{first: b.first, stored: b.stored}}
	from, left := b.first, b.n
	for left > 0 {
		rows, err := f.queries.ListFrom(f.ctx, q.ListFromParams{
			Board: int64(f.id), Place: from.place, Member: []byte(from.member), Count: min(left, f.size) + 1})
		if err != nil {
			return nil, err
		}
		n := min(left, f.size)
		if int64(len(rows)) < n {
			return nil, errDamaged
		}
		parts[len(parts)-1].n = n
		if left -= n; left > 0 {
			if int64(len(rows)) == n {
				return nil, errDamaged
			}
			from = key{rows[n].Place, string(rows[n].Member)}
			parts = append(parts, block{first: from, stored: -1})
		}
	}
	return parts, nil
}

// Rebuild counts the blocks of a board anew from its entries.
func Rebuild(ctx context.Context, tx *store.Tx, id Board) error {
	queries := q.New(tx)
	changes, err := readChanges(ctx, queries, id)
	if err != nil {
		return err
	}
	if err := queries.DeleteBlocks(ctx, int64(id)); err != nil {
		return err
	}
	rows, total, err := cut(ctx, queries, id)
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
	return ledger.OneRow(queries.SwapBoard(ctx, q.SwapBoardParams{Board: int64(id), Total: total, Seen: row.Version}))
}

// cut walks along a board and returns the rows of its blocks.
func cut(ctx context.Context, queries *q.Queries, id Board) (rows [][]any, total int64, err error) {
	from := start
	for {
		list, err := queries.ListFrom(ctx, q.ListFromParams{
			Board: int64(id), Place: from.place, Member: []byte(from.member), Count: blockSize + 1})
		if err != nil {
			return nil, 0, err
		}
		n := min(len(list), blockSize)
		rows = append(rows, []any{int64(id), from.place, []byte(from.member), int64(n)})
		total += int64(n)
		if len(list) <= blockSize {
			return rows, total, nil
		}
		from = key{list[n].Place, string(list[n].Member)}
	}
}
