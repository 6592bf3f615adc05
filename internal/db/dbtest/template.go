package dbtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"roshambo/internal/db"
)

// Path returns the path of an empty database that is migrated already, in a folder of
// t's own. It is a copy of one that is made once in each process: migrating takes most
// of the time of a small test, and all of it again with the race detector.
func Path(t testing.TB) string {
	t.Helper()
	empty, err := template()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "roshambo.db")
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var template = sync.OnceValues(func() (file []byte, err error) {
	folder, err := os.MkdirTemp("", "roshambo-dbtest-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "template.db")
	d, err := db.Open(context.Background(), db.Config{Path: path})
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil { // moves its log into the file
		return nil, err
	}
	return os.ReadFile(path)
})
