package forkserver

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// startWithin is how long a worker may take to start. A starter that takes longer is killed.
const startWithin = 20 * time.Second

var (
	errClosed = errors.New("starter: closed")
	errGone   = errors.New("starter: the process that starts workers ended")
)

// A Starter starts workers of one command. It is safe for concurrent use.
type Starter struct {
	argv []string // of the starter process
	dir  string
	log  *slog.Logger

	mu         sync.Mutex
	running    *running // nil if it was not started yet or has ended
	closed     bool
	namespaces bool // whether to request them: until the system refuses them
	had        bool // whether a worker ever had them
	lacks      bool // whether the latest worker lacks them
}

// running is a process that starts workers.
type running struct {
	process *os.Process
	conn    *net.UnixConn
	gone    chan struct{} // closed when the process is

	sending sync.Mutex

	mu      sync.Mutex
	last    uint32
	workers map[uint32]*Process // that have not ended
}

// A Process is the process of a worker.
type Process struct {
	Pid        int
	Namespaces bool // it has namespaces of its own

	started chan error    // buffered, for the single answer
	limit   *time.Timer   // kills the starter process
	left    bool          // its caller has left; guarded by the mutex of running
	lacks   syscall.Errno // the reason for missing namespaces; 0 if it is unknown or they were not requested
	exited  chan struct{}
}

// Exited returns a channel that is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Kill ends the process immediately. It leads a group of its own, so its children end too.
func (p *Process) Kill() {
	select {
	case <-p.exited: // its number may be another's
	default:
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // this fails if the process has ended
	}
}

// New returns a starter of workers with this command and the working directory dir. It starts no process yet. The calling program must run
// [Main] if its first argument is [Command].
func New(argv []string, dir string, log *slog.Logger) (*Starter, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starter: %w", err)
	}
	return &Starter{
		argv: append([]string{self, Command}, argv...), dir: dir, log: log, namespaces: runtime.GOOS == "linux",
	}, nil
}

// Namespaces reports whether the worker that started last has namespaces of its own or, before the first, whether they will be requested.
func (s *Starter) Namespaces() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.namespaces && !s.lacks
}

// WithoutNamespaces makes workers start as on a system without namespaces.
func (s *Starter) WithoutNamespaces() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.namespaces = false
}

// Start starts a worker with these files, of which the first is its standard input, the second its standard output, and the third its
// descriptor 3. The caller closes them. If ctx ends before the worker has started, Start returns the error of ctx and also the process,
// which is killed once it has started.
func (s *Starter) Start(ctx context.Context, files ...*os.File) (*Process, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errClosed
	}
	if s.running == nil || s.running.over() {
		r, err := s.run()
		if err != nil {
			s.mu.Unlock()
			return nil, err
		}
		s.running = r
	}
	r, namespaces := s.running, s.namespaces
	s.mu.Unlock()

	p, err := r.ask(ctx, namespaces, files)
	if err != nil {
		return p, err
	}
	if namespaces {
		s.learn(p)
	}
	return p, nil
}

// learn remembers whether a worker got namespaces. If the system does not allow them, or no worker ever got them, they are not requested
// again. After a lack of resources (memory, descriptors, processes) they are requested for the next worker.
func (s *Starter) learn(p *Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lacks = !p.Namespaces
	if p.Namespaces {
		s.had = true
		return
	}
	if !s.namespaces {
		return // another worker has shown that already
	}
	refused := p.lacks == syscall.EPERM || p.lacks == syscall.EINVAL || p.lacks == syscall.ENOSYS
	switch {
	case refused && !s.had: // as in most containers
		s.log.Info("duckdb: workers run without namespaces of their own; the system does not allow them", "err", p.lacks)
	case refused || !s.had:
		s.log.Warn("duckdb: workers run without namespaces of their own from now on", "err", p.lacks)
	default:
		s.log.Warn("duckdb: a worker runs without namespaces of its own", "err", p.lacks)
	}
	s.namespaces = !refused && s.had
}

// errUnsaid is the error of a worker that did not start, without an error number of the system.
var errUnsaid = errors.New("starter: the worker did not start")

// Close ends the starter process, and with it the workers that still run.
func (s *Starter) Close() {
	s.mu.Lock()
	s.closed = true
	r := s.running
	s.mu.Unlock()
	if r == nil {
		return
	}
	r.conn.Close()
	<-r.gone
}

// run starts the starter process.
func (s *Starter) run() (*running, error) {
	ours, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	conn, err := connection(ours)
	if err != nil {
		return nil, err
	}
	r := &running{conn: conn, gone: make(chan struct{}), workers: map[uint32]*Process{}}
	begun := make(chan error)
	go func() {
		// The starter is killed when the thread that started it ends, so this goroutine keeps its thread until the starter has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd := &exec.Cmd{
			Path: s.argv[0], Args: s.argv, Env: []string{}, Dir: s.dir, ExtraFiles: []*os.File{theirs}, SysProcAttr: attributes(false),
		}
		err := cmd.Start()
		r.process = cmd.Process
		begun <- err
		if err == nil {
			_ = cmd.Wait() // r.listen reports its end
			close(r.gone)
		}
	}()
	if err := <-begun; err != nil {
		conn.Close()
		return nil, err
	}
	go r.listen(s.log)
	return r, nil
}

// pair makes the two ends of a socket.
func pair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // no process is started until they are marked close-on-exec
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket"), nil
}

// over reports whether the process has ended.
func (r *running) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.workers == nil
}

// ask requests a worker from the starter process.
func (r *running) ask(ctx context.Context, namespaces bool, files []*os.File) (*Process, error) {
	p := &Process{started: make(chan error, 1), limit: time.AfterFunc(startWithin, r.end), exited: make(chan struct{})}
	r.mu.Lock()
	if r.workers == nil {
		r.mu.Unlock()
		p.limit.Stop()
		return nil, errGone
	}
	r.last++
	id := r.last
	r.workers[id] = p
	r.mu.Unlock()

	r.sending.Lock()
	_ = r.conn.SetWriteDeadline(time.Now().Add(startWithin)) // fails if it is closed, as the next line does
	err := request{ID: id, Namespaces: namespaces}.send(r.conn, files)
	r.sending.Unlock()
	if err != nil {
		r.end() // part of a request may have been sent
		return nil, err
	}
	select {
	case err := <-p.started:
		if err != nil {
			return nil, err
		}
		return p, nil
	case <-ctx.Done():
		r.leave(p)
		return p, ctx.Err()
	}
}

// leave kills a worker whose caller has left, now or once it has started.
func (r *running) leave(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.left = true
	select {
	case err := <-p.started:
		if err == nil {
			p.Kill()
		}
	default: // listen does it
	}
}

// end kills the process, and with it its workers.
func (r *running) end() { _ = r.process.Kill() } // this fails if the process has ended

// told handles a reply about a worker.
func (r *running) told(a reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.workers[a.ID]
	if a.Ended {
		delete(r.workers, a.ID)
	}
	if p == nil {
		return
	}
	p.limit.Stop()
	switch {
	case a.Pid == 0:
		err := error(errUnsaid)
		if a.Errno != 0 {
			err = syscall.Errno(a.Errno)
		}
		p.started <- err
		close(p.exited)
	case a.Ended:
		close(p.exited)
	default:
		p.Pid, p.Namespaces, p.lacks = int(a.Pid), a.Namespaces, syscall.Errno(a.Errno)
		p.started <- nil
		if p.left {
			p.Kill()
		}
	}
}

// listen reads replies until the starter process ends. Then no worker is left.
func (r *running) listen(log *slog.Logger) {
	in := bufio.NewReader(r.conn)
	for {
		var a reply
		if err := binary.Read(in, order, &a); err != nil {
			break
		}
		r.told(a)
	}
	r.conn.Close()
	r.end()
	<-r.gone
	r.mu.Lock()
	left := r.workers
	r.workers = nil
	r.mu.Unlock()
	for _, p := range left {
		p.limit.Stop()
		select {
		case p.started <- errGone:
		default: // it had started, and was killed with the process
		}
		close(p.exited)
	}
	if len(left) > 0 {
		log.Warn("duckdb: the process that starts workers ended, and they with it", "workers", len(left))
	}
}
