package pgtest

import "syscall"

// endWithTest makes a server end with the process of the test, also when that is killed.
func endWithTest(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
