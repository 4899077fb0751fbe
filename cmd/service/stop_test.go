package main

import (
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"service/store/storetest"
)

// dockerKills is the time after which Docker kills a container that it has asked to stop, unless it is told otherwise.
const dockerKills = 10 * time.Second

// A server whose refresh takes longer than it may stops before Docker kills it. The query is cancelled, and the refresh is back in the
// queue for another process, as if it had not begun.
func TestStopDuringARefresh(t *testing.T) {
	t.Parallel()
	db := storetest.Pool(t)
	in := install(t, "DATABASE_URL="+databaseURL(db))
	program := in.process()
	s := siteAt(in.port, in.environ)
	ada := s.browser(t)
	ada.signIn(s.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	c := s.connect(t, ada, "acme")
	endless := map[string]any{
		"datasets": []any{map[string]any{"id": "n", "sql": "SELECT sum(a.range % (b.range + 1)) AS n FROM range(10000000) a, range(10000000) b"}},
		"panels":   []any{map[string]any{"type": "kpi", "value": "n"}},
	}
	if got := c.call("publish_dashboard", map[string]any{"path": "endless", "spec": endless}); got.failed {
		t.Fatal(got.text)
	}
	eventually(t, func() error {
		if state := c.call("get_refresh_status", map[string]any{"slug": "endless"}).data["state"]; state != "running" {
			return fmt.Errorf("it is %v", state)
		}
		return nil
	})
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(dockerKills, func() { _ = program.Process.Kill() })
	defer kill.Stop()
	if err := program.Wait(); err != nil {
		t.Errorf("%v\n%s", err, program.Stderr)
	}
	log := fmt.Sprint(program.Stderr)
	if strings.Contains(log, `"level":"ERROR"`) || !strings.Contains(log, "a refresh returns to the queue") {
		t.Errorf("the log of an ordinary stop:\n%s", log)
	}
	var state string
	var attempts int
	var process, started any
	if err := db.QueryRow(t.Context(), `SELECT state, attempts, process, started_at FROM refresh_run`).
		Scan(&state, &attempts, &process, &started); err != nil || state != "queued" || attempts != 0 || process != nil || started != nil {
		t.Errorf("the refresh is %s after %d attempts, of process %v since %v, %v", state, attempts, process, started, err)
	}
}
