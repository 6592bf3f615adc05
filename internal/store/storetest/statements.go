package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
)

// ErrStatement is the error of the statement that Statements makes fail.
var ErrStatement = errors.New("storetest: this statement fails")

// Statements runs a use case once for each of its statements and makes that statement fail:
//
//	var each storetest.Statements
//	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
//	each.Use(t, storetest.Open(t, place), place)
//	each.Update(t, "create", func(ctx context.Context, tx *store.Tx) error { … })
//
// Each run with a failing statement must return ErrStatement, store nothing, run no AfterCommit
// callback and leave Shown unchanged. The last run has no failing statement and must succeed,
// so the use cases of a test build on one another. A use case that drops the error of any
// statement is reported, since the transaction itself stays usable (store.Faults.Statement).
type Statements struct {
	// Shown returns the state in memory that callers can observe, to be compared before and
	// after a failure. Nil for none.
	Shown func() any
	// Level is the isolation level of Update's transactions.
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

// Update runs a use case within the transaction of an Update.
func (s *Statements) Update(t testing.TB, name string, use func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	after := 0
	s.Call(t, name, func(ctx context.Context) error {
		after = 0
		err := s.db.UpdateAt(ctx, s.Level, func(ctx context.Context, tx *store.Tx) error {
			tx.AfterCommit(func() { after++ })
			return use(ctx, tx)
		})
		if after != 0 && err != nil {
			t.Errorf("%s: AfterCommit has run, and the error is %v", name, err)
		}
		return err
	})
	if after != 1 {
		t.Errorf("%s: AfterCommit has run %d times", name, after)
	}
}

// View runs a use case within the transaction of a View.
func (s *Statements) View(t testing.TB, name string, use func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	s.Call(t, name, func(ctx context.Context) error { return s.db.View(ctx, use) })
}

// Views runs use cases within transactions of Views. Each reports whether the data that it read
// is correct.
func (s *Statements) Views(
	t testing.TB, views map[string]func(ctx context.Context, tx *store.Tx) (right bool, err error),
) {
	t.Helper()
	for name, view := range views {
		s.View(t, name, func(ctx context.Context, tx *store.Tx) error {
			right, err := view(ctx, tx)
			if err == nil && !right {
				t.Errorf("%s: a wrong answer", name)
			}
			return err
		})
	}
}

// Call runs a use case that calls Update once and View any number of times.
func (s *Statements) Call(t testing.TB, name string, use func(ctx context.Context) error) {
	t.Helper()
	s.run(t, name, nil, use)
}

// Refused runs a use case within the transaction of an Update that must return want unless one
// of its statements fails. A run on an assumption that proves wrong (store.Deferred) does not count: its use
// case must return the failing statement's error, and the next run, in which no statement fails, want.
func (s *Statements) Refused(t testing.TB, name string, want error, use func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	s.run(t, name, want, func(ctx context.Context) error {
		surfaced := false
		err := s.db.UpdateAt(ctx, s.Level, func(ctx context.Context, tx *store.Tx) error {
			err := use(ctx, tx)
			surfaced = surfaced || errors.Is(err, ErrStatement)
			return err
		})
		if surfaced && errors.Is(err, want) {
			return fmt.Errorf("%w in a run that did not count, then: %w", ErrStatement, err)
		}
		return err
	})
}

// run runs a use case with each of its statements failing, and then without a failing one; that
// run must return want, or succeed if want is nil.
func (s *Statements) run(t testing.TB, name string, want error, use func(ctx context.Context) error) {
	t.Helper()
	for n := 1; ; n++ {
		// Each iteration fails one statement later, and compares the state before and after.
		before, shown := s.Content(t), s.shown()
		s.Fail(n)
		err := use(t.Context())
		query := s.Failed()
		// No statement failed: this was the last run.
		if query == "" {
			if want != nil && errors.Is(err, want) {
				err = nil
			} else if want != nil {
				err = fmt.Errorf("%w, want %w", err, want)
			}
			s.succeeded(t, name, n, err)
			return
		}
		if !errors.Is(err, ErrStatement) {
			t.Fatalf("%s: the error of statement %d is dropped: got error %v\n%s", name, n, err, query)
		}
		if !bytes.Equal(before, s.Content(t)) {
			t.Fatalf("%s: data was stored although statement %d failed\n%s", name, n, query)
		}
		if diff := cmp.Diff(shown, s.shown()); diff != "" {
			t.Fatalf("%s: the visible state changed although statement %d failed (-before +after)\n%s\n%s",
				name, n, diff, query)
		}
	}
}

// Steps runs a use case that stores in several transactions, of which those before the failing
// one persist: the error must be returned, and a repeated run must succeed. prepare, if not
// nil, sets up the state before each run; check, if not nil, is called after the use case has
// succeeded.
func (s *Statements) Steps(
	t testing.TB, name string, prepare func(), use func(ctx context.Context) error, check func(),
) {
	t.Helper()
	for n := 1; ; n++ {
		if prepare != nil {
			prepare()
		}
		s.Fail(n)
		err := use(t.Context())
		query := s.Failed()
		// The error must be returned even though earlier transactions have been committed.
		if query != "" && !errors.Is(err, ErrStatement) {
			t.Fatalf("%s: the error of statement %d is dropped: got error %v\n%s", name, n, err, query)
		}
		if query != "" {
			err = use(t.Context())
		}
		if query != "" && err != nil {
			t.Fatalf("%s: run again after statement %d has failed: %v\n%s", name, n, err, query)
		}
		if query == "" {
			s.succeeded(t, name, n, err)
		}
		if check != nil {
			check()
		}
		if query == "" {
			return
		}
	}
}

// succeeded checks the last run, in which no statement failed.
func (s *Statements) succeeded(t testing.TB, name string, n int, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: no statement fails: got error %v", name, err)
	}
	if n == 1 {
		t.Fatalf("%s: there was no statement", name)
	}
	t.Logf("%s: %d statements", name, n-1)
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
