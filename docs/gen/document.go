package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document returns the introduction of the old document with the tables of a contract.
func document(contract, old []byte, sections []section) ([]byte, error) {
	statuses, err := readStatuses(contract)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", contractPath, err)
	}
	introduction, _, _ := bytes.Cut(old, []byte("\n## "))
	b := bytes.NewBuffer(bytes.Clone(introduction))
	for _, s := range sections {
		fmt.Fprintf(b, "\n## %s\n\n| status | code | when | what helps |\n|---|---|---|---|\n", s.title)
		for _, e := range s.explanations {
			status, ok := statuses[e.code]
			if !ok {
				return nil, fmt.Errorf("%s is explained twice, or is no code of the contract", e.code)
			}
			delete(statuses, e.code)
			helps := e.helps
			if helps != "" {
				helps += " "
			}
			fmt.Fprintf(b, "| %d | `%s` | %s | %s|\n", status, e.code, e.when, helps)
		}
	}
	if left := slices.Sorted(maps.Keys(statuses)); len(left) > 0 {
		return nil, fmt.Errorf("no explanation in docs/gen/errors.go: %s", strings.Join(left, ", "))
	}
	return b.Bytes(), nil
}
