package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/storetest"
)

// filtered publishes a dashboard with a filter, in a time zone.
func (s *site) filtered(t *testing.T, m store.Member, slug string) {
	t.Helper()
	content := []byte(`{"version": 1, "title": "Sales", "timezone": "Europe/Berlin",
			"datasets": [{"id": "orders", "sql": "SELECT day, country, amount FROM orders"}],
			"filters": [{"column": "country", "label": "Where"}, {"column": "day"}],
			"panels": [{"type": "table", "columns": ["day", "amount"]}]}`)
	if _, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", DefaultName: "Sales", DefaultChart: "line", Spec: storetest.Spec(content),
		ContentType: "application/json",
		Content:     content,
		Definitions: map[string][]byte{"orders": []byte(slug)}, Panels: 1,
	}); err != nil {
		t.Fatal(err)
	}
}

// A member subscribes to a dashboard with the current filters, changes the time, and ends
// the subscription.
func TestSendMeThis(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.filtered(t, m, "sales")
	base := "/w/engine/d/sales"
	p.get(base).want(http.StatusOK, "Send me this")
	form := p.get(base+"/send?f.country=DE&f.country=F%26R&f.day.from=2026-01-01&f.day.to=2026-02-01&f.gone=1&panel=2").
		want(http.StatusOK, "Where: DE, F&amp;R", "2026-01-01 – 2026-02-01", "Europe/Berlin", "Me, ada@lovelace.org", "no refresh schedule").
		lacks(">Channel ")
	_, rest, _ := strings.Cut(form.body, `name="query" value="`)
	query, _, _ := strings.Cut(rest, `"`)
	query = strings.ReplaceAll(query, "&amp;", "&")
	if strings.Contains(query, "panel") {
		t.Error(query)
	}
	listed := p.post(base+"/send", url.Values{"rhythm": {"weekly-1"}, "at": {"08:00"}, "attach": {"csv"}, "changed": {"1"}, "query": {query}}).
		want(http.StatusOK, "Weekly on Monday at 08:00 (Europe/Berlin)", "only when something has changed",
			"with a file: csv", "Where: DE, F&amp;R",
			"<strong>You</strong>")
	own := base + "/send/" + between(t, listed.body, base+"/send/", `">Change</a>`)
	p.get(own).want(http.StatusOK, `value="weekly-1" selected`, `value="csv" selected`, `value="1" checked`, "Where: DE, F&amp;R")
	p.post(own, url.Values{"rhythm": {"monthly-31"}, "at": {"17:30"}}).
		want(http.StatusOK, "Monthly on the last day at 17:30 (Europe/Berlin)", "Where: DE, F&amp;R").lacks("with a file", "only when")
	p.post(own, url.Values{"rhythm": {"refresh"}, "at": {""}}).want(http.StatusOK, "After each refresh")

	for field, f := range map[string]url.Values{
		"rhythm": {"rhythm": {"weekly-7"}, "at": {"08:00"}},
		"at":     {"rhythm": {"daily"}, "at": {"8 o'clock"}},
		"attach": {"rhythm": {"daily"}, "at": {"08:00"}, "attach": {"exe"}},
		"to":     {"rhythm": {"daily"}, "at": {"08:00"}, "to": {"ops@example.com"}},
	} {
		p.post(base+"/send", f).want(http.StatusUnprocessableEntity, `id="`+field+`-problem"`)
	}
	p.post(base+"/send", url.Values{"rhythm": {"daily"}, "at": {"08:00"}, "to": {uuid.NewString()}}).want(http.StatusNotFound)

	// Nobody else can see, change or end it.
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bo@x.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	bo := s.signIn(t, "bo@x.org")
	bo.get(base).want(http.StatusOK).lacks("After each refresh", own)
	for _, to := range []string{own, own + "/end", own + "/allow"} {
		bo.post(to, url.Values{"rhythm": {"daily"}, "at": {"08:00"}}).want(http.StatusNotFound)
	}
	bo.get(own).want(http.StatusNotFound)
	eve, _ := s.owner(t, "eve@x.org", "lair")
	eve.get(base + "/send").want(http.StatusNotFound)
	eve.post(base+"/send", url.Values{"rhythm": {"daily"}, "at": {"08:00"}}).want(http.StatusNotFound)

	p.post(own+"/end", nil).want(http.StatusOK, "It is no longer sent.").lacks("After each refresh")
	p.get("/w/engine/audit?kind=subscription").want(http.StatusOK, "ada@lovelace.org subscribed to dashboard sales",
		"ada@lovelace.org changed when dashboard sales is sent", "ada@lovelace.org unsubscribed from dashboard sales")

	if _, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: "notes", Filename: "index.html", DefaultName: "n", DefaultChart: "document", ContentType: "text/markdown",
		Content: []byte("# Notes"),
	}); err != nil {
		t.Fatal(err)
	}
	p.get("/w/engine/d/notes").want(http.StatusOK).lacks("Send me this")
	p.get("/w/engine/d/notes/send").want(http.StatusUnprocessableEntity, "static")
}

// Owners subscribe channels to a dashboard; members see that.
func TestSendToChannels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.filtered(t, m, "sales")
	base, channel := "/w/engine/d/sales", uuid.NewString()
	s.exec(t, `INSERT INTO channel (workspace_id, id, slug, name, kind, created_at) VALUES ($1, $2, 'team', 'The <team>', 'mail', now())`,
		m.WorkspaceID(), channel)
	p.get(base+"/send").want(http.StatusOK, "Channel The &lt;team&gt;", channel)
	listed := p.post(base+"/send", url.Values{"rhythm": {"daily"}, "at": {"07:15"}, "to": {channel}}).
		want(http.StatusOK, "Every day at 07:15 (Europe/Berlin)", "The &lt;team&gt;")
	own := base + "/send/" + between(t, listed.body, base+"/send/", `">Change</a>`)

	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bo@x.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	bo := s.signIn(t, "bo@x.org")
	bo.get(base).want(http.StatusOK, "Every day at 07:15 (Europe/Berlin)").lacks(own)
	bo.get(base+"/send").want(http.StatusOK).lacks("Channel The", channel)
	const owners = "Only an owner of the workspace decides what its channels are sent."
	bo.post(base+"/send", url.Values{"rhythm": {"daily"}, "at": {"08:00"}, "to": {channel}}).want(http.StatusUnprocessableEntity, owners)
	bo.post(own+"/end", nil).want(http.StatusUnprocessableEntity, owners)
	p.post(own+"/end", nil).want(http.StatusOK).lacks("07:15")
}

// The link of a mail works for everybody who has it: opening it changes nothing, the button ends the subscription, and so does the request
// of a mail program.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.filtered(t, m, "sales")
	base := "/w/engine/d/sales"
	subscription := func() string {
		listed := p.post(base+"/send", url.Values{"rhythm": {"daily"}, "at": {"08:00"}}).want(http.StatusOK, "Every day at 08:00")
		id, err := uuid.Parse(between(t, listed.body, base+"/send/", `">Change</a>`))
		if err != nil {
			t.Fatal(err)
		}
		return "/unsubscribe?token=" + s.store.Messages.UnsubscribeToken(m.WorkspaceID(), id, uuid.Nil)
	}
	to := subscription()
	stranger := s.browser(t) // without any cookie
	stranger.get(to).want(http.StatusOK, "You receive the dashboard <strong>Sales</strong> of Engine", "<button").lacks("ada@")
	p.get(base).want(http.StatusOK, "Every day at 08:00")
	stranger.post(to, nil).want(http.StatusOK, "You are unsubscribed", "Sales is no longer sent to you")
	p.get(base).want(http.StatusOK).lacks("Every day at 08:00")
	stranger.get(to).want(http.StatusOK, "It had already ended").lacks("<button class")
	stranger.post(to, nil).want(http.StatusOK, "It had already ended")

	one := subscription()
	stranger.post(one, url.Values{"List-Unsubscribe": {"One-Click"}}).want(http.StatusOK)
	p.get(base).want(http.StatusOK).lacks("Every day at 08:00")

	kept := subscription()
	for _, forged := range []string{"/unsubscribe", "/unsubscribe?token=x", kept[:len(kept)-2] + "AA", strings.Replace(kept, "=A", "=B", 1)} {
		if forged == kept {
			continue
		}
		stranger.get(forged).want(http.StatusNotFound)
		stranger.post(forged, nil).want(http.StatusNotFound)
	}
	p.get(base).want(http.StatusOK, "Every day at 08:00")
}
