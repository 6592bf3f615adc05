package edge

import (
	"net"
	"net/http"
	"time"
)

// Listener wraps l so that requests that net/http itself refuses are answered in the contract's
// format, and clients that do not read are disconnected.
func (e *Edge) Listener(l net.Listener) net.Listener {
	return e.API.Contract.Listener(&readListener{Listener: l, within: e.WriteTime})
}

// Refusal returns the complete HTTP answer to a connection for which the service has no room.
func (e *Edge) Refusal() []byte { return e.API.Contract.Refusal(http.StatusServiceUnavailable) }

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

// NetConn returns the connection below, like tls.Conn.NetConn.
func (c *readConn) NetConn() net.Conn { return c.Conn }

// writePiece is the length of the pieces that Config.WriteTime bounds.
const writePiece = 64 << 10

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
