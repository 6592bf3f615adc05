package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
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

	closed chan struct{} // receives for each connection that is closed
}

// serveFew serves at most that many connections; the first accepts fail for lack of a file.
func serveFew(t *testing.T, most, without int) *few {
	t.Helper()
	return serveFewEach(t, most, without, 1000)
}

// serveFewEach is serveFew with a bound for each address.
func serveFewEach(t *testing.T, most, without, perAddress int) *few {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &few{
		url: "http://" + listener.Addr().String(), log: new(safeBuffer),
		waits: make(chan struct{}), begun: make(chan struct{}, 100), idle: make(chan struct{}, 100),
		closed: make(chan struct{}, 100),
	}
	refusal := func() []byte {
		return []byte("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}
	c := newConnections(most, func(netip.Addr) int { return perAddress }, refusal,
		slog.New(slog.NewTextHandler(f.log, nil)))
	c.timeout = time.Minute // for a busy machine
	changed := func(conn net.Conn, state http.ConnState) {
		c.changed(conn, state)
		switch state {
		case http.StateIdle:
			f.idle <- struct{}{}
		case http.StateClosed:
			f.closed <- struct{}{}
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

// TestConnectionsByAddress checks that an address may hold a bounded number of connections, idle ones
// included, that more are closed at once with one log line, that other addresses are served, and
// that a closed connection makes room.
func TestConnectionsByAddress(t *testing.T) {
	t.Parallel()
	f := serveFewEach(t, 100, 0, 2)
	dial := func(from string) net.Conn {
		t.Helper()
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(f.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	served := func(conn net.Conn) bool {
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	}
	const one, other = "127.0.0.2", "127.0.0.3"
	first, silent := dial(one), dial(one)
	if !served(first) { // the silent connection counts before its first request
		t.Fatal("the first connection was not served")
	}
	for range 5 {
		if served(dial(one)) {
			t.Fatal("a third connection of one address was served")
		}
	}
	for range 2 {
		if !served(dial(other)) {
			t.Fatal("a connection of another address was not served")
		}
	}
	if served(dial(other)) || !served(first) || !served(silent) {
		t.Fatal("a third was served, or a counted connection was closed")
	}
	if n := strings.Count(f.log.String(), "holds as many connections as it may"); n != 1 {
		t.Errorf("the log says it %d times, want once:\n%s", n, f.log)
	}
	_ = first.Close()
	<-f.closed
	if !served(dial(one)) {
		t.Error("after one was closed, the next connection of the address was not served")
	}
}

// TestIdleConnectionsMakeRoomByAddress checks that an idle connection which the service closes to
// make room no longer counts for its address.
func TestIdleConnectionsMakeRoomByAddress(t *testing.T) {
	t.Parallel()
	f := serveFewEach(t, 1, 0, 2)
	for i := range 10 { // each but the first closes the one before
		if status := get(t.Context(), t, f.url); status != 200 {
			t.Fatalf("call %d: %d", i, status)
		}
		<-f.idle
		if i > 0 {
			<-f.closed
		}
	}
}

// TestSilentConnectionsAreClosed checks that the server closes a connection whose client sends no
// request, or only the beginning of one, after 10 s.
func TestSilentConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listener := newPipeListener()
		server := (&Service{log: slog.New(slog.DiscardHandler)}).newServer()
		served := make(chan error, 1)
		go func() { served <- server.Serve(listener) }()
		for _, sent := range []string{"", "G", "GET / HTTP/1.1\r\nHost: x\r\n"} {
			conn, err := listener.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if _, err := io.WriteString(conn, sent); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, conn) // until the server closes it
			if after := time.Since(began); after != 10*time.Second {
				t.Errorf("after %q: closed after %v, want 10 s", sent, after)
			}
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the server ended with %v", err)
		}
	})
}

// TestConnectionBound checks how many connections each address may hold; 0 is any number.
func TestConnectionBound(t *testing.T) {
	t.Parallel()
	c := Config{TrustedProxies: []string{"203.0.113.7", "198.51.100.0/24", "2001:db8:9::/48"},
		SharedAddresses: []string{"192.0.2.0/24", "2001:db8:5::/64", "10.2.0.0/16"}}
	for address, most := range map[string][2]int{ // by default, and with LimitPrivate
		"127.0.0.1": {0, 200}, "::1": {0, 200}, "10.1.1.1": {0, 200}, "fd00::1": {0, 200},
		"203.0.113.7": {0, 0}, "203.0.113.8": {200, 200}, "198.51.100.9": {0, 0},
		"2001:db8:9::1": {0, 0}, "2001:db8:8::1": {200, 200}, "8.8.8.8": {200, 200},
		"192.0.2.9": {3200, 3200}, "2001:db8:5::9": {3200, 3200}, "2001:db8:5:1::9": {200, 200}, "10.2.1.1": {0, 3200},
	} {
		for i, limited := range []bool{false, true} {
			c.LimitPrivate = limited
			if got := c.connectionBound()(netip.MustParseAddr(address)); got != most[i] {
				t.Errorf("%s with LimitPrivate %v: %d connections, want %d", address, limited, got, most[i])
			}
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
