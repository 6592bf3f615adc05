package app

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// The part of a TCP header that a filter reads: the byte with the flags, and the flag of a request for a connection.
const (
	tcpFlags = 13
	tcpSYN   = 0x02
)

// refuseNew makes the kernel ignore requests for new connections to a listener that is about to be closed. Those that
// it has completed are accepted still: closing would reset them with their requests, which a proxy has sent and must
// not repeat. A client that is ignored tries again a second later, and the closed listener refuses it: then it has sent
// nothing, and may ask another node.
func refuseNew(l *net.TCPListener) error {
	raw, err := l.SyscallConn()
	if err != nil {
		return err
	}
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: tcpFlags},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: tcpSYN}, // without the flag, skips one
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},                             // drops the packet
		{Code: unix.BPF_RET | unix.BPF_K, K: 1<<32 - 1},                     // lets it pass
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &filter)
	})
	return errors.Join(err, failed)
}
