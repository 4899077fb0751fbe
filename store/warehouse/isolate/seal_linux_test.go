package isolate_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

func init() { attacks = attack }

// attack is a driver that its server has taken over.
func attack(dir string) (results []string) {
	try := func(name string, err error) { results = append(results, fmt.Sprintf("%s: %v", name, err)) }
	call := func(number uintptr, args ...uintptr) error {
		args = append(args, 0, 0, 0)
		if _, _, errno := unix.Syscall(number, args[0], args[1], args[2]); errno != 0 {
			return errno
		}
		return nil
	}
	open := func(name string, flags int) error {
		fd, err := unix.Open(filepath.Join(dir, name), flags, 0o600)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
	try("write a file", open("file", unix.O_WRONLY))
	try("write and read a file", open("file", unix.O_RDWR))
	try("add to a file", open("file", unix.O_WRONLY|unix.O_APPEND))
	try("empty a file", open("file", unix.O_TRUNC))
	try("make a file", open("new", unix.O_RDONLY|unix.O_CREAT))
	try("make a file without a name", open(".", unix.O_WRONLY|unix.O_TMPFILE))
	_, err := unix.Openat2(unix.AT_FDCWD, filepath.Join(dir, "file"), &unix.OpenHow{Flags: unix.O_WRONLY})
	try("write a file by openat2", err)
	try("remove a file", unix.Unlink(filepath.Join(dir, "file")))
	try("change a file's mode", unix.Chmod(filepath.Join(dir, "file"), 0o777))
	try("a folder", unix.Mkdir(filepath.Join(dir, "folder"), 0o777))
	program := exec.Command("/bin/true")
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stderr, os.Stderr
	try("run a program", program.Run())
	try("become a program", unix.Exec("/bin/true", []string{"true"}, nil))
	try("fork", call(unix.SYS_CLONE, uintptr(unix.SIGCHLD)))
	try("fork by clone3", call(unix.SYS_CLONE3))
	_, err = net.Dial("unix", filepath.Join(dir, "socket"))
	try("a program of this machine", err)
	_, err = net.Listen("tcp", "127.0.0.1:0")
	try("listen", err)
	for name, args := range map[string][2]uintptr{
		"a raw socket": {unix.AF_INET, unix.SOCK_RAW}, "a raw socket of IPv6": {unix.AF_INET6, unix.SOCK_RAW | unix.SOCK_CLOEXEC},
		"packets": {unix.AF_PACKET, unix.SOCK_DGRAM}, "the kernel's socket": {unix.AF_NETLINK, unix.SOCK_RAW},
		"the kernel's ciphers": {unix.AF_ALG, unix.SOCK_SEQPACKET}, "the host of a machine": {unix.AF_VSOCK, unix.SOCK_STREAM},
	} {
		try(name, call(unix.SYS_SOCKET, args[0], args[1]))
	}
	try("a pair of sockets", call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM))
	try("end the one that started it", unix.Kill(os.Getppid(), 0))
	try("trace it", call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, uintptr(os.Getppid())))
	try("read its memory", call(unix.SYS_PROCESS_VM_READV, uintptr(os.Getppid())))
	try("take its files", call(unix.SYS_PIDFD_OPEN, uintptr(os.Getppid())))
	try("a namespace", unix.Unshare(unix.CLONE_NEWUSER))
	try("io_uring", call(unix.SYS_IO_URING_SETUP, 1))
	try("a later kernel's call", call(1000))
	addresses, err := net.LookupHost("localhost") // a call does need this
	results = append(results, fmt.Sprint("localhost is found: ", err == nil && len(addresses) > 0))
	return results
}

// TestSealHolds attacks from inside of a process, as a driver that its server has taken over would.
func TestSealHolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var table warehousetest.Table
	if _, err := open(t, "fake", warehouse.Target{}).Query(t.Context(), "attacks", []any{dir}, wide, &table); err != nil {
		t.Fatal(err)
	}
	if last := table.Rows[len(table.Rows)-1][0]; last != "localhost is found: true" {
		t.Error(last)
	}
	for _, row := range table.Rows[:len(table.Rows)-1] {
		result := row[0].(string)
		want := syscall.EPERM
		if strings.HasSuffix(strings.SplitN(result, ":", 2)[0], "clone3") || strings.Contains(result, "openat2") ||
			strings.HasPrefix(result, "a later") {
			want = syscall.ENOSYS
		}
		if !strings.HasSuffix(result, want.Error()) {
			t.Error(result)
		}
	}
	if len(table.Rows) < 30 {
		t.Errorf("%d attacks", len(table.Rows))
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); string(text) != "kept" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if left, err := os.ReadDir(dir); len(left) != 2 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
}
