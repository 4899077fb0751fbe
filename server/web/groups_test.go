package web

import (
	"net/http"
	"net/url"
	"testing"

	"service/store"
)

func TestGroupsScreen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, _ := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/members"
	sign := func(groups ...string) store.Account {
		t.Helper()
		a, err := s.store.Accounts.EnsureAccount(t.Context(), store.Identity{
			Issuer: "https://else.example", Subject: "1", Email: "gus@lovelace.org", Verified: true, Provided: store.Provided{Groups: groups},
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	gus := sign("team <b>")
	owner.get(at).want(http.StatusOK, "Groups of the identity provider").lacks("gus@lovelace.org")
	owner.post(at+"/group", url.Values{"group": {" team <b> "}, "role": {"viewer"}}).
		want(http.StatusOK, "The people of group team &lt;b&gt; are members now", "gus@lovelace.org", "Member through a group", "1 member")
	owner.post(at+"/group", url.Values{"group": {""}, "role": {"viewer"}}).
		want(http.StatusUnprocessableEntity, "The name of a group must be one line of 1 to 300 characters.")
	owner.post(at+"/group", url.Values{"group": {"x"}, "role": {"king"}}).
		want(http.StatusUnprocessableEntity, "must be owner, editor or viewer")
	owner.post(at+"/role", url.Values{"member": {gus.ID.String()}, "role": {"owner"}}).
		want(http.StatusUnprocessableEntity, "has this role by a group of the identity provider")

	// A member who is not an owner neither sees nor changes groups.
	bob := s.signIn(t, "bob@lovelace.org")
	owner.post(at, url.Values{"email": {"bob@lovelace.org"}, "role": {"editor"}}).want(http.StatusOK)
	bob.get(at).want(http.StatusOK).lacks("Groups of the identity provider", "team")
	bob.post(at+"/group", url.Values{"group": {"team <b>"}, "role": {"owner"}}).
		want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.")
	bob.post(at+"/group/remove", url.Values{"group": {"team <b>"}}).
		want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.")

	owner.post(at+"/group/remove", url.Values{"group": {"team <b>"}}).
		want(http.StatusOK, "Group team &lt;b&gt; no longer makes anyone a member.").lacks("gus@lovelace.org")
	owner.post(at+"/group/remove", url.Values{"group": {"team <b>"}}).want(http.StatusNotFound)

	s.app.Groups = false
	owner.get(at).want(http.StatusOK).lacks("Groups of the identity provider")
}

func TestWorkspaceCreation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		creators         store.Creators
		email, unchecked string // verified; not verified, so that it is not stored
		refused          string
	}{
		{"anyone", store.Creators{}, "ada@lovelace.org", "", ""},
		{"anyone, with an address that is not verified", store.Creators{}, "", "ada@lovelace.org", "has not verified an e-mail address"},
		{"operators", store.Creators{Nobody: true}, "ada@lovelace.org", "", "Only the operator of this service makes workspaces"},
		{"a domain", store.Creators{Domains: []string{"work.example", "lovelace.org"}}, "ada@lovelace.org", "", ""},
		{"another domain", store.Creators{Domains: []string{"lovelace.org"}}, "eve@evil-lovelace.org", "", "e-mail address at lovelace.org"},
		{"a part of the domain", store.Creators{Domains: []string{"lovelace.org"}}, "eve@sub.lovelace.org", "", "e-mail address at lovelace.org"},
		{"the domain as a name", store.Creators{Domains: []string{"lovelace.org"}}, "lovelace.org@evil.org", "", "address at lovelace.org"},
		{"two signs", store.Creators{Domains: []string{"lovelace.org"}}, "a@lovelace.org@evil.org", "", "e-mail address at lovelace.org"},
		{"not verified", store.Creators{Domains: []string{"lovelace.org"}}, "", "ada@lovelace.org", "has not verified an e-mail address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, func(o *store.Options) { o.Creators = test.creators })
			p := s.signIn(t, "someone@example.org")
			s.exec(t, `UPDATE account SET email = $1`, test.email)
			screen, made := p.get("/workspaces/new"), p.post("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
			var n int
			if err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM workspace`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if test.refused == "" {
				screen.want(http.StatusOK, "Create workspace")
				made.want(http.StatusOK)
				if n != 1 {
					t.Error("no workspace was made")
				}
				return
			}
			screen.lacks("Create workspace</button>")
			made.want(http.StatusUnprocessableEntity, test.refused)
			if n != 0 {
				t.Error("a workspace was made")
			}
		})
	}
}
