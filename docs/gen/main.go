// Command gen generates the tables of docs/errors.md from the contract, and from an explanation of each code.
//
//	go run ./docs/gen          (in the root of the repository)
//
// Codes and their statuses are those of api/openapi.yaml, which is made from the service's own table of errors. The
// explanations are in errors.go: they are longer than the texts in the contract, and are not in the program. The
// introduction, above the first table, is written by hand.
package main

import (
	"bytes"
	"fmt"
	"os"
)

const (
	contractPath = "api/openapi.yaml"
	documentPath = "docs/errors.md"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// write brings the document up to date.
func write() error {
	contract, err := os.ReadFile(contractPath)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(documentPath)
	if err != nil {
		return err
	}
	text, err := document(contract, old, sections)
	if err != nil || bytes.Equal(text, old) {
		return err
	}
	return os.WriteFile(documentPath, text, 0o644)
}
