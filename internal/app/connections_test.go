package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scarce is a listener that runs out of files until one is closed.
type scarce struct {
	net.Listener
	times int
	given bool
}

func (l *scarce) Accept() (net.Conn, error) {
	if l.given = l.times > 0 && !l.given; l.given {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	if l.times > 0 {
		l.times--
	}
	return l.Listener.Accept()
}

// few is a server of few connections. Requests to /wait block until the test closes waits.
type few struct {
	url   string
	log   *safeBuffer
	waits chan struct{}
	begun chan struct{} // receives for each request to /wait
	idle  chan struct{} // receives for each connection that becomes idle
}

// serveFew serves at most that many connections; the first accepts fail for lack of a file.
func serveFew(t *testing.T, most, without int) *few {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &few{
		url: "http://" + listener.Addr().String(), log: new(safeBuffer),
		waits: make(chan struct{}), begun: make(chan struct{}, 100), idle: make(chan struct{}, 100),
	}
	refusal := func() []byte {
		return []byte("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}
	c := newConnections(most, refusal, slog.New(slog.NewTextHandler(f.log, nil)))
	changed := func(conn net.Conn, state http.ConnState) {
		c.changed(conn, state)
		if state == http.StateIdle {
			f.idle <- struct{}{}
		}
	}
	server := &http.Server{ConnState: changed, ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wait" {
				f.begun <- struct{}{}
				<-f.waits
			}
		})}
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(&spareListener{Listener: &scarce{Listener: listener, times: without}, connections: c})
	}()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return f
}

// get sends a request over its own connection, which stays open.
func get(ctx context.Context, t *testing.T, url string) int {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	response, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// TestConnectionsAreBounded: a client that connects while all connections are in use is refused at
// once, with one log line; an idle connection is closed in favour of a new one.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	f := serveFew(t, 2, 0)
	for i := range 5 {
		if status := get(t.Context(), t, f.url); status != 200 {
			t.Fatalf("call %d while others wait for their next: %d", i, status)
		}
		<-f.idle // the client may have the answer before its connection counts as idle
	}
	ended := make(chan int, 2)
	for range 2 {
		go func() { ended <- get(context.Background(), t, f.url+"/wait") }()
		select {
		case <-f.begun:
		case status := <-ended:
			t.Fatalf("in place of a connection that waits: %d", status)
		}
	}
	for range 5 {
		if status := get(t.Context(), t, f.url); status != 503 {
			t.Errorf("with all in use: %d, want 503", status)
		}
	}
	if n := strings.Count(f.log.String(), "connections are refused"); n != 1 {
		t.Errorf("the log says it %d times, want once:\n%s", n, f.log)
	}
	close(f.waits)
	for range 2 {
		if status := <-ended; status != 200 {
			t.Errorf("a request that was held: %d, want 200", status)
		}
	}
}

// TestNoFilesLeft: a process without free files refuses new clients, logs it once, and recovers
// when it has files.
func TestNoFilesLeft(t *testing.T) {
	t.Parallel()
	f := serveFew(t, 10, 2)
	for range 2 {
		if status := get(t.Context(), t, f.url); status != 0 {
			t.Errorf("without files: %d, want to be refused", status)
		}
	}
	if status := get(t.Context(), t, f.url); status != 200 {
		t.Errorf("with files again: %d", status)
	}
	if n := strings.Count(f.log.String(), "too many open files"); n != 1 {
		t.Errorf("the log says it %d times, want once:\n%s", n, f.log)
	}
}

func TestConnectionsFor(t *testing.T) {
	t.Parallel()
	for files, want := range map[uint64]int{0: 1, 1: 1, 64: 32, 384: 192, 1024: 832, 65536: 65344,
		1 << 63: 1<<30 - reservedFiles} {
		if got := connectionsFor(files); got != want {
			t.Errorf("of %d files: %d, want %d", files, got, want)
		}
	}
}
