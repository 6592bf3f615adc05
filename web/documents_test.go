package web_test

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"roshambo/docs"
	"roshambo/web"
)

// TestDocumentsAreServed: the documents, their pictures and their list are served as text, packed and with an entity tag.
func TestDocumentsAreServed(t *testing.T) {
	t.Parallel()
	page := web.Handler()
	get := func(address string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, address, nil)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w
	}
	files := map[string][]byte{"/llms.txt": docs.Index()}
	for name, text := range docs.All() {
		files["/docs/"+name] = text
	}
	for name, picture := range docs.Pictures() {
		files["/docs/"+name] = picture
	}
	kinds := map[string]string{
		".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".svg": "image/svg+xml"}
	for address, text := range files {
		kind := kinds[path.Ext(address)]
		w := get(address)
		if h := w.Header(); w.Code != http.StatusOK || w.Body.String() != string(text) || h.Get("Content-Type") != kind ||
			h.Get("X-Content-Type-Options") != "nosniff" || !page.Has(address) {
			t.Errorf("%s: status %d, %d bytes, %v", address, w.Code, w.Body.Len(), h)
		}
		if again := get(address, "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s: a client that has it gets status %d", address, again.Code)
		}
		if packed := get(address, "Accept-Encoding", "gzip"); packed.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: not packed: %v", address, packed.Header())
		}
	}
	for line := range strings.SplitSeq(string(docs.Index()), "\n") {
		_, rest, found := strings.Cut(line, "](/docs/")
		if name, _, _ := strings.Cut(rest, ")"); found && files["/docs/"+name] == nil {
			t.Errorf("llms.txt leads to %s, which is not served", name)
		}
	}
	for _, address := range []string{"/docs/none.md", "/docs/docs.go", "/docs/../docs/bots.md"} {
		if w := get(address); w.Code != http.StatusNotFound || page.Has(address) {
			t.Errorf("%s: status %d", address, w.Code)
		}
	}
}
