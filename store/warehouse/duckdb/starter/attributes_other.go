//go:build !linux

package starter

import "syscall"

// attributes put a worker into a process group of its own.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// lower gives this process the niceness of workers.
func lower() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) } // if not, it is as before
