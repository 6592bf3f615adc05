package score

import (
	"cmp"

	q "roshambo/internal/store/query/scoreq"
)

// walk reads a table that is sorted by member, page by page.
type walk[Row any] struct {
	member func(Row) string
	next   func(last *Row) ([]Row, error) // the rows behind one; nil is the start
	page   []Row
	over   bool
	err    error
}

// peek returns the member of the next row; nil at the end.
func (w *walk[Row]) peek() *string {
	if len(w.page) == 0 {
		w.fill(nil)
	}
	if len(w.page) == 0 {
		return nil
	}
	m := w.member(w.page[0])
	return &m
}

func (w *walk[Row]) fill(last *Row) {
	if w.over || w.err != nil {
		return
	}
	w.page, w.err = w.next(last)
	w.over = len(w.page) < walkRows
}

// take returns the rows of a member.
func (w *walk[Row]) take(member string) (rows []Row) {
	for p := w.peek(); p != nil && *p == member; p = w.peek() {
		row := w.page[0]
		rows = append(rows, row)
		if w.page = w.page[1:]; len(w.page) == 0 {
			w.fill(&row)
		}
	}
	return rows
}

func (c *checker) factWalk() *walk[q.ScoreFact] {
	return &walk[q.ScoreFact]{
		member: func(r q.ScoreFact) string { return string(r.Account) },
		next: func(last *q.ScoreFact) ([]q.ScoreFact, error) {
			p := q.ListFactsParams{Account: []byte{}, Count: walkRows}
			if last != nil {
				p.Account, p.ID = last.Account, last.ID
			}
			return c.queries.ListFacts(c.ctx, p)
		},
	}
}

func (c *checker) entryWalk() *walk[q.ScoreEntry] {
	return &walk[q.ScoreEntry]{
		member: func(r q.ScoreEntry) string { return string(r.Member) },
		next: func(last *q.ScoreEntry) ([]q.ScoreEntry, error) {
			p := q.ListEntriesParams{Member: []byte{}, Count: walkRows}
			if last != nil {
				p.Member, p.Board = last.Member, last.Board
			}
			return c.queries.ListEntries(c.ctx, p)
		},
	}
}

func (c *checker) countWalk() *walk[q.ListCountsRow] {
	return &walk[q.ListCountsRow]{
		member: func(r q.ListCountsRow) string { return string(r.Account) },
		next: func(last *q.ListCountsRow) ([]q.ListCountsRow, error) {
			p := q.ListCountsParams{Account: []byte{}, Count: walkRows}
			if last != nil {
				p.Account = last.Account
			}
			return c.queries.ListCounts(c.ctx, p)
		},
	}
}

// least returns the first of some members; false when all are at their end.
func least(members ...*string) (string, bool) {
	var first *string
	for _, m := range members {
		if m != nil && (first == nil || cmp.Less(*m, *first)) {
			first = m
		}
	}
	if first == nil {
		return "", false
	}
	return *first, true
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
