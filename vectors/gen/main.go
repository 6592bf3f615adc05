// Command gen generates the test vectors. It uses no randomness, so it writes the same bytes on
// every machine.
//
//	go run ./vectors/gen          (in the root of the repository)
//
// It plays the house: an honest one for the valid vectors, and one that tampers with a single
// value for the others, as early as a house could, so that all later hashes and signatures are
// right. The expected results are written by hand, never taken from a verifier.
//
// house.go builds chains, logs and signatures; run.go and duel.go build proofs from scripts; valid.go,
// tampered_*.go, cosigned.go, bounds.go and broken.go list the vectors; values.go writes values.json. Merkle
// trees and round outcomes are computed by independent code, so that no fault of the packages hides here.
//
// To add a vector, add an entry to the list of its group: file name, line for index.json, expected
// verdict, failures and notes, script. The tests of package verify run every vector through all
// three verifiers. The file name is part of a vector's seeds and salts.
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

// write writes all files below dir and removes vectors that are no longer generated. It does not
// touch index.json and values.json when they are unchanged.
func write(dir string) error {
	files, err := makeAll()
	if err != nil {
		return err
	}
	// Remove the folders first, so that no stale vector stays.
	for _, kind := range []string{"run", "duel", "chain"} {
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
