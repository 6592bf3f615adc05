// Command gen makes the test vectors: the same bytes on every machine, because
// nothing in it is drawn by chance.
//
//	go run ./vectors/gen          (in the root of the repository)
//
// It plays the house, an honest one for the valid vectors and one that lies in
// one place for the others. A lie is told as early as a house could tell it, so
// that all hashes and signatures after it are right: what is left to find is the
// lie itself. What each verifier must find is written beside the lie by hand,
// never taken from a verifier.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write("vectors"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// write makes all files below dir, and removes vectors that are made no more.
func write(dir string) error {
	files, err := makeAll()
	if err != nil {
		return err
	}
	for _, kind := range []string{"run", "duel"} {
		if err := os.RemoveAll(filepath.Join(dir, kind)); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(dir, kind), 0o755); err != nil {
			return err
		}
	}
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
			continue
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
