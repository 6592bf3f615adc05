// Package web serves the page: the files that Vite builds from src into dist, embedded in the binary.
//
// Files of dist are served under their paths. The names of those in assets contain a hash of their content,
// so clients may cache them for a year; all others are revalidated by ETag. The page's own routes, which
// src/routes.json lists for both sides, are served with index.html. So is every other path without an
// extension, with status 404: the page then shows its own error. An unknown file is a plain 404. A route with
// a trailing slash is redirected to the route without.
//
// Visitors without a session cookie, which scripts cannot read, receive an index.html that states this: the
// page need not request the account first, and a first visit does not start with a 401.
//
// The Content-Security-Policy of every response forbids inline script, eval, inline style and all other
// origins, so text from players cannot become code.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed all:dist
var dist embed.FS

//go:embed src/routes.json
var routes []byte

// policy lets the page load files of this origin only. The one Trusted Types policy is Svelte's own: it creates
// templates, which are fixed at build time, and never processes data.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types svelte-trusted-html"

// Cache-Control of files whose name contains a hash of their content, and of all others.
const (
	immutable  = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// sessionCookie is the suffix of the session cookie's name; with https the name has a prefix.
const sessionCookie = "roshambo_session"

// The root of index.html, and that of a visitor without a session.
const (
	root         = `<html lang="en"`
	strangerRoot = root + ` data-stranger`
)

// contentTypes maps the extensions that Vite produces; any other one is a build error.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// file is one file of dist with its headers.
type file struct {
	contentType  string
	cacheControl string
	etag         string // without quotes; the gzipped form has a suffix
	plain        []byte
	gzipped      []byte
	varies       bool // depends on the session cookie
}

// Page is an http.Handler for the page. It is immutable and safe for concurrent use.
type Page struct {
	files           map[string]*file // by path, with a leading slash
	index, stranger *file            // with a session cookie, and without
	routes          [][]string       // segments of each route; a segment with a leading colon matches any text
}

// Handler returns the handler for all paths outside of the API. It panics if the embedded files are not a build of the
// page, since no request could be served then.
func Handler() *Page {
	p := &Page{files: map[string]*file{}}
	// One writer for all files: each takes more than a megabyte, and the service would start with dozens.
	packer, err := gzip.NewWriterLevel(nil, gzip.BestCompression)
	if err != nil {
		panic(fmt.Sprintf("web: %v", err))
	}
	err = fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := load(name, packer)
		p.files[strings.TrimPrefix(name, "dist")] = f
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("web: the embedded page: %v", err))
	}
	if p.index = p.files["/index.html"]; p.index == nil || !bytes.Contains(p.index.plain, []byte(root)) {
		panic("web: the embedded page has no index.html, or one with another root")
	}
	p.index.varies = true
	p.stranger, err = newFile("index.html", bytes.Replace(p.index.plain, []byte(root), []byte(strangerRoot), 1), packer)
	if err != nil {
		panic(fmt.Sprintf("web: index.html for visitors without session: %v", err))
	}
	p.stranger.varies = true
	var table []struct{ Path string }
	if err := json.Unmarshal(routes, &table); err != nil {
		panic(fmt.Sprintf("web: routes.json: %v", err))
	}
	for _, row := range table {
		p.routes = append(p.routes, strings.Split(row.Path, "/"))
	}
	return p
}

// load reads and compresses one file of dist.
func load(name string, packer *gzip.Writer) (*file, error) {
	body, err := dist.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return newFile(name, body, packer)
}

// newFile returns a file with its headers and its compressed form.
func newFile(name string, body []byte, packer *gzip.Writer) (*file, error) {
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		return nil, fmt.Errorf("%s: no content type for this ending", name)
	}
	var packed bytes.Buffer
	packer.Reset(&packed)
	if _, err := packer.Write(body); err != nil {
		return nil, err
	}
	if err := packer.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	f := &file{contentType: kind, cacheControl: revalidate, etag: hex.EncodeToString(sum[:12]), plain: body, gzipped: packed.Bytes()}
	if strings.HasPrefix(name, "dist/assets/") {
		f.cacheControl = immutable
	}
	return f, nil
}

// ServeHTTP serves a file, a route, a redirect or an error. It accepts GET and HEAD.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
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
	switch f := p.files[address]; {
	case f != nil && f != p.index:
		f.send(w, r, http.StatusOK)
	case f != nil || p.has(address):
		p.indexFor(r).send(w, r, http.StatusOK)
	case path.Ext(address) != "" || strings.HasPrefix(address, "/assets/"):
		http.Error(w, "File not found.", http.StatusNotFound)
	case p.trailingSlash(address):
		// Every route begins with a fixed segment, so the target cannot be another host.
		to := *r.URL
		to.Path, to.RawPath = strings.TrimSuffix(to.Path, "/"), strings.TrimSuffix(to.RawPath, "/")
		http.Redirect(w, r, to.RequestURI(), http.StatusPermanentRedirect)
	default:
		p.indexFor(r).send(w, r, http.StatusNotFound)
	}
}

// indexFor returns the index.html for a visitor with or without a session.
func (p *Page) indexFor(r *http.Request) *file {
	for _, cookie := range r.Cookies() {
		if strings.HasSuffix(cookie.Name, sessionCookie) {
			return p.index
		}
	}
	return p.stranger
}

// Has reports whether a path is a file or a route of the page, including a route with a trailing slash.
func (p *Page) Has(address string) bool {
	return p.files[address] != nil || p.has(address) || p.trailingSlash(address)
}

// trailingSlash reports whether the path is a route followed by one slash.
func (p *Page) trailingSlash(address string) bool {
	without, found := strings.CutSuffix(address, "/")
	return found && !strings.HasSuffix(without, "/") && p.has(without)
}

// has reports whether the path is a route of the page.
func (p *Page) has(address string) bool {
	parts := strings.Split(address, "/")
	for _, route := range p.routes {
		if fits(route, parts) {
			return true
		}
	}
	return false
}

// fits reports whether the segments of a path match a route.
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

// send writes the file, or 304 if the client has it. A 404 always has its body.
func (f *file) send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	body, etag := f.plain, `"`+f.etag+`"`
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		body, etag = f.gzipped, `"`+f.etag+`-gzip"`
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
		_, _ = w.Write(body) // the connection is gone; no response can be sent
	}
}

// acceptsGzip reports whether an Accept-Encoding header (RFC 9110, section 12.5.3) lists gzip with a weight above zero.
func acceptsGzip(header string) bool {
	for item := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
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
