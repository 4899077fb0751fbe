//go:build !linux

package starter

import "syscall"

// attributes put a worker into a process group of its own.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
