package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestKill kills and stops a program in its own process, and its database: everything
// that was answered is kept, and the program recovers by itself.
func TestKill(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	in := install(t)
	program := in.process()
	s := siteAt(in.port, in.environ)
	ada := s.browser(t)
	ada.signIn(s.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	token := s.connect(t, ada, "acme").token.AccessToken
	s.sourced(t, token)

	// Killed while it publishes.
	family := descendants(t, program.Process.Pid)
	answered := s.publishUntilGone(token, func(n int) {
		if n == 12 {
			_ = program.Process.Kill()
		}
	})
	if err := program.Wait(); err == nil {
		t.Fatal("it survived a SIGKILL")
	}
	if len(answered) < 12 || len(answered) == 4*publishes {
		t.Fatalf("%d publishes were answered: it was not killed in the middle", len(answered))
	}
	start := time.Now()
	program = in.process()
	took := time.Since(start)
	t.Logf("killed after %d answers; it took %v to be back", len(answered), took.Round(time.Millisecond))
	if took > 10*time.Second {
		t.Errorf("the start after a kill took %v", took)
	}
	s.kept(t, token, answered)
	s.sourced(t, token)
	for pid, name := range family {
		if alive(pid, name) {
			t.Errorf("%s (process %d) of the killed program still runs", name, pid)
		}
	}

	s.whileStopped(t, in, ada, token)

	// The database is killed.
	killed := in.database()
	if killed == 0 {
		t.Fatal("there is no database")
	}
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	eventually(t, func() error {
		r := s.call(t, token, "list_dashboards", `{}`)
		if r.status == 200 && strings.Contains(r.body, "BEGIN_JSON") {
			if now := in.database(); now == killed || now == 0 { // its backends live on for a moment
				return errors.New("the database is not back")
			}
			return nil
		}
		for _, word := range []string{"sql", "pgx", "SQLSTATE", "postgres", "dial ", "conn"} { // such words belong in the log
			if strings.Contains(r.body, word) {
				t.Errorf("a caller gets: %s", r.body)
			}
		}
		return fmt.Errorf("%d %s", r.status, r.body)
	})
	t.Logf("after the kill of the database it took %v to serve again", time.Since(start).Round(time.Millisecond))
	s.kept(t, token, answered)
	if text, refused := s.call(t, token, "publish_dashboard", `{"path":"after","body":"# After"}`).text(t); refused {
		t.Error(text)
	}

	// After a signal to stop, it answers running requests and leaves no processes behind.
	s.sourced(t, token)
	family = descendants(t, program.Process.Pid)
	if len(family) < 2 {
		t.Fatalf("it has no children to leave behind: %v", family)
	}
	finish := s.begin(t, token)
	start = time.Now()
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if log := program.Stderr.(*output).String(); !strings.Contains(log, `"msg":"stopping"`) {
			return errors.New("it does not stop")
		}
		return nil
	})
	if answer := finish(); !strings.Contains(answer, "200 OK") || !strings.Contains(answer, `"result"`) {
		t.Errorf("the request under way was answered: %s", answer)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, program.Stderr)
	}
	if took := time.Since(start); took > dockerKills {
		t.Errorf("it took %v to stop", took)
	}
	for pid, name := range family {
		if alive(pid, name) {
			t.Errorf("%s (process %d) outlived the program", name, pid)
		}
	}
}

// whileStopped stops every process of the database, so that it holds its connections and
// does not answer: a call, a page and the app get Retry-After, each within its time
// limit. Then the database continues, and so does the program.
func (s *site) whileStopped(t *testing.T, in *installation, ada *browser, token string) {
	t.Helper()
	pages := map[string]string{"a page": s.workspace("acme") + "/stream-0-0", "the app": s.app + "/w/acme/"}
	for _, url := range pages {
		ada.get(url) // so that it is signed in there
	}
	postgres := in.database()
	stopped := descendants(t, postgres)
	stopped[postgres] = "postgres"
	all := func(signal syscall.Signal) {
		for pid := range stopped {
			_ = syscall.Kill(pid, signal) // a process that has ended need not be stopped
		}
	}
	all(syscall.SIGSTOP)
	t.Cleanup(func() { all(syscall.SIGCONT) })
	hasty := *ada.client
	hasty.Timeout = 10 * time.Second
	var asked sync.WaitGroup
	for name, url := range pages {
		asked.Go(func() {
			res, err := hasty.Get(url)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			res.Body.Close()
			if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %d, Retry-After %q", name, res.StatusCode, res.Header.Get("Retry-After"))
			}
		})
	}
	asked.Go(func() {
		if r := s.call(t, token, "list_dashboards", `{}`); r.status != http.StatusServiceUnavailable {
			t.Errorf("a call: %d %s", r.status, r.body)
		}
	})
	asked.Wait()
	all(syscall.SIGCONT)
	eventually(t, func() error {
		if r := s.call(t, token, "list_dashboards", `{}`); r.status != http.StatusOK {
			return fmt.Errorf("%d %s", r.status, r.body)
		}
		return nil
	})
	ada.get(pages["the app"])
}

// publishes is the number of dashboards that each of the four callers makes: together
// less than the rate limit of a minute.
const publishes = 14

// publishUntilGone publishes dashboards, four at a time, until the server no longer
// answers. It returns the answered slugs, and calls count for each answer.
func (s *site) publishUntilGone(token string, count func(answered int)) (answered []string) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for caller := range 4 {
		all.Go(func() {
			for i := range publishes {
				slug := fmt.Sprintf("stream-%d-%d", caller, i)
				body := `{"jsonrpc":"2.0","id":1,"method":"tools/call",` +
					`"params":{"name":"publish_dashboard","arguments":{"path":"` + slug + `","body":"# The text of ` + slug + `"}}}`
				req, err := http.NewRequest(http.MethodPost, s.base+"/mcp", strings.NewReader(body))
				if err != nil {
					return
				}
				req.Header.Set("Authorization", "Bearer "+token)
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					return
				}
				text, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || !bytes.Contains(text, []byte(`Published`)) {
					return
				}
				mu.Lock()
				answered = append(answered, slug)
				count(len(answered))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return answered
}

// kept fails the test unless every answered dashboard exists completely, and every other
// one exists completely or not at all.
func (s *site) kept(t *testing.T, token string, answered []string) {
	t.Helper()
	var list struct {
		Result struct {
			StructuredContent struct{ Dashboards []struct{ Slug string } }
		}
	}
	if err := json.Unmarshal([]byte(s.call(t, token, "list_dashboards", `{"limit":200,"query":"stream-"}`).body), &list); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, d := range list.Result.StructuredContent.Dashboards {
		there[d.Slug] = true
		text, refused := s.call(t, token, "get_dashboard", `{"path":"`+d.Slug+`","include":["body"]}`).text(t)
		if refused || !strings.Contains(text, "The text of "+d.Slug) {
			t.Errorf("%s exists in part: %s", d.Slug, text)
		}
		if text, refused := s.call(t, token, "list_dashboard_versions", `{"slug":"`+d.Slug+`"}`).text(t); refused ||
			strings.Count(text, `"version_id"`) != 1 {
			t.Errorf("%s: %s", d.Slug, text)
		}
	}
	for _, slug := range answered {
		if !there[slug] {
			t.Errorf("%s was answered and is lost", slug)
		}
	}
}

// sourced starts a query worker.
func (s *site) sourced(t *testing.T, token string) {
	t.Helper()
	if text, refused := s.call(t, token, "explore_data", `{"table":"metrics"}`).text(t); refused {
		t.Fatal(text)
	}
}

// begin sends the first half of a request, and returns a function that sends the rest
// and reads the answer.
func (s *site) begin(t *testing.T, token string) (finish func() string) {
	t.Helper()
	c, err := net.Dial("tcp", "127.0.0.1:"+s.port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	fmt.Fprintf(c,
		"POST /mcp HTTP/1.1\r\nHost: localhost:%s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		s.port, token, len(body))
	line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(c, line); err != nil || !bytes.Contains(line, []byte(" 100 ")) { // it reads the body: the request is running
		t.Fatalf("%q, %v", line, err)
	}
	return func() string {
		fmt.Fprint(c, body)
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		answer, err := io.ReadAll(c)
		if err != nil {
			t.Errorf("the request under way: %v", err)
		}
		return string(answer)
	}
}

// database returns the process of the embedded database, or 0 if it is not running.
func (in *installation) database() int {
	files, _ := filepath.Glob(filepath.Join(in.dir, "postgres", "data-*", "postmaster.pid"))
	if len(files) != 1 {
		return 0
	}
	text, _ := os.ReadFile(files[0]) // it may no longer exist
	line, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(line)
	return pid
}

// descendants returns the names of all descendants of a process, by process id.
func descendants(t *testing.T, of int) map[int]string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	parent, names := map[int]int{}, map[int]string{}
	for _, file := range stats {
		if pid, name, ppid, ok := readStat(file); ok {
			parent[pid], names[pid] = ppid, name
		}
	}
	found := map[int]string{}
	for pid := range parent {
		for up := parent[pid]; up > 1; up = parent[up] {
			if up == of {
				found[pid] = names[pid]
			}
		}
	}
	return found
}

// readStat reads a process's id, name and parent, and whether it is alive (proc(5)).
func readStat(file string) (pid int, name string, ppid int, ok bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, "", 0, false // it has ended in the meantime
	}
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	fields := strings.Fields(string(b[end+1:]))
	if open < 1 || len(fields) < 2 || slices.Contains([]string{"Z", "X"}, fields[0]) {
		return 0, "", 0, false
	}
	pid, _ = strconv.Atoi(strings.TrimSpace(string(b[:open])))
	ppid, _ = strconv.Atoi(fields[1])
	return pid, string(b[open+1 : end]), ppid, true
}

// alive reports whether a process is still running after a moment in which it may end.
// Zombies do not count as running.
func alive(pid int, name string) bool {
	for limit := time.Now().Add(5 * time.Second); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		_, now, _, ok := readStat("/proc/" + strconv.Itoa(pid) + "/stat")
		if !ok || now != name { // or another process has the id now
			return false
		}
	}
	return true
}
