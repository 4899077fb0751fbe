package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/storetest"
)

// A delivery that a spec proposes is sent if an owner publishes it. A member's waits for an owner's approval; a publish does not restart a
// delivery that an owner has ended; and a delivery that is no longer in the spec has ended.
func TestProposals(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	ctx := t.Context()
	bo := c.member(t, "bo@example.com")
	proposing := func(deliveries string) string {
		return strings.Replace(sales, `"panels"`, `"deliver": [`+deliveries+`], "panels"`, 1)
	}
	const team, ops = `{"to": "team", "every": "daily", "at": "08:00"}`, `{"to": "ops", "every": "refresh", "attach": "csv"}`
	publish := func(m store.Member, deliveries string) error {
		_, err := c.Dashboards.Publish(ctx, m, store.Publication{
			Slug: "sales", Filename: "index.html", DefaultName: "Sales", DefaultChart: "kpi", Spec: storetest.Spec([]byte(proposing(deliveries))),
			ContentType: "application/json", Content: []byte(proposing(deliveries)), Definitions: map[string][]byte{"d": []byte("same")}, Panels: 1,
		})
		return err
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	state := func(want ...string) []store.Subscription {
		t.Helper()
		var got []string
		all := c.subscriptions(t, bo, "sales")
		for _, u := range all {
			line := u.ChannelSlug + " waits"
			if u.Allowed {
				line = u.ChannelSlug + " allowed"
			}
			if u.DueAt != nil {
				line += " " + u.DueAt.Format(time.RFC3339)
			}
			got = append(got, line)
		}
		same(t, "proposals", got, want...)
		return all
	}
	refusal(t, publish(c.owner, team),
		`deliver[0].to: there is no channel "team" in the workspace. Owners make channels in the web application.`)
	c.mailChannel(t, "team", bo)
	lair := c.workspace(t, c.account(t, "eve@example.com"), "lair")
	if _, err := c.pool.Exec(ctx, `
		INSERT INTO channel (workspace_id, id, slug, name, kind, created_at) VALUES ($1, $2, 'ops', 'ops', 'mail', now())`,
		lair.WorkspaceID(), uuid.New()); err != nil {
		t.Fatal(err)
	}
	refusal(t, publish(c.owner, team+", "+ops),
		`deliver[1].to: there is no channel "ops" in the workspace. Owners make channels in the web application.`)
	ids := c.mailChannel(t, "ops")

	must(publish(bo, team))
	all := state("team waits")
	must(publish(bo, team+`, {"to": "ops", "every": "refresh"}`))
	state("team waits", "ops waits")
	c.refresh(t, c.owner, "sales", 3) // which sends only what was allowed
	same(t, "proposed alone", c.sent(t))
	refusal(t, c.Messages.AllowSubscription(ctx, bo, "sales", all[0].ID), "Only an owner of the workspace decides what its channels are sent.")
	must(publish(c.owner, team)) // the same again: an owner who publishes something else has not looked at it
	state("team waits")
	must(c.Messages.AllowSubscription(ctx, c.owner, "sales", all[0].ID))
	state("team allowed 2026-11-02T07:00:00Z")
	must(publish(c.owner, team+", "+ops))
	all = state("team allowed 2026-11-02T07:00:00Z", "ops allowed")
	refusal(t, c.Messages.ChangeSubscription(ctx, c.owner, "sales", all[0].ID, store.Wish{Rhythm: refresh}),
		"The spec of the dashboard says what this channel is sent: deliver in it changes that.")
	must(c.Messages.EndSubscription(ctx, c.owner, "sales", all[0].ID))
	must(publish(c.owner, team+", "+ops))
	state("team waits", "ops allowed")

	// A new time zone applies to proposals too.
	c.refresh(t, c.owner, "sales", 1)
	same(t, "sent", c.sent(t), "ops sales 02 05:00 csv")
	must(publish(bo, ops))
	state("ops allowed")

	// A role that was lost counts at once: the member value is from before.
	c.member(t, "di@example.com")
	must(c.Members.SetRole(ctx, c.owner, bo.Account(), store.RoleOwner))
	must(c.Members.SetRole(ctx, c.owner, bo.Account(), store.RoleEditor))
	must(publish(bo, ops+`, {"to": "team", "every": "weekly", "on": "mon", "at": "08:00"}`))
	state("ops allowed", "team waits")

	// Restoring a version whose channel is gone restores the rest.
	versions, err := c.Dashboards.Versions(ctx, c.owner, "sales")
	must(err)
	if _, err := c.pool.Exec(ctx, `DELETE FROM channel WHERE id = $1`, ids); err != nil {
		t.Fatal(err)
	}
	state("team waits")
	_, err = c.Dashboards.RestoreVersion(ctx, c.owner, "sales", versions[len(versions)-1].ID)
	must(err)
	state("team allowed 2026-11-02T07:00:00Z")
	_, err = c.Dashboards.RestoreVersion(ctx, bo, "sales", versions[0].ID)
	must(err)
	state("team waits")

	// A document proposes nothing.
	c.note(t, "sales", "# Sales")
	state()
}
