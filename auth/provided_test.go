package auth_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/auth"
	"service/store"
)

// grouped is a world whose provider names groups and a region, and whose workspace acme has two mapped groups.
func grouped(t *testing.T) *world {
	t.Helper()
	w := setup(t, func(c *auth.Config) {
		c.OIDC.GroupsClaim, c.OIDC.Attributes = "groups", map[string]string{"region": "reg"}
	})
	w.signedIn(t, "owner@example.com")
	w.workspace(t, "acme", "owner@example.com")
	for group, role := range map[string]string{"readers": store.RoleViewer, "writers": store.RoleEditor} {
		if err := w.store.Members.MapGroup(t.Context(), uuid.Nil, "acme", group, role); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// claims makes the provider name these claims from now on.
func (w *world) claims(claims map[string]any) {
	w.idp.Tamper(func(c map[string]any) {
		for name, value := range claims {
			c[name] = value
		}
	})
}

func (w *world) roleOf(t *testing.T, email string) string {
	t.Helper()
	m, err := w.store.Members.Member(t.Context(), w.account(t, email).ID, "acme")
	if err != nil {
		return ""
	}
	return m.Role()
}

func TestGroupsAtSignIn(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	for _, step := range []struct {
		claims map[string]any
		want   string
	}{
		{map[string]any{"groups": []string{"readers", "x"}, "reg": "EMEA"}, "viewer"},
		{map[string]any{"groups": "writers"}, "editor"}, // a text alone, as some providers write one group
		{map[string]any{"groups": []string{}}, ""},
		{map[string]any{"groups": []string{"writers"}}, "editor"},
		{map[string]any{"group": []string{"writers"}}, ""}, // another claim
		{map[string]any{"groups": []string{"WRITERS", " readers", "readers,writers"}}, ""},
		{map[string]any{"groups": nil}, ""},
	} {
		w.claims(step.claims)
		w.signedIn(t, "bob@example.com")
		if got := w.roleOf(t, "bob@example.com"); got != step.want {
			t.Errorf("%v: role %q, want %q", step.claims, got, step.want)
		}
	}
}

// A claim that cannot be read could have named anything, so that nobody is let in and nothing changes.
func TestUnclearGroupsAreRefused(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	w.claims(map[string]any{"groups": []string{"writers"}})
	w.signedIn(t, "bob@example.com")
	for _, claims := range []map[string]any{
		{"groups": map[string]any{"writers": true}},
		{"groups": 7},
		{"groups": []any{"writers", 7}},
		{"groups": slices.Repeat([]string{"writers"}, 2001)},
		{"_claim_names": map[string]any{"groups": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://x"}}},
		{"groups": []string{"writers"}, "reg": map[string]any{"a": "b"}},
	} {
		w.claims(claims)
		b := w.browser(t)
		wantStatus(t, "a claim of another form", b.signIn(w.app+"/sign-in", "bob@example.com"), http.StatusBadRequest)
	}
	if got := w.roleOf(t, "bob@example.com"); got != "editor" {
		t.Errorf("refused sign-ins changed the role to %q", got)
	}
}

// While a person uses the service, the provider is asked again: when their session is extended and when a client of theirs refreshes.
func TestGroupsAreAskedAgain(t *testing.T) {
	t.Parallel()
	member := map[string]any{"groups": []string{"writers"}, "reg": "EMEA"}
	for _, test := range []struct {
		name string
		now  func(w *world) // what becomes of bob at the provider
		want string         // his role afterwards
		in   bool           // his session and client go on
	}{
		{"nothing changed", func(*world) {}, "editor", true},
		{"he left the group", func(w *world) { w.claims(map[string]any{"groups": []string{"x"}}) }, "", false},
		{"he has another group", func(w *world) { w.claims(map[string]any{"groups": []string{"readers"}}) }, "viewer", true},
		{"he is gone", func(w *world) { w.idp.Forget() }, "editor", false},
		{"the claim cannot be read", func(w *world) { w.claims(map[string]any{"groups": 7}) }, "editor", false},
		{"it is another person's", func(w *world) { w.claims(map[string]any{"groups": []string{"writers"}, "sub": "eve"}) }, "editor", false},
		{"the provider is down", func(w *world) { w.idpUp(false) }, "editor", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := grouped(t)
			w.claims(member)
			b := w.signedIn(t, "bob@example.com")
			c := w.client(t)
			p := c.pair(c.redeem(c.code(b, "acme")))
			test.now(w)
			w.clock.advance(9 * time.Minute)
			p = c.pair(c.refresh(p.refresh)) // asked a moment ago
			if got := w.roleOf(t, "bob@example.com"); got != "editor" {
				t.Fatalf("role %q too early", got)
			}
			w.clock.advance(time.Minute)
			a := c.refresh(p.refresh)
			if ok := a.StatusCode == http.StatusOK; ok != test.in {
				t.Errorf("a refresh: %d %s", a.StatusCode, a.body)
			}
			if got := w.roleOf(t, "bob@example.com"); got != test.want {
				t.Errorf("role %q, want %q", got, test.want)
			}
		})
		t.Run(test.name+", by the session", func(t *testing.T) {
			t.Parallel()
			w := grouped(t)
			w.claims(member)
			b := w.signedIn(t, "bob@example.com")
			test.now(w)
			w.clock.advance(59 * time.Minute)
			wantStatus(t, "within the hour", b.get(w.app+"/"), http.StatusOK)
			w.clock.advance(time.Minute)
			want := http.StatusOK
			if !test.in && test.want != "" {
				want = http.StatusUnauthorized
			}
			wantStatus(t, "after an hour", b.get(w.app+"/"), want)
			if got := w.roleOf(t, "bob@example.com"); got != test.want {
				t.Errorf("role %q, want %q", got, test.want)
			}
		})
	}
}

// A person about whom the provider no longer answers gets nothing more out of any client, until they sign in again.
func TestRefusedByTheProvider(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	w.claims(map[string]any{"groups": []string{"writers"}})
	b := w.signedIn(t, "bob@example.com")
	one, other := w.client(t), w.client(t)
	p, q := one.pair(one.redeem(one.code(b, "acme"))), other.pair(other.redeem(other.code(b, "acme")))
	w.idp.Forget()
	w.clock.advance(10 * time.Minute)
	wantError(t, "one client", one.refresh(p.refresh), http.StatusBadRequest, "invalid_grant")
	wantError(t, "another one", other.refresh(q.refresh), http.StatusBadRequest, "invalid_grant")
	wantError(t, "again", other.refresh(q.refresh), http.StatusBadRequest, "invalid_grant")
	w.signedIn(t, "bob@example.com")
	wantStatus(t, "after a sign-in", other.refresh(q.refresh), http.StatusOK)
	if logs := w.logs.String(); strings.Contains(logs, "refresh_token=") {
		t.Error("a token of the provider is in the log")
	}
}

// The provider's tokens are sealed in the database, and rotate with the key.
func TestProviderTokensAreSealed(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	w.claims(map[string]any{"groups": []string{"writers"}})
	w.signedIn(t, "bob@example.com")
	account := w.account(t, "bob@example.com").ID
	w.clock.advance(store.AskAfter)
	token, err := w.store.Sessions.LeaseProviderToken(t.Context(), account)
	if err != nil || token == "" {
		t.Fatal(token, err)
	}
	if n := w.count(t, `SELECT count(*) FROM provider_token WHERE position(convert_to($1, 'UTF8') IN secret) > 0`, token); n != 0 {
		t.Error("the token is stored in clear")
	}
	if _, err := w.store.Sessions.LeaseProviderToken(t.Context(), account); err == nil {
		t.Error("two replicas ask at once, and one token works once")
	}
	if _, err := w.store.RotateKey(t.Context()); err != nil {
		t.Error(err)
	}
}
