package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// errorDoc holds the closed list of error codes, for callers.
const errorDoc = "docs/errors.md"

// codeRow is a row of its tables: a status, a code, and what it means.
var codeRow = regexp.MustCompile("(?m)^\\| \\d{3} \\| `([a-z_]+)` \\|")

// Codes checks that docs/errors.md lists the error codes that api answers
// with, all of them and no others.
func Codes(t *Tree) []Problem {
	used := map[string]Problem{} // each code, and where it is used first
	for f := range t.goFiles {
		if f.Package() != "internal/server/api" || f.Test() {
			continue
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if code, ok := codeIn(n); ok && used[code].Path == "" {
				used[code] = Problem{f.Path, f.Line(n.Pos()), "code " + code + " has no row in " + errorDoc}
			}
			return true
		})
	}
	doc := t.file(errorDoc)
	if doc == nil {
		if len(used) == 0 {
			return nil
		}
		return []Problem{{Path: errorDoc, What: "is missing"}}
	}
	var problems []Problem
	for _, m := range codeRow.FindAllStringSubmatchIndex(doc.Text, -1) {
		code := doc.Text[m[2]:m[3]]
		if used[code].Path == "" {
			problems = append(problems, Problem{doc.Path, doc.lineOf(m[2]), "no answer has the code " + code})
		}
		delete(used, code)
	}
	for _, code := range slices.Sorted(maps.Keys(used)) {
		problems = append(problems, used[code])
	}
	return problems
}

// codeIn finds an error code the three ways that api writes one: as a field
// Code or code of a literal, as a value assigned to such a field, and as the third
// column of a table of known errors, {err, status, code, message}.
func codeIn(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Code" || key.Name == "code") {
			return text(n.Value)
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if sel, ok := left.(*ast.SelectorExpr); ok && sel.Sel.Name == "Code" && len(n.Lhs) == len(n.Rhs) {
				return text(n.Rhs[i])
			}
		}
	case *ast.CompositeLit:
		if len(n.Elts) == 4 && n.Type == nil {
			if status, ok := n.Elts[1].(*ast.BasicLit); ok && status.Kind == token.INT {
				return text(n.Elts[2])
			}
		}
	}
	return "", false
}

// text gives the value of a string literal.
func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
