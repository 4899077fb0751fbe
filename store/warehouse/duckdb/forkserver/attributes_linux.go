package forkserver

import (
	"os"
	"syscall"
)

// attributes puts a worker into a process group of its own and has the kernel kill it when the thread that started it ends. In its own
// namespaces a worker has no network, sees no other process, and runs as the user nobody.
func attributes(namespaces bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if namespaces {
		const nobody = 65534
		a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// lower sets the niceness of this thread to that of workers, unless it is higher.
func lower() {
	// The system call returns 20 minus the niceness (getpriority(2)).
	if own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err != nil || 20-own < niceness {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) // raising it is always allowed
	}
}
