package store

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mergedStmts are deferred statements that the server executes as one, which saves it most of what a
// statement costs besides its effect. It is a node of a tree, in which a child has one part more; the
// zero value is the root. Each connection has a tree, as it has prepared statements.
type mergedStmts struct {
	parts  []statement
	params []int    // of each part: the number of its parameters
	tables []string // of each part: the table that it writes
	text   string   // "" until it is needed
	next   map[statement]*mergedStmts
}

// maxParts bounds the parts of a merged statement.
const maxParts = 16

// merge returns the statements with those merged that can be, in the same order. It is for
// statements whose results are not asked for, as those that travel with COMMIT.
func (m *mergedStmts) merge(pending []*pendingStmt) (all []*pendingStmt) {
	for len(pending) > 0 {
		node, n := m, 0
		for n < len(pending) {
			next := node.with(pending[n])
			if next == nil {
				break
			}
			node, n = next, n+1
		}
		if n < 2 {
			n = 1
			all = append(all, pending[0])
		} else {
			all = append(all, node.statement(pending[:n]))
		}
		pending = pending[n:]
	}
	return all
}

// with returns the node with one part more, nil if that must not be merged.
func (m *mergedStmts) with(q *pendingStmt) *mergedStmts {
	key := statement{query: q.query, one: q.one}
	next, known := m.next[key]
	if !known {
		if m.next == nil {
			m.next = map[statement]*mergedStmts{}
		}
		next = m.extend(key, len(q.args))
		m.next[key] = next
	}
	return next
}

var (
	// mergeable is a statement of a query file that writes a table. Other statements, those of bulk.go,
	// vary with the number of their rows: merged ones would be too many to prepare.
	mergeable = regexp.MustCompile(`^-- name: .*\n(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)`)
	words     = regexp.MustCompile(`\w+`)
	parameter = regexp.MustCompile(`\$\d+`)
)

// extend returns a new node with one part more. All parts see the rows as they were before the first
// one. So a part must not name a table that an earlier one writes, except to insert a row.
func (m *mergedStmts) extend(s statement, params int) *mergedStmts {
	match := mergeable.FindStringSubmatch(s.query)
	if match == nil || len(m.parts) == maxParts || strings.Contains(s.query, "RETURNING") {
		return nil
	}
	table, named := match[1], words.FindAllString(s.query, -1)
	if strings.Contains(s.query, "\nINSERT INTO") && !strings.Contains(s.query, "ON CONFLICT") {
		i := slices.Index(named, table)
		named = slices.Delete(named, i, i+1)
	}
	if slices.ContainsFunc(named, func(w string) bool { return slices.Contains(m.tables, w) }) {
		return nil
	}
	return &mergedStmts{
		parts: append(slices.Clip(m.parts), s), params: append(slices.Clip(m.params), params),
		tables: append(slices.Clip(m.tables), table),
	}
}

// statement returns the merged statement with the arguments of its parts.
func (m *mergedStmts) statement(parts []*pendingStmt) *pendingStmt {
	if m.text == "" {
		m.text = m.merged()
	}
	q := &pendingStmt{query: m.text}
	for _, part := range parts {
		q.args = append(q.args, part.args...)
	}
	return q
}

// merged returns the text of the merged statement. It fails with division_by_zero, as that of
// assertion does, if a part does not change the one row that it must. CASE makes the server execute
// the parts in their order: accounts are locked before their transactions get numbers.
func (m *mergedStmts) merged() string {
	var with, when strings.Builder
	offset := 0
	for i, s := range m.parts {
		text := parameter.ReplaceAllStringFunc(s.query, func(p string) string {
			n, _ := strconv.Atoi(p[1:]) // digits only
			return "$" + strconv.Itoa(offset+n)
		})
		offset += m.params[i]
		refused := "< 0" // never
		if s.one {
			refused = "<> 1"
		}
		fmt.Fprintf(&with, ", part%d AS (\n%s\nRETURNING 1\n)", i, text)
		fmt.Fprintf(&when, " WHEN (SELECT count(*) FROM part%d) %s THEN 0", i, refused)
	}
	return "WITH" + strings.TrimPrefix(with.String(), ",") + "\nSELECT 1 / CASE" + when.String() + " ELSE 1 END"
}
