package docs_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roshambo/docs"
)

// languages are the languages of translated documents beside English, by the endings of their names.
var languages = []string{"de", "es", "fr", "ja"}

var (
	codeBlock  = regexp.MustCompile("(?ms)^```.*?^```$")
	inlineCode = regexp.MustCompile("`[^`]+`")
	heading    = regexp.MustCompile(`(?m)^#+ `)
	listItem   = regexp.MustCompile(`(?m)^(- |\d+\. )`)
	target     = regexp.MustCompile(`\]\(([^()\s]+)\)|<(http[^>]+)>`)
	inLanguage = regexp.MustCompile(`\.(de|es|fr|ja)\.md\b`)
	// remark is a comment behind a command. Translations may translate it.
	remark = regexp.MustCompile(`(?m) +# .*$`)
	bold   = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// TestTranslations: a document with a translation has one in each language. All have the same headings by level, the
// same number of list items, the same blocks of code, the same code within texts and the same links, but for those to
// documents in their own language.
func TestTranslations(t *testing.T) {
	t.Parallel()
	all := docs.All()
	translated := map[string]bool{}
	for name := range all {
		if original := inLanguage.ReplaceAllString(name, ".md"); original != name {
			translated[original] = true
		}
	}
	if !translated["fair.md"] || !translated["tutorial.md"] {
		t.Fatalf("the translated documents are %v", slices.Sorted(maps.Keys(translated)))
	}
	for original := range translated {
		names := []string{original}
		for _, language := range languages {
			names = append(names, strings.Replace(original, ".md", "."+language+".md", 1))
		}
		want := partsOf(string(all[original]))
		for _, name := range names {
			text := string(all[name])
			if text == "" {
				t.Errorf("%s is missing", name)
				continue
			}
			for _, other := range names {
				if leads := strings.Contains(text, "]("+other+")"); !leads && other != name {
					t.Errorf("%s does not lead to %s", name, other)
				}
			}
			want.check(t, name, partsOf(text))
		}
	}
}

// parts are the parts of a document that its translations share.
type parts struct {
	blocks, headings, code, links []string
	items                         int
}

// partsOf takes a document apart.
func partsOf(text string) (p parts) {
	p.blocks = codeBlock.FindAllString(text, -1)
	text = codeBlock.ReplaceAllString(text, "")
	p.headings = heading.FindAllString(text, -1)
	p.items = len(listItem.FindAllString(text, -1))
	// Words and sentences have another order in each language.
	p.code = inlineCode.FindAllString(text, -1)
	slices.Sort(p.code)
	p.code = slices.Compact(p.code)
	for _, m := range target.FindAllStringSubmatch(text, -1) {
		p.links = append(p.links, inLanguage.ReplaceAllString(m[1]+m[2], ".md"))
	}
	slices.Sort(p.links)
	return p
}

// check compares the parts of a translation with those of its original.
func (p *parts) check(t *testing.T, name string, got parts) {
	t.Helper()
	if !slices.Equal(got.headings, p.headings) {
		t.Errorf("%s has the headings %q, want %q", name, got.headings, p.headings)
	}
	if got.items != p.items {
		t.Errorf("%s has %d list items, want %d", name, got.items, p.items)
	}
	if !slices.Equal(got.code, p.code) {
		t.Errorf("%s has the code %q, want %q", name, got.code, p.code)
	}
	if !slices.Equal(got.links, p.links) {
		t.Errorf("%s has the links %q, want %q", name, got.links, p.links)
	}
	if len(got.blocks) != len(p.blocks) {
		t.Errorf("%s has %d blocks of code, want %d", name, len(got.blocks), len(p.blocks))
		return
	}
	for i, want := range p.blocks {
		block := got.blocks[i]
		if remark.MatchString(want) {
			block, want = remark.ReplaceAllString(block, ""), remark.ReplaceAllString(want, "")
		}
		if block != want {
			t.Errorf("%s has the block\n%s\nwant\n%s", name, block, want)
		}
	}
}

// maxTutorial is the most words of the tutorial in English, with its code.
const maxTutorial = 900

// TestTutorialNamesThePage: the words in bold in the tutorial are words of the page, and the translations have the
// page's words in their languages.
func TestTutorialNamesThePage(t *testing.T) {
	t.Parallel()
	all := docs.All()
	names := boldOf(string(all["tutorial.md"]))
	if len(names) < 5 {
		t.Errorf("the tutorial has the words %q of the page", names)
	}
	if n := len(strings.Fields(string(all["tutorial.md"]))); n > maxTutorial {
		t.Errorf("the tutorial has %d words, want at most %d", n, maxTutorial)
	}
	for _, language := range languages {
		text, err := os.ReadFile("../web/src/text/catalog/" + language + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var catalog map[string]any // a text, or one for each plural form
		if err := json.Unmarshal(text, &catalog); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, name := range names {
			word, found := catalog[name].(string)
			if !found {
				t.Errorf("the page in %s has no words %q", language, name)
			}
			want = append(want, word)
		}
		slices.Sort(want)
		if got := boldOf(string(all["tutorial."+language+".md"])); !slices.Equal(got, want) {
			t.Errorf("the tutorial in %s has the words %q of the page, want %q", language, got, want)
		}
	}
}

// TestFairNamesThePage: "is it fair?" names the button that verifies a proof of the moment as the page does in the
// document's language.
func TestFairNamesThePage(t *testing.T) {
	t.Parallel()
	const button = "Try a proof of the moment"
	words := map[string]string{"fair.md": button}
	for _, language := range languages {
		text, err := os.ReadFile("../web/src/text/catalog/" + language + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var catalog map[string]any
		if err := json.Unmarshal(text, &catalog); err != nil {
			t.Fatal(err)
		}
		words["fair."+language+".md"], _ = catalog[button].(string)
	}
	for name, word := range words {
		if text := string(docs.All()[name]); word == "" || !strings.Contains(text, word) {
			t.Errorf("%s does not name %q", name, word)
		}
	}
}

// boldOf returns the words in bold, sorted.
func boldOf(text string) (words []string) {
	for _, m := range bold.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		words = append(words, strings.Join(strings.Fields(m[1]), " "))
	}
	slices.Sort(words)
	return words
}
