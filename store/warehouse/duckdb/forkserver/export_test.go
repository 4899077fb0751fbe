package forkserver

import (
	"os"
	"os/exec"
	"syscall"
)

// Pid is the id of the starter process, or 0 if it does not run.
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

// Attributes are the attributes with which a worker is started.
func Attributes(namespaces bool) *syscall.SysProcAttr { return attributes(namespaces) }

// MainWithout is [Main] on a machine where the n-th worker that requests namespaces gets them if errnos[n] is nil, and fails with that
// error otherwise. Beyond the last errno, they are there. A worker that is reported to have them has no namespaces.
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
