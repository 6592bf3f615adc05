// Package web embeds and serves the page: the files that Vite builds from src into dist, embedded
// in the binary, and the handler that serves them.
//
// The handler serves a file of dist under its path. Names in assets contain a hash of their content, so these files
// never change and are cacheable for a year; all others are revalidated by ETag. Files are packed with brotli when the
// page is built (web/pack) and with gzip when they are first requested. The page's routes, which src/routes.json lists
// for browser and server, return index.html with the head of what they show. So does every other path without an
// extension, with status 404, and the page then reports that it was not found. An unknown file is a plain 404. A route
// with a trailing slash redirects to the route.
//
// Below /verify/ are the programs with which readers check proofs without the page (verifiers.go), and below /docs/ the
// documents as Markdown, listed in /llms.txt (documents.go).
//
// A request without a session cookie, which scripts cannot read, gets an index.html with the attribute data-no-session.
// The page then does not request the account, and a first visit has no failing request.
//
// The Content-Security-Policy of every response forbids eval, resources from other sites and all
// inline script and style except those that index.html is built with, so text from players is never
// executed.
package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed all:dist
var dist embed.FS

//go:embed src/routes.json
var routes []byte

// Cache-Control of files with a content hash in their name, and of all others.
const (
	immutable  = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// sessionCookie is the suffix of the session cookie's name; with HTTPS the name has a prefix.
const sessionCookie = "roshambo_session"

// The root element of index.html, and that for a request without a session cookie.
const (
	root          = `<html lang="en"`
	noSessionRoot = root + ` data-no-session`
)

// contentTypes lists the content types of Vite's output; any other extension is a build error.
var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".webmanifest": "application/manifest+json",
}

// PackedSuffix is the suffix of the brotli form of a file.
const PackedSuffix = ".br"

// file holds a file and its response headers.
type file struct {
	contentType  string
	cacheControl string
	etag         string // without quotes; a packed form has a suffix
	plain        []byte
	brotli       []byte        // nil for none
	gzipped      func() []byte // packs at the first call; nil when each request has a body of its own
	varies       bool          // depends on the session cookie
}

// route is a row of routes.json.
type route struct {
	Path     string
	Title    string
	Private  bool     // of the caller alone: not for search engines
	segments []string // of the path; a segment with a leading colon matches any text
}

// Page serves the page.
type Page struct {
	// Origin is the service's origin for browsers, such as https://example.org; "" is the
	// address on which a request arrives.
	Origin string

	policy           string
	files            map[string]*file // by path, with a leading slash
	index, noSession template         // with a session cookie, and without
	routes           []route
	program          program
}

// Handler returns the handler for every path outside the API. It panics if the embedded files are not Vite's output, as
// it could then serve no request.
func Handler() *Page {
	p := &Page{files: map[string]*file{}}
	err := fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, PackedSuffix) {
			return err
		}
		f, err := load(name)
		p.files[strings.TrimPrefix(name, "dist")] = f
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("web: the embedded page: %v", err))
	}
	p.addVerifiers()
	p.addDocuments()
	index := p.files["/index.html"]
	if index == nil || !bytes.Contains(index.plain, []byte(root)) {
		panic("web: the embedded page has no index.html, or one with another root")
	}
	p.policy = PolicyFor(index.plain)
	if p.index, err = newTemplate(index.plain); err != nil {
		panic(fmt.Sprintf("web: the embedded page: %v", err))
	}
	p.noSession = template{bytes.Replace(p.index.before, []byte(root), []byte(noSessionRoot), 1), p.index.after}
	if err := json.Unmarshal(routes, &p.routes); err != nil {
		panic(fmt.Sprintf("web: routes.json: %v", err))
	}
	for i := range p.routes {
		p.routes[i].segments = strings.Split(p.routes[i].Path, "/")
	}
	return p
}

// Files returns the files of the embedded build, the verifiers and the documents by their paths below the root, without
// the packed forms.
func Files() map[string][]byte {
	files := map[string][]byte{}
	for address, f := range Handler().files {
		files[strings.TrimPrefix(address, "/")] = f.plain
	}
	return files
}

// Documents returns the paths of the pages that need no parameter. Each is index.html with its own head.
func Documents() []string {
	var list []string
	for _, r := range Handler().routes {
		if !strings.Contains(r.Path, ":") {
			list = append(list, r.Path)
		}
	}
	return list
}

// load reads a file of dist and, where there is one, its brotli form.
func load(name string) (*file, error) {
	body, err := dist.ReadFile(name)
	if err != nil {
		return nil, err
	}
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		return nil, fmt.Errorf("%s: no content type for this extension", name)
	}
	sum := sha256.Sum256(body)
	f := &file{contentType: kind, cacheControl: revalidate, etag: hex.EncodeToString(sum[:12]), plain: body}
	if strings.HasPrefix(name, "dist/assets/") {
		f.cacheControl = immutable
	}
	if kind == "image/png" {
		return f, nil // packed already
	}
	f.gzipped = sync.OnceValue(func() []byte { return packed(body) })
	switch f.brotli, err = dist.ReadFile(name + PackedSuffix); {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	default:
		return f, err
	}
}

// packers are gzip writers for reuse, as each takes more than a megabyte.
var packers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// packed returns the gzip form of a body.
func packed(body []byte) []byte {
	w := packers.Get().(*gzip.Writer) // the pool holds nothing else
	defer packers.Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// ServeHTTP serves a request whose page is described by its route alone.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.ServeHead(w, r, &Head{}) }

// ServeHead serves a request. head describes what the page shows; it has no effect on files.
func (p *Page) ServeHead(w http.ResponseWriter, r *http.Request, head *Head) {
	h := w.Header()
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed: use GET or HEAD.", http.StatusMethodNotAllowed)
		return
	}
	address := r.URL.Path
	f := p.files[address]
	switch at := p.routeOf(address); {
	case address == "/index.html":
		p.sendPage(w, r, &Head{})
	case address == "/robots.txt":
		p.serveRobots(w, r)
	case address == "/sitemap.xml":
		p.serveSitemap(w, r)
	case address == sumsPath:
		p.serveSums(w, r)
	case address == programPath:
		p.program.serve(w, r)
	case f != nil:
		f.send(w, r, http.StatusOK)
	case at != nil:
		full := *head
		full.Title, full.Private = cmp.Or(head.Title, at.Title), head.Private || at.Private
		p.sendPage(w, r, &full)
	case path.Ext(address) != "" || strings.HasPrefix(address, "/assets/"):
		http.Error(w, "File not found.", http.StatusNotFound)
	case p.hasTrailingSlash(address):
		// Every route begins with a fixed segment, so the redirect cannot lead to another host.
		to := *r.URL
		to.Path, to.RawPath = strings.TrimSuffix(to.Path, "/"), strings.TrimSuffix(to.RawPath, "/")
		http.Redirect(w, r, to.RequestURI(), http.StatusPermanentRedirect)
	default:
		p.sendPage(w, r, &Head{Title: "Not found", Missing: true})
	}
}

// sendPage sends index.html with a head.
func (p *Page) sendPage(w http.ResponseWriter, r *http.Request, head *Head) {
	status := http.StatusOK
	if head.Missing {
		status = http.StatusNotFound
	}
	f := p.generated(contentTypes[".html"], p.templateFor(r).render(head, OriginOf(p.Origin, r), r.URL.EscapedPath()))
	f.varies = true
	f.send(w, r, status)
}

// templateFor returns index.html for a browser with or without a session.
func (p *Page) templateFor(r *http.Request) template {
	for _, cookie := range r.Cookies() {
		if strings.HasSuffix(cookie.Name, sessionCookie) {
			return p.index
		}
	}
	return p.noSession
}

// Has reports whether a path is a file or a route of the page, possibly with a trailing slash.
func (p *Page) Has(address string) bool {
	return p.files[address] != nil || p.routeOf(address) != nil || p.hasTrailingSlash(address) ||
		address == "/robots.txt" || address == "/sitemap.xml" || address == sumsPath || address == programPath
}

// hasTrailingSlash reports whether the path is a route with a trailing slash.
func (p *Page) hasTrailingSlash(address string) bool {
	without, found := strings.CutSuffix(address, "/")
	return found && !strings.HasSuffix(without, "/") && p.routeOf(without) != nil
}

// routeOf returns the route of a path, nil for none.
func (p *Page) routeOf(address string) *route {
	parts := strings.Split(address, "/")
	for i := range p.routes {
		if fits(p.routes[i].segments, parts) {
			return &p.routes[i]
		}
	}
	return nil
}

func fits(route, parts []string) bool {
	if len(route) != len(parts) {
		return false
	}
	for i, segment := range route {
		if named := strings.HasPrefix(segment, ":"); named && parts[i] == "" || !named && parts[i] != segment {
			return false
		}
	}
	return true
}

// send writes the file, or 304 if the client's copy is current. A 404 always has a body.
func (f *file) send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	body, etag := f.plain, `"`+f.etag+`"`
	accepted := r.Header.Get("Accept-Encoding")
	switch {
	case f.brotli != nil && accepts(accepted, "br"):
		body, etag = f.brotli, `"`+f.etag+`-br"`
		h.Set("Content-Encoding", "br")
	case f.contentType != "image/png" && accepts(accepted, "gzip"):
		if f.gzipped != nil {
			body = f.gzipped()
		} else {
			body = packed(f.plain)
		}
		etag = `"` + f.etag + `-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Vary", "Accept-Encoding")
	if f.varies {
		h.Add("Vary", "Cookie")
	}
	h.Set("ETag", etag)
	h.Set("Cache-Control", f.cacheControl)
	if status == http.StatusOK && names(r.Header.Get("If-None-Match"), etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the client has disconnected
	}
}

// accepts reports whether an Accept-Encoding header (RFC 9110, section 12.5.3) lists a coding with a weight above zero.
func accepts(header, name string) bool {
	for item := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(coding), name) {
			q, found := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			value, err := strconv.ParseFloat(q, 64)
			return !found || err == nil && value > 0
		}
	}
	return false
}

// names reports whether an If-None-Match header (RFC 9110, section 13.1.2) lists the tag, weakly compared.
func names(header, etag string) bool {
	for item := range strings.SplitSeq(header, ",") {
		item = strings.TrimSpace(item)
		if item == "*" || strings.TrimPrefix(item, "W/") == etag {
			return true
		}
	}
	return false
}
