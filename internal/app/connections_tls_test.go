package app

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
)

// layer is a connection above another one, whose Close waits for a client that does not read, like
// tls.Conn.Close.
type layer struct {
	net.Conn
	read chan struct{}
}

func (l layer) NetConn() net.Conn { return l.Conn }

func (l layer) Close() error {
	<-l.read
	return l.Conn.Close()
}

// testConnections returns connections of which most may be open.
func testConnections(most int) *connections {
	return newConnections(most, func(netip.Addr) int { return 0 }, func() []byte { return []byte("no room") },
		slog.New(slog.DiscardHandler))
}

// TestIdleConnectionsCloseSlowly: neither a new connection nor the release of a file waits for the close of an idle
// connection, and the file is free at once.
func TestIdleConnectionsCloseSlowly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, read := testConnections(1), make(chan struct{})
		idles := func() (client net.Conn) {
			client, server := net.Pipe()
			conn := layer{layer{server, read}, read}
			c.changed(conn, http.StateNew)
			c.changed(conn, http.StateIdle)
			return client
		}
		one := idles()
		if !c.admit() || len(c.open) != 0 {
			t.Errorf("%d connections are open after the idle one made room", len(c.open))
		}
		if other := idles(); !c.full(errors.New("no file")) {
			t.Error("no file is free")
		} else if _, err := other.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the connection whose file is needed: %v", err)
		}
		if c.full(errors.New("no file")) {
			t.Error("a file is free without an idle connection")
		}
		close(read)
		if _, err := one.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the connection that made room: %v", err)
		}
	})
}

// TestRefusalOverTLS: a client that expects TLS gets no answer in plain text when there is no room.
func TestRefusalOverTLS(t *testing.T) {
	t.Parallel()
	for secure, want := range map[bool]string{false: "no room", true: ""} {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		spare := &spareListener{Listener: listener, connections: testConnections(0), secure: secure}
		ended := make(chan error, 1)
		go func() {
			_, err := spare.Accept()
			ended <- err
		}()
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if !secure {
			if _, err := io.WriteString(conn, "GET"); err != nil {
				t.Error(err)
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Error(err)
			}
		}
		got, err := io.ReadAll(conn)
		if string(got) != want || err != nil {
			t.Errorf("TLS %v: %q, error %v, want %q", secure, got, err, want)
		}
		if err := errors.Join(conn.Close(), spare.Close()); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("accepting ended with %v", err)
		}
	}
}
