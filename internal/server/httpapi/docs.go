package httpapi

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/swaggest/swgui/v5/static"

	"roshambo/contract"
)

// docsPath is the path of the interactive documentation: Swagger UI in a page of this service, with
// no content from other sites.
const docsPath = "/api/docs"

// docsPolicy is the page's Content-Security-Policy: its own files only, and the data: images that
// the style sheet of Swagger UI contains.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " +
	"'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed docs
var docsFiles embed.FS

// docsFile is a file of the documentation.
type docsFile struct {
	body        []byte
	gzipped     bool
	contentType string
}

// docsTypes are the content types by file extension.
var docsTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".png":  "image/png",
}

// docs are the files by path. The page itself is at docsPath, with or without a trailing slash.
type docs map[string]*docsFile

// newDocs loads the embedded files, and panics when one is missing: that is a fault of the build.
func newDocs() docs {
	d := docs{}
	d.add(docsFiles, "docs/index.html", docsPath)
	d.add(docsFiles, "docs/index.html", docsPath+"/")
	d.add(docsFiles, "docs/start.js", docsPath+"/start.js")
	for _, name := range []string{"swagger-ui.css.gz", "swagger-ui-bundle.js.gz", "favicon-32x32.png"} {
		d.add(static.FS, name, docsPath+"/"+strings.TrimSuffix(name, ".gz"))
	}
	return d
}

// add loads the file name of from, and serves it at address.
func (d docs) add(from fs.ReadFileFS, name, address string) {
	body, err := from.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("httpapi: the documentation's %s: %v", name, err))
	}
	plain, gzipped := strings.CutSuffix(name, ".gz")
	d[address] = &docsFile{body: body, gzipped: gzipped, contentType: docsTypes[path.Ext(plain)]}
}

// serveDocs answers requests below docsPath.
func (a *API) serveDocs(w http.ResponseWriter, r *http.Request) {
	f := a.docs[r.URL.Path]
	if f == nil {
		a.fail(w, r, contract.ErrNotFound)
		return
	}
	if !a.readOnly(w, r) {
		return
	}
	if err := f.send(w, r); err != nil {
		a.fail(w, r, err)
	}
}

// send writes the file, or 304 when the client has it already.
func (f *docsFile) send(w http.ResponseWriter, r *http.Request) error {
	body, h := f.body, w.Header()
	if f.gzipped {
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
		} else if unpacked, err := gunzip(f.body); err != nil {
			return fmt.Errorf("httpapi: the documentation's %s: %w", r.URL.Path, err)
		} else {
			body = unpacked
		}
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Security-Policy", docsPolicy)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", etag(body))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}

// gunzip decompresses b.
func gunzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
