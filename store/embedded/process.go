package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process is one run of the server, as our direct child: its end is noticed at once, and a Ctrl-C at the terminal reaches only us.
type process struct {
	cmd    *exec.Cmd
	log    *logWriter
	exited chan struct{}
}

// command prepares one of the binaries to run as the server's account.
func (p *layout) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, name), args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + p.bin + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"} // not our environment, which has secrets
	cmd.SysProcAttr = attributes(p.as)
	// Backends may outlive their parent for a moment with its stderr open.
	cmd.WaitDelay = 250 * time.Millisecond
	return cmd
}

// initdbArgs are the arguments of initdb that determine the content of a cluster.
var initdbArgs = []string{"--username=postgres", "--encoding=UTF8", "--locale=C", "--auth=trust"}

// initialize makes the cluster unless it exists. It is made under another name and then renamed, so that a start
// that was killed can be repeated.
func (s *Server) initialize(ctx context.Context) error {
	p := s.layout
	if _, err := os.Stat(filepath.Join(p.data, "PG_VERSION")); err == nil {
		return nil
	}
	tmp := p.data + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	s.cfg.Log.Info("embedded database: making a new cluster", "dir", p.data)
	args := append([]string{"--pgdata=" + tmp}, initdbArgs...)
	if s.cfg.Ephemeral {
		args = append(args, "--no-sync")
	}
	// The kernel sends the death signal when the thread that forked ends: see run. Without the lock, another
	// goroutine could end that thread, and initdb with it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if out, err := p.command(ctx, "initdb", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return os.Rename(tmp, p.data)
}

// run starts the server as a child. It does not wait until the server is ready.
func (p *layout) run(cfg Config) (*process, error) {
	args := []string{
		"-D", p.data, "-k", p.socket,
		"-c", "listen_addresses=", "-c", "port=5432", "-c", "unix_socket_permissions=0700",
		"-c", "logging_collector=off", "-c", "log_destination=stderr", "-c", "log_line_prefix=",
		// Errors of statements may quote data, and the client gets them anyway.
		"-c", "log_min_messages=log", "-c", "log_min_error_statement=panic", "-c", "log_error_verbosity=terse",
	}
	if cfg.Ephemeral {
		args = append(args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
			"-c", "wal_level=minimal", "-c", "max_wal_senders=0", "-c", "max_wal_size=128MB", "-c", "min_wal_size=32MB",
			"-c", "autovacuum=off", "-c", "max_connections=300")
	}
	c := &process{
		cmd:    p.command(context.Background(), "postgres", args...),
		log:    &logWriter{log: cfg.Log},
		exited: make(chan struct{}),
	}
	c.cmd.Stderr = c.log
	started := make(chan error)
	go func() {
		// The kernel sends the death signal when the thread that forked ends, not the process, so the thread must
		// live as long as the child.
		runtime.LockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait()
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", c.cmd.Path, err)
	}
	return c, nil
}

// stop shuts the server down, fast: sessions are ended and data is flushed.
func (c *process) stop() {
	c.log.loud.Store(false)
	_ = c.cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-c.exited:
		return
	case <-time.After(stopWithin):
	}
	_ = c.cmd.Process.Signal(syscall.SIGQUIT) // recovers from its log at the next start
	<-c.exited
}

// kill ends a server that did not become ready.
func (c *process) kill() {
	_ = c.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-c.exited:
	case <-time.After(stopWithin):
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
}

// reclaim makes sure that the cluster can be started after an earlier server was left behind. PostgreSQL refuses to
// start while a process with the id in its lock files exists. That may be a zombie, or an unrelated process with the
// same id after a container was restarted; then reclaim removes the files. Or it may be a server whose supervisor was
// killed, on systems without a death signal; then reclaim shuts it down.
//
// This is safe because the caller holds the directory's lock, so that no other supervisor is starting.
func (s *Server) reclaim(ctx context.Context) error {
	for _, file := range []string{
		filepath.Join(s.layout.data, "postmaster.pid"),
		filepath.Join(s.layout.socket, ".s.PGSQL.5432.lock"),
	} {
		pid, err := readPid(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if pid > 1 && serves(pid, s.layout.data) {
			s.cfg.Log.Warn("embedded database: stopping a server without a supervisor", "pid", pid)
			if err := endOrphan(ctx, pid, s.layout.data); err != nil {
				return err
			}
		}
		if err := os.Remove(file); err == nil { // a server that stopped has removed it
			s.cfg.Log.Warn("embedded database: removed the lock file of a dead server", "file", file, "pid", pid)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// readPid reads the first line of a lock file; 0 when it holds no number.
func readPid(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0, nil
	}
	return max(pid, -pid), nil // a single-user server writes it negative
}

// endOrphan shuts down the server pid of the cluster data and waits for its end.
func endOrphan(ctx context.Context, pid int, data string) error {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		_ = syscall.Kill(pid, sig)
		for limit := time.Now().Add(stopWithin); time.Now().Before(limit); {
			if !serves(pid, data) {
				return nil
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			pause(ctx, 10*time.Millisecond)
		}
	}
	return fmt.Errorf("process %d still runs the database in %s and does not stop", pid, data)
}
