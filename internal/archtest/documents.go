package archtest

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const dependencies = "docs/dependencies.md"

var (
	// listed is a row of the tables in docs/dependencies.md; its first column is
	// the dependency's name.
	listed = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
	// dated is such a row, with the day of the last release in its second column.
	dated = regexp.MustCompile("^\\| `[^`]+` \\| \\d{4}-\\d\\d-\\d\\d \\|")
)

// Dependencies checks that docs/dependencies.md has a line for everything that is used directly, with the day
// of its last release, and none for an unused one: the Go modules that some file imports, the tools of each
// go.mod, the packages of web/package.json.
func Dependencies(t *Tree) []Problem {
	doc := t.file(dependencies)
	if doc == nil {
		return []Problem{{Path: dependencies, What: "is missing"}}
	}
	var problems []Problem
	used := direct(t)
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !strings.Contains(doc.Text, "| `"+name+"` |") {
			problems = append(problems, Problem{Path: doc.Path, What: "no line for " + name + ", used by " + used[name]})
		}
	}
	for _, m := range listed.FindAllStringSubmatchIndex(doc.Text, -1) {
		if name := doc.Text[m[2]:m[3]]; used[name] == "" {
			problems = append(problems, Problem{doc.Path, doc.lineOf(m[2]), name + " is not used"})
		}
		if !dated.MatchString(doc.Text[m[0]:]) {
			problems = append(problems, Problem{doc.Path, doc.lineOf(m[0]), "the row does not say when the last release was"})
		}
	}
	return problems
}

// direct finds the direct dependencies, each with a file that uses it.
func direct(t *Tree) map[string]string {
	used := map[string]string{}
	var modules []string // of the service, and of tests that are modules of their own
	for _, f := range t.Files {
		if path.Base(f.Path) == "go.mod" && f.Path != "tools/go.mod" {
			modules = append(modules, required(f)...)
		}
	}
	for f := range t.goFiles {
		for _, spec := range f.Syntax.Imports {
			if name, err := strconv.Unquote(spec.Path.Value); err == nil {
				mark(used, modules, name, f.Path)
			}
		}
	}
	for _, mod := range t.Files {
		if path.Base(mod.Path) != "go.mod" {
			continue
		}
		for _, tool := range toolLine.FindAllStringSubmatch(mod.Text, -1) {
			mark(used, required(mod), tool[1], mod.Path)
		}
	}
	for _, f := range t.Files {
		if path.Base(f.Path) != "package.json" {
			continue
		}
		var pkg struct{ Dependencies, DevDependencies map[string]string }
		if json.Unmarshal([]byte(f.Text), &pkg) != nil {
			continue // npm says so
		}
		for name := range pkg.Dependencies {
			used[name] = f.Path
		}
		for name := range pkg.DevDependencies {
			used[name] = f.Path
		}
	}
	return used
}

var (
	requireLine = regexp.MustCompile(`(?m)^(?:require)?\s+(\S+\.\S+) v\S+`)
	toolLine    = regexp.MustCompile(`(?m)^(?:tool)?\s+([^\s/]+\.\S+)$`)
)

// required lists the modules that a go.mod requires.
func required(mod *File) []string {
	var modules []string
	for _, m := range requireLine.FindAllStringSubmatch(mod.Text, -1) {
		modules = append(modules, m[1])
	}
	return modules
}

// mark notes the module that a package belongs to, the longest that fits.
func mark(used map[string]string, modules []string, pkg, by string) {
	best := ""
	for _, m := range modules {
		if within(pkg, m) && len(m) > len(best) {
			best = m
		}
	}
	if best != "" {
		used[best] = by
	}
}

// migrations holds one folder for each engine.
const migrations = "internal/store/migrations/"

var (
	sqlComment  = regexp.MustCompile(`--[^\n]*`)
	createTable = regexp.MustCompile(`(?is)CREATE TABLE\s+(?:IF NOT EXISTS\s+)?(\w+).*?;`)
)

// Migrations checks that both engines have the same migrations, by number and
// name, and that SQLite's tables are STRICT: without it SQLite stores text in
// an integer column and says nothing.
func Migrations(t *Tree) []Problem {
	var problems []Problem
	for _, f := range t.Files {
		rest, ok := strings.CutPrefix(f.Path, migrations)
		engine, name, split := strings.Cut(rest, "/")
		if !ok || !split || path.Ext(name) != ".sql" {
			continue
		}
		twin := migrations + map[string]string{"sqlite": "postgres", "postgres": "sqlite"}[engine] + "/" + name
		if t.file(twin) == nil {
			problems = append(problems, Problem{Path: f.Path, What: "has no twin " + twin})
		}
		if engine != "sqlite" {
			continue
		}
		bare := &File{Text: sqlComment.ReplaceAllString(f.Text, "")}
		for _, m := range createTable.FindAllStringSubmatchIndex(bare.Text, -1) {
			if !strings.Contains(bare.Text[m[0]:m[1]], "STRICT") {
				problems = append(problems, Problem{f.Path, bare.lineOf(m[0]), "table " + bare.Text[m[2]:m[3]] + " is not STRICT"})
			}
		}
	}
	return problems
}

// link is a link to a file of the repository: not to another site, and not within the page.
var link = regexp.MustCompile(`\]\(([^()#:\s]+)(?:#[^)]*)?\)`)

// pageRoutes lists the routes of the page.
const pageRoutes = "web/src/routes.json"

// Links checks that each relative link of a document leads to a file or folder that is there, so that a move of files
// cannot leave dead links behind, and that each absolute one is a route of the page. Anchors within the documents of
// docs are checked by package docpage, which makes them.
func Links(t *Tree) []Problem {
	there := map[string]bool{".": true}
	for _, f := range t.Files {
		for name := f.Path; name != "."; name = path.Dir(name) {
			there[name] = true
		}
	}
	var routes []struct{ Path string }
	if f := t.file(pageRoutes); f != nil {
		if err := json.Unmarshal([]byte(f.Text), &routes); err != nil {
			return []Problem{{Path: pageRoutes, What: err.Error()}}
		}
	}
	for _, r := range routes {
		there[r.Path] = true
	}
	var problems []Problem
	for _, f := range t.Files {
		if path.Ext(f.Path) != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatchIndex(f.Text, -1) {
			to := f.Text[m[2]:m[3]]
			if !there[to] && !there[path.Join(path.Dir(f.Path), to)] {
				problems = append(problems, Problem{f.Path, f.lineOf(m[2]), to + " is not there"})
			}
		}
	}
	return problems
}
