package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"roshambo/internal/store"
)

// New says where an empty database is that is migrated already, t's own: on PostgreSQL
// when URLVariable is set, else a SQLite file. It is a copy of one that is made once:
// migrating takes most of the time of a small test, and all of it again with the race
// detector.
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

// NewSQLite is New for tests that need a file whatever engine the others use, such as
// those with a clock of their own: it stands still while a server is waited for.
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

// Blank says where a database is that holds nothing at all, t's own.
func Blank(t testing.TB) store.Config {
	t.Helper()
	if Postgres() {
		return store.Config{URL: postgresURL(t, "template0")}
	}
	return store.Config{Path: filepath.Join(t.TempDir(), "test.db")}
}

// At is c with the database of place. Views run twice, unless c's Faults say otherwise: it is
// an engine's right, and what their closures gather must not be there twice.
func At(place, c store.Config) store.Config {
	c.URL, c.Path = place.URL, place.Path
	var faults store.Faults
	if c.Faults != nil {
		faults = *c.Faults
	}
	if faults.ViewTwice == nil {
		faults.ViewTwice = func() bool { return true }
	}
	c.Faults = &faults
	return c
}

// ViewsOnce is Faults for tests that count what a View costs.
func ViewsOnce() *store.Faults { return &store.Faults{ViewTwice: func() bool { return false }} }

var template = sync.OnceValues(func() (file []byte, err error) {
	folder, err := os.MkdirTemp("", "roshambo-storetest-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "template.db")
	d, err := store.Open(context.Background(), store.Config{Path: path})
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil { // moves its log into the file
		return nil, err
	}
	return os.ReadFile(path)
})
