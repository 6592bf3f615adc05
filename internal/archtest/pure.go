package archtest

import (
	"go/ast"
	"slices"
	"strconv"
)

// pureImports is the part of the standard library that the ring may use:
// packages without time, randomness, network or files.
var pureImports = []string{
	"bufio", "bytes", "cmp", "crypto/ed25519", "crypto/hmac", "crypto/sha256", "crypto/subtle",
	"encoding/base64", "encoding/binary", "encoding/hex", "encoding/json", "errors", "fmt", "hash",
	"io", "iter", "maps", "math", "math/big", "math/bits", "slices", "sort", "strconv", "strings",
	"sync", "unicode", "unicode/utf8",
}

// pureImportsOf lists exceptions for single packages.
var pureImportsOf = map[string][]string{
	"chain/replay": {"runtime"}, // how many cores there are to share the work
	// Both verify on all processors.
	"chain/games": {"runtime"},
	// Their files are compiled in: the vectors, and the verifiers in other languages.
	"vectors": {"embed"},
	"verify":  {"embed"},
}

// impure names the impure functions of the packages above.
var impure = map[string][]string{
	"ed25519": {"GenerateKey"}, // randomness
	"fmt":     {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
}

// Pure checks that the ring's code computes and does nothing else.
func Pure(t *Tree) []Problem {
	var problems []Problem
	for f := range t.goFiles {
		if f.Test() || !slices.Contains(ring, f.Package()) {
			continue
		}
		allowed := with(pureImports, pureImportsOf[f.Package()]...)
		for _, spec := range f.Syntax.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err == nil && standard(name) && !within(name, Module) && !slices.Contains(allowed, name) {
				problems = append(problems, Problem{f.Path, f.Line(spec.Pos()), "not pure: imports " + name})
			}
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if pkg, name, ok := selector(n); ok && slices.Contains(impure[pkg], name) {
				problems = append(problems, Problem{f.Path, f.Line(n.Pos()), "not pure: uses " + pkg + "." + name})
			}
			return true
		})
	}
	return problems
}

// selector splits pkg.Name. It does not resolve the identifier: no variable here shadows time or
// fmt.
func selector(n ast.Node) (pkg, name string, ok bool) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", "", false
	}
	return x.Name, sel.Sel.Name, true
}
