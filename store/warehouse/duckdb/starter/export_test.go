package starter

import "syscall"

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
