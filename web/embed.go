// Package web is the page: the files that Vite builds from src into dist, embedded in the binary, and the handler that
// serves them.
//
// A file of dist is served under its path; those in assets carry a hash of their content in the name and never change,
// so they may be kept for a year, while all others are asked for again and answered with 304 when the ETag still fits.
// The page's own addresses, which src/routes.json lists for both sides, are answered with index.html, and so is every
// other address without an extension, with status 404: the page then says that there is nothing. An unknown file is a
// plain 404. One of them with a slash too many is led to the address without.
//
// Who comes without a session's cookie, which no script can read, gets an index.html that says so: the page then need
// not ask the service who it is, and a first visit begins with the table instead of a refusal.
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

// sessionCookie is how the name of the service's cookie ends; behind https it has a prefix.
const sessionCookie = "roshambo_session"

// The root of index.html, and that of a visitor without a session.
const (
	root         = `<html lang="en"`
	strangerRoot = root + ` data-stranger`
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
	varies       bool // with whether a session's cookie came along
}

// Page is the handler of the page.
type Page struct {
	files           map[string]*file // by path, with a leading slash
	index, stranger *file            // to whom a session's cookie comes along, and to all others
	routes          [][]string       // the segments of each address; one that begins with a colon stands for any text
}

// Handler serves the page for every path that the API does not take. It panics when what was embedded is not what Vite
// makes: no request could be answered then.
func Handler() *Page {
	p := &Page{files: map[string]*file{}}
	// One for all: each takes more than a megabyte, of which the service would have dozens
	// when it starts.
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
		panic(fmt.Sprintf("web: index.html for strangers: %v", err))
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
	f := &file{contentType: kind, cacheControl: askMe, etag: hex.EncodeToString(sum[:12]), plain: body, gzipped: packed.Bytes()}
	if strings.HasPrefix(name, "dist/assets/") {
		f.cacheControl = forever
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
		http.Error(w, "The page is only read: GET or HEAD.", http.StatusMethodNotAllowed)
		return
	}
	address := r.URL.Path
	switch f := p.files[address]; {
	case f != nil && f != p.index:
		f.send(w, r, http.StatusOK)
	case f != nil || p.has(address):
		p.indexFor(r).send(w, r, http.StatusOK)
	case path.Ext(address) != "" || strings.HasPrefix(address, "/assets/"):
		http.Error(w, "There is no such file.", http.StatusNotFound)
	case p.slashTooMany(address):
		// Every address of the page begins with a segment of its own, so that this leads to no other host.
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
	return p.stranger
}

// Has reports whether there is something at a path, be it a file or one of the page's own addresses.
func (p *Page) Has(address string) bool {
	return p.files[address] != nil || p.has(address) || p.slashTooMany(address)
}

// slashTooMany reports whether an address of the page has a slash behind it.
func (p *Page) slashTooMany(address string) bool {
	without, found := strings.CutSuffix(address, "/")
	return found && !strings.HasSuffix(without, "/") && p.has(without)
}

// has reports whether the address is one of the page's own.
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

// send answers with the file, or, when the caller has it already, with 304. An answer of 404 always has its body.
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
