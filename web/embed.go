// Package web is the page: the files that Vite builds from src into dist, embedded in the binary, and the handler that
// serves them.
//
// A file of dist is served under its path; those in assets carry a hash of their content in the name and never change,
// so they may be kept for a year, while all others are asked for again and answered with 304 when the ETag still fits.
// The page's own addresses, which src/routes.json lists for both sides, are answered with index.html, and so is every
// other address without an extension, with status 404: the page then says that there is nothing. An unknown file is a
// plain 404.
//
// Every answer forbids, by its Content-Security-Policy, inline script, eval, inline style and anything from another
// site: whatever text a player or a name brings in, it stays text.
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

// policy lets the page load what this site serves and nothing else. The one Trusted Types policy is Svelte's own, which
// makes its templates, fixed when the page is built, and never sees data.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types svelte-trusted-html"

// Cache-Control of files whose name holds a hash of their content, and of all others.
const (
	forever = "public, max-age=31536000, immutable"
	askMe   = "no-cache"
)

// contentTypes are those of the files that Vite makes; another ending is a mistake of the build.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// file is one file of dist, ready to be sent.
type file struct {
	contentType  string
	cacheControl string
	etag         string // quoted; the gzipped form has another
	plain        []byte
	gzipped      []byte
}

type page struct {
	files  map[string]*file // by path, with a leading slash
	index  *file
	routes [][]string // the segments of each address; one that begins with a colon stands for any text
}

// Handler serves the page for every path that the API does not take. It panics when what was embedded is not what Vite
// makes: no request could be answered then.
func Handler() http.Handler {
	p := &page{files: map[string]*file{}}
	err := fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := load(name)
		p.files[strings.TrimPrefix(name, "dist")] = f
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("web: the embedded page: %v", err))
	}
	if p.index = p.files["/index.html"]; p.index == nil {
		panic("web: the embedded page has no index.html")
	}
	var table []struct{ Path string }
	if err := json.Unmarshal(routes, &table); err != nil {
		panic(fmt.Sprintf("web: routes.json: %v", err))
	}
	for _, row := range table {
		p.routes = append(p.routes, strings.Split(row.Path, "/"))
	}
	return p
}

func load(name string) (*file, error) {
	body, err := dist.ReadFile(name)
	if err != nil {
		return nil, err
	}
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		return nil, fmt.Errorf("%s: no content type for this ending", name)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	f := &file{contentType: kind, cacheControl: askMe, etag: hex.EncodeToString(sum[:12]), plain: body, gzipped: packed.Bytes()}
	if strings.HasPrefix(name, "dist/assets/") {
		f.cacheControl = forever
	}
	return f, nil
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "The page is only read: GET or HEAD.", http.StatusMethodNotAllowed)
		return
	}
	switch f := p.files[r.URL.Path]; {
	case f != nil:
		f.send(w, r, http.StatusOK)
	case p.has(r.URL.Path):
		p.index.send(w, r, http.StatusOK)
	case path.Ext(r.URL.Path) != "" || strings.HasPrefix(r.URL.Path, "/assets/"):
		http.Error(w, "There is no such file.", http.StatusNotFound)
	default:
		p.index.send(w, r, http.StatusNotFound)
	}
}

// has reports whether the address is one of the page's own.
func (p *page) has(address string) bool {
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

// send answers with the file, or, when the caller has it already, with 304. An answer of 404 always has its body.
func (f *file) send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	body, etag := f.plain, `"`+f.etag+`"`
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		body, etag = f.gzipped, `"`+f.etag+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Vary", "Accept-Encoding")
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
		_, _ = w.Write(body) // the caller went away: there is nobody to tell
	}
}

// acceptsGzip reads an Accept-Encoding header (RFC 9110, section 12.5.3): gzip is named, and not with a weight of zero.
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
