package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Only maxima are limited: medians hardly differ between code bases, outliers do.
const (
	maxFunction = 70  // lines of a function, from its first to its closing brace
	maxFile     = 600 // lines of a file that a person wrote, tests too
	maxMain     = 60  // lines of a main.go
	maxParams   = 5   // parameters of a function; use a Config or Options struct for more
	maxComment  = 120 // columns of a comment; long texts in code would not be easier to read in pieces
)

// maxFileOf raises the limit for the verifiers, which users copy as single files.
// The checks of a proof and those of a chain grow with the protocol, and are not split for it.
var maxFileOf = map[string]int{
	"verify/python/verify.py": 1300, // of proofs; chain.py beside it is for whole chains
	// Users also read chain.py as one file: the rules of a whole chain, beside the games that it checks.
	"verify/python/chain.py": 900,
	"verify/ts/verify.ts":    1300,
}

// written are the kinds of file that people write here and that have a limit.
var written = []string{".go", ".ts", ".js", ".svelte", ".css", ".py", ".sql", ""}

// Length checks that files and functions stay short.
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
	for f := range t.goFiles {
		if f.Generated() {
			continue
		}
		problems = append(problems, wideComments(f)...)
		for _, decl := range f.Syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				problems = append(problems, function(f, fn)...)
			}
		}
	}
	return problems
}

// wideComments checks the width of comment lines. Blocks of code, and the outputs of examples, which
// stand in tests, cannot be wrapped.
func wideComments(f *File) []Problem {
	if f.Test() {
		return nil
	}
	var problems []Problem
	line := 0
	for text := range strings.Lines(f.Text) {
		line++
		text = strings.TrimSuffix(text, "\n")
		if n := utf8.RuneCountInString(text); n > maxComment && strings.HasPrefix(strings.TrimSpace(text), "// ") {
			problems = append(problems, Problem{f.Path, line,
				fmt.Sprintf("a comment of %d columns, more than %d", n, maxComment)})
		}
	}
	return problems
}

// function checks the length and the number of parameters of one function.
func function(f *File, fn *ast.FuncDecl) []Problem {
	var problems []Problem
	at := f.Line(fn.Pos())
	if n := f.Line(fn.End()) - at + 1; n > maxFunction {
		problems = append(problems, Problem{f.Path, at,
			fmt.Sprintf("%s has %d lines, more than %d", fn.Name.Name, n, maxFunction)})
	}
	if n := fn.Type.Params.NumFields(); n > maxParams {
		problems = append(problems, Problem{f.Path, at,
			fmt.Sprintf("%s has %d parameters, more than %d", fn.Name.Name, n, maxParams)})
	}
	return problems
}

// vague are package names that do not describe what the package provides.
var vague = []string{"base", "common", "helper", "helpers", "lib", "manager", "misc", "model", "models", "shared",
	"type", "types", "util", "utils"}

// Packages checks that each Go package has a descriptive name and a package
// comment.
func Packages(t *Tree) []Problem {
	var problems []Problem
	first := map[string]*File{}
	documented := map[string]bool{}
	for f := range t.goFiles {
		pkg := f.Package()
		if first[pkg] == nil {
			first[pkg] = f
			if slices.Contains(vague, path.Base(pkg)) {
				problems = append(problems, Problem{Path: f.Path,
					What: path.Base(pkg) + " is too vague: name the package after what it provides"})
			}
		}
		if !f.Test() && f.Syntax.Doc != nil && opens(f) {
			documented[pkg] = true
		}
	}
	for pkg, f := range first {
		if !documented[pkg] {
			problems = append(problems, Problem{Path: f.Path, What: "package " + pkg + " has no package comment"})
		}
	}
	return problems
}

// opens reports whether a package comment has godoc's form.
func opens(f *File) bool {
	text := f.Syntax.Doc.Text()
	if f.Syntax.Name.Name == "main" {
		return text != ""
	}
	return strings.HasPrefix(text, "Package "+f.Syntax.Name.Name+" ")
}
