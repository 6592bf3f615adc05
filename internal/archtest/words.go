package archtest

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// ban is a word that must not stand in the repository.
type ban struct {
	word *regexp.Regexp
	why  string
	only string // the ending of the files that are looked at; empty for all
}

// bans splits its patterns, so that this file does not match itself.
var bans = []ban{
	{word: regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`), why: "unfinished work: finish it, or open an issue"},
	{word: regexp.MustCompile(`(?:^|[^\w./-])(/wo` + `rk/[a-z.]|/tmp/pl` + `an)`), why: "a path of a developer's machine"},
	{word: regexp.MustCompile(`\b(proxy\.gol` + `ang\.org|sum\.gol` + `ang\.org|registry\.npm` + `js\.org|deb\.deb` +
		`ian\.org)\b`), why: "a registry's host: which one is used depends on the machine's configuration"},
	{word: regexp.MustCompile(`\b[tbf]\.Ski` + `p(f|Now)?\(`), why: "a test that skips passes without testing anything",
		only: "_test.go"},
	{word: regexp.MustCompile(`(?i)\b(SELECT|RETURNING)\s+(\w+\.)?\*`), why: "SQL names its columns", only: ".sql"},
}

// Words checks that no text holds a banned word.
func Words(t *Tree) []Problem {
	var problems []Problem
	for _, f := range t.Files {
		for _, b := range bans {
			if !strings.HasSuffix(f.Path, b.only) || slices.Contains(strings.Split(f.Path, "/"), "dist") {
				continue
			}
			for _, at := range b.word.FindAllStringIndex(f.Text, -1) {
				found := strings.TrimSpace(f.Text[at[0]:at[1]])
				problems = append(problems, Problem{f.Path, f.lineOf(at[1] - 1), found + ": " + b.why})
			}
		}
	}
	return problems
}

// nolintDirective matches a directive that names the linter and the reason.
var nolintDirective = regexp.MustCompile(`^//nolint:[a-z]+(,[a-z]+)* // \S`)

// Nolints checks that a directive that silences a linter names it and the reason.
func Nolints(t *Tree) []Problem {
	var problems []Problem
	for f := range t.goFiles {
		for _, group := range f.Syntax.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//nolint") && !nolintDirective.MatchString(c.Text) {
					problems = append(problems, Problem{f.Path, f.Line(c.Pos()), "want //nolint:name // reason"})
				}
			}
		}
	}
	return problems
}

// Sleeps checks that no test waits for the clock: it waits for a condition, or
// runs in a bubble of testing/synctest, where sleeping takes no time.
func Sleeps(t *Tree) []Problem {
	var problems []Problem
	for f := range t.goFiles {
		if !f.Test() || usesSynctest(f) {
			continue
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if pkg, name, ok := selector(n); ok && pkg == "time" && name == "Sleep" {
				problems = append(problems, Problem{f.Path, f.Line(n.Pos()),
					"a test that sleeps is slow or wrong: wait for a condition"})
			}
			return true
		})
	}
	return problems
}

// usesSynctest reports whether a test file imports testing/synctest, whose clock does not run while
// the bubble works.
func usesSynctest(f *File) bool {
	return slices.ContainsFunc(f.Syntax.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == `"testing/synctest"`
	})
}

// generatedIn are the folders that hold what programs wrote; ending in * for
// each folder of that level.
var generatedIn = []string{"internal/store/query/*", "client/api"}

// Generated checks that generated Go code is named so, says so, and stays in
// its folders.
func Generated(t *Tree) []Problem {
	var problems []Problem
	for f := range t.goFiles {
		named := strings.HasSuffix(f.Path, "_gen.go")
		if named != f.Generated() {
			problems = append(problems, Problem{Path: f.Path, What: "files named *_gen.go, and no others, are generated"})
		}
		home := slices.ContainsFunc(generatedIn, func(dir string) bool {
			ok, err := path.Match(dir, f.Package())
			return ok && err == nil
		})
		if named && !home {
			problems = append(problems, Problem{Path: f.Path,
				What: "generated code lives in " + strings.Join(generatedIn, ", ")})
		}
	}
	return problems
}
