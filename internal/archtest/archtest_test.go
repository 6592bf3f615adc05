package archtest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// rules is every rule, by the name that its subtest has.
var rules = map[string]func(*Tree) []Problem{
	"circles":      Circles,
	"clocks":       Clocks,
	"codes":        Codes,
	"commands":     Commands,
	"imports":      Imports,
	"pure":         Pure,
	"length":       Length,
	"words":        Words,
	"plain":        Plain,
	"comments":     Comments,
	"dependencies": Dependencies,
	"links":        Links,
	"migrations":   Migrations,
	"tables":       Tables,
	"statements":   Statements,
	"threats":      Threats,
	"system":       System,
	"sizes":        Sizes,
}

func TestRepository(t *testing.T) {
	t.Parallel()
	tree, err := Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if tree.file("go.mod") == nil || tree.file("internal/archtest/archtest_test.go") == nil {
		t.Fatal("this is not the root of the repository")
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range rule(tree) {
				t.Error(p)
			}
		})
	}
}

// sample is a small tree and the one problem that a rule must find in it; no
// problem when want is empty.
type sample struct {
	rule  string
	name  string
	files map[string]string
	want  string
}

func TestSamples(t *testing.T) {
	t.Parallel()
	failed := map[string]bool{}
	for _, s := range slices.Concat(circleSamples, clockSamples, importSamples,
		limitSamples, wordSamples, plainSamples, documentSamples, codeSamples, commandSamples,
		tableSamples, statementSamples, threatSamples, systemSamples, sizeSamples) {
		failed[s.rule] = failed[s.rule] || s.want != ""
		t.Run(s.rule+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range rules[s.rule](sampleTree(t, s.files)) {
				got = append(got, p.String())
			}
			if s.want == "" && len(got) > 0 {
				t.Errorf("got %q, want no problem", got)
			}
			if s.want != "" && (len(got) != 1 || got[0] != s.want) {
				t.Errorf("got  %q\nwant %q", got, s.want)
			}
		})
	}
	for name := range rules {
		if !failed[name] {
			t.Errorf("no sample makes the rule %s fail", name)
		}
	}
}

func sampleTree(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	root := fstest.MapFS{".gitignore": {}}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestLoadLeavesOutWhatGitIgnores(t *testing.T) {
	t.Parallel()
	text := &fstest.MapFile{Data: []byte("text\n")}
	tree, err := Load(fstest.MapFS{
		".gitignore":                {Data: []byte("# made here\n/roshambo\n/.cache/\nnode_modules/\n*.prof\n")},
		".git/HEAD":                 text,
		".cache/x":                  text,
		"roshambo":                  text,
		"cmd/roshambo/testdata/run": text,
		"cmd/roshambo/testdata/x.go": {
			Data: []byte("not Go"),
		},
		"web/node_modules/a/index.ts": text,
		"web/node_modules.md":         text,
		"deep/down/cpu.prof":          text,
		"picture.png":                 {Data: []byte("\x89PNG\x00")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range tree.Files {
		got = append(got, f.Path)
	}
	want := []string{".gitignore", "cmd/roshambo/testdata/run", "cmd/roshambo/testdata/x.go", "web/node_modules.md"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLoadRefusesAnIgnoreItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"!keep", "a/**/b"} {
		_, err := Load(fstest.MapFS{".gitignore": {Data: []byte(pattern)}})
		if err == nil || !strings.Contains(err.Error(), pattern) {
			t.Errorf("%s: got %v, want an error that names it", pattern, err)
		}
	}
}
