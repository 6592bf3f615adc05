package pgtest

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Wire stands between a database that is open and its server, and does harm to what they
// say to each other.
type Wire struct {
	server string // socket
	folder string // of the socket that it listens at
	pass   Passer
	late   Late
	ctx    context.Context // of the test: who calls when it is over is not put through

	mu    sync.Mutex // guards calls
	calls []net.Conn // with whoever called
}

// Passer returns what is passed on of what was said, up to the server or down from it, and
// whether the connection goes on behind that. Connections call it at the same time.
type Passer func(up bool, said []byte) (through []byte, more bool)

// Late is what a Wire's Late says of a message to the server: whether who says it is hung up on,
// and it gets there so much later all the same. Connections call it at the same time.
type Late func(said []byte) (by time.Duration, late bool)

// socketName is that of PostgreSQL in its folder, at the usual port.
const socketName = ".s.PGSQL.5432"

// NewWire puts a wire before a server with a socket in a folder, see Cluster.Path. Late may be
// nil.
func NewWire(t testing.TB, server string, pass Passer, late Late) *Wire {
	t.Helper()
	folder, err := os.MkdirTemp("", "roshambo-wire-") //nolint:usetesting // the path of a socket must be short
	check(t, err)
	w := &Wire{server: filepath.Join(server, socketName), folder: folder, pass: pass, late: late, ctx: t.Context()}
	l, err := net.Listen("unix", filepath.Join(folder, socketName))
	check(t, err)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			caller, err := l.Accept()
			if err != nil {
				return // closed
			}
			wait.Go(func() { w.relay(caller) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		w.HangUp()
		wait.Wait()
		_ = os.RemoveAll(folder)
	})
	return w
}

// URL is that of a database at the other end of the wire.
func (w *Wire) URL(database string) string {
	return "postgres:///" + database + "?user=postgres&host=" + w.folder
}

// relay passes on what both sides say until one of them is gone.
func (w *Wire) relay(caller net.Conn) {
	server, err := (&net.Dialer{}).DialContext(w.ctx, "unix", w.server)
	if err != nil {
		_ = caller.Close()
		return
	}
	w.mu.Lock()
	w.calls = append(w.calls, caller)
	w.mu.Unlock()
	var wait sync.WaitGroup
	pass := func(up bool, to io.WriteCloser, from io.ReadCloser) {
		defer from.Close()
		defer to.Close() //nolint:errcheck // it is gone either way
		text := make([]byte, 1<<16)
		for more := true; more; {
			n, err := from.Read(text)
			if err != nil {
				return
			}
			var through []byte
			if by, late := w.hold(up, text[:n]); late {
				_ = from.Close()
				select {
				case <-time.After(by):
				case <-w.ctx.Done():
				}
				through, more = text[:n], false
			} else {
				through, more = w.pass(up, text[:n])
			}
			if _, err := to.Write(through); err != nil {
				return
			}
		}
	}
	wait.Go(func() { pass(true, server, caller) })
	wait.Go(func() { pass(false, caller, server) })
	wait.Wait()
}

func (w *Wire) hold(up bool, said []byte) (by time.Duration, late bool) {
	if !up || w.late == nil {
		return 0, false
	}
	return w.late(said)
}

// HangUp ends all connections.
func (w *Wire) HangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.calls {
		_ = c.Close()
	}
	w.calls = nil
}
