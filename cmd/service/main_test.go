package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"service/server"
	"service/server/browsertest"
	"service/store"
	"service/store/storetest"
	"service/store/warehouse/duckdb/worker"
	"service/store/warehouse/isolate"
)

// asProgram makes this test binary the program itself, in a process of its own.
const asProgram = "TEST_AS_PROGRAM"

// TestMain lets the test binary run as its own workers.
func TestMain(m *testing.M) {
	worker.Dispatch()
	isolate.Dispatch(isolatedKinds)
	if os.Getenv(asProgram) != "" {
		main()
	}
	storetest.Main(m, browsertest.Stop)
}

// output is the output of a program under test, which can be read while the program writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// An installation is a data directory with its own ports.
type installation struct {
	t       *testing.T
	dir     string
	port    string
	ops     string
	environ []string
}

func install(t *testing.T, more ...string) *installation {
	t.Helper()
	in := &installation{t: t, dir: dataDir(t), port: freePort(t), ops: freePort(t)}
	in.environ = append([]string{
		"PATH=" + os.Getenv("PATH"),
		"SERVICE_DATA_DIR=" + in.dir,
		"SERVICE_LISTEN_ADDR=127.0.0.1:" + in.port,
		"SERVICE_OPS_ADDR=127.0.0.1:" + in.ops,
		"SERVICE_DEV_IDP_ADDR=127.0.0.1:" + freePort(t),
		"SERVICE_LOG_FORMAT=json",
	}, more...)
	return in
}

// command runs a subcommand to its end and returns its exit status and output.
func (in *installation) command(args ...string) (code int, stdout, stderr string) {
	in.t.Helper()
	var out, errs output
	err := run(in.t.Context(), args, in.environ, &out, &errs)
	return status(err, &errs), out.String(), errs.String()
}

// must runs a subcommand that succeeds.
func (in *installation) must(args ...string) string {
	in.t.Helper()
	code, stdout, stderr := in.command(args...)
	if code != 0 {
		in.t.Fatalf("service %s: status %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// serve starts the server and returns once it has printed its addresses. stop stops it,
// waits for its end and fails the test if that is an error.
func (in *installation) serve() (out, errs *output, stop func()) {
	in.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(in.t.Context()))
	out, errs = &output{}, &output{}
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"serve"}, in.environ, out, errs) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			in.t.Errorf("the server ended with %v\n%s", err, errs)
		}
		in.left()
	})
	in.t.Cleanup(stop)
	for {
		select {
		case err := <-done:
			done <- nil
			in.t.Fatalf("the server did not start: %v\n%s", err, errs)
		case <-time.After(10 * time.Millisecond):
			if strings.Contains(out.String(), "claude mcp add") {
				return out, errs, stop
			}
		}
	}
}

// left waits until no process has the server's ports any more. A process that another test
// starts at that moment has a copy of every listener until it calls exec.
func (in *installation) left() {
	for _, variable := range in.environ {
		name, address, _ := strings.Cut(variable, "=")
		if !strings.HasSuffix(name, "_ADDR") {
			continue
		}
		eventually(in.t, func() error {
			c, err := net.Dial("tcp", address)
			if err != nil {
				return nil
			}
			return errors.Join(fmt.Errorf("somebody has %s %s still", name, address), c.Close())
		})
	}
}

// eventually waits until ok succeeds.
func eventually(t *testing.T, ok func() error) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		err := ok()
		if err == nil {
			return
		}
		select {
		case <-limit:
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// get sends a request to the server at a port of this machine.
func get(t *testing.T, port, path string) (code int, body string) {
	t.Helper()
	res, err := http.Get("http://127.0.0.1:" + port + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestServe(t *testing.T) {
	t.Parallel()
	in := install(t, "SERVICE_DEMO=true")
	out, errs, stop := in.serve()

	for _, want := range []string{
		"http://app.localhost:" + in.port + "/",
		"http://acme.localhost:" + in.port + "/seattle-weather",
		"claude mcp add --transport http service http://localhost:" + in.port + "/mcp",
		"ann@example.com",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the welcome lacks %s:\n%s", want, out)
		}
	}
	if code, body := get(t, in.port, "/healthz"); code != 200 || body != "ok" {
		t.Errorf("/healthz: %d %q", code, body)
	}
	if code, body := get(t, in.ops, "/readyz"); code != 200 || !strings.Contains(body, `"schema":"ok"`) {
		t.Errorf("/readyz: %d %q", code, body)
	}
	eventually(t, func() error { // the demo's refreshes are running
		_, body := get(t, in.ops, "/metrics")
		for _, want := range []string{
			`service_refreshes_total{state="succeeded"} 4`, "service_refresh_duration_seconds_count 4", "service_db_pool_connections",
			`service_job_attempts_total{outcome="completed"} 4`, `service_job_attempts_total{outcome="discarded"} 0`,
			`service_periodic_tasks_total{outcome="ok",task="schedules"} `, `service_periodic_tasks_total{outcome="ok",task="sweep"} 1`,
			`service_periodic_task_last_success_timestamp_seconds{task="sweep"} `, "service_swept_rows_total 0",
			"service_query_workers_busy 0", "service_query_workers_started_total ", "service_query_calls_refused_total 0",
			"service_embedded_restarts_total 0", "service_embedded_free_bytes ", "service_schedule_late_seconds 0",
		} {
			if !strings.Contains(body, want) {
				return fmt.Errorf("/metrics lacks %s", want)
			}
		}
		return nil
	})
	if got := in.must("healthcheck"); got != "ok\n" {
		t.Errorf("healthcheck prints %q", got)
	}
	in.must("healthcheck", "--ready")

	// The operator works while the server is running.
	if got := in.must("admin", "workspace", "list"); !regexp.MustCompile(`(?m)^acme +paid +2 +5 `).MatchString(got) {
		t.Errorf("workspaces:\n%s", got)
	}
	if code, _, stderr := in.command("serve"); code != 1 || !strings.Contains(stderr, "SERVICE_LISTEN_ADDR") {
		t.Errorf("a second server on the port: status %d\n%s", code, stderr)
	}

	stop()
	for line := range strings.Lines(errs.String()) {
		var record struct{ Level, Msg, Err string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("the log has a line that is not JSON: %s", line)
		}
		if record.Level == "ERROR" || record.Level == "WARN" {
			t.Errorf("the log complains: %s", line)
		}
	}
	if _, err := net.Dial("tcp", "127.0.0.1:"+in.port); err == nil {
		t.Error("the port is open after the end")
	}
	if left, err := filepath.Glob(filepath.Join(in.dir, "postgres", "data-*", "postmaster.pid")); err != nil || len(left) > 0 {
		t.Errorf("the database still runs: %v %v", left, err)
	}
	if left, err := os.ReadDir(filepath.Join(in.dir, "scratch")); err != nil || len(left) > 0 {
		t.Errorf("scratch files are left: %v %v", left, err)
	}
	if code, _, _ := in.command("healthcheck"); code != 1 {
		t.Errorf("healthcheck of nobody: status %d", code)
	}

	// A second start does not repeat the work of the first one, and does not restore a demo that people have changed.
	in.must("admin", "member", "remove", "acme", "bob@example.com")
	_, again, stop := in.serve()
	stop()
	work := regexp.MustCompile(`migrated|new cluster|tool call`) // of the schema, the database and the demo
	if len(work.FindAllString(errs.String(), -1)) < 3 {
		t.Errorf("the first start logs nothing of its work:\n%s", errs)
	}
	if work.MatchString(again.String()) {
		t.Errorf("the second start did the first one's work again:\n%s", again)
	}
	if got := in.must("admin", "workspace", "list"); !regexp.MustCompile(`(?m)^acme +paid +1 +5 `).MatchString(got) {
		t.Errorf("workspaces:\n%s", got)
	}
}

// process starts the server in its own process and returns once it has printed its addresses.
func (in *installation) process() *exec.Cmd {
	in.t.Helper()
	cmd := exec.Command(os.Args[0], "serve")
	cmd.Env = append(in.environ, asProgram+"=1")
	var errs output
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		in.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		in.t.Fatal(err)
	}
	in.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended already, unless the test failed
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "claude mcp add") {
			go io.Copy(io.Discard, out) //nolint:errcheck // until it ends
			return cmd
		}
	}
	in.t.Fatalf("the server did not start:\n%s", &errs)
	return nil
}

func TestSignals(t *testing.T) {
	t.Parallel()
	in := install(t)
	first := in.process()
	in.must("admin", "workspace", "create", "acme", "--owner", "ann@example.com")
	if err := first.Process.Kill(); err != nil { // without a chance to clean up
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Fatal("it survived a SIGKILL")
	}
	second := in.process()
	if got := in.must("admin", "workspace", "list"); !strings.Contains(got, "acme") {
		t.Errorf("what was written before the kill is lost:\n%s", got)
	}
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

func TestServeOnAGivenDatabase(t *testing.T) {
	t.Parallel()
	in := install(t, "DATABASE_URL="+emptyDatabase(t))
	_, _, stop := in.serve()
	if code, _ := get(t, in.ops, "/readyz"); code != 200 {
		t.Errorf("/readyz: %d", code)
	}
	stop()
	if _, err := os.Stat(filepath.Join(in.dir, "postgres")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an embedded database was made beside it: %v", err)
	}
}

// Serving with the wrong key is refused at the start, instead of failing for one
// credential after the other.
func TestServeRefusesAnotherKey(t *testing.T) {
	t.Parallel()
	in := install(t, "DATABASE_URL="+migratedDatabase(t))
	_, _, stop := in.serve()
	stop()
	in.environ = append(in.environ, "SERVICE_SECRET_KEY="+someKey)
	code, _, stderr := in.command("serve")
	if code != 1 || !strings.Contains(stderr, "fingerprint") {
		t.Errorf("status %d\n%s", code, stderr)
	}
}

func TestWorkerStopsInOrder(t *testing.T) {
	t.Parallel()
	in := install(t)
	ctx, cancel := context.WithCancel(t.Context())
	var out output
	errs := &signalled{want: `"msg":"refreshing"`, found: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"worker"}, in.environ, &out, errs) }()
	select {
	case <-errs.found:
	case err := <-done:
		t.Fatalf("it did not start: %v\n%s", err, errs)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("%v\n%s", err, errs)
	}
}

// signalled is an output that signals the first write.
type signalled struct {
	output
	want  string
	once  sync.Once
	found chan struct{}
}

func (s *signalled) Write(b []byte) (int, error) {
	n, err := s.output.Write(b)
	if strings.Contains(s.String(), s.want) {
		s.once.Do(func() { close(s.found) })
	}
	return n, err
}

// emptyDatabase returns the connection string of a database without tables. All migrations run on it, which takes a second.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	return databaseURL(storetest.Empty(t))
}

// migratedDatabase returns the connection string of a database of which the migrations are done.
func migratedDatabase(t *testing.T) string {
	t.Helper()
	return databaseURL(storetest.Pool(t))
}

// databaseURL returns the connection string of a pool's database.
func databaseURL(db *pgxpool.Pool) string {
	cfg := db.Config().ConnConfig
	return "host=" + cfg.Host + " port=" + strconv.Itoa(int(cfg.Port)) +
		" user=" + cfg.User + " dbname=" + cfg.Database + " sslmode=disable pool_max_conns=8"
}

func TestMigrateCommands(t *testing.T) {
	t.Parallel()
	in := install(t, "DATABASE_URL="+emptyDatabase(t))
	if code, stdout, stderr := in.command("migrate", "status"); code != 1 ||
		!strings.Contains(stdout, "pending") || !strings.Contains(stderr, "service migrate") {
		t.Errorf("status of an empty database: %d\n%s%s", code, stdout, stderr)
	}
	in.must("migrate", "up")
	in.must("migrate") // again
	if got := in.must("migrate", "status"); strings.Contains(got, "pending") {
		t.Errorf("after migrate:\n%s", got)
	}
}

func TestAdmin(t *testing.T) {
	t.Parallel()
	in := install(t, "DATABASE_URL="+migratedDatabase(t))
	in.must("admin", "workspace", "create", "acme", "--name", "Acme", "--owner", "ann@example.com")
	in.must("admin", "member", "add", "acme", "bob@example.com")
	in.must("admin", "member", "add", "acme", "cat@example.com", "--role", "owner")
	for role, said := range map[string]string{"viewer": "viewer", "editor": "editor", "member": "editor"} { // the last of release 0.6.0
		got := in.must("admin", "member", "add", "acme", "bob@example.com", "--role", role)
		if !strings.Contains(got, said+" of workspace acme") {
			t.Errorf("--role %s: %s", role, got)
		}
	}
	if got := in.must("admin", "member", "list", "acme"); !regexp.MustCompile(`(?m)^owner .* invited +cat@example.com$`).MatchString(got) {
		t.Errorf("members:\n%s", got)
	}
	in.must("admin", "member", "remove", "acme", "cat@example.com")
	in.must("admin", "workspace", "plan", "acme", "free")
	if got := in.must("admin", "workspace", "list"); !regexp.MustCompile(`(?m)^acme +free +0 +0 .* Acme$`).MatchString(got) {
		t.Errorf("workspaces:\n%s", got)
	}
	signIn(t, in, "ann@example.com")
	if got := in.must("admin", "user", "list"); !strings.Contains(got, "ann@example.com") {
		t.Errorf("users:\n%s", got)
	}
	if got := in.must("admin", "upload", "add", "acme", "ann@example.com", csvFile(t)); !strings.Contains(got, "2 rows, 2 columns") {
		t.Errorf("upload:\n%s", got)
	}
	in.must("admin", "group", "map", "data team", "acme", "viewer")
	if got := in.must("admin", "group", "list"); !regexp.MustCompile(`(?m)^acme +viewer +0 .* data team$`).MatchString(got) {
		t.Errorf("groups:\n%s", got)
	}
	in.must("admin", "group", "unmap", "data team", "acme")
	in.must("admin", "grant", "list", "ann@example.com")
	in.must("admin", "key", "rotate")

	for _, tc := range []struct {
		args string
		code int
		say  string
	}{
		{"admin workspace create app --owner ann@example.com", 1, "reserved"},
		{"admin workspace create acme --owner ann@example.com", 1, "taken"},
		{"admin workspace create other", 2, "owner"},
		{"admin workspace plan acme gold", 1, "free or paid"},
		{"admin workspace plan nowhere paid", 1, "nowhere"},
		{"admin member list nowhere", 1, "nowhere"},
		{"admin member add nowhere bob@example.com", 1, "nowhere"},
		{"admin member add acme bob", 1, "e-mail"},
		{"admin member add acme bob@example.com --role king", 1, "owner, editor or viewer"},
		{"admin group map team nowhere viewer", 1, "nowhere"},
		{"admin group map team acme king", 1, "owner, editor or viewer"},
		{"admin group unmap team acme", 1, "team"},
		{"admin member remove acme dan@example.com", 1, "dan@example.com"},
		{"admin member remove acme ann@example.com", 1, "last owner"},
		{"admin upload add acme dan@example.com " + csvFile(t), 1, "dan@example.com"},
		{"admin upload add acme ann@example.com missing.csv", 1, "missing.csv"},
		{"admin grant revoke 00000000-0000-0000-0000-000000000001", 1, "no grant"},
		{"admin grant revoke x", 2, "id of a grant"},
		{"admin grant list dan@example.com", 1, "dan@example.com"},
		{"admin workspace", 0, ""},
		{"admin nonsense", 2, "nonsense"},
		{"nonsense", 2, "nonsense"},
		{"serve --nonsense", 2, "nonsense"},
		{"serve extra", 2, "extra"},
		{"worker --workers 0", 2, "workers"},
		{"worker --workers many", 2, `--workers: "many" is not a whole number`},
		{"restore x --replace=maybe", 2, `--replace: "maybe" is neither true nor false`},
		{"version", 0, ""},
	} {
		code, _, stderr := in.command(strings.Fields(tc.args)...)
		if code != tc.code || !strings.Contains(stderr, tc.say) {
			t.Errorf("service %s: status %d, want %d and a word of %q:\n%s", tc.args, code, tc.code, tc.say, stderr)
		}
	}
}

// signIn makes the account that a person's first sign-in makes.
func signIn(t *testing.T, in *installation, email string) {
	t.Helper()
	c, log, err := (&program{environ: in.environ, stdout: io.Discard, stderr: io.Discard}).load()
	if err != nil {
		t.Fatal(err)
	}
	k, err := open(t.Context(), c, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer k.close() //nolint:errcheck // not the subject of the test
	if _, err := k.store.Accounts.EnsureAccount(t.Context(),
		store.Identity{Issuer: "https://id.example.com", Subject: email, Email: email, Verified: true}); err != nil {
		t.Fatal(err)
	}
}

func csvFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(file, []byte("day,amount\n2026-01-01,1\n2026-01-02,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestConfigCommands(t *testing.T) {
	t.Parallel()
	in := install(t, "SERVICE_OIDC_CLIENT_SECRET=hush-hush", "DATABASE_URL=postgres://u:hush-hush@db/service")
	got := in.must("config", "print")
	if strings.Contains(got, "hush") || !strings.Contains(got, "DATABASE_URL=[redacted]\n") ||
		!strings.Contains(got, "SERVICE_DATA_DIR="+in.dir+"\n") {
		t.Errorf("config print:\n%s", got)
	}
	if n := len(strings.Split(strings.TrimSpace(got), "\n")); n != len((&config{}).variables()) {
		t.Errorf("config print has %d lines", n)
	}
	in.must("config", "check")
	in.environ = append(in.environ, "SERVICE_BASE_URL=https://mcp.example.com")
	if code, _, stderr := in.command("config", "check"); code != 2 || !strings.Contains(stderr, "SERVICE_SECRET_KEY") {
		t.Errorf("config check in public: status %d\n%s", code, stderr)
	}
}

// Common first commands work: the version by a flag, completion for a shell, the effective configuration with a directory. Their errors
// have no words of Go's packages.
func TestFirstCommands(t *testing.T) {
	t.Parallel()
	in := install(t)
	if got := in.must("--version"); got != in.must("version") || !strings.HasPrefix(got, "service "+server.Release+"\n") {
		t.Errorf("--version: %s", got)
	}
	if got := in.must("help"); !strings.Contains(got, "\n  completion ") || strings.Contains(got, "starter") {
		t.Errorf("help:\n%s", got)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := in.must("completion", shell); !strings.Contains(got, "service") {
			t.Errorf("completion of %s:\n%.300s", shell, got)
		}
	}
	in.environ = slices.DeleteFunc(in.environ, func(e string) bool { return strings.HasPrefix(e, "SERVICE_DATA_DIR=") })
	if got := in.must("config", "print"); !regexp.MustCompile(`(?m)^SERVICE_DATA_DIR=/.*service$`).MatchString(got) {
		t.Errorf("config print:\n%s", got)
	}
	if code, _, stderr := in.command("healthcheck"); code != 1 || goWords.MatchString(stderr) ||
		!strings.Contains(stderr, "connection refused") {
		t.Errorf("healthcheck of nobody: %d %s", code, stderr)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:"+in.port)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	want := "SERVICE_LISTEN_ADDR: 127.0.0.1:" + in.port + ": address already in use\n"
	if code, _, stderr := in.command("serve"); code != 1 || !strings.HasSuffix(stderr, want) {
		t.Errorf("serve: %d %s", code, stderr)
	}
	in.environ = append(in.environ, "DATABASE_URL=host=127.0.0.1 port=1 user=u", "SERVICE_SECRET_KEY_FILE=/nowhere")
	want = "SERVICE_SECRET_KEY_FILE: /nowhere: no such file or directory\n"
	if code, _, stderr := in.command("migrate"); code != 2 || !strings.HasSuffix(stderr, want) {
		t.Errorf("migrate: %d %s", code, stderr)
	}
}

func TestWrongPasswordIsNotRetriedNorShown(t *testing.T) {
	t.Parallel()
	dsn := emptyDatabase(t)
	in := install(t, "DATABASE_URL="+strings.Replace(dsn, " user=", " password=hush-hush user=nobody-", 1))
	start := time.Now()
	code, _, stderr := in.command("migrate")
	if code != 1 || !strings.Contains(stderr, "refuses the connection") ||
		strings.Contains(stderr, "hush") || time.Since(start) > 10*time.Second {
		t.Errorf("status %d after %v\n%s", code, time.Since(start), stderr)
	}
}

// TestInterrupted: a command that a signal ends has the exit status that shells expect, and no words of the library.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	if code := status(fmt.Errorf("authorize: %w", context.Canceled), &errs); code != 130 || errs.String() != "service: interrupted\n" {
		t.Errorf("%d: %s", code, errs.String())
	}
}
