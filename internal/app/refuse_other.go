//go:build !linux

package app

import (
	"errors"
	"net"
)

// refuseNew does nothing: only Linux filters the packets of a listener. Closing it resets connections that the kernel
// has completed and that were not accepted yet.
func refuseNew(*net.TCPListener) error { return errors.ErrUnsupported }
