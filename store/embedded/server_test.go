package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// holdDir makes this test binary a process that runs a server in the directory
// it names, until its stdin ends: the owner that a test kills.
const holdDir = "SERVICE_TEST_HOLD"

func TestMain(m *testing.M) {
	dir := os.Getenv(holdDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Start(context.Background(), Config{Dir: dir, Ephemeral: true, Log: discard()})
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := s.Stop(); err != nil {
		fmt.Println("failed:", err)
	}
	os.Exit(0)
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// stateDir returns a directory that every account can enter, as production's
// are: as root, t.TempDir is private to root.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "service-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "state")
}

func start(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), Config{Dir: dir, Ephemeral: true, Log: discard()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func query(t *testing.T, s *Server, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(got, " ")
}

// keep writes a row that every later start must still have.
func keep(t *testing.T, s *Server) {
	t.Helper()
	query(t, s, `CREATE TABLE kept (word text)`)
	query(t, s, `INSERT INTO kept VALUES ('kept')`)
	query(t, s, `CHECKPOINT`) // ephemeral servers do not promise more
}

func wantKept(t *testing.T, s *Server) {
	t.Helper()
	if got := query(t, s, `SELECT word FROM kept`); got != "kept" {
		t.Errorf("after the restart the table holds %q", got)
	}
}

func serverPid(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "data-*", "postmaster.pid"))
	if err != nil || len(files) != 1 {
		t.Fatalf("postmaster.pid: %v %v", files, err)
	}
	pid, err := readPid(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// eventually polls what another process does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for !ok() {
		if ctx.Err() != nil {
			t.Fatalf("%s: not within 20 s", what)
		}
		pause(ctx, 10*time.Millisecond)
	}
}

func TestColdAndWarmStart(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	s := start(t, dir)
	keep(t, s)
	if got := query(t, s, `
			SELECT current_user || '/' || current_database() || '/' || current_setting('listen_addresses')`); got != "postgres/postgres/" {
		t.Errorf("user, database, TCP addresses: %s", got)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.layout.socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket's directory is still there after Stop: %v", err)
	}
	wantKept(t, start(t, dir))
}

func TestStopTwice(t *testing.T) {
	t.Parallel()
	s := start(t, stateDir(t))
	for range 2 {
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStartHonoursItsContext(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := Start(ctx, Config{Dir: dir, Ephemeral: true, Log: discard()}); err == nil {
		t.Fatal(errors.Join(errors.New("a start with a cancelled context succeeded"), s.Stop()))
	}
	start(t, dir) // and its leftovers do not prevent a start
}

func TestKilledServerIsRestarted(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	s := start(t, dir)
	keep(t, s)
	old := serverPid(t, dir)
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "restart", func() bool {
		return !serves(old, s.layout.data) && s.ping(t.Context()) == nil
	})
	wantKept(t, s)
}

// restarts notes how long the supervisor leaves a server alone that has ended.
type restarts struct {
	slog.Handler
	mu    sync.Mutex
	waits []time.Duration
}

func (r *restarts) Enabled(context.Context, slog.Level) bool { return true }

func (r *restarts) Handle(_ context.Context, record slog.Record) error {
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "restart_in" {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.waits = append(r.waits, a.Value.Duration())
		}
		return true
	})
	return nil
}

// TestServerThatKeepsDyingIsRestarted: a server that starts successfully each time is restarted within a second.
func TestServerThatKeepsDyingIsRestarted(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	log := &restarts{Handler: slog.DiscardHandler}
	s, err := Start(t.Context(), Config{Dir: dir, Ephemeral: true, Log: slog.New(log)})
	if err != nil {
		t.Fatal(err)
	}
	const deaths = 5
	for n := range int64(deaths) {
		old := serverPid(t, dir)
		if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "restart", func() bool { return s.Restarts() > n })
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if n := s.Restarts(); len(log.waits) != deaths || n != deaths || !s.Started() {
		t.Fatalf("%d restarts, %v waits of %d", n, log.waits, deaths)
	}
	if longest := slices.Max(log.waits); longest > time.Second {
		t.Errorf("left alone for %v: %v", longest, log.waits)
	}
}

func TestTwoStartersAtOnce(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	servers := make([]*Server, 4)
	var wg sync.WaitGroup
	for i := range servers {
		wg.Go(func() {
			var err error
			if servers[i], err = Start(t.Context(), Config{Dir: dir, Ephemeral: true, Log: discard()}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	keep(t, servers[0])
	for _, s := range servers { // each owner that leaves is succeeded by one that was attached
		eventually(t, "takeover", func() bool { return s.ping(t.Context()) == nil })
		wantKept(t, s)
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// hold starts this binary as another process that owns the server in dir.
func hold(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdDir+"="+dir)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "ready\n" {
		t.Fatalf("the owner said %q (%v)", line, err)
	}
	return cmd
}

func TestOwnerIsKilled(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	other := hold(t, dir)
	pid := serverPid(t, dir)
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s := start(t, dir) // at once: the orphan may still be shutting down
	if now := serverPid(t, dir); now == pid {
		t.Errorf("the orphan %d was not replaced", pid)
	}
	query(t, s, `SELECT 'answers'`)
}

func TestAttachedTakesOverWhenTheOwnerIsKilled(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	other := hold(t, dir)
	s := start(t, dir)
	keep(t, s)
	pid := serverPid(t, dir)
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "takeover", func() bool {
		return !serves(pid, s.layout.data) && s.ping(t.Context()) == nil
	})
	wantKept(t, s)
}

func TestAttachedLeavesTheServerAlone(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	first := start(t, dir)
	if err := start(t, dir).Stop(); err != nil {
		t.Fatal(err)
	}
	query(t, first, `SELECT 'still there'`)
}

// A container that is restarted gives old process ids to other programs, and
// an init that reaps nobody leaves zombies. Both answer to signal 0, for which
// PostgreSQL takes them for the server.
func TestStaleLockFiles(t *testing.T) {
	t.Parallel()
	for name, process := range map[string]func(t *testing.T, as *syscall.Credential) int{
		"another program of the same account": func(t *testing.T, as *syscall.Credential) int {
			cmd := exec.Command("sleep", "600")
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := cmd.Process.Kill(); err != nil {
					t.Errorf("the other program did not survive: %v", err)
				}
				_ = cmd.Wait()
			})
			return cmd.Process.Pid
		},
		"a zombie": func(t *testing.T, as *syscall.Credential) int {
			cmd := exec.Command("true")
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Wait() }) // until then nobody reaps it
			return cmd.Process.Pid
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := stateDir(t)
			s := start(t, dir)
			keep(t, s)
			file := filepath.Join(s.layout.data, "postmaster.pid")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
			pid := process(t, s.layout.as)
			_, rest, _ := strings.Cut(string(text), "\n")
			stale := []byte(fmt.Sprintf("%d\n%s", pid, rest))
			if err := s.layout.makeSocketDir(); err != nil {
				t.Fatal(err)
			}
			for _, f := range []string{file, filepath.Join(s.layout.socket, ".s.PGSQL.5432.lock")} {
				if err := os.WriteFile(f, stale, 0o600); err != nil {
					t.Fatal(err)
				}
				if s.layout.as != nil {
					if err := os.Chown(f, int(s.layout.as.Uid), int(s.layout.as.Gid)); err != nil {
						t.Fatal(err)
					}
				}
			}
			wantKept(t, start(t, dir))
		})
	}
}

func TestInterruptedInitdbIsDoneAgain(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	s := start(t, dir)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.layout.data, s.layout.data+".tmp"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.layout.data+".tmp", "postgresql.conf")); err != nil {
		t.Fatal(err)
	}
	query(t, start(t, dir), `SELECT 'answers'`)
}

func TestRootIsDropped(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	dir := stateDir(t)
	start(t, dir)
	st, err := os.Stat(fmt.Sprintf("/proc/%d", serverPid(t, dir)))
	if err != nil {
		t.Fatal(err)
	}
	if owner(st) == 0 {
		t.Error("the server runs as root")
	}
}

func TestUnreachableDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	_, err := Start(t.Context(), Config{Dir: filepath.Join(t.TempDir(), "state"), Log: discard()}) // of mode 0700
	if err == nil || !strings.Contains(err.Error(), "cannot enter") || !strings.Contains(err.Error(), "DATABASE_URL") {
		t.Errorf("got %v", err)
	}
}
