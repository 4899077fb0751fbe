package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store"
	"service/store/channel"
	"service/store/storetest"
)

// meSpec names "me" in an alert and in a delivery.
const meSpec = `{"version": 1, "title": "Sales", "timezone": "UTC", "datasets": [{"id": "d", "sql": "SELECT n, n AS day FROM t"}],
	"alerts": [{"id": "bad", "failing": true, "to": ["me"]}],
	"deliver": [{"to": "me", "every": "monthly", "on": "first monday", "at": "08:00"}],
	"panels": [{"type": "table", "columns": ["n"]}]}`

// me publishes a spec, as an edit of the one before or whole.
func (b bench) me(t *testing.T, m store.Member, content string, edit bool) store.Published {
	t.Helper()
	p, err := b.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: "sales", Filename: "index.html", DefaultName: "Sales", DefaultChart: "kpi", ContentType: "application/json",
		Spec: storetest.Spec([]byte(content)), Content: []byte(content),
		Definitions: map[string][]byte{"d": []byte("same")}, Panels: 1, Edit: edit,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// mailed are the addresses of the members to whom messages wait, once each.
func (b bench) mailed(t *testing.T) string {
	t.Helper()
	rows, _ := b.pool.Query(t.Context(), `
		WITH gone AS (DELETE FROM message RETURNING kind, account_id)
		SELECT g.kind || ' ' || a.email FROM gone g JOIN account a ON a.id = g.account_id ORDER BY 1`)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ")
}

// "me" gets the messages of its publisher's spec without an owner's approval; others' edits keep it; a former member gets nothing; and the
// link of a mail ends it, for that member only, also after later publishes.
func TestMe(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-01T05:00:00Z")
	ctx := t.Context()
	bo := c.member(t, "bo@example.com")
	di := c.member(t, "di@example.com")
	fail := func(p store.Published, want string) {
		t.Helper()
		if err := c.judged(t, p, fires("bad", "fired", "=a")); err != nil {
			t.Fatal(err)
		}
		if got := c.mailed(t); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	p := c.me(t, bo, meSpec, false)
	if len(p.Waiting) > 0 {
		t.Errorf("%v wait", p.Waiting)
	}
	c.finish(t, p, 1)
	c.at(t, "2026-11-02T08:00:00Z") // a first Monday
	if _, err := c.Messages.Deliver(ctx); err != nil {
		t.Fatal(err)
	}
	if got := c.mailed(t); got != "delivery bo@example.com" {
		t.Error(got)
	}
	first := p.Dashboard.VersionID
	fail(c.me(t, di, strings.Replace(meSpec, "Sales", "More", 1), true), "alert bo@example.com")
	own := c.own(t, bo, "sales")
	if !own.Proposed || !own.Allowed || own.DueAt.Format(time.RFC3339) != "2026-12-07T08:00:00Z" {
		t.Errorf("%+v", own)
	}
	if all := c.subscriptions(t, di, "sales"); len(all) != 0 {
		t.Errorf("others see %+v", all)
	}
	fail(c.me(t, di, meSpec, false), "alert di@example.com")
	restored, err := c.Dashboards.RestoreVersion(ctx, c.owner, "sales", first)
	if err != nil {
		t.Fatal(err)
	}
	fail(restored, "alert bo@example.com")

	// The links of the mails.
	alert := c.Messages.AlertToken(c.owner.WorkspaceID(), p.Dashboard.ID, "bad", bo.Account())
	own = c.own(t, bo, "sales")
	delivery := c.Messages.UnsubscribeToken(c.owner.WorkspaceID(), own.ID, uuid.Nil)
	for token, name := range map[string]string{alert: "Title of bad · Sales", delivery: "Sales"} {
		u, err := c.Messages.Unsubscription(ctx, token)
		if err != nil || u.Over || u.Name != name || u.Channel {
			t.Errorf("%+v, %v; want %s", u, err, name)
		}
		for range 2 {
			if err := c.Messages.Unsubscribe(ctx, token); err != nil {
				t.Fatal(err)
			}
		}
		if u, err = c.Messages.Unsubscription(ctx, token); err != nil || !u.Over {
			t.Errorf("%+v, %v", u, err)
		}
	}
	for _, token := range []string{
		alert[:len(alert)-2] + "AA", c.Messages.AlertToken(uuid.New(), p.Dashboard.ID, "bad", bo.Account()),
		c.Messages.AlertToken(c.owner.WorkspaceID(), p.Dashboard.ID, "bad", uuid.New()),
	} {
		if u, err := c.Messages.Unsubscription(ctx, token); err == nil && !u.Over {
			t.Errorf("a forged link, or one for nobody, is for %+v", u)
		}
		_ = c.Messages.Unsubscribe(ctx, token)
	}
	fail(c.me(t, bo, strings.Replace(meSpec, "Sales", "Again", 1), true), "")
	if own = c.own(t, bo, "sales"); own.Allowed {
		t.Errorf("a publish begins what was ended: %+v", own)
	}
	if err := c.Messages.AllowSubscription(ctx, c.owner, "sales", own.ID); !errors.Is(err, store.ErrNotFound) { // owners cannot allow it
		t.Error(err)
	}
	if err := c.Messages.AllowSubscription(ctx, bo, "sales", own.ID); err != nil || !c.own(t, bo, "sales").Allowed {
		t.Error(err)
	}
}

// A former member gets no message, and an edit sets "me" anew.
func TestMeLeaves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bo := b.member(t, "bo@example.com")
	p := b.me(t, bo, meSpec, false)
	if err := b.Members.EndMembership(t.Context(), b.owner, bo.Account()); err != nil {
		t.Fatal(err)
	}
	if err := b.judged(t, p, fires("bad", "fired", "=a")); err != nil {
		t.Fatal(err)
	}
	if got := b.mailed(t); got != "" {
		t.Error(got)
	}
	if _, err := b.Dashboards.RestoreVersion(t.Context(), b.owner, "sales", p.Dashboard.VersionID); err != nil {
		t.Errorf("the version of somebody who has left: %v", err)
	}
	if err := b.judged(t, b.me(t, b.owner, strings.Replace(meSpec, "Sales", "More", 1), true), fires("bad", "fired", "=a")); err != nil {
		t.Fatal(err)
	}
	if got := b.mailed(t); got != "alert ada@example.com" {
		t.Error(got)
	}
	_, _, err := b.Messages.AddChannel(t.Context(), b.owner, store.ChannelEdit{
		Slug: "me", Kind: channel.Slack, Name: "Me", URL: "https://hooks.example.com/x",
	})
	refusal(t, err, `slug "me" is reserved`)
}
