package api_test

import (
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"roshambo/internal/server/edge"
)

// TestClientThatDoesNotRead: a client that sends requests and reads no answer is disconnected, while
// others are served.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	var c edge.Config
	s := start(t, func(of *edge.Config) { c = *of })
	// Only the connection that reads nothing has such a short deadline.
	c.WriteTime = 100 * time.Millisecond
	hurried, err := edge.New(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(hurried)
	server.Listener = hurried.Listener(server.Listener)
	server.Start()
	t.Cleanup(server.Close)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // the service has closed it
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	// The test's own deadline, in case the service does not close it.
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	ask := strings.Repeat("GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 1000)
	for {
		_, err := io.WriteString(conn, ask)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("the connection is still open")
		}
		if err != nil {
			break
		}
	}
	s.anonymous(t).send(t, request{method: "GET", path: "/api/tiers"}).ok(t)
}

// TestWriteTimeIsForEachWrite: a deadline that has passed since the last answer does not interrupt
// the next one.
func TestWriteTimeIsForEachWrite(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.WriteTime = time.Minute })
	server := httptest.NewUnstartedServer(s.edge)
	server.Listener = s.edge.Listener(lateListener{server.Listener})
	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL
	conn := s.dial(t)
	for range 3 {
		if _, err := io.WriteString(conn, "GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if a := read(t, conn, request{path: "/api/openapi.json"}); a.status != 200 {
			t.Errorf("got %d", a.status)
		}
	}
}

// lateListener accepts connections whose deadline passes after each write, as if the next answer
// came that much later.
type lateListener struct{ net.Listener }

// Accept waits for the next connection.
func (l lateListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return lateConn{c}, nil
}

type lateConn struct{ net.Conn }

// Write writes b within the deadline.
func (c lateConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, errors.Join(err, c.SetWriteDeadline(time.Unix(1, 0)))
}

// TestVerificationEndsWithTheDrain: a drain does not wait for a running verification.
func TestVerificationEndsWithTheDrain(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.Used = nil }) // it asks for the time before
	asked, resume := s.clock.stop()                      // a verification asks for the time when it begins
	answered := make(chan answer, 1)
	visitor := s.anonymous(t)
	go func() { answered <- visitor.send(t, request{method: "GET", path: "/api/chain/verify"}) }()
	<-asked
	s.edge.API.Streams.Drain()
	if a := <-answered; a.status != 503 {
		t.Errorf("got %d %s, want 503", a.status, a.body)
	}
	resume()
}
