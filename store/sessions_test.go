package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
)

// visit signs the person with email in on host, and returns the hash of the
// session there.
func (b bench) visit(t testing.TB, email, host string) []byte {
	t.Helper()
	ctx, session := t.Context(), hash("session of "+email)
	if _, err := b.Sessions.StartSession(ctx, store.Identity{
		Issuer: "https://id.example", Subject: email, Email: email, Verified: true,
	}, session, nil, ""); err != nil {
		t.Fatal(err)
	}
	ticket, on := hash("ticket of "+email), hash(host+" "+email)
	if err := b.Sessions.IssueTicket(ctx, ticket, session, store.Ticket{Host: host, Nonce: hash("nonce"), ReturnTo: "/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Sessions.RedeemTicket(ctx, ticket, host, hash("nonce"), on); err != nil {
		t.Fatal(err)
	}
	return on
}

// The answer to a visit equals those of the three separate statements, for all people, everywhere, and at every moment.
func TestHostVisit(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return start.Add(time.Duration(passed.Load())) } })
	ctx := t.Context()
	eve := b.workspace(t, b.account(t, "eve@example.com"), "lair")
	b.note(t, "notes", "# Notes")
	b.spec(t, b.owner, "sales", `{"v":1}`)
	if _, err := b.Dashboards.UpdateDashboard(ctx, b.owner, "sales",
		store.Update{NewSlug: new("revenue"), Tags: []string{"weekly"}}); err != nil {
		t.Fatal(err)
	}
	b.spec(t, eve, "lair-only", `{"v":1}`)
	b.account(t, "bo@example.com")
	if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bo@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}

	sessions := map[string][]byte{}
	for _, email := range []string{"ada@example.com", "bo@example.com", "eve@example.com"} {
		sessions[email] = b.visit(t, email, "acme.example")
	}
	check := func(when string) {
		t.Helper()
		for email, session := range sessions {
			for _, workspace := range []string{"acme", "lair", "none", ""} {
				for _, slug := range []string{"notes", "sales", "revenue", "lair-only", "missing", ""} {
					v, err := b.Sessions.HostVisit(ctx, session, "acme.example", workspace, slug, true)
					if err != nil {
						t.Fatalf("%s, %s: %v", when, email, err)
					}
					account, err := b.Accounts.AccountByEmail(ctx, email)
					if err != nil || v.Account.ID != account.ID || v.Account.Email != email {
						t.Errorf("%s: %s is taken for %+v, %v", when, email, v.Account, err)
					}
					what := fmt.Sprintf("%s, %s at %s/%s", when, email, workspace, slug)
					m, err := b.Members.Member(ctx, account.ID, workspace)
					if err != nil {
						if v.Member != nil || v.Dashboard != nil {
							t.Errorf("%s: %+v, %+v; not a member: %v", what, v.Member, v.Dashboard, err)
						}
						continue
					}
					if v.Member == nil || *v.Member != m {
						t.Errorf("%s: %+v, want %+v", what, v.Member, m)
						continue
					}
					d, err := b.Dashboards.Dashboard(ctx, m, slug)
					if err != nil && v.Dashboard != nil || err == nil && v.Dashboard == nil {
						t.Errorf("%s: %+v, alone %v", what, v.Dashboard, err)
						continue
					}
					if diff := cmp.Diff(&d, v.Dashboard); err == nil && diff != "" {
						t.Errorf("%s (-alone +together):\n%s", what, diff)
					}
				}
			}
		}
	}
	check("at first")
	if v, err := b.Sessions.HostVisit(ctx, sessions["ada@example.com"], "acme.example", "acme", "sales", true); err != nil ||
		v.Dashboard == nil ||
		v.Dashboard.Slug != "revenue" || !slices.Equal(v.Dashboard.Tags, []string{"weekly"}) {
		t.Errorf("by an alias: %+v, %v", v.Dashboard, err)
	}
	ended := func(what string, session []byte, host string) {
		t.Helper()
		if v, err := b.Sessions.HostVisit(ctx, session, host, "acme", "notes", true); !errors.Is(err, store.ErrNotFound) ||
			v != (store.HostVisit{}) {
			t.Errorf("%s: %+v, %v", what, v, err)
		}
	}
	ended("on another host", sessions["ada@example.com"], "lair.example")
	ended("with another cookie", hash("x"), "acme.example")

	// Only the membership is deleted, and the session stays.
	if _, err := b.pool.Exec(ctx, `
			DELETE FROM membership p USING account a WHERE a.id = p.account_id AND a.email = 'bo@example.com'`); err != nil {
		t.Fatal(err)
	}
	check("without the membership")
	if _, err := b.Dashboards.DeleteDashboard(ctx, b.owner, "notes"); err != nil {
		t.Fatal(err)
	}
	check("without the dashboard")

	if err := b.Sessions.EndSession(ctx, hash("session of eve@example.com")); err != nil {
		t.Fatal(err)
	}
	ended("signed out", sessions["eve@example.com"], "acme.example")
	passed.Add(int64(6 * 24 * time.Hour))
	if _, err := b.Sessions.HostVisit(ctx, sessions["ada@example.com"], "acme.example", "", "", true); err != nil { // this is use
		t.Error(err)
	}
	passed.Add(int64(6 * 24 * time.Hour))
	if _, err := b.Sessions.HostVisit(ctx, sessions["ada@example.com"], "acme.example", "", "", true); err != nil {
		t.Errorf("used six days ago: %v", err)
	}
	// A page that looks for newer data does not extend its session.
	for range 3 {
		if _, err := b.Sessions.HostVisit(ctx, sessions["ada@example.com"], "acme.example", "", "", false); err != nil {
			t.Error(err)
		}
		passed.Add(int64(2 * 24 * time.Hour))
	}
	ended("unused for twelve days", sessions["bo@example.com"], "acme.example")
	passed.Add(int64(store.SessionIdle - 6*24*time.Hour))
	ended("unused for seven days", sessions["ada@example.com"], "acme.example")
}

// BenchmarkHostVisit measures the cost of letting a page view in: the one statement, the three that it replaces, and the cheapest
// statement.
func BenchmarkHostVisit(b *testing.B) {
	s := setup(b)
	ctx := b.Context()
	p := s.spec(b, s.owner, "sales", `{"v":1}`)
	if state := s.finish(b, p, 100); state != store.RunSucceeded {
		b.Fatal(state)
	}
	session := s.visit(b, "ada@example.com", "acme.example")
	if _, err := s.pool.Exec(ctx, `ANALYZE`); err != nil {
		b.Fatal(err)
	}
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			if v, err := s.Sessions.HostVisit(ctx, session, "acme.example", "acme", "sales", true); err != nil || v.Dashboard == nil {
				b.Fatal(v, err)
			}
		}
	})
	b.Run("apart", func(b *testing.B) {
		for b.Loop() {
			v, err := s.Sessions.HostVisit(ctx, session, "acme.example", "", "", true)
			if err != nil {
				b.Fatal(err)
			}
			m, err := s.Members.Member(ctx, v.Account.ID, "acme")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Dashboards.Dashboard(ctx, m, "sales"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("select 1", func(b *testing.B) {
		for b.Loop() {
			var n int
			if err := s.pool.QueryRow(ctx, "SELECT 1").Scan(&n); err != nil {
				b.Fatal(err)
			}
		}
	})
}
