package app

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestRefuseNew: a listener that refuses new connections still has those that the kernel has completed; others are
// ignored until it is closed, and refused then.
func TestRefuseNew(t *testing.T) {
	t.Parallel()
	listener, err := listenPlain(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // it is closed below
	dial := func(timeout time.Duration) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		return new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
	}
	early, err := dial(testTimeout)
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close() //nolint:errcheck // read only
	if err := refuseNew(listener.(*net.TCPListener)); err != nil {
		t.Fatal(err)
	}
	if late, err := dial(100 * time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) &&
		!errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a late connection: %v, error %v, want none within the time", late, err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "answer"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(conn.Close(), listener.Close()); err != nil {
		t.Error(err)
	}
	if text, err := io.ReadAll(early); err != nil || string(text) != "answer" {
		t.Errorf("the early connection read %q, error %v", text, err)
	}
	if _, err := dial(testTimeout); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after the end: %v, want refused", err)
	}
}
