package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"roshambo/contract"
)

// document is a text that many clients read, and its form with gzip.
type document struct {
	kind           string // its Content-Type
	plain, gzipped []byte
}

// newDocument generates the contract as JSON, or the part of it that has some tags: it is large, and the page reads it.
func newDocument(c *contract.API, tags ...string) (d document, err error) {
	d.kind = "application/json"
	if d.plain, err = c.Document(tags...).JSON(); err != nil {
		return d, err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(d.plain); err != nil {
		return d, err
	}
	err = w.Close()
	d.gzipped = b.Bytes()
	return d, err
}

// send writes the document, or 304 when the client has it already.
func (d *document) send(w http.ResponseWriter, r *http.Request) {
	h, body := w.Header(), d.plain
	h.Set("Content-Type", d.kind)
	h.Set("Cache-Control", "no-cache")
	h.Add("Vary", "Accept-Encoding")
	if acceptsGzip(r) {
		body = d.gzipped
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", etag(body))
	if h.Get("Content-Encoding") != "" && r.Header.Get("Range") == "" && r.Header.Get("If-None-Match") == "" {
		h.Set("Content-Length", strconv.Itoa(len(body))) // ServeContent leaves it out of packed bodies
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// etag returns an entity tag derived from the content, so that clients with the same content get
// 304.
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// documentParts are parts of the document that were asked for.
type documentParts struct {
	mu     sync.Mutex           // guards byTags
	byTags map[string]*document // by their tags between commas
}

// maxParts bounds the parts that are remembered: there are more sets of tags than memory should hold.
const maxParts = 64

// of returns the part with some tags. Making one takes longer than sending it.
func (p *documentParts) of(c *contract.API, tags []string) (*document, error) {
	key := strings.Join(tags, ",")
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := p.byTags[key]; d != nil {
		return d, nil
	}
	d, err := newDocument(c, tags...)
	if err != nil {
		return nil, err
	}
	if p.byTags == nil || len(p.byTags) >= maxParts {
		p.byTags = map[string]*document{}
	}
	p.byTags[key] = &d
	return &d, nil
}
