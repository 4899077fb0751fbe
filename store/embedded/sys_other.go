//go:build unix && !linux

package embedded

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// attributes puts the child in a process group of its own. There is no death signal here: a server whose supervisor was killed runs on
// until the next start, which shuts it down first (see reclaim).
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Setpgid: true}
}

// serves reports whether pid is a PostgreSQL that was started on the cluster data.
func serves(pid int, data string) bool {
	out, err := exec.Command("ps", "-o", "stat=,command=", "-p", strconv.Itoa(pid)).Output()
	state, command, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return err == nil && !strings.HasPrefix(state, "Z") &&
		strings.Contains(command, "postgres") && strings.Contains(command, data)
}
