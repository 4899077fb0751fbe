package main

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestJourney is a new user's path through the whole program over HTTP: sign in, make a workspace,
// connect a client that knows only the URL, publish, refresh, view the page, and delete it.
func TestJourney(t *testing.T) {
	t.Parallel()
	site := startSite(t)

	// A person signs in and creates a workspace.
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	page := ada.submit("/workspaces", url.Values{"name": {"Journey"}, "slug": {"journey"}})
	if page.status != 200 || !strings.HasSuffix(page.url.Path, "/w/journey/") ||
		!strings.Contains(page.text, "claude mcp add --transport http service "+site.base+"/mcp") {
		t.Fatalf("after creating a workspace: %d %s\n%s", page.status, page.url, page.text)
	}

	// A client gets from 401 to the tools.
	c := site.connect(t, ada, "journey")
	if init := c.session.InitializeResult(); init.ServerInfo.Name != "service" ||
		init.ServerInfo.Version != "0.6.0" || init.ProtocolVersion != "2025-06-18" {
		t.Errorf("initialize: %+v", init)
	}
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 20 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	prompt, err := c.session.GetPrompt(t.Context(),
		&mcp.GetPromptParams{Name: "refreshable_dashboard", Arguments: map[string]string{"connection": "self"}})
	if err != nil || len(prompt.Messages) != 1 {
		t.Fatal(prompt, err)
	}
	if ready := c.call("check_readiness", nil); ready.data["ready"] != true {
		t.Errorf("%+v", ready)
	} else if strings.Contains(ready.text, `"id":"sandbox"`) != strings.Contains(site.log.String(), "are not sealed") {
		t.Errorf("readiness and the log differ on the sandbox: %s\n%s", ready.text, site.log)
	}
	if none := c.call("list_connections", nil); !strings.Contains(none.text, "You have no warehouse connections.") {
		t.Errorf("%s", none.text)
	}
	if tables := c.call("introspect_schema", nil); !strings.Contains(tables.text, `"metrics"`) {
		t.Errorf("%s", tables.text)
	}
	sql := "SELECT day, event, sum(count) AS events FROM metrics GROUP BY day, event"
	if valid := c.call("validate_cube_sql", map[string]any{"sql": sql}); valid.data["valid"] != true {
		t.Errorf("%s", valid.text)
	}
	spec := map[string]any{
		"version": 1, "title": "What happened",
		"datasets": []any{map[string]any{"id": "events", "sql": sql}},
		"panels": []any{
			map[string]any{"type": "kpi", "value": "events"},
			map[string]any{"type": "bar", "x": "event", "y": "events"},
			map[string]any{"type": "table", "columns": []string{"day", "event", "events"}},
		},
	}
	publish := map[string]any{"path": "what", "spec": spec, "dry_run": true}
	if dry := c.call("publish_dashboard", publish); dry.failed {
		t.Fatal(dry.text)
	}
	if got := c.call("list_dashboards", nil).data["dashboards"]; len(got.([]any)) != 0 {
		t.Errorf("a dry run published: %v", got)
	}
	delete(publish, "dry_run")
	start := time.Now()
	published := c.call("publish_dashboard", publish)
	address := site.workspace("journey") + "/what"
	if published.failed || !strings.Contains(published.text, address) {
		t.Fatal(published.text)
	}
	c.refreshed("what")
	viewer := site.browser(t)
	viewer.signIn(address+"?from=afar&x=%20y", "ada@example.com")
	if viewer.last.url.String() != address+"?from=afar&x=%20y" ||
		viewer.last.status != 200 || !strings.Contains(viewer.last.text, "What happened") {
		t.Errorf("a signed-out visitor came back to %s (%d)", viewer.last.url, viewer.last.status)
	}
	t.Logf("from publish_dashboard to a page, sign-in included: %s", time.Since(start).Round(time.Millisecond))

	// Read it in all ways.
	if got := c.call("get_dashboard", map[string]any{"path": "what"}); got.failed || !strings.Contains(got.text, address) {
		t.Error(got.text)
	}
	resources, err := c.session.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) != 1 || resources.Resources[0].URI != "service://journey/what" {
		t.Fatalf("%+v, %v", resources, err)
	}
	body, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "service://journey/what"})
	if err != nil || len(body.Contents) != 1 || body.Contents[0].MIMEType != "text/html" ||
		!strings.Contains(body.Contents[0].Text, "What happened") {
		t.Errorf("%+v, %v", body, err)
	}
	if got := c.call("trigger_refresh", map[string]any{"slug": "what"}); got.failed {
		t.Error(got.text)
	}
	c.refreshed("what")

	// Rename: the old address redirects. Versions: two publishes and a restore make three.
	if got := c.call("update_dashboard", map[string]any{"slug": "what", "new_slug": "news", "name": "News"}); got.failed {
		t.Error(got.text)
	}
	moved := viewer.get(address + "?a=b%2Fc")
	if moved.url.String() != site.workspace("journey")+"/news?a=b%2Fc" || moved.first != http.StatusMovedPermanently || moved.status != 200 {
		t.Errorf("an alias answered %d and led to %s (%d)", moved.first, moved.url, moved.status)
	}
	spec["title"] = "Second"
	if got := c.call("publish_dashboard", map[string]any{"path": "news", "spec": spec}); got.failed {
		t.Error(got.text)
	}
	versions := c.call("list_dashboard_versions", map[string]any{"slug": "news"}).data["versions"].([]any)
	if len(versions) != 2 {
		t.Errorf("%d versions", len(versions))
	}
	oldest := versions[len(versions)-1].(map[string]any)["version_id"]
	if got := c.call("restore_dashboard_version", map[string]any{"slug": "news", "version_id": oldest}); got.failed {
		t.Error(got.text)
	}
	schedule := map[string]any{"slug": "news", "schedule": "daily 07:00", "timezone": "Europe/Berlin"}
	if got := c.call("set_refresh_schedule", schedule); got.failed || len(got.data["next_runs"].([]any)) != 3 {
		t.Error(got.text)
	}

	// An upload, added by the operator while the server is running.
	csv := filepath.Join(t.TempDir(), "rain.csv")
	if err := os.WriteFile(csv, []byte("day,mm\n2026-01-01,3\n2026-01-02,4.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := run(t.Context(), []string{"admin", "upload", "add", "journey", "ada@example.com", csv}, site.environ, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	connections := c.call("list_connections", nil).data["connections"].([]any)
	if len(connections) != 1 {
		t.Fatalf("%v", connections)
	}
	connection := connections[0].(map[string]any)
	upload := connection["uploads"].([]any)[0].(map[string]any)
	rain := c.call("publish_dashboard", map[string]any{
		"path": "rain", "connection": connection["id"], "upload": upload["id"],
		"spec": map[string]any{
			"version": 1, "title": "Rain",
			"datasets": []any{map[string]any{"id": "rain", "sql": "SELECT day, sum(mm) AS mm FROM upload GROUP BY day"}},
			"panels":   []any{map[string]any{"type": "line", "x": "day", "y": "mm"}, map[string]any{"type": "kpi", "value": "mm"}},
		},
	})
	if rain.failed {
		t.Fatal(rain.text)
	}
	c.refreshed("rain")
	if got := viewer.get(site.workspace("journey") + "/rain"); got.status != 200 || !strings.Contains(got.text, "7.5") {
		t.Errorf("%d: the sum of the upload is not on its page", got.status)
	}

	// A document and a data file.
	if got := c.call("publish_dashboard", map[string]any{"path": "notes", "body": "# Notes\n\nAll *well*."}); got.failed {
		t.Error(got.text)
	}
	if got := viewer.get(site.workspace("journey") + "/notes"); got.status != 200 || !strings.Contains(got.text, "<em>well</em>") {
		t.Errorf("%d: %s", got.status, got.text)
	}
	if got := c.call("publish_dashboard", map[string]any{"path": "raw/data.csv", "body": "a,b\n1,2\n"}); got.failed {
		t.Error(got.text)
	}
	if got := viewer.get(site.workspace("journey") + "/raw/data.csv"); got.status != 200 ||
		got.text != "a,b\n1,2\n" || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %v %q", got.status, got.header, got.text)
	}

	// A stranger sees only the 404 page.
	eve := site.browser(t)
	eve.signIn(site.workspace("journey")+"/news", "eve@example.com")
	foreign, missing := eve.last, eve.get(site.workspace("journey")+"/no-such")
	if nowhere := eve.get(site.workspace("nowhere") + "/news"); foreign.status != 404 ||
		foreign.text != missing.text || foreign.text != nowhere.text {
		t.Errorf("a stranger can tell: %d %d %d", foreign.status, missing.status, nowhere.status)
	}

	if got := c.call("delete_dashboard", map[string]any{"slug": "news"}); got.failed {
		t.Error(got.text)
	}
	for _, gone := range []string{"/news", "/what"} {
		if got := viewer.get(site.workspace("journey") + gone); got.status != 404 {
			t.Errorf("%s after deletion: %d", gone, got.status)
		}
	}

	// The grant continues with its refresh token, and ends when it is revoked.
	c.refreshToken()
	if err := run(t.Context(), []string{"admin", "member", "remove", "journey", "ada@example.com"}, site.environ, &out, &errs); err == nil {
		t.Error("the last owner was removed")
	}
	for email, refused := range map[string]bool{"ada@example.com": true, "eve@example.com": false, "nobody@example.com": true} {
		if err := run(t.Context(), []string{"admin", "user", "delete", email}, site.environ, &out, &errs); (err != nil) != refused {
			t.Errorf("deleting the account of %s: %v", email, err)
		}
	}
	if got := viewer.get(site.workspace("journey") + "/rain"); got.status != 200 {
		t.Error(got.status)
	}
}
