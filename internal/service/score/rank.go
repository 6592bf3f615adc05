package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"sort"
	"sync"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// directory is what is known of a board at one version: where its blocks start, and
// how many entries are before each. It is never changed.
type directory struct {
	version int64
	total   int64
	firsts  []key   // of the blocks, in order
	above   []int64 // entries in the blocks before
}

// directories keeps what was read of the boards last.
type directories struct {
	mu    sync.Mutex // guards known and tops
	known map[Board]*directory
	tops  map[Board]*top
}

// maxKnown bounds how many boards are kept in memory: a block takes some 60 bytes, a
// board of a million half a megabyte.
const maxKnown = 32

func (d *directories) get(b Board, version int64) *directory {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.known[b]; k != nil && k.version == version {
		return k
	}
	return nil
}

func (d *directories) put(b Board, k *directory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxKnown {
		clear(d.known)
	}
	d.known[b] = k
}

// change is one that waits to be folded in.
type change struct {
	id       int64
	member   string
	was, now *int64
}

// moved says by how many the entries before k become more, or fewer.
func (c *change) moved(k key) int64 {
	return c.count(c.now, k) - c.count(c.was, k)
}

func (c *change) count(place *int64, k key) int64 {
	if place != nil && (key{*place, c.member}).before(k) {
		return 1
	}
	return 0
}

// board is a board as one transaction sees it.
type board struct {
	id      Board
	dir     *directory
	waiting []change
	queries *q.Queries
}

// see reads what is needed of a board to say who stands where.
func (s *Service) see(ctx context.Context, tx *store.Tx, id Board) (*board, error) {
	b := &board{id: id, queries: q.New(tx)}
	row, err := b.queries.GetBoard(ctx, int64(id))
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // without a row: nothing was folded in so far
		return nil, fmt.Errorf("score: board %d: %w", id, err)
	}
	if b.dir = s.boards.get(id, row.Version); b.dir == nil {
		if b.dir, err = readDirectory(ctx, b.queries, id, row.Version, row.Total); err != nil {
			return nil, fmt.Errorf("score: blocks of board %d: %w", id, err)
		}
		s.boards.put(id, b.dir)
	}
	if b.waiting, err = readChanges(ctx, b.queries, id); err != nil {
		return nil, fmt.Errorf("score: changes of board %d: %w", id, err)
	}
	return b, nil
}

func readDirectory(ctx context.Context, queries *q.Queries, id Board, version, total int64) (*directory, error) {
	blocks, err := queries.ListBlocks(ctx, int64(id))
	if err != nil {
		return nil, err
	}
	d := &directory{version: version, total: total, firsts: make([]key, len(blocks)), above: make([]int64, len(blocks))}
	n := int64(0)
	for i, b := range blocks {
		d.firsts[i], d.above[i] = key{b.Place, string(b.Member)}, n
		n += b.N
	}
	if n != total {
		return nil, fmt.Errorf("%d entries in blocks of %d: %w", n, total, errDamaged)
	}
	return d, nil
}

func readChanges(ctx context.Context, queries *q.Queries, id Board) ([]change, error) {
	rows, err := queries.ListChanges(ctx, int64(id))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list := make([]change, len(rows))
	for i, r := range rows {
		list[i] = change{r.ID, string(r.Member), r.Was, r.Now}
	}
	return list, nil
}

// start is before every key.
var start = key{math.MinInt64, ""}

// end is behind every key.
var end = key{math.MaxInt64, "\xff"}

// find returns the block that holds k: its number, and where it starts. Without any
// blocks all is one that has not been counted.
func (d *directory) find(k key) (int, key) {
	i := sort.Search(len(d.firsts), func(i int) bool { return k.before(d.firsts[i]) }) - 1
	if i < 0 {
		return 0, start
	}
	return i, d.firsts[i]
}

// rank returns how many entries stand before k, and one more.
func (b *board) rank(ctx context.Context, k key) (int64, error) {
	i, from := b.dir.find(k)
	n := int64(0)
	if from != start {
		n = b.dir.above[i]
		for j := range b.waiting {
			n += b.waiting[j].moved(from)
		}
	}
	within, err := b.between(ctx, from, k)
	if err != nil {
		return 0, fmt.Errorf("score: rank on board %d: %w", b.id, err)
	}
	return n + within + 1, nil
}

// between counts the entries from one key on and before another.
func (b *board) between(ctx context.Context, from, to key) (int64, error) {
	if from.place == to.place {
		return b.queries.CountAmong(ctx, q.CountAmongParams{
			Board: int64(b.id), Place: from.place, FromMember: []byte(from.member), ToMember: []byte(to.member)})
	}
	return b.queries.CountBetween(ctx, q.CountBetweenParams{
		Board: int64(b.id), FromPlace: from.place, FromMember: []byte(from.member), ToPlace: to.place, ToMember: []byte(to.member)})
}

// total returns how many entries there are.
func (b *board) total() int64 {
	n := b.dir.total
	for i := range b.waiting {
		n += b.waiting[i].moved(end)
	}
	return n
}
