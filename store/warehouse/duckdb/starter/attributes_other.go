//go:build !linux

package starter

import "syscall"

// yield has this process, and those that it starts, leave the processor to others.
func yield() error { return syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) }

// attributes put a worker into a process group of its own.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
