package docs_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"

	"roshambo/docs"
)

// TestLinksLeadToDocuments: a reader who has only the documents can follow each of their links.
func TestLinksLeadToDocuments(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^()#:\s]+)(?:#[^)]*)?\)`) // of a picture, too
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
			if to := path.Join(path.Dir(name), m[1]); all[to] == nil && docs.Pictures()[to] == nil {
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

// TestPictures: each picture of a document is there, with a text for those who do not see it, and each one there is in
// a document. None has words, which would be in one language, or anything that another site or a script could change.
func TestPictures(t *testing.T) {
	t.Parallel()
	picture := regexp.MustCompile(`!\[([^\]]*)\]\(([^)]*)\)`)
	shown := map[string]bool{}
	for name, text := range docs.All() {
		for _, m := range picture.FindAllStringSubmatch(string(text), -1) {
			file := path.Join(path.Dir(name), m[2])
			shown[file] = true
			if docs.Pictures()[file] == nil || len(strings.Fields(m[1])) == 0 {
				t.Errorf("%s: the picture %s does not exist, or has no text: %q", name, m[2], m[1])
			}
		}
	}
	if len(shown) < 3 {
		t.Errorf("only the pictures %v are shown", shown)
	}
	for name, text := range docs.Pictures() {
		if !shown[name] || len(text) > 4<<10 {
			t.Errorf("%s: in no document, or large: %d bytes", name, len(text))
		}
		decoder := xml.NewDecoder(bytes.NewReader(text))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			element, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if kind := element.Name.Local; kind == "text" || kind == "script" || kind == "image" || kind == "foreignObject" {
				t.Errorf("%s has an element %s", name, kind)
			}
			for _, a := range element.Attr {
				if a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
				}
			}
		}
		if !bytes.Contains(text, []byte("prefers-color-scheme: dark")) {
			t.Errorf("%s has no dark colours", name)
		}
	}
}
