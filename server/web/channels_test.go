package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
	"service/store/storetest"
)

// Owners add, test, change, mute and delete channels. The URL is never shown again, and the key is shown once.
func TestChannels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@x.org", "engine")
	const at = "/w/engine/channels"
	p.get(at).want(http.StatusOK, "No channels yet", "kind=slack")
	p.get(at+"/new?kind=webhook").want(http.StatusOK, `type="url"`)
	p.get(at + "/new?kind=pigeon").want(http.StatusNotFound)

	const secret = "https://hooks.x.org/open-sesame"
	p.post(at, url.Values{"kind": {"slack"}, "name": {""}, "slug": {"ops"}, "url": {secret}}).
		want(http.StatusUnprocessableEntity, "name must be a non-empty string")
	p.post(at, url.Values{"kind": {"slack"}, "name": {"Ops"}, "slug": {"new"}, "url": {secret}}).
		want(http.StatusUnprocessableEntity, "is reserved")
	p.post(at, url.Values{"kind": {"slack"}, "name": {"Ops"}, "slug": {"ops"}, "url": {secret}}).
		want(http.StatusOK, "Not tested yet", "hooks.x.org")
	hook := p.post(at, url.Values{"kind": {"webhook"}, "name": {"Hook"}, "slug": {"broken-hook"}, "url": {secret}}).
		want(http.StatusOK, "whsec_")
	if !strings.Contains(hook.body, "Copy it now") {
		t.Error("the page does not say that the key is shown once")
	}
	p.post(at, url.Values{"kind": {"mail"}, "name": {"Team"}, "slug": {"team"}}).
		want(http.StatusUnprocessableEntity, "members must not be empty")
	p.post(at, url.Values{"kind": {"mail"}, "name": {"Team"}, "slug": {"team"}, "members": {s.account(t, "ada@x.org")}}).
		want(http.StatusOK, "checked", "ada@x.org")

	p.post(at+"/ops/test", nil).want(http.StatusOK, "The test has arrived.", "Works")
	p.post(at+"/team/test", nil).want(http.StatusOK, "sent only to you")
	p.post(at+"/broken-hook/test", nil).want(http.StatusOK, "The test did not arrive.", "The receiver refused the message (404).", "Fails")
	p.post(at+"/ops/mute", url.Values{"for": {"1h"}}).want(http.StatusOK, "Muted until", "Unmute")
	p.post(at+"/ops/mute", url.Values{"for": {"ever"}}).want(http.StatusNotFound)
	p.post(at+"/ops", url.Values{"name": {"Operations"}, "url": {""}}).want(http.StatusOK, "Operations", "hooks.x.org")
	again := p.post(at+"/broken-hook", url.Values{"name": {"Hook"}, "key": {"new"}}).want(http.StatusOK, "whsec_")
	if again.body == hook.body {
		t.Error("the key is the same")
	}
	for _, path := range []string{at, at + "/ops", at + "/broken-hook"} {
		if body := p.get(path).want(http.StatusOK).body; strings.Contains(body, "sesame") || strings.Contains(body, "whsec_") {
			t.Errorf("%s shows a secret", path)
		}
	}
	p.post(at+"/ops/delete", nil).want(http.StatusOK, "The channel Operations is deleted.")
	p.get(at + "/ops").want(http.StatusNotFound)
}

// Before a channel is deleted, its page lists the dashboards that use it and the
// consequences for them.
func TestDeletingAChannelSaysWhoUsesIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@x.org", "engine")
	const at = "/w/engine/channels"
	p.post(at, url.Values{"kind": {"slack"}, "name": {"Ops"}, "slug": {"ops"}, "url": {"https://hooks.x.org/x"}}).want(http.StatusOK)
	p.post(at, url.Values{"kind": {"slack"}, "name": {"Other"}, "slug": {"other"}, "url": {"https://hooks.x.org/x"}}).want(http.StatusOK)
	p.get(at+"/ops").want(http.StatusOK, "No dashboard uses it.")
	spec := func(slug, more string) {
		t.Helper()
		content := []byte(`{"datasets": [{"id": "d", "sql": "SELECT 1 AS n"}], "panels": [{"type": "kpi", "value": "n"}], ` + more + `}`)
		if _, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
			Slug: slug, Filename: "index.html", DefaultName: "The <b>" + slug + "</b>", DefaultChart: "kpi", Spec: storetest.Spec(content),
			ContentType: "application/json", Definitions: map[string][]byte{"d": []byte(slug)}, Panels: 1,
			Content: content,
		}); err != nil {
			t.Fatal(err)
		}
	}
	spec("alerts", `"alerts": [{"id": "a", "failing": true, "to": ["other", "ops"]}, {"id": "b", "failing": true, "to": "ops"}]`)
	spec("both", `"alerts": [{"id": "a", "failing": true, "to": "ops"}], "deliver": [{"to": "ops", "every": "refresh"}]`)
	spec("none", `"alerts": [{"id": "a", "failing": true, "to": "other"}], "deliver": [{"to": "other", "every": "refresh"}]`)
	body := p.get(at+"/ops").want(http.StatusOK, `/w/engine/d/alerts"><bdi>The &lt;b&gt;alerts`, "2 alerts", `/w/engine/d/both"`, "1 delivery",
		"Deliveries to this channel end.").lacks(`/w/engine/d/none"`, "No dashboard uses it.").body
	if strings.Count(body, "1 alert<") != 1 && !strings.Contains(body, "1 alert ·") {
		t.Error("the alert of the second dashboard is not counted")
	}
	uses, all, err := s.store.Messages.ChannelUses(t.Context(), m, "ops", 1)
	if err != nil || all != 2 || len(uses) != 1 || uses[0] != (store.ChannelUse{Slug: "alerts", Name: "The <b>alerts</b>", Alerts: 2}) {
		t.Errorf("%+v of %d, %v", uses, all, err)
	}
	p.post(at+"/ops/delete", nil).want(http.StatusOK, "The channel Ops is deleted.")
	p.get("/w/engine/alerts").want(http.StatusOK, "There is no channel called ops.")
}

// Members see the list of channels and nothing else.
func TestMembersSeeChannels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@x.org", "engine")
	bob := s.signIn(t, "bob@x.org")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@x.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.store.Messages.AddChannel(t.Context(), m, store.ChannelEdit{
		Slug: "ops", Kind: channel.Slack, Name: "Ops", URL: "https://hooks.x.org/x",
	}); err != nil {
		t.Fatal(err)
	}
	const at = "/w/engine/channels"
	for _, path := range []string{at, at + "/ops"} {
		body := bob.get(path).want(http.StatusOK, "Ops", "ops").body
		if strings.Contains(body, "hooks.x.org") || strings.Contains(body, "Send a test") {
			t.Errorf("%s shows a member what is for owners", path)
		}
	}
	bob.get(at + "/new?kind=slack").want(http.StatusNotFound)
	for _, path := range []string{at, at + "/ops", at + "/ops/test", at + "/ops/mute", at + "/ops/delete"} {
		bob.post(path, url.Values{"kind": {"slack"}, "name": {"Mine"}, "slug": {"mine"}, "url": {"https://evil.example"}, "for": {"1w"}}).
			want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its channels.")
	}
}

// The link of a mail unsubscribes without a sign-in, if the button is pressed or the mail program sends a POST,
// and not if it is only followed. A forged link does nothing.
func TestLeaveChannel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@x.org", "engine")
	c, _, err := s.store.Messages.AddChannel(t.Context(), m, store.ChannelEdit{
		Slug: "team", Kind: channel.Mail, Name: "Team", Members: []uuid.UUID{m.Account()},
	})
	if err != nil {
		t.Fatal(err)
	}
	members := func(want int) {
		t.Helper()
		if c, err = s.store.Messages.Channel(t.Context(), m, "team"); err != nil || len(c.Members) != want {
			t.Fatalf("%d members, want %d (%v)", len(c.Members), want, err)
		}
	}
	token := s.store.Messages.LeaveToken(store.OutMessage{Workspace: m.WorkspaceID(), Channel: &c, Recipient: store.Account{ID: m.Account()}})
	other := s.store.Messages.LeaveToken(store.OutMessage{Workspace: m.WorkspaceID(), Channel: &c, Recipient: store.Account{ID: uuid.New()}})
	p := s.browser(t)
	for _, forged := range []string{"", "x", token[:len(token)-4], other, token[:20] + "AAAA" + token[24:]} {
		p.post("/channels/leave?token="+forged, nil).want(http.StatusNotFound, "no longer works")
	}
	p.get("/channels/leave?token="+token).want(http.StatusOK, "Team", "Unsubscribe")
	members(1)
	p.post("/channels/leave?token="+token, url.Values{"List-Unsubscribe": {"One-Click"}}).
		want(http.StatusOK, "You will no longer receive e-mails")
	members(0)
	p.get("/channels/leave?token=" + token).want(http.StatusNotFound)
}
