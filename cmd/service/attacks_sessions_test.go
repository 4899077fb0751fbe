package main

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// ticket has b, who is signed in on the app, request a ticket to a workspace's host, and
// returns its address there and the cookie of the visit.
func (r *realm) ticket(t *testing.T, b *browser, label, path string) (address string, visit map[string]string) {
	t.Helper()
	start := r.once(t, "GET", r.at(label, path), nil, nil)
	for _, line := range start.header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err != nil {
			t.Fatal(err)
		}
		visit = map[string]string{c.Name: c.Value}
	}
	given := r.once(t, "GET", start.header.Get("Location"), r.cookies(t, b, r.app), nil)
	if address = given.header.Get("Location"); len(visit) != 1 || !strings.HasPrefix(address, r.at(label, "/.session?ticket=")) {
		t.Fatalf("no ticket: %d to %s, then %d to %s", start.status, start.header.Get("Location"), given.status, address)
	}
	return address, visit
}

// tickets presents bob's tickets where and when they are not valid: they do not open the
// dashboard. Package auth tests twenty at once, and tickets that are cut or changed.
func (r *realm) tickets(t *testing.T) {
	const signedIn = `SELECT count(*)
		FROM host_session h JOIN web_session s ON s.hash = h.session_hash JOIN account a ON a.id = s.account_id
		WHERE a.email = 'bob@example.com'`
	count := func() (n int) {
		t.Helper()
		if err := r.db.QueryRow(t.Context(), signedIn).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	// sees reports whether the answer at address opens the dashboard for a browser.
	sees := func(address string, cookies map[string]string) bool {
		t.Helper()
		got := r.once(t, "GET", address, cookies, nil)
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		session := maps.Clone(cookies)
		if session == nil {
			session = map[string]string{}
		}
		for _, line := range got.header.Values("Set-Cookie") {
			if c, err := http.ParseSetCookie(line); err == nil {
				session[c.Name] = c.Value
			}
		}
		then := r.once(t, "GET", "https://"+u.Host+"/notes", session, nil)
		return strings.Contains(got.body+then.body, canary)
	}
	address, visit := r.ticket(t, r.bob, "acme", "/notes")
	if !sees(address, visit) || count() != 1 {
		t.Fatal("a good ticket opens nothing, so the rest proves nothing")
	}
	for name, attack := range map[string]func() bool{
		"used before":        func() bool { return sees(address, visit) },
		"used before, anew":  func() bool { _, v := r.ticket(t, r.bob, "acme", "/notes"); return sees(address, v) },
		"in another browser": func() bool { a, _ := r.ticket(t, r.bob, "acme", "/notes"); return sees(a, nil) },
		"in mallory's browser": func() bool {
			a, _ := r.ticket(t, r.bob, "acme", "/notes")
			_, hers := r.ticket(t, r.mallory, "acme", "/notes")
			return sees(a, hers)
		},
		"on another host": func() bool {
			a, v := r.ticket(t, r.bob, "lair", "/notes")
			return sees(strings.Replace(a, "//lair.", "//acme.", 1), v)
		},
		"on the app": func() bool {
			a, v := r.ticket(t, r.bob, "acme", "/notes")
			return sees(strings.Replace(a, "//acme.", "//app.", 1), v)
		},
		"as a cookie": func() bool {
			a, v := r.ticket(t, r.bob, "acme", "/notes")
			v["__Host-host"] = a[strings.Index(a, "=")+1:]
			return sees(r.at("acme", "/notes"), v)
		},
		"too late": func() bool {
			a, v := r.ticket(t, r.bob, "acme", "/notes")
			r.exec(t, `UPDATE host_ticket SET expires_at = now()`)
			return sees(a, v)
		},
	} {
		before := count()
		if attack() || count() != before {
			t.Errorf("a ticket %s: %d sessions instead of %d", name, count(), before)
		}
	}
	// Rights that end in the meantime.
	address, visit = r.ticket(t, r.bob, "acme", "/notes")
	r.admin(t, "member", "remove", "acme", "bob@example.com")
	if sees(address, visit) {
		t.Error("a ticket of a member who was removed opens the dashboard")
	}
	r.admin(t, "member", "add", "acme", "bob@example.com")
	r.bob = r.browser(t)
	r.bob.signIn(r.app+"/", "bob@example.com")
	address, visit = r.ticket(t, r.bob, "acme", "/notes")
	other, others := r.ticket(t, r.bob, "acme", "/notes")
	if !sees(other, others) {
		t.Error("a member who was added again sees nothing")
	}
	r.bob.get(r.app + "/account")
	r.bob.submit("/sign-out", nil)
	if sees(address, visit) || sees(r.at("acme", "/notes"), others) || count() != 0 {
		t.Errorf("after the sign-out there are %d sessions", count())
	}
	r.bob.signIn(r.app+"/", "bob@example.com")
}

// consents tries to get a client allowed by a person who did not intend to.
func (r *realm) consents(t *testing.T) {
	same := []string{"Content-Type", "application/x-www-form-urlencoded", "Origin", r.app, "Sec-Fetch-Site", "same-origin"}
	grants := func() (all []string) {
		t.Helper()
		rows, _ := r.db.Query(t.Context(), `SELECT a.email || ' ' || coalesce(w.slug, '-')
			FROM oauth_grant g JOIN account a ON a.id = g.account_id LEFT JOIN workspace w ON w.id = g.workspace_id
			ORDER BY g.created_at`)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	handle := func(b *browser) string {
		t.Helper()
		return r.request(t, b, r.register(t)).url.Query().Get("request")
	}
	answer := func(who *browser, values url.Values, header ...string) reply {
		t.Helper()
		if header == nil {
			header = same
		}
		return r.once(t, "POST", r.app+"/consent", r.cookies(t, who, r.app), strings.NewReader(values.Encode()), header...)
	}
	allow := func(handle, workspace string) url.Values {
		return url.Values{"request": {handle}, "workspace": {workspace}, "decision": {"allow"}}
	}
	hers := handle(r.ada)

	// For a workspace that the person does not belong to, or that does not exist.
	before := r.state(t)
	for who, b := range map[string]*browser{"sam": r.sam, "mallory": r.mallory} {
		for _, slug := range []string{"acme", "nowhere", "ACME", "acme\x00", "acme lair", "app"} {
			got := answer(b, allow(hers, slug))
			if got.status != http.StatusBadRequest || got.header.Get("Location") != "" || strings.Contains(got.body, "Acme") {
				t.Errorf("%s allows for %q: %d %s", who, slug, got.status, got.header.Get("Location"))
			}
		}
	}
	// From the client's own page, another site's, or the sibling's.
	for _, origin := range []string{"http://127.0.0.1:1", "https://evil.example", r.evil, r.at("acme", ""), r.mcp, "null"} {
		for _, site := range []string{"cross-site", "same-site", ""} {
			header := []string{"Content-Type", "application/x-www-form-urlencoded", "Origin", origin}
			if site != "" {
				header = append(header, "Sec-Fetch-Site", site)
			}
			for _, decision := range []string{"allow", "deny"} {
				values := allow(hers, "acme")
				values.Set("decision", decision)
				if got := answer(r.ada, values, header...); got.status != http.StatusForbidden || got.header.Get("Location") != "" {
					t.Errorf("%s from %s, %s: %d", decision, origin, site, got.status)
				}
			}
		}
	}
	// By a link, by missing fields, and by guesses.
	for name, got := range map[string]reply{
		"a link":             r.once(t, "GET", r.app+"/consent?"+allow(hers, "acme").Encode(), r.cookies(t, r.ada, r.app), nil),
		"a form in the link": r.once(t, "POST", r.app+"/consent?"+allow(hers, "acme").Encode(), r.cookies(t, r.ada, r.app), nil, same...),
		"no workspace":       answer(r.ada, url.Values{"request": {hers}, "decision": {"allow"}}),
		"no decision":        answer(r.ada, url.Values{"request": {hers}, "workspace": {"acme"}}),
		"another decision":   answer(r.ada, url.Values{"request": {hers}, "workspace": {"acme"}, "decision": {"ALLOW"}}),
		"nobody":             r.once(t, "POST", r.app+"/consent", nil, strings.NewReader(allow(hers, "acme").Encode()), same...),
		"a shorter handle":   answer(r.ada, allow(hers[:len(hers)-1], "acme")),
		"no handle":          answer(r.ada, allow("", "acme")),
		"a handle's list":    answer(r.ada, url.Values{"request": {"x", hers}, "workspace": {"acme"}, "decision": {"allow"}}),
	} {
		if to := got.header.Get("Location"); to != "" && !strings.HasPrefix(to, "/consent?request=") {
			t.Errorf("%s: %d to %s", name, got.status, to)
		}
	}
	r.unchanged(t, "what is not an answer", before)

	// Mallory, who got hold of ada's request, can only give her own workspace to
	// ada's client; the code goes to ada's client, whose secret she lacks.
	stolen := handle(r.ada)
	had := grants()
	if got := answer(r.mallory, allow(stolen, "lair")); !strings.HasPrefix(got.header.Get("Location"), "http://127.0.0.1:1/callback?code=") {
		t.Errorf("mallory allows: %d to %s", got.status, got.header.Get("Location"))
	}
	if now := grants(); !slices.Equal(now, append(had, "mallory@example.com lair")) {
		t.Errorf("grants %v, then %v", had, now)
	}
	if got := answer(r.ada, allow(stolen, "acme")); got.status != http.StatusBadRequest || len(grants()) != len(had)+1 {
		t.Errorf("ada afterwards: %d, %d grants", got.status, len(grants()))
	}

	// The form cannot change the request; and the answer counts once.
	values := allow(hers, "acme")
	maps.Copy(values, url.Values{
		"redirect_uri": {"https://evil.example/"}, "client_id": {"00000000-0000-0000-0000-000000000000"},
		"state": {"evil"}, "scope": {"everything"},
		"code_challenge": {strings.Repeat("A", 43)},
		"account_id":     {"00000000-0000-0000-0000-000000000000"}, "resource": {"https://evil.example/"},
	})
	got := r.once(t, "POST", r.app+"/consent?redirect_uri=https://evil.example/&state=evil",
		r.cookies(t, r.ada, r.app), strings.NewReader(values.Encode()), same...)
	to, err := url.Parse(got.header.Get("Location"))
	if err != nil || to.Host != "127.0.0.1:1" || to.Path != "/callback" ||
		to.Query().Get("state") != "s" || to.Query().Get("iss") != r.mcp || to.Query().Get("code") == "" {
		t.Fatalf("%d to %s", got.status, to)
	}
	before = r.state(t)
	for _, decision := range []string{"allow", "deny", ""} {
		values := allow(hers, "acme")
		values.Set("decision", decision)
		for who, b := range map[string]*browser{"ada": r.ada, "bob": r.bob, "mallory": r.mallory} {
			if who == "ada" && decision == "allow" {
				values.Set("workspace", "") // the same answer again would count as a second click
			}
			if got := answer(b, values); got.status != http.StatusBadRequest || got.header.Get("Location") != "" {
				t.Errorf("%s answers once more, %s: %d to %s", who, decision, got.status, got.header.Get("Location"))
			}
		}
	}
	r.unchanged(t, "answering once more", before)
}

// sessions ends ada's sessions in every way, and tries the cookies that she had before.
func (r *realm) sessions(t *testing.T) {
	hosts := []string{r.app, r.at("acme", ""), r.at("lair", "")}
	open := func(b *browser) {
		t.Helper()
		for _, label := range []string{"acme", "lair"} {
			b.get(r.at(label, "/notes"))
		}
		if !strings.Contains(b.get(r.at("acme", "/notes")).text, canary) {
			t.Fatal("ada sees nothing")
		}
	}
	jar := func(b *browser) map[string]map[string]string {
		t.Helper()
		all := map[string]map[string]string{}
		for _, origin := range hosts {
			all[origin] = r.cookies(t, b, origin)
		}
		return all
	}
	// dead fails the test if any of the cookies opens any host.
	dead := func(what string, jar map[string]map[string]string) {
		t.Helper()
		for from, cookies := range jar {
			for _, origin := range hosts {
				for _, path := range []string{"/account", "/notes", "/w/acme/members", "/"} {
					got := r.once(t, "GET", origin+path, cookies, nil)
					if strings.Contains(got.body, "ada@example.com") || strings.Contains(got.body, canary) {
						t.Errorf("%s: cookies of %s open %s%s", what, from, origin, path)
					}
				}
			}
		}
	}
	ada := r.browser(t)
	// Fixation: if mallory's session is planted in her browser, ada's sign-in still gets a new one.
	planted := r.cookies(t, r.mallory, r.app)["__Host-session"]
	app, err := url.Parse(r.app)
	if err != nil {
		t.Fatal(err)
	}
	other := r.browser(t) // mallory's second session, which she gives away
	other.signIn(r.app+"/", "mallory@example.com")
	given := r.cookies(t, other, r.app)["__Host-session"]
	ada.client.Jar.SetCookies(app, []*http.Cookie{{Name: "__Host-session", Value: given, Path: "/"}})
	ada.signIn(r.app+"/sign-in", "ada@example.com")
	if now := r.cookies(t, ada, r.app)["__Host-session"]; now == "" || now == given || now == planted {
		t.Error("the session is one that somebody knew before")
	}
	if got := r.once(t, "GET", r.app+"/account", map[string]string{"__Host-session": given}, nil); got.status != http.StatusFound {
		t.Errorf("the planted session after ada's sign-in: %d", got.status)
	}

	open(ada)
	first := jar(ada)
	ada.signIn(r.app+"/sign-in", "ada@example.com")
	dead("after signing in once more", first)
	open(ada)
	second := jar(ada)
	ada.get(r.app + "/account")
	ada.submit("/sign-out", nil)
	dead("after the sign-out", second)
	if len(r.cookies(t, ada, r.app)) > 3 || r.cookies(t, ada, r.app)["__Host-session"] != "" {
		t.Errorf("cookies after the sign-out: %v", slices.Collect(maps.Keys(r.cookies(t, ada, r.app))))
	}

	ada.signIn(r.app+"/", "ada@example.com")
	open(ada)
	open(r.ada)
	here, there := jar(ada), jar(r.ada)
	ada.get(r.app + "/account")
	ada.submit("/account/sessions/end-all", nil)
	dead("after signing out everywhere, here", here)
	dead("after signing out everywhere, there", there)
	var n int
	const hers = `SELECT count(*) FROM web_session s JOIN account a ON a.id = s.account_id WHERE a.email = 'ada@example.com'`
	if err := r.db.QueryRow(t.Context(), hers).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d sessions of ada's are left, %v", n, err)
	}
	if got := r.mallory.get(r.app + "/account"); !strings.Contains(got.text, "mallory@example.com") {
		t.Error("mallory is signed out too")
	}
}
