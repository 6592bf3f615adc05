//go:build !unix

package program

import "os/exec"

// ownGroup does nothing: only unix has process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills the command alone.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
