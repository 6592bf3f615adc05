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

// Proxy relays connections between an open database and its server, and injects faults into
// their messages.
type Proxy struct {
	server string // socket path
	folder string // of the socket that it listens on
	pass   Filter
	late   Delay
	ctx    context.Context // of the test: no connection is relayed after it ends

	mu     sync.Mutex // guards the fields below, line.ending, and calls of pass and late
	lines  map[*line]bool
	frozen chan struct{} // closed by Thaw; nil unless frozen
	over   bool          // the test has ended
	ended  sync.Cond     // signalled when a line ends; its lock is mu
}

// Filter returns the part of a message to relay, to the server if up and to the client
// otherwise, and whether the connection continues. The proxy calls it for one message at a
// time.
type Filter func(up bool, message []byte) (relayed []byte, more bool)

// Delay reports whether to disconnect the client that sent a message and still deliver the
// message to the server after a delay. The proxy calls it for one message at a time.
type Delay func(message []byte) (by time.Duration, late bool)

// socketName is the name of PostgreSQL's socket for the default port.
const socketName = ".s.PGSQL.5432"

// NewProxy starts a proxy for a server whose socket is in the folder server, see Cluster.Path.
// late may be nil.
func NewProxy(t testing.TB, server string, pass Filter, late Delay) *Proxy {
	t.Helper()
	folder, err := os.MkdirTemp("", "roshambo-proxy-") //nolint:usetesting // the path of a socket must be short
	check(t, err)
	p := &Proxy{
		server: filepath.Join(server, socketName), folder: folder, pass: pass, late: late,
		ctx: t.Context(), lines: map[*line]bool{},
	}
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
		for l := range p.lines { // its server may never close them
			_ = l.server.Close()
		}
		p.mu.Unlock()
		wait.Wait()
		_ = os.RemoveAll(folder)
	})
	return p
}

// Patient is added to a URL, and gives a busy machine a minute to connect and for each round trip.
const Patient = "&connect_timeout=60"

// URL returns the URL of a database behind the proxy.
func (p *Proxy) URL(database string) string {
	return "postgres:///" + database + "?user=postgres&host=" + p.folder
}

// relay copies messages both ways until one side closes. It closes the client's connection at
// once, and reads from the server until the server closes: by then the server has executed
// every message that it received.
func (p *Proxy) relay(caller net.Conn) {
	dialed, err := (&net.Dialer{}).DialContext(p.ctx, "unix", p.server)
	if err != nil {
		_ = caller.Close()
		return
	}
	server := dialed.(*net.UnixConn) // dialing unix gives no other
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

// line is one relayed connection.
type line struct {
	proxy  *Proxy
	caller net.Conn
	server *net.UnixConn
	ending bool // the client's connection is closed, or about to be; guarded by Proxy.mu
}

// decide returns the part of a message to relay, the delay, and whether the line continues. If
// it does not, later calls of Drain wait for its end.
func (l *line) decide(up bool, message []byte) (relayed []byte, by time.Duration, more bool) {
	p := l.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	if up && p.late != nil {
		if by, late := p.late(message); late {
			l.ending = true
			return message, by, false
		}
	}
	relayed, more = p.pass(up, message)
	l.ending = l.ending || !more
	return relayed, 0, more
}

// hangUp closes the client's connection.
func (l *line) hangUp() {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	l.ending = true
	_ = l.caller.Close()
}

// up copies from the client to the server.
func (l *line) up() {
	defer l.server.CloseWrite() //nolint:errcheck // the server may have closed already
	defer l.hangUp()
	text := make([]byte, 1<<16)
	for {
		n, err := l.caller.Read(text)
		if err != nil {
			return
		}
		l.proxy.awaitThaw()
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

// down copies from the server to the client, and discards data after the client's end.
func (l *line) down() {
	defer l.hangUp()
	text := make([]byte, 1<<16)
	for heard := true; ; {
		n, err := l.server.Read(text)
		if err != nil {
			return
		}
		l.proxy.awaitThaw()
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

// Freeze makes the proxy accept and relay nothing but connections, as a stopped server does, until Thaw.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen == nil {
		p.frozen = make(chan struct{})
	}
}

// Thaw makes the proxy relay again, at first what it has received meanwhile.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}

// awaitThaw returns once the proxy is not frozen, or the test has ended.
func (p *Proxy) awaitThaw() {
	p.mu.Lock()
	frozen := p.frozen
	p.mu.Unlock()
	if frozen == nil {
		return
	}
	select {
	case <-frozen:
	case <-p.ctx.Done():
	}
}

// Drain waits until the server has executed every message of the connections that were cut so
// far, delayed ones included.
func (p *Proxy) Drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range slices.Collect(maps.Keys(p.lines)) {
		for l.ending && p.lines[l] {
			p.ended.Wait()
		}
	}
}

// CloseAll closes all connections.
func (p *Proxy) CloseAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.lines {
		l.ending = true
		_ = l.caller.Close()
	}
}
