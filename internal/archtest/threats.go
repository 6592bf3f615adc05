package archtest

import (
	"path"
	"regexp"
	"strings"
)

const threats = "docs/threat-model.md"

// shownBy finds the names in the last column of the threat model.
var shownBy = regexp.MustCompile("`([^`]+)`")

// Threats checks that the last column of each row of docs/threat-model.md names what shows the
// answer, and that it exists: a test as package.TestName, a check of the verifiers as check:name, or
// the path of a file of tests or a vector. A row whose answer is that the attack is possible, and one
// that refers to the next table, may name none.
func Threats(t *Tree) []Problem {
	doc := t.file(threats)
	if doc == nil {
		return []Problem{{Path: threats, What: "is missing"}}
	}
	exists := evidence(t)
	var problems []Problem
	for i, line := range strings.Split(doc.Text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") || cells[len(cells)-1] == "shown by" {
			continue
		}
		names := shownBy.FindAllStringSubmatch(cells[len(cells)-1], -1)
		promises := len(cells) == 4 && !strings.HasPrefix(cells[1], "possible") && cells[2] != "see the next table"
		if len(cells) != 4 || promises && len(names) == 0 {
			problems = append(problems, Problem{doc.Path, i + 1, "no test or check shows it"})
		}
		for _, name := range names {
			if !exists[name[1]] {
				problems = append(problems, Problem{doc.Path, i + 1, name[1] + " is gone"})
			}
		}
	}
	return problems
}

// goTest and verifierCheck find the names of tests, and of checks in the verifier's lists.
var (
	goTest        = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	verifierCheck = regexp.MustCompile(`(?:\{|\brun\()"(\w+)", `)
)

// evidence returns everything that a row of the threat model can name.
func evidence(t *Tree) map[string]bool {
	exists := map[string]bool{}
	for _, f := range t.Files {
		isTest := strings.HasSuffix(f.Path, "_test.go")
		switch {
		case isTest && f.Syntax != nil:
			name := strings.TrimSuffix(f.Syntax.Name.Name, "_test")
			for _, test := range goTest.FindAllStringSubmatch(f.Text, -1) {
				exists[name+"."+test[1]] = true
			}
		case path.Dir(f.Path) == "verify" && strings.HasSuffix(f.Path, ".go"):
			for _, check := range verifierCheck.FindAllStringSubmatch(f.Text, -1) {
				exists["check:"+check[1]] = true
			}
		}
		exists[f.Path] = isTest || strings.Contains(f.Path, ".test.") || strings.Contains(f.Path, ".e2e.") ||
			strings.HasPrefix(f.Path, "vectors/")
	}
	return exists
}
