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
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
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

// openapi is the part of the contract that names codes: as the values of the member code, and with their statuses in
// the descriptions of responses.
type openapi struct {
	Paths      map[string]map[string]struct{ Responses map[string]response }
	Components struct {
		Responses map[string]response
		Schemas   struct {
			Error struct {
				Properties struct {
					Code struct {
						Values []string `yaml:"x-extensible-enum"`
					}
				}
			} `yaml:"Error"`
		}
	}
}

// response is a response of an operation, or a reference to one that several operations share.
type response struct {
	Ref         string `yaml:"$ref"`
	Description string
}

// described matches a code in the description of a response.
var described = regexp.MustCompile("`([a-z_]+)`: ")

// readStatuses returns the status of each code.
func readStatuses(contract []byte) (map[string]int, error) {
	var doc openapi
	if err := yaml.Unmarshal(contract, &doc); err != nil {
		return nil, err
	}
	statuses := map[string]int{}
	for path, operations := range doc.Paths {
		for _, operation := range operations {
			for status, r := range operation.Responses {
				if r.Ref != "" {
					r = doc.Components.Responses[r.Ref[strings.LastIndex(r.Ref, "/")+1:]]
				}
				for _, m := range described.FindAllStringSubmatch(r.Description, -1) {
					n, err := strconv.Atoi(status)
					if known := statuses[m[1]]; err != nil || http.StatusText(n) == "" || known != 0 && known != n {
						return nil, fmt.Errorf("%s: %s has status %s, elsewhere %d", path, m[1], status, known)
					}
					statuses[m[1]] = n
				}
			}
		}
	}
	for code := range statuses {
		if !slices.Contains(doc.Components.Schemas.Error.Properties.Code.Values, code) {
			return nil, fmt.Errorf("%s is no value of the member code", code)
		}
	}
	for _, code := range doc.Components.Schemas.Error.Properties.Code.Values {
		if statuses[code] == 0 {
			return nil, fmt.Errorf("no response has the code %s", code)
		}
	}
	return statuses, nil
}
