package transport

import "syscall"

// endWithUs has the system kill a program once the thread is gone that has started it.
func endWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
