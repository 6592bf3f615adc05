package app

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/verify"
)

// TestOtherSchema checks that every command refuses a data folder whose migrations had other texts, and
// leaves it and its targets as they are.
func TestOtherSchema(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.DB.Close(), s.unlockFolder()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.Data, databaseFile)
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.ExecContext(t.Context(), "UPDATE goose_db_version SET digest = 'other' WHERE version_id = 2")
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	for name, call := range map[string]func() error{
		"serve":  func() error { return Serve(t.Context(), c) },
		"backup": func() error { return Backup(t.Context(), c.Data, target, true) },
		"restore": func() error {
			_, err := Restore(t.Context(), RestoreConfig{Backup: c.Data, Data: target})
			return err
		},
		"doctor": func() error {
			_, err := Doctor(t.Context(), c.store(), time.Now, new(bytes.Buffer))
			return err
		},
		"export": func() error { return Export(t.Context(), c.store(), new(bytes.Buffer), ExportOptions{}) },
		"verify-chain": func() error {
			_, err := VerifyStore(t.Context(), c.store(), verify.ChainOptions{})
			return err
		},
		"move": func() error {
			return Move(t.Context(), MoveOptions{From: c.Data, To: "postgres://127.0.0.1:1/none", Out: new(bytes.Buffer)})
		},
		"accept-rollback": func() error {
			_, err := AcceptRollback(t.Context(), c.store(), 1, nil, "")
			return err
		},
	} {
		if err := call(); !errors.Is(err, store.ErrOther) {
			t.Errorf("%s: error %v, want ErrOther", name, err)
		}
	}
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the target of a backup: %v, want none", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the refused database has changed, error %v", err)
	}
}
