package starter

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// yield has this thread, and the processes that it starts, leave the processor to others.
func yield() error {
	err := unix.SchedSetAttr(0, &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: niceness, Runtime: uint64(slice),
	}, 0)
	if err != nil { // a sandbox may know the older call alone
		err = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness)
	}
	return err
}

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
