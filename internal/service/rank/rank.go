// Package rank counts how many entries of an ordered board precede a position: exactly, in one
// snapshot, and in milliseconds at a million entries. It knows keys and members only, not what
// a service ranks by.
//
// A board is cut into blocks of some hundred entries. A table of blocks holds how many entries
// each has. Writers do not update blocks, as all would write the same rows: they append each
// change of a key to a table of pending changes, in the transaction that changes the entry.
// Compact merges the pending changes into the blocks. So at any time and in any snapshot
//
//	entries before p = entries in the blocks before the block of p
//	                 + what the pending changes add and remove there
//	                 + entries from the first position of that block up to p
//
// The first term comes from memory, once per version of the board; the second from a few
// hundred rows at most; the third from one range of an index.
package rank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"sync"

	"roshambo/internal/store"
)

// Position is the position of an entry in the order of its board: by key, ascending, and among
// equal keys by member.
type Position struct {
	Key    int64
	Member string // bytes
}

// Before reports whether p precedes o.
func (p Position) Before(o Position) bool {
	return p.Key < o.Key || p.Key == o.Key && p.Member < o.Member
}

// Next returns the smallest position behind p.
func (p Position) Next() Position { return Position{p.Key, p.Member + "\x00"} }

// The bounds of the order: First precedes every entry, Last follows every entry whose key is
// below math.MaxInt64.
var (
	First = Position{math.MinInt64, ""}
	Last  = Position{math.MaxInt64, "\xff"}
)

// Tables names the tables of a service that an Index works on. The service owns them and
// writes the entries; the Index alone writes the others. The names become part of SQL texts.
type Tables struct {
	Entries            string // the ranked rows
	Board, Key, Member string // columns of Entries, with an index on the three in this order
	Totals             string // board (primary key), total, version
	Blocks             string // board, place, member (primary key), n: first position and entries
	Changes            string // id (generated, ascending), board, member, was, now: keys, NULL for none
}

// ErrDamaged reports that stored rows contradict one another. Check names them, Rebuild
// recomputes them.
var ErrDamaged = errors.New("rank: the stored board is damaged")

// maxCached bounds how many boards an Index caches: a block takes about 80 bytes, a board of
// a million entries less than a megabyte.
const maxCached = 32

// Index counts the entries of boards of type B. Its methods are safe for concurrent use.
type Index[B int64 | string] struct {
	BlockSize int64 // entries in a new block; set before use

	db   *store.DB
	t    Tables
	text texts
	wake chan struct{} // holds one token while there may be changes to compact

	mu     sync.Mutex // guards cached
	cached map[B]blockIndex
}

// New returns an Index on some tables. Only Compact and Run use db.
func New[B int64 | string](db *store.DB, t Tables) *Index[B] {
	x := &Index[B]{
		BlockSize: blockSize, db: db, t: t, text: newTexts(t), wake: make(chan struct{}, 1), cached: map[B]blockIndex{},
	}
	x.wakeUp() // a start looks for the changes of the process before
	return x
}

// texts are the SQL texts of the reads that callers wait for.
type texts struct{ open, blocks, between, among, list string }

func newTexts(t Tables) texts {
	fill := strings.NewReplacer(
		"{entries}", t.Entries, "{board}", t.Board, "{key}", t.Key, "{member}", t.Member,
		"{totals}", t.Totals, "{blocks}", t.Blocks, "{changes}", t.Changes,
	).Replace
	return texts{
		// The row of the board, with id 0, and the pending changes.
		open: fill(`SELECT 0 AS id, NULL AS member, total AS was, version AS now FROM {totals} WHERE board = $1
			UNION ALL SELECT id, member, was, now FROM {changes} WHERE board = $1`),
		blocks: fill(`SELECT place, member, n FROM {blocks} WHERE board = $1 ORDER BY place, member`),
		// The entries from one position up to a later one with another key. Each of the three
		// parts is one range of the index, so that each row is read once.
		between: fill(`SELECT CAST(
			(SELECT count(*) FROM {entries} WHERE {board} = $1 AND {key} = $2 AND {member} >= $3) +
			(SELECT count(*) FROM {entries} WHERE {board} = $1 AND {key} > $2 AND {key} < $4) +
			(SELECT count(*) FROM {entries} WHERE {board} = $1 AND {key} = $4 AND {member} < $5) AS bigint) AS n`),
		among: fill(`SELECT count(*) AS n FROM {entries}
			WHERE {board} = $1 AND {key} = $2 AND {member} >= $3 AND {member} < $4`),
		list: fill(`SELECT {key}, {member} FROM {entries}
			WHERE {board} = $1 AND {key} >= $2 AND ({key} > $2 OR {member} >= $3) ORDER BY {key}, {member} LIMIT $4`),
	}
}

// Change is a change of a member's key on a board.
type Change[B int64 | string] struct {
	Board    B
	Member   []byte
	Old, New *int64 // nil before the entry is added, and after it is removed
}

// Append records changes of entries as pending, in the transaction that stores the entries: a
// crash loses both or neither. A change from a key to the same key moves nothing, and makes
// readers with cached rows reload them (View.Same).
func (x *Index[B]) Append(ctx context.Context, tx *store.Tx, changes []Change[B]) error {
	rows := make([][]any, len(changes))
	for i, c := range changes {
		rows[i] = []any{c.Board, c.Member, nullable(c.Old), nullable(c.New)}
	}
	if len(changes) > 0 {
		tx.AfterCommit(x.wakeUp)
	}
	return store.BulkInsert(ctx, tx, x.t.Changes, []string{"board", "member", "was", "now"}, rows)
}

func nullable(key *int64) any {
	if key == nil {
		return nil
	}
	return *key
}

// pending is a stored change.
type pending struct {
	id       int64
	member   string
	old, new *int64
}

// delta returns by how many the change raises the number of entries before p: -1, 0 or 1.
func (c *pending) delta(p Position) int64 { return c.count(c.new, p) - c.count(c.old, p) }

// count returns 1 when the entry with that key exists and is before p, otherwise 0.
func (c *pending) count(key *int64, p Position) int64 {
	if key != nil && (Position{*key, c.member}).Before(p) {
		return 1
	}
	return 0
}

// block is a range of entries on a board: from first up to the next block's first.
type block struct {
	first  Position
	n      int64 // entries
	stored int64 // n in the database; -1 for a block that is not stored
	before int64 // stored entries in the blocks before it
}

// blockIndex holds the blocks of a board at one version. It is never modified.
type blockIndex struct {
	version int64
	blocks  []block // in order; the first one begins at First
}

// View is a board in the snapshot of one transaction.
type View[B int64 | string] struct {
	x       *Index[B]
	tx      *store.Tx
	board   B
	row     boardRow
	blocks  []block
	pending []pending
}

// boardRow is the stored row of a board. A board that was never compacted has none, and
// version 0: all its entries are pending.
type boardRow struct{ total, version int64 }

// Open reads the pending changes of a board, and its blocks unless they are cached. Errors:
// ErrDamaged when the blocks do not add up to the total.
func (x *Index[B]) Open(tx *store.Tx, board B) (*View[B], error) {
	v := &View[B]{x: x, tx: tx, board: board}
	var err error
	if v.row, v.pending, err = x.read(tx, board); err != nil {
		return nil, fmt.Errorf("rank: changes of board %v: %w", board, err)
	}
	x.mu.Lock()
	c := x.cached[board]
	x.mu.Unlock()
	if v.blocks = c.blocks; v.blocks != nil && c.version == v.row.version {
		return v, nil
	}
	if v.blocks, err = x.readBlocks(tx, board); err != nil {
		return nil, fmt.Errorf("rank: blocks of board %v: %w", board, err)
	}
	if last := v.blocks[len(v.blocks)-1]; last.before+last.n != v.row.total {
		return nil, fmt.Errorf("rank: %d entries in blocks of %d: %w", last.before+last.n, v.row.total, ErrDamaged)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.cached) >= maxCached {
		clear(x.cached)
	}
	x.cached[board] = blockIndex{v.row.version, v.blocks}
	return v, nil
}

// read reads the row of a board and its pending changes, in no order.
func (x *Index[B]) read(tx *store.Tx, board B) (row boardRow, list []pending, err error) {
	err = tx.Scan(x.text.open, []any{board}, func(r store.Row) {
		if r.Int(0) == 0 {
			row = boardRow{total: r.Int(2), version: r.Int(3)}
			return
		}
		list = append(list, pending{id: r.Int(0), member: string(r.Bytes(1)), old: optional(r, 2), new: optional(r, 3)})
	})
	return row, list, err
}

func optional(r store.Row, column int) *int64 {
	if r.Null(column) {
		return nil
	}
	n := r.Int(column)
	return &n
}

// readBlocks reads the blocks of a board, in order: one empty block for a board without.
func (x *Index[B]) readBlocks(tx *store.Tx, board B) (list []block, err error) {
	n := int64(0)
	err = tx.Scan(x.text.blocks, []any{board}, func(r store.Row) {
		b := block{first: Position{r.Int(0), string(r.Bytes(1))}, n: r.Int(2), stored: r.Int(2), before: n}
		list, n = append(list, b), n+b.n
	})
	if len(list) == 0 {
		list = []block{{first: First, stored: -1}}
	}
	return list, err
}

// find returns the block whose range holds p.
func find(blocks []block, p Position) *block {
	n := sort.Search(len(blocks), func(n int) bool { return p.Before(blocks[n].first) })
	return &blocks[max(n-1, 0)]
}

// Before returns the number of entries before p, in one statement. The rank of an entry at p
// is one more.
func (v *View[B]) Before(p Position) (int64, error) {
	b := find(v.blocks, p)
	n, first := b.before, b.first
	for i := range v.pending {
		n += v.pending[i].delta(first)
	}
	text, args := v.x.text.between, []any{v.board, first.Key, []byte(first.Member), p.Key, []byte(p.Member)}
	if first.Key == p.Key {
		text, args = v.x.text.among, []any{v.board, p.Key, []byte(first.Member), []byte(p.Member)}
	}
	if err := v.tx.Scan(text, args, func(r store.Row) { n += r.Int(0) }); err != nil {
		return 0, fmt.Errorf("rank: count on board %v: %w", v.board, err)
	}
	return n, nil
}

// Total returns the number of entries.
func (v *View[B]) Total() int64 {
	n := v.row.total
	for i := range v.pending {
		n += v.pending[i].delta(Last)
	}
	return n
}

// Blocks returns the number of blocks.
func (v *View[B]) Blocks() int { return len(v.blocks) }

// Revision identifies the state of a board.
type Revision struct {
	version int64
	pending int // number of changes
}

// Revision returns the state that the view shows.
func (v *View[B]) Revision() Revision { return Revision{v.row.version, len(v.pending)} }

// Same reports whether the entries up to p, including p, are the same as at a revision. Pending
// changes are only added until the next version, so an equal number of them is the same board;
// with more, none of them may touch a position up to p.
func (v *View[B]) Same(since Revision, p Position) bool {
	if since.version != v.row.version {
		return false
	}
	if since.pending == len(v.pending) {
		return true
	}
	next := p.Next()
	for i := range v.pending {
		if c := &v.pending[i]; c.count(c.new, next)+c.count(c.old, next) > 0 {
			return false
		}
	}
	return true
}
