package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/store"
	"service/tools"
)

// viewerRefused is the one sentence for a viewer of acme.
const viewerRefused = `Your role in the workspace "acme" is viewer, which opens dashboards, but changes nothing and sees neither SQL ` +
	`nor data sources: ask the owner ada@example.com for the role editor.`

// secrets are in the sources of the dashboards below, and nowhere else.
var secrets = []string{"secret_table", "secret_column", "Secret Label", "secret-file", "secret_error"}

// callOf returns valid arguments for a tool, made of its schema: each parameter has its example's type, and names are names of existing
// objects.
func callOf(t *testing.T, d *mcp.Tool, with map[string]any) string {
	t.Helper()
	var s schema
	raw, err := json.Marshal(d.InputSchema)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]any{}
	for name := range s.Properties {
		if v, ok := with[name]; ok {
			args[name] = v
		}
	}
	out, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A viewer goes through every tool of the registry, under a locked and a legacy grant, with no arguments, wrong ones and right ones. A
// call that is not for viewers is refused with one sentence and changes nothing, and no answer has a part of SQL or a data source.
func TestViewersAndEveryTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	connection := w.warehouse("ada@acme", "Secret Label", "db.example")
	publish := func(slug, sql string) {
		t.Helper()
		r := w.call("publish_dashboard", fmt.Sprintf(`{"path":"%s","connection":"%s","spec":{"title":"Sales","datasets":[{"id":"d","sql":%q}],`+
			`"panels":[{"type":"table"}]},"name":"Sales %s","tags":["t"]}`, slug, connection, sql, slug))
		if r.IsError || r.Internal != "" {
			t.Fatal(r.Text, r.Internal)
		}
	}
	publish("sales", `WITH secret_table AS (SELECT amount AS secret_column FROM orders) SELECT secret_column AS amount FROM secret_table`)
	publish("sales", `WITH secret_table AS (SELECT amount + 1 AS secret_column FROM orders) SELECT secret_column AS amount FROM secret_table`)
	publish("broken", `SELECT amount FROM orders`)
	w.refresh()
	_, err := w.pool.Exec(t.Context(), `
		UPDATE refresh_run r SET state = 'failed', error = 'secret_error', datasets = '[{"id":"d","state":"failed","error":"secret_error"}]'
		  FROM dashboard d WHERE d.id = r.dashboard_id AND d.slug = 'broken'`)
	w.must(err)
	_, err = w.pool.Exec(t.Context(), `UPDATE connection SET status = 'failing', status_reason = 'secret_error'`)
	w.must(err)
	versions, err := w.Dashboards.Versions(t.Context(), w.members["ada@acme"], "sales")
	w.must(err)
	state := func() string {
		var out strings.Builder
		for _, table := range []string{"any_dashboard", "slug", "version", "schedule", "refresh_run", "alert", "connection", "upload", "audit"} {
			var text string
			w.must(w.pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(x::text, E'\n' ORDER BY x::text), '') FROM `+table+` x`).Scan(&text))
			out.WriteString(table + "\n" + text + "\n")
		}
		return out.String()
	}

	w.member("eve@acme", store.RoleViewer)
	with := map[string]any{
		"slug": "sales", "path": "sales", "workspace": "acme", "connection": connection, "version_id": versions[1].ID.String(),
		"spec":      json.RawMessage(`{"datasets":[{"id":"d","sql":"SELECT 1 AS n"}],"panels":[{"type":"table"}]}`),
		"new_slug":  "taken-over",
		"name":      "Mine",
		"schedule":  "1h",
		"sql":       "SELECT 1 AS n",
		"statement": "SELECT 1 AS n",
	}
	before := state()
	for _, grant := range []string{"eve@acme", "eve:legacy"} {
		w.as(grant)
		for _, d := range tools.Definitions() {
			other := maps.Clone(with)
			other["slug"], other["path"] = "broken", "broken"
			calls := []string{
				callOf(t, d, with), callOf(t, d, other),
				`{"slug":"BAD SLUG","path":"BAD SLUG","workspace":"acme"}`, `{"slug":"gone","path":"gone","workspace":"acme"}`,
			}
			for _, args := range calls {
				if grant == "eve:legacy" && !traits[d.Name].dashboard {
					continue // refused for its lock
				}
				r := w.call(d.Name, args)
				said := r.Text + r.Internal + string(r.Structured)
				for _, s := range secrets {
					if strings.Contains(said, s) {
						t.Errorf("%s %s by a viewer shows %q: %s", d.Name, args, s, said)
					}
				}
				if strings.Contains(said, connection.String()) {
					t.Errorf("%s %s by a viewer shows the connection: %s", d.Name, args, said)
				}
				switch {
				case r.Internal != "":
					t.Errorf("%s %s by a viewer: %s", d.Name, args, r.Internal)
				case traits[d.Name].viewers && r.Text == viewerRefused:
					t.Errorf("%s %s is refused to viewers", d.Name, args)
				case !traits[d.Name].viewers && (!r.IsError || r.Text != viewerRefused):
					t.Errorf("%s %s by a viewer: %s", d.Name, args, r.Text)
				}
			}
		}
	}
	if after := state(); after != before {
		t.Errorf("a viewer changed something:\n%s\n%s", before, after)
	}
	w.as("eve@acme")
	compare := `{"slug":"sales","compare":["` + versions[1].ID.String() + `","current"]}`
	if r := w.call("list_dashboard_versions", compare); r.Text != viewerRefused {
		t.Errorf("a comparison of specs by a viewer: %s", r.Text)
	}
	if r := w.call("list_connections", `{}`); r.IsError || r.Text != "You have no warehouse connections." {
		t.Errorf("list_connections by a viewer: %s", r.Text)
	}

	// The role counts at the moment of the call.
	w.member("eve@acme", store.RoleEditor)
	w.lookAgain()
	if r := w.call("get_dashboard_spec", `{"slug":"sales"}`); r.IsError || !strings.Contains(r.Text, "secret_table") {
		t.Errorf("get_dashboard_spec by a new editor: %s", r.Text)
	}

	// It counts again where a change is stored: a call that began with another role changes nothing.
	editor := w.members["eve@acme"]
	w.member("eve@acme", store.RoleViewer)
	before = state()
	for name, err := range map[string]error{
		"delete": func() error { _, err := w.Dashboards.DeleteDashboard(t.Context(), editor, "sales"); return err }(),
		"name": func() error {
			_, err := w.Dashboards.UpdateDashboard(t.Context(), editor, "sales", store.Update{Name: new("Mine")})
			return err
		}(),
		"schedule": func() error {
			_, err := w.Refreshes.SetSchedule(t.Context(), editor, "sales", store.Schedule{Expression: "1h", Timezone: "UTC"})
			return err
		}(),
		"restore": func() error {
			_, err := w.Dashboards.RestoreVersion(t.Context(), editor, "sales", versions[1].ID)
			return err
		}(),
		"trigger": func() error { _, err := w.Refreshes.TriggerRefresh(t.Context(), editor, "sales"); return err }(),
		"version": func() error {
			_, err := w.Dashboards.NameVersion(t.Context(), editor, "sales", versions[1].ID, new("Mine"))
			return err
		}(),
		"publish": func() error {
			_, err := w.Dashboards.Publish(t.Context(), editor, store.Publication{
				Slug: "new", Filename: "index.html", DefaultName: "New", DefaultChart: "table",
				ContentType: "text/markdown", Content: []byte("# New"),
			})
			return err
		}(),
		"upload": func() error {
			_, err := w.Uploads.AddUpload(t.Context(), editor, "a.csv", []byte("n\n1\n"))
			return err
		}(),
	} {
		if err == nil {
			t.Errorf("%s by somebody who is a viewer by now is done", name)
		}
	}
	if after := state(); after != before {
		t.Error("somebody who is a viewer by now changed something")
	}
}
