package archtest

import (
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
