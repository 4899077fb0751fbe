package auth_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/auth"
	"service/auth/authtest"
	"service/store"
)

// A pipeline is a CI with its issuer, which the operator trusts.
type pipeline struct {
	*world
	issuer *authtest.Issuer
	member store.Member
	trust  store.Trust
}

const mainBranch = "repo:acme/dash:ref:refs/heads/main"

func newPipeline(t *testing.T, opts ...func(*auth.Config)) *pipeline {
	t.Helper()
	w := setup(t, append([]func(*auth.Config){func(c *auth.Config) { c.AllowPrivateIssuers = true }}, opts...)...)
	p := &pipeline{world: w, issuer: authtest.NewIssuer(t, w.clock.Now)}
	p.member = w.member("ann@example.com", "acme")
	p.trust = p.trusts(p.member, mainBranch, false)
	return p
}

// member makes an account with a workspace.
func (w *world) member(email, workspace string) store.Member {
	w.t.Helper()
	account, err := w.store.Accounts.EnsureAccount(w.t.Context(), store.Identity{
		Issuer: w.issuer, Subject: email, Email: email, Verified: true, Name: "Ann",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := w.store.Workspaces.CreateWorkspace(w.t.Context(), account.ID, workspace, workspace)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func (p *pipeline) trusts(m store.Member, subject string, dry bool) store.Trust {
	p.t.Helper()
	trust, err := p.store.OAuth.AddTrust(p.t.Context(), m, store.Trust{
		Issuer: p.issuer.URL, Audience: p.base, Subject: subject, DryRunOnly: dry,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return trust
}

// present presents an assertion.
func (p *pipeline) present(assertion string, more ...string) answer {
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	req := request(p.t, http.MethodPost, p.base+"/token", strings.NewReader(form.Encode()),
		"Content-Type", "application/x-www-form-urlencoded")
	return do(p.t, p.http, req)
}

func (p *pipeline) whoami(token string) answer {
	return do(p.t, p.http, request(p.t, http.MethodPost, p.base+"/mcp", nil, "Authorization", "Bearer "+token))
}

func TestAssertionActsForItsMember(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for _, algorithm := range []string{"RS256", "ES256"} {
		a := p.present(p.issuer.Sign(t, algorithm, p.issuer.Claims(p.base, mainBranch)), "resource", p.base+"/mcp")
		got := a.json(t)
		token, _ := got["access_token"].(string)
		if a.StatusCode != 200 || got["token_type"] != "Bearer" || got["expires_in"] != 600.0 || got["refresh_token"] != nil ||
			got["scope"] != "dashboards" || !strings.HasPrefix(token, "svc_at_") {
			t.Fatalf("%s: %d %s", algorithm, a.StatusCode, a.body)
		}
		me := p.whoami(token)
		if who := me.json(t); who["workspace"] != "acme" || who["lock"] != "workspace" || who["account"] != p.member.Account().String() {
			t.Errorf("%s acts as %s", algorithm, me.body)
		}
		p.clock.advance(store.TrustLifetime + time.Second)
		if me := p.whoami(token); me.StatusCode != 401 {
			t.Errorf("after ten minutes the token answers %d", me.StatusCode)
		}
	}
	list, err := p.store.OAuth.ListGrants(t.Context(), p.member.Account(), p.member.WorkspaceID())
	if err != nil || len(list) != 0 { // they have ended
		t.Errorf("%+v, %v", list, err)
	}
	if strings.Contains(p.logs.String(), "eyJ") {
		t.Error("an assertion is in the log")
	}
}

// An assertion with any mistake lets nobody in.
func TestAssertionsRefused(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	other := authtest.NewIssuer(t, p.clock.Now)
	now := p.clock.Now()
	good := func(other map[string]any) string { return p.issuer.Token(t, p.base, mainBranch, other) }
	parts := strings.Split(good(nil), ".")
	unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + "."
	claims := p.issuer.Claims(p.base, mainBranch)
	const none, age, past, forged = "No trust fits", "issued more than 10 minutes ago", "has expired", "is not valid"
	for name, c := range map[string]struct{ assertion, want string }{
		"another audience":        {p.issuer.Token(t, "https://other.example", mainBranch, nil), none},
		"no audience":             {good(map[string]any{"aud": nil}), none},
		"another branch":          {p.issuer.Token(t, p.base, "repo:acme/dash:ref:refs/heads/other", nil), none},
		"longer subject":          {p.issuer.Token(t, p.base, mainBranch+"x", nil), none},
		"subject in another case": {p.issuer.Token(t, p.base, strings.ToUpper(mainBranch), nil), none},
		"a pull request":          {p.issuer.Token(t, p.base, "repo:acme/dash:pull_request", nil), none},
		"an issuer without trust": {other.Token(t, p.base, mainBranch, nil), none},
		"a slash behind issuer":   {good(map[string]any{"iss": p.issuer.URL + "/"}), none},
		"no subject":              {good(map[string]any{"sub": nil}), "must have the claims"},
		"expired":                 {good(map[string]any{"exp": now.Add(-time.Second).Unix()}), past},
		"no expiry":               {good(map[string]any{"exp": nil}), past},
		"not yet":                 {good(map[string]any{"nbf": now.Add(time.Hour).Unix()}), forged},
		"too old":                 {good(map[string]any{"iat": now.Add(-store.AssertionAge - time.Second).Unix()}), age},
		"from the future":         {good(map[string]any{"iat": now.Add(store.AssertionSkew + time.Second).Unix()}), "in the future"},
		"no iat":                  {good(map[string]any{"iat": nil}), "must have iat and jti"},
		"no jti":                  {good(map[string]any{"jti": nil}), "must have iat and jti"},
		"another key":             {p.issuer.Sign(t, "stranger", claims), forged},
		"a changed payload":       {parts[0] + "." + strings.Split(good(nil), ".")[1] + "." + parts[2], forged},
		"no signature":            {parts[0] + "." + parts[1] + ".", forged},
		"alg none":                {unsigned, "must be a JSON Web Token"},
		"HS256 by the public key": {p.issuer.Sign(t, "HS256", claims), "must be a JSON Web Token"},
		"no token":                {"x", "must be a JSON Web Token"},
	} {
		a := p.present(c.assertion)
		got := a.json(t)
		if a.StatusCode != 400 || got["error"] != "invalid_grant" || !strings.Contains(got["error_description"].(string), c.want) ||
			got["access_token"] != nil {
			t.Errorf("%s: %d %s, want %s", name, a.StatusCode, a.body, c.want)
		}
	}
	for _, form := range [][]string{{"assertion", ""}, {"assertion", strings.Repeat("x", 17<<10)}} {
		if a := p.present("", form...); a.StatusCode != 400 || a.json(t)["error"] != "invalid_request" {
			t.Errorf("%.20v: %d %s", form, a.StatusCode, a.body)
		}
	}
	if a := p.present(good(nil), "resource", "https://other.example"); a.json(t)["error"] != "invalid_target" {
		t.Errorf("another resource: %s", a.body)
	}
	if a := p.present(good(nil), "scope", "admin"); a.json(t)["error"] != "invalid_scope" {
		t.Errorf("another scope: %s", a.body)
	}
	var grants int
	if err := p.pool.QueryRow(t.Context(), `SELECT count(*) FROM oauth_grant`).Scan(&grants); err != nil || grants != 0 {
		t.Errorf("%d grants, %v", grants, err)
	}
	if other.Asks.Load() != 0 {
		t.Error("an issuer that nobody trusts was asked")
	}
}

// An assertion counts once, also for those who present it at the same moment.
func TestAssertionCountsOnce(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	assertion := p.issuer.Token(t, p.base, mainBranch, nil)
	var mu sync.Mutex
	var codes []int
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			a := p.present(assertion)
			mu.Lock()
			defer mu.Unlock()
			codes = append(codes, a.StatusCode)
		})
	}
	wg.Wait()
	slices.Sort(codes)
	if !slices.Equal(codes, []int{200, 400, 400, 400, 400, 400}) {
		t.Errorf("six at once: %v", codes)
	}
	if a := p.present(assertion); !strings.Contains(a.body, "was used before") {
		t.Errorf("again: %s", a.body)
	}
	// The memory of it outlives its age.
	p.clock.advance(store.AssertionAge - time.Second)
	if _, err := p.store.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := p.present(p.issuer.Token(t, p.base, mainBranch, map[string]any{"jti": "x"})); a.StatusCode != 200 {
		t.Errorf("another one: %s", a.body)
	}
	if a := p.present(assertion); a.StatusCode != 400 {
		t.Errorf("after nine minutes: %s", a.body)
	}
}

// One trust decides. If several fit, the request must name one.
func TestAssertionOfSeveralTrusts(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	fresh := func() string { return p.issuer.Token(t, p.base, mainBranch, nil) }
	p.trusts(p.world.member("bob@example.com", "globex"), mainBranch, false)
	if a := p.present(fresh()); a.StatusCode != 400 || !strings.Contains(a.body, "Several trusts fit the assertion: name the one") {
		t.Errorf("two workspaces: %s", a.body)
	}
	a := p.present(fresh(), "workspace", "globex")
	if token, _ := a.json(t)["access_token"].(string); p.whoami(token).json(t)["workspace"] != "globex" {
		t.Errorf("of a workspace: %s", a.body)
	}
	if a := p.present(fresh(), "workspace", "initech"); !strings.Contains(a.body, "No trust fits") {
		t.Errorf("of another workspace: %s", a.body)
	}
	p.trusts(p.member, "repo:acme/dash:ref:*", true)
	if a := p.present(fresh(), "workspace", "acme"); a.StatusCode != 200 {
		t.Errorf("a subject and a pattern: %s", a.body)
	}
	var dry bool
	if err := p.pool.QueryRow(t.Context(), `SELECT dry_run_only FROM oauth_grant ORDER BY id DESC LIMIT 1`).Scan(&dry); err != nil || dry {
		t.Errorf("the pattern counted before the subject: %v, %v", dry, err)
	}
	p.trusts(p.member, "repo:acme/dash:*:refs/heads/release", true)
	release := p.issuer.Token(t, p.base, "repo:acme/dash:ref:refs/heads/release", nil)
	if a := p.present(release, "workspace", "acme"); !strings.Contains(a.body, "Several trusts of the workspace fit") {
		t.Errorf("two patterns: %s", a.body)
	}
	if a := p.present(p.issuer.Token(t, p.base, "repo:acme/dash:ref:refs/heads/x", nil), "workspace", "acme"); a.StatusCode != 200 {
		t.Errorf("a pattern: %s", a.body)
	}
	if a := p.present(p.issuer.Token(t, p.base, "repo:acme/dash:ref:x:evil", nil), "workspace", "acme"); a.StatusCode != 400 {
		t.Errorf("a pattern over a colon: %s", a.body)
	}
}

// Grants of a trust end with the trust, and with the membership of its member.
func TestTrustEnds(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	token := func() string {
		t.Helper()
		a := p.present(p.issuer.Token(t, p.base, mainBranch, nil))
		if a.StatusCode != 200 {
			t.Fatal(a.body)
		}
		return a.json(t)["access_token"].(string)
	}
	one := token()
	if err := p.store.OAuth.RemoveTrust(t.Context(), p.trust.ID); err != nil {
		t.Fatal(err)
	}
	if a := p.whoami(one); a.StatusCode != 401 {
		t.Errorf("after the trust has ended: %d", a.StatusCode)
	}
	var clients int
	if err := p.pool.QueryRow(t.Context(), `SELECT count(*) FROM oauth_client`).Scan(&clients); err != nil || clients != 0 {
		t.Errorf("%d clients are left, %v", clients, err)
	}
	if err := p.store.OAuth.RemoveTrust(t.Context(), p.trust.ID); err != store.ErrNotFound {
		t.Errorf("removing it again: %v", err)
	}
	owner := p.world.member("bob@example.com", "globex")
	if _, err := p.store.Members.AddMember(t.Context(), owner.Account(), "globex", "ann@example.com", store.RoleOwner); err != nil {
		t.Fatal(err)
	}
	m, err := p.store.Members.Member(t.Context(), p.member.Account(), "globex")
	if err != nil {
		t.Fatal(err)
	}
	p.trust = p.trusts(m, mainBranch, false)
	two := token()
	if err := p.store.Members.RemoveMember(t.Context(), "globex", "ann@example.com"); err != nil {
		t.Fatal(err)
	}
	if a := p.whoami(two); a.StatusCode != 401 {
		t.Errorf("after the membership has ended: %d", a.StatusCode)
	}
	if a := p.present(p.issuer.Token(t, p.base, mainBranch, nil)); !strings.Contains(a.body, "No trust fits") {
		t.Errorf("a trust without its member: %s", a.body)
	}
}

// The metadata name the grant type once there is a trust.
func TestMetadataOfTrusts(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	types := func() []any {
		a := do(t, p.http, request(t, http.MethodGet, p.base+"/.well-known/oauth-authorization-server", nil))
		list, _ := a.json(t)["grant_types_supported"].([]any)
		return list
	}
	if got := types(); len(got) != 3 || got[2] != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		t.Errorf("with a trust: %v", got)
	}
	if err := p.store.OAuth.RemoveTrust(t.Context(), p.trust.ID); err != nil {
		t.Fatal(err)
	}
	if got := types(); len(got) != 2 {
		t.Errorf("without: %v", got)
	}
}

// An issuer that is down, or at a private address, lets nobody in.
func TestIssuersThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	p.issuer.Fail.Store(true)
	if a := p.present(p.issuer.Token(t, p.base, mainBranch, nil)); a.StatusCode != 502 || a.json(t)["error"] != "temporarily_unavailable" {
		t.Errorf("down: %d %s", a.StatusCode, a.body)
	}
	p.issuer.Fail.Store(false)
	if a := p.present(p.issuer.Token(t, p.base, mainBranch, nil)); a.StatusCode != 200 {
		t.Errorf("up again: %d %s", a.StatusCode, a.body)
	}
	guarded := newPipeline(t, func(c *auth.Config) { c.AllowPrivateIssuers = false })
	if a := guarded.present(guarded.issuer.Token(t, guarded.base, mainBranch, nil)); a.StatusCode != 502 {
		t.Errorf("private: %d %s", a.StatusCode, a.body)
	}
	if guarded.issuer.Asks.Load() != 0 {
		t.Error("a private address was asked")
	}
}

func TestTrustsAreChecked(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for _, c := range []struct{ issuer, audience, subject, want string }{
		{"", "a", "repo:acme/x", "issuer must have 1 to 500"},
		{"https://i.example", "", "repo:acme/x", "audience must have"},
		{"https://i.example", "a", strings.Repeat("x", 501), "subject must have"},
		{"http://i.example", "a", "repo:acme/x", "must be https"},
		{"i.example", "a", "repo:acme/x", "must be the address"},
		{"https://i.example?x", "a", "repo:acme/x", "must be the address"},
		{"https://u@i.example", "a", "repo:acme/x", "must be the address"},
		{"https://i.example", "a", "*", "must begin with at least 6 characters"},
		{"https://i.example", "a", "repo:*", "must begin with at least 6 characters"},
		{"https://i.example", "a", "repo:acme/*", ""},
		{p.issuer.URL, "a", mainBranch, ""},
	} {
		err := auth.CheckTrust(store.Trust{Issuer: c.issuer, Audience: c.audience, Subject: c.subject})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	_, err := p.store.OAuth.AddTrust(t.Context(), p.member, p.trust)
	if err == nil || !strings.Contains(err.Error(), "already: remove it first") {
		t.Errorf("the same trust twice: %v", err)
	}
}

// A trust's role lowers that of its member, and never raises it.
func TestTrustHasARole(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for _, c := range []struct{ member, trust, want string }{
		{store.RoleOwner, "", store.RoleOwner},
		{store.RoleOwner, store.RoleEditor, store.RoleEditor},
		{store.RoleOwner, store.RoleViewer, store.RoleViewer},
		{store.RoleEditor, store.RoleOwner, store.RoleEditor},
		{store.RoleViewer, store.RoleEditor, store.RoleViewer},
	} {
		if err := p.store.OAuth.RemoveTrust(t.Context(), p.trust.ID); err != nil {
			t.Fatal(err)
		}
		trust, err := p.store.OAuth.AddTrust(t.Context(), p.member, store.Trust{
			Issuer: p.issuer.URL, Audience: p.base, Subject: mainBranch, Role: c.trust,
		})
		if err != nil {
			t.Fatal(err)
		}
		p.trust = trust
		if _, err := p.pool.Exec(t.Context(), `UPDATE membership SET role = $1`, c.member); err != nil {
			t.Fatal(err)
		}
		var role string
		var removal error // of a dashboard that somebody else published
		p.mcp = p.auth.Bearer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			g, _ := auth.GrantFrom(r.Context())
			role = g.Member.Role()
			removal = p.store.Members.RefuseRemoval(r.Context(), g.Member, store.Dashboard{Slug: "sales", CreatedBy: uuid.New()})
		}))
		token, _ := p.present(p.issuer.Token(t, p.base, mainBranch, nil)).json(t)["access_token"].(string)
		if a := p.whoami(token); a.StatusCode != 200 || role != c.want {
			t.Errorf("%+v: %d, %s", c, a.StatusCode, role)
		}
		if (removal == nil) != (c.want == store.RoleOwner) {
			t.Errorf("%+v: removing another's dashboard: %v", c, removal)
		}
	}
}

// Tokens with a wrong signature, which anybody can send, do not make the service ask their issuer each time.
func TestForgedAssertionsSpareTheIssuer(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for range 20 {
		if a := p.present(p.issuer.Sign(t, "stranger", p.issuer.Claims(p.base, mainBranch))); a.StatusCode != http.StatusBadRequest {
			t.Fatalf("a forged assertion: %d %s", a.StatusCode, a.body)
		}
	}
	if n := p.issuer.Asks.Load(); n > 5 {
		t.Errorf("the issuer was asked %d times", n)
	}
	if a := p.present(p.issuer.Sign(t, "RS256", p.issuer.Claims(p.base, mainBranch))); a.StatusCode != http.StatusOK {
		t.Errorf("a good assertion: %d %s", a.StatusCode, a.body)
	}
}
