package sim

import (
	"context"
	"io"
	"net"
	"sync"
)

// halfClosing is a connection to a node. Close closes the client's half, which the node treats as a
// disconnected client. The node closes its own half when it has finished with the request, so done
// reports when an interrupted call has no further effect.
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
	return &halfClosing{TCPConn: conn.(*net.TCPConn), done: make(chan struct{})}, nil // nodes listen on TCP
}

// Close closes the client's half.
func (c *halfClosing) Close() error {
	c.once.Do(func() {
		_ = c.CloseWrite()
		go func() {
			defer close(c.done)
			_, _ = io.Copy(io.Discard, c.TCPConn) // until the node closes its half or dies
			_ = c.TCPConn.Close()
		}()
	})
	return nil
}

// wait waits until the node has finished with the connection.
func (c *halfClosing) wait() {
	_ = c.Close()
	<-c.done
}
