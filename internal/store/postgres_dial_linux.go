package store

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// unacknowledged is how many milliseconds what was sent may stay unacknowledged: a
// machine that is gone answers nothing, and TCP goes on trying for a quarter of an hour.
const unacknowledged = 20_000

func boundUnacknowledged(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, unacknowledged)
	})
	return joinErrors(err, failed)
}
