package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/storetest"
)

// A dashboard is duplicated in its workspace and into another of the person's, where it reads sources with the same names.
// The refusal names missing sources, and workspaces of other people cannot be chosen.
func TestDuplicate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	zoo, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(), "zoo", "Zoo")
	if err != nil {
		t.Fatal(err)
	}
	s.owner(t, "eve@x.org", "evil")
	s.publish(t, m, "sales", "Sales", "weekly")
	s.exec(t, `UPDATE dashboard SET colors = '{"day": {"a": 1}}'`)
	const at = "/w/engine/d/sales"
	p.get(at).want(http.StatusOK, at+"/copy")
	p.get(at+"/copy").want(http.StatusOK, "Duplicate Sales", `value="Copy of Sales"`, `value="sales-copy"`, "Zoo").lacks("Evil")
	copied := func(workspace, name, slug string) reply {
		t.Helper()
		return p.post(at+"/copy", url.Values{"workspace": {workspace}, "title": {name}, "slug": {slug}})
	}
	copied("engine", "Sales 2", "sales-2").want(http.StatusOK, "This is the copy.", "<h1>Sales 2</h1>", "weekly", "No schedule")
	copied("zoo", "Sales <3>", "sales").want(http.StatusOK, "This is the copy.", "<h1>Sales &lt;3&gt;</h1>")
	d, err := s.store.Dashboards.Dashboard(t.Context(), zoo, "sales")
	if err != nil || d.Name != "Sales <3>" || d.RunState == nil || *d.RunState != store.RunQueued {
		t.Errorf("%+v, %v", d, err)
	}
	p.get("/w/engine/audit").want(http.StatusOK, "duplicated dashboard sales as zoo/sales")
	p.get("/w/zoo/audit").want(http.StatusOK, "published dashboard sales")
	copied("engine", "Sales", "sales-2").want(http.StatusUnprocessableEntity, "is taken", `value="sales-2"`, `aria-describedby="slug-problem`)
	copied("engine", "Sales", "Sales!").want(http.StatusUnprocessableEntity, `aria-describedby="slug-problem`)
	copied("engine", "", "x").want(http.StatusUnprocessableEntity, `aria-describedby="title-problem`)
	copied("evil", "Sales", "x").want(http.StatusUnprocessableEntity, `aria-describedby="workspace-problem`)
	copied("nowhere", "Sales", "x").want(http.StatusUnprocessableEntity, `aria-describedby="workspace-problem`)
	s.signIn(t, "eve@x.org").post(at+"/copy", url.Values{"workspace": {"evil"}, "title": {"x"}, "slug": {"x"}}).want(http.StatusNotFound)

	// A connection of the same name.
	connect := func(in store.Member, label, status string) uuid.UUID {
		t.Helper()
		id := uuid.Must(uuid.NewV7())
		s.exec(t, `INSERT INTO connection (workspace_id, id, owner_id, kind, label, status, secret) VALUES ($1, $2, $3, 'postgres', $4, $5, '')`,
			in.WorkspaceID(), id, m.Account(), label, status)
		return id
	}
	here := connect(m, "Till", "active")
	s.exec(t, `UPDATE version SET connection_id = $2 WHERE workspace_id = $1`, m.WorkspaceID(), here)
	copied("zoo", "Till", "till").want(http.StatusUnprocessableEntity, `you have no connection called &#34;Till&#34; (postgres) there`)
	there := connect(zoo, "Till", "active")
	copied("zoo", "Till", "till").want(http.StatusOK, "This is the copy.")
	if d, err = s.store.Dashboards.Dashboard(t.Context(), zoo, "till"); err != nil || d.Connection != there {
		t.Errorf("it reads %v, want %v; %v", d.Connection, there, err)
	}

	// Files with the same names and different ids.
	file := path.Base(p.send("/w/engine/uploads", "rain.csv", "day,n\n2026-01-01,1\n").want(http.StatusOK).url.Path)
	s.publishFile(t, m, "rain", "Rain", file, "SELECT day, n FROM upload", `{"type": "table", "columns": ["day", "n"]}`)
	rain := url.Values{"workspace": {"zoo"}, "title": {"Rain"}, "slug": {"rain"}}
	p.post("/w/engine/d/rain/copy", rain).want(http.StatusUnprocessableEntity, `you have no file called &#34;rain.csv&#34; there`)
	own := path.Base(p.send("/w/zoo/uploads", "rain.csv", "day,n\n2026-01-01,1\n").want(http.StatusOK).url.Path)
	p.post("/w/engine/d/rain/copy", rain).want(http.StatusOK, "This is the copy.")
	d, err = s.store.Dashboards.Dashboard(t.Context(), zoo, "rain")
	if got := fmt.Sprint(d.Files); err != nil || !d.Files.Has(uuid.MustParse(own)) {
		t.Errorf("it reads %s, want %s; %v", got, own, err)
	}
	names := fmt.Sprintf(`{"connection": "%s", "upload": "%s", `, d.Connection, own)
	if content, err := s.store.Dashboards.Content(t.Context(), zoo, d); err != nil || !strings.HasPrefix(string(content), names) {
		t.Errorf("its spec has %s, want %s; %v", content, names, err)
	}

	s.exec(t, `UPDATE connection SET status = 'disabled' WHERE id = $1`, there)
	copied("zoo", "Till", "till-2").want(http.StatusUnprocessableEntity, "is not active")
}

// A copy must fit the quota of the other workspace, and is refused if its alerts name a channel that does not exist
// there. A refused copy stores nothing.
func TestDuplicateRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) { o.Quotas = map[string]int{"free": 1} })
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	zoo, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(), "zoo", "Zoo")
	if err != nil {
		t.Fatal(err)
	}
	name := "Sales"
	content := []byte(`{"datasets": [{"id": "orders", "sql": "SELECT 1 AS revenue"}], "panels": [{"type": "kpi", "value": "revenue"}],
			"alerts": [{"id": "low", "value": "revenue", "if": "<", "than": 1, "to": ["till"]}]}`)
	if _, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: "sales", Filename: "index.html", Name: &name, DefaultChart: "line", Spec: storetest.Spec(content), ContentType: "application/json",
		Content:     content,
		Definitions: map[string][]byte{"orders": []byte("x")}, Panels: 1,
	}); err != nil {
		t.Fatal(err)
	}
	channel := func(in store.Member, slug string) {
		t.Helper()
		s.exec(t, `INSERT INTO channel (workspace_id, id, slug, name, kind, created_at) VALUES ($1, $2, $3, $3, 'mail', now())`,
			in.WorkspaceID(), uuid.New(), slug)
	}
	channel(m, "till")
	copied := func() reply {
		t.Helper()
		return p.post("/w/engine/d/sales/copy", url.Values{"workspace": {"zoo"}, "title": {"Sales"}, "slug": {"copied"}})
	}
	copied().want(http.StatusUnprocessableEntity, "is the slug of no channel", "the workspace has none yet")
	channel(zoo, "bill")
	copied().want(http.StatusUnprocessableEntity, "is the slug of no channel", "bill").lacks("none yet")
	channel(zoo, "till")

	s.exec(t, `UPDATE workspace SET plan = 'free' WHERE slug = 'zoo'`)
	copied().want(http.StatusUnprocessableEntity, "the workspace has no room for this", `value="copied"`)
	if _, err := s.store.Dashboards.Dashboard(t.Context(), zoo, "copied"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a refused copy is there: %v", err)
	}
	s.exec(t, `UPDATE workspace SET plan = 'paid' WHERE slug = 'zoo'`)
	copied().want(http.StatusOK, "This is the copy.")

	// The log entry for a stored spec that no longer parses does not quote the spec.
	content = []byte(`{"datasets": [{"id": "orders", "sql": "SELECT 1 AS revenue"}], "panels": [{"type": "secret"}]}`)
	if _, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: "old", Filename: "index.html", Name: &name, DefaultChart: "line", Spec: storetest.Spec(content), ContentType: "application/json",
		Content:     content,
		Definitions: map[string][]byte{"orders": []byte("x")}, Panels: 1,
	}); err != nil {
		t.Fatal(err)
	}
	_, err = s.store.Dashboards.Duplicate(t.Context(), m, "old", zoo, store.Copy{Slug: "old", Name: "Old"})
	if err == nil || !strings.HasSuffix(err.Error(), "what is stored does not parse: panels[0].type") {
		t.Errorf("a spec that does not parse: %v", err)
	}
}
