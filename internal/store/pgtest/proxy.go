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

// Proxy stands between a database that is open and its server, and does harm to what they
// say to each other.
type Proxy struct {
	server string // socket
	folder string // of the socket that it listens at
	pass   Filter
	late   Delay
	ctx    context.Context // of the test: who calls when it is over is not put through

	mu    sync.Mutex // guards what follows, line.ending, and calls of pass and late
	lines map[*line]bool
	over  bool      // the test is
	ended sync.Cond // of lines; its lock is mu
}

// Filter returns what is passed on of what was said, up to the server or down from it, and
// whether the connection goes on behind that. The wire calls it for one message at a time.
type Filter func(up bool, said []byte) (through []byte, more bool)

// Delay is what a Proxy's Delay says of a message to the server: whether who says it is hung up on,
// and it gets there so much later all the same. The wire calls it for one message at a time.
type Delay func(said []byte) (by time.Duration, late bool)

// socketName is that of PostgreSQL in its folder, at the usual port.
const socketName = ".s.PGSQL.5432"

// NewProxy puts a wire before a server with a socket in a folder, see Cluster.Path. Delay may be
// nil.
func NewProxy(t testing.TB, server string, pass Filter, late Delay) *Proxy {
	t.Helper()
	folder, err := os.MkdirTemp("", "roshambo-proxy-") //nolint:usetesting // the path of a socket must be short
	check(t, err)
	p := &Proxy{server: filepath.Join(server, socketName), folder: folder, pass: pass, late: late, ctx: t.Context(), lines: map[*line]bool{}}
	p.ended.L = &p.mu
	l, err := net.Listen("unix", filepath.Join(folder, socketName))
	check(t, err)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			caller, err := l.Accept()
			if err != nil {
				return // closed
			}
			wait.Go(func() { p.relay(caller) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.CloseAll()
		p.mu.Lock()
		p.over = true
		for l := range p.lines { // whose server may have stopped for good
			_ = l.server.Close()
		}
		p.mu.Unlock()
		wait.Wait()
		_ = os.RemoveAll(folder)
	})
	return p
}

// URL is that of a database at the other end of the wire.
func (p *Proxy) URL(database string) string {
	return "postgres:///" + database + "?user=postgres&host=" + p.folder
}

// relay copies messages both ways until one side closes. It closes the connection to the caller
// at once, and reads from the server until the server closes: by then the server has carried out
// every message that it received.
func (p *Proxy) relay(caller net.Conn) {
	dialed, err := (&net.Dialer{}).DialContext(p.ctx, "unix", p.server)
	if err != nil {
		_ = caller.Close()
		return
	}
	server := dialed.(*net.UnixConn) //nolint:forcetypeassert // dialing unix gives no other
	l := &line{proxy: p, caller: caller, server: server}
	p.mu.Lock()
	p.lines[l] = true
	if p.over {
		_, _ = caller.Close(), server.Close()
	}
	p.mu.Unlock()
	var wait sync.WaitGroup
	wait.Go(l.up)
	wait.Go(l.down)
	wait.Wait()
	_ = server.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.lines, l)
	p.ended.Broadcast()
}

// line is one connection through a wire.
type line struct {
	proxy  *Proxy
	caller net.Conn
	server *net.UnixConn
	ending bool // the connection to the caller is closed, or about to be; guarded by Proxy.mu
}

// decide returns which part of a message is passed on, after which delay, and whether the line
// goes on. If not, a Drain that is called from now on waits for its end.
func (l *line) decide(up bool, said []byte) (through []byte, by time.Duration, more bool) {
	p := l.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	if up && p.late != nil {
		if by, late := p.late(said); late {
			l.ending = true
			return said, by, false
		}
	}
	through, more = p.pass(up, said)
	l.ending = l.ending || !more
	return through, 0, more
}

// hangUp closes the connection to the caller.
func (l *line) hangUp() {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
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
			case <-l.proxy.ctx.Done():
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

// Drain waits until the server has carried out every message of the connections that have been
// cut so far, late ones included.
func (p *Proxy) Drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range slices.Collect(maps.Keys(p.lines)) {
		for l.ending && p.lines[l] {
			p.ended.Wait()
		}
	}
}

// CloseAll ends all connections.
func (p *Proxy) CloseAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.lines {
		l.ending = true
		_ = l.caller.Close()
	}
}
