//go:build !linux

package forkserver

import "syscall"

// attributes puts a worker into a process group of its own.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// lower sets the niceness of this process to that of workers.
func lower() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) } // an error leaves it unchanged
