package worker

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"golang.org/x/sys/unix"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// attacked is the second argument of a worker that attacks what keeps it in.
const attacked = "attacked"

func init() {
	if len(os.Args) == 5 && os.Args[1] == Command && os.Args[2] == attacked {
		attack(os.Args[3])
		os.Exit(0)
	}
}

// attack tries, in a sealed process, the actions that a worker must not be able to do, and prints their results. dir is a directory of the
// test, which may write there.
func attack(dir string) {
	if missing := seal(); len(missing) > 0 {
		fmt.Println("missing", missing)
		return
	}
	connector, err := duckdb.NewConnector("?memory_limit=100MB&threads=2", nil) // its threads too are held
	if err != nil {
		fmt.Println("the engine does not start:", err)
		return
	}
	run := func(sql string) error {
		conn, err := connector.Connect(context.Background())
		if err != nil {
			return err
		}
		defer conn.Close()
		_, err = conn.(driver.ExecerContext).ExecContext(context.Background(), sql, nil)
		return err
	}
	if err := run("SELECT sum(range) FROM range(100000)"); err != nil {
		fmt.Println("the engine does not work:", err)
	}
	file := filepath.Join(dir, "file")
	try := func(name string, err error) { fmt.Printf("%s: %v\n", name, err) }
	open := func(path string, flags int) error {
		fd, err := unix.Open(path, flags, 0o600)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
	call := func(number uintptr, args ...uintptr) error {
		args = append(args, 0, 0, 0)
		if _, _, errno := unix.Syscall(number, args[0], args[1], args[2]); errno != 0 {
			return errno
		}
		return nil
	}
	try("read /etc/passwd", open("/etc/passwd", unix.O_RDONLY))
	try("read another's environment", open(fmt.Sprintf("/proc/%d/environ", os.Getppid()), unix.O_RDONLY))
	try("list a directory", open("/", unix.O_RDONLY|unix.O_DIRECTORY))
	if err := open("/proc/self/fd/3", unix.O_RDONLY); err != nil {
		fmt.Println("a linked file cannot be read:", err)
	}
	try("write a linked file", open("/proc/self/fd/3", unix.O_RDWR))
	try("write a file that is there", open(file, unix.O_WRONLY))
	try("make a file", open(filepath.Join(dir, "new"), unix.O_WRONLY|unix.O_CREAT))
	try("make a file without a name", open(dir, unix.O_WRONLY|unix.O_TMPFILE))
	try("make a file in memory", func() error { _, err := unix.MemfdCreate("attack", 0); return err }())
	try("remove a file", unix.Unlink(file))
	try("change a file's mode", unix.Chmod(file, 0o777))
	try("move a file", unix.Rename(file, file+"2"))
	try("read /etc/passwd by the engine", run("SELECT * FROM read_text('/etc/passwd')"))
	try("write by the engine", run("COPY (SELECT 1) TO '"+filepath.Join(dir, "engine")+"'"))
	_, err = net.Dial("tcp", os.Args[4])
	try("connect", err)
	try("socket", call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM))
	try("socket of the kernel", call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW))
	try("io_uring", call(unix.SYS_IO_URING_SETUP, 1))
	program := exec.Command("/bin/true")
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stdout, os.Stdout // or it opens files first
	try("run a program", program.Run())
	try("become a program", unix.Exec("/bin/true", []string{"true"}, nil))
	try("fork", call(unix.SYS_CLONE, uintptr(unix.SIGCHLD)))
	try("fork by clone3", call(unix.SYS_CLONE3))
	try("end the one that started it", unix.Kill(os.Getppid(), 0))
	try("signal a thread of another", call(unix.SYS_TGKILL, uintptr(os.Getppid()), uintptr(os.Getppid())))
	try("signal another by a pipe", call(unix.SYS_FCNTL, 1, unix.F_SETOWN, uintptr(os.Getppid())))
	try("signal another by any signal", call(unix.SYS_FCNTL, 1, unix.F_SETSIG, uintptr(unix.SIGKILL)))
	try("slow down another", call(unix.SYS_SCHED_SETAFFINITY, uintptr(os.Getppid()), 0))
	try("trace another", call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, uintptr(os.Getppid())))
	try("a namespace", unix.Unshare(unix.CLONE_NEWUSER))
	try("a later kernel's call", call(1000))
	for err = nil; err == nil; {
		_, err = unix.Dup(0)
	}
	try("100 files", err)
	try("descriptor 100", func() error { _, err := unix.FcntlInt(0, unix.F_DUPFD, 100); return err }())
}

// refusals are the ends of those results of attacks that are not EPERM.
var refusals = map[string]error{
	"read /etc/passwd":           unix.EACCES, // Landlock's
	"read another's environment": unix.EACCES,
	"list a directory":           unix.EACCES,
	"write a linked file":        unix.EACCES,
	"write a file that is there": unix.EACCES,
	"make a file":                unix.EACCES,
	"make a file without a name": unix.EACCES,
	"fork by clone3":             unix.ENOSYS,
	"a later kernel's call":      unix.ENOSYS,
	"100 files":                  unix.EMFILE,
	"descriptor 100":             unix.EINVAL, // fcntl(2): over RLIMIT_NOFILE
}

// TestSealHolds attacks from inside of a worker's process, as one that has lost to the
// file it read would. It has no namespaces of its own, as in a container.
func TestSealHolds(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], Command, attacked, dir, listener.Addr().String())
	cmd.Env = []string{}
	linked, err := os.Open(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer linked.Close()
	cmd.ExtraFiles = []*os.File{linked}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.HasPrefix(string(out), "missing") {
		if why := lacks(); why != "" {
			t.Skipf("this kernel has no %s", why)
		}
		t.Fatalf("the kernel has all layers: %s", out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		name, result, _ := strings.Cut(line, ": ")
		held := strings.HasSuffix(result, cmp.Or(refusals[name], error(unix.EPERM)).Error())
		if strings.HasSuffix(name, "by the engine") { // which words the kernel's EACCES its own way
			held = strings.Contains(result, "Permission denied")
		}
		if !held {
			t.Error(line)
		}
	}
	if len(lines) < 30 {
		t.Errorf("%d attacks:\n%s", len(lines), out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("files afterwards: %v", left)
	}
}

// lacks is the layer that this kernel does not have, if there is one.
func lacks() string {
	if abi, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); int(abi) < 1 {
		return wire.Landlock
	}
	if _, err := os.Stat("/proc/sys/kernel/seccomp"); err != nil {
		return wire.Seccomp
	}
	return ""
}

// TestSealedOrNothing shows that a worker which must be sealed, and is not, reads nothing.
func TestSealedOrNothing(t *testing.T) {
	t.Parallel()
	w := &worker{ctx: t.Context(), missing: []string{wire.Landlock}}
	for _, op := range []wire.Op{wire.Load, wire.Ingest} {
		_, err := w.answer(wire.Call{Op: op, Sealed: true, Path: "/does/not/exist"})
		if e, ok := errors.AsType[*warehouse.Error](err); !ok || e.Message != "the query worker is not sealed" {
			t.Errorf("%s: %v", op, err)
		}
	}
	if _, err := w.answer(wire.Call{Op: wire.Ping, Sealed: true}); err == nil {
		t.Error("it answers")
	}
}
