package edge

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"roshambo/contract"
	"roshambo/internal/server/api"
)

// docsPath is the path of the interactive documentation, a page among the others.
const docsPath = "/api/docs"

// AgentsPath is the path of the server for AI agents (Model Context Protocol). Its messages are treated as calls of the
// API: the same limits, and the same rules for pages of other sites.
const AgentsPath = "/mcp"

// documentsPath is the path of the documents and the prefix of their paths.
const documentsPath = "/docs"

// isDocument reports whether a path leads to a document as HTML. Their Markdown and their pictures are among the files
// of the page.
func isDocument(path string) bool {
	return path == documentsPath || strings.HasPrefix(path, documentsPath+"/") &&
		!strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".svg")
}

// ServeHTTP routes a request to the API, the server for agents, the public log, the pictures of previews, the embeds,
// the documents or the web page.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now() //nolint:forbidigo // how long it takes is in real time
	e.API.SetHeaders(w.Header())
	if len(r.TransferEncoding) > 0 {
		// A Content-Length beside it is not visible any more: the two are how requests are smuggled, and
		// RFC 9112, section 6.1, requires that the connection ends. Few clients send chunks.
		w.Header().Set("Connection", "close")
	}
	o, r := e.observe(w, r)
	defer e.end(o, r, began)
	defer e.recovered(o, r)
	e.boundBody(o, r)
	agents := e.Agents != nil && r.URL.Path == AgentsPath
	call := agents || r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/")
	if call {
		allowOrigin(o, r)
	}
	docs := r.URL.Path == docsPath || r.URL.Path == docsPath+"/"
	logs, pictures := strings.HasPrefix(r.URL.Path, logPath), strings.HasPrefix(r.URL.Path, api.PicturePath)
	if err := e.countRequest(o, r, call && !docs); err != nil {
		if page := docs || !call && !logs && !pictures; page && r.Method == http.MethodGet && readsHTML(r) {
			e.askToWait(o, r, err)
		} else {
			e.API.Fail(o, r, err)
		}
		return
	}
	o.CountAgain = func() error { return e.countRequest(o, r, true) }
	if e.Used != nil && !o.Client.Inside && !logs {
		e.Used()
	}
	if e.Recovering != nil && e.Recovering() {
		o.Header().Set(recoveringHeader, "1")
	}
	switch {
	case call && preflight(o, r):
		o.Operation = preflightOperation
	case call && !isUTF8(r.URL.EscapedPath(), r.URL.RawQuery):
		e.API.Fail(o, r, contract.ErrBadPath)
	case docs:
		o.Operation = docsOperation
		e.servePage(o, r)
	case agents:
		o.Operation = agentsOperation
		e.serveAgents(o, r)
	case call:
		e.API.Contract.ServeHTTP(o, r) // it sets o.Operation
	case strings.IndexByte(r.URL.Path, 0) >= 0: // no file name holds U+0000
		e.API.Fail(o, r, contract.ErrNotFound)
	case logs:
		o.Operation = logOperation
		e.serveLog(o, r)
	case pictures:
		o.Operation = pictureOperation
		e.servePicture(o, r)
	case e.Docs != nil && isDocument(r.URL.Path):
		o.Operation = documentOperation
		if e.readOnly(o, r) {
			o.OfferPacked(r)
			e.Docs.ServeHTTP(o, r)
		}
	case strings.HasPrefix(r.URL.Path, api.EmbedPath):
		o.Operation = embedOperation
		e.serveEmbed(o, r)
	default:
		o.Operation = pageOperation
		e.servePage(o, r)
	}
}

// serveAgents answers a message at AgentsPath.
func (e *Edge) serveAgents(w *api.Response, r *http.Request) {
	if err := e.API.CheckOrigin(r); err != nil {
		e.API.Fail(w, r, err)
		return
	}
	e.Agents.ServeHTTP(w, r)
}

// recoveringHeader says that answers to reads may be older than earlier ones: the database is behind the
// signed log, and writes are refused.
const recoveringHeader = "Roshambo-Recovering"

// boundBody sets a deadline for the request's body, so that slow clients hold neither connections
// nor a stop of the service.
func (e *Edge) boundBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 { // -1: unknown
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(e.BodyTime)) //nolint:forbidigo // deadlines of connections are in real time
	}
}

// recovered answers a request whose handler has panicked with 500, internal. The transaction of the
// handler was rolled back.
func (e *Edge) recovered(w *api.Response, r *http.Request) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler: // a handler aborts the connection
		panic(v)
	default:
		e.API.Fail(w, r, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
	}
}

// isUTF8 reports whether the escaped texts are UTF-8. Malformed escapes stand for themselves.
func isUTF8(escaped ...string) bool {
	for _, text := range escaped {
		plain := make([]byte, 0, len(text))
		for i := 0; i < len(text); i++ {
			if text[i] == '%' && i+2 < len(text) {
				if x, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
					plain = append(plain, byte(x))
					i += 2
					continue
				}
			}
			plain = append(plain, text[i])
		}
		if !utf8.Valid(plain) {
			return false
		}
	}
	return true
}
