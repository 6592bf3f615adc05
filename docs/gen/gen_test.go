package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommitted checks that the committed document is exactly the one that the generator writes.
func TestCommitted(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile(filepath.Join("../..", contractPath))
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join("../..", documentPath))
	if err != nil {
		t.Fatal(err)
	}
	text, err := document(contract, old, sections)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, old) {
		t.Errorf("%s differs from the generator: run go run ./docs/gen", documentPath)
	}
}

// sample is a contract with two codes, of which one is in a shared response.
const sample = `
paths:
  /a:
    get:
      responses:
        "404": {description: "` + "`not_found`" + `: Nothing."}
        "409": {$ref: "#/components/responses/Conflict"}
components:
  responses:
    Conflict: {description: "` + "`conflict`: Again.\\n\\n`conflict`" + `: Once more."}
  schemas:
    Error: {properties: {code: {x-extensible-enum: [conflict, not_found]}}}
`

var explained = []section{{"All", []explanation{{code: "not_found", when: "none"},
	{code: "conflict", when: "two", helps: "wait"}}}}

func TestDocument(t *testing.T) {
	t.Parallel()
	const want = "# Errors\n\nWords.\n\n## All\n\n| status | code | when | what helps |\n|---|---|---|---|\n" +
		"| 404 | `not_found` | none | |\n| 409 | `conflict` | two | wait |\n"
	got, err := document([]byte(sample), []byte("# Errors\n\nWords.\n\n## Old\n\n| row |\n"), explained)
	if err != nil || string(got) != want {
		t.Errorf("error %v, got %q, want %q", err, got, want)
	}
}

// TestRefused: no code is left out in silence, and none has two statuses.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		contract string
		sections []section
		want     string
	}{
		{sample, []section{{"All", explained[0].explanations[:1]}}, "no explanation in docs/gen/errors.go: conflict"},
		{sample, append(explained[:1:1], explained...), "not_found is explained twice"},
		{strings.Replace(sample, "[conflict, ", "[", 1), explained, "conflict is no value of the member code"},
		{strings.Replace(sample, "[conflict, ", "[teapot, conflict, ", 1), explained, "no response has the code teapot"},
		{strings.Replace(sample, "`conflict`", "`not_found`", 1), explained, "not_found has status"},
	} {
		if _, err := document([]byte(c.contract), nil, c.sections); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in\n%s", err, c.want, c.contract)
		}
	}
}
