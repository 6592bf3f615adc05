package storetest

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
)

// New returns the location of an empty migrated database for t alone: on PostgreSQL when
// URLVariable is set, otherwise a SQLite file. It copies a template, since migrating takes most
// of the time of a small test, and more with the race detector.
func New(t testing.TB) store.Config {
	t.Helper()
	if Postgres() {
		name, err := migratedTemplate()
		if err != nil {
			t.Fatal(err)
		}
		return store.Config{URL: postgresURL(t, name)}
	}
	return NewSQLite(t)
}

// NewSQLite is New for tests that need a file with any engine, such as those with a fake clock,
// which stands still while a test waits for a server.
func NewSQLite(t testing.TB) store.Config {
	t.Helper()
	empty, err := template()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "roshambo.db")
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	return store.Config{Path: path}
}

// Blank returns the location of a database without tables for t alone.
func Blank(t testing.TB) store.Config {
	t.Helper()
	if Postgres() {
		return store.Config{URL: postgresURL(t, "template0")}
	}
	return store.Config{Path: filepath.Join(t.TempDir(), "test.db")}
}

// At returns c with the location of place. Views run twice unless c.Faults decides otherwise:
// engines may retry them, so closures must not accumulate results across runs.
func At(place, c store.Config) store.Config {
	c.URL, c.Path = place.URL, place.Path
	var faults store.Faults
	// Copy the faults: the caller's value may be shared by several databases.
	if c.Faults != nil {
		faults = *c.Faults
	}
	if faults.ViewTwice == nil {
		faults.ViewTwice = func() bool { return true }
	}
	c.Faults = &faults
	return c
}

// ViewsOnce returns Faults under which Views run once, for tests that count their statements.
func ViewsOnce() *store.Faults { return &store.Faults{ViewTwice: func() bool { return false }} }

// Migrations returns migrations 1, 2 and so on that contain the given statements.
func Migrations(ups ...string) fs.FS {
	files := fstest.MapFS{}
	for i, up := range ups {
		files["000"+string(rune('1'+i))+"_test.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + up + ";\n")}
	}
	return files
}

// template returns the content of an empty migrated SQLite file, made once per process.
var template = sync.OnceValues(func() (file []byte, err error) {
	// Not t.TempDir: the template outlives the first test that needs it. The folder is deleted
	// once the file has been read into memory.
	folder, err := os.MkdirTemp("", "roshambo-storetest-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "template.db")
	d, err := sqlite.Open(context.Background(), store.Config{Path: path})
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil { // moves its log into the file
		return nil, err
	}
	return os.ReadFile(path)
})

// WithClock returns a new database and, on PostgreSQL, a function that shifts its server's clock, as this database
// alone sees it, for transactions that begin later.
func WithClock(t testing.TB) (place store.Config, shift func(time.Duration)) {
	t.Helper()
	place = New(t)
	if place.URL == "" {
		return place, nil
	}
	conn, err := pgx.Connect(t.Context(), place.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // before the database is dropped
	exec := func(text string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), text, args...); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	exec("CREATE SCHEMA shifted")
	exec("CREATE TABLE shifted.by AS SELECT CAST(0 AS bigint) AS ms")
	exec(`CREATE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
		'SELECT pg_catalog.clock_timestamp() + (SELECT ms FROM shifted.by) * interval ''1 millisecond'''`)
	u, err := url.Parse(place.URL)
	if err != nil {
		t.Fatal(err)
	}
	options := u.Query()
	options.Set("search_path", "public,shifted,pg_catalog") // otherwise pg_catalog is first
	u.RawQuery = options.Encode()
	place.URL = u.String()
	return place, func(off time.Duration) { exec("UPDATE shifted.by SET ms = $1", off.Milliseconds()) }
}
