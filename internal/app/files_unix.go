//go:build unix

package app

import (
	"fmt"
	"math"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// openFiles returns how many files the process may have open at a time.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur) //nolint:unconvert // signed on some systems
}

// checkUser returns an error when root would write into the data folder of another user: a service cannot read the
// files that root makes there. A folder that does not exist belongs to its maker.
func checkUser(data string) error {
	var s syscall.Stat_t
	if err := syscall.Stat(data, &s); err != nil || s.Uid == 0 || os.Geteuid() != 0 {
		return nil //nolint:nilerr // the command reports a folder that it cannot use
	}
	name := "'#" + strconv.FormatUint(uint64(s.Uid), 10) + "'"
	if owner, err := user.LookupId(strconv.FormatUint(uint64(s.Uid), 10)); err == nil {
		name = owner.Username
	}
	return fmt.Errorf("%s belongs to %s, whose service could not read the files of root: run this with sudo -u %[2]s, or, "+
		"if your service runs as root, give it the folder first: chown -R root %[1]s", data, name)
}
