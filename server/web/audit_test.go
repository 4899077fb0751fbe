package web

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
	"service/store/dashboard/locale"
	"service/store/warehouse"
)

// auditedAction matches an action in the store's source.
var auditedAction = regexp.MustCompile(`"((?:` + strings.Join(nouns, "|") + `)\.[a-z]+)"`)

// The sentence of each logged action names its actor and its subject by names that people understand.
func TestAuditSentences(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	ada, m := s.owner(t, "ada@lovelace.org", "engine")
	s.signIn(t, "bob@lovelace.org")
	const w = "/w/engine"
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var read, told []string // ids of events, and their sentences
	actions := map[string]bool{"dashboard." + store.CausePublish: false, "dashboard." + store.CauseRestore: false}
	// tells compares the sentences of the events after the last call, oldest first.
	tells := func(want ...string) {
		t.Helper()
		log, err := s.store.Audit.AuditLog(ctx, m, store.AuditQuery{Limit: 1000})
		must(err)
		var got []string
		for _, e := range slices.Backward(log) {
			if slices.Contains(read, e.ID.String()) {
				continue
			}
			read, got, actions[e.Action] = append(read, e.ID.String()), append(got, event(locale.For("en"), e)), true
			if sentence := event(locale.For("en"), e); strings.Contains(sentence, e.Action) || strings.HasSuffix(sentence, " ") {
				t.Errorf("%s has no sentence: %s", e.Action, sentence)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
		told = append(told, got...)
	}
	post := func(p *person, path string, form url.Values) reply {
		t.Helper()
		return p.post(path, form).want(http.StatusOK)
	}
	// allow lets the client called name into the workspace for p, and returns its code.
	allow := func(p *person, name string) (client, string) {
		t.Helper()
		c := s.register(t, name, "http://127.0.0.1:4000/callback")
		_, handle := p.authorize(c)
		back, err := url.Parse(p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).
			want(http.StatusSeeOther).header.Get("Location"))
		must(err)
		return c, back.Query().Get("code")
	}
	grantOf := func(account uuid.UUID) uuid.UUID {
		t.Helper()
		grants, err := s.store.OAuth.ListGrants(ctx, account, uuid.Nil)
		must(err)
		return grants[0].ID
	}

	tells("ada@lovelace.org created the workspace")
	post(ada, w+"/settings/name", url.Values{"name": {"Engine Room"}})
	must(s.store.Workspaces.SetPlan(ctx, "engine", "free"))
	must(s.store.Workspaces.SetPlan(ctx, "engine", "paid"))
	tells("ada@lovelace.org renamed the workspace to Engine Room", "The operator set the plan to free", "The operator set the plan to paid")

	// Dashboards and their versions.
	first := s.publish(t, m, "sales", "Sales")
	s.publish(t, m, "sales", "Sales again")
	version := w + "/d/sales/versions/" + first.Dashboard.VersionID.String()
	post(ada, version+"/name", url.Values{"name": {"Before"}})
	post(ada, version+"/name", url.Values{"name": {""}})
	post(ada, version+"/restore", nil)
	s.exec(t, `INSERT INTO alert (workspace_id, dashboard_id, id, place, title, severity, channels, definition)
		SELECT workspace_id, id, 'low', 0, 'Low', 'warning', '{}', '' FROM dashboard WHERE slug = 'sales'`)
	post(ada, w+"/alerts/mute", url.Values{"dashboard": {"sales"}, "alert": {"low"}, "for": {"24h"}})
	post(ada, w+"/alerts/mute", url.Values{"dashboard": {"sales"}, "alert": {"low"}})
	post(ada, w+"/d/sales/schedule", url.Values{"schedule": {"1h"}, "timezone": {"Europe/Berlin"}})
	post(ada, w+"/d/sales/schedule", url.Values{"schedule": {"off"}, "timezone": {"Europe/Berlin"}})
	_, err := s.store.Dashboards.UpdateDashboard(ctx, m, "sales", store.Update{Name: new("Revenue"), Tags: []string{"money"}})
	must(err)
	_, err = s.store.Dashboards.UpdateDashboard(ctx, m, "sales", store.Update{NewSlug: new("takings")})
	must(err)
	_, err = s.store.Dashboards.UpdateDashboard(ctx, m, "takings", store.Update{NewSlug: new("revenue"), Name: new("All revenue")})
	must(err)
	post(ada, w+"/d/revenue/copy", url.Values{"workspace": {"engine"}, "title": {"Copy"}, "slug": {"copied"}})
	post(ada, w+"/d/revenue/delete", nil)
	binned := w + "/bin/" + first.Dashboard.ID.String()
	post(ada, binned+"/restore", nil)
	post(ada, w+"/d/revenue/delete", nil)
	post(ada, binned+"/erase", nil)
	tells(
		"ada@lovelace.org published dashboard sales",
		"ada@lovelace.org published dashboard sales",
		`ada@lovelace.org named a version of dashboard sales "Before"`,
		"ada@lovelace.org took the name of a version of dashboard sales away",
		"ada@lovelace.org restored a version of dashboard sales",
		"ada@lovelace.org muted alert sales/low",
		"ada@lovelace.org unmuted alert sales/low",
		"ada@lovelace.org set the schedule of dashboard sales: 1h (Europe/Berlin)",
		"ada@lovelace.org switched the schedule of dashboard sales off",
		"ada@lovelace.org changed dashboard sales: name, tags",
		"ada@lovelace.org renamed dashboard sales to takings",
		"ada@lovelace.org renamed dashboard takings to revenue and changed its name",
		"ada@lovelace.org duplicated dashboard revenue as engine/copied",
		"ada@lovelace.org published dashboard copied",
		"ada@lovelace.org deleted dashboard revenue",
		"ada@lovelace.org brought the deleted dashboard revenue back",
		"ada@lovelace.org deleted dashboard revenue",
		"ada@lovelace.org erased dashboard revenue",
	)

	// Connections and uploads.
	target := warehouse.Target{Host: "db.example", Port: 5432, User: "reader", Password: "open-sesame", TLS: "verify"}
	c, err := s.store.Connections.AddWarehouse(ctx, m, "postgres", "Till", target)
	must(err)
	connection := w + "/connections/" + c.ID.String()
	post(ada, connection+"/test", nil)
	target.Password = "wrong-word"
	_, err = s.store.Connections.UpdateWarehouse(ctx, m, c.ID, "Till", target)
	must(err)
	_, err = s.store.Connections.UpdateWarehouse(ctx, m, c.ID, "Shop", target)
	must(err)
	post(ada, connection+"/test", nil)
	post(ada, connection+"/disable", nil)
	post(ada, connection+"/delete", nil)
	tells(
		"ada@lovelace.org added connection Till",
		"ada@lovelace.org tested connection Till: active",
		"ada@lovelace.org changed connection Till",
		"ada@lovelace.org renamed connection Till to Shop",
		"ada@lovelace.org tested connection Shop: failing",
		"ada@lovelace.org switched connection Shop off",
		"ada@lovelace.org deleted connection Shop",
	)
	ada.send(w+"/uploads", "rain.csv", "n\n1\n").want(http.StatusOK)
	files, err := s.store.Connections.Connections(ctx, m)
	must(err)
	ada.send(w+"/uploads/"+files[0].Uploads[0].ID.String(), "snow.csv", "n\n2\n").want(http.StatusOK)
	rain := w + "/uploads/" + files[0].Uploads[0].ID.String()
	s.publishFile(t, m, "rain", "Rain", files[0].Uploads[0].ID.String(), "SELECT sum(n) AS n FROM upload", `{"type": "kpi", "value": "n"}`)
	ada.press(ada.send(rain, "hail.csv", "h\n1\n"), "Replace anyway").want(http.StatusOK)
	ada.press(ada.get(fileOfUpload.FindString(ada.get(rain).body)), "Go back").want(http.StatusOK)
	post(ada, rain+"/dates", url.Values{"dates": {"month_first"}})
	post(ada, rain+"/delete", nil)
	tells("ada@lovelace.org uploaded rain.csv", "ada@lovelace.org replaced rain.csv by snow.csv",
		"ada@lovelace.org published dashboard rain", "ada@lovelace.org replaced snow.csv by hail.csv, which breaks 1 dashboard",
		"ada@lovelace.org went back from hail.csv to snow.csv",
		"ada@lovelace.org set the order of day and month of snow.csv", "ada@lovelace.org deleted the file snow.csv")

	// Subscriptions.
	s.publish(t, m, "mailed", "Mailed")
	wish := url.Values{"rhythm": {"weekly-1"}, "at": {"09:00"}}
	post(ada, w+"/d/mailed/send", wish)
	s.propose(t, m, "mailed", "team")
	mailed, err := s.store.Dashboards.Dashboard(ctx, m, "mailed")
	must(err)
	sent, err := s.store.Messages.Subscriptions(ctx, m, mailed)
	must(err)
	sending := w + "/d/mailed/send/"
	post(ada, sending+sent[0].ID.String(), url.Values{"rhythm": {"refresh"}})
	post(ada, sending+sent[0].ID.String()+"/end", nil)
	post(ada, sending+sent[1].ID.String()+"/allow", nil)
	post(ada, sending+sent[1].ID.String()+"/end", nil)
	wish.Set("to", sent[1].Channel.String())
	post(ada, w+"/d/mailed/send", wish)
	tells("ada@lovelace.org published dashboard mailed", "ada@lovelace.org subscribed to dashboard mailed",
		"ada@lovelace.org changed when dashboard mailed is sent", "ada@lovelace.org unsubscribed from dashboard mailed",
		"ada@lovelace.org allowed channel team to receive dashboard mailed",
		"ada@lovelace.org ended the deliveries of dashboard mailed to a channel",
		"ada@lovelace.org subscribed a channel to dashboard mailed")

	// Channels.
	post(ada, w+"/channels", url.Values{"kind": {"slack"}, "name": {"Ops"}, "slug": {"ops"}, "url": {"https://hooks.example/x"}})
	post(ada, w+"/channels/ops", url.Values{"name": {"Operations"}})
	post(ada, w+"/channels/ops/test", nil)
	post(ada, w+"/channels/ops/mute", url.Values{"for": {"1d"}})
	post(ada, w+"/channels/ops/mute", url.Values{"for": {"off"}})
	post(ada, w+"/channels/ops/delete", nil)
	people, _, err := s.store.Messages.AddChannel(ctx, m, store.ChannelEdit{
		Slug: "people", Kind: channel.Mail, Name: "People", Members: []uuid.UUID{m.Account()},
	})
	must(err)
	must(s.store.Messages.LeaveChannel(ctx, m.WorkspaceID(), people.ID, m.Account()))
	tells("ada@lovelace.org added channel ops", "ada@lovelace.org changed channel ops", "ada@lovelace.org tested channel ops",
		"ada@lovelace.org muted channel ops", "ada@lovelace.org unmuted channel ops", "ada@lovelace.org deleted channel ops",
		"ada@lovelace.org added channel people", "ada@lovelace.org left channel people")

	// Members: an existing account, one by a link, one by the invited address.
	post(ada, w+"/members", url.Values{"email": {"bob@lovelace.org"}, "role": {"editor"}})
	bob := uuid.MustParse(s.account(t, "bob@lovelace.org"))
	post(ada, w+"/members/role", url.Values{"member": {bob.String()}, "role": {"owner"}})
	post(ada, w+"/members/attribute", url.Values{"member": {bob.String()}, "attribute": {"region"}, "values": {"EMEA"}})
	post(ada, w+"/members", url.Values{"email": {"carla@work.example"}, "role": {"owner"}})
	link := invitationLink.FindStringSubmatch(post(ada, w+"/members/link", url.Values{"email": {"carla@work.example"}}).body)[1]
	token := link[len("/invitations?token="):]
	carla := s.signIn(t, "carla@home.example")
	post(carla, "/invitations", url.Values{"token": {token}})
	post(ada, w+"/members", url.Values{"email": {"dora@work.example"}, "role": {"editor"}})
	dora := s.signIn(t, "dora@work.example")
	post(ada, w+"/members", url.Values{"email": {"eve@evil.example"}, "role": {"editor"}})
	post(ada, w+"/members/withdraw", url.Values{"email": {"eve@evil.example"}})
	tells(
		"ada@lovelace.org added bob@lovelace.org as editor",
		"ada@lovelace.org made bob@lovelace.org an owner",
		"ada@lovelace.org set the attribute region of bob@lovelace.org",
		"ada@lovelace.org added carla@work.example as owner",
		"ada@lovelace.org made an invitation link for carla@work.example: the person who opens it can become an owner",
		"carla@home.example joined as owner (invited as carla@work.example)",
		"ada@lovelace.org added dora@work.example as editor",
		"dora@work.example joined",
		"ada@lovelace.org added eve@evil.example as editor",
		"ada@lovelace.org withdrew the invitation of eve@evil.example",
	)

	// Clients: revoked by their person, by the operator, by the service; ended with a
	// membership by leaving, by being removed, and by deleting the account.
	redeem := func(c client, code string) error {
		_, err := s.store.OAuth.RedeemCode(ctx, store.CodeExchange{
			Code: hashOf(code), ClientID: c.id, Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
			Access: hashOf("access"), Refresh: hashOf("refresh"),
		})
		return err
	}
	allow(ada, "Claude")
	post(ada, w+"/clients/revoke", url.Values{"grant": {grantOf(m.Account()).String()}})
	allow(dora, "Codex")
	must(s.store.OAuth.RevokeGrant(ctx, uuid.Nil, grantOf(uuid.MustParse(s.account(t, "dora@work.example")))))
	made, code := allow(dora, "Gemini")
	must(redeem(made, code))
	if err := redeem(made, code); err == nil {
		t.Error("a code was good twice")
	}
	tells(
		"ada@lovelace.org allowed the client Claude",
		"ada@lovelace.org ended the access of Claude",
		"dora@work.example allowed the client Codex",
		"The operator ended the access of Codex for dora@work.example",
		"dora@work.example allowed the client Gemini",
		"The service ended the access of Gemini for dora@work.example: replay of a code",
	)
	allow(dora, "Codex")
	post(ada, w+"/members/remove", url.Values{"member": {s.account(t, "dora@work.example")}})
	allow(carla, "Claude")
	carlaAccount := uuid.MustParse(s.account(t, "carla@home.example"))
	left, err := s.store.Members.Member(ctx, carlaAccount, "engine")
	must(err)
	must(s.store.Members.EndMembership(ctx, left, carlaAccount))
	b, err := s.store.Members.Member(ctx, bob, "engine")
	must(err)
	s.publish(t, b, "till", "Till")
	tells(
		"dora@work.example allowed the client Codex",
		"ada@lovelace.org ended the access of Codex for dora@work.example, who left the workspace",
		"ada@lovelace.org removed dora@work.example",
		"carla@home.example allowed the client Claude",
		"carla@home.example ended the access of Claude by leaving the workspace",
		"carla@home.example left the workspace",
		"bob@lovelace.org published dashboard till",
	)
	trust, err := s.store.OAuth.AddTrust(ctx, m, store.Trust{Issuer: "https://ci.example", Audience: "a", Subject: "repo:engine/x"})
	must(err)
	must(s.store.OAuth.RemoveTrust(ctx, trust.ID))
	tells(
		"The operator lets tokens of https://ci.example act for ada@lovelace.org",
		"The operator ended that tokens of https://ci.example act for ada@lovelace.org",
	)
	post(ada, w+"/members/group", url.Values{"group": {"Team"}, "role": {"editor"}})
	joins := func(groups ...string) {
		_, err := s.store.Accounts.EnsureAccount(ctx,
			store.Identity{Issuer: "i", Subject: "gus", Name: "Gus", Provided: store.Provided{Groups: groups}})
		must(err)
	}
	joins("Team")
	must(s.store.Members.MapGroup(ctx, uuid.Nil, "engine", "Team", store.RoleViewer))
	joins()
	post(ada, w+"/members/group/remove", url.Values{"group": {"Team"}})
	tells(
		"ada@lovelace.org gave the group Team the role editor",
		"Gus joined as editor",
		"The operator gave the group Team the role viewer",
		"The identity provider made Gus a viewer",
		"The identity provider removed Gus",
		"ada@lovelace.org removed the group Team",
	)
	must(s.store.Accounts.DeleteAccount(ctx, bob, bob))
	tells("bob@lovelace.org deleted their account")
	_, err = s.store.Members.AddMember(ctx, uuid.Nil, "engine", "carla@home.example", store.RoleEditor)
	must(err)
	allow(carla, "Claude")
	must(s.store.Accounts.DeleteAccount(ctx, uuid.Nil, carlaAccount))
	tells(
		"The operator added carla@home.example as editor",
		"A deleted account allowed the client Claude",
		"The operator ended the access of Claude for carla@home.example, who left the workspace",
		"The operator deleted the account of carla@home.example",
	)

	// The page has the same sentences, but no longer has the names of deleted accounts.
	page := html.UnescapeString(ada.get(w + "/audit").want(http.StatusOK).body)
	for _, sentence := range told[max(0, len(told)-eventsPerPage):] {
		if _, deed, _ := strings.Cut(sentence, " "); !strings.Contains(page, deed) {
			t.Errorf("the page lacks %s", sentence)
		}
	}

	// The actions above include every action that the store logs.
	sources, err := filepath.Glob("../../store/*.go")
	must(err)
	for _, file := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		must(err)
		for _, found := range auditedAction.FindAllSubmatch(source, -1) {
			actions[string(found[1])] = actions[string(found[1])]
		}
	}
	delete(actions, "workspace.delete") // deleted with its log
	for _, action := range slices.Sorted(maps.Keys(actions)) {
		if !actions[action] {
			t.Errorf("no deed of this test is %s: add one, and its sentence", action)
		}
	}
}

// An event links to its subject as long as the reader can open that, and names the client that acted for the person, also in the export.
func TestAuditLeadsToItsSubject(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, m := s.owner(t, "ada@lovelace.org", "engine")
	const w = "/w/engine"
	c := s.register(t, "=Claude Code", "http://127.0.0.1:4000/callback")
	_, handle := ada.authorize(c)
	back, err := url.Parse(ada.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).
		want(http.StatusSeeOther).header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.OAuth.RedeemCode(t.Context(), store.CodeExchange{
		Code: hashOf(back.Query().Get("code")), ClientID: c.id, Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
		Access: hashOf("access"), Refresh: hashOf("refresh"),
	}); err != nil {
		t.Fatal(err)
	}
	g, err := s.store.OAuth.Verify(t.Context(), hashOf("access"))
	if err != nil {
		t.Fatal(err)
	}
	s.publish(t, g.Member, "sales", "Sales")
	s.publish(t, m, "gone", "Gone")
	ada.post(w+"/d/gone/delete", nil)
	file := ada.send(w+"/uploads", "rain.csv", "n\n1\n").want(http.StatusOK).url.Path
	if _, err := s.store.Dashboards.UpdateDashboard(t.Context(), m, "sales", store.Update{NewSlug: new("revenue")}); err != nil {
		t.Fatal(err)
	}
	page := ada.get(w+"/audit").want(http.StatusOK,
		`<a class="event" href="/w/engine/d/revenue">ada@lovelace.org published dashboard sales</a>`, "through =Claude Code",
		`<a class="event" href="`+file+`">ada@lovelace.org uploaded rain.csv</a>`,
		`<a class="event" href="/w/engine/clients">ada@lovelace.org allowed the client`).lacks("/d/gone")
	if n := strings.Count(page.body, "through "); n != 1 {
		t.Errorf("%d events are a client's, want 1", n)
	}
	ada.get(w+"/audit.csv").want(http.StatusOK, "at,who,action,subject,detail,client", ",'=Claude Code")

	// A subject that only another member can open has no link.
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	s.signIn(t, "bob@lovelace.org").get(w+"/audit").want(http.StatusOK, "uploaded rain.csv", `href="/w/engine/d/revenue"`).lacks(file)
}

// TestMembersReadTheirPartOfTheLog: only owners see the targets and sizes of channels and the recipients of dashboards, on the page
// and in the file. Members see their own actions.
func TestMembersReadTheirPartOfTheLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	ada, m := s.owner(t, "ada@lovelace.org", "engine")
	bob := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.Members.AddMember(ctx, m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	account, err := s.store.Accounts.AccountByEmail(ctx, "bob@lovelace.org")
	if err != nil {
		t.Fatal(err)
	}
	edit := store.ChannelEdit{Slug: "ops", Kind: channel.Slack, Name: "Operations", URL: "https://hooks.secret-chat.example/services/T/B/x"}
	if _, _, err := s.store.Messages.AddChannel(ctx, m, edit); err != nil {
		t.Fatal(err)
	}
	edit.URL = "https://hooks.other-chat.example/services/T/B/y"
	if _, _, err := s.store.Messages.UpdateChannel(ctx, m, "ops", edit); err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"add", "change", "end", "allow"} {
		for slug, by := range map[string]uuid.UUID{"hers": m.Account(), "his": account.ID} {
			s.exec(t, `INSERT INTO audit (id, workspace_id, account_id, action, subject, detail, at)
				VALUES (gen_random_uuid(), $1, $2, $3, $4, '{"every": "day", "channel": "ops"}', now())`,
				m.WorkspaceID(), by, "subscription."+action, slug+"-"+action)
		}
	}
	for _, path := range []string{
		"/w/engine/audit", "/w/engine/audit.csv", "/w/engine/audit?kind=subscription", "/w/engine/audit?kind=channel",
		"/w/engine/audit.csv?who=" + m.Account().String(),
	} {
		of := func(p *person) string { return p.get(path).want(http.StatusOK).body }
		owner, member := of(ada), of(bob)
		for _, word := range []string{"-chat.example", "hers-add", "hers-change", "hers-end", "hers-allow", `""members""`, `""target""`} {
			if strings.Contains(member, word) {
				t.Errorf("%s: a member reads %s", path, word)
			}
		}
		if strings.Contains(owner, "his-add") != strings.Contains(member, "his-add") {
			t.Errorf("%s: a member does not read their own", path)
		}
		if strings.HasSuffix(path, ".csv") && (!strings.Contains(owner, "hooks.secret-chat.example") || !strings.Contains(owner, "hers-add")) {
			t.Errorf("%s: an owner does not read all:\n%s", path, owner)
		}
	}
}
