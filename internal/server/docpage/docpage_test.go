package docpage

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roshambo/web"
)

// repositorySite returns the site of this repository's documents.
func repositorySite(t *testing.T) *Site {
	t.Helper()
	s, err := Repository()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get requests a path with a method.
func get(s *Site, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

var (
	hrefs = regexp.MustCompile(`href="([^"]*)"`)
	// sources are the addresses of pictures.
	sources = regexp.MustCompile(`<img src="([^"]*)"`)
	ids     = regexp.MustCompile(` id="([^"]*)"`)
)

// TestLinks checks that each link between and within the documents leads to a document and a heading that exist, and
// that no page has a script. A picture is one that package web serves.
func TestLinks(t *testing.T) {
	t.Parallel()
	s := repositorySite(t)
	page := web.Handler()
	anchors := map[string]bool{}
	for name, d := range s.documents {
		anchors[Prefix+"/"+name] = true
		for _, m := range ids.FindAllStringSubmatch(string(d.Body), -1) {
			anchors[Prefix+"/"+name+"#"+m[1]] = true
		}
	}
	links := 0
	for name, d := range s.documents {
		for _, m := range sources.FindAllStringSubmatch(string(d.Body), -1) {
			if !page.Has(m[1]) {
				t.Errorf("%s: no service has the picture %s", name, m[1])
			}
		}
		if strings.Contains(string(d.Body), "<script") || d.Title == "" {
			t.Errorf("%s: a script, or no title", name)
		}
		for _, m := range hrefs.FindAllStringSubmatch(string(d.Body), -1) {
			to := m[1]
			if to[0] == '#' {
				to = Prefix + "/" + name + to
			}
			if strings.HasPrefix(to, Prefix+"/") {
				if links++; !anchors[to] {
					t.Errorf("%s: %s leads nowhere", name, to)
				}
			} else if to[0] != '/' && !strings.Contains(to, "://") {
				t.Errorf("%s: %s is a file that no service has", name, to)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links", links)
	}
}

// TestIndex checks that the index has every document once, that the groups name documents that exist, and that each
// page of the index is served.
func TestIndex(t *testing.T) {
	t.Parallel()
	s := repositorySite(t)
	for _, g := range order {
		for _, name := range g.names {
			if !s.has(name) {
				t.Errorf("%q of the group %q does not exist", name, g.title)
			}
		}
	}
	body := get(s, http.MethodGet, "/docs").Body.String()
	for name, d := range s.documents {
		want := 1
		if d.Language != english {
			want = 0
		}
		if got := strings.Count(body, `<a href="/docs/`+name+`">`); got != want {
			t.Errorf("%s is %d times in the index, want %d", name, got, want)
		}
		if w := get(s, http.MethodGet, "/docs/"+name); w.Code != http.StatusOK ||
			!strings.Contains(w.Body.String(), `<html lang="`+d.Language+`">`) {
			t.Errorf("%s: status %d", name, w.Code)
		}
	}
	if !s.has("fair.ja") || s.documents["fair.ja"].Language != "ja" {
		t.Error("the Japanese answer to \"is it fair?\" is not in Japanese")
	}
}

// TestAnswers checks status, headers and body of each kind of answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	s := repositorySite(t)
	for _, c := range []struct {
		method, path string
		status       int
		kind, want   string
	}{
		{http.MethodGet, "/docs", 200, "text/html", "<h1>Documents</h1>"},
		{http.MethodGet, "/docs/", 200, "text/html", "<h1>Documents</h1>"},
		{http.MethodGet, "/docs/fair", 200, "text/html", `<h1 id="is-it-fair">Is it fair?</h1>`},
		{http.MethodHead, "/docs/fair", 200, "text/html", ""},
		{http.MethodGet, "/docs/adr/0023-load-decide-apply", 200, "text/html", "<h1"},
		{http.MethodGet, "/docs/none", 404, "text/html", "No such document"},
		{http.MethodGet, "/docs/../docs.go", 404, "text/html", "No such document"},
		{http.MethodGet, "/docs?q=kept+checkpoints", 200, "text/html", "/docs/protocol#kept-checkpoints"},
		{http.MethodGet, "/docs?q=xyzzyplugh", 200, "text/html", "No section contains"},
		{http.MethodGet, "/docs?q=%22%3E%3Cscript%3E", 200, "text/html", `value="&#34;&gt;&lt;script&gt;"`},
		{http.MethodGet, "/docs?q=%ff%00", 200, "text/html", "<h1>"},
	} {
		w := get(s, c.method, c.path)
		h := w.Header()
		if w.Code != c.status || !strings.HasPrefix(h.Get("Content-Type"), c.kind) ||
			!strings.Contains(w.Body.String(), c.want) || c.method == http.MethodHead && w.Body.Len() > 0 {
			t.Errorf("%s %s: %d %s\n%.300s", c.method, c.path, w.Code, h.Get("Content-Type"), w.Body)
		}
		if policy := h.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") ||
			!strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", c.path, policy)
		}
	}
	long := get(s, http.MethodGet, "/docs?q="+strings.Repeat("%E3%81%82", 1000)).Body.String()
	if n := strings.Count(long, "あ"); n > maxQuery/3 {
		t.Errorf("a query of %d letters is shown", n)
	}
}

// TestRender checks what becomes of links, HTML and headings.
func TestRender(t *testing.T) {
	t.Parallel()
	s, err := New(map[string][]byte{
		"one.md": []byte("# The `first`, one\n\n<b onclick=x>HTML</b> [a](adr/two.md#x) [b](/feed) [c](https://c.example)" +
			"\n\n## Again\n\n## Again\n\n## 日本 語_1?\n\n| t |\n|---|\n| 1 |\n"),
		"adr/two.md": []byte("# Two\n\n[back](../one.md) ![a <hand>](../pictures/a.svg)\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	body := string(s.documents["one"].Body)
	for _, want := range []string{
		`<h1 id="the-first-one">`, `<a href="/docs/adr/two#x">a</a> <a href="/feed">b</a> <a href="https://c.example">c</a>`,
		`id="again"`, `id="again-1"`, `id="日本-語_1"`, `<div class="scroll" tabindex="0"><table>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	if strings.Contains(body, "onclick") || !strings.Contains(string(s.documents["adr/two"].Body), `href="/docs/one"`) {
		t.Errorf("%s\n%s", body, s.documents["adr/two"].Body)
	}
	if two := string(s.documents["adr/two"].Body); !strings.Contains(two, `<img src="/docs/pictures/a.svg" alt="a`) {
		t.Errorf("no picture in\n%s", two)
	}
	if d := s.documents["one"]; d.Title != "The first, one" || len(d.Contents) != 3 {
		t.Errorf("title %q, %d sections", d.Title, len(d.Contents))
	}
}

// TestSearch checks that a section is found by all words, in any case, that headings come first, and that a translation
// is found by its own words.
func TestSearch(t *testing.T) {
	t.Parallel()
	s, err := New(map[string][]byte{
		"a.md":    []byte("# A\n\nA Witness signs a `checkpoint`.\n\n## Far\n\n" + strings.Repeat("ü ", 500) + "witness of a checkpoint\n"),
		"a.de.md": []byte("# A\n\nEin Zeuge signiert den `checkpoint`.\n"),
		"b.md":    []byte("# B\n\nNothing.\n\n## Witness and checkpoint\n\n```\nroshambo mirror\n```\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		"WITNESS checkpoint": {"b Witness and checkpoint", "a A", "a Far"}, "mirror": {"b Witness and checkpoint"},
		"witness nothing": nil, "  ": nil, "zeuge": {"a.de A"}, "signiert checkpoint": {"a.de A"},
		"checkpoint": {"b Witness and checkpoint", "a A", "a Far"}, // and not in the translation
	} {
		var got []string
		for _, r := range search(s.searched, query) {
			got = append(got, fmt.Sprint(r.Document.Name, " ", r.Section.Title))
			if len(r.Excerpt) > excerptLength+len("……") {
				t.Errorf("%q: an excerpt of %d bytes", query, len(r.Excerpt))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
