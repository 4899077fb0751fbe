package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store"
	"service/store/channel"
)

// queue queues messages as what causes them does.
func (b bench) queue(t testing.TB, all ...store.Message) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), b.pool, func(tx pgx.Tx) error { return b.Messages.QueueMessages(t.Context(), tx, all) })
	if err != nil {
		t.Fatal(err)
	}
}

// slack adds a channel of the kind slack.
func (b bench) slack(t testing.TB, slug string) store.Channel {
	t.Helper()
	c, _, err := b.Messages.AddChannel(t.Context(), b.owner, store.ChannelEdit{
		Slug: slug, Kind: channel.Slack, Name: slug, URL: "https://hooks.example.com/secret",
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// member adds a member to the workspace of b.
func (b bench) member(t testing.TB, email string) store.Member {
	t.Helper()
	id := b.account(t, email)
	if _, err := b.Members.AddMember(t.Context(), b.owner.Account(), b.owner.Workspace(), email, store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	m, err := b.Members.Member(t.Context(), id, b.owner.Workspace())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// count returns the number that a query returns.
func (b bench) count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	if err := b.pool.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A message and its job are one transaction; it is claimed until it is sent, and has one id.
func TestMessageIsQueuedClaimedAndEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	sales := b.spec(t, b.owner, "sales", `{}`).Dashboard
	c := b.slack(t, "ops")
	notice := store.Notice{
		Alert: "low", Title: "Low", Severity: "warning", Event: store.NoticeFired, Sentence: "Low.", At: time.Unix(0, 0).UTC(),
	}
	m := store.Message{
		Workspace: b.owner.WorkspaceID(), ID: uuid.New(), Kind: store.MessageAlert, Dashboard: sales.ID, Channel: c.ID, Body: notice,
	}
	failed := errors.New("the change failed")
	if err := pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		return errors.Join(b.Messages.QueueMessages(ctx, tx, []store.Message{m}), failed)
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if n := b.count(t, `SELECT count(*) FROM message`); n > 0 {
		t.Fatalf("%d rows of a change that was not committed", n)
	}
	b.queue(t, m)
	args := store.SendArgs{Workspace: m.Workspace, Message: m.ID}
	for attempt := 1; attempt <= 2; attempt++ {
		if next, _, err := b.Messages.NextMessage(ctx); err != nil || next != args {
			t.Fatalf("%+v is next, %v", next, err)
		}
		if next, _, err := b.Messages.NextMessage(ctx); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("%+v is taken twice, %v", next, err)
		}
		out, err := b.Messages.ClaimMessage(ctx, args)
		if err != nil {
			t.Fatal(err)
		}
		var got store.Notice
		if err := json.Unmarshal(out.Body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(notice, got); diff != "" {
			t.Errorf("notice (-want +got):\n%s", diff)
		}
		if out.ID != m.ID || out.Attempts != attempt || out.Dashboard.Slug != "sales" || out.Channel.Slug != "ops" ||
			out.Target().URL != "https://hooks.example.com/secret" || out.Member.Account() != b.owner.Account() {
			t.Errorf("attempt %d: %+v", attempt, out)
		}
		state, reason := store.MessageQueued, "Nothing answers."
		if attempt == 2 {
			state, reason = store.MessageSent, ""
		}
		if err := b.Messages.EndMessage(ctx, out, state, reason, 0); err != nil {
			t.Fatal(err)
		}
		if c, err := b.Messages.Channel(ctx, b.owner, "ops"); err != nil || c.Error != reason {
			t.Errorf("after attempt %d the channel says %q, want %q (%v)", attempt, c.Error, reason, err)
		}
	}
	if _, err := b.Messages.ClaimMessage(ctx, args); !errors.Is(err, store.ErrMessageOver) {
		t.Errorf("a sent message is claimed: %v", err)
	}
}

// Messages that a person may not get any more are not sent to them: they are deleted with the right that was lost.
func TestMessageGoesWithItsRecipient(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*testing.T, bench, store.Member) error{
		"the member": func(t *testing.T, b bench, m store.Member) error {
			return b.Members.EndMembership(t.Context(), b.owner, m.Account())
		},
		"the dashboard": func(t *testing.T, b bench, _ store.Member) error {
			_, err := b.Dashboards.DeleteDashboard(t.Context(), b.owner, "sales")
			return err
		},
		"the channel": func(t *testing.T, b bench, _ store.Member) error {
			return b.Messages.DeleteChannel(t.Context(), b.owner, "team")
		},
		"the place in the channel": func(t *testing.T, b bench, m store.Member) error {
			c, err := b.Messages.Channel(t.Context(), b.owner, "team")
			return errors.Join(err, b.Messages.LeaveChannel(t.Context(), b.owner.WorkspaceID(), c.ID, m.Account()))
		},
		"nothing": func(*testing.T, bench, store.Member) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ctx := t.Context()
			m := b.member(t, "bo@example.com")
			sales := b.spec(t, b.owner, "sales", `{}`).Dashboard
			c, _, err := b.Messages.AddChannel(ctx, b.owner, store.ChannelEdit{
				Slug: "team", Kind: channel.Mail, Name: "Team", Members: []uuid.UUID{m.Account(), b.owner.Account()},
			})
			if err != nil {
				t.Fatal(err)
			}
			whole := uuid.New()
			b.queue(t, store.Message{
				Workspace: b.owner.WorkspaceID(), ID: whole, Kind: store.MessageDelivery, Dashboard: sales.ID, Channel: c.ID, Body: store.Delivery{},
			})
			_, err = b.Messages.ClaimMessage(ctx, store.SendArgs{Workspace: b.owner.WorkspaceID(), Message: whole})
			if !errors.Is(err, store.ErrMessageOver) {
				t.Fatalf("the message to the channel: %v", err)
			}
			var id uuid.UUID
			if err := b.pool.QueryRow(ctx, `SELECT id FROM message WHERE account_id = $1`, m.Account()).Scan(&id); err != nil {
				t.Fatal(err)
			}
			if n := b.count(t, `SELECT count(*) FROM message WHERE state = 'queued' AND due_at IS NOT NULL`); n != 2 {
				t.Errorf("%d messages are queued, want one for each member of the channel", n)
			}
			if err := lose(t, b, m); err != nil {
				t.Fatal(err)
			}
			out, err := b.Messages.ClaimMessage(ctx, store.SendArgs{Workspace: b.owner.WorkspaceID(), Message: id})
			if name == "nothing" {
				if err != nil || out.Recipient.Email != "bo@example.com" || out.Member.Account() != m.Account() {
					t.Errorf("%+v, %v", out, err)
				}
				return
			}
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("without %s: %v", name, err)
			}
		})
	}
}

// A message that cannot be delivered to anybody fails, with a reason.
func TestMessageFailsWithAReason(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	sales := b.spec(t, b.owner, "sales", `{}`).Dashboard
	ops := b.slack(t, "ops")
	team, _, err := b.Messages.AddChannel(ctx, b.owner, store.ChannelEdit{
		Slug: "team", Kind: channel.Mail, Name: "Team", Members: []uuid.UUID{b.owner.Account()},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Messages.MuteChannel(ctx, b.owner, "ops", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE account SET email = ''`); err != nil {
		t.Fatal(err)
	}
	for reason, m := range map[string]store.Message{
		"The channel was muted.":                                    {Channel: ops.ID},
		"The channel has no member with a verified e-mail address.": {Channel: team.ID},
		"The member has no verified e-mail address.":                {Account: b.owner.Account()},
	} {
		m.Workspace, m.ID, m.Kind, m.Dashboard, m.Body = b.owner.WorkspaceID(), uuid.New(), store.MessageAlert, sales.ID, store.Notice{}
		b.queue(t, m)
		if _, err := b.Messages.ClaimMessage(ctx, store.SendArgs{Workspace: m.Workspace, Message: m.ID}); !errors.Is(err, store.ErrMessageOver) {
			t.Errorf("%s %v", reason, err)
		}
		var state, got string
		if err := b.pool.QueryRow(ctx, `SELECT state, error FROM message WHERE id = $1`, m.ID).Scan(&state, &got); err != nil {
			t.Fatal(err)
		}
		if state != store.MessageFailed || got != reason {
			t.Errorf("%s: %s, want %s", state, got, reason)
		}
	}
}

// TestChannelsGetNoFlood: the number of messages within an hour is limited, for each channel and for all channels of a workspace. The limit
// does not depend on ids of alerts and slugs of dashboards, because publishers choose these.
func TestChannelsGetNoFlood(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	var dashboards []uuid.UUID
	for _, slug := range []string{"sales", "costs", "people"} {
		dashboards = append(dashboards, b.spec(t, b.owner, slug, `{}`).Dashboard.ID)
	}
	n := 0
	send := func(c store.Channel, kind string) (state, reason string) {
		t.Helper()
		n++
		m := store.Message{
			Workspace: b.owner.WorkspaceID(), ID: uuid.New(), Kind: kind, Dashboard: dashboards[n%len(dashboards)], Channel: c.ID,
			Body: store.Notice{Alert: fmt.Sprint("a", n)},
		}
		b.queue(t, m)
		out, err := b.Messages.ClaimMessage(ctx, store.SendArgs{Workspace: m.Workspace, Message: m.ID})
		if err == nil {
			err = b.Messages.EndMessage(ctx, out, store.MessageSent, "", 0)
		}
		if err != nil && !errors.Is(err, store.ErrMessageOver) {
			t.Fatal(err)
		}
		if err := b.pool.QueryRow(ctx, `SELECT state, error FROM message WHERE id = $1`, m.ID).Scan(&state, &reason); err != nil {
			t.Fatal(err)
		}
		return state, reason
	}
	got := func(c store.Channel, of int) (sent int) {
		t.Helper()
		for i := range of {
			state, reason := send(c, []string{store.MessageAlert, store.MessageDelivery}[i%2])
			if state == store.MessageSent {
				sent++
			} else if !strings.Contains(reason, "within an hour") {
				t.Fatal(state, reason)
			}
		}
		return sent
	}
	first := b.slack(t, "first")
	if sent := got(first, 125); sent != 120 {
		t.Errorf("%d of 125 messages were sent to a channel", sent)
	}
	if c, err := b.Messages.Channel(ctx, b.owner, "first"); err != nil || !strings.Contains(c.Error, "120 messages within an hour") {
		t.Errorf("owners are told: %+v, %v", c.Error, err)
	}
	if sent := got(b.slack(t, "second"), 10); sent != 10 {
		t.Errorf("%d of 10 messages were sent to another channel", sent)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE message SET sent_at = sent_at - interval '1 hour'`); err != nil {
		t.Fatal(err)
	}
	if sent := got(first, 1); sent != 1 {
		t.Error("an hour later nothing is sent")
	}
	if _, err := b.pool.Exec(ctx, `
		INSERT INTO message (workspace_id, id, kind, dashboard_id, channel_id, body, queued_at, state, sent_at)
		SELECT workspace_id, gen_random_uuid(), kind, dashboard_id, (SELECT id FROM channel WHERE slug = 'second'), body, queued_at, 'sent', now()
		  FROM (SELECT * FROM message LIMIT 1) one, generate_series(1, 599)`); err != nil {
		t.Fatal(err)
	}
	if sent := got(first, 1); sent != 0 {
		t.Error("more messages than a workspace may have are sent to its channels")
	}
}

// A message of one workspace cannot be claimed as one of another, nor name objects of another.
func TestMessagesStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	sales := b.spec(t, b.owner, "sales", `{}`).Dashboard
	c := b.slack(t, "ops")
	other := b.workspace(t, b.account(t, "eve@example.com"), "other")
	m := store.Message{
		Workspace: b.owner.WorkspaceID(), ID: uuid.New(), Kind: store.MessageAlert, Dashboard: sales.ID, Channel: c.ID, Body: store.Notice{},
	}
	b.queue(t, m)
	if _, err := b.Messages.ClaimMessage(ctx, store.SendArgs{Workspace: other.WorkspaceID(), Message: m.ID}); !errors.Is(err,
		store.ErrNotFound) {
		t.Errorf("claimed from another workspace: %v", err)
	}
	m.Workspace, m.ID = other.WorkspaceID(), uuid.New()
	err := pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error { return b.Messages.QueueMessages(ctx, tx, []store.Message{m}) })
	if err == nil || !strings.Contains(err.Error(), "foreign key") {
		t.Errorf("a message about another workspace's dashboard: %v", err)
	}
	if _, err := b.Messages.Channel(ctx, other, "ops"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another workspace's channel: %v", err)
	}
	for what, do := range map[string]func() error{
		"delete": func() error { return b.Messages.DeleteChannel(ctx, other, "ops") },
		"mute":   func() error { return b.Messages.MuteChannel(ctx, other, "ops", time.Now()) },
		"leave":  func() error { return b.Messages.LeaveChannel(ctx, other.WorkspaceID(), c.ID, b.owner.Account()) },
		"test":   func() error { _, err := b.Messages.StartTest(ctx, other, "ops"); return err },
	} {
		if err := do(); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// When a message finds no slot, the messages that would find none either are put back too, with increasing delays: those to its channel, or
// those of its workspace that are sent in the same way. No others are.
func TestMessagesArePutBackWithThoseLikeThem(t *testing.T) {
	t.Parallel()
	now := time.Now().Add(time.Hour).Truncate(time.Second)
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	sales := b.spec(t, b.owner, "sales", `{}`).Dashboard
	ops, sre := b.slack(t, "ops"), b.slack(t, "sre")
	elsewhere := b
	elsewhere.owner = b.workspace(t, b.account(t, "eve@example.com"), "other")
	theirs, there := elsewhere.spec(t, elsewhere.owner, "sales", `{}`).Dashboard, elsewhere.slack(t, "ops")
	names := map[uuid.UUID]string{}
	add := func(name string, of bench, dashboard, channel, account uuid.UUID) store.SendArgs {
		m := store.Message{
			Workspace: of.owner.WorkspaceID(), ID: uuid.Must(uuid.NewV7()), Kind: store.MessageAlert, Dashboard: dashboard, Channel: channel,
			Account: account, Body: store.Notice{},
		}
		names[m.ID] = name
		b.queue(t, m)
		return store.SendArgs{Workspace: m.Workspace, Message: m.ID}
	}
	post := add("post", b, sales.ID, ops.ID, uuid.Nil)
	mail := add("mail", b, sales.ID, uuid.Nil, b.owner.Account())
	for _, name := range []string{"ops 1", "ops 2"} {
		add(name, b, sales.ID, ops.ID, uuid.Nil)
	}
	add("sre", b, sales.ID, sre.ID, uuid.Nil)
	add("mail 1", b, sales.ID, uuid.Nil, b.owner.Account())
	add("elsewhere", elsewhere, theirs.ID, there.ID, uuid.Nil)
	for range 2 { // the two that are due first
		if _, _, err := b.Messages.NextMessage(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name      string
		of        store.SendArgs
		ofChannel bool
		want      map[string]string // the messages that were put back, and for how long
	}{
		{"its channel has no slot", post, true, map[string]string{"post": "8s", "ops 1": "10s", "ops 2": "12s"}},
		{"nor has its workspace", post, false, map[string]string{"post": "8s", "ops 1": "10s", "ops 2": "12s", "sre": "10s"}},
		{"nor for mails", mail, false, map[string]string{
			"post": "8s", "ops 1": "10s", "ops 2": "12s", "sre": "10s", "mail": "8s", "mail 1": "10s",
		}},
	} {
		m, err := b.Messages.ClaimMessage(ctx, tt.of)
		if err != nil || m.Account != b.owner.Account() || m.Posted() != (tt.of == post) {
			t.Fatal(m.Account, m.Posted(), err)
		}
		before := b.count(t, `SELECT count(*) FROM message WHERE due_at > $1 AND id <> $2`, now, m.ID)
		n, err := b.Messages.PutBackMessage(ctx, m, tt.ofChannel, 8*time.Second, 2*time.Second)
		if err != nil || n != len(tt.want)-1-before {
			t.Errorf("%s: %d are put back, %v", tt.name, n, err)
		}
		got := map[string]string{}
		rows, _ := b.pool.Query(ctx, `SELECT id, due_at FROM message WHERE due_at > $1`, now)
		var id uuid.UUID
		var at time.Time
		if _, err := pgx.ForEachRow(rows, []any{&id, &at}, func() error {
			got[names[id]] = at.Sub(now).String()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if n := b.count(t, `SELECT attempts FROM message WHERE id = $1`, m.ID); n != 0 {
			t.Errorf("%s: %d attempts", tt.name, n)
		}
	}
}

// A test that was not ended ends, and a message that was claimed too often, or for longer than it is tried. One that waits does not.
func TestLostMessagesFail(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	sales := b.spec(t, b.owner, "sales", `{}`).Dashboard
	c := b.slack(t, "ops")
	test, err := b.Messages.StartTest(ctx, b.owner, "ops")
	if err != nil {
		t.Fatal(err)
	}
	deadly, kept := uuid.New(), uuid.New()
	for _, id := range []uuid.UUID{deadly, kept} {
		b.queue(t, store.Message{
			Workspace: b.owner.WorkspaceID(), ID: id, Kind: store.MessageAlert, Dashboard: sales.ID, Channel: c.ID, Body: store.Notice{},
		})
	}
	if _, err := b.pool.Exec(ctx, `UPDATE message SET attempts = 50 WHERE id = $1`, deadly); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  []uuid.UUID
	}{
		{0, nil},
		{3 * time.Minute, []uuid.UUID{test.ID, deadly}},
		{23 * time.Hour, []uuid.UUID{test.ID, deadly}},
		{3 * time.Hour, []uuid.UUID{test.ID, deadly, kept}},
	} {
		now = now.Add(step.after)
		if err := b.Messages.FailLostMessages(ctx); err != nil {
			t.Fatal(err)
		}
		rows, _ := b.pool.Query(ctx, `SELECT id FROM message WHERE state = 'failed' AND error <> '' ORDER BY queued_at, id`)
		got, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			t.Fatal(err)
		}
		byText := func(a, b uuid.UUID) bool { return a.String() < b.String() }
		if diff := cmp.Diff(step.want, got, cmpopts.EquateEmpty(), cmpopts.SortSlices(byText)); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", step.after, diff)
		}
	}
}

// Messages of a dead process are sent by others at once; so are those that this process has taken and no longer sends, after 10 s. A
// message that the release before has queued is adopted if no process sends it for a while.
func TestMessagesAreTakenOver(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Second)
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	if err := b.Jobs.RenewLease(ctx); err != nil {
		t.Fatal(err)
	}
	other, err := store.New(b.pool, store.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	sales := b.spec(t, b.owner, "sales", `{}`).Dashboard
	ids := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	for _, id := range ids {
		b.queue(t, store.Message{
			Workspace: b.owner.WorkspaceID(), ID: id, Kind: store.MessageAlert, Dashboard: sales.ID, Account: b.owner.Account(),
			Body: store.Notice{},
		})
		now = now.Add(time.Second)
	}
	for i, s := range []*store.Store{other, b.Store, b.Store} { // the last is held
		if args, _, err := s.Messages.NextMessage(ctx); err != nil || args.Message != ids[i] {
			t.Fatal(args, err)
		}
	}
	if _, err := b.pool.Exec(ctx, `
		INSERT INTO message (workspace_id, id, kind, dashboard_id, account_id, body, queued_at)
		SELECT workspace_id, $2, kind, dashboard_id, account_id, body, queued_at FROM message WHERE id = $1`, ids[0], uuid.New()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after     time.Duration
		taken, of int // messages taken over, and due then
	}{{0, 2, 1}, {0, 0, 1}, {10 * time.Second, 0, 2}, {2 * time.Minute, 1, 3}} {
		now = now.Add(step.after)
		if n, err := b.Jobs.TakeOver(ctx, false, ids[2:]); err != nil || n.Messages != step.taken {
			t.Errorf("after %v, %+v is taken over, want %d messages (%v)", step.after, n, step.taken, err)
		}
		if n := b.count(t, `SELECT count(*) FROM message WHERE state = 'queued' AND process IS NULL AND due_at <= $1`, now); n != step.of {
			t.Errorf("after %v, %d messages are due, want %d", step.after, n, step.of)
		}
	}
}

// TestPuttingBackLooksAtTheHead: putting messages back reads 5,000 of the queue at most, however many are due, wait, or are done.
func TestPuttingBackLooksAtTheHead(t *testing.T) {
	t.Parallel()
	const many, head = 15_000, 5_000
	for _, tt := range []struct {
		name, state, at string
		own             bool // they are of the workspace, or of another
		want            int  // of ten that are due
	}{
		{"behind many of the workspace", "queued", "now() - interval '1 hour'", true, 0},
		{"behind many of another workspace", "queued", "now() - interval '1 hour'", false, 10},
		{"among many that wait", "queued", "now() + interval '1 hour'", true, 10},
		{"among many that failed", "failed", "now() - interval '1 hour'", true, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ctx := t.Context()
			sales, ops := b.spec(t, b.owner, "sales", `{}`).Dashboard, b.slack(t, "ops")
			other := b.workspace(t, b.owner.Account(), "other")
			add := func(n int, m store.Member, channel, account any, state, at string) {
				if _, err := b.pool.Exec(ctx, `
					INSERT INTO message (workspace_id, id, kind, channel_id, account_id, body, state, error, queued_at, due_at)
					SELECT $2, gen_random_uuid(), 'test', $3, $4, '{}', $5, CASE $5 WHEN 'failed' THEN 'no' ELSE '' END, now(), `+at+`
					  FROM generate_series(1, $1)`,
					n, m.WorkspaceID(), channel, account, state); err != nil {
					t.Fatal(err)
				}
			}
			mine := store.Message{
				Workspace: b.owner.WorkspaceID(), ID: uuid.New(), Kind: store.MessageAlert, Dashboard: sales.ID, Channel: ops.ID, Body: store.Notice{},
			}
			b.queue(t, mine)
			if _, _, err := b.Messages.NextMessage(ctx); err != nil {
				t.Fatal(err)
			}
			whose := other
			if tt.own {
				whose = b.owner
			}
			add(many, whose, nil, b.owner.Account(), tt.state, tt.at)
			add(10, b.owner, ops.ID, nil, "queued", "now() - interval '1 minute'")
			if _, err := b.pool.Exec(ctx, `VACUUM ANALYZE message, channel`); err != nil {
				t.Fatal(err)
			}
			m, err := b.Messages.ClaimMessage(ctx, store.SendArgs{Workspace: mine.Workspace, Message: mine.ID})
			if err != nil {
				t.Fatal(err)
			}
			b, seen := b.spied(t)
			// to now, so that the plans below have them as well
			if n, err := b.Messages.PutBackMessage(ctx, m, true, 0, 0); err != nil || n != tt.want {
				t.Fatalf("%d are put back, %v", n, err)
			}
			for _, q := range seen.sent {
				if !strings.Contains(q.sql, "head AS") {
					continue
				}
				for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
					if n, at := b.explain(t, mode, q).touched(); n > head {
						t.Errorf("%s: %s touches %v rows", mode, at, n)
					}
				}
			}
		})
	}
}
