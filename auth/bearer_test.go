package auth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/auth"
	"service/store"
)

func TestBearerRefuses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, _, p := w.connected(t, "ana@example.com", "")
	pointer := `Bearer resource_metadata="` + w.base + `/.well-known/oauth-protected-resource"`
	tests := []struct {
		name   string
		header []string
		query  string
		bad    bool // a token was sent
	}{
		{name: "nothing"},
		{name: "in the URL", query: "?access_token=" + p.access},
		{name: "in a cookie", header: []string{"Cookie", "access_token=" + p.access}},
		{name: "no token", header: []string{"Authorization", "Bearer"}, bad: true},
		{name: "an unknown token", header: []string{"Authorization", "Bearer svc_at_x"}, bad: true},
		{name: "a refresh token", header: []string{"Authorization", "Bearer " + p.refresh}, bad: true},
		{name: "another scheme", header: []string{"Authorization", "Basic " + p.access}, bad: true},
		{name: "an ID token", header: []string{"Authorization", "Bearer eyJhbGciOiJSUzI1NiJ9.e30.x"}, bad: true},
		{name: "something behind it", header: []string{"Authorization", "Bearer " + p.access + " x"}, bad: true},
		{name: "two headers", header: []string{"Authorization", "Bearer " + p.access, "Authorization", "Bearer " + p.access}, bad: true},
	}
	for _, test := range tests {
		a := do(t, w.http, request(t, http.MethodPost, w.base+"/mcp"+test.query, strings.NewReader("{}"), test.header...))
		want, code := pointer, "unauthorized"
		if test.bad {
			want, code = pointer+`, error="invalid_token"`, "invalid_token"
		}
		wantError(t, test.name, a, http.StatusUnauthorized, code)
		if got := a.Header.Get("WWW-Authenticate"); got != want {
			t.Errorf("%s: challenge %s, want %s", test.name, got, want)
		}
	}
	wantStatus(t, "a good one", w.call(t, p.access), http.StatusOK)
	a := do(t, w.http, request(t, http.MethodPost, w.base+"/mcp", strings.NewReader("{}"), "Authorization", "bearer  "+p.access))
	wantStatus(t, "a good one in other letters", a, http.StatusOK)
}

// When the check itself fails the call neither passes nor costs the client its
// token, and the reason stays in the log.
func TestBearerFailsClosed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, _, p := w.connected(t, "ana@example.com", "")
	w.sql(t, `ALTER TABLE oauth_grant RENAME TO away`)
	a := w.call(t, p.access)
	wantError(t, "no table", a, http.StatusServiceUnavailable, "temporarily_unavailable")
	if a.Header.Get("WWW-Authenticate") != "" || strings.Contains(a.body, "relation") || !strings.Contains(w.logs.String(), "oauth_grant") {
		t.Errorf("%v %s", a.Header, a.body)
	}
	w.sql(t, `ALTER TABLE away RENAME TO oauth_grant`)
	wantStatus(t, "again", w.call(t, p.access), http.StatusOK)
	w.pool.Close()
	wantError(t, "no database", w.call(t, p.access), http.StatusServiceUnavailable, "temporarily_unavailable")
}

// An accepted call uses a grant, issuing a token does not. The first use is recorded at once, later
// ones at most once a minute.
func TestCallsAreNoted(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, _, p := w.connected(t, "ana@example.com", "")
	used := func() *time.Time {
		t.Helper()
		grants, err := w.store.OAuth.ListGrants(t.Context(), w.account(t, "ana@example.com").ID, uuid.Nil)
		if err != nil || len(grants) != 1 {
			t.Fatalf("%+v, %v", grants, err)
		}
		return grants[0].UsedAt
	}
	if at := used(); at != nil {
		t.Errorf("issuing tokens was a use, at %s", at)
	}
	wantStatus(t, "another's token", w.call(t, "svc_at_x"), http.StatusUnauthorized)
	if at := used(); at != nil {
		t.Errorf("a refused call was a use, at %s", at)
	}
	wantStatus(t, "the first call", w.call(t, p.access), http.StatusOK)
	first := used()
	if first == nil {
		t.Fatal("the first call was not written down")
	}
	w.clock.advance(59 * time.Second)
	wantStatus(t, "one in the same minute", w.call(t, p.access), http.StatusOK)
	if at := used(); !at.Equal(*first) {
		t.Errorf("written down twice in a minute: %s and %s", first, at)
	}
	w.clock.advance(time.Second)
	wantStatus(t, "one a minute later", w.call(t, p.access), http.StatusOK)
	if at := used(); !at.Equal(first.Add(time.Minute)) {
		t.Errorf("last used %s, want a minute after %s", at, first)
	}
}

// Nothing about a grant is cached: whatever ends it has its effect on the next call.
func TestGrantEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *world){
		"revoked by its person": func(t *testing.T, w *world) {
			account := w.account(t, "bo@example.com").ID
			grants, err := w.store.OAuth.ListGrants(t.Context(), account, uuid.Nil)
			if err != nil || len(grants) != 1 || grants[0].Workspace != "acme" || grants[0].ClientName != "Test client" || grants[0].UsedAt == nil {
				t.Fatalf("%+v, %v", grants, err)
			}
			if err := w.store.OAuth.RevokeGrant(t.Context(), w.account(t, "ana@example.com").ID, grants[0].ID); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("somebody else revokes it: %v", err)
			}
			if err := w.store.OAuth.RevokeGrant(t.Context(), account, grants[0].ID); err != nil {
				t.Error(err)
			}
			if err := w.store.OAuth.RevokeGrant(t.Context(), account, grants[0].ID); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("revoked twice: %v", err)
			}
		},
		"member removed": func(t *testing.T, w *world) {
			if err := w.store.Members.RemoveMember(t.Context(), "acme", "bo@example.com"); err != nil {
				t.Error(err)
			}
			// Becoming a member again does not restore the grant.
			if _, err := w.store.Members.AddMember(t.Context(), uuid.Nil, "acme", "bo@example.com", "member"); err != nil {
				t.Error(err)
			}
		},
		"membership lost behind the store's back": func(t *testing.T, w *world) {
			w.sql(t, `DELETE FROM membership WHERE account_id = $1`, w.account(t, "bo@example.com").ID)
		},
		"workspace deleted": func(t *testing.T, w *world) {
			m, err := w.store.Members.Member(t.Context(), w.account(t, "ana@example.com").ID, "acme")
			if err != nil {
				t.Fatal(err)
			}
			if err := w.store.Workspaces.DeleteWorkspace(t.Context(), m); err != nil {
				t.Error(err)
			}
		},
		"account deleted": func(t *testing.T, w *world) {
			if err := w.store.Accounts.DeleteAccount(t.Context(), uuid.Nil, w.account(t, "bo@example.com").ID); err != nil {
				t.Error(err)
			}
		},
		"issued for another address": func(t *testing.T, w *world) {
			w.sql(t, `UPDATE oauth_grant SET resource = 'https://old.example/mcp'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.signedIn(t, "ana@example.com")
			w.workspace(t, "acme", "ana@example.com")
			b := w.signedIn(t, "bo@example.com")
			if _, err := w.store.Members.AddMember(t.Context(), uuid.Nil, "acme", "bo@example.com", "member"); err != nil {
				t.Fatal(err)
			}
			c := w.client(t)
			p := c.pair(c.redeem(c.code(b, "acme")))
			wantStatus(t, "before", w.call(t, p.access), http.StatusOK)
			end(t, w)
			wantError(t, "after", w.call(t, p.access), http.StatusUnauthorized, "invalid_token")
		})
	}
}

func TestLocks(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, _, p := w.connected(t, "ana@example.com", "acme")
	if got := w.call(t, p.access).json(t); got["lock"] != "workspace" || got["workspace"] != "acme" {
		t.Errorf("%v", got)
	}
	for _, lock := range []string{"none", "legacy"} {
		w.sql(t, `UPDATE oauth_grant SET lock = $1, workspace_id = NULL`, lock)
		if got := w.call(t, p.access).json(t); got["lock"] != lock || got["workspace"] != "" {
			t.Errorf("%v", got)
		}
	}
}

// The grant that the edge found is not looked up again.
func TestGrantOfARequest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, _, p := w.connected(t, "ana@example.com", "")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	if _, ok, err := w.auth.Grant(r); ok || err != nil {
		t.Errorf("no token: %v, %v", ok, err)
	}
	r.Header.Set("Authorization", "Bearer "+p.access)
	g, ok, err := w.auth.Grant(r)
	if err != nil || !ok || g.Account != w.account(t, "ana@example.com").ID {
		t.Fatalf("%+v, %v, %v", g, ok, err)
	}
	w.pool.Close()
	rec := httptest.NewRecorder()
	w.mcp.ServeHTTP(rec, r.WithContext(auth.WithGrant(r.Context(), g)))
	if rec.Code != http.StatusOK {
		t.Errorf("status %d", rec.Code)
	}
	if _, ok := auth.GrantFrom(t.Context()); ok {
		t.Error("a grant out of nowhere")
	}
}
