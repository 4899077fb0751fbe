package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"service/store"
	"service/store/storetest"
	"service/tools"
)

// A stored document that does not fit the rules of documents is not an internal error of any tool: the answer names the place, and
// get_dashboard_spec still returns the document, so that publish_dashboard can replace it.
func TestStoredDocumentsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	good := `{"title":"Sales","datasets":[{"id":"d","sql":"SELECT 1 AS n"}],"panels":[{"type":"table"}]}`
	if r := w.call("publish_dashboard", object("path", "sound", "spec", json.RawMessage(good))); r.IsError {
		t.Fatal(r.Text)
	}
	for name, doc := range map[string]string{
		"empty":     `{}`,
		"no-list":   `{"title":"Sales","datasets":[{"id":"d","sql":"SELECT 1 AS n"}],"panels":4}`,
		"type":      strings.Replace(good, "table", "hologram", 1),
		"alert":     strings.TrimSuffix(good, "}") + `,"alerts":[{"id":"a","data":"d","if":"??"}]}`,
		"no-object": `[1]`,
	} {
		for range 2 {
			_, err := w.Dashboards.Publish(t.Context(), w.members["ada@acme"], store.Publication{
				Slug: name, Filename: "index.html", DefaultName: "Sales", DefaultChart: "table", ContentType: "application/json",
				Content: []byte(doc), Spec: storetest.Spec([]byte(doc)),
			})
			w.must(err)
		}
		versions, err := w.Dashboards.Versions(t.Context(), w.members["ada@acme"], name)
		w.must(err)
		with := map[string]any{
			"slug": name, "path": name, "version_id": versions[0].ID.String(), "spec": json.RawMessage(good), "name": "Mine",
			"schedule": "1h", "sql": "SELECT 1 AS n", "new_slug": name + "-2",
		}
		said := false
		for _, d := range tools.Definitions() {
			if d.Name == "delete_dashboard" || d.Name == "update_dashboard" || d.Name == "publish_dashboard" {
				continue
			}
			r := w.call(d.Name, callOf(t, d, with))
			if r.Internal != "" {
				t.Errorf("%s of %s: %s", d.Name, name, r.Internal)
			}
			said = said || r.IsError && strings.Contains(r.Text, "A stored document that this call reads does not fit the rules of documents (")
		}
		if !said {
			t.Errorf("no tool tells that %s cannot be read", name)
		}
		if r := w.call("get_dashboard_spec", object("slug", name)); r.IsError || r.Internal != "" {
			t.Errorf("get_dashboard_spec of %s: %s%s", name, r.Text, r.Internal)
		}
		if r := w.call("list_dashboards", `{}`); r.IsError || !strings.Contains(r.Text, `"slug":"sound"`) {
			t.Errorf("the list beside %s: %s%s", name, r.Text, r.Internal)
		}
		linked := strings.Replace(good, `"table"`, `"table","columns":[{"column":"n","link":"`+name+`"}]`, 1)
		if r := w.call("publish_dashboard", object("path", "other", "dry_run", true, "spec", json.RawMessage(linked))); r.IsError ||
			!strings.Contains(r.Text, "cannot be read, so its filters are unknown") {
			t.Errorf("a link to %s: %s%s", name, r.Text, r.Internal)
		}
		if r := w.call("publish_dashboard", object("path", name, "spec", json.RawMessage(good))); r.IsError || r.Internal != "" {
			t.Errorf("%s is not replaced: %s%s", name, r.Text, r.Internal)
		}
	}
}
