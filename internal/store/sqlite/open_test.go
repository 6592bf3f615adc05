package sqlite_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
	"roshambo/internal/store/storetest"
)

// TestOpenByLink checks that a file is one database through any link to it.
func TestOpenByLink(t *testing.T) {
	t.Parallel()
	folder, links := t.TempDir(), t.TempDir()
	path, toFolder, toFile := filepath.Join(folder, "a.db"), filepath.Join(links, "folder"), filepath.Join(links, "b.db")
	for link, to := range map[string]string{toFolder: folder, toFile: path} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	d := storetest.OpenSQLite(t, store.Config{Path: filepath.Join(toFolder, "a.db")}) // which makes it
	storetest.Exec(t, d, "CREATE TABLE a (id INTEGER) STRICT")
	for _, same := range []string{path, toFile} {
		if _, err := sqlite.Open(t.Context(), store.Config{Path: same}); !errors.Is(err, store.ErrLocked) {
			t.Errorf("second Open by %s: error %v, want ErrLocked", same, err)
		}
	}
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "a b?c#d%41")
	path := filepath.Join(dir, "rosh ambo?mode=memory#.db")
	d := storetest.OpenSQLite(t, store.Config{Path: path})
	storetest.Exec(t, d, "CREATE TABLE a (id INTEGER) STRICT")
	want := map[string]string{
		dir:            "drwx------",
		path:           "-rw-------",
		path + "-wal":  "-rw-------",
		path + "-shm":  "-rw-------",
		path + ".lock": "-rw-------",
	}
	got := map[string]string{}
	for name := range want {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = info.Mode().String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got):", diff)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log after Close: %v, want none", err)
	}
}

func TestOpenTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	d := storetest.OpenSQLite(t, store.Config{Path: path})
	_, err := sqlite.Open(t.Context(), store.Config{Path: path})
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("second Open: error %v, want ErrLocked with the path", err)
	}
	storetest.Exec(t, d, "CREATE TABLE a (id INTEGER) STRICT")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.Number(t, storetest.OpenSQLite(t, store.Config{Path: path}), "SELECT count(*) FROM a")
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := file("text", strings.Repeat("not a database ", 1000))
	malformed := storetest.Migrations("CREATE TABEL a")
	duplicate := fstest.MapFS{"0001_a.sql": {}, "0001_b.sql": {}}
	header := file("header", "SQLite format 3\x00"+strings.Repeat("\x01", 5000))
	for name, c := range map[string]struct {
		config store.Config
		want   error
	}{
		"no path":             {store.Config{}, nil},
		"text":                {store.Config{Path: text}, store.ErrNotDatabase},
		"text, to read":       {store.Config{Path: text, ReadOnly: true}, store.ErrNotDatabase},
		"nothing but header":  {store.Config{Path: header}, store.ErrNotDatabase},
		"folder":              {store.Config{Path: dir}, nil},
		"file for a folder":   {store.Config{Path: filepath.Join(text, "test.db")}, nil},
		"missing, to read":    {store.Config{Path: filepath.Join(dir, "none"), ReadOnly: true}, fs.ErrNotExist},
		"not migrated":        {store.Config{Path: file("empty", ""), ReadOnly: true}, nil},
		"folder, to read":     {store.Config{Path: dir, ReadOnly: true}, nil},
		"broken migration":    {store.Config{Path: filepath.Join(dir, "a"), Migrations: malformed}, nil},
		"unreadable sequence": {store.Config{Path: filepath.Join(dir, "b"), Migrations: duplicate}, nil},
	} {
		d, err := sqlite.Open(t.Context(), c.config)
		if err == nil {
			t.Errorf("%s: opened, closed: %v", name, d.Close())
			continue
		}
		if c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if !strings.HasPrefix(err.Error(), "store: open") {
			t.Errorf("%s: error %q does not name the operation", name, err)
		}
	}
	if got, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(got), "not a database") {
		t.Errorf("the file that is no database holds %.20q, %v", got, err)
	}
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	a, b := "CREATE TABLE a (id INTEGER) STRICT", "INSERT INTO a (id) VALUES (7)"
	open := func(readOnly bool, ups ...string) (*store.DB, error) {
		c := store.Config{Path: path, ReadOnly: readOnly, Migrations: storetest.Migrations(ups...)}
		return sqlite.Open(t.Context(), c)
	}
	for _, step := range []struct {
		name     string
		readOnly bool
		ups      []string
		want     string // in the error; none when empty
		rows     int64
	}{
		{"first", false, []string{a}, "", 0},
		{"older program has nothing to do", true, []string{a}, "", 0},
		{"one that fails", false, []string{a, b + "; INSERT INTO nowhere VALUES (1)"}, "version:2", 0},
		{"its failed migration is rolled back", true, []string{a}, "", 0},
		{"to read, not yet migrated", true, []string{a, b}, "start the server once", 0},
		{"repaired", false, []string{a, b}, "", 1},
		{"again", false, []string{a, b}, "", 1},
		{"to read", true, []string{a, b}, "", 1},
		{"older program", false, []string{a}, "newer program: schema version 2, this one knows 1", 0},
		{"older program, to read", true, []string{a}, "newer program", 0},
		{"third", false, []string{a, b, b}, "", 2},
	} {
		d, err := open(step.readOnly, step.ups...)
		if step.want != "" {
			if err == nil || !strings.Contains(err.Error(), step.want) {
				t.Fatalf("%s: error %v, want %q", step.name, err, step.want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if n := storetest.Number(t, d, "SELECT count(*) FROM a"); n != step.rows {
			t.Errorf("%s: %d rows, want %d", step.name, n, step.rows)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open(false, a); !errors.Is(err, store.ErrNewer) {
		t.Errorf("error %v, want ErrNewer", err)
	}
}

func TestReadOnlyBesideServer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	server := storetest.OpenSQLite(t, store.Config{Path: path})
	storetest.Exec(t, server, "CREATE TABLE a (id INTEGER) STRICT")
	reader := storetest.OpenSQLite(t, store.Config{Path: path, ReadOnly: true})
	for n := range int64(3) {
		if got := storetest.Number(t, reader, "SELECT count(*) FROM a"); got != n {
			t.Errorf("read %d rows, want %d", got, n)
		}
		storetest.Exec(t, server, "INSERT INTO a (id) VALUES ($1)", n)
	}
	err := reader.Update(t.Context(), func(context.Context, *store.Tx) error { return nil })
	if !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Update: error %v, want ErrReadOnly", err)
	}
	if s := reader.Stats(); s.Views != 3 || s.Bytes == 0 {
		t.Errorf("stats %+v, want 3 views of some bytes", s)
	}
}

// TestSettings reads the pragmas of the connections: a setting that is not applied would
// otherwise go unnoticed until a power failure.
func TestSettings(t *testing.T) {
	t.Parallel()
	d := storetest.OpenSQLite(t, store.Config{})
	ask := func(into map[string]int64) func(context.Context, *store.Tx) error {
		return func(ctx context.Context, tx *store.Tx) error {
			for name := range into {
				var n int64
				if err := tx.QueryRowContext(ctx, "PRAGMA "+name).Scan(&n); err != nil {
					return err
				}
				into[name] = n
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		call func(context.Context, func(context.Context, *store.Tx) error) error
		want map[string]int64
	}{
		"writer": {d.Update, map[string]int64{
			"synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000, "temp_store": 2, "mmap_size": 0,
		}},
		"reader": {d.View, map[string]int64{"query_only": 1, "busy_timeout": 5000, "temp_store": 2, "mmap_size": 0}},
	} {
		got := map[string]int64{}
		for k := range c.want {
			got[k] = -1
		}
		if err := c.call(t.Context(), ask(got)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT "no such name"`)
		return err
	})
	if err == nil {
		t.Error("a name in double quotes was accepted as a string")
	}
}
