package contract_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/contract"
)

// failer is an Options.Fail that shows the error it received.
func failer(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusTeapot
	switch refused, ok := errors.AsType[*contract.RefusedError](err); {
	case ok:
		status = refused.Status
		if errors.Is(err, contract.ErrBadPath) != (status == http.StatusBadRequest) {
			status = http.StatusTeapot
		}
	case errors.Is(err, contract.ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, contract.ErrBodyTooLarge):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, contract.ErrBadBody), errors.Is(err, contract.ErrBadPath):
		status = http.StatusBadRequest
	case w.Header().Get("Allow") != "":
		status = http.StatusMethodNotAllowed
	}
	w.Header().Set("X-Seen", fmt.Sprint(r.Context().Value(trail{})))
	w.WriteHeader(status)
	fmt.Fprintf(w, "%s", err)
}

// trail is the context key under which Before and Checked record their calls.
type trail struct{}

// pathsAPI has paths that overlap in every way that could confuse the tree.
func pathsAPI() *contract.API {
	a := contract.New(contract.Info{}, contract.Options{Fail: failer})
	raw := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s id=%s rest=%s", r.Pattern, r.PathValue("id"), r.PathValue("rest"))
	}
	for _, line := range []string{
		"GET /", "GET /jobs", "POST /jobs", "GET /jobs/active", "GET /jobs/{id}", "DELETE /jobs/{id}",
		"POST /jobs/{id}/paint", "GET /jobs/active/odds", "GET /log/{rest}", "GET /log/checkpoint",
		"PUT /log/checkpoint", "GET /{id}/{rest}", "GET /{id}/{rest}/odds", "POST /only",
	} {
		method, path, _ := strings.Cut(line, " ")
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Pattern = line
			raw(w, r)
		})
		a.AddRaw(contract.Operation{ID: line, Method: method, Path: path}, "text/plain", h)
	}
	return a
}

func TestPaths(t *testing.T) {
	t.Parallel()
	api := pathsAPI()
	for _, c := range []struct {
		line   string
		status int
		want   string
		allow  string
	}{
		{"GET /", 200, "GET / id= rest=", ""},
		{"GET /jobs", 200, "GET /jobs id= rest=", ""},
		{"HEAD /jobs", 200, "GET /jobs id= rest=", ""},
		{"GET /jobs/active", 200, "GET /jobs/active id= rest=", ""},
		{"GET /jobs/7", 200, "GET /jobs/{id} id=7 rest=", ""},
		{"DELETE /jobs/active", 200, "DELETE /jobs/{id} id=active rest=", ""},
		{"POST /jobs/active/paint", 200, "POST /jobs/{id}/paint id=active rest=", ""},
		{"GET /jobs/active/odds", 200, "GET /jobs/active/odds id= rest=", ""},
		{"GET /jobs/a%2Fb", 200, "GET /jobs/{id} id=a/b rest=", ""},
		{"GET /%6Aobs", 200, "GET /jobs id= rest=", ""},
		{"GET /jobs/50%25", 200, "GET /jobs/{id} id=50% rest=", ""},
		{"GET /jobs/%2525%2F", 200, "GET /jobs/{id} id=%25/ rest=", ""},
		{"GET /jobs/..", 200, "GET /jobs/{id} id=.. rest=", ""},
		{"GET /jobs/%2e%2e", 200, "GET /jobs/{id} id=.. rest=", ""},
		{"GET /log/checkpoint", 200, "GET /log/checkpoint id= rest=", ""},
		{"GET /log/a%20b%2F%ff", 200, "GET /log/{rest} id= rest=a b/\ufffd", ""},
		{"GET /jobs/7/odds", 200, "GET /{id}/{rest}/odds id=jobs rest=7", ""},
		{"GET /x//odds", 404, "no such path", ""},
		{"GET /nowhere", 404, "no such path", ""},
		{"GET //jobs", 404, "no such path", ""},
		{"GET /jobs/", 404, "no such path", ""},
		{"GET /Runs", 404, "no such path", ""},
		{"GET /log/", 404, "no such path", ""},
		{"POST /jobs/7", 405, "method not allowed, only DELETE, GET, HEAD", "DELETE, GET, HEAD"},
		{"PATCH /jobs/active", 405, "method not allowed, only DELETE, GET, HEAD", "DELETE, GET, HEAD"},
		{"HEAD /jobs/7/odds", 200, "GET /{id}/{rest}/odds id=jobs rest=7", ""},
		{"OPTIONS /jobs", 405, "method not allowed, only GET, HEAD, POST", "GET, HEAD, POST"},
		{"DELETE /log/checkpoint", 405, "method not allowed, only GET, HEAD, PUT", "GET, HEAD, PUT"},
		{"POST /log/checkpoint", 405, "method not allowed, only GET, HEAD, PUT", "GET, HEAD, PUT"},
		{"GET /post/only", 200, "GET /{id}/{rest} id=post rest=only", ""},
		{"GET /only", 405, "method not allowed, only POST", "POST"},
		{"get /jobs", 405, "method not allowed, only GET, HEAD, POST", "GET, HEAD, POST"},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			method, path, _ := strings.Cut(c.line, " ")
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
			if w.Code != c.status || w.Body.String() != c.want || w.Header().Get("Allow") != c.allow {
				t.Errorf("got %d %q %q", w.Code, w.Body, w.Header().Get("Allow"))
			}
		})
	}
}

// TestNoPath sends targets without a path, such as OPTIONS * and CONNECT.
func TestNoPath(t *testing.T) {
	t.Parallel()
	for _, u := range []url.URL{{Path: "*"}, {}, {Path: "jobs"}, {Opaque: "x:443"}, {Path: "/jobs", RawPath: "*"}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodConnect, "/", nil)
		r.URL = &u
		w := httptest.NewRecorder()
		pathsAPI().ServeHTTP(w, r)
		if want := map[bool]int{true: 405, false: 404}[u.Path == "/jobs"]; w.Code != want {
			t.Errorf("%+v: got %d, want %d", u, w.Code, want)
		}
	}
}

// hooked returns an API whose hooks record their calls and fail at failAt.
func hooked(failAt string) *contract.API {
	mark := func(ctx context.Context, name string) (context.Context, error) {
		before, _ := ctx.Value(trail{}).(string)
		ctx = context.WithValue(ctx, trail{}, before+name+" ")
		if failAt == name {
			return ctx, errors.New(name + " failed")
		}
		return ctx, nil
	}
	a := contract.New(contract.Info{}, contract.Options{
		MaxBody: 64,
		Before: func(op *contract.Operation, w http.ResponseWriter, r *http.Request) (context.Context, error) {
			w.Header().Set("X-Operation", op.ID)
			return mark(r.Context(), "before")
		},
		Checked: func(ctx context.Context, _ *contract.Operation, _ *http.Request, body []byte) (context.Context, error) {
			return mark(ctx, "checked:"+string(body))
		},
		Fail: failer,
	})
	contract.Add(a, contract.Operation{ID: "item", Method: http.MethodPost, Path: "/items"},
		func(ctx context.Context, in *itemIn) (*echo, error) {
			switch in.Body.Name {
			case "fail":
				return nil, errors.New("handler failed")
			case "refuse":
				return nil, contract.InvalidValue([]any{"body", "name"}, "taken", in.Body.Name)
			case "broken":
				return nil, contract.Invalid([]any{func() {}}, "value_error", "", nil, nil)
			case "nothing":
				return nil, nil // an operation without output
			case "unspeakable":
				return &echo{func() {}}, nil
			}
			return &echo{ctx.Value(trail{})}, nil
		})
	return a
}

func TestHooks(t *testing.T) {
	t.Parallel()
	const good = `{"name":"a","price":1}`
	for _, c := range []struct {
		name, failAt, body string
		status             int
		want, seen         string
	}{
		{"all run", "", good, 200, `{"got":"before checked:` + strings.ReplaceAll(good, `"`, `\"`) + ` "}`, ""},
		{"Before fails", "before", "{", 418, "before failed", "before "},
		{"Checked fails", "checked:" + good, good, 418, "checked:" + good + " failed", "before checked:" + good + " "},
		{"no Checked when the request is wrong", "checked:{}", "{}", 422, "", ""},
		{"handler fails", "", `{"name":"fail","price":1}`, 418, "handler failed",
			`before checked:{"name":"fail","price":1} `},
		{
			"handler refuses", "", `{"name":"refuse","price":1}`, 422,
			`{"detail":[{"type":"value_error","loc":["body","name"],"msg":"Value error, taken","input":"refuse","ctx":{"error":{}}}]}`, "",
		},
		{"refusal that has no JSON", "", `{"name":"broken","price":1}`, 418, "contract: a func() has no JSON",
			`before checked:{"name":"broken","price":1} `},
		{"no answer", "", `{"name":"nothing","price":1}`, 200, `{"got":null}`, ""},
		{"answer that has no JSON", "", `{"name":"unspeakable","price":1}`, 418, "contract: a func() has no JSON",
			`before checked:{"name":"unspeakable","price":1} `},
		{"body too large", "", `{"name":"` + strings.Repeat("a", 64) + `"}`, 413, "the body is too large", "before "},
		{"broken encoding", "", "\xff", 400, "the body cannot be read: invalid UTF-8 at byte 0", "before "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			hooked(c.failAt).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/items",
				strings.NewReader(c.body)))
			if w.Code != c.status || c.want != "" && w.Body.String() != c.want {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if got := w.Header().Get("X-Seen"); got != c.seen {
				t.Errorf("Fail saw %q, want %q", got, c.seen)
			}
			if w.Header().Get("X-Operation") != "item" {
				t.Error("Before did not run")
			}
		})
	}
}

func TestResponseHeaders(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(service(contract.Options{
		Before: func(_ *contract.Operation, w http.ResponseWriter, r *http.Request) (context.Context, error) {
			if r.URL.RawQuery == "cache" {
				w.Header().Set("Cache-Control", "max-age=60")
			}
			return nil, nil // the request's context stays
		},
	}))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		method, path string
		status       int
		length       int64
		cache        string
	}{
		{http.MethodGet, "/things/7", 200, 16, "no-store"},
		{http.MethodGet, "/things/7?cache", 200, 16, "max-age=60"},
		{http.MethodHead, "/things/7", 200, 16, "no-store"},
		{http.MethodGet, "/things/x", 422, 145, "no-store"},
		{http.MethodHead, "/things/x", 422, 145, "no-store"},
		{http.MethodPost, "/things/7", 405, 31, "no-store"},
		{http.MethodGet, "/items", 405, 31, "no-store"},
		{http.MethodGet, "/nowhere", 404, 22, "no-store"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != c.status || answer.ContentLength != c.length ||
			answer.Header.Get("Content-Type") != "application/json" || answer.Header.Get("Cache-Control") != c.cache ||
			(c.method == http.MethodHead) != (len(body) == 0) {
			t.Errorf("%s %s: got %s %v %q", c.method, c.path, answer.Status, answer.Header, body)
		}
	}
}

// TestBodyLimit sends bodies of known and unknown length around the limit over a connection.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(service(contract.Options{}))
	t.Cleanup(server.Close)
	pad := func(size int) string {
		const head, tail = `{"name":"a","price":1,"x":"`, `"}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/items", pad(64 << 10), 200},
		{"/items", pad(64<<10 + 1), 413},
		{"/items", pad(1 << 20), 413},
		{"/items", strings.Repeat(" ", 64<<10+1), 413},
		{"/none", pad(64 << 10), 200},
		{"/none", pad(64<<10 + 1), 413},
		{"/things/7", pad(64<<10 + 1), 405},
	} {
		for _, chunked := range []bool{false, true} {
			body := io.Reader(strings.NewReader(c.body))
			if chunked {
				body = io.MultiReader(body) // hides the length
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+c.path, body)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != c.status {
				t.Errorf("%s, %d bytes, chunked %t: got %s, want %d", c.path, len(c.body), chunked, answer.Status, c.status)
			}
		}
	}
}

// exchangeRaw sends text over a connection and returns everything received.
func exchangeRaw(t *testing.T, addr, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() }) //nolint:errcheck // the server has closed it
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// TestListener sends requests that net/http rejects itself.
func TestListener(t *testing.T) {
	t.Parallel()
	api := service(contract.Options{Fail: failer})
	server := httptest.NewUnstartedServer(api)
	server.Listener = api.Listener(server.Listener)
	server.Config.MaxHeaderBytes = 4096
	server.Start()
	t.Cleanup(server.Close)
	for _, c := range []struct {
		name, text, status, body string
	}{
		{"bad escape", "GET /things/%zz HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request", "Bad Request"},
		{"no host", "GET /things/7 HTTP/1.1\r\n\r\n", "400 Bad Request", "Bad Request"},
		{"broken header", "GET /things/7 HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", "400 Bad Request", "Bad Request"},
		{"no HTTP", "hello\r\n\r\n", "400 Bad Request", "Bad Request"},
		{
			"large headers", "GET /things/7 HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 9000) + "\r\n\r\n",
			"431 Request Header Fields Too Large", "Request Header Fields Too Large",
		},
		{"unknown coding", "POST /items HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: zip\r\n\r\n", "501 Not Implemented",
			"Not Implemented"},
		{"another version", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", "505 HTTP Version Not Supported",
			"HTTP Version Not Supported"},
		{"unknown expectation", "GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", "417 Expectation Failed",
			"Expectation Failed"},
		{"cut chunk", "POST /items HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
			"400 Bad Request", "the body cannot be read: invalid byte in chunk length"},
		{"an ordinary one", "GET /things/7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "200 OK", `{"got":{"ID":7}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := exchangeRaw(t, server.Listener.Addr().String(), c.text)
			answer, err := http.ReadResponse(bufio.NewReader(strings.NewReader(got)), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			if answer.Status != c.status || string(body) != c.body || !answer.Close {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestSlowHeaders sends the beginning of a request: once the deadline has passed, the response is the API's. A
// connection that sends nothing gets none.
func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	for text, status := range map[string]string{
		"": "", "GET": "408 Request Timeout", "GET /things/7 HTTP/1.1\r\nHost: x\r\n": "408 Request Timeout",
		"GET /things/7 HTTP/1.1\r\nHost: x\r\n\r\nGE": "200 OK", "GET /things/7 HTTP/1.1\nHost: x\n\n": "200 OK",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := exchangePiped(t, text)
				if n := strings.Count(got, "HTTP/1.1 "); n > 1 || status == "" && got != "" ||
					!strings.HasPrefix(strings.TrimPrefix(got, "HTTP/1.1 "), status) {
					t.Errorf("got %q, want %q alone", got, status)
				}
			})
		})
	}
}

// exchangePiped sends text over a pipe to a server with deadlines and returns all that the server answers. In a
// synctest bubble the deadlines pass at once.
func exchangePiped(t *testing.T, text string) string {
	t.Helper()
	api := service(contract.Options{Fail: failer})
	here, there := net.Pipe()
	one := &oneConn{conns: make(chan net.Conn, 1)}
	one.conns <- there
	server := &http.Server{Handler: api, ReadHeaderTimeout: time.Second, IdleTimeout: time.Minute}
	go func() { _ = server.Serve(api.Listener(one)) }() // returns http.ErrServerClosed
	go func() { _, _ = io.WriteString(here, text) }()   // fails once the server has closed the pipe
	all, err := io.ReadAll(here)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// oneConn is a listener for the connections in a channel.
type oneConn struct {
	conns chan net.Conn
	once  sync.Once
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	l.once.Do(func() { close(l.conns) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }
