package forkserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// A request asks for a worker. The worker's files are sent with it; the first two are its standard input and output.
type request struct {
	ID         uint32
	Files      uint32
	Namespaces bool // of its own, if the system allows that
}

// A reply is the outcome of a request.
type reply struct {
	ID         uint32
	Pid        uint32 // 0 if it did not start
	Ended      bool   // the process has ended: the last reply to a request
	Namespaces bool
	Errno      uint32 // why it did not start, or has no namespaces; 0 if unknown
}

// maxFiles is how many files the starter accepts for one worker, which bounds how many it waits for.
const maxFiles = 10_000

// perMessage is how many files are sent with one message: the kernel's limit is 253 (unix(7), SCM_RIGHTS).
const perMessage = 200

var order = binary.LittleEndian

// send writes a request with its files.
func (r request) send(to *net.UnixConn, files []*os.File) error {
	r.Files = uint32(len(files))
	b, err := binary.Append(nil, order, r)
	for first := true; err == nil && (first || len(files) > 0); first = false {
		n := min(len(files), perMessage)
		fds := make([]int, n)
		for i, f := range files[:n] {
			fds[i] = int(f.Fd())
		}
		if !first {
			b = []byte{0} // files need at least a byte of data
		}
		_, _, err = to.WriteMsgUnix(b, syscall.UnixRights(fds...), nil)
		files = files[n:]
	}
	return err
}

// receive reads a request and its files, which the caller closes. The error is io.EOF when the server has closed the connection and needs
// no more workers.
func receive(from *net.UnixConn) (r request, files []*os.File, err error) {
	defer func() {
		if err != nil {
			closeAll(files)
		}
	}()
	b := make([]byte, binary.Size(r))
	for n := 0; n < len(b); {
		k, got, err := message(from, b[n:])
		files = append(files, got...)
		if err != nil {
			return r, files, err
		}
		n += k
	}
	if _, err = binary.Decode(b, order, &r); err != nil {
		return r, files, err
	}
	if r.Files < 2 || r.Files > maxFiles {
		return r, files, fmt.Errorf("starter: a worker with %d files", r.Files)
	}
	for len(files) < int(r.Files) {
		_, got, err := message(from, make([]byte, 1))
		files = append(files, got...)
		if err != nil {
			return r, files, err
		}
		if len(got) == 0 {
			return r, files, errors.New("starter: files are missing")
		}
	}
	return r, files, nil
}

// message reads the available bytes into b, and the files that were sent with them.
func message(from *net.UnixConn, b []byte) (n int, files []*os.File, err error) {
	rights := make([]byte, syscall.CmsgSpace(4*perMessage))
	n, k, _, _, err := from.ReadMsgUnix(b, rights)
	if err != nil {
		return 0, nil, err
	}
	controls, err := syscall.ParseSocketControlMessage(rights[:k])
	if err != nil {
		return n, nil, err
	}
	for _, c := range controls {
		fds, err := syscall.ParseUnixRights(&c)
		if err != nil {
			return n, files, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "file of a worker"))
		}
	}
	if n == 0 {
		return 0, files, io.EOF
	}
	return n, files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
