package store

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic returns the time since now. It includes the time for which the machine is suspended, which
// time.Since does not.
func monotonic() func() time.Duration {
	read := func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
			panic("store: CLOCK_BOOTTIME, which Linux has since 2.6.39: " + err.Error())
		}
		return time.Duration(t.Nano())
	}
	start := read()
	return func() time.Duration { return read() - start }
}
