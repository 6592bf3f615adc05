package archtest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// sizeFile records the lines of every package and of every folder of the page, so that growth is read in review.
// make gen writes it.
const sizeFile = "internal/archtest/size.txt"

// Kinds of hand-written code.
const (
	shipped = "shipped" // non-test files of the packages that cmd/roshambo is built from
	kit     = "kit"     // other files that are no tests: measurements and what fills databases for them, test kits, tools
	tests   = "tests"
)

// attacks is a package that tests: it fails when abuse of the service yields more than its goal.
const attacks = "bench/attack"

// shareOfGrowth is the part of its recorded lines, one in this many, by which a package may grow
// before its record must change. Without a tolerance every change would touch sizeFile; with a
// tenth a package could double in seven steps that no review sees.
const shareOfGrowth = 100

// size is the part of a package that is of one kind.
type size struct{ pkg, kind string }

// String returns the size's line of sizeFile without its number.
func (s size) String() string { return s.pkg + " " + s.kind }

// Sizes checks that no package has grown or shrunk by more than 1 % since sizeFile was written.
func Sizes(t *Tree) []Problem {
	recorded, problems := t.recordedSizes()
	actual := t.sizes()
	for _, s := range sortedSizes(actual, recorded) {
		was, is := recorded[s], actual[s]
		if differs(was, is) {
			problems = append(problems, Problem{Path: sizeFile,
				What: fmt.Sprintf("%v: %d lines, recorded are %d: make gen records them, for review", s, is, was)})
		}
	}
	return problems
}

// UpdateSizes returns the text of sizeFile with the lines that Sizes reports brought up to date.
func UpdateSizes(t *Tree) string {
	recorded, _ := t.recordedSizes()
	actual := t.sizes()
	var b strings.Builder
	for _, s := range sortedSizes(actual) {
		lines := actual[s]
		if was := recorded[s]; !differs(was, lines) {
			lines = was
		}
		fmt.Fprintf(&b, "%v %d\n", s, lines)
	}
	return b.String()
}

// differs reports whether a number of lines is further from the recorded one than tolerated.
func differs(was, is int) bool { return (max(is, was)-min(is, was))*shareOfGrowth > was }

// sortedSizes returns the keys of the maps by package and kind, each once.
func sortedSizes(all ...map[size]int) []size {
	keys := map[size]bool{}
	for _, m := range all {
		for s := range m {
			keys[s] = true
		}
	}
	return slices.SortedFunc(maps.Keys(keys), func(a, b size) int { return strings.Compare(a.String(), b.String()) })
}

// recordedSizes parses sizeFile.
func (t *Tree) recordedSizes() (map[size]int, []Problem) {
	f := t.file(sizeFile)
	if f == nil {
		return nil, []Problem{{Path: sizeFile, What: "missing: make gen writes it"}}
	}
	recorded, number := map[size]int{}, 0
	for line := range strings.Lines(f.Text) {
		number++
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, []Problem{{sizeFile, number, "not a package, a kind and a number of lines"}}
		}
		n, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, []Problem{{sizeFile, number, err.Error()}}
		}
		recorded[size{fields[0], fields[1]}] = n
	}
	return recorded, nil
}

// sizes counts the lines of every Go package and of every folder of the page and of other TypeScript, comments and
// blank lines too, without generated files. The starters and tools are modules of their own; they count as kits.
func (t *Tree) sizes() map[size]int {
	ships := t.shippedPackages()
	counts := map[size]int{}
	for _, f := range t.Files {
		if s, ok := f.scriptSize(); ok {
			counts[s] += strings.Count(f.Text, "\n")
		}
	}
	for f := range t.goFiles {
		if f.Generated() { // its size is the generator's affair
			continue
		}
		s := size{f.Package(), kit}
		switch {
		case f.Test() || s.pkg == attacks:
			s.kind = tests
		case ships[s.pkg] && f.Shipped():
			s.kind = shipped
		}
		counts[s] += strings.Count(f.Text, "\n")
	}
	return counts
}

// scriptSize returns the part of the page, or of other TypeScript, to which a component or script belongs. Scripts of
// web/src run in browsers, also the verifier in verify/ts.
func (f *File) scriptSize() (s size, ok bool) {
	ext := path.Ext(f.Path)
	if ext != ".svelte" && ext != ".ts" || f.Generated() {
		return s, false
	}
	s = size{f.Package(), kit}
	switch {
	case strings.HasSuffix(f.Path, ".test.ts"), strings.HasSuffix(f.Path, ".fake.ts"), s.pkg == "web/e2e":
		s.kind = tests
	case s.pkg == "web/src", strings.HasPrefix(s.pkg, "web/src/"), s.pkg == "verify/ts":
		s.kind = shipped
	}
	return s, true
}

// shippedPackages returns the packages of the main module that cmd/roshambo imports, directly or
// through others.
func (t *Tree) shippedPackages() map[string]bool {
	imports := map[string][]string{}
	for f := range t.goFiles {
		if !f.Shipped() {
			continue
		}
		for _, spec := range f.Syntax.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			if pkg, ok := strings.CutPrefix(name, Module+"/"); ok {
				imports[f.Package()] = append(imports[f.Package()], path.Clean(pkg))
			}
		}
	}
	reached, queue := map[string]bool{}, []string{"cmd/roshambo"}
	for len(queue) > 0 {
		pkg := queue[0]
		queue = queue[1:]
		if !reached[pkg] {
			reached[pkg] = true
			queue = append(queue, imports[pkg]...)
		}
	}
	return reached
}
