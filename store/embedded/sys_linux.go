package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// attributes puts the child in a process group of its own and has the kernel shut it down (SIGINT is a fast shutdown) when we die, even by
// kill -9.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Setpgid: true, Pdeathsig: syscall.SIGINT}
}

// serves reports whether pid is a PostgreSQL that runs on the cluster data: all of a server's processes work in its directory. The
// executable of a zombie, or of another account's process, cannot be read.
func serves(pid int, data string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	exe, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil || !strings.HasPrefix(filepath.Base(exe), "postgres") {
		return false
	}
	cwd, err1 := os.Stat(filepath.Join(proc, "cwd"))
	cluster, err2 := os.Stat(data)
	return err1 == nil && err2 == nil && os.SameFile(cwd, cluster)
}
