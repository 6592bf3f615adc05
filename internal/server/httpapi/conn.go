package httpapi

import (
	"net"
	"net/http"
	"time"
)

// Listener returns l such that even requests that net/http refuses by itself are
// answered as the contract says, and clients that do not read are cut off.
func (a *API) Listener(l net.Listener) net.Listener {
	return a.contract.Listener(&readListener{l, a.WriteTime})
}

// Refusal returns the whole answer, as it is sent, to a connection for which there is no room.
func (a *API) Refusal() []byte { return a.contract.Refusal(http.StatusServiceUnavailable) }

// readListener accepts connections whose other end must read: what is written and not
// taken stays in memory, and who asks for much and reads nothing could fill it. There is
// no bound on a whole answer, which may be one that is held or a stream.
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
	return &readConn{c, l.within}, nil
}

type readConn struct {
	net.Conn
	within time.Duration
}

// writeTime is the default of Config.WriteTime, for each piece of writePiece bytes: the
// slowest client that is served takes 3 kB a second.
const (
	writeTime  = 20 * time.Second
	writePiece = 64 << 10
)

// Write gives the other end time for each piece. After an error the connection is of no
// use, and net/http closes it.
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

// CloseWrite lets net/http say that it is done and give the client time to read.
func (c *readConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
