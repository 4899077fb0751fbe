package starter

import (
	"os"
	"syscall"
)

// attributes put a worker into a process group of its own and let the kernel
// kill it when the thread that starts it ends. In namespaces of its own it has no network, sees
// no other process, and is the user nobody.
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

// lower gives this thread the niceness of workers, unless it is nicer.
func lower() {
	// The system call answers with 20 less the niceness (getpriority(2)).
	if own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err != nil || 20-own < niceness {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) // it can always be more
	}
}
