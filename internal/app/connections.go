package app

import (
	"container/list"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"roshambo/internal/platform/limit"
)

const (
	// connectionsPerAddress is how many connections one network address may hold open: as many
	// streams as it may have, and as many again for other requests.
	connectionsPerAddress = 200

	// reservedFiles is the number of open files reserved for the process itself: the database, Redis,
	// the admin address.
	reservedFiles = 192
	// refusedAtOnce is how many refused clients at once get time to read the refusal.
	refusedAtOnce = reservedFiles / 4
	// refusalLogEvery is the shortest interval between log lines about refused connections.
	refusalLogEvery = time.Minute
	// refuseTimeout bounds how long a client may take to read its refusal.
	refuseTimeout = time.Second
)

// connectionsFor returns how many client connections fit into a limit of open files. It is at least
// 1.
func connectionsFor(files uint64) int {
	const many = 1 << 30
	return int(max(1, min(files, many)-min(reservedFiles, min(files, many)/2)))
}

// connections tracks the open client connections and bounds their number by the limit of open
// files. At the bound it closes the connection that has been idle longest; when none is idle it
// refuses the new one. Without a bound net/http would retry Accept in silence while clients wait,
// and no file would be left for the database or for health checks.
//
// It also bounds the connections of each network address, idle ones included, so that one client
// cannot take all of them: connections beyond that are closed without an answer.
type connections struct {
	most     int
	bound    func(netip.Addr) int // returns how many an address may hold; 0 for any number
	refuse   func() []byte        // returns the answer to a refused client
	refusing chan struct{}        // holds one token for each refusal in progress
	timeout  time.Duration        // bounds how long a client may take to read its refusal
	log      *slog.Logger

	mu   sync.Mutex                 // guards the fields below
	open map[net.Conn]*list.Element // value: the element of idle; nil for a connection in use
	idle *list.List                 // of net.Conn, the longest idle first
	held limit.Open                 // open connections by address, except for addresses without a bound
	// When refusals were last logged, of all connections and of one address.
	logged, loggedAddress time.Time
}

// newConnections returns connections of which one address may hold as many as bound returns.
func newConnections(
	most int, bound func(netip.Addr) int, refuse func() []byte, log *slog.Logger,
) *connections {
	return &connections{most: most, bound: bound, refuse: refuse, refusing: make(chan struct{}, refusedAtOnce),
		timeout: refuseTimeout, log: log, open: map[net.Conn]*list.Element{}, idle: list.New()}
}

// connectionBound returns how many connections an address may hold, 0 for any number: as trusted proxies,
// whose connections carry the calls of many clients, and Private addresses unless the operator limits
// those as well. Addresses that many people share hold more. Config.Check has checked the proxies.
func (c *Config) connectionBound() func(netip.Addr) int {
	proxies, _ := limit.ParseRanges(c.TrustedProxies)
	shared := c.shared()
	private := !c.LimitPrivate
	return func(address netip.Addr) int {
		switch {
		case proxies.Contains(address) || private && limit.Private(address):
			return 0
		case shared.Contains(address):
			return limit.SharedTimes * connectionsPerAddress
		}
		return connectionsPerAddress
	}
}

// addressOf returns the network address of the client of a connection, and how many connections it may
// hold; 0 if they are not counted. A connection within the process has no address.
func (c *connections) addressOf(conn net.Conn) (address netip.Addr, most int) {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}, 0
	}
	address = at.Addr().Unmap().WithZone("")
	return address, c.bound(address)
}

// changed implements http.Server.ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waits, known := c.open[conn]
	if waits != nil {
		c.idle.Remove(waits)
		c.open[conn] = nil
	}
	switch {
	case state == http.StateNew:
		c.open[conn] = nil
		if address, most := c.addressOf(conn); most > 0 {
			c.held.Add(address)
		}
	case state == http.StateIdle && known:
		c.open[conn] = c.idle.PushBack(conn)
	case known && (state == http.StateClosed || state == http.StateHijacked):
		c.forget(conn)
	}
}

// forget removes an open connection from the counts.
func (c *connections) forget(conn net.Conn) {
	delete(c.open, conn)
	if address, most := c.addressOf(conn); most > 0 {
		c.held.Remove(address)
	}
}

// admitAddress reports whether the address of a new connection may hold another one.
func (c *connections) admitAddress(conn net.Conn) bool {
	address, most := c.addressOf(conn)
	if most == 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.held.Full(address, most) {
		return true
	}
	if now := time.Now(); now.Sub(c.loggedAddress) >= refusalLogEvery {
		c.loggedAddress = now
		// The address is not logged: it is personal data.
		c.log.Warn("a network address holds as many connections as it may: more are closed", "most", most)
	}
	return false
}

// admit reports whether there is room for a new connection, after closing an idle one if necessary.
func (c *connections) admit() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) < c.most {
		return true
	}
	if conn := c.dropIdle(); conn != nil {
		go func() { _ = conn.Close() }() // over TLS, a client that does not read holds it for seconds
		return true
	}
	c.logRefusal(errors.New("connection limit reached (bounded by open files)"))
	return false
}

// dropIdle returns the connection that has been idle longest, which the caller closes and which counts no longer; nil
// for none. Its client reconnects, as after any idle timeout.
func (c *connections) dropIdle() net.Conn {
	oldest := c.idle.Front()
	if oldest == nil {
		return nil
	}
	conn := c.idle.Remove(oldest).(net.Conn)
	c.forget(conn)
	return conn
}

// full records that the process has no file left, and reports whether closing an idle connection
// has freed one.
func (c *connections) full(why error) bool {
	c.mu.Lock()
	c.logRefusal(why)
	conn := c.dropIdle()
	c.mu.Unlock()
	if conn == nil {
		return false
	}
	// The file must be free when full returns: the farewell of TLS, which may take seconds, is left out.
	_ = rawConn(conn).Close()
	go func() { _ = conn.Close() }() // its layers above the network
	return true
}

// rawConn returns the connection of the network below the layers of the server.
func rawConn(conn net.Conn) net.Conn {
	for {
		layer, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = layer.NetConn()
	}
}

// refuseConn answers a connection that is not served and closes it after the client had time to read
// the answer. Beyond refusedAtOnce, it closes connections without an answer, and so it does those for TLS: the client
// could not read one.
func (c *connections) refuseConn(conn net.Conn, secure bool) {
	if secure {
		_ = conn.Close()
		return
	}
	select {
	case c.refusing <- struct{}{}:
	default:
		_ = conn.Close() // closed without an answer
		return
	}
	go func() {
		defer func() { <-c.refusing }()
		_ = conn.SetDeadline(time.Now().Add(c.timeout))
		// Some clients treat an answer before the request as a protocol error.
		_, _ = conn.Read(make([]byte, 512))
		_, _ = conn.Write(c.refuse()) // best effort
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, conn) // with unread input, Close would reset the connection and discard the answer
		_ = conn.Close()
	}()
}

// logRefusal logs that connections are refused, at most every refusalLogEvery.
func (c *connections) logRefusal(why error) {
	now := time.Now()
	if now.Sub(c.logged) < refusalLogEvery {
		return
	}
	c.logged = now
	c.log.Error("connections are refused: raise the limit of open files, or add nodes", "most", c.most, "error", why)
}

// spareListener accepts connections even when the process or the machine has no file left: it keeps
// a spare file open, and closes it to accept and refuse a client, which then need not wait.
type spareListener struct {
	net.Listener
	connections *connections
	secure      bool // the connections speak TLS

	mu    sync.Mutex // guards spare
	spare *os.File   // nil while it cannot be opened
}

// Accept waits for the next connection.
func (l *spareListener) Accept() (net.Conn, error) {
	for {
		l.openSpare()
		conn, err := l.Listener.Accept()
		none := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
		if err == nil && !l.connections.admitAddress(conn) {
			_ = conn.Close() // without an answer, which would cost more than the connection
			continue
		}
		switch {
		case err == nil && l.connections.admit(), err != nil && !none:
			return conn, err
		case err == nil:
			l.connections.refuseConn(conn, l.secure)
			continue
		case l.connections.full(err):
			continue // accept with the freed file
		case !l.closeSpare():
			return nil, err // net/http pauses and retries
		}
		if conn, err = l.Listener.Accept(); err == nil {
			_ = conn.Close() // refused, so that the spare file can be opened again
		}
	}
}

// openSpare opens the spare file unless it is open.
func (l *spareListener) openSpare() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare == nil {
		l.spare, _ = os.Open(os.DevNull)
	}
}

// closeSpare closes the spare file, and reports whether it was open.
func (l *spareListener) closeSpare() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare == nil {
		return false
	}
	err := l.spare.Close()
	l.spare = nil
	return err == nil
}

// Close closes the listener and the spare file.
func (l *spareListener) Close() error {
	l.closeSpare()
	return l.Listener.Close()
}
