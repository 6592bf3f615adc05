package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
	"roshambo/internal/store/storetest"
)

// checksummed is a database with a table of short values and one of values that continue on further pages.
var checksummed = storetest.Migrations("CREATE TABLE short (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
	"CREATE INDEX short_name ON short (name)", "CREATE TABLE long (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")

// insertPages inserts rows of some pages into both tables.
func insertPages(t *testing.T, d *store.DB) {
	t.Helper()
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for i := range 300 {
			if _, err := tx.ExecContext(ctx, "INSERT INTO short (name) VALUES ($1)", strings.Repeat("x", i)); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO long (body) VALUES ($1), ($2)", bytes.Repeat([]byte("y"), 9000),
			bytes.Repeat([]byte("z"), 50_000))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestChecksums changes one bit of each page of a file and of a backup that was made while the newest pages were in the
// log. Every change is found, and the check names the table.
func TestChecksums(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, backup := filepath.Join(folder, "test.db"), filepath.Join(folder, "backup.db")
	d := sqlite.With(store.Config{Path: path, Migrations: checksummed}).WithoutCheckpoints().Open(t)
	insertPages(t, d)
	if err := sqlite.Backup(t.Context(), path, backup); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil { // moves all pages
		t.Fatal(err)
	}
	eachPage(t, path)
	eachPage(t, backup)
	// The last page of each is still changed.
	for _, file := range []string{path, backup} {
		if accepted, pages, err := sqlite.AcceptPages(file); accepted != 1 || pages < 30 || err != nil {
			t.Errorf("%s: %d of %d pages accepted, error %v", file, accepted, pages, err)
		}
		if list, err := damageOf(t, file); err != nil || slices.ContainsFunc(list, isChecksum) {
			t.Errorf("%s, accepted: %q, %v", file, list, err)
		}
	}
}

// isChecksum reports whether a message of the check is about a checksum.
func isChecksum(message string) bool { return strings.Contains(message, "checksum") }

// eachPage changes one bit of each page of a file, one page at a time.
func eachPage(t *testing.T, path string) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := damageOf(t, path); err != nil || len(list) > 0 {
		t.Fatalf("unchanged: %q, %v", list, err)
	}
	const pageSize = 4096
	named, unread := map[string]int{}, 0
	for page := range len(whole) / pageSize {
		text := bytes.Clone(whole)
		text[page*pageSize+page*997%pageSize] ^= 1
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := damageOf(t, path)
		if err == nil && len(list) == 0 {
			t.Errorf("%s: a change of page %d is not found", path, page+1)
		}
		if !readsLong(t, path) {
			unread++
		}
		for _, line := range list {
			// The migrations' own table is named by its page.
			if table, _, _ := strings.Cut(line, ":"); strings.HasPrefix(table, "table ") {
				named[table]++
			}
		}
	}
	if named["table short"] < 10 || named["table long"] < 10 || len(named) != 2 {
		t.Errorf("%s: of %d pages the check names %v", path, len(whole)/pageSize, named)
	}
	if unread < 10 {
		t.Errorf("%s: changes of %d pages keep the long values from being read", path, unread)
	}
}

// readsLong reports whether the long values of a file can be read. A value that is read is the one that was written.
func readsLong(t *testing.T, path string) bool {
	t.Helper()
	d, err := sqlite.Open(t.Context(), store.Config{Path: path, Migrations: checksummed, ReadOnly: true})
	if err != nil {
		return false
	}
	defer closeDB(t, d)
	for id, want := range [][]byte{bytes.Repeat([]byte("y"), 9000), bytes.Repeat([]byte("z"), 50_000)} {
		var got []byte
		err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT body FROM long WHERE id = $1", id+1).Scan(&got)
		})
		if err != nil {
			return false
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: value %d is read with a change", path, id+1)
		}
	}
	return true
}

// TestDamagedHeader changes each bit of the header of a file. Every change is found, also of the byte that says that
// pages have checksums.
func TestDamagedHeader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	d, err := sqlite.Open(t.Context(), store.Config{Path: path, Migrations: checksummed})
	if err != nil {
		t.Fatal(err)
	}
	insertPages(t, d)
	closeDB(t, d)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * 100 {
		text := bytes.Clone(whole)
		text[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := damageOf(t, path); err == nil && len(list) == 0 {
			t.Errorf("a change of bit %d of byte %d is not found", bit%8, bit/8)
		}
	}
}

// damageOf opens a file for reading, and returns what the check finds.
func damageOf(t *testing.T, path string) ([]string, error) {
	t.Helper()
	d, err := sqlite.Open(t.Context(), store.Config{Path: path, Migrations: checksummed, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer closeDB(t, d)
	return d.IntegrityErrors(t.Context())
}

func closeDB(t *testing.T, d *store.DB) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestWithoutChecksums: a file that another program has made, which reserves no bytes, is served and backed up as it is.
func TestWithoutChecksums(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.ExecContext(t.Context(), "CREATE TABLE other (id INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := sqlite.AcceptPages(path); err == nil {
		t.Error("the pages of a file without checksums are accepted")
	}
	d, err := sqlite.Open(t.Context(), store.Config{Path: path, Migrations: checksummed})
	if err != nil {
		t.Fatal(err)
	}
	insertPages(t, d)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := sqlite.Backup(t.Context(), path, backup); err != nil {
		t.Fatal(err)
	}
	closeDB(t, d)
	for _, file := range []string{path, backup} {
		header, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if header[20] != 0 {
			t.Errorf("%s reserves %d bytes of each page", file, header[20])
		}
		if list, err := damageOf(t, file); err != nil || len(list) > 0 {
			t.Errorf("%s: %q, %v", file, list, err)
		}
	}
}
