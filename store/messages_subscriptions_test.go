package store_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
)

// sales is a spec in a time zone with two filters.
const sales = `{"version": 1, "title": "Sales", "timezone": "Europe/Berlin",
	"datasets": [{"id": "d", "sql": "SELECT n, n AS day FROM t"}], "filters": [{"column": "n"}, {"column": "day"}],
	"panels": [{"type": "table", "columns": ["n"]}]}`

// A calendar is a bench whose clock tests set.
type calendar struct {
	bench
	now *atomic.Int64
}

func (c calendar) at(t testing.TB, text string) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	c.now.Store(at.UnixMicro())
}

func inTime(t testing.TB, text string) calendar {
	t.Helper()
	c := calendar{now: &atomic.Int64{}}
	c.at(t, text)
	c.bench = setup(t, func(o *store.Options) { o.Now = func() time.Time { return time.UnixMicro(c.now.Load()) } })
	return c
}

// refresh performs a refresh of a dashboard that ends with a number of rows, or fails.
func (b bench) refresh(t testing.TB, m store.Member, slug string, rows int) {
	t.Helper()
	trigger, err := b.Refreshes.TriggerRefresh(t.Context(), m, slug)
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Dashboards.Dashboard(t.Context(), m, slug)
	if err != nil {
		t.Fatal(err)
	}
	b.finish(t, store.Published{Dashboard: d, Run: trigger.Run}, rows)
}

var (
	daily   = dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 8 * 60}
	refresh = dashboard.Rhythm{Every: dashboard.EveryRefresh}
)

func (b bench) subscribe(t testing.TB, m store.Member, slug string, w store.Wish) {
	t.Helper()
	if err := b.Messages.Subscribe(t.Context(), m, slug, w); err != nil {
		t.Fatal(err)
	}
}

// sent lists the messages of the outbox: to whom, what for, when it was due.
func (b bench) sent(t testing.TB) []string {
	t.Helper()
	if _, err := b.Messages.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, err := b.pool.Query(t.Context(), `
		SELECT coalesce(a.email, c.slug) || ' ' || d.slug || ' ' || to_char((m.body->>'due')::timestamptz AT TIME ZONE 'UTC', 'DD HH24:MI') ||
		       coalesce(' ' || (m.body->>'query'), '') || coalesce(' ' || (m.body->>'attach'), '')
		  FROM message m JOIN dashboard d ON d.id = m.dashboard_id LEFT JOIN account a ON a.id = m.account_id
		  LEFT JOIN channel c ON c.id = m.channel_id
		 ORDER BY m.queued_at, 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := []string{}
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	return out
}

func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, strings.Join(got, " | "), strings.Join(want, " | "))
	}
}

// A delivery that is due is given to the outbox once, with the filters that the dashboard has, at the
// hour of the spec's time zone.
func TestDeliver(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-03-27T06:00:00Z")
	c.finish(t, c.spec(t, c.owner, "sales", sales), 1)
	c.subscribe(t, c.owner, "sales", store.Wish{
		Rhythm: daily, Query: url.Values{"f.n": {"1", "2"}, "f.day.from": {"2026-01-01"}, "f.gone": {"x"}, "version": {"y"}}, Attach: "csv",
	})
	same(t, "before", c.sent(t))
	c.at(t, "2026-03-27T07:00:00Z")
	const first = "ada@example.com sales 27 07:00 f.day.from=2026-01-01&f.n=1&f.n=2 csv"
	same(t, "at eight", c.sent(t), first)
	same(t, "again", c.sent(t), first)
	c.at(t, "2026-03-28T06:59:59Z")
	c.refresh(t, c.owner, "sales", 2)
	c.at(t, "2026-03-28T07:00:00Z")
	second := strings.Replace(first, "27 07:00", "28 07:00", 1)
	same(t, "the next day", c.sent(t), first, second)
	c.at(t, "2026-03-29T05:59:59Z") // the clock was put forward in the night
	c.refresh(t, c.owner, "sales", 2)
	same(t, "too early", c.sent(t), first, second)
	c.at(t, "2026-03-29T06:00:01Z")
	same(t, "in summer", c.sent(t), first, second, strings.Replace(first, "27 07:00", "29 06:00", 1))
	u := c.own(t, c.owner, "sales")
	if u.DueAt.Format(time.RFC3339) != "2026-03-30T06:00:00Z" || u.Last == nil ||
		u.Last.Outcome != store.DeliverySent || u.Last.State != "queued" {
		t.Errorf("%+v %+v", u, u.Last)
	}
}

// own is the only subscription of a member.
func (b bench) own(t testing.TB, m store.Member, slug string) store.Subscription {
	t.Helper()
	all := b.subscriptions(t, m, slug)
	if len(all) != 1 {
		t.Fatalf("%d subscriptions", len(all))
	}
	return all[0]
}

func (b bench) subscriptions(t testing.TB, m store.Member, slug string) []store.Subscription {
	t.Helper()
	d, err := b.Dashboards.Dashboard(t.Context(), m, slug)
	if err != nil {
		t.Fatal(err)
	}
	all, err := b.Messages.Subscriptions(t.Context(), m, d)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Stale rows are not sent: a due delivery waits for the next refresh that succeeds, at most a day.
func TestDeliverWaitsForARefresh(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	c.finish(t, c.spec(t, c.owner, "sales", sales), 1)
	schedule, err := store.ParseSchedule("daily 06:30", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Refreshes.SetSchedule(t.Context(), c.owner, "sales", schedule); err != nil {
		t.Fatal(err)
	}
	c.subscribe(t, c.owner, "sales", store.Wish{Rhythm: daily})

	c.at(t, "2026-11-02T06:40:00Z")
	c.refresh(t, c.owner, "sales", -1)
	c.at(t, "2026-11-02T07:00:01Z")
	same(t, "the refresh failed", c.sent(t))
	if u := c.own(t, c.owner, "sales"); !u.Waits(time.UnixMicro(c.now.Load()).Add(time.Hour)) {
		t.Errorf("does not wait: %+v", u)
	}
	c.at(t, "2026-11-02T11:00:00Z")
	c.refresh(t, c.owner, "sales", 3)
	const second = "ada@example.com sales 02 07:00"
	same(t, "late", c.sent(t), second)

	c.at(t, "2026-11-03T07:00:01Z") // nothing has refreshed it at half past six
	same(t, "older than the schedule", c.sent(t), second)
	c.at(t, "2026-11-04T06:59:59Z")
	same(t, "for a day", c.sent(t), second)
	c.at(t, "2026-11-04T07:00:01Z")
	same(t, "dropped", c.sent(t), second)
	u := c.own(t, c.owner, "sales")
	if u.Last.Outcome != store.DeliveryDropped || u.DueAt.Format(time.RFC3339) != "2026-11-04T07:00:00Z" {
		t.Errorf("%+v %+v", u, u.Last)
	}
	c.refresh(t, c.owner, "sales", 3)
	same(t, "the next", c.sent(t), second, "ada@example.com sales 04 07:00")

	c.at(t, "2026-11-05T06:45:00Z") // a version that has no rows yet
	p := c.spec(t, c.owner, "sales", strings.Replace(sales, "Sales", "More", 1))
	c.at(t, "2026-11-05T07:00:01Z")
	same(t, "not refreshed yet", c.sent(t), second, "ada@example.com sales 04 07:00")
	c.finish(t, p, 1)
	same(t, "the version's rows", c.sent(t), second, "ada@example.com sales 04 07:00", "ada@example.com sales 05 07:00")
}

// Without a schedule of refreshes, rows are stale that were sent before.
func TestDeliverWithoutASchedule(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	c.finish(t, c.spec(t, c.owner, "sales", sales), 1)
	c.subscribe(t, c.owner, "sales", store.Wish{Rhythm: daily})
	c.at(t, "2026-11-02T07:00:01Z")
	same(t, "first", c.sent(t), "ada@example.com sales 02 07:00")
	c.at(t, "2026-11-03T07:00:01Z")
	same(t, "the same rows", c.sent(t), "ada@example.com sales 02 07:00")
}

// TestDeliverChanged: a delivery of changes is sent only if the hash of the rows or of the spec has changed.
func TestDeliverChanged(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	c.finish(t, c.spec(t, c.owner, "sales", sales), 1)
	c.subscribe(t, c.owner, "sales", store.Wish{Rhythm: daily, Changed: true})
	c.subscribe(t, c.member(t, "bo@example.com"), "sales", store.Wish{Rhythm: refresh, Changed: true})
	c.refresh(t, c.owner, "sales", 1)
	c.at(t, "2026-11-02T07:00:01Z")
	same(t, "nothing changed", c.sent(t))
	if u := c.own(t, c.owner, "sales"); u.Last == nil || u.Last.Outcome != store.DeliverySame {
		t.Errorf("%+v", u.Last)
	}
	c.at(t, "2026-11-02T12:00:00Z")
	c.refresh(t, c.owner, "sales", 2)
	same(t, "after the refresh", c.sent(t), "bo@example.com sales 02 12:00")
	c.at(t, "2026-11-03T07:00:01Z")
	same(t, "at eight", c.sent(t), "bo@example.com sales 02 12:00", "ada@example.com sales 03 07:00")
	c.refresh(t, c.owner, "sales", -1)
	c.refresh(t, c.owner, "sales", 2)
	same(t, "failed, and the same", c.sent(t), "bo@example.com sales 02 12:00", "ada@example.com sales 03 07:00")
}

// After each refresh, and after none that failed.
func TestDeliverAfterRefreshes(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	c.finish(t, c.spec(t, c.owner, "sales", sales), 1)
	c.subscribe(t, c.owner, "sales", store.Wish{Rhythm: refresh})
	same(t, "before", c.sent(t))
	c.at(t, "2026-11-02T06:00:00Z")
	c.refresh(t, c.owner, "sales", 1)
	c.at(t, "2026-11-02T07:00:00Z")
	c.refresh(t, c.owner, "sales", -1)
	same(t, "one failed since", c.sent(t))
	c.at(t, "2026-11-02T08:00:00Z")
	c.refresh(t, c.owner, "sales", 1)
	same(t, "one mail of both", c.sent(t), "ada@example.com sales 02 06:00")
	c.at(t, "2026-11-02T09:00:00Z")
	c.refresh(t, c.owner, "sales", 1)
	same(t, "the next", c.sent(t), "ada@example.com sales 02 06:00", "ada@example.com sales 02 09:00")
}

// Many replicas at once make one message of each time that is due, and every workspace has its turn.
func TestDeliverByManyReplicas(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	c.finish(t, c.spec(t, c.owner, "sales", sales), 1)
	for i := range store.MaxOwnSubscriptions {
		c.subscribe(t, c.owner, "sales", store.Wish{Rhythm: daily, Query: url.Values{"f.n": {fmt.Sprint(i)}}})
	}
	refusal(t, c.Messages.Subscribe(t.Context(), c.owner, "sales", store.Wish{Rhythm: daily}),
		"You are sent this dashboard in 10 ways, the most there can be. End one of them first.")
	c.at(t, "2026-11-02T07:00:01Z")
	all := make(chan int)
	for range 4 {
		go func() {
			n, err := c.Messages.Deliver(t.Context())
			if err != nil {
				t.Error(err)
			}
			all <- n
		}()
	}
	n := <-all + <-all + <-all + <-all
	if got := len(c.sent(t)); n > store.MaxOwnSubscriptions || got != store.MaxOwnSubscriptions {
		t.Errorf("%d messages, of which replicas say %d", got, n)
	}
	// The schema prevents a replica from doing it again.
	if _, err := c.pool.Exec(t.Context(), `
		INSERT INTO delivery (workspace_id, subscription_id, due_at, at, outcome)
		SELECT workspace_id, subscription_id, due_at, at, 'same' FROM delivery`); err == nil {
		t.Error("a time that was due has two outcomes")
	}
}

// TestSubscriptionsAreOnesOwn: a member's deliveries can be seen and ended only by that member, and end with the membership. All members
// see the deliveries to a channel, and owners change them.
func TestSubscriptionsAreOnesOwn(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	ctx := t.Context()
	c.finish(t, c.spec(t, c.owner, "sales", sales), 1)
	bo := c.member(t, "bo@example.com")
	c.subscribe(t, bo, "sales", store.Wish{Rhythm: daily, Attach: "csv"})
	c.subscribe(t, bo, "sales", store.Wish{Rhythm: daily, Attach: "xlsx"}) // the same, but for the file
	own := c.own(t, bo, "sales")
	if own.Attach != "xlsx" || own.Account != bo.Account() || own.Timezone != "Europe/Berlin" || !own.Allowed {
		t.Errorf("%+v", own)
	}
	if all := c.subscriptions(t, c.owner, "sales"); len(all) > 0 {
		t.Errorf("an owner sees %+v", all)
	}
	for what, err := range map[string]error{
		"end":     c.Messages.EndSubscription(ctx, c.owner, "sales", own.ID),
		"change":  c.Messages.ChangeSubscription(ctx, c.owner, "sales", own.ID, store.Wish{Rhythm: refresh}),
		"allow":   c.Messages.AllowSubscription(ctx, c.owner, "sales", own.ID),
		"channel": c.Messages.Subscribe(ctx, c.owner, "sales", store.Wish{Rhythm: daily, Channel: uuid.New()}),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	channel := c.mailChannel(t, "team", bo)
	const owners = "Only an owner of the workspace decides what its channels are sent."
	refusal(t, c.Messages.Subscribe(ctx, bo, "sales", store.Wish{Rhythm: daily, Channel: channel}), owners)
	c.subscribe(t, c.owner, "sales", store.Wish{Rhythm: refresh, Channel: channel})
	all := c.subscriptions(t, bo, "sales")
	if len(all) != 2 || all[1].ChannelSlug != "team" || all[1].CreatedBy != "ada@example.com" {
		t.Fatalf("%+v", all)
	}
	refusal(t, c.Messages.EndSubscription(ctx, bo, "sales", all[1].ID), owners)
	refusal(t, c.Messages.ChangeSubscription(ctx, bo, "sales", all[1].ID, store.Wish{Rhythm: daily}), owners)

	weekly := dashboard.Rhythm{Every: dashboard.EveryWeek, Day: 1, Minute: 9 * 60}
	if err := c.Messages.ChangeSubscription(ctx, bo, "sales", own.ID, store.Wish{Rhythm: weekly, Changed: true}); err != nil {
		t.Fatal(err)
	}
	own = c.subscriptions(t, bo, "sales")[0]
	if own.Rhythm != weekly || !own.Changed || own.Attach != "" || own.DueAt.Format(time.RFC3339) != "2026-11-02T08:00:00Z" {
		t.Errorf("%+v", own)
	}

	// The clock of the spec is the subscription's.
	c.spec(t, c.owner, "sales", strings.Replace(sales, "Europe/Berlin", "Asia/Tokyo", 1))
	if own = c.subscriptions(t, bo, "sales")[0]; own.Timezone != "Asia/Tokyo" || own.DueAt.Format(time.RFC3339) != "2026-11-09T00:00:00Z" {
		t.Errorf("%+v", own)
	}
	c.spec(t, c.owner, "sales", sales)

	// Between queueing and sending, the membership ends, and with it the queued messages.
	c.at(t, "2026-11-02T07:30:00Z")
	c.refresh(t, c.owner, "sales", 4)
	c.at(t, "2026-11-02T08:00:01Z")
	same(t, "before", c.sent(t), "bo@example.com sales 02 08:00", "team sales 02 07:30")
	if err := c.Members.EndMembership(ctx, c.owner, bo.Account()); err != nil {
		t.Fatal(err)
	}
	same(t, "after", c.sent(t), "team sales 02 07:30")
	bo = c.member(t, "bo@example.com")
	if all := c.subscriptions(t, bo, "sales"); len(all) != 1 {
		t.Errorf("who comes back is sent %+v", all)
	}

	// A dashboard is itself under another name, and takes all with it when it is deleted.
	c.subscribe(t, bo, "sales", store.Wish{Rhythm: refresh})
	if _, err := c.Dashboards.UpdateDashboard(ctx, c.owner, "sales", store.Update{NewSlug: new("revenue")}); err != nil {
		t.Fatal(err)
	}
	c.refresh(t, c.owner, "revenue", 5)
	if got := c.sent(t); len(got) != 3 || !strings.Contains(strings.Join(got, " "), "bo@example.com revenue") {
		t.Errorf("after renaming: %s", got)
	}
	if _, err := c.Dashboards.DeleteDashboard(ctx, c.owner, "revenue"); err != nil {
		t.Fatal(err)
	}
	same(t, "deleted", c.sent(t))
}

// mailChannel is a channel of mails to members.
func (b bench) mailChannel(t testing.TB, slug string, to ...store.Member) uuid.UUID {
	t.Helper()
	id := uuid.New()
	if _, err := b.pool.Exec(t.Context(), `
		INSERT INTO channel (workspace_id, id, slug, name, kind, created_at) VALUES ($1, $2, $3, $3, 'mail', now())`,
		b.owner.WorkspaceID(), id, slug); err != nil {
		t.Fatal(err)
	}
	for _, m := range to {
		if _, err := b.pool.Exec(t.Context(), `
			INSERT INTO channel_member (workspace_id, channel_id, account_id) VALUES ($1, $2, $3)`,
			b.owner.WorkspaceID(), id, m.Account()); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

// A static dashboard cannot be sent repeatedly, and a workspace does not see dashboards of another.
func TestSubscribeRefusals(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	ctx := t.Context()
	c.note(t, "notes", "# Notes")
	c.finish(t, c.spec(t, c.owner, "sales", sales), 1)
	eve := c.workspace(t, c.account(t, "eve@example.com"), "lair")
	if err := c.Messages.Subscribe(ctx, c.owner, "notes", store.Wish{Rhythm: daily}); !errors.Is(err, store.ErrStatic) {
		t.Error(err)
	}
	if err := c.Messages.Subscribe(ctx, eve, "sales", store.Wish{Rhythm: daily}); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	refusal(t, c.Messages.Subscribe(ctx, c.owner, "sales", store.Wish{Rhythm: daily, Attach: "docx"}),
		`"docx" cannot be attached: csv, xlsx or pdf can`)
	refusal(t, c.Messages.Subscribe(ctx, c.owner, "sales", store.Wish{Rhythm: daily, Query: url.Values{"f.n": {strings.Repeat("x", 5000)}}}),
		"The filters are too long to be kept. Choose fewer values.")
	c.spec(t, eve, "lair", sales)
	if err := c.Messages.Subscribe(ctx, eve, "lair", store.Wish{Rhythm: daily, Channel: c.mailChannel(t, "team")}); !errors.Is(err,
		store.ErrNotFound) {
		t.Errorf("the channel of another workspace: %v", err)
	}
	c.subscribe(t, c.owner, "sales", store.Wish{Rhythm: daily})
	if err := c.Messages.EndSubscription(ctx, eve, "lair", c.own(t, c.owner, "sales").ID); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	// A document that was published in place of the spec is not sent.
	if _, err := c.Dashboards.Publish(ctx, c.owner, store.Publication{
		Slug: "sales", Filename: dashboard.DefaultFile, DefaultName: "x", DefaultChart: "document",
		ContentType: dashboard.TypeMarkdown, Content: []byte("# Sales"),
	}); err != nil {
		t.Fatal(err)
	}
	c.at(t, "2026-11-03T07:00:01Z")
	same(t, "static", c.sent(t))
	if err := c.Messages.EndSubscription(ctx, c.owner, "sales", c.own(t, c.owner, "sales").ID); err != nil {
		t.Fatal(err)
	}
	if all := c.subscriptions(t, c.owner, "sales"); len(all) > 0 {
		t.Error(all)
	}
}

// A signed link ends one subscription, without signing in, and no other.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	old, other := strings.Repeat("A", 43)+"=", strings.Repeat("B", 42)+"A="
	keys := func(text string) *store.Keys {
		k, err := store.ParseKeys(text)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	b := setup(t, func(o *store.Options) { o.Keys = keys(old) })
	ctx := t.Context()
	b.finish(t, b.spec(t, b.owner, "sales", sales), 1)
	bo := b.member(t, "bo@example.com")
	b.subscribe(t, bo, "sales", store.Wish{Rhythm: daily})
	b.subscribe(t, b.owner, "sales", store.Wish{Rhythm: daily})
	own := b.own(t, bo, "sales")
	token := b.Messages.UnsubscribeToken(bo.WorkspaceID(), own.ID, uuid.Nil)

	rotated, err := store.New(b.pool, store.Options{Keys: keys(other + "," + old)})
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := store.New(b.pool, store.Options{Keys: keys(other)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range token { // another letter anywhere is another link
		forged := []byte(token)
		forged[i] ^= 1
		if _, err := b.Messages.Unsubscription(ctx, string(forged)); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("letter %d of a link changed: %v", i, err)
		}
	}
	for what, link := range map[string]string{
		"empty": "", "of another key": stranger.Messages.UnsubscribeToken(bo.WorkspaceID(), own.ID, uuid.Nil),
		"longer": token + "AAAA", "no base64": "%%%",
	} {
		if err := b.Messages.Unsubscribe(ctx, link); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	what, err := rotated.Messages.Unsubscription(ctx, token)
	if err != nil || what.Name != "sales" || what.Workspace != "ACME" || what.Channel || what.Over {
		t.Errorf("%+v %v", what, err)
	}
	for range 2 { // the second time there is nothing to end
		if err := rotated.Messages.Unsubscribe(ctx, token); err != nil {
			t.Fatal(err)
		}
	}
	if what, err := b.Messages.Unsubscription(ctx, token); err != nil || !what.Over {
		t.Errorf("%+v %v", what, err)
	}
	if len(b.subscriptions(t, bo, "sales")) != 0 || len(b.subscriptions(t, b.owner, "sales")) != 1 {
		t.Error("it ended another subscription, or none")
	}

	// The link in a channel's mail removes the receiver from the channel, and ends nothing else.
	channel := b.mailChannel(t, "team", bo, b.owner)
	b.subscribe(t, b.owner, "sales", store.Wish{Rhythm: refresh, Channel: channel})
	shared := b.subscriptions(t, bo, "sales")
	if err := b.Messages.Unsubscribe(ctx, b.Messages.UnsubscribeToken(bo.WorkspaceID(), shared[0].ID, uuid.Nil)); err != nil {
		t.Fatal(err)
	}
	token = b.Messages.UnsubscribeToken(bo.WorkspaceID(), channel, bo.Account())
	if what, err := b.Messages.Unsubscription(ctx, token); err != nil || what.Name != "team" || !what.Channel || what.Over {
		t.Errorf("%+v %v", what, err)
	}
	for range 2 {
		if err := b.Messages.Unsubscribe(ctx, token); err != nil {
			t.Fatal(err)
		}
	}
	if what, err := b.Messages.Unsubscription(ctx, token); err != nil || !what.Over {
		t.Errorf("%+v %v", what, err)
	}
	var left []uuid.UUID
	if err := b.pool.QueryRow(ctx, `SELECT array_agg(account_id) FROM channel_member`).Scan(&left); err != nil ||
		!slices.Equal(left, []uuid.UUID{b.owner.Account()}) {
		t.Errorf("left in the channel: %v, %v", left, err)
	}
	if len(b.subscriptions(t, bo, "sales")) != 1 {
		t.Error("a member's link ended what the channel is sent")
	}
	log, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Noun: "subscription", Limit: 1})
	if err != nil || len(log) != 1 {
		t.Fatal(err)
	}
	log, err = b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Noun: "channel", Limit: 1})
	if err != nil || len(log) != 1 || log[0].Account != bo.Account() {
		t.Errorf("%+v %v", log, err)
	}
}
