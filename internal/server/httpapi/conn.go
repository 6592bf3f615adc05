package httpapi

import (
	"net"
	"net/http"
	"time"
)

// Listener wraps l so that requests that net/http itself refuses are answered in the contract's
// format, and clients that do not read are disconnected.
func (a *API) Listener(l net.Listener) net.Listener {
	return a.contract.Listener(&readListener{Listener: l, within: a.WriteTime})
}

// Refusal returns the complete HTTP answer to a connection for which the service has no room.
func (a *API) Refusal() []byte { return a.contract.Refusal(http.StatusServiceUnavailable) }

// readListener accepts connections with a deadline for every write: unread answers stay in memory,
// and a client that requests much and reads nothing could fill it. There is no deadline for a whole
// answer, which may be a long poll or a stream.
type readListener struct {
	net.Listener
	within time.Duration
}

// Accept waits for the next connection.
func (l *readListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &readConn{Conn: c, within: l.within}, nil
}

// readConn is a connection whose writes have a deadline.
type readConn struct {
	net.Conn
	within time.Duration
}

// writeTime is the default of Config.WriteTime, the time for each piece of writePiece bytes: the
// slowest client that is served reads 3 kB a second.
const (
	writeTime  = 20 * time.Second
	writePiece = 64 << 10
)

// Write writes b in pieces, each with its own deadline. After an error the connection is unusable,
// and net/http closes it.
func (c *readConn) Write(b []byte) (n int, err error) {
	for {
		piece := b[n:min(len(b), n+writePiece)]
		_ = c.SetWriteDeadline(time.Now().Add(c.within)) //nolint:forbidigo // deadlines of connections are in real time
		m, err := c.Conn.Write(piece)
		n += m
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// CloseWrite lets net/http half-close the connection, so that the client can read the last answer.
func (c *readConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
