package contract

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
)

// A RefusedError stands for a request that net/http refused before any handler
// saw it: a path with a bad percent-escape, a broken or missing header, headers
// that are too large. Where the status is 400 it wraps ErrBadPath, as that is
// what net/http does not tell apart from the others.
type RefusedError struct {
	Status int // 400, 417, 431, 501 or 505
}

func (e *RefusedError) Error() string { return http.StatusText(e.Status) }

// Unwrap returns ErrBadPath for 400 and nil otherwise.
func (e *RefusedError) Unwrap() error {
	if e.Status == http.StatusBadRequest {
		return ErrBadPath
	}
	return nil
}

// Listener returns l with one change: where net/http refuses a request on its
// own and writes a line of plain text, the connection carries what Options.Fail
// answers to a *RefusedError. The request that Fail gets there is an empty one,
// as nothing of the real one is known. Use it below http.Server.Serve, without
// TLS in between.
func (a *API) Listener(l net.Listener) net.Listener { return &listener{l, a} }

type listener struct {
	net.Listener
	api *API
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{c, l.api}, nil
}

type conn struct {
	net.Conn
	api *API
}

// Write passes b on, or an answer in its place if b is one of net/http's own.
func (c *conn) Write(b []byte) (int, error) {
	status, ok := refusal(b)
	if !ok {
		return c.Conn.Write(b)
	}
	if _, err := c.Conn.Write(c.api.Refusal(status)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// CloseWrite lets net/http say that it is done and give the client time to
// read the answer.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// refusalHeaders is what net/http's server writes behind the status line when
// it refuses a request (errorHeaders in its server.go), and never for a
// handler, whose answers have a date or a length between.
var refusalHeaders = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// refusal tells whether b is a refusal of net/http, which it writes in one
// short piece. JSON is never mistaken for one: it holds no bare line breaks.
// To an Expect that it does not know it answers 417 with other headers; that status
// is taken to be its own always, as handlers have no use for it.
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

// Refusal returns the whole answer, as it is sent, to a connection that is refused before a
// request was read from it.
func (a *API) Refusal(status int) []byte {
	r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, Header: http.Header{}}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	a.options.Fail(w, r, &RefusedError{status})
	answer := http.Response{
		StatusCode: w.status, ProtoMajor: 1, ProtoMinor: 1, Close: true,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
	}
	var b bytes.Buffer
	answer.Write(&b) //nolint:errcheck // memory to memory
	return b.Bytes()
}

// A recorder is the http.ResponseWriter of a request that has none.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
