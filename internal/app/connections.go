package app

import (
	"container/list"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// keptFiles is how many files the process keeps for other things than its callers'
	// connections: the database, Redis, the admin address.
	keptFiles = 192
	// refusedAtOnce is how many clients at once are given time to read that they are refused.
	refusedAtOnce = keptFiles / 4
	// sayBusyEvery is how often the log says that connections are refused.
	sayBusyEvery = time.Minute
	// refuseWithin bounds how long a client may take to take its refusal.
	refuseWithin = time.Second
)

// connectionsFor returns how many connections of callers fit into so many open files.
func connectionsFor(files uint64) int {
	const many = 1 << 30
	return int(max(1, min(files, many)-min(keptFiles, min(files, many)/2)))
}

// connections are those of callers. There are only as many as the limit of open files
// allows: beyond, one that waits for its next request is closed, and where there is none the
// new one is refused. Otherwise net/http would try to accept it again and again, in silence,
// while its client waits, and nothing would be left to open the database with, or to answer
// who asks for the service's health.
type connections struct {
	most     int
	refuse   func() []byte // the answer to who is refused
	refusing chan struct{} // holds a token for each that is being refused
	log      *slog.Logger

	mu   sync.Mutex                 // guards what follows
	open map[net.Conn]*list.Element // of idle; nil for one that is in use
	idle *list.List                 // of net.Conn, the one that has waited longest first
	said time.Time
}

func newConnections(most int, refuse func() []byte, log *slog.Logger) *connections {
	return &connections{most: most, refuse: refuse, refusing: make(chan struct{}, refusedAtOnce), log: log,
		open: map[net.Conn]*list.Element{}, idle: list.New()}
}

// changed is http.Server.ConnState.
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
	case state == http.StateIdle && known:
		c.open[conn] = c.idle.PushBack(conn)
	case state == http.StateClosed || state == http.StateHijacked:
		delete(c.open, conn)
	}
}

// admit reports whether there is room for a connection that has just come.
func (c *connections) admit() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) < c.most || c.closeIdle() {
		return true
	}
	c.say(errors.New("all that open files allow are in use"))
	return false
}

// closeIdle closes the connection that has waited longest for a request, if any waits. Its
// client opens another one, as after any pause.
func (c *connections) closeIdle() bool {
	oldest := c.idle.Front()
	if oldest == nil {
		return false
	}
	conn := c.idle.Remove(oldest).(net.Conn)
	delete(c.open, conn)
	_ = conn.Close() // it is given up
	return true
}

// full notes that the process has no file left, and reports whether it has now.
func (c *connections) full(why error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.say(why)
	return c.closeIdle()
}

// turnAway answers a connection that is not served, and closes it once the client has had
// time to read that. Where many are turned away at once they are only closed.
func (c *connections) turnAway(conn net.Conn) {
	select {
	case c.refusing <- struct{}{}:
	default:
		_ = conn.Close() // it is refused
		return
	}
	go func() {
		defer func() { <-c.refusing }()
		_ = conn.SetDeadline(time.Now().Add(refuseWithin))
		// An answer before the request would be an error of the protocol to some clients.
		_, _ = conn.Read(make([]byte, 512))
		_, _ = conn.Write(c.refuse()) // all of this is a courtesy
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, conn) // closed with something unread, the answer would be lost
		_ = conn.Close()
	}()
}

// say says in the log, now and then, that connections are refused.
func (c *connections) say(why error) {
	now := time.Now()
	if now.Sub(c.said) < sayBusyEvery {
		return
	}
	c.said = now
	c.log.Error("connections are refused: raise the limit of open files, or add nodes", "most", c.most, "error", why)
}

// spareListener accepts connections also when the process, or the machine, has no file left
// for them: it keeps one open to give up for that, by which the client is refused and need
// not wait.
type spareListener struct {
	net.Listener
	connections *connections

	mu    sync.Mutex // guards spare
	spare *os.File   // nil while it could not be opened
}

// Accept waits for the next connection.
func (l *spareListener) Accept() (net.Conn, error) {
	for {
		l.keep()
		conn, err := l.Listener.Accept()
		none := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
		switch {
		case err == nil && l.connections.admit(), err != nil && !none:
			return conn, err
		case err == nil:
			l.connections.turnAway(conn)
			continue
		case l.connections.full(err):
			continue // with the file of the one that was closed
		case !l.give():
			return nil, err // net/http waits, and tries again
		}
		if conn, err = l.Listener.Accept(); err == nil {
			_ = conn.Close() // it is refused, so that the spare file can be opened again
		}
	}
}

// keep opens the spare file when it is not open.
func (l *spareListener) keep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare == nil {
		l.spare, _ = os.Open(os.DevNull)
	}
}

// give closes the spare file, and says whether it was open.
func (l *spareListener) give() bool {
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
	l.give()
	return l.Listener.Close()
}
