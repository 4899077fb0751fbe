package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/view"
)

// reader returns a viewer with attributes.
func (b *bench) reader(t testing.TB, attributes map[string][]string) store.Member {
	t.Helper()
	a, err := b.Accounts.EnsureAccount(t.Context(),
		store.Identity{Issuer: "i", Subject: "reader", Email: "reader@example.com", Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.AddMember(t.Context(), uuid.Nil, "acme", "reader@example.com", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	for name, values := range attributes {
		if err := b.Members.SetAttributeFor(t.Context(), "acme", "reader@example.com", name, values); err != nil {
			t.Fatal(err)
		}
	}
	m, err := b.Members.Member(t.Context(), a.ID, "acme")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The reason of a failed refresh may name tables, columns and connections: viewers see that it failed, in their own copy of the page.
func TestViewerSeesNoReasons(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Now)
	p := b.spec(t, "sales", salesSpec)
	b.finish(t, p, 3)
	const datasets = `[{"id": "d", "state": "failed", "error": "no column secret_column"}]`
	if _, err := b.pool.Exec(t.Context(), `UPDATE refresh_run SET state = 'failed', error = '', datasets = $1`, datasets); err != nil {
		t.Fatal(err)
	}
	a, err := b.Accounts.EnsureAccount(t.Context(), store.Identity{
		Issuer: "https://id.example", Subject: "vic", Email: "vic@example.com", Verified: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.AddMember(t.Context(), uuid.Nil, "acme", "vic@example.com", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	viewer, err := b.Members.Member(t.Context(), a.ID, "acme")
	if err != nil {
		t.Fatal(err)
	}
	// An editor who gets only some of the rows sees no reason either: a driver may quote a value of another row.
	if _, err := b.Accounts.EnsureAccount(t.Context(), store.Identity{
		Issuer: "https://id.example", Subject: "eddy", Email: "eddy@example.com", Verified: true,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.AddMember(t.Context(), uuid.Nil, "acme", "eddy@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	eddy, err := b.Accounts.AccountByEmail(t.Context(), "eddy@example.com")
	if err != nil {
		t.Fatal(err)
	}
	some, err := b.Members.Member(t.Context(), eddy.ID, "acme")
	if err != nil {
		t.Fatal(err)
	}
	ruled := func(access string, m store.Member, want string) {
		t.Helper()
		if _, err := b.pool.Exec(t.Context(), `UPDATE version SET access = nullif($1, '')::jsonb`, access); err != nil {
			t.Fatal(err)
		}
		d, err := b.Dashboards.Dashboard(t.Context(), m, "sales")
		if err != nil {
			t.Fatal(err)
		}
		page, err := b.views.Page(t.Context(), m, d, view.Request{File: dashboard.DefaultFile})
		if err != nil {
			t.Fatal(err)
		}
		if body := string(page.Body); strings.Contains(body, "secret_column") != (want == "secret_column") || !strings.Contains(body, want) {
			t.Errorf("access %s, %s: the page lacks %q, or has the reason", access, m.Role(), want)
		}
	}
	const rule = `[{"data": "d", "column": "region", "is": "member.region"}]`
	ruled(rule, some, view.FailedForSome)
	ruled(rule, viewer, view.FailedForViewers)
	ruled(rule, b.owner, "secret_column")
	ruled("", some, "secret_column")
	for range 2 { // drawn, then from the cache
		for _, m := range []store.Member{b.owner, viewer} {
			d, err := b.Dashboards.Dashboard(t.Context(), m, "sales")
			if err != nil {
				t.Fatal(err)
			}
			page, err := b.views.Page(t.Context(), m, d, view.Request{File: dashboard.DefaultFile})
			if err != nil {
				t.Fatal(err)
			}
			detail, err := b.Dashboards.Detail(t.Context(), m, "sales")
			if err != nil {
				t.Fatal(err)
			}
			v, err := b.views.Of(t.Context(), m, detail, nil)
			if err != nil {
				t.Fatal(err)
			}
			said := string(page.Body)
			for _, s := range b.views.Said(m, detail, v) {
				said += s.Text + s.Problem
			}
			if got := strings.Contains(said, "secret_column"); got != m.Edits() {
				t.Errorf("the page of the %s has the reason: %v", m.Role(), got)
			}
			if got := strings.Contains(said, view.FailedForViewers); got == m.Edits() {
				t.Errorf("the page of the %s has the sentence for viewers: %v", m.Role(), got)
			}
		}
	}
}
