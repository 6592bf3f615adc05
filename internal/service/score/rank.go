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

// blockIndex holds the blocks of a board at one version. It is never modified.
type blockIndex struct {
	version int64
	total   int64      // entries
	firsts  []position // of the blocks, in order
	before  []int64    // entries in the blocks before each
}

// boardCache holds the block indexes and top rows that were read last, by board.
type boardCache struct {
	mu      sync.Mutex // guards indexes and tops
	indexes map[Board]*blockIndex
	tops    map[Board]*topRows
}

// maxCachedBoards bounds how many boards are cached: a block takes about 60 bytes, a board of
// a million entries half a megabyte.
const maxCachedBoards = 32

// index returns the cached index of a board at a version, or nil.
func (c *boardCache) index(b Board, version int64) *blockIndex {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.indexes[b]; i != nil && i.version == version {
		return i
	}
	return nil
}

func (c *boardCache) putIndex(b Board, i *blockIndex) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.indexes) >= maxCachedBoards {
		clear(c.indexes)
	}
	c.indexes[b] = i
}

// change is a pending change of a member's sort key on a board.
type change struct {
	id             int64
	member         string
	oldKey, newKey *int64 // nil before the entry was added, and after it was removed
}

// delta returns by how many the change raises the number of entries before p: -1, 0 or 1.
func (c *change) delta(p position) int64 {
	return c.count(c.newKey, p) - c.count(c.oldKey, p)
}

// count returns 1 when the entry with that key exists and is before p, otherwise 0.
func (c *change) count(key *int64, p position) int64 {
	if key != nil && (position{*key, c.member}).before(p) {
		return 1
	}
	return 0
}

// boardView is a board in the snapshot of one transaction.
type boardView struct {
	id      Board
	index   *blockIndex
	pending []change // by id
	queries *q.Queries
}

// openBoard reads the index and the pending changes of a board. A board without a stored row
// has not been compacted yet: all its entries are pending.
func (s *Service) openBoard(ctx context.Context, tx *store.Tx, id Board) (*boardView, error) {
	v := &boardView{id: id, queries: q.New(tx)}
	row, err := v.queries.GetBoard(ctx, int64(id))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("score: board %d: %w", id, err)
	}
	if v.index = s.boards.index(id, row.Version); v.index == nil {
		if v.index, err = readIndex(ctx, v.queries, id, row.Version, row.Total); err != nil {
			return nil, fmt.Errorf("score: blocks of board %d: %w", id, err)
		}
		s.boards.putIndex(id, v.index)
	}
	if v.pending, err = readChanges(ctx, v.queries, id); err != nil {
		return nil, fmt.Errorf("score: changes of board %d: %w", id, err)
	}
	return v, nil
}

// readIndex reads the blocks of a board. Errors: errDamaged when they do not add up to total.
func readIndex(ctx context.Context, queries *q.Queries, id Board, version, total int64) (*blockIndex, error) {
	blocks, err := queries.ListBlocks(ctx, int64(id))
	if err != nil {
		return nil, err
	}
	index := &blockIndex{
		version: version, total: total, firsts: make([]position, len(blocks)), before: make([]int64, len(blocks)),
	}
	n := int64(0)
	for i, b := range blocks {
		index.firsts[i], index.before[i] = position{b.Place, string(b.Member)}, n
		n += b.N
	}
	if n != total {
		return nil, fmt.Errorf("%d entries in blocks of %d: %w", n, total, errDamaged)
	}
	return index, nil
}

// readChanges reads the pending changes of a board, by id.
func readChanges(ctx context.Context, queries *q.Queries, id Board) ([]change, error) {
	rows, err := queries.ListChanges(ctx, int64(id))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list := make([]change, len(rows))
	for i, r := range rows {
		list[i] = change{id: r.ID, member: string(r.Member), oldKey: r.Was, newKey: r.Now}
	}
	return list, nil
}

// The bounds of the order: minPosition is before every entry, maxPosition behind.
var (
	minPosition = position{math.MinInt64, ""}
	maxPosition = position{math.MaxInt64, "\xff"}
)

// find returns the block that holds p: its number and its first position. Without blocks the
// whole board is one block that starts at minPosition.
func (i *blockIndex) find(p position) (int, position) {
	n := sort.Search(len(i.firsts), func(n int) bool { return p.before(i.firsts[n]) }) - 1
	if n < 0 {
		return 0, minPosition
	}
	return n, i.firsts[n]
}

// rank returns the rank of an entry at p: one more than the number of entries before it.
func (v *boardView) rank(ctx context.Context, p position) (int64, error) {
	i, first := v.index.find(p)
	n := int64(0)
	if first != minPosition {
		n = v.index.before[i]
		for j := range v.pending {
			n += v.pending[j].delta(first)
		}
	}
	within, err := v.countBetween(ctx, first, p)
	if err != nil {
		return 0, fmt.Errorf("score: rank on board %d: %w", v.id, err)
	}
	return n + within + 1, nil
}

// countBetween counts the entries from one position up to another, which is excluded.
func (v *boardView) countBetween(ctx context.Context, from, to position) (int64, error) {
	if from.sortKey == to.sortKey {
		return v.queries.CountAmong(ctx, q.CountAmongParams{
			Board: int64(v.id), Place: from.sortKey, FromMember: []byte(from.member), ToMember: []byte(to.member)})
	}
	return v.queries.CountBetween(ctx, q.CountBetweenParams{
		Board: int64(v.id), FromPlace: from.sortKey, FromMember: []byte(from.member),
		ToPlace: to.sortKey, ToMember: []byte(to.member)})
}

// total returns the number of entries.
func (v *boardView) total() int64 {
	n := v.index.total
	for i := range v.pending {
		n += v.pending[i].delta(maxPosition)
	}
	return n
}
