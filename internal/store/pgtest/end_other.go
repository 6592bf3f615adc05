//go:build !linux

package pgtest

import "syscall"

// endWithTest changes nothing: other systems have no such attribute, and the server of a killed test stays.
func endWithTest(*syscall.SysProcAttr) {}
