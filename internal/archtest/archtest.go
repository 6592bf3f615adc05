// Package archtest checks rules of the repository that no linter checks: imports, purity, sizes, wording,
// documents. Rules that golangci-lint can check are in .golangci.yml. A rule is a function from the tree of
// files to its problems; TestRepository runs every rule on the repository, and each rule has a small bad
// sample beside it that shows it can fail.
//
// The files are read here and not through the go command, so that the test
// cache tracks them.
package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Module is the path of the main module, as go.mod names it.
const Module = "roshambo"

// Tree is the repository as the rules see it.
type Tree struct {
	Files []*File // every text file that git would take, by path
}

// File is one text file. Go files of the main module have a parsed
// syntax tree.
type File struct {
	Path   string // slash separated, from the root of the repository
	Text   string
	Syntax *ast.File      // nil for files that are not Go, and below testdata
	Lines  *token.FileSet // the positions of Syntax
}

// Problem is one place that breaks a rule.
type Problem struct {
	Path string
	Line int // 0 where the whole file is meant
	What string
}

// String formats the problem like a compiler error, so that editors can jump to it.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Path + ": " + p.What
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.What)
}

// Load reads the tree below a repository's root, less what .gitignore names.
func Load(root fs.FS) (*Tree, error) {
	ignored, err := readIgnore(root)
	if err != nil {
		return nil, err
	}
	tree := &Tree{}
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == ".git" || ignored(name, true) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || name == ".git" || ignored(name, false) { // .git is a file in a linked worktree
			return nil
		}
		file, err := load(root, name)
		if err != nil || file == nil {
			return err
		}
		tree.Files = append(tree.Files, file)
		return nil
	})
	return tree, err
}

// load reads one file; nil for one that is no text.
func load(root fs.FS, name string) (*File, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) || slices.Contains(text, 0) {
		return nil, nil
	}
	file := &File{Path: name, Text: string(text)}
	if path.Ext(name) == ".go" && !strings.Contains("/"+name, "/testdata/") {
		file.Lines = token.NewFileSet()
		file.Syntax, err = parser.ParseFile(file.Lines, name, text, parser.ParseComments|parser.SkipObjectResolution)
	}
	return file, err
}

// readIgnore understands the plain patterns of .gitignore, which are all that
// the repository uses: a name or a glob, rooted with a leading slash, for
// folders only with a trailing one.
func readIgnore(root fs.FS) (func(name string, dir bool) bool, error) {
	text, err := fs.ReadFile(root, ".gitignore")
	if err != nil {
		return nil, err
	}
	var patterns []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.Contains(line, "**") || line[0] == '!' {
			return nil, fmt.Errorf(".gitignore: %q is more than archtest understands", line)
		}
		patterns = append(patterns, line)
	}
	return func(name string, dir bool) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return ignores(p, name, dir) })
	}, nil
}

// ignores reports whether one pattern of .gitignore covers a path. A pattern with a slash is
// matched from the root, any other against the last element.
func ignores(pattern, name string, dir bool) bool {
	pattern, dirOnly := strings.CutSuffix(pattern, "/")
	if dirOnly && !dir {
		return false
	}
	rooted := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if !rooted {
		name = path.Base(name)
	}
	hit, err := path.Match(pattern, name)
	return err == nil && hit
}

// Package is the folder of the file.
func (f *File) Package() string { return path.Dir(f.Path) }

// Test reports whether the file belongs to a test only.
func (f *File) Test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Shipped reports whether the binary can be built with the file. Files with the tag nightly are tests of the
// nightly run, or fill databases for measurements.
func (f *File) Shipped() bool { return !f.Test() && !strings.HasPrefix(f.Text, "//go:build nightly") }

// generatedLine is what generators write, as https://go.dev/s/generatedcode
// has it, and its twin in the languages with other comment signs.
var generatedLine = regexp.MustCompile(`(?m)^(//|#|/\*\*?|--| \*) (Code generated|This file was auto-generated) .*`)

// Generated reports whether a program wrote the file, and its length and style
// are not ours.
func (f *File) Generated() bool {
	return generatedLine.MatchString(f.Text) || slices.Contains(strings.Split(f.Path, "/"), "dist")
}

// Line returns the line of a position in a Go file.
func (f *File) Line(pos token.Pos) int { return f.Lines.Position(pos).Line }

// lineOf returns the line that holds a byte offset of the text.
func (f *File) lineOf(offset int) int { return strings.Count(f.Text[:offset], "\n") + 1 }

// goFiles iterates over the Go files with a syntax tree, tests included, of the main module and
// of the modules below it, without test data. They come in the order of their paths, so that
// problems come in the same order in every run.
func (t *Tree) goFiles(yield func(*File) bool) {
	for _, f := range t.Files {
		if f.Syntax != nil && !yield(f) {
			return
		}
	}
}

// file returns the file with a path, relative to the root and with slashes, or nil when there is
// none. It is linear in the number of files, which a few lookups per rule can afford.
func (t *Tree) file(name string) *File {
	for _, f := range t.Files {
		if f.Path == name {
			return f
		}
	}
	return nil
}
