package forkserver

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Command is the first argument of a process that is a starter. The others are the command
// of its workers.
const Command = "query-starter"

// niceness of workers. It is high because the server, on which every request depends, is more urgent than one query.
const niceness = 10

// socket is the descriptor on which a starter receives requests.
const socket = 3

// Main starts the workers that are requested on its socket until that is closed, and returns the exit status of the process.
func Main(argv []string) int {
	// Workers are killed when the thread that started them ends, and inherit its niceness.
	runtime.LockOSThread()
	lower()
	server, err := connection(os.NewFile(socket, "socket"))
	if err != nil || len(argv) == 0 {
		return 1
	}
	serve(server, argv, start)
	return 0
}

// serve answers requests until the server has ended.
func serve(server *net.UnixConn, argv []string, start func(argv []string, files []*os.File, namespaces bool) (*exec.Cmd, error)) {
	var writing sync.Mutex
	answer := func(r reply) {
		writing.Lock()
		defer writing.Unlock()
		_ = binary.Write(server, order, r) // it fails if the server has ended, which soon ends this process too
	}
	for {
		r, files, err := receive(server)
		if err != nil {
			return
		}
		out := reply{ID: r.ID, Namespaces: r.Namespaces}
		cmd, err := start(argv, files, r.Namespaces)
		if err != nil && r.Namespaces {
			out.Namespaces, out.Errno = false, errno(err)
			cmd, err = start(argv, files, false)
		}
		closeAll(files)
		if err != nil {
			out.Errno, out.Ended = errno(err), true
			answer(out)
			continue
		}
		out.Pid = uint32(cmd.Process.Pid)
		answer(out)
		go func() {
			_ = cmd.Wait() // its pipes show how it ended
			out.Ended = true
			answer(out)
		}()
	}
}

// errno returns the system's error number of err, or 0 if err is another error.
func errno(err error) uint32 {
	no, _ := errors.AsType[syscall.Errno](err)
	return uint32(no)
}

// start runs a worker. It has only these files.
func start(argv []string, files []*os.File, namespaces bool) (*exec.Cmd, error) {
	cmd := &exec.Cmd{
		Path:   argv[0],
		Args:   argv,
		Env:    []string{},
		Stdin:  files[0],
		Stdout: files[1],

		ExtraFiles:  files[2:],
		SysProcAttr: attributes(namespaces),
	}
	return cmd, cmd.Start()
}

// connection converts a socket that was passed from another process, and closes f.
func connection(f *os.File) (*net.UnixConn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	unix, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("starter: not a Unix socket"), c.Close())
	}
	return unix, nil
}
