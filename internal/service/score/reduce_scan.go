package score

import (
	q "roshambo/internal/store/query/scoreq"
)

// scanRows is the number of rows in one page of a scan.
const scanRows = 2000

// memberScan reads a table that is sorted by member, page by page. After an error it behaves
// like a scan at its end, and err holds the error.
type memberScan[Row any] struct {
	member func(Row) string
	next   func(last *Row) ([]Row, error) // the page behind a row; nil for the first page
	page   []Row                          // the rest of the page read last
	done   bool                           // no page is left to read
	err    error
}

// peek returns the member of the next row; nil at the end.
func (s *memberScan[Row]) peek() *string {
	if len(s.page) == 0 {
		s.fill(nil)
	}
	if len(s.page) == 0 {
		return nil
	}
	m := s.member(s.page[0])
	return &m
}

func (s *memberScan[Row]) fill(last *Row) {
	if s.done || s.err != nil {
		return
	}
	s.page, s.err = s.next(last)
	s.done = len(s.page) < scanRows
}

// take returns the rows of a member and moves behind them.
func (s *memberScan[Row]) take(member string) (rows []Row) {
	for p := s.peek(); p != nil && *p == member; p = s.peek() {
		row := s.page[0]
		rows = append(rows, row)
		if s.page = s.page[1:]; len(s.page) == 0 {
			s.fill(&row)
		}
	}
	return rows
}

// scanFacts scans the facts by account and id.
func (c *checker) scanFacts() *memberScan[q.ScoreFact] {
	return &memberScan[q.ScoreFact]{
		member: func(r q.ScoreFact) string { return string(r.Account) },
		next: func(last *q.ScoreFact) ([]q.ScoreFact, error) {
			p := q.ListFactsParams{Account: []byte{}, Count: scanRows}
			if last != nil {
				p.Account, p.ID = last.Account, last.ID
			}
			return c.queries.ListFacts(c.ctx, p)
		},
	}
}

// scanEntries scans the entries by member and board.
func (c *checker) scanEntries() *memberScan[q.ScoreEntry] {
	return &memberScan[q.ScoreEntry]{
		member: func(r q.ScoreEntry) string { return string(r.Member) },
		next: func(last *q.ScoreEntry) ([]q.ScoreEntry, error) {
			p := q.ListEntriesParams{Member: []byte{}, Count: scanRows}
			if last != nil {
				p.Member, p.Board = last.Member, last.Board
			}
			return c.queries.ListEntries(c.ctx, p)
		},
	}
}

// scanCounts scans the counts by account.
func (c *checker) scanCounts() *memberScan[q.ListCountsRow] {
	return &memberScan[q.ListCountsRow]{
		member: func(r q.ListCountsRow) string { return string(r.Account) },
		next: func(last *q.ListCountsRow) ([]q.ListCountsRow, error) {
			p := q.ListCountsParams{Account: []byte{}, Count: scanRows}
			if last != nil {
				p.Account = last.Account
			}
			return c.queries.ListCounts(c.ctx, p)
		},
	}
}

// least returns the smallest of some members, nil ones aside; false when all are nil.
func least(members ...*string) (string, bool) {
	var smallest *string
	for _, m := range members {
		if m != nil && (smallest == nil || *m < *smallest) {
			smallest = m
		}
	}
	if smallest == nil {
		return "", false
	}
	return *smallest, true
}
