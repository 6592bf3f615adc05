package storetest

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/postgres"
	"roshambo/internal/store/sqlite"
)

// Opener opens the database of c, or a new empty one if c names none, and closes it when t
// ends.
type Opener func(t testing.TB, c store.Config) *store.DB

// Open is the Opener of the engine under test.
func Open(t testing.TB, c store.Config) *store.DB {
	t.Helper()
	if c.Path == "" && c.URL == "" {
		// Its own migrated database, dropped with t.
		place := New(t)
		c.URL, c.Path = place.URL, place.Path
	}
	return opened(t, c)
}

// OpenSQLite is the Opener of SQLite, regardless of the engine under test.
func OpenSQLite(t testing.TB, c store.Config) *store.DB {
	t.Helper()
	if c.Path == "" {
		c.Path = filepath.Join(t.TempDir(), "test.db")
	}
	return opened(t, c)
}

// TryOpen opens a database on the engine that c names.
func TryOpen(ctx context.Context, c store.Config) (*store.DB, error) {
	if c.URL != "" {
		return postgres.Open(ctx, c)
	}
	return sqlite.Open(ctx, c)
}

// Exec runs one statement in an Update.
func Exec(t testing.TB, d *store.DB, text string, args ...any) {
	t.Helper()
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, text, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// Number reads one number in a View.
func Number(t testing.TB, d *store.DB, query string) (n int64) {
	t.Helper()
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, query).Scan(&n)
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// opened opens a database and closes it when t ends.
func opened(t testing.TB, c store.Config) *store.DB {
	t.Helper()
	d, err := TryOpen(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	// Close reports failures of the engine's shutdown, such as a leaked connection.
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// errRefused is the error of use cases that refuse their input.
var errRefused = errors.New("refused by the use case")

// fewWriters lets few Updates run at once on PostgreSQL: more may conflict for longer than they are retried.
var fewWriters = store.Config{Writers: 4}

// schema creates the suite's tables, in SQL that every engine accepts.
var schema = []string{
	// The main table: a primary key, a unique index and a check to violate.
	`CREATE TABLE dbtest_entry (
		id    BIGINT PRIMARY KEY,
		name  TEXT NOT NULL UNIQUE,
		value BIGINT NOT NULL CHECK (value >= 0)
	)`,
	// A foreign key to violate.
	`CREATE TABLE dbtest_child (
		id    BIGINT PRIMARY KEY,
		entry BIGINT NOT NULL REFERENCES dbtest_entry (id)
	)`,
	// One nullable column of each storage type.
	`CREATE TABLE dbtest_value (
		id BIGINT PRIMARY KEY,
		i  BIGINT,
		f  DOUBLE PRECISION,
		t  TEXT,
		b  BYTEA
	)`,
}

// fresh opens an empty database with the suite's tables.
func fresh(t testing.TB, open Opener, c store.Config) *store.DB {
	t.Helper()
	d := open(t, c)
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, text := range schema {
			if _, err := tx.ExecContext(ctx, text); err != nil {
				return err
			}
		}
		return nil
	}))
	return d
}

// insert inserts an entry. It fails when the id or the name exists, or value is negative.
func insert(ctx context.Context, tx *store.Tx, id int64, name string, value int64) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO dbtest_entry (id, name, value) VALUES ($1, $2, $3)", id, name, value)
	return err
}

// add increases an entry's value by n and returns the new value, or sql.ErrNoRows.
func add(ctx context.Context, tx *store.Tx, id, n int64) (int64, error) {
	v, err := value(ctx, tx, id)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "UPDATE dbtest_entry SET value = $2 WHERE id = $1", id, v+n)
	return v + n, err
}

// value returns an entry's value, or sql.ErrNoRows.
func value(ctx context.Context, tx *store.Tx, id int64) (v int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT value FROM dbtest_entry WHERE id = $1", id).Scan(&v)
	return v, err
}

// entries returns the values of all entries by id.
func entries(ctx context.Context, tx *store.Tx) (map[int64]int64, error) {
	return pairs(ctx, tx, "SELECT id, value FROM dbtest_entry")
}

// pairs returns the rows of a query for two integers, as a map.
func pairs(ctx context.Context, tx *store.Tx, query string) (map[int64]int64, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	actual := map[int64]int64{}
	for rows.Next() {
		var k, v int64
		if err := rows.Scan(&k, &v); err != nil {
			return nil, err
		}
		actual[k] = v
	}
	return actual, rows.Err()
}

// stored returns the values of all entries by id, read in a View.
func stored(t testing.TB, d *store.DB) (actual map[int64]int64) {
	t.Helper()
	must(t, d.View(context.WithoutCancel(t.Context()), func(ctx context.Context, tx *store.Tx) (err error) {
		actual, err = entries(ctx, tx)
		return err
	}))
	return actual
}

// put inserts an entry in an Update.
func put(t testing.TB, d *store.DB, id int64, name string, value int64) {
	t.Helper()
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return insert(ctx, tx, id, name, value)
	}))
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantErr fails the test unless err wraps want.
func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

// wantPanic runs fn and returns the value of its panic. It reports an error if there is none.
func wantPanic(t testing.TB, fn func()) (v any) {
	t.Helper()
	defer func() {
		if v = recover(); v == nil {
			t.Error("no panic")
		}
	}()
	fn()
	return nil
}
