package pgtest

import (
	"context"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
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

	mu    sync.Mutex // guards what follows, line.ending, and calls of pass and late
	lines map[*line]bool
	over  bool      // the test is
	ended sync.Cond // of lines; its lock is mu
}

// Passer returns what is passed on of what was said, up to the server or down from it, and
// whether the connection goes on behind that. The wire calls it for one message at a time.
type Passer func(up bool, said []byte) (through []byte, more bool)

// Late is what a Wire's Late says of a message to the server: whether who says it is hung up on,
// and it gets there so much later all the same. The wire calls it for one message at a time.
type Late func(said []byte) (by time.Duration, late bool)

// socketName is that of PostgreSQL in its folder, at the usual port.
const socketName = ".s.PGSQL.5432"

// NewWire puts a wire before a server with a socket in a folder, see Cluster.Path. Late may be
// nil.
func NewWire(t testing.TB, server string, pass Passer, late Late) *Wire {
	t.Helper()
	folder, err := os.MkdirTemp("", "roshambo-wire-") //nolint:usetesting // the path of a socket must be short
	check(t, err)
	w := &Wire{server: filepath.Join(server, socketName), folder: folder, pass: pass, late: late, ctx: t.Context(), lines: map[*line]bool{}}
	w.ended.L = &w.mu
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
		w.mu.Lock()
		w.over = true
		for l := range w.lines { // whose server may have stopped for good
			_ = l.server.Close()
		}
		w.mu.Unlock()
		wait.Wait()
		_ = os.RemoveAll(folder)
	})
	return w
}

// URL is that of a database at the other end of the wire.
func (w *Wire) URL(database string) string {
	return "postgres:///" + database + "?user=postgres&host=" + w.folder
}

// relay copies messages both ways until one side closes. It closes the connection to the caller
// at once, and reads from the server until the server closes: by then the server has carried out
// every message that it received.
func (w *Wire) relay(caller net.Conn) {
	dialed, err := (&net.Dialer{}).DialContext(w.ctx, "unix", w.server)
	if err != nil {
		_ = caller.Close()
		return
	}
	server := dialed.(*net.UnixConn) //nolint:forcetypeassert // dialing unix gives no other
	l := &line{wire: w, caller: caller, server: server}
	w.mu.Lock()
	w.lines[l] = true
	if w.over {
		_, _ = caller.Close(), server.Close()
	}
	w.mu.Unlock()
	var wait sync.WaitGroup
	wait.Go(l.up)
	wait.Go(l.down)
	wait.Wait()
	_ = server.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.lines, l)
	w.ended.Broadcast()
}

// line is one connection through a wire.
type line struct {
	wire   *Wire
	caller net.Conn
	server *net.UnixConn
	ending bool // the connection to the caller is closed, or about to be; guarded by Wire.mu
}

// decide returns which part of a message is passed on, after which delay, and whether the line
// goes on. If not, a Settle that is called from now on waits for its end.
func (l *line) decide(up bool, said []byte) (through []byte, by time.Duration, more bool) {
	w := l.wire
	w.mu.Lock()
	defer w.mu.Unlock()
	if up && w.late != nil {
		if by, late := w.late(said); late {
			l.ending = true
			return said, by, false
		}
	}
	through, more = w.pass(up, said)
	l.ending = l.ending || !more
	return through, 0, more
}

// hangUp closes the connection to the caller.
func (l *line) hangUp() {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	l.ending = true
	_ = l.caller.Close()
}

// up copies from the caller to the server.
func (l *line) up() {
	defer l.server.CloseWrite() //nolint:errcheck // it is gone either way
	defer l.hangUp()
	text := make([]byte, 1<<16)
	for {
		n, err := l.caller.Read(text)
		if err != nil {
			return
		}
		through, by, more := l.decide(true, text[:n])
		if !more {
			l.hangUp()
		}
		if by > 0 {
			select {
			case <-time.After(by):
			case <-l.wire.ctx.Done():
			}
		}
		if _, err := l.server.Write(through); err != nil || !more {
			return
		}
	}
}

// down copies from the server to the caller, and discards what comes after the caller is gone.
func (l *line) down() {
	defer l.hangUp()
	text := make([]byte, 1<<16)
	for heard := true; ; {
		n, err := l.server.Read(text)
		if err != nil {
			return
		}
		if !heard {
			continue
		}
		through, _, more := l.decide(false, text[:n])
		if _, err := l.caller.Write(through); err != nil || !more {
			heard = false
			l.hangUp()
		}
	}
}

// Settle waits until the server has carried out every message of the connections that have been
// cut so far, late ones included.
func (w *Wire) Settle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range slices.Collect(maps.Keys(w.lines)) {
		for l.ending && w.lines[l] {
			w.ended.Wait()
		}
	}
}

// HangUp ends all connections.
func (w *Wire) HangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for l := range w.lines {
		l.ending = true
		_ = l.caller.Close()
	}
}
