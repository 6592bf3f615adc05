package ledger

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// lostTree is what nodes know that the database lacks, as one: the value of MetaRecovering. Each node that remembers a
// signed tree which the database neither continues nor declares void adds its own to it, so that one declaration
// serves all of them. Without that row, the zero value stands for the mark of a recovery that is to be performed
// (MetaRestored).
type lostTree struct {
	treeHead          // the largest one; without a root where a witness alone knows it
	base     int64    // signed trees of more blocks are void
	lines    []string // of declared rollbacks that the database has lost
	declared bool     // and its recovery is to be continued
}

// marked reports whether nothing is to be declared any more.
func (t *lostTree) marked() bool { return t.Size == 0 }

// command returns what an operator types to give the tree up. A witness gives the size of what it has cosigned alone:
// the root is in the checkpoint, which players, mirrors and the witness's operator keep.
func (t *lostTree) command() string {
	command := fmt.Sprintf("roshambo accept-rollback --size %d", t.Size)
	if t.Root == (tlog.Hash{}) {
		command += " --checkpoint FILE   # with the lost checkpoint of that size, from a player, a mirror or the witness"
	}
	return command
}

// with returns the least that covers t, nil for none, and c: the larger tree, the smaller base, and all lines. What is
// declared, or only marked, does not cover c, which a node has found to be lacking since.
func (t *lostTree) with(c lostTree) lostTree {
	if t == nil || t.marked() || t.declared {
		return c
	}
	m := *t
	lines := c.lines
	switch {
	case c.Size > m.Size || c.Size == m.Size && m.Root == (tlog.Hash{}):
		m.treeHead = c.treeHead
	case c.Size == m.Size && c.Root != m.Root && c.Root != (tlog.Hash{}) && c.base < c.Size:
		// A line covers one tree of its own size.
		lines = append(slices.Clone(lines), layout.Rollback{Size: c.Size, Root: c.Root, Base: c.base}.String())
	}
	m.base = min(m.base, c.base)
	m.lines = slices.Concat(m.lines, missing(lines, m.lines))
	return m
}

// without returns t without its tree, of which a witness alone knows the size.
func (t *lostTree) without() *lostTree { return &lostTree{base: t.base, lines: t.lines} }

// The text of a lost tree: a line of size, root, base and perhaps the word declared; then the lines that are lost.
const lostDeclared = "declared"

// put stores the value.
func (t lostTree) put(ctx context.Context, tx *store.Tx) error {
	text := fmt.Sprint(t.Size, " ", t.Root, " ", t.base)
	if t.declared {
		text += " " + lostDeclared
	}
	text = strings.Join(append([]string{text}, t.lines...), "\n")
	return q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRecovering, Value: text})
}

// parseLost parses the text of put. Errors: layout.ErrDamaged.
func parseLost(text string) (t lostTree, err error) {
	lines := strings.Split(text, "\n")
	fields := strings.Split(lines[0], " ")
	t.declared = len(fields) == 4 && fields[3] == lostDeclared
	if len(fields) == 3 || t.declared {
		var errRoot, errBase error
		t.Size, err = strconv.ParseInt(fields[0], 10, 64)
		t.Root, errRoot = tlog.ParseHash(fields[1])
		t.base, errBase = strconv.ParseInt(fields[2], 10, 64)
		if err == nil && errRoot == nil && errBase == nil && t.Size > 0 && t.base >= 0 {
			for _, line := range lines[1:] {
				if _, err := layout.ParseRollback(line); err != nil {
					return t, err
				}
			}
			t.lines = lines[1:]
			return t, nil
		}
	}
	return t, fmt.Errorf("ledger: the lost tree %q: %w", text, layout.ErrDamaged)
}

// loadLost reads MetaRecovering and MetaRestored; nil for neither.
func loadLost(ctx context.Context, tx *store.Tx) (*lostTree, error) {
	tx.Prefetch(q.GetMeta, layout.MetaRestored)
	text, err := found(q.New(tx).GetMeta(ctx, layout.MetaRecovering))
	if err != nil {
		return nil, err
	}
	if text == "" {
		marked, err := Marked(ctx, tx)
		if err != nil || !marked {
			return nil, err
		}
		return &lostTree{}, nil
	}
	t, err := parseLost(text)
	return &t, err
}

// claim returns what has to be declared so that the database may lack a tree which a record remembers, or declared
// rollbacks. The base is the largest tree that the log and the lost one are known to share: the stored tree of the
// record; or else no more than the whole log, and no more than what was left by each rollback of which the record does
// not know, as its tree is of a branch that was given up then.
func (s logState) claim(ctx context.Context, tx *store.Tx, m memory, t treeHead) (c lostTree, err error) {
	c = lostTree{treeHead: t, base: s.size, lines: missing(m.Rollbacks, s.declared)}
	what, err := s.lacks(ctx, tx, t)
	if err != nil || what == "" {
		return c, err
	}
	what, err = s.lacks(ctx, tx, m.Stored)
	switch {
	case err != nil:
		return c, err
	case what == "" && 0 < m.Stored.Size && m.Stored.Size < t.Size:
		c.base = m.Stored.Size
		return c, nil
	}
	var bases []int64
	if s.size < t.Size {
		bases = append(bases, s.size)
	}
	// Where the database has lost rollbacks, it may be of a branch that they gave up.
	for _, line := range slices.Concat(c.lines, missing(s.declared, m.Rollbacks)) {
		if r, err := layout.ParseRollback(line); err == nil && r.Base < t.Size {
			bases = append(bases, r.Base)
		}
	}
	if len(bases) == 0 {
		bases = append(bases, 0) // of another branch, which no rollback explains
	}
	if what != "" {
		bases = append(bases, m.Stored.Size-1) // is void, too
	}
	c.base = slices.Min(bases)
	return c, nil
}

// missing returns the lines that are not in the list.
func missing(lines, list []string) (rest []string) {
	for _, line := range lines {
		if !slices.Contains(list, line) {
			rest = append(rest, line)
		}
	}
	return rest
}

// report adds to MetaRecovering what the database lacks by a claim, nil for nothing, so that no node writes: a crash
// before the commit leaves that to the next node that sees it. The claim is made in the transaction that stores it, so
// that nothing is reported again that was declared meanwhile.
func (l *Ledger) report(ctx context.Context, claim func(context.Context, *store.Tx) (*lostTree, error)) error {
	var stored *lostTree
	var lacking bool
	err := l.db.Update(store.Unguarded(ctx), func(ctx context.Context, tx *store.Tx) error {
		c, err := claim(ctx, tx)
		if lacking = err == nil && c != nil; !lacking {
			return err
		}
		if stored, err = loadLost(ctx, tx); err != nil {
			return err
		}
		// A declaration beyond what a witness has cosigned waits for its recovery.
		if stored != nil && stored.Size >= c.Size && c.Root == (tlog.Hash{}) {
			return nil
		}
		next := stored.with(*c)
		if stored != nil && next.same(*stored) {
			return nil
		}
		stored = &next
		return next.put(ctx, tx)
	})
	if err == nil && lacking {
		l.noteLost(stored)
	}
	return err
}

// same reports whether two values are equal.
func (t lostTree) same(o lostTree) bool {
	return t.treeHead == o.treeHead && t.base == o.base && t.declared == o.declared && slices.Equal(t.lines, o.lines)
}
