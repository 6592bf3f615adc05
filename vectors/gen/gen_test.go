package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCommitted checks that the committed files are exactly those that the generator writes.
func TestCommitted(t *testing.T) {
	t.Parallel()
	files, err := makeAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("the generator writes %d files", len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the generator (%v): run go run ./vectors/gen", name, err)
		}
	}
	for _, dir := range []string{"run", "duel", "chain"} {
		entries, err := os.ReadDir(filepath.Join("..", dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if files[dir+"/"+e.Name()] == nil {
				t.Errorf("%s/%s is not generated: run go run ./vectors/gen", dir, e.Name())
			}
		}
	}
}

// TestWrite checks that write fills an empty folder, and removes stale vectors from a full one.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stale := filepath.Join(dir, "run", "stale.json")
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", stale, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "index.json")); err != nil {
		t.Error(err)
	}
}
