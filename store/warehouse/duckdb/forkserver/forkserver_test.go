package forkserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"service/store/warehouse/duckdb/forkserver"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 6 && os.Args[1] == forkserver.Command {
		os.Exit(forkserver.MainWithout(os.Args[2:5], errnos(os.Args[5])))
	}
	if len(os.Args) > 1 && os.Args[1] == forkserver.Command {
		os.Exit(forkserver.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// newStarter starts programs of the shell.
func newStarter(t testing.TB, script string) *forkserver.Starter {
	t.Helper()
	s, err := forkserver.New([]string{"/bin/sh", "-c", script}, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A worker is a process with the other ends of its pipes.
type worker struct {
	*forkserver.Process
	in  *os.File
	out *bufio.Reader
}

func start(t testing.TB, s *forkserver.Starter, files ...*os.File) worker {
	t.Helper()
	w, err := begin(t, s, files...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func begin(t testing.TB, s *forkserver.Starter, files ...*os.File) (worker, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return worker{}, err
	}
	defer childIn.Close()
	out, childOut, err := os.Pipe()
	if err != nil {
		return worker{}, errors.Join(err, in.Close())
	}
	defer childOut.Close()
	t.Cleanup(func() { in.Close(); out.Close() })
	p, err := s.Start(t.Context(), append([]*os.File{childIn, childOut}, files...)...)
	return worker{p, in, bufio.NewReader(out)}, err
}

// says waits for the worker's next line.
func (w worker) says(t testing.TB, want string) {
	t.Helper()
	if line, err := w.out.ReadString('\n'); line != want+"\n" {
		t.Errorf("it says %q, %v, want %q", line, err, want)
	}
}

// ended waits for the worker's end.
func (w worker) ended(t testing.TB) {
	t.Helper()
	select {
	case <-w.Exited():
	case <-time.After(20 * time.Second):
		t.Error("the worker has not ended")
	}
}

// TestStart shows workers that run at the same time, are reported as ended when they end by themselves or are killed, and have the
// descriptors they were given.
func TestStart(t *testing.T) {
	t.Parallel()
	s := newStarter(t, `read word; echo "got $word"; read word; echo "got $word"`)
	if s.Pid() != 0 {
		t.Error("it starts a process that nobody asked for")
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			w, err := begin(t, s)
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintln(w.in, i)
			w.says(t, fmt.Sprint("got ", i))
			select {
			case <-w.Exited():
				t.Error("it is said to have ended")
			default:
			}
			if i%2 == 0 {
				w.Kill()
			} else {
				fmt.Fprintln(w.in, "end")
				w.says(t, "got end")
			}
			w.ended(t)
			w.Kill() // no other process
		})
	}
	wg.Wait()
}

// TestFiles gives a worker more files than fit into one message.
func TestFiles(t *testing.T) { // alone, as it counts descriptors
	const n = 450
	s := newStarter(t, fmt.Sprintf(`cat <&3; cat /proc/self/fd/%d; test -e /proc/self/fd/%d || echo no more`, 2+n, 3+n))
	var files []*os.File
	for i := range n {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(w, "file", i)
		w.Close()
		defer r.Close()
		files = append(files, r)
	}
	before := descriptors(t)
	w := start(t, s, files...)
	w.says(t, "file 0")
	w.says(t, fmt.Sprint("file ", n-1))
	w.says(t, "no more")
	w.ended(t)
	w = start(t, s, files...) // which are read by now
	w.says(t, "no more")
	w.ended(t)
	if open, want := len(dir(t, s.Pid(), "fd")), 40; open > want {
		t.Errorf("the starter keeps %d files", open)
	}
	if after := descriptors(t); after > before+10 {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

func descriptors(t *testing.T) int { return len(dir(t, os.Getpid(), "fd")) }

func dir(t *testing.T, pid int, of string) []os.DirEntry {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/%s", pid, of))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNiceness shows that workers leave the processor to the server.
func TestNiceness(t *testing.T) {
	t.Parallel()
	s := newStarter(t, `read word`)
	w := start(t, s)
	own := nice(t, "/proc/self")
	for _, thread := range dir(t, os.Getpid(), "task") {
		if n := nice(t, "/proc/self/task/"+thread.Name()); n != own {
			t.Errorf("a thread of the server has niceness %d, the others %d", n, own)
		}
	}
	if n := nice(t, "/proc/"+strconv.Itoa(w.Pid)); n != max(own, forkserver.Niceness) {
		t.Errorf("a worker has niceness %d, the server %d", n, own)
	}
}

// nice is the niceness of a process or thread (proc_pid_stat(5), the 19th field).
func nice(t *testing.T, proc string) int {
	t.Helper()
	b, err := os.ReadFile(proc + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(b), ") ")
	n, err := strconv.Atoi(strings.Fields(after)[19-3])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStarterDies shows that workers end with their starter, that they are reported as ended, and that the next worker has another starter.
func TestStarterDies(t *testing.T) {
	t.Parallel()
	s := newStarter(t, `echo here; read word`)
	w := start(t, s)
	w.says(t, "here")
	first := s.Pid()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.ended(t)
	if runtime.GOOS == "linux" {
		if _, err := w.out.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("the worker lives: %v", err)
		}
	}
	w = start(t, s)
	w.says(t, "here")
	if now := s.Pid(); now == first || now == 0 {
		t.Errorf("the starter is process %d, and was %d", now, first)
	}
	w.Kill()
	w.ended(t)
}

// TestClosed shows that nothing is left of a starter that is closed, and that it starts nothing.
func TestClosed(t *testing.T) {
	t.Parallel()
	s := newStarter(t, `echo here; read word`)
	w := start(t, s)
	w.says(t, "here")
	pid := s.Pid()
	s.Close()
	w.ended(t)
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the starter is there: %v", err)
	}
	if _, err := begin(t, s); err == nil {
		t.Error("a closed starter starts a worker")
	}
	s.Close()
}

// TestNoSuchProgram shows that the error contains the reason why a worker does not start.
func TestNoSuchProgram(t *testing.T) {
	t.Parallel()
	s, err := forkserver.New([]string{"/does/not/exist"}, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for range 2 {
		if _, err := begin(t, s); !errors.Is(err, syscall.ENOENT) {
			t.Errorf("%v", err)
		}
	}
}

// errnos reads numbers of errors of the system. 0 means success, and -1 an error that is not the system's.
func errnos(list string) (all []error) {
	for text := range strings.SplitSeq(list, ",") {
		switch n, _ := strconv.Atoi(text); n {
		case 0:
			all = append(all, nil)
		case -1:
			all = append(all, errors.New("not of the system"))
		default:
			all = append(all, syscall.Errno(n))
		}
	}
	return all
}

// TestNamespacesComeBack: if the system does not allow namespaces, they are not requested again; after a temporary lack of resources, only
// one worker starts without them.
func TestNamespacesComeBack(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("namespaces are Linux's")
	}
	for name, tt := range map[string]struct {
		errnos []syscall.Errno
		want   []bool // whether each of the workers has them
		level  string
		errno  syscall.Errno
	}{
		"always":               {[]syscall.Errno{0, 0}, []bool{true, true, true}, "", 0},
		"not allowed":          {[]syscall.Errno{syscall.EPERM}, []bool{false, false}, "INFO", syscall.EPERM},
		"not known":            {[]syscall.Errno{syscall.EINVAL}, []bool{false, false}, "INFO", syscall.EINVAL},
		"never":                {[]syscall.Errno{syscall.ENOSPC}, []bool{false, false}, "WARN", syscall.ENOSPC},
		"not allowed any more": {[]syscall.Errno{0, syscall.EPERM}, []bool{true, false, false}, "WARN", syscall.EPERM},
		"not once":             {[]syscall.Errno{0, syscall.EAGAIN}, []bool{true, false, true, true}, "WARN", syscall.EAGAIN},
		"too many files":       {[]syscall.Errno{0, 0, syscall.EMFILE}, []bool{true, true, false, true}, "WARN", syscall.EMFILE},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []string
			for _, no := range tt.errnos {
				list = append(list, strconv.Itoa(int(no)))
			}
			var logged strings.Builder
			s, err := forkserver.New([]string{"/bin/sh", "-c", "echo here; read word", strings.Join(list, ",")}, t.TempDir(),
				slog.New(slog.NewTextHandler(&logged, nil)))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			for i, want := range tt.want {
				w := start(t, s)
				w.says(t, "here")
				if w.Namespaces != want || s.Namespaces() != want {
					t.Errorf("worker %d: %v, and it is said that %v", i, w.Namespaces, s.Namespaces())
				}
			}
			lines := strings.Count(logged.String(), "\n")
			if tt.level == "" && lines > 0 || tt.level != "" &&
				(lines != 1 || !strings.Contains(logged.String(), "level="+tt.level) || !strings.Contains(logged.String(), tt.errno.Error())) {
				t.Errorf("it logs %s", &logged)
			}
		})
	}
}

// TestUnsaidReason shows that an error which is not the system's is not reported as the system's.
func TestUnsaidReason(t *testing.T) {
	t.Parallel()
	s, err := forkserver.New([]string{"", "", ""}, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	_, err = begin(t, s)
	if errno, ok := errors.AsType[syscall.Errno](err); err == nil || ok && errno == 0 {
		t.Errorf("%v", err)
	}
}

// BenchmarkStart measures the processor time of this process, which has 100 MB, for starting a worker in namespaces and then writing to its
// own memory: by way of a starter, and for comparison by itself.
func BenchmarkStart(b *testing.B) {
	memory := make([]byte, 100<<20)
	write := func() {
		for i := 0; i < len(memory); i += os.Getpagesize() {
			memory[i]++
		}
	}
	write()
	measure := func(b *testing.B, start func() error) {
		if err := start(); err != nil { // once for the work that is needed only once
			b.Skip(err)
		}
		before := spent(b)
		for b.Loop() {
			if err := start(); err != nil {
				b.Fatal(err)
			}
			write()
		}
		b.ReportMetric(float64((spent(b)-before).Microseconds())/float64(b.N), "µs-of-processor/op")
	}
	b.Run("starter", func(b *testing.B) {
		s := newStarter(b, "read word")
		measure(b, func() error {
			w, err := begin(b, s)
			if err == nil {
				w.Kill()
				<-w.Exited()
			}
			return err
		})
	})
	b.Run("forked", func(b *testing.B) {
		measure(b, func() error {
			cmd := exec.Command("/bin/sh", "-c", "read word")
			cmd.SysProcAttr = forkserver.Attributes(true)
			if err := cmd.Start(); err != nil {
				return err
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return nil
		})
	})
}

// spent is the time that this process has had of the processor.
func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
