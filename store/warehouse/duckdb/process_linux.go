package duckdb

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// attributes put a worker into a process group of its own and let the kernel
// kill it when the server dies. In namespaces of its own it has no network, sees
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

// openStatm opens the memory statistics of a process. It is nil when the process
// is gone.
func openStatm(pid int) *os.File {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return nil
	}
	return f
}

// resident reads the resident memory in bytes. It is 0 when the process is gone.
func resident(statm *os.File) int64 {
	var buf [128]byte
	n, _ := statm.ReadAt(buf[:], 0)
	fields := bytes.Fields(buf[:n])
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}
