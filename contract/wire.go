package contract

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// A RefusedError represents a request that net/http rejects before it calls a
// handler: an invalid percent-escape in the path, a malformed or missing
// header, headers that are too large. With status 400 it wraps ErrBadPath:
// net/http does not report which of the causes of a 400 it was.
type RefusedError struct {
	// Status is the status that net/http chose: 400, 417, 431, 501 or 505; or 408
	// for headers that did not arrive before the server's ReadHeaderTimeout.
	Status int
}

// Error returns the text of the status.
func (e *RefusedError) Error() string { return http.StatusText(e.Status) }

// Unwrap returns ErrBadPath for 400 and nil otherwise.
func (e *RefusedError) Unwrap() error {
	if e.Status == http.StatusBadRequest {
		return ErrBadPath
	}
	return nil
}

// Listener returns l with two changes: where net/http rejects a request itself
// with a line of plain text, and where it closes the connection because headers
// arrive too slowly, the connection carries the response of Options.Fail to a
// *RefusedError. Fail then receives an empty request, as
// net/http passes nothing of the real one. Pass the result to
// http.Server.Serve, without TLS in between.
func (a *API) Listener(l net.Listener) net.Listener { return &listener{l, a} }

// listener wraps the connections of a net.Listener.
type listener struct {
	net.Listener
	api *API
}

// Accept wraps the next connection.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, api: l.api}, nil
}

// conn replaces net/http's own rejections on one connection.
type conn struct {
	net.Conn
	api *API
	// phase is the part of a request that was read last. Read and Write of
	// net/http are concurrent while a handler runs.
	phase atomic.Int32
	// blank reports whether the current line of the headers is empty so far. Only
	// Read uses it.
	blank bool
}

// The phases of a connection.
const (
	betweenRequests int32 = iota
	inHeaders
	afterHeaders
	tooSlow // the last response is written
)

// Read reads from the connection. If the deadline passes within the headers of a
// request, it writes the API's response to status 408 first: net/http closes the
// connection without one, or calls half a first line malformed.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.follow(b[:n])
	if errors.Is(err, os.ErrDeadlineExceeded) && c.phase.CompareAndSwap(inHeaders, tooSlow) {
		_, _ = c.Conn.Write(c.api.Refusal(http.StatusRequestTimeout)) // no handler runs yet; the client may be gone
	}
	return n, err
}

// follow updates the phase with bytes read. Headers end with an empty line, as
// net/http reads them: with or without a carriage return.
func (c *conn) follow(b []byte) {
	for _, x := range b {
		switch c.phase.Load() {
		case afterHeaders, tooSlow:
			return // the body, until the response is written
		case betweenRequests:
			c.phase.Store(inHeaders)
			c.blank = false
		}
		switch {
		case x == '\n' && c.blank:
			c.phase.Store(afterHeaders)
		case x != '\r':
			c.blank = x == '\n'
		}
	}
}

// Write writes b, or the API's response in its place if b is a rejection by
// net/http. It returns len(b) on success. After a response other than 100
// Continue, the next bytes read begin a request.
func (c *conn) Write(b []byte) (int, error) {
	if c.phase.Load() == tooSlow {
		return len(b), nil
	}
	if !bytes.HasPrefix(b, []byte("HTTP/1.1 1")) {
		c.phase.Store(betweenRequests)
	}
	status, ok := refusal(b)
	if !ok {
		return c.Conn.Write(b)
	}
	if _, err := c.Conn.Write(c.api.Refusal(status)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// NetConn returns the connection below, like tls.Conn.NetConn.
func (c *conn) NetConn() net.Conn { return c.Conn }

// CloseWrite closes the write side of the connection, which net/http does so
// that the client can read the response before the connection is reset.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// refusalHeaders follows the status line when net/http's server rejects a
// request (errorHeaders in its server.go). Responses of handlers differ: they
// have a date or a length in between.
var refusalHeaders = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// refusal reports whether b is a rejection by net/http, which writes it in one
// short piece, and its status. JSON cannot match: it contains no bare line
// breaks. An unknown Expect gets 417 with other headers; every 417 counts as
// net/http's, since handlers have no use for that status.
func refusal(b []byte) (status int, ok bool) {
	const line, longest = "HTTP/1.1 400", 512
	if len(b) > longest || len(b) < len(line) || string(b[:len("HTTP/1.1 ")]) != "HTTP/1.1 " {
		return 0, false
	}
	end := bytes.IndexByte(b, '\r')
	if end < len(line) {
		return 0, false
	}
	status, err := strconv.Atoi(string(b[len("HTTP/1.1 "):len(line)]))
	own := status == http.StatusExpectationFailed || bytes.HasPrefix(b[end:], refusalHeaders)
	return status, own && err == nil
}

// Refusal returns the complete HTTP response, as bytes, for a connection that
// is closed before a request was read from it.
func (a *API) Refusal(status int) []byte {
	r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, Header: http.Header{}}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	w.header.Set("Date", time.Now().UTC().Format(http.TimeFormat)) //nolint:forbidigo // as net/http does for every response
	a.options.Fail(w, r, &RefusedError{status})
	response := http.Response{
		StatusCode: w.status, ProtoMajor: 1, ProtoMinor: 1, Close: true,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
	}
	var b bytes.Buffer
	response.Write(&b) //nolint:errcheck // memory to memory
	return b.Bytes()
}

// A recorder is the http.ResponseWriter for a request without a connection.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// The methods of http.ResponseWriter. They record the response in memory, because Refusal has no
// connection to write to.
//
// Header, WriteHeader and Write are never called concurrently.
func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
