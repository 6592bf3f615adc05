package postgres

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"roshambo/internal/store/engine"
)

// unacknowledged bounds, in milliseconds, how long sent data may stay unacknowledged: TCP would
// retransmit to a stopped machine for a quarter of an hour.
const unacknowledged = 20_000

// boundUnacknowledged sets TCP_USER_TIMEOUT on a TCP socket, for net.Dialer.Control.
func boundUnacknowledged(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, unacknowledged)
	})
	return engine.Join(err, failed)
}
