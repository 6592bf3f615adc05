package storetest

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"roshambo/internal/store"
)

// ErrStatement is the error of the statement that Statements makes fail.
var ErrStatement = errors.New("storetest: this statement fails")

// Statements runs each use case of a table once for each of its statements and makes that statement fail:
//
//	var each storetest.Statements
//	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
//	each.Use(t, storetest.Open(t, place), place)
//	var made team.Team
//	each.Run(t, []storetest.Case{
//		{Name: "create", Update: storetest.Do(s.Create, ann, "Rockets"), Keep: &made},
//		{Name: "create again", Update: storetest.Do(s.Create, bob, "Rockets"), Refused: team.ErrNameTaken},
//		{Name: "members", View: storetest.Do(s.Members, &made.ID), Want: storetest.Len(1)},
//	})
//
// Each run with a failing statement must return ErrStatement, store nothing, run no AfterCommit
// callback and leave Shown unchanged. The last run has no failing statement and must succeed,
// so the use cases of a test build on one another. A use case that drops the error of any
// statement is reported, since the transaction itself stays usable (store.Faults.Statement).
type Statements struct {
	// Shown returns the state in memory that callers can observe, to be compared before and
	// after a failure. Nil for none.
	Shown func() any
	// Level is the isolation level of the transactions of Case.Update.
	Level store.Isolation
	// Wrapped is an additional error that the failing statement's error wraps, or nil: for
	// example store.ErrUnavailable for use cases that give up only after permanent errors.
	Wrapped error

	db    *store.DB
	place store.Config
	raw   *sql.DB // on SQLite, its data_version changes with each commit that stores data
	all   string  // PostgreSQL only: query for a digest of all rows

	mu    sync.Mutex // guards the fields below
	left  int        // countdown to the failing statement; 0 for none
	asked string     // text of the failed statement, or ""
	pause func()     // called in place of the failure; nil for none
}

// Faults returns the faults to open the database with. Views run once, as a second run would
// repeat all statements of the first.
func (s *Statements) Faults() *store.Faults {
	return &store.Faults{Statement: s.statement, ViewTwice: func() bool { return false }}
}

// statement implements store.Faults.Statement.
func (s *Statements) statement(query string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 {
		return nil
	}
	if s.left--; s.left > 0 {
		return nil
	}
	s.asked = query
	if pause := s.pause; pause != nil {
		s.mu.Unlock() // its own statements go on
		defer s.mu.Lock()
		pause()
		return nil
	}
	if s.Wrapped != nil {
		return fmt.Errorf("%w: %w", ErrStatement, s.Wrapped)
	}
	return ErrStatement
}

// Use sets the database, which was opened with Faults, and its location.
func (s *Statements) Use(t testing.TB, d *store.DB, place store.Config) {
	t.Helper()
	s.db, s.place, s.raw = d, place, Raw(t, place)
	if place.URL != "" {
		must(t, s.raw.QueryRowContext(t.Context(), digestQuery).Scan(&s.all))
	}
}

// digestQuery returns a query with one line for each table of PostgreSQL: its name, its number of rows, and a
// sum of their hashes.
const digestQuery = `SELECT 'SELECT string_agg(concat_ws('' '', name, n, hashes), chr(10) ORDER BY name) FROM (' ||
	string_agg(format('SELECT %L AS name, count(*) AS n, sum(hashtextextended(CAST(r AS text), 0)) AS hashes FROM %I r',
		tablename, tablename), ' UNION ALL ') || ') AS t'
	FROM pg_tables WHERE schemaname = 'public'`

// Fail makes the n-th statement from now on fail, until Failed is called.
func (s *Statements) Fail(n int) { s.Pause(n, nil) }

// Pause calls do before the n-th statement from now on, which then goes on, until Failed is called.
func (s *Statements) Pause(n int, do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.asked, s.pause = n, "", do
}

// Failed returns the text of the statement that has failed since Fail, or paused since Pause, or "" if
// there were fewer than n, and stops both.
func (s *Statements) Failed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = 0
	return s.asked
}

// shown returns the visible state, or nil.
func (s *Statements) shown() any {
	if s.Shown == nil {
		return nil
	}
	return s.Shown()
}

// Content returns data that changes whenever a commit stores anything: on PostgreSQL, which has no counter that
// changes only then, a line for each table with its number of rows and a digest of them; on SQLite the counter
// of commits.
func (s *Statements) Content(t testing.TB) (content []byte) {
	t.Helper()
	query := "PRAGMA data_version"
	if s.all != "" {
		query = s.all
	}
	must(t, s.raw.QueryRowContext(t.Context(), query).Scan(&content))
	return content
}
