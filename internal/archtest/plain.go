package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// habit is a turn of phrase that reads as translated.
type habit struct {
	name   string
	phrase *regexp.Regexp
	most   float64 // occurrences in 1,000 words, over all comments or over all documents
}

// habits splits its patterns, so that this file does not match itself.
var habits = []habit{
	{"nobody, somebody, anybody, everybody", regexp.MustCompile(`(?i)\b(no|some|any|every)` + `body\b`), 0.2},
	{"a sentence that begins with Who, Whoever or What",
		regexp.MustCompile(`(?:^|[.!:;]\s+)(?:Who` + `|Whoever|What)\s[^?.]*(?:\.|$)`), 0.5},
	{"tell, told", regexp.MustCompile(`(?i)\b(tel` + `l|tel` + `ls|tol` + `d|tel` + `ling)\b`), 0.3},
	// Headless pronouns: the reader has to search for the noun.
	{"what is, what was", regexp.MustCompile(`(?i)\bwhat` + `\s+(is|was|are|were)\b`), 0.2},
	{"that of, those of", regexp.MustCompile(`(?i)\b(that|those)` + `\s+of\b`), 0.2},
	{"who, whom, whoever", regexp.MustCompile(`(?i)\b(who` + `|who` + `m|who` + `ever)\b`), 0.2},
}

// prose is the text for human readers in one file: its comments, or all of a document.
type prose struct {
	file  *File
	texts []passage
	words int // in texts
}

// passage is a run of lines without code between them: one comment group, or a document.
type passage struct {
	line int    // of the file, from 1
	text string // without comment signs
}

// Plain checks that comments and documents are written in plain English. Strings, generated
// files and test data do not count. It counts over the
// whole repository, because a single occurrence is no fault and a thousand are a dialect.
func Plain(t *Tree) []Problem {
	var problems []Problem
	comments, documents := collect(t)
	for _, kind := range []struct {
		name string
		all  []prose
	}{{"comments", comments}, {"documents", documents}} {
		words := 0
		for _, p := range kind.all {
			words += p.words
		}
		for _, h := range habits {
			found := occurrences(kind.all, h.phrase)
			if rate := 1000 * float64(len(found)) / float64(max(words, 1000)); rate > h.most {
				what := []string{fmt.Sprintf("%s: %.2f in 1,000 words, more than %.2f", h.name, rate, h.most)}
				for _, hit := range found[:min(len(found), 20)] {
					what = append(what, hit.String())
				}
				problems = append(problems, Problem{Path: kind.name, What: strings.Join(what, "\n\t")})
			}
		}
	}
	return problems
}

// occurrences returns every place where a phrase occurs, in the order of the files.
func occurrences(all []prose, phrase *regexp.Regexp) []Problem {
	var found []Problem
	for _, p := range all {
		for _, t := range p.texts {
			for _, hit := range phrase.FindAllStringIndex(t.text, -1) {
				line := t.line + strings.Count(t.text[:hit[0]], "\n")
				found = append(found, Problem{p.file.Path, line, strings.TrimSpace(t.text[hit[0]:min(hit[1], hit[0]+60)])})
			}
		}
	}
	return found
}

// collect takes the tree apart into comments of code and documents.
func collect(t *Tree) (comments, documents []prose) {
	for _, f := range t.Files {
		if f.Generated() || strings.Contains("/"+f.Path, "/testdata/") || f.Path == "docs/nightly.md" {
			continue
		}
		p := prose{file: f}
		switch {
		case f.Syntax != nil:
			for _, group := range f.Syntax.Comments {
				p.texts = append(p.texts, passage{f.Line(group.Pos()), strip(group)})
			}
		case path.Ext(f.Path) == ".md":
			p.texts = []passage{{1, f.Text}}
		default:
			p.texts = foreign(f)
		}
		for _, t := range p.texts {
			p.words += len(strings.Fields(t.text))
		}
		if path.Ext(f.Path) == ".md" {
			documents = append(documents, p)
		} else if len(p.texts) > 0 {
			comments = append(comments, p)
		}
	}
	return comments, documents
}

// strip keeps the lines of a group where they are, less the comment signs and directives.
func strip(group *ast.CommentGroup) string {
	lines := make([]string, 0, len(group.List))
	for _, c := range group.List {
		line := strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), " ")
		if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//nolint") {
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// signs are the comment signs of the other languages, by the file's ending; scripts without
// one are shell.
var signs = map[string]string{
	".ts": "//", ".js": "//", ".mjs": "//", ".svelte": "//", ".py": "#", ".sql": "--", ".yml": "#", ".yaml": "#",
	".toml": "#", "": "#", ".sh": "#", ".rs": "//", ".java": "//", ".mts": "//",
}

// foreign finds the line comments of a file that is not Go, and the blocks of CSS and
// TypeScript.
func foreign(f *File) []passage {
	sign, ok := signs[path.Ext(f.Path)]
	if !ok {
		return nil
	}
	var texts []passage
	for i, line := range slices.Collect(strings.Lines(f.Text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, sign):
			line = strings.TrimPrefix(line, sign)
		case sign == "//" && (strings.HasPrefix(line, "/**") || strings.HasPrefix(line, "* ")):
			line = strings.Trim(line, "/*")
		default:
			continue
		}
		if n := len(texts); n > 0 && texts[n-1].line+strings.Count(texts[n-1].text, "\n")+1 == i+1 {
			texts[n-1].text += "\n" + line
			continue
		}
		texts = append(texts, passage{i + 1, line})
	}
	return texts
}
