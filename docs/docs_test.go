package docs_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"roshambo/docs"
)

// TestLinksLeadToDocuments: a reader who has only the documents can follow each of their links.
func TestLinksLeadToDocuments(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^()#:\s]+)(?:#[^)]*)?\)`)
	all, links := docs.All(), 0
	for name, text := range all {
		if title := docs.Title(text); title == "" || strings.HasPrefix(title, "#") {
			t.Errorf("%s has the title %q", name, title)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if path.IsAbs(m[1]) {
				continue // a page of the service
			}
			links++
			if to := path.Join(path.Dir(name), m[1]); all[to] == nil {
				t.Errorf("%s leads to %s, which is not served", name, to)
			}
		}
	}
	if links < len(all) {
		t.Errorf("%d links in %d documents", links, len(all))
	}
	bots := string(all["bots.md"])
	if strings.Contains(bots, "](../") || !strings.Contains(bots, "`client` in the source") {
		t.Error("bots.md still leads into the source")
	}
}

// TestIndexListsTheDocuments: llms.txt leads to each document but the records of decisions.
func TestIndexListsTheDocuments(t *testing.T) {
	t.Parallel()
	index := string(docs.Index())
	for name := range docs.All() {
		if listed := strings.Count(index, "](/docs/"+name+")"); listed != 1 && !strings.HasPrefix(name, "adr/") {
			t.Errorf("llms.txt lists %s %d times", name, listed)
		}
	}
	needed, _, _ := strings.Cut(index, "\n## Optional\n")
	for _, name := range []string{"agents.md", "tutorial.md", "fair.md", "verify.md"} {
		if !strings.Contains(needed, "](/docs/"+name+")") {
			t.Errorf("llms.txt lists %s as optional", name)
		}
	}
	if !strings.HasPrefix(index, "# Roshambo\n\n> ") || strings.Contains(index, "[](") {
		t.Errorf("llms.txt is\n%s", index)
	}
}
