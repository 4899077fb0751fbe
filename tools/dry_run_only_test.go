package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"service/tools"
)

// A grant for dry runs reads and tries. Every tool that is not read-only is refused with right arguments, also with a dry_run
// that it does not have, and changes nothing.
func TestDryRunOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	spec := json.RawMessage(`{"title":"Sales","datasets":[{"id":"d","sql":"SELECT 1 AS n"}],"panels":[{"type":"table"}]}`)
	for range 2 {
		w.call("publish_dashboard", object("path", "sales", "spec", spec))
	}
	w.refresh()
	versions, err := w.Dashboards.Versions(t.Context(), w.members["ada@acme"], "sales")
	w.must(err)
	state := func() string {
		var out strings.Builder
		for _, table := range []string{"any_dashboard", "slug", "version", "schedule", "refresh_run", "audit"} {
			var text string
			w.must(w.pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(x::text, E'\n' ORDER BY x::text), '') FROM `+table+` x`).Scan(&text))
			out.WriteString(text + "\n")
		}
		return out.String()
	}
	with := map[string]any{
		"slug": "sales", "path": "sales", "version_id": versions[1].ID.String(), "spec": spec, "new_slug": "taken-over", "name": "Mine",
		"schedule": "1h", "sql": "SELECT 1 AS n",
	}
	before := state()
	w.grant.DryRunOnly = true
	for _, d := range tools.Definitions() {
		args := callOf(t, d, with)
		if tried := strings.TrimSuffix(args, "}") + `,"dry_run":true}`; d.Name == "publish_dashboard" {
			if r := w.call(d.Name, tried); r.IsError || !strings.Contains(r.Text, "Dry run passed") {
				t.Errorf("a dry run: %s%s", r.Text, r.Internal)
			}
		} else if !d.Annotations.ReadOnlyHint {
			r := w.call(d.Name, strings.ReplaceAll(tried, "{,", "{"))
			if !r.IsError || !strings.Contains(r.Text, "This authorization allows only reading") {
				t.Errorf("%s with dry_run: %s%s", d.Name, r.Text, r.Internal)
			}
		}
		r := w.call(d.Name, args)
		refused := r.IsError && strings.Contains(r.Text, "This authorization allows only reading and dry runs")
		if refused == d.Annotations.ReadOnlyHint {
			t.Errorf("%s: refused %v: %s%s", d.Name, refused, r.Text, r.Internal)
		}
	}
	if after := state(); after != before {
		t.Errorf("something was changed:\n%s\nbefore:\n%s", after, before)
	}
}
