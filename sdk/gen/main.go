// Command gen generates the operations and types of the SDKs from the contract.
//
//	go run ./sdk/gen          (in the root of the repository)
//
// contract.go reads api/openapi.yaml into a small model and refuses what it does not know, so that no part of
// the contract is lost in silence. Each language is one file, which turns the model into the language's files.
package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// languages turn the contract into files, by their paths from the root of the repository.
var languages = []func(*contract) (map[string][]byte, error){python, typescript, verifiers}

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// write generates the files of all languages below root. It does not touch those that are unchanged.
func write(root string) error {
	text, err := os.ReadFile(filepath.Join(root, "api/openapi.yaml"))
	if err != nil {
		return err
	}
	c, err := readContract(text)
	if err != nil {
		return fmt.Errorf("api/openapi.yaml: %w", err)
	}
	for _, language := range languages {
		files, err := language(c)
		if err != nil {
			return err
		}
		for _, path := range slices.Sorted(maps.Keys(files)) {
			if err := replace(filepath.Join(root, filepath.FromSlash(path)), files[path]); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace writes a file unless it has these contents.
func replace(path string, contents []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, contents) {
		return nil
	}
	return os.WriteFile(path, contents, 0o644)
}
