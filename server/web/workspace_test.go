package web

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A person's first steps: landing page, sign-in, a workspace, an empty list.
func TestFirstWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.owner(t, "grace@navy.mil", "taken")

	p := s.browser(t)
	p.get("/").want(http.StatusOK, "Sign in", `href="/sign-in?return_to=%2F"`).lacks("Sign out")
	p.signIn("/sign-in?return_to=%2F", "ada@lovelace.org").
		want(http.StatusOK, "Create your workspace", `value="lovelace"`, "ada@lovelace.org")

	for _, refused := range []struct{ slug, why string }{
		{"www", "workspace slug &#34;www&#34; is reserved"},
		{"taken", "workspace slug &#34;taken&#34; is already taken"},
		{"Not a slug", "workspace slug &#34;Not a slug&#34; must be"},
	} {
		p.post("/workspaces", url.Values{"name": {"Engine & Co"}, "slug": {refused.slug}}).
			want(http.StatusUnprocessableEntity, refused.why, `value="Engine &amp; Co"`, `value="`+refused.slug+`"`, `aria-invalid="true"`)
	}
	p.post("/workspaces", url.Values{"name": {" "}, "slug": {"engine"}}).
		want(http.StatusUnprocessableEntity, "Give the workspace a name.", `value="engine"`)

	made := p.post("/workspaces", url.Values{"name": {"Engine & Co"}, "slug": {"engine"}}).
		want(http.StatusOK, "Workspace Engine &amp; Co is ready.", "No dashboards yet", "claude mcp add --transport http service "+s.base+"/mcp")
	if diff := cmp.Diff(s.url+"/w/engine/", made.url.String()); diff != "" {
		t.Error(diff)
	}
	p.get("/").want(http.StatusOK, "No dashboards yet").lacks("is ready.") // a flash is shown once
}

func TestHomeGoesToTheWorkspaceUsedLast(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	if _, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(), "zoo", "Zoo"); err != nil {
		t.Fatal(err)
	}
	p.get("/w/zoo/").want(http.StatusOK, `href="/w/engine/"`, `href="/w/zoo/" aria-current="true"`)
	if at := p.get("/").url.Path; at != "/w/zoo/" {
		t.Errorf("home is %s", at)
	}
}

func TestSuggestSlug(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"ada@lovelace.org":      "lovelace",
		"ada.l@gmail.com":       "ada-l",
		"Engine & Co":           "engine-co",
		"  Größe  ":             "gr-e",
		"":                      "",
		"日本":                    "",
		"--x--":                 "x",
		string(make([]byte, 9)): "",
	} {
		if got := suggestSlug(from); got != want {
			t.Errorf("suggestSlug(%q) = %q, want %q", from, got, want)
		}
	}
}

// A problem with the account, not with the typed values, is shown above the form, which
// keeps the values.
func TestTooManyWorkspaces(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	for i := range 19 {
		if _, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(), fmt.Sprintf("w%d", i), "W"); err != nil {
			t.Fatal(err)
		}
	}
	p.post("/workspaces", url.Values{"name": {"One & more"}, "slug": {"one-more"}, "return_to": {"/account"}}).
		want(http.StatusUnprocessableEntity, `<p class="error" role="alert">You own 20 workspaces, and one account can own 20.`,
			`value="One &amp; more"`, `value="one-more"`, `name="return_to" value="/account"`).
		lacks("aria-invalid")
	p.get("/w/one-more/").want(http.StatusNotFound)
}
