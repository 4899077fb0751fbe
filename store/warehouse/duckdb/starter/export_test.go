package starter

import (
	"os"
	"os/exec"
	"syscall"
)

// Pid is the process that starts workers, or 0 when there is none.
func (s *Starter) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil || s.running.over() {
		return 0
	}
	return s.running.process.Pid
}

// Niceness is that of workers.
const Niceness = niceness

// Attributes are what a worker is started with.
func Attributes(namespaces bool) *syscall.SysProcAttr { return attributes(namespaces) }

// MainWithout is [Main] on a machine where namespaces are there for the n-th worker that asks for them if errnos[n] is nil, and fail by
// it otherwise. Beyond the last errno, they are there. A worker that is said to have them has none.
func MainWithout(argv []string, errnos []error) int {
	server, err := connection(os.NewFile(socket, "socket"))
	if err != nil {
		return 1
	}
	serve(server, argv, func(argv []string, files []*os.File, namespaces bool) (*exec.Cmd, error) {
		if namespaces && len(errnos) > 0 {
			err := errnos[0]
			if errnos = errnos[1:]; err != nil {
				return nil, err
			}
		}
		return start(argv, files, false)
	})
	return 0
}
