package archtest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Only maxima are limited: medians hardly differ between code bases, outliers do. The linter limits
// functions and lines.
const (
	maxFile = 600 // lines of a file that a person wrote, tests too
	maxMain = 60  // lines of a main.go
)

// maxFileOf raises the limit for the verifiers, which users copy as single files.
// The checks of proofs and of chains grow with the protocol, and are not split
// for it.
var maxFileOf = map[string]int{
	"verify/python/verify.py": 1300, // of proofs; chain.py beside it is for whole chains
	// Users also read chain.py as one file: the rules of a whole chain, beside the games that it checks.
	"verify/python/chain.py": 900,
	"verify/ts/verify.ts":    1400,
}

// written are the kinds of file that people write here and that have a limit.
var written = []string{".go", ".ts", ".js", ".svelte", ".css", ".py", ".sql", ""}

// Length checks that files stay short.
func Length(t *Tree) []Problem {
	var problems []Problem
	for _, f := range t.Files {
		if f.Generated() || !slices.Contains(written, path.Ext(f.Path)) {
			continue
		}
		limit := cmp.Or(maxFileOf[f.Path], maxFile)
		if path.Base(f.Path) == "main.go" {
			limit = maxMain
		}
		if n := strings.Count(f.Text, "\n"); n > limit {
			problems = append(problems, Problem{Path: f.Path, What: fmt.Sprintf("%d lines, more than %d", n, limit)})
		}
	}
	return problems
}
