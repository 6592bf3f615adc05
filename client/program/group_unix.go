//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a command start in a process group of its own, so that killGroup reaches the processes that it starts,
// and an interrupt at the terminal does not.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a command and the processes of its group. The number of a group stays in use while the command is
// not waited for, so no other process can have it; later the call finds only the remaining processes of the group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
