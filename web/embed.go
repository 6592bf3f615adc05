// Package web embeds and serves the page: the files that Vite builds from src into dist, embedded in the binary, and the handler that
// serves them.
//
// The handler serves a file of dist under its path. Names in assets contain a hash of their content, so these files
// never change and are cacheable for a year; all others are revalidated by ETag. The page's routes, which
// src/routes.json lists for browser and server, return index.html. So does every other path without an extension, with
// status 404, and the page then reports that it was not found. An unknown file is a plain 404. A route with a trailing
// slash redirects to the route.
//
// A request without a session cookie, which scripts cannot read, gets an index.html with the attribute data-no-session.
// The page then does not request the account, and a first visit has no failing request.
//
// The Content-Security-Policy of every response forbids inline script, eval, inline style and resources from other
// sites, so text from players is never executed.
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

// policy restricts the page to resources of this site. The only Trusted Types policy is Svelte's, which creates
// templates that are fixed at build time and never contain data.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types svelte-trusted-html"

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
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// file holds a file of dist and its response headers.
type file struct {
	contentType  string
	cacheControl string
	etag         string // without quotes; the gzipped form has a suffix
	plain        []byte
	gzipped      []byte
	varies       bool // depends on the session cookie
}

// Page serves the page.
type Page struct {
	files            map[string]*file // by path, with a leading slash
	index, noSession *file            // with a session cookie, and without
	routes           [][]string       // segments of each route; a segment with a leading colon matches any text
}

// Handler returns the handler for every path outside the API. It panics if the embedded files are not Vite's output, as
// it could then serve no request.
func Handler() *Page {
	p := &Page{files: map[string]*file{}}
	// All files share one writer, as each writer takes more than a megabyte.
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
	p.noSession, err = newFile("index.html", bytes.Replace(p.index.plain, []byte(root), []byte(noSessionRoot), 1), packer)
	if err != nil {
		panic(fmt.Sprintf("web: index.html without a session: %v", err))
	}
	p.noSession.varies = true
	var table []struct{ Path string }
	if err := json.Unmarshal(routes, &table); err != nil {
		panic(fmt.Sprintf("web: routes.json: %v", err))
	}
	for _, row := range table {
		p.routes = append(p.routes, strings.Split(row.Path, "/"))
	}
	return p
}

func load(name string, packer *gzip.Writer) (*file, error) {
	body, err := dist.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return newFile(name, body, packer)
}

func newFile(name string, body []byte, packer *gzip.Writer) (*file, error) {
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		return nil, fmt.Errorf("%s: no content type for this extension", name)
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
	case p.hasTrailingSlash(address):
		// Every route begins with a fixed segment, so the redirect cannot lead to another host.
		to := *r.URL
		to.Path, to.RawPath = strings.TrimSuffix(to.Path, "/"), strings.TrimSuffix(to.RawPath, "/")
		http.Redirect(w, r, to.RequestURI(), http.StatusPermanentRedirect)
	default:
		p.indexFor(r).send(w, r, http.StatusNotFound)
	}
}

func (p *Page) indexFor(r *http.Request) *file {
	for _, cookie := range r.Cookies() {
		if strings.HasSuffix(cookie.Name, sessionCookie) {
			return p.index
		}
	}
	return p.noSession
}

// Has reports whether a path is a file or a route of the page, possibly with a trailing slash.
func (p *Page) Has(address string) bool {
	return p.files[address] != nil || p.has(address) || p.hasTrailingSlash(address)
}

// hasTrailingSlash reports whether the path is a route with a trailing slash.
func (p *Page) hasTrailingSlash(address string) bool {
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
		_, _ = w.Write(body) // the client has disconnected
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
