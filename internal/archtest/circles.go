package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// Within a package Go lets every file use every other one. A reader wants an order: what a file needs is explained
// before it, or below it, once.

// layered are the folders whose packages read from top to bottom: no file uses, through others or directly, a file
// that uses it.
var layered = []string{"internal/server", "internal/store"}

// Circles finds files of a package in the layered folders that use one another's declarations in a circle.
// It matches names: those that a file leaves unresolved, and unexported fields and methods.
func Circles(t *Tree) []Problem {
	packages := map[string][]*File{}
	for f := range t.goFiles {
		for _, folder := range layered {
			if f.Shipped() && !f.Generated() && within(f.Package(), folder) {
				packages[f.Package()] = append(packages[f.Package()], f)
			}
		}
	}
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		problems = append(problems, circles(packages[name])...)
	}
	return problems
}

// circles reports the files of a package that are in a circle, or between two circles, with one use of each kind.
// Their order does not matter: a file that uses no other one of them, or that none of them uses, is taken away until
// all are needed.
func circles(files []*File) []Problem {
	arrows := arrowsOf(files)
	for removed := true; removed; {
		removed = false
		for from, to := range arrows {
			used := false
			for _, other := range arrows {
				used = used || other[from] != ""
			}
			if len(to) > 0 && used {
				continue
			}
			delete(arrows, from)
			for _, other := range arrows {
				delete(other, from)
			}
			removed = true
		}
	}
	var circle []string
	for _, from := range slices.SortedFunc(maps.Keys(arrows), byPath) {
		for _, to := range slices.SortedFunc(maps.Keys(arrows[from]), byPath) {
			circle = append(circle, fmt.Sprintf("%s uses %s of %s", path.Base(from.Path), arrows[from][to], path.Base(to.Path)))
		}
	}
	if circle == nil {
		return nil
	}
	return []Problem{{files[0].Package(), 0, "files in a circle: " + strings.Join(circle, ", ")}}
}

func byPath(a, b *File) int { return strings.Compare(a.Path, b.Path) }

// arrowsOf returns, for each file, the files whose declarations it uses, each with one such name.
func arrowsOf(files []*File) map[*File]map[*File]string {
	declaredIn, times, arrows := map[string]*File{}, map[string]int{}, map[*File]map[*File]string{}
	for _, f := range files {
		for _, name := range declaredNames(f) {
			declaredIn[name] = f
			times[name]++
		}
	}
	for _, f := range files {
		arrows[f] = map[*File]string{}
		uses := usedNames(f)
		for _, name := range slices.Sorted(maps.Keys(uses)) {
			if in := declaredIn[name]; in != nil && in != f && times[name] == 1 {
				arrows[f][in] = name
			}
		}
	}
	return arrows
}

// declaredNames returns the names of a file's declarations; unexported fields and methods with a dot in front. A name
// that a package has several times says nothing about its file.
func declaredNames(f *File) (found []string) {
	add := func(prefix string, names ...*ast.Ident) {
		for _, n := range names {
			found = append(found, prefix+n.Name)
		}
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				add(".", field.Names...)
			}
		}
		return true
	})
	for _, d := range f.Syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add("", d.Name)
			} else {
				add(".", d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add("", s.Name)
				case *ast.ValueSpec:
					add("", s.Names...)
				}
			}
		}
	}
	return found
}

// usedNames returns the names that a file takes from its package or from imports, and the unexported selectors.
func usedNames(f *File) map[string]bool {
	found := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Text, 0) // with the names resolved that it declares
	if err != nil {
		return found // Load has refused it
	}
	for _, id := range file.Unresolved {
		found[id.Name] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && !s.Sel.IsExported() {
			found["."+s.Sel.Name] = true
		}
		return true
	})
	return found
}
