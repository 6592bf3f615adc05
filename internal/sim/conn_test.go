package sim

import (
	"context"
	"io"
	"net"
	"sync"
)

// halfClosing is a connection to a node. Closed, it ends as that of a client does that goes away,
// but for its own half alone: the node ends the other one when it has finished with the
// request, after which a call that was broken off has no further effect.
type halfClosing struct {
	*net.TCPConn
	once sync.Once
	done chan struct{} // closed when the node has closed its half
}

// dial connects to a node.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &halfClosing{TCPConn: conn.(*net.TCPConn), done: make(chan struct{})}, nil //nolint:forcetypeassert // nodes listen on TCP
}

// Close closes the client's half.
func (c *halfClosing) Close() error {
	c.once.Do(func() {
		_ = c.CloseWrite()
		go func() {
			defer close(c.done)
			_, _ = io.Copy(io.Discard, c.TCPConn) // until the node hangs up, or is gone
			_ = c.TCPConn.Close()
		}()
	})
	return nil
}

// wait waits until the node has finished with a connection that is or will be closed.
func (c *halfClosing) wait() {
	_ = c.Close()
	<-c.done
}
