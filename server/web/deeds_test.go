package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
	"service/store/dashboard"
	"service/store/storetest"
	"service/store/warehouse"
)

// A deed is an action of the app: a route that changes data, and a request that does so.
type deed struct {
	route string // as the router names it
	path  string // with the parameters filled in
	form  url.Values
	file  bool // the form is an upload
}

// request returns the deed's request as p's browser would send it.
func (d deed) request(p *person) *http.Request {
	return d.encoded(p, "application/x-www-form-urlencoded")
}

// encoded returns the deed's request in an encoding that a page may send to another site
// without a preflight.
func (d deed) encoded(p *person, contentType string) *http.Request {
	p.t.Helper()
	body := bytes.NewBufferString(d.form.Encode())
	if d.file || contentType == "multipart/form-data" {
		body.Reset()
		form := multipart.NewWriter(body)
		for name := range d.form {
			_ = form.WriteField(name, d.form.Get(name)) // writes to memory
		}
		part, err := form.CreateFormFile("file", "attack.csv")
		if err != nil {
			p.t.Fatal(err)
		}
		fmt.Fprintln(part, "n\n1")
		_ = form.Close() // writes to memory
		if contentType != "text/plain" {
			contentType = form.FormDataContentType()
		}
	}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.s.url+d.path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	return r
}

// routes returns the routes of the app by method, as the router lists them.
func (s *site) routes(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, address := range s.app.Routes() {
		method, route, _ := strings.Cut(address, " ")
		if route != "/revoke" { // for clients: it reads no cookie, and package auth tests its attacks
			found[method] = append(found[method], route)
		}
	}
	if methods := slices.Sorted(maps.Keys(found)); !slices.Equal(methods, []string{http.MethodGet, http.MethodPost}) {
		t.Fatalf("the routes take %v: pages are GETs and changes are POSTs", methods)
	}
	if len(found[http.MethodGet]) < 25 || len(found[http.MethodPost]) < 27 {
		t.Fatalf("only some routes were found: %v", found)
	}
	return found
}

// A victim is the owner of a workspace in which every deed can change something.
type victim struct {
	*person
	deeds []deed // the last ones remove data that the others need
	pages map[string]string
}

func (s *site) victim(t *testing.T) *victim {
	t.Helper()
	s.owner(t, "grace@navy.mil", "navy")
	s.signIn(t, "ada@lovelace.org") // the session that a deed can end
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	first := s.publish(t, m, "sales", "Sales")
	s.publish(t, m, "sales", "Sales again")
	s.exec(t, `UPDATE refresh_run SET state = 'succeeded', started_at = queued_at, finished_at = queued_at`)
	c, err := s.store.Connections.AddWarehouse(ctx, m, "postgres", "Sales",
		warehouse.Target{Host: "db.example", Port: 5432, User: "reader", Password: "open-sesame", TLS: "verify"})
	must(err)
	_, err = s.store.Connections.TestConnection(ctx, m, c.ID)
	must(err)
	u, err := s.store.Uploads.AddUpload(ctx, m, "rain.csv", []byte("n\n3\n"))
	must(err)
	second, err := s.store.Uploads.OfferFile(ctx, m, u.Upload.ID, "second.csv", []byte("n\n4\n"))
	must(err)
	_, err = s.store.Uploads.UseFile(ctx, m, u.Upload.ID, second, store.Use{Instead: u.Upload.SHA256})
	must(err)
	waiting, err := s.store.Uploads.OfferFile(ctx, m, u.Upload.ID, "third.csv", []byte("n\n5\n"))
	must(err)
	f, err := s.store.Uploads.Upload(ctx, m, u.Upload.ID)
	must(err)
	_, err = s.store.Members.AddMember(ctx, m.Account(), "engine", "bob@lovelace.org", store.RoleEditor)
	must(err)

	s.signIn(t, "carla@lovelace.org")
	_, err = s.store.Members.AddMember(ctx, m.Account(), "engine", "carla@lovelace.org", store.RoleEditor)
	must(err)
	carla, err := s.store.Accounts.AccountByEmail(ctx, "carla@lovelace.org")
	must(err)

	navy, err := s.store.Accounts.AccountByEmail(ctx, "grace@navy.mil")
	must(err)
	_, err = s.store.Members.AddMember(ctx, navy.ID, "navy", "else@navy.mil", store.RoleEditor)
	must(err)
	n, err := s.store.Members.Member(ctx, navy.ID, "navy")
	must(err)
	must(s.store.Members.LinkInvitation(ctx, n, "else@navy.mil", hashOf("invitation")))

	made := s.register(t, "Claude Code", "http://127.0.0.1:4000/callback")
	for range 2 {
		_, handle := p.authorize(made)
		p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).want(http.StatusSeeOther)
	}
	_, handle := p.authorize(made)
	grants, err := s.store.OAuth.ListGrants(ctx, m.Account(), uuid.Nil)
	must(err)
	sessions, err := s.store.Sessions.ListSessions(ctx, m.Account())
	must(err)
	u2, err := url.Parse(s.url)
	must(err)
	own := ""
	for _, c := range p.Jar.Cookies(u2) {
		if strings.HasPrefix(c.Name, "session") {
			own = hex.EncodeToString(hashOf(c.Value))
		}
	}
	i := slices.IndexFunc(sessions, func(s store.SessionInfo) bool { return hex.EncodeToString(s.Hash) != own })
	if len(grants) != 2 || len(sessions) != 2 || i < 0 {
		t.Fatalf("%d grants, %d sessions", len(grants), len(sessions))
	}

	daily := store.Wish{Rhythm: dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 8 * 60}}
	must(s.store.Messages.Subscribe(ctx, m, "sales", daily))
	daily.Rhythm.Minute++
	must(s.store.Messages.Subscribe(ctx, m, "sales", daily))
	s.propose(t, m, "sales", "team")
	sent, err := s.store.Messages.Subscriptions(ctx, m, first.Dashboard)
	must(err)
	unsubscribe := "/unsubscribe?token=" + s.store.Messages.UnsubscribeToken(m.WorkspaceID(), sent[1].ID, uuid.Nil)
	sending := "/w/engine/d/sales/send"
	s.exec(t, `INSERT INTO alert (workspace_id, dashboard_id, id, place, title, severity, channels, definition)
		SELECT workspace_id, id, 'low', 0, 'Low', 'warning', '{}', '' FROM dashboard WHERE slug = 'sales'`)

	mail, _, err := s.store.Messages.AddChannel(ctx, m, store.ChannelEdit{
		Slug: "people", Kind: channel.Mail, Name: "People", Members: []uuid.UUID{m.Account()},
	})
	must(err)
	_, _, err = s.store.Messages.AddChannel(ctx, m,
		store.ChannelEdit{Slug: "ops", Kind: channel.Slack, Name: "Ops", URL: "https://hooks.example/x"})
	must(err)
	leave := s.store.Messages.LeaveToken(store.OutMessage{
		Workspace: m.WorkspaceID(), Channel: &mail, Recipient: store.Account{ID: m.Account()},
	})

	must(s.store.Members.MapGroup(ctx, m.Account(), "engine", "team", store.RoleViewer))
	back, gone := s.deleted(t, m, "back"), s.deleted(t, m, "gone")
	w, connection := "/w/engine", "/w/engine/connections/"+c.ID.String()
	file := w + "/uploads/" + u.Upload.ID.String()
	version := "/w/engine/d/sales/versions/" + first.Dashboard.VersionID.String()
	v := &victim{person: p, deeds: []deed{
		{route: "/theme", path: "/theme", form: url.Values{"theme": {"dark"}}},
		{route: "/workspaces", path: "/workspaces", form: url.Values{"name": {"Lair"}, "slug": {"lair"}}},
		{route: "/invitations", path: "/invitations", form: url.Values{"token": {"invitation"}}},
		{route: "/consent", path: "/consent", form: url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}},
		{route: "/clients/revoke", path: "/clients/revoke", form: url.Values{"grant": {grants[0].ID.String()}}},
		{route: "/account/shortcuts", path: "/account/shortcuts"},
		{route: "/account/timezone", path: "/account/timezone", form: url.Values{"timezone": {"Asia/Tokyo"}}},
		{route: "/account/sessions/end", path: "/account/sessions/end", form: url.Values{"session": {hex.EncodeToString(sessions[i].Hash)}}},
		{route: "/w/{workspace}/clients/revoke", path: w + "/clients/revoke", form: url.Values{"grant": {grants[1].ID.String()}}},
		{route: "/w/{workspace}/members", path: w + "/members", form: url.Values{"email": {"mallory@evil.example"}, "role": {"owner"}}},
		{route: "/w/{workspace}/members/link", path: w + "/members/link", form: url.Values{"email": {"bob@lovelace.org"}}},
		{route: "/w/{workspace}/members/withdraw", path: w + "/members/withdraw", form: url.Values{"email": {"bob@lovelace.org"}}},
		{route: "/w/{workspace}/members/role", path: w + "/members/role", form: url.Values{"member": {carla.ID.String()}, "role": {"owner"}}},
		{
			route: "/w/{workspace}/members/attribute", path: w + "/members/attribute",
			form: url.Values{"member": {carla.ID.String()}, "attribute": {"region"}, "values": {"EMEA"}},
		},
		{route: "/w/{workspace}/members/group", path: w + "/members/group", form: url.Values{"group": {"evil"}, "role": {"owner"}}},
		{route: "/w/{workspace}/members/group/remove", path: w + "/members/group/remove", form: url.Values{"group": {"team"}}},
		{route: "/w/{workspace}/members/remove", path: w + "/members/remove", form: url.Values{"member": {carla.ID.String()}}},
		{
			route: "/w/{workspace}/alerts/mute", path: w + "/alerts/mute",
			form: url.Values{"dashboard": {"sales"}, "alert": {"low"}, "for": {"forever"}},
		},
		{route: "/w/{workspace}/settings/name", path: w + "/settings/name", form: url.Values{"name": {"Lair"}}},
		{
			route: "/w/{workspace}/connections", path: w + "/connections",
			form: url.Values{
				"kind": {"postgres"}, "label": {"Mine"}, "host": {"db.evil.example"}, "port": {"5432"}, "user": {"x"}, "tls": {"verify"},
				"password": {"open-sesame"},
			},
		},
		{
			route: "/w/{workspace}/connections/{connection}", path: connection,
			form: url.Values{
				"label": {"Mine"}, "host": {"db.evil.example"}, "port": {"5432"},
				"user": {"reader"}, "password": {"open-sesame"}, "tls": {"verify"},
			},
		},
		{route: "/w/{workspace}/connections/{connection}/test", path: connection + "/test"},
		{route: "/w/{workspace}/connections/{connection}/disable", path: connection + "/disable"},
		{route: "/w/{workspace}/connections/{connection}/delete", path: connection + "/delete"},
		{route: "/channels/leave", path: "/channels/leave", form: url.Values{"token": {leave}}},
		{
			route: "/w/{workspace}/channels", path: w + "/channels",
			form: url.Values{"kind": {"slack"}, "name": {"Mine"}, "slug": {"mine"}, "url": {"https://hooks.evil.example"}},
		},
		{
			route: "/w/{workspace}/channels/{channel}", path: w + "/channels/ops",
			form: url.Values{"name": {"Mine"}, "url": {"https://hooks.evil.example"}},
		},
		{route: "/w/{workspace}/channels/{channel}/test", path: w + "/channels/ops/test"},
		{route: "/w/{workspace}/channels/{channel}/mute", path: w + "/channels/ops/mute", form: url.Values{"for": {"1w"}}},
		{route: "/w/{workspace}/channels/{channel}/delete", path: w + "/channels/ops/delete"},
		{route: "/w/{workspace}/uploads", path: w + "/uploads", file: true},
		{route: "/w/{workspace}/uploads/{upload}/files/{file}/drop", path: file + "/files/" + waiting.String() + "/drop"},
		{
			route: "/w/{workspace}/uploads/{upload}/files/{file}", path: file + "/files/" + f.Earlier[0].ID.String(),
			form: url.Values{"instead": {hex.EncodeToString(f.SHA256)}, "despite": {"0"}},
		},
		{route: "/w/{workspace}/uploads/{upload}/dates", path: file + "/dates", form: url.Values{"dates": {"day_first"}}},
		{route: "/w/{workspace}/uploads/{upload}", path: file, file: true},
		{route: "/w/{workspace}/uploads/{upload}/delete", path: file + "/delete"},
		{route: "/w/{workspace}/d/{dashboard}/details", path: w + "/d/sales/details", form: url.Values{"title": {"Mine"}, "tags": {"mine"}}},
		{route: "/w/{workspace}/d/{dashboard}/star", path: w + "/d/sales/star", form: url.Values{"star": {"on"}, "return_to": {w + "/"}}},
		{route: "/w/{workspace}/d/{dashboard}/refresh", path: w + "/d/sales/refresh"},
		{
			route: "/w/{workspace}/d/{dashboard}/schedule", path: w + "/d/sales/schedule",
			form: url.Values{"schedule": {"1h"}, "timezone": {"UTC"}},
		},
		{route: "/unsubscribe", path: unsubscribe, form: url.Values{"List-Unsubscribe": {"One-Click"}}},
		{
			route: "/w/{workspace}/d/{dashboard}/send", path: sending, form: url.Values{"rhythm": {"weekly-1"}, "at": {"09:00"}},
		},
		{
			route: "/w/{workspace}/d/{dashboard}/send/{subscription}", path: sending + "/" + sent[0].ID.String(),
			form: url.Values{"rhythm": {"weekly-2"}, "at": {"09:00"}},
		},
		{route: "/w/{workspace}/d/{dashboard}/send/{subscription}/allow", path: sending + "/" + sent[2].ID.String() + "/allow"},
		{route: "/w/{workspace}/d/{dashboard}/send/{subscription}/end", path: sending + "/" + sent[0].ID.String() + "/end"},
		{route: "/w/{workspace}/d/{dashboard}/versions/{version}/restore", path: version + "/restore"},
		{route: "/w/{workspace}/d/{dashboard}/versions/{version}/name", path: version + "/name", form: url.Values{"name": {"Mine"}}},
		{
			route: "/w/{workspace}/d/{dashboard}/copy", path: w + "/d/sales/copy",
			form: url.Values{"workspace": {"engine"}, "title": {"Mine"}, "slug": {"mine"}},
		},
		{route: "/w/{workspace}/d/{dashboard}/delete", path: w + "/d/sales/delete"},
		{route: "/w/{workspace}/bin/{binned}/restore", path: w + "/bin/" + back.String() + "/restore"},
		{route: "/w/{workspace}/bin/{binned}/erase", path: w + "/bin/" + gone.String() + "/erase"},
		{route: "/w/{workspace}/settings/delete", path: w + "/settings/delete", form: url.Values{"slug": {"engine"}}},
		{route: "/account/sessions/end-all", path: "/account/sessions/end-all"},
		{route: "/account/delete", path: "/account/delete", form: url.Values{"confirm": {"ada@lovelace.org"}, "workspace": {"engine", "lair"}}},
		{route: "/sign-out", path: "/sign-out"},
	}}
	fill := strings.NewReplacer("{subscription}", sent[0].ID.String(), "{binned}", gone.String(),
		"{workspace}", "engine", "{dashboard}", "sales", "{channel}", "ops",
		"{connection}", c.ID.String(),
		"{version}", first.Dashboard.VersionID.String(), "{upload}", u.Upload.ID.String(), "{file}", waiting.String(), "{name}", "app.css")
	query := map[string]string{
		"/consent": "request=" + handle, "/invitations": "token=invitation", "/w/{workspace}/connections/new": "kind=postgres",
		"/channels/leave": "token=" + leave, "/w/{workspace}/channels/new": "kind=mail",
		"/visit": "to=" + url.QueryEscape("http://engine."+strings.TrimPrefix(s.base, "http://")+"/sales") + "&nonce=" + strings.Repeat("A", 43),
	}
	query["/unsubscribe"] = strings.TrimPrefix(unsubscribe, "/unsubscribe?")
	v.pages = map[string]string{}
	for _, route := range s.routes(t)[http.MethodGet] {
		v.pages[route] = fill.Replace(route)
		if q := query[route]; q != "" {
			v.pages[route] += "?" + q
		}
		if strings.Contains(v.pages[route], "{") {
			t.Fatalf("%s has a parameter that this test does not know: add it to fill", route)
		}
	}
	for _, route := range s.routes(t)[http.MethodPost] {
		if !slices.ContainsFunc(v.deeds, func(d deed) bool { return d.route == route }) {
			t.Errorf("POST %s has no deed: add one, so that attacks on it are tried", route)
		}
	}
	return v
}

// deleted publishes a dashboard and deletes it. It returns the dashboard's id.
func (s *site) deleted(t *testing.T, m store.Member, slug string) uuid.UUID {
	t.Helper()
	d := s.publish(t, m, slug, slug).Dashboard
	if _, err := s.store.Dashboards.DeleteDashboard(t.Context(), m, slug); err != nil {
		t.Fatal(err)
	}
	return d.ID
}

// propose adds a channel, and publishes a spec with a delivery of the dashboard to it.
func (s *site) propose(t *testing.T, m store.Member, slug, channel string) {
	t.Helper()
	id := uuid.New()
	s.exec(t, `INSERT INTO channel (workspace_id, id, slug, name, kind, created_at) VALUES ($1, $2, $3, $3, 'mail', now())`,
		m.WorkspaceID(), id, channel)
	s.exec(t, `
		INSERT INTO subscription (workspace_id, id, dashboard_id, channel_id, every, day, minute, timezone,
		                          proposal, allowed, created_by, created_at)
		SELECT workspace_id, $3, id, $4, 'weekly', 1, 480, 'UTC', sha256('proposal'), false, $5, now() FROM dashboard
		 WHERE workspace_id = $1 AND slug = $2`, m.WorkspaceID(), slug, uuid.Must(uuid.NewV7()), id, m.Account())
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// state returns all stored data, by table.
func (s *site) state(t *testing.T) map[string]string {
	t.Helper()
	return storetest.State(t, s.pool)
}
