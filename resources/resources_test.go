package resources_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/auth"
	"service/resources"
	"service/store"
	"service/store/dashboard"
	"service/store/storetest"
	"service/store/view"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
)

func TestMain(m *testing.M) {
	worker.Dispatch()
	storetest.Main(m)
}

// A bench has ada, who owns acme and belongs to beta, and bob, who owns beta and
// gamma.
type bench struct {
	*resources.Resources
	store   *store.Store
	pool    *pgxpool.Pool
	ada     uuid.UUID
	members map[string]store.Member
}

func setup(t testing.TB) *bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := duckdb.New(duckdb.Config{Argv: []string{self, worker.Command}, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	clock := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	b := &bench{members: map[string]store.Member{}}
	b.store, b.pool = storetest.New(t, func(o *store.Options) {
		o.Engine = engine
		o.Now = func() time.Time { return clock }
	})
	b.Resources = resources.New(resources.Config{
		Store: b.store, Views: view.New(view.Config{Store: b.store, Now: func() time.Time { return clock }}),
	})
	for _, w := range []struct{ person, slug string }{{"ada", "acme"}, {"bob", "beta"}, {"bob", "gamma"}} {
		a, err := b.store.Accounts.EnsureAccount(t.Context(),
			store.Identity{Issuer: "https://id.example", Subject: w.person, Email: w.person + "@example.com", Verified: true})
		must(t, err)
		if w.person == "ada" {
			b.ada = a.ID
		}
		b.members[w.slug], err = b.store.Workspaces.CreateWorkspace(t.Context(), a.ID, w.slug, w.slug)
		must(t, err)
	}
	_, err = b.store.Members.AddMember(t.Context(), uuid.Nil, "beta", "ada@example.com", store.RoleEditor)
	must(t, err)
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// publish publishes a body as package tools does.
func (b *bench) publish(t testing.TB, workspace, slug, file, contentType, body string) {
	t.Helper()
	_, err := b.store.Dashboards.Publish(t.Context(), b.members[workspace], store.Publication{
		Slug: slug, Filename: file, DefaultName: strings.ToUpper(slug), DefaultChart: "document",
		ContentType: contentType, Content: []byte(body),
	})
	must(t, err)
}

// as returns a context with ada's grant under a lock: a workspace's slug, or none,
// legacy or zero.
func (b *bench) as(t testing.TB, lock string) context.Context {
	t.Helper()
	g := store.Grant{ID: uuid.New(), Account: b.ada}
	switch lock {
	case "none", "legacy":
		g.Lock = store.Lock(lock)
	case "zero":
		g = store.Grant{}
	default:
		m, err := b.store.Members.Member(t.Context(), b.ada, lock)
		must(t, err)
		g.Lock, g.Member = store.LockWorkspace, m
	}
	return auth.WithGrant(t.Context(), g)
}

// code returns the JSON-RPC code of err: -32000 for an error without a code, as the edge
// answers it.
func code(err error) int64 {
	if coded, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return coded.Code
	}
	if err != nil {
		return -32000
	}
	return 0
}

func uris(list []*mcp.Resource) []string {
	out := []string{}
	for _, r := range list {
		out = append(out, r.URI)
	}
	return out
}

func TestListShowsWhatTheGrantSees(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "acme", "notes", "index.html", dashboard.TypeMarkdown, "# Notes")
	b.publish(t, "beta", "shared", "index.html", dashboard.TypeMarkdown, "# Shared")
	b.publish(t, "gamma", "hidden", "index.html", dashboard.TypeMarkdown, "# Hidden")
	for lock, want := range map[string][]string{
		"acme":   {"service://acme/notes"},
		"beta":   {"service://beta/shared"},
		"legacy": {"service://beta/shared", "service://acme/notes"},
		"none":   {},
		"zero":   {},
	} {
		list, next, err := b.List(b.as(t, lock), "")
		if err != nil || next != "" {
			t.Errorf("%s: next %q, %v", lock, next, err)
		}
		if diff := cmp.Diff(want, uris(list)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", lock, diff)
		}
	}
	if _, _, err := b.List(t.Context(), ""); code(err) != -32000 {
		t.Errorf("a context without a grant lists: %v", err)
	}
}

func TestResourceIsDescribed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "acme", "notes", "index.html", dashboard.TypeMarkdown, "# Notes")
	list, _, err := b.List(b.as(t, "acme"), "")
	must(t, err)
	got, err := json.Marshal(list[0])
	must(t, err)
	want := `{"annotations":{"lastModified":"2026-03-04T09:00:00Z"},"description":"Static dashboard of workspace acme, chart document.",` +
		`"mimeType":"text/html","name":"notes","title":"NOTES","uri":"service://acme/notes"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Clients read every page when they connect; a cursor belongs to one listing.
func TestListIsPaged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 205 {
		b.publish(t, "acme", fmt.Sprintf("d%d", i), "index.html", dashboard.TypeMarkdown, "# x")
	}
	ctx := b.as(t, "acme")
	seen, cursors := map[string]bool{}, []string{}
	for cursor := ""; ; {
		list, next, err := b.List(ctx, cursor)
		must(t, err)
		for _, uri := range uris(list) {
			if seen[uri] {
				t.Errorf("%s is listed twice", uri)
			}
			seen[uri] = true
		}
		if next == "" {
			break
		}
		if len(list) != 100 {
			t.Errorf("a page of %d, want 100", len(list))
		}
		cursors = append(cursors, next)
		cursor = next
	}
	if len(seen) != 205 || len(cursors) != 2 {
		t.Errorf("%d resources on %d pages, want 205 on 3", len(seen), len(cursors)+1)
	}
	// the cursor of list_dashboards is the same one
	page, err := b.store.Dashboards.ListDashboards(ctx, []store.Member{b.members["acme"]}, store.DashboardQuery{Limit: 100})
	must(t, err)
	if list, _, err := b.List(ctx, page.Next); err != nil || len(list) != 100 {
		t.Errorf("the cursor of list_dashboards: %d resources, %v", len(list), err)
	}
	changed := []byte(cursors[0])
	changed[3] ^= 1
	for name, c := range map[string]struct{ lock, cursor string }{
		"made up": {"acme", "AAAA"}, "no base64": {"acme", "%%%"}, "changed": {"acme", string(changed)}, "longer": {"acme", cursors[0] + "A"},
		"of another workspace": {"beta", cursors[0]}, "of a locked grant": {"legacy", cursors[0]},
		"under no lock": {"none", cursors[0]}, "zero": {"zero", "x"},
	} {
		if _, _, err := b.List(b.as(t, c.lock), c.cursor); code(err) != jsonrpc.CodeInvalidParams {
			t.Errorf("a cursor %s: %v, want -32602", name, err)
		}
	}
}

func TestReadHasFourOutcomes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "acme", "notes", "index.html", dashboard.TypeMarkdown, "# Notes\n\nAll is well.")
	b.publish(t, "acme", "numbers", "data.csv", "text/csv; charset=utf-8", "a,b\n1,2\n")
	b.publish(t, "acme", "rows", "rows.parquet", "application/vnd.apache.parquet", "PAR1\xff\xfePAR1")
	b.publish(t, "beta", "shared", "index.html", dashboard.TypeMarkdown, "# Shared")
	b.publish(t, "gamma", "hidden", "index.html", dashboard.TypeMarkdown, "# Hidden")
	slug := "renamed"
	_, err := b.store.Dashboards.UpdateDashboard(t.Context(), b.members["acme"], "notes", store.Update{NewSlug: &slug})
	must(t, err)

	for _, c := range []struct {
		lock, uri string
		code      int64
	}{
		{"acme", "service://acme/renamed", 0},
		{"acme", "service://acme/notes", 0}, // an alias of the first
		{"acme", "service://acme/gone", -32002},
		{"acme", "service://acme/healthz", -32002},
		{"acme", "service://beta/shared", -32002}, // ada's own, outside the lock
		{"acme", "service://gamma/hidden", -32002},
		{"acme", "service://nowhere/x", -32002},
		{"legacy", "service://acme/notes", 0},
		{"legacy", "service://beta/shared", 0},
		{"legacy", "service://gamma/hidden", -32002},
		{"legacy", "service://nowhere/x", -32002},
		{"none", "service://acme/notes", -32002},
		{"zero", "service://acme/notes", -32002},
		{"acme", "", -32602},
		{"acme", "service:", -32602},
		{"acme", "service://", -32602},
		{"acme", "service://acme", -32602},
		{"acme", "service://acme/", -32602},
		{"acme", "service:///notes", -32602},
		{"acme", "service://acme/notes/", -32602},
		{"acme", "service://acme/notes/index.html", -32602},
		{"acme", "service://acme/Notes", -32602},
		{"acme", "service://acme/a%20b", -32602},
		{"acme", "service://acme/notes?x=1", -32602},
		{"acme", "service://acme/notes#x", -32602},
		{"acme", "service://acme/..", -32602},
		{"acme", "service://acme/" + strings.Repeat("x", 65), -32602},
		{"acme", "Service://acme/notes", -32602},
		{"acme", "https://acme/notes", -32602},
		{"acme", " service://acme/notes", -32602},
		{"acme", "service://acme/no\x00tes", -32602},
		{"none", "nonsense", -32602},
	} {
		got, err := b.Read(b.as(t, c.lock), c.uri)
		if code(err) != c.code {
			t.Errorf("%s reads %q: %v, want code %d", c.lock, c.uri, err, c.code)
			continue
		}
		if err != nil {
			continue
		}
		if got.URI != c.uri || got.MIMEType != "text/html" || !strings.Contains(got.Text, "<!doctype html>") {
			t.Errorf("%s reads %q: %s %s %.80q", c.lock, c.uri, got.URI, got.MIMEType, got.Text)
		}
	}

	ctx := b.as(t, "acme")
	if got, err := b.Read(ctx, "service://acme/numbers"); err != nil || got.Text != "a,b\n1,2\n" || got.MIMEType != "text/csv" {
		t.Errorf("a data file reads as %+v, %v", got, err)
	}
	if got, err := b.Read(ctx, "service://acme/rows"); err != nil || string(got.Blob) != "PAR1\xff\xfePAR1" || got.Text != "" {
		t.Errorf("a binary file reads as %+v, %v", got, err)
	}
	_, err = b.pool.Exec(t.Context(), `ALTER TABLE dashboard RENAME TO lost`)
	must(t, err)
	if _, err := b.Read(ctx, "service://acme/notes"); code(err) != -32000 {
		t.Errorf("a lost database: %v, want -32000", err)
	}
	if _, _, err := b.List(ctx, ""); code(err) != -32000 {
		t.Errorf("a lost database: %v, want -32000", err)
	}
}

// A dashboard that is missing and one that cannot be seen get the same answer.
func TestMissingTellsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "gamma", "hidden", "index.html", dashboard.TypeMarkdown, "# Hidden")
	want := ""
	for _, uri := range []string{"service://acme/gone", "service://gamma/hidden", "service://gamma/gone", "service://nowhere/x"} {
		_, err := b.Read(b.as(t, "acme"), uri)
		raw, _ := json.Marshal(err)
		if want == "" {
			want = string(raw)
		}
		if string(raw) != want {
			t.Errorf("%s: %s, want %s", uri, raw, want)
		}
	}
}

// FuzzURI reads arbitrary URIs: each is found, missing or invalid.
func FuzzURI(f *testing.F) {
	for _, uri := range []string{
		"service://acme/notes", "service://acme/\x00", "service://\xff/x",
		"service://acme/notes//", "service://a/b/c", "service://%61cme/notes",
	} {
		f.Add(uri)
	}
	b := setup(f)
	b.publish(f, "acme", "notes", "index.html", dashboard.TypeMarkdown, "# Notes")
	ctx := b.as(f, "acme")
	f.Fuzz(func(t *testing.T, uri string) {
		got, err := b.Read(ctx, uri)
		switch code(err) {
		case 0:
			if uri != "service://acme/notes" || got.Text == "" {
				t.Errorf("%q is read", uri)
			}
		case -32002, -32602:
		default:
			t.Errorf("%q: %v", uri, err)
		}
	})
}

// FuzzCursor lists with arbitrary cursors: each gives the first page or is invalid.
func FuzzCursor(f *testing.F) {
	for _, cursor := range []string{"", "AAAA", "%", "\x00", strings.Repeat("A", 54)} {
		f.Add(cursor)
	}
	b := setup(f)
	b.publish(f, "acme", "notes", "index.html", dashboard.TypeMarkdown, "# Notes")
	ctx := b.as(f, "acme")
	f.Fuzz(func(t *testing.T, cursor string) {
		list, _, err := b.List(ctx, cursor)
		if c := code(err); cursor == "" && (c != 0 || len(list) != 1) || cursor != "" && c != jsonrpc.CodeInvalidParams {
			t.Errorf("%q: %d resources, %v", cursor, len(list), err)
		}
	})
}
