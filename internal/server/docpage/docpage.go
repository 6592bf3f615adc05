// Package docpage serves the documents of this repository as HTML pages, for readers without a checkout: below /docs
// each document under its name without the extension, and a search over all sections. Package web serves their
// Markdown beside them.
//
// A page contains no script, and its Content-Security-Policy forbids any. Links between documents lead to their pages.
package docpage

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"roshambo/docs"
	"roshambo/web"
)

//go:embed page.html page.css
var files embed.FS

// maxQuery bounds the text of a search, in bytes. The form's maxlength counts letters; a longer query is cut, as its
// beginning finds at least as much.
const maxQuery = 100

// Site is the http.Handler of all paths at and below Prefix. Nothing in it changes after New, so it serves requests
// concurrently.
type Site struct {
	documents map[string]*document // by path without extension, such as adr/0011-…
	groups    []group
	searched  []*document // the documents of all groups, then the translations
	page      *template.Template
	style     template.HTML // the element with the style sheet
	policy    string
}

// group is a part of the index, and of the navigation beside each document.
type group struct {
	Title     string
	Documents []*document
}

// order lists the documents of each group but the last one, which has all others: a new document is in the index
// without a line here, and gets one when it has readers of its own.
var order = []struct {
	title string
	names []string
}{
	{"Start here", []string{"fair", "tutorial", "bots", "agents", "lab"}},
	{"How to", []string{"verify", "class", "cups", "data", "embed", "witness", "operations", "identity"}},
	{"Reference", []string{"protocol", "events", "errors", "boards", "compatibility", "privacy"}},
	{"Explanation", []string{"threat-model", "abuse", "simulation", "benchmarks"}},
	{"The project", nil},
}

// New renders documents, which are given by their names, such as adr/README.md. An error names one that cannot be
// rendered.
func New(texts map[string][]byte) (*Site, error) {
	s := &Site{documents: map[string]*document{}}
	for name, text := range texts {
		name = strings.TrimSuffix(name, ".md")
		s.documents[name] = &document{Name: name, markdown: text}
	}
	// Links need the names of all documents, so the first is rendered after the last is known.
	for _, name := range slices.Sorted(maps.Keys(s.documents)) {
		if err := s.documents[name].render(s.has); err != nil {
			return nil, fmt.Errorf("document %s: %w", name, err)
		}
	}
	s.arrange()
	if err := s.loadPage(); err != nil {
		return nil, err
	}
	return s, nil
}

// Repository returns the site of this repository's documents, which are rendered at the first call.
func Repository() (*Site, error) { return repository() }

var repository = sync.OnceValues(func() (*Site, error) { return New(docs.All()) })

// has reports whether there is a document of a name.
func (s *Site) has(name string) bool { return s.documents[name] != nil }

// arrange puts the documents into their groups. Translations are in none: their originals link to them.
func (s *Site) arrange() {
	placed := map[string]bool{}
	for _, g := range order {
		list := group{Title: g.title}
		for _, name := range g.names {
			if d := s.documents[name]; d != nil {
				list.Documents = append(list.Documents, d)
				placed[name] = true
			}
		}
		s.groups = append(s.groups, list)
	}
	last := &s.groups[len(s.groups)-1]
	for _, name := range slices.Sorted(maps.Keys(s.documents)) {
		if d := s.documents[name]; !placed[name] && d.Language == english {
			last.Documents = append(last.Documents, d)
		}
	}
	for _, g := range s.groups {
		s.searched = append(s.searched, g.Documents...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.documents)) {
		if d := s.documents[name]; d.Language != english {
			s.searched = append(s.searched, d)
		}
	}
}

// loadPage parses the template, and computes the policy that admits its style sheet alone.
func (s *Site) loadPage() error {
	own, err := files.ReadFile("page.css")
	if err != nil {
		return err
	}
	// Inside the page, so that a page that was kept for offline reading needs no second file.
	style := web.Tokens() + string(own)
	sum := sha256.Sum256([]byte(style))
	s.style = template.HTML("<style>" + style + "</style>") // our own files
	s.policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	s.page, err = template.ParseFS(files, "page.html")
	return err
}

// view is what the template shows: a document, the results of a search, or the index. The template escapes all of it
// but Style and the body of a document; the query is the only text of a stranger.
type view struct {
	Style    template.HTML
	Title    string
	Language string
	Name     string // of the document; "" for none
	Groups   []group
	Document *document // nil for none
	Query    string
	Results  []result
	Searched bool
}

// ServeHTTP answers GET and HEAD of a document, the index, and a search (?q=words).
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, Prefix), "/")
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	// An unknown name is a page, too, with the index: readers of an old link find the document's new place.
	v := view{Style: s.style, Title: "Documents", Language: english, Groups: s.groups}
	status := http.StatusOK
	switch query := r.URL.Query().Get("q"); {
	case name == "" && query != "":
		v.Query, v.Searched = query[:min(len(query), maxQuery)], true
		v.Query = strings.ToValidUTF8(v.Query, "")
		v.Title, v.Results = "Search", search(s.searched, v.Query)
	case name == "":
	case s.has(name):
		v.Document = s.documents[name]
		v.Title, v.Language, v.Name = v.Document.Title, v.Document.Language, name
	default:
		status, v.Title = http.StatusNotFound, "No such document"
	}
	var body bytes.Buffer
	if err := s.page.Execute(&body, v); err != nil {
		panic(fmt.Sprintf("docpage: the template: %v", err)) // it shows documents that New has rendered
	}
	h.Set("Content-Security-Policy", s.policy)
	send(w, r, status, "text/html; charset=utf-8", body.Bytes())
}

// maxAge is how many seconds clients keep a document. A new release changes documents under the same address.
const maxAge = 300

// send writes an answer in one piece with its length, which package edge needs to pack it. An entity tag would name the
// plain bytes, so there is none.
func send(w http.ResponseWriter, r *http.Request, status int, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-cache")
	if status == http.StatusOK {
		h.Set("Cache-Control", "public, max-age="+strconv.Itoa(maxAge))
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client has disconnected
	}
}
