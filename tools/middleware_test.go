package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store"
	"service/tools"
)

// Every call is counted and logged with its outcome, and without its arguments.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t), func(o *store.Options) { o.RefreshBudget = 1 })
	var log bytes.Buffer
	counted := map[string]int{}
	w.url = w.serve(func(c *tools.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
		c.Called = func(_ context.Context, tool, outcome string, took time.Duration) {
			if took <= 0 {
				t.Errorf("%s took %s", tool, took)
			}
			counted[tool+" "+outcome]++
		}
	})
	spec := `{"path":"s","spec":` + selfSpec + `}`
	w.call("publish_dashboard", spec)
	w.refresh()
	w.call("publish_dashboard", `{"path":"SECRET"}`)
	for range store.RateTrigger.Ceiling + 2 {
		w.call("trigger_refresh", `{"slug":"s"}`)
	}
	_, err := w.pool.Exec(t.Context(), `ALTER TABLE dashboard RENAME TO away`)
	w.must(err)
	w.call("list_dashboards", `{}`)
	w.url = w.serve(func(c *tools.Config) { c.Store, c.Log, c.Called = nil, slog.New(slog.NewJSONHandler(&log, nil)), nil })
	w.call("list_connections", `{}`) // panics without a store

	want := map[string]int{
		"publish_dashboard ok": 1, "publish_dashboard refused": 1, "list_dashboards error": 1,
		"trigger_refresh ok": 1, "trigger_refresh over_budget": store.RateTrigger.Ceiling - 1, "trigger_refresh throttled": 2,
	}
	if diff := cmp.Diff(want, counted); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
	want["list_connections error"] = 1
	logged := map[string]int{}
	for line := range strings.Lines(log.String()) {
		var l struct{ Msg, Tool, Outcome, Grant string }
		w.must(json.Unmarshal([]byte(strings.Replace(line, "grant_id", "grant", 1)), &l))
		if l.Msg != "tool call" {
			continue
		}
		logged[l.Tool+" "+l.Outcome]++
		if l.Grant != w.grant.ID.String() {
			t.Errorf("no grant in %s", line)
		}
	}
	if diff := cmp.Diff(want, logged); diff != "" {
		t.Errorf("logged (-want +got):\n%s", diff)
	}
	if strings.Contains(log.String(), "SECRET") {
		t.Errorf("an argument is in the log: %s", &log)
	}
}
