package main

import (
	"bufio"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"service/server/browsertest"
)

const oidcLock = "cmd/service/testdata/oidc/package-lock.json"

// A provider is npm's oidc-provider, a certified OpenID provider, in a process of its own.
type provider struct {
	t      *testing.T
	issuer string
	people string // the file of people
}

// set writes the people with their claims.
func (p *provider) set(people map[string]map[string]any) {
	p.t.Helper()
	text, err := json.Marshal(people)
	if err == nil {
		err = os.WriteFile(p.people, text, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// startProvider starts a provider that sends people back to an address. It skips the test without node and the package.
func startProvider(t *testing.T, redirect string) *provider {
	t.Helper()
	installed := browsertest.Installed(t, "oidc", readFile(t, oidcLock))
	node := browsertest.Program(t, "node")
	dir, port := t.TempDir(), freePort(t)
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	copyFile(t, "testdata/oidc/provider.mjs", filepath.Join(dir, "provider.mjs"))
	copyFile(t, "testdata/oidc/package.json", filepath.Join(dir, "package.json"))
	p := &provider{t: t, issuer: "http://127.0.0.1:" + port, people: filepath.Join(dir, "people.json")}
	p.set(nil)
	cmd := exec.CommandContext(t.Context(), node, "provider.mjs", port, redirect, p.people)
	cmd.Dir, cmd.Stderr = dir, &output{}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Wait() // killed with the context
		if t.Failed() {
			t.Logf("the provider: %s", cmd.Stderr)
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			go func() { _, _ = bufio.NewReader(out).WriteTo(&output{}) }()
			return p
		}
	}
	t.Fatalf("the provider did not start: %s", cmd.Stderr)
	return nil
}

// enter signs somebody in: the provider asks for the name, then for a consent, as long as it has not got them.
func (p *provider) enter(b *browser, address, name string) page {
	p.t.Helper()
	b.get(address)
	for range 2 {
		if !strings.HasPrefix(b.last.url.String(), p.issuer+"/interaction/") {
			break
		}
		values := url.Values{}
		if strings.Contains(b.last.text, `name="login"`) {
			values = url.Values{"login": {name}, "password": {"any"}}
		}
		b.submit("", values)
	}
	return b.last
}

// Groups of a certified provider, by its ID tokens and userinfo, make and end memberships at the next sign-in, in one workspace and not in
// the other.
func TestGroupsOfAProvider(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	p := startProvider(t, "http://app.localhost:"+port+"/sign-in/callback")
	s := startSiteOn(t, port, []string{"serve"}, "SERVICE_OIDC_ISSUER="+p.issuer, "SERVICE_OIDC_CLIENT_ID=service",
		"SERVICE_OIDC_CLIENT_SECRET=a-secret-of-the-test-alone", "SERVICE_OIDC_GROUPS_CLAIM=groups")
	for _, w := range []string{"acme", "other"} {
		s.admin(t, "workspace", "create", w, "--owner", "olga@example.com")
	}
	s.admin(t, "group", "map", "analysts", "acme", "editor")
	s.admin(t, "group", "map", "everyone", "acme", "viewer")
	s.admin(t, "group", "map", "everyone", "other", "viewer")
	person := func(groups ...string) map[string]map[string]any {
		return map[string]map[string]any{"ann": {"email": "ann@example.com", "groups": groups}}
	}
	role := func(workspace string) string {
		t.Helper()
		var roles []string
		rows, err := s.db.Query(t.Context(), `
			SELECT p.role FROM membership p JOIN workspace w ON w.id = p.workspace_id JOIN account a ON a.id = p.account_id
			 WHERE w.slug = $1 AND a.email = 'ann@example.com'`, workspace)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var role string
			if err := rows.Scan(&role); err != nil {
				t.Fatal(err)
			}
			roles = append(roles, role)
		}
		return strings.Join(roles, " ")
	}
	enter := func() page {
		t.Helper()
		return p.enter(s.browser(t), s.app+"/sign-in", "ann")
	}
	for _, step := range []struct {
		groups      []string
		acme, other string
	}{
		{[]string{"analysts", "everyone"}, "editor", "viewer"},
		{[]string{"everyone"}, "viewer", "viewer"},
		{[]string{"Everyone", "analysts "}, "", ""}, // names are compared exactly
		{[]string{"analysts"}, "editor", ""},
		{nil, "", ""},
	} {
		p.set(person(step.groups...))
		got := enter()
		if got.status != 200 || !strings.HasPrefix(got.url.String(), s.app) {
			t.Fatalf("with groups %q ann ends up at %s (%d)\n%.600s", step.groups, got.url, got.status, got.text)
		}
		if acme, other := role("acme"), role("other"); acme != step.acme || other != step.other {
			t.Errorf("with groups %q ann is %q in acme and %q in other, want %q and %q", step.groups, acme, other, step.acme, step.other)
		}
	}
	p.set(map[string]map[string]any{"ann": {"email": "ann@example.com", "groups": map[string]int{"analysts": 1}}})
	if got := enter(); got.status == 200 || role("acme") != "" {
		t.Errorf("with a claim that cannot be read ann is %q, at %s (%d)", role("acme"), got.url, got.status)
	}
}
