package notify_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store"
	"service/store/channel"
	"service/store/dashboard"
)

// Row rules apply to messages: each recipient of a mail, also of a channel, gets their own rows, with pictures and files; a channel gets
// the rows that the spec names for it, and a channel that the spec does not name gets nothing; an alert, which is judged over all rows, is
// not sent to anybody who may read only some of them.
func TestDeliveriesObeyRowRules(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	bo, cy, no := p.member(t, "bo@example.com"), p.member(t, "cy@example.com"), p.member(t, "no@example.com")
	for m, country := range map[store.Member]string{bo: "France", cy: "Germany"} {
		if err := p.Members.SetAttribute(t.Context(), p.owner, m.Account(), "country", []string{country}); err != nil {
			t.Fatal(err)
		}
	}
	posted := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a test server reads the message
		posted <- string(body)
	}))
	t.Cleanup(hook.Close)
	add := func(e store.ChannelEdit) store.Channel {
		t.Helper()
		c, _, err := p.Messages.AddChannel(t.Context(), p.owner, e)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	named := add(store.ChannelEdit{Slug: "hook", Name: "Hook", Kind: "webhook", URL: hook.URL})
	other := add(store.ChannelEdit{Slug: "other", Name: "Other", Kind: "webhook", URL: hook.URL})
	team := add(store.ChannelEdit{
		Slug: "team", Name: "Team", Kind: channel.Mail, Members: []uuid.UUID{bo.Account(), cy.Account(), no.Account(), p.owner.Account()},
	})
	text := strings.TrimSuffix(spec("Sales", "en-US", `{"column": "country"}`), "}") +
		`, "access": [{"column": "country", "is": "member.country", "channels": {"hook": ["Germany"]}}]}`
	p.publish(t, "sales", text)
	later := weekly // so that the workspace has a slot for each message
	later.Minute += 5
	for c, rhythm := range map[uuid.UUID]dashboard.Rhythm{named.ID: weekly, other.ID: weekly, team.ID: later} {
		if err := p.Messages.Subscribe(t.Context(), p.owner, "sales", store.Wish{Rhythm: rhythm, Channel: c, Attach: "csv"}); err != nil {
			t.Fatal(err)
		}
	}
	p.at(t, "2026-11-23T07:00:02Z")
	p.deliver(t, 2)
	outcomes := p.send(t, 2)
	if slices.Sort(outcomes); !slices.Equal(outcomes, []string{"failed", "sent"}) {
		t.Errorf("posts: %v", outcomes)
	}
	p.at(t, "2026-11-23T07:05:02Z")
	p.deliver(t, 1)
	if got := p.send(t, 4); !slices.Equal(got, []string{"sent", "sent", "sent", "sent"}) {
		t.Errorf("mails: %v", got)
	}
	check := func(who, got string, may ...string) {
		t.Helper()
		for _, country := range []string{"France", "Germany", "Italy"} {
			if strings.Contains(got, country) != slices.Contains(may, country) {
				t.Errorf("%s: has rows of %s: %v\n%s", who, country, strings.Contains(got, country), got)
			}
		}
		if len(may) < 3 && strings.Contains(got, "66,570") {
			t.Errorf("%s: has the sum of all rows", who)
		}
	}
	letters := p.letters(t)
	whole := func(to string) string {
		l, ok := letters[to]
		if !ok {
			t.Fatalf("no mail to %s", to)
		}
		out := l.text + l.html
		for name, file := range l.files {
			if strings.HasSuffix(name, ".csv") {
				out += string(file)
			}
		}
		return out
	}
	check("bo", whole("bo@example.com"), "France")
	check("cy", whole("cy@example.com"), "Germany")
	check("somebody without an attribute", whole("no@example.com"))
	check("the owner", whole("ada@example.com"), "France", "Germany", "Italy")
	pictures := map[string]string{} // by the recipient
	for to, l := range letters {
		picture := string(l.files["page@dashboard"])
		if picture == "" { // a mail goes without one while many are drawn
			continue
		}
		for other, same := range pictures {
			if picture == same {
				t.Errorf("%s and %s have the same picture", to, other)
			}
		}
		pictures[to] = picture
	}
	if len(pictures) < 2 {
		t.Errorf("%d pictures for 4 recipients", len(pictures))
	}
	check("the channel that the spec names", <-posted, "Germany")
	select {
	case got := <-posted:
		t.Errorf("a channel that the spec does not name gets %s", got)
	default:
	}

	// Alerts.
	d, err := p.Dashboards.Dashboard(t.Context(), p.owner, "sales")
	if err != nil {
		t.Fatal(err)
	}
	notice := store.Notice{
		Alert: "high", Title: "High", Severity: "warning", Event: store.NoticeFired, Sentence: "The sum is 66,570.", Locale: "en-US",
	}
	queue := func(to store.Message) {
		t.Helper()
		to.Workspace, to.Kind, to.Dashboard, to.Body = p.owner.WorkspaceID(), store.MessageAlert, d.ID, notice
		if err := pgx.BeginFunc(t.Context(), p.pool, func(tx pgx.Tx) error {
			return p.Messages.QueueMessages(t.Context(), tx, []store.Message{to})
		}); err != nil {
			t.Fatal(err)
		}
	}
	queue(store.Message{Account: bo.Account()})
	queue(store.Message{Channel: named.ID})
	queue(store.Message{Channel: other.ID})
	if got := p.send(t, 3); !slices.Equal(got, []string{"failed", "failed", "failed"}) {
		t.Errorf("alerts to readers of some of the rows: %v", got)
	}
	queue(store.Message{Account: p.owner.Account()})
	if got := p.send(t, 1); !slices.Equal(got, []string{"sent"}) {
		t.Errorf("an alert to the owner: %v", got)
	}
	select {
	case got := <-posted:
		t.Errorf("a channel gets an alert over all rows: %s", got)
	default:
	}
}
