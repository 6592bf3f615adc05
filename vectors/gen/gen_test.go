package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCommitted: the files in vectors/ are those that the generator makes.
func TestCommitted(t *testing.T) {
	t.Parallel()
	files, err := makeAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("the generator makes %d files", len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes (%v): go run ./vectors/gen", name, err)
		}
	}
	for _, dir := range []string{"run", "duel"} {
		entries, err := os.ReadDir(filepath.Join("..", dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if files[dir+"/"+e.Name()] == nil {
				t.Errorf("%s/%s is made by nobody: go run ./vectors/gen", dir, e.Name())
			}
		}
	}
}

// TestWrite: into an empty folder and over what is there already, without what
// is made no more.
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
