package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/auth"
	"service/store"
	"service/store/storetest"
	"service/store/warehouse"
)

// A crowd is a workspace of the largest size for which response times are promised:
// 1,000 dashboards, 200 members and as many invitations, 50 connections, 100 uploads and
// 100 clients of the visitor, 50 workspaces, and a history of 5,000 versions, 25,000
// refreshes and 50,000 events.
type crowd struct {
	app     *App
	session string            // cookie of an owner
	screens map[string]string // addresses by name
}

// crowdSQL fills @workspace, which @account owns. Ids sort by time.
const crowdSQL = `
CREATE FUNCTION nth(kind int, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT ('0197' || lpad(to_hex(kind), 4, '0') || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;

INSERT INTO account (id, issuer, subject, email, name)
SELECT nth(1, i), 'https://id.example', 'p' || i, 'person.' || md5(i::text) || '@example.com', 'Person ' || upper(md5('n' || i))
	FROM generate_series(1, 199) i;
INSERT INTO membership (account_id, workspace_id, role)
SELECT nth(1, i), @workspace, CASE WHEN i % 40 = 0 THEN 'owner' ELSE 'member' END FROM generate_series(1, 199) i;
INSERT INTO invitation (workspace_id, email) SELECT @workspace, 'new.' || md5(i::text) || '@example.com' FROM generate_series(1, 200) i;
INSERT INTO workspace (id, slug, name) SELECT nth(2, i), 'workspace-' || i, 'Workspace number ' || i FROM generate_series(1, 49) i;
INSERT INTO membership (account_id, workspace_id, role) SELECT @account, nth(2, i), 'member' FROM generate_series(1, 49) i;

INSERT INTO dashboard (workspace_id, id, slug, name, tags, chart, version_id, created_by,
	created_at, updated_at, refreshed_at, failing_since)
SELECT @workspace, nth(3, i), 'dashboard-' || i, 'Dashboard ' || i || ' of ' || md5(i::text),
	ARRAY['tag-' || i % 60, 'team-' || i % 7], 'line',
       nth(4, i * 5), @account, now() - i * interval '1 hour', now() - i * interval '50 minutes', now() - i * interval '1 minute',
	CASE WHEN i % 30 = 0 THEN now() END
  FROM generate_series(1, 999) i;
INSERT INTO slug (workspace_id, slug, dashboard_id) SELECT @workspace, 'dashboard-' || i, nth(3, i) FROM generate_series(1, 999) i;
INSERT INTO slug (workspace_id, slug, dashboard_id) SELECT @workspace, 'former-' || i, nth(3, i) FROM generate_series(1, 999) i;
INSERT INTO version (workspace_id, id, dashboard_id, cause, kind, filename, content_type, sha256, size,
	panels, datasets, meta, changes, created_by)
SELECT v.workspace_id, nth(4, i), nth(3, (i + 4) / 5), 'publish', 'spec', 'index.html', 'application/json', v.sha256, v.size,
	1, 1, v.meta, ARRAY['panel 1 is new'], @account
  FROM generate_series(1, 999 * 5) i, version v
	WHERE v.workspace_id = @workspace AND v.dashboard_id = (SELECT id FROM dashboard WHERE slug = 'sales');
INSERT INTO schedule (workspace_id, dashboard_id, expression, next_run_at)
	SELECT @workspace, nth(3, i), '1h', now() + interval '1 hour' FROM generate_series(1, 999) i;
INSERT INTO refresh_run (workspace_id, id, dashboard_id, version_id, cause, state, queued_at, started_at, finished_at, error, datasets)
SELECT @workspace, nth(5, i), nth(3, i % 999 + 1), nth(4, (i % 999 + 1) * 5), 'schedule',
	CASE WHEN i % 9 = 0 THEN 'failed' ELSE 'succeeded' END,
       now() - (25000 - i) * interval '1 minute', now(), now(),
	CASE WHEN i % 9 = 0 THEN 'The warehouse refused the connection: its certificate has ended.' ELSE '' END,
       '[{"id": "orders", "state": "succeeded", "rows": 1234, "elapsed_ms": 900}]'
  FROM generate_series(1, 20000) i;
INSERT INTO dataset (workspace_id, version_id, dataset, definition, sha256, columns, row_count, truncated, refreshed_at)
SELECT @workspace, nth(4, i * 5), 'orders', 'x', (SELECT sha256 FROM blob LIMIT 1), '[]', 10, false, now() FROM generate_series(1, 999) i;

INSERT INTO version (workspace_id, id, dashboard_id, cause, kind, filename, content_type, sha256, size,
	panels, datasets, meta, changes, created_by, name)
SELECT v.workspace_id, nth(6, i), v.dashboard_id, 'publish', 'spec', 'index.html', 'application/json', v.sha256, v.size, 1, 1, v.meta,
       ARRAY['the title was "Sales of the week", and is "Sales"', 'panel 1 (line: revenue over day) is new',
	'the SQL of dataset orders is another one'], @account,
       CASE WHEN i > 20 THEN 'State ' || md5(i::text) END
  FROM generate_series(1, 49) i, version v JOIN dashboard d ON d.version_id = v.id WHERE d.slug = 'sales';
INSERT INTO refresh_run (workspace_id, id, dashboard_id, version_id, cause, state, queued_at, started_at, finished_at, datasets)
SELECT d.workspace_id, nth(7, i), d.id, d.version_id, 'schedule', 'succeeded', now() - (5000 - i) * interval '1 minute', now(), now(),
       '[{"id": "orders", "state": "succeeded", "rows": 1234, "elapsed_ms": 900}]'
  FROM generate_series(1, 5000) i, dashboard d WHERE d.slug = 'sales';

INSERT INTO connection (workspace_id, id, owner_id, kind, label, status)
	VALUES (@workspace, nth(8, 0), @account, 'upload', 'Uploaded files', 'active');
INSERT INTO upload (workspace_id, id, connection_id, filename, size, row_count, columns, sha256, created_by)
SELECT @workspace, nth(8, i), nth(8, 0), 'orders-' || md5(i::text) || '.csv', 123456, 7890,
       (SELECT jsonb_agg(jsonb_build_object('name', 'column_' || c, 'type', 'string')) FROM generate_series(1, 14) c),
	(SELECT sha256 FROM blob LIMIT 1), @account
  FROM generate_series(1, 100) i;

INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method)
	SELECT 'client-' || i, 'AI client ' || md5(i::text), '{}', '{}', 'none' FROM generate_series(1, 100) i;
INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, expires_at, ends_at, used_at)
SELECT nth(9, i), 'client-' || i, @account, 'workspace', @workspace, 'dashboards', '',
	now() + interval '20 days', now() + interval '90 days', now() - i * interval '1 hour'
  FROM generate_series(1, 100) i;
INSERT INTO web_session (hash, account_id, user_agent, expires_at)
SELECT sha256(i::text::bytea), @account, 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0', now() + interval '6 days'
	FROM generate_series(1, 20) i;

INSERT INTO audit (id, workspace_id, account_id, action, subject, detail)
SELECT nth(10, i), @workspace, @account,
	(ARRAY['dashboard.publish', 'dashboard.update', 'version.name', 'grant.create'])[i % 4 + 1],
	'dashboard-' || md5(i::text), '{"name": "x", "client": "An AI client"}'
  FROM generate_series(1, 50000) i;
`

func newCrowd(t testing.TB) *crowd {
	t.Helper()
	s, pool := storetest.New(t, func(o *store.Options) {
		o.DefaultPlan = "paid"
		o.Warehouses = map[string]store.Open{"postgres": openFar, "mysql": openFar, "clickhouse": openFar}
	})
	gate, err := auth.New(t.Context(), auth.Config{
		BaseURL: "https://mcp.example.com", AppURL: "https://app.example.com", DashboardDomain: "example.com", Store: s,
		OIDC: auth.OIDC{Issuer: "https://id.example", ClientID: "service"},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{session: "secret", app: New(Config{
		Store: s, Auth: gate, AppURL: "https://app.example.com", MCPURL: "https://mcp.example.com/mcp", Log: slog.New(slog.DiscardHandler),
		URL: func(workspace, slug string) string { return "https://" + workspace + ".example.com/" + slug },
	})}
	ctx, hash := t.Context(), sha256.Sum256([]byte(c.session))
	account, err := s.Sessions.StartSession(ctx,
		store.Identity{Issuer: "https://id.example", Subject: "ada", Email: "ada@example.com", Name: "Ada", Verified: true},
		hash[:], nil, "Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0")
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Workspaces.CreateWorkspace(ctx, account.ID, "engine", "Engine")
	if err != nil {
		t.Fatal(err)
	}
	name := "Sales"
	content := []byte(`{"version": 1, "title": "Sales",
			"datasets": [{"id": "orders", "sql": "SELECT day, sum(amount) AS revenue FROM orders GROUP BY 1"}],
			"panels": [{"type": "line", "x": "day", "y": "revenue"}]}`)
	if _, err := s.Dashboards.Publish(ctx, m, store.Publication{
		Slug: "sales", Filename: "index.html", Name: &name, Tags: []string{"weekly"},
		DefaultChart: "line", Spec: storetest.Spec(content), ContentType: "application/json",
		Content:     content,
		Definitions: map[string][]byte{"orders": []byte("x")}, Panels: 1,
	}); err != nil {
		t.Fatal(err)
	}
	var warehouseID uuid.UUID
	for i := range 50 {
		added, err := s.Connections.AddWarehouse(ctx, m, []string{"postgres", "mysql", "clickhouse"}[i%3],
			"Warehouse number "+string(rune('A'+i%26))+" of the north", warehouse.Target{
				Host: "warehouse.example.com", Port: 5432, User: "reader", Password: "secret", TLS: warehouse.TLSVerify,
			})
		if err != nil {
			t.Fatal(err)
		}
		warehouseID = added.ID
	}
	sql := strings.NewReplacer("@workspace", "'"+m.WorkspaceID().String()+"'::uuid", "@account", "'"+m.Account().String()+"'::uuid").
		Replace(crowdSQL)
	if _, err := pool.Exec(ctx, "BEGIN;"+sql+"COMMIT"); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, `VACUUM ANALYZE`); err != nil {
		t.Fatal(err)
	}
	c.screens = map[string]string{
		"dashboards": "/w/engine/", "dashboards by name": "/w/engine/?sort=name",
		"dashboards updated": "/w/engine/?sort=updated", "dashboards stale": "/w/engine/?sort=stale",
		"search": "/w/engine/?q=99", "tag": "/w/engine/?tag=tag-7", "dashboard": "/w/engine/d/sales", "delete": "/w/engine/d/sales/delete",
		"connections": "/w/engine/connections", "connection": "/w/engine/connections/" + warehouseID.String(),
		"new connection": "/w/engine/connections/new?kind=postgres",
		"uploads":        "/w/engine/uploads", "members": "/w/engine/members",
		"clients": "/w/engine/clients", "connect": "/w/engine/connect", "calls": "/connect/calls",
		"audit": "/w/engine/audit", "audit of a kind": "/w/engine/audit?kind=version",
		"audit of none": "/w/engine/audit?kind=upload", "settings": "/w/engine/settings",
		"account": "/account", "new workspace": "/workspaces/new", "not found": "/w/engine/d/nothing",
	}
	return c
}

// get requests an address as the owner's browser does.
func (c *crowd) get(address string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "https://app.example.com"+address, nil)
	r.AddCookie(&http.Cookie{Name: "__Host-session", Value: c.session})
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	c.app.ServeHTTP(w, r)
	return w
}

var linkedAsset = regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`)

// text returns the body of an answer, decompressed.
func text(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	body := w.Body
	if w.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		body = new(bytes.Buffer)
		if _, err := body.ReadFrom(z); err != nil {
			t.Fatal(err)
		}
	}
	return body.String()
}

// Every screen of a large workspace is at most 50 KB including everything that a first
// visit loads, and its lists are paged: each row is on one page.
func TestLargeWorkspace(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	for name, address := range c.screens {
		page := c.get(address)
		if want := map[bool]int{true: http.StatusNotFound, false: http.StatusOK}[name == "not found"]; page.Code != want {
			t.Errorf("%s: status %d\n%s", name, page.Code, text(t, page))
		}
		size := page.Body.Len()
		for _, asset := range linkedAsset.FindAllStringSubmatch(text(t, page), -1) {
			size += c.get(asset[1]).Body.Len()
		}
		t.Logf("%s: %d bytes, with assets %d", name, page.Body.Len(), size)
		if size > 50_000 {
			t.Errorf("%s: %d bytes", name, size)
		}
	}
	for name, want := range map[string]int{"members": 400, "clients": 100, "uploads": 100, "connections": 51, "dashboards": 1000} {
		rows, listed := map[string]bool{}, 0
		for next := []string{"", c.screens[name]}; next != nil; {
			page := text(t, c.get(html.UnescapeString(next[1])))
			for _, row := range listedRow.FindAllString(page, -1) {
				rows[row] = true
				listed++
			}
			next = nextPage.FindStringSubmatch(page)
		}
		if len(rows) != want || listed != want {
			t.Errorf("%s: %d rows on all pages, %d different ones, want %d", name, listed, len(rows), want)
		}
	}
}

var (
	listedRow = regexp.MustCompile(`(?s)<div class="what">.*?</div>`)
	nextPage  = regexp.MustCompile(`href="([^"]+)">Next page \(\d+\+? more\)`)
)

// BenchmarkScreen measures each screen of a large workspace.
func BenchmarkScreen(b *testing.B) {
	c := newCrowd(b)
	for name, address := range c.screens {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			size := 0
			for b.Loop() {
				size = c.get(address).Body.Len()
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
