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

// scarce is a listener whose process has no files left, each time until one is given up.
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

// serveFew serves so many connections at most. Requests to /wait are held until the test
// closes the channel.
func serveFew(t *testing.T, most, without int) (url string, log *safeBuffer, waits chan struct{}, begun chan struct{}) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log, waits, begun = new(safeBuffer), make(chan struct{}), make(chan struct{}, 10)
	refusal := func() []byte {
		return []byte("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}
	c := newConnections(most, refusal, slog.New(slog.NewTextHandler(log, nil)))
	server := &http.Server{ConnState: c.changed, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			begun <- struct{}{}
			<-waits
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
	return "http://" + listener.Addr().String(), log, waits, begun
}

// get asks by a connection of its own, which stays open.
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

// TestConnectionsAreBounded: who comes when all connections are in use is refused at once, in
// one line of the log; who comes when some only wait gets the place of one of them.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	url, log, waits, begun := serveFew(t, 2, 0)
	for i := range 5 {
		if status := get(t.Context(), t, url); status != 200 {
			t.Fatalf("call %d while others wait for their next: %d", i, status)
		}
	}
	for range 2 {
		go get(context.Background(), t, url+"/wait")
		<-begun
	}
	for range 5 {
		if status := get(t.Context(), t, url); status != 503 {
			t.Errorf("with all in use: %d, want 503", status)
		}
	}
	if n := strings.Count(log.String(), "connections are refused"); n != 1 {
		t.Errorf("the log says it %d times, want once:\n%s", n, log)
	}
	close(waits)
}

// TestNoFilesLeft: a process without files refuses who comes, says so once, and serves again
// when there are some.
func TestNoFilesLeft(t *testing.T) {
	t.Parallel()
	url, log, _, _ := serveFew(t, 10, 2)
	for range 2 {
		if status := get(t.Context(), t, url); status != 0 {
			t.Errorf("without files: %d, want to be refused", status)
		}
	}
	if status := get(t.Context(), t, url); status != 200 {
		t.Errorf("with files again: %d", status)
	}
	if n := strings.Count(log.String(), "too many open files"); n != 1 {
		t.Errorf("the log says it %d times, want once:\n%s", n, log)
	}
}

func TestConnectionsFor(t *testing.T) {
	t.Parallel()
	for files, want := range map[uint64]int{0: 1, 1: 1, 64: 32, 384: 192, 1024: 832, 65536: 65344, 1 << 63: 1<<30 - keptFiles} {
		if got := connectionsFor(files); got != want {
			t.Errorf("of %d files: %d, want %d", files, got, want)
		}
	}
}
