package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/storetest"
)

// binned are the slugs in the bin of m's workspace.
func (b bench) binned(t testing.TB, m store.Member) []string {
	t.Helper()
	page, err := b.Dashboards.Bin(t.Context(), m, "", 50)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range page.Dashboards {
		out = append(out, d.Slug)
	}
	return out
}

func (b bench) delete(t testing.TB, m store.Member, slug string) store.Deleted {
	t.Helper()
	d, err := b.Dashboards.DeleteDashboard(t.Context(), m, slug)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (b bench) revive(t testing.TB, m store.Member, slug string, version uuid.UUID) store.Revived {
	t.Helper()
	r, err := b.Dashboards.Revive(t.Context(), m, store.Revival{Slug: slug, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A deleted dashboard is not found anywhere, and nothing is done for it. It is restored with its versions, rows, names and history, and
// nothing of it is sent until somebody turns that on.
func TestDeletedAndBroughtBack(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	bo := c.member(t, "bo@example.com")
	c.mailChannel(t, "team", bo)
	content := strings.Replace(sales, `"panels"`,
		`"deliver": [{"to": "team", "every": "refresh"}], "alerts": [{"id": "bad", "failing": true, "to": "team"}], "panels"`, 1)
	first := c.spec(t, c.owner, "sales", content)
	if _, err := c.Dashboards.NameVersion(ctx, c.owner, "sales", first.Dashboard.VersionID, new("v1")); err != nil {
		t.Fatal(err)
	}
	second := c.spec(t, c.owner, "sales", strings.Replace(content, `"Sales"`, `"More"`, 1))
	c.finish(t, second, 3)
	_, err := c.Dashboards.UpdateDashboard(ctx, c.owner, "sales", store.Update{NewSlug: new("revenue"), Tags: []string{"a"}})
	must(err)
	daily9, err := store.ParseSchedule("daily 09:00", "Europe/Berlin")
	must(err)
	_, err = c.Refreshes.SetSchedule(ctx, c.owner, "revenue", daily9)
	must(err)
	c.subscribe(t, bo, "revenue", store.Wish{Rhythm: daily})
	must(c.Dashboards.Star(ctx, bo, "revenue", true))
	c.queue(t, store.Message{
		Workspace: c.owner.WorkspaceID(), Kind: store.MessageAlert, Dashboard: first.Dashboard.ID, Account: bo.Account(), Body: store.Notice{},
	})
	third := c.spec(t, c.owner, "revenue", strings.Replace(content, `"Sales"`, `"Most"`, 1))
	running, err := c.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: c.owner.WorkspaceID(), Run: third.Run.ID}, 2)
	must(err)
	stored, err := c.Workspaces.Storage(ctx, c.owner)
	must(err)

	must(c.Members.SetRole(ctx, c.owner, bo.Account(), store.RoleOwner))
	gone := c.delete(t, bo, "sales") // by its alias, by an owner who did not publish it
	must(c.Members.SetRole(ctx, c.owner, bo.Account(), store.RoleEditor))
	if gone.Slug != "revenue" || gone.Versions != 3 || !slices.Equal(gone.Aliases, []string{"sales"}) ||
		gone.VersionID != third.Dashboard.VersionID || !gone.Until.Equal(time.Date(2026, 12, 2, 5, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", gone)
	}
	for name, lookUp := range map[string]func(slug string) error{
		"dashboard": func(slug string) error { _, err := c.Dashboards.Dashboard(ctx, c.owner, slug); return err },
		"versions":  func(slug string) error { _, err := c.Dashboards.Versions(ctx, c.owner, slug); return err },
		"version": func(slug string) error {
			_, err := c.Dashboards.Version(ctx, c.owner, slug, second.Dashboard.VersionID)
			return err
		},
		"restore": func(slug string) error {
			_, err := c.Dashboards.RestoreVersion(ctx, c.owner, slug, second.Dashboard.VersionID)
			return err
		},
		"update": func(slug string) error {
			_, err := c.Dashboards.UpdateDashboard(ctx, c.owner, slug, store.Update{Name: new("x")})
			return err
		},
		"trigger":  func(slug string) error { _, err := c.Refreshes.TriggerRefresh(ctx, c.owner, slug); return err },
		"schedule": func(slug string) error { _, err := c.Refreshes.SetSchedule(ctx, c.owner, slug, daily9); return err },
		"send":     func(slug string) error { return c.Messages.Subscribe(ctx, bo, slug, store.Wish{Rhythm: daily}) },
		"star":     func(slug string) error { return c.Dashboards.Star(ctx, bo, slug, true) },
		"mute":     func(slug string) error { return c.Alerts.MuteAlert(ctx, c.owner, slug, "bad", nil) },
		"name": func(slug string) error {
			_, err := c.Dashboards.NameVersion(ctx, c.owner, slug, second.Dashboard.VersionID, nil)
			return err
		},
		"runs":   func(slug string) error { _, err := c.Refreshes.Runs(ctx, c.owner, slug, 1); return err },
		"delete": func(slug string) error { _, err := c.Dashboards.DeleteDashboard(ctx, c.owner, slug); return err },
	} {
		for _, slug := range []string{"sales", "revenue"} {
			if err := lookUp(slug); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s %s: %v", name, slug, err)
			}
		}
	}
	list, err := c.Dashboards.ListDashboards(ctx, []store.Member{c.owner}, store.DashboardQuery{Limit: 9})
	must(err)
	tags, err := c.Dashboards.Tags(ctx, c.owner)
	must(err)
	alerts, err := c.Alerts.Alerts(ctx, c.owner)
	must(err)
	events, err := c.Alerts.AlertEvents(ctx, c.owner, 9)
	must(err)
	shelf, err := c.Dashboards.Shelf(ctx, bo)
	must(err)
	uses, _, err := c.Messages.ChannelUses(ctx, c.owner, "team", 9)
	must(err)
	if n := len(list.Dashboards) + len(tags) + len(alerts) + len(events) + len(shelf.Starred) + len(shelf.Recent) + len(uses); n != 0 {
		t.Errorf("listed: %+v %v %+v %+v %+v %+v", list, tags, alerts, events, shelf, uses)
	}
	c.at(t, "2026-11-03T09:00:00Z")
	if n, err := c.Refreshes.Tick(ctx); n != 0 || err != nil {
		t.Errorf("%d refreshes by a schedule, %v", n, err)
	}
	if n, err := c.Messages.Deliver(ctx); n != 0 || err != nil {
		t.Errorf("%d sent, %v", n, err)
	}
	if n := c.count(t, `SELECT count(*) FROM message WHERE state = 'queued'`); n != 0 {
		t.Errorf("%d messages wait", n)
	}
	if n := c.count(t, `SELECT count(*) FROM refresh_run WHERE state IN ('queued', 'running')`); n != 0 {
		t.Errorf("%d refreshes are active", n)
	}
	if state, err := c.Refreshes.FinishRun(ctx, running, store.Outcome{}); state != store.RunCancelled || err != nil {
		t.Errorf("the run under way ends as %s, %v", state, err)
	}
	if now, err := c.Workspaces.Storage(ctx, c.owner); err != nil || now != stored {
		t.Errorf("storage %+v, before %+v, %v", now, stored, err)
	}
	c.at(t, "2026-12-02T04:59:00Z") // a minute before it is erased
	for _, sweep := range []func(context.Context) (int64, error){c.Sweep, c.SweepBlobs} {
		if _, err := sweep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	page, err := c.Dashboards.Bin(ctx, bo, "", 50)
	must(err)
	if d := page.Dashboards[0]; d.Slug != "revenue" || d.Name != "sales" || d.Versions != 3 || d.DeletedBy != "bo@example.com" || d.Taken ||
		!d.Until.Equal(gone.Until) || d.VersionID != gone.VersionID || d.Bytes != stored.Used || len(page.Dashboards) != 1 {
		t.Errorf("%+v, %d bytes", page, stored.Used)
	}

	back := c.revive(t, bo, "sales", second.Dashboard.VersionID) // not the version that it had last
	d := back.Dashboard
	if d.ID != first.Dashboard.ID || d.Slug != "revenue" || !slices.Equal(back.Aliases, []string{"sales"}) || len(back.Missing) != 0 ||
		back.Schedule.Expression != "daily 09:00" || back.Schedule.Timezone != "Europe/Berlin" || d.Schedule != "" || back.Alerts != 1 ||
		back.Run.State != store.RunQueued || back.Previous.ID != third.Dashboard.VersionID {
		t.Errorf("%+v", back)
	}
	versions, err := c.Dashboards.Versions(ctx, c.owner, "sales")
	must(err)
	if len(versions) != 4 || !versions[0].Current || versions[0].Cause != store.CauseRestore || *versions[3].Name != "v1" {
		t.Errorf("%+v", versions)
	}
	if rows, err := c.Dashboards.Results(ctx, c.owner, d.VersionID); err != nil || len(rows) != 1 {
		t.Errorf("%d datasets have rows, %v", len(rows), err)
	}
	if runs, err := c.Refreshes.Runs(ctx, c.owner, "revenue", 9); err != nil || len(runs) != 4 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	if shelf, err = c.Dashboards.Shelf(ctx, bo); err != nil || len(shelf.Starred) != 1 {
		t.Errorf("favourites %v, %v", shelf, err)
	}
	if got := c.alerts(t); got != "bad 0 muted" {
		t.Error(got)
	}
	all := c.subscriptions(t, bo, "revenue")
	if len(all) != 1 || all[0].Allowed || !all[0].Proposed {
		t.Errorf("%+v", all)
	}
	c.finish(t, store.Published{Dashboard: d, Run: back.Run}, -1) // the alert holds
	same(t, "after it came back", c.sent(t))
	if n := c.count(t, `SELECT count(*) FROM message WHERE state = 'queued'`); n != 0 {
		t.Errorf("%d messages wait", n)
	}
	must(c.Messages.AllowSubscription(ctx, c.owner, "revenue", all[0].ID))
	must(c.Alerts.MuteAlert(ctx, c.owner, "revenue", "bad", nil))

	// Again, and the version that it has: no version is added.
	c.delete(t, c.owner, "revenue")
	if again := c.revive(t, c.owner, "revenue", d.VersionID); again.Dashboard.VersionID != d.VersionID || again.Schedule.Expression != "" ||
		again.Previous.ID != uuid.Nil {
		t.Errorf("%+v", again)
	}
	if got := c.alerts(t); got != "bad 0 muted" {
		t.Error(got)
	}
	if all = c.subscriptions(t, bo, "revenue"); len(all) != 1 || all[0].Allowed {
		t.Errorf("an owner's yes from before holds: %+v", all)
	}
	if versions, err = c.Dashboards.Versions(ctx, c.owner, "sales"); err != nil || len(versions) != 4 {
		t.Errorf("%d versions, %v", len(versions), err)
	}
}

// TestBinRefusals: a dashboard in the bin can be restored only by members of its workspace, by one of its versions and one of its slugs,
// until it is erased.
func TestBinRefusals(t *testing.T) {
	t.Parallel()
	c := inTime(t, "2026-11-02T05:00:00Z")
	ctx := t.Context()
	bo := c.member(t, "bo@example.com")
	lair := c.workspace(t, c.account(t, "eve@example.com"), "lair")
	version := c.spec(t, c.owner, "sales", `{}`).Dashboard.VersionID
	other := c.spec(t, c.owner, "other", `{}`).Dashboard.VersionID
	theirs := c.spec(t, lair, "sales", `{}`).Dashboard.VersionID
	id := uuid.Nil
	c.delete(t, c.owner, "sales")
	for name, r := range map[string]struct {
		m store.Member
		store.Revival
	}{
		"another workspace":            {lair, store.Revival{Slug: "sales", Version: version}},
		"another workspace's version":  {c.owner, store.Revival{Slug: "sales", Version: theirs}},
		"another slug":                 {c.owner, store.Revival{Slug: "other", Version: version}},
		"a live dashboard":             {c.owner, store.Revival{Slug: "other", Version: other}},
		"a live dashboard's version":   {c.owner, store.Revival{Slug: "sales", Version: other}},
		"no version":                   {c.owner, store.Revival{Slug: "sales", Version: uuid.New()}},
		"another workspace, new slug":  {lair, store.Revival{Slug: "sales", Version: version, NewSlug: "mine"}},
		"another slug, under new slug": {c.owner, store.Revival{Slug: "mine", Version: version, NewSlug: "mine"}},
	} {
		if _, err := c.Dashboards.Revive(ctx, r.m, r.Revival); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	same(t, "their bin", c.binned(t, lair))
	same(t, "the bin", c.binned(t, bo), "sales")
	if err := c.pool.QueryRow(ctx, `SELECT id FROM any_dashboard WHERE deleted_at IS NOT NULL`).Scan(&id); err != nil {
		t.Fatal(err)
	}

	// A slug that is taken by now.
	c.spec(t, c.owner, "sales", `{"again": 1}`)
	_, err := c.Dashboards.Revive(ctx, c.owner, store.Revival{Slug: "sales", Version: version})
	refusal(t, err, `slug "sales" is taken by another dashboard`)
	_, err = c.Dashboards.Revive(ctx, c.owner, store.Revival{Slug: "sales", Version: version, NewSlug: "other"})
	refusal(t, err, `slug "other" is taken by another dashboard`)
	_, err = c.Dashboards.Revive(ctx, c.owner, store.Revival{Slug: "sales", Version: version, NewSlug: "Sales"})
	refusal(t, err, `slug "Sales" must match [a-z0-9-]`)
	back, err := c.Dashboards.Revive(ctx, c.owner, store.Revival{Slug: "sales", Version: version, NewSlug: "sales-2"})
	if err != nil || back.Dashboard.Slug != "sales-2" || !slices.Equal(back.Missing, []string{"sales"}) || len(back.Aliases) != 0 {
		t.Errorf("%+v, %v", back, err)
	}
	if d, err := c.Dashboards.Dashboard(ctx, c.owner, "sales"); err != nil || d.VersionID == version {
		t.Errorf("the slug changed hands: %+v, %v", d, err)
	}
	if _, err := c.Dashboards.Revive(ctx, c.owner, store.Revival{Slug: "sales", Version: version}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("brought back twice: %v", err)
	}

	// A free slug that it had leads to it as an alias.
	c.delete(t, c.owner, "sales-2")
	back, err = c.Dashboards.Revive(ctx, c.owner, store.Revival{Slug: "sales-2", Version: version, NewSlug: "sales-3"})
	if err != nil || back.Dashboard.Slug != "sales-3" || !slices.Equal(back.Aliases, []string{"sales-2"}) {
		t.Errorf("%+v, %v", back, err)
	}

	// Erased by an owner, or by time.
	refusal(t, c.Dashboards.EraseDashboard(ctx, bo, id), "Only an owner of the workspace can erase a deleted dashboard.")
	if err := c.Dashboards.EraseDashboard(ctx, c.owner, id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a live one is erased: %v", err)
	}
	c.delete(t, c.owner, "sales-3")
	if err := c.Dashboards.EraseDashboard(ctx, lair, id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another workspace's is erased: %v", err)
	}
	if _, err := c.Dashboards.BinnedDashboard(ctx, lair, id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another workspace's is shown: %v", err)
	}
	if err := c.Dashboards.EraseDashboard(ctx, c.owner, id); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Dashboards.Revive(ctx, c.owner, store.Revival{Slug: "sales-3", Version: version}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an erased one comes back: %v", err)
	}
	c.delete(t, c.owner, "other")
	c.at(t, "2026-12-02T05:00:01Z") // before it is swept
	if _, err := c.Dashboards.Revive(ctx, c.owner, store.Revival{Slug: "other", Version: other}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("one that is too old comes back: %v", err)
	}
	same(t, "too old", c.binned(t, c.owner))
	if _, err := c.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if n := c.count(t, `SELECT count(*) FROM any_dashboard WHERE deleted_at IS NOT NULL`); n != 0 {
		t.Errorf("%d are left", n)
	}
	log, err := c.Audit.AuditLog(ctx, c.owner, store.AuditQuery{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	var deeds []string
	for _, e := range log {
		if strings.HasPrefix(e.Action, "dashboard.") && e.Action != "dashboard.publish" {
			deeds = append(deeds, e.Action+" "+e.Subject)
		}
	}
	slices.Reverse(deeds)
	same(t, "audit log", deeds, "dashboard.delete sales", "dashboard.restore sales-2", "dashboard.delete sales-2", "dashboard.restore sales-3",
		"dashboard.delete sales-3", "dashboard.erase sales-3", "dashboard.delete other")
}

// Without a bin, a deleted dashboard is erased at once, and one that is still in the bin cannot be restored.
func TestNoBin(t *testing.T) {
	t.Parallel()
	now := time.Now()
	keeping := setup(t)
	version := keeping.spec(t, keeping.owner, "old", `{}`).Dashboard.VersionID
	keeping.delete(t, keeping.owner, "old")
	s, err := store.New(keeping.pool, store.Options{Bin: -1, Now: func() time.Time { return now.Add(time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	b := bench{Store: s, pool: keeping.pool, owner: keeping.owner}
	same(t, "bin", b.binned(t, b.owner))
	if _, err := b.Dashboards.Revive(t.Context(), b.owner, store.Revival{Slug: "old", Version: version}); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	b.spec(t, b.owner, "sales", `{}`)
	if gone := b.delete(t, b.owner, "sales"); !gone.Until.IsZero() {
		t.Errorf("%+v", gone)
	}
	if n := b.count(t, `SELECT count(*) FROM any_dashboard`); n != 1 {
		t.Errorf("%d dashboards, want the one that was kept", n)
	}
	if _, err := b.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.count(t, `SELECT count(*) FROM any_dashboard`); n != 0 {
		t.Errorf("%d dashboards are left", n)
	}
}

// TestBinInvariants: constraints of the schema keep the rows of live dashboards apart from those of deleted ones.
func TestBinInvariants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.spec(t, b.owner, "sales", `{}`).Dashboard
	b.spec(t, b.owner, "live", `{}`)
	b.delete(t, b.owner, "sales")
	for name, sql := range map[string]string{
		"slug":     `INSERT INTO slug (workspace_id, slug, dashboard_id) VALUES ($1, 'x', $2)`,
		"schedule": `INSERT INTO schedule (workspace_id, dashboard_id, expression, next_run_at) VALUES ($1, $2, '1h', now())`,
		"alert": `INSERT INTO alert (workspace_id, dashboard_id, id, place, title, severity, channels, definition)
		          VALUES ($1, $2, 'a', 0, 'A', 'info', '{}', '')`,
		"subscription": `INSERT INTO subscription (workspace_id, id, dashboard_id, account_id, every, timezone, allowed, created_at)
		                 SELECT $1, gen_random_uuid(), $2, account_id, 'refresh', 'UTC', true, now() FROM membership LIMIT 1`,
		"a dashboard that holds a slug": `UPDATE any_dashboard SET deleted_at = now(), former_aliases = '{}'
		                                   WHERE workspace_id = $1 AND id <> $2`,
		"a live one without its slug": `UPDATE any_dashboard SET deleted_at = NULL, former_aliases = NULL, deleted_by = NULL
		                                 WHERE workspace_id = $1 AND id = $2`,
		"a live one with an old schedule": `UPDATE any_dashboard SET former_schedule = '1h', former_timezone = 'UTC'
		                                     WHERE workspace_id = $1 AND id <> $2`,
	} {
		if _, err := b.pool.Exec(t.Context(), sql, b.owner.WorkspaceID(), d.ID); err == nil {
			t.Errorf("%s is stored", name)
		}
	}
}

// TestBroughtBackAtOnce: if several callers restore one dashboard at once, one of them succeeds; if several request one slug at once, one
// gets it. No dashboard is lost.
func TestBroughtBackAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	const rounds, callers = 5, 4
	for i := range rounds {
		slug := fmt.Sprint("s", i)
		version := b.spec(t, b.owner, slug, `{}`).Dashboard.VersionID
		b.delete(t, b.owner, slug)
		errs := make(chan error)
		for range callers {
			go func() {
				_, err := b.Dashboards.Revive(ctx, b.owner, store.Revival{Slug: slug, Version: version})
				errs <- err
			}()
		}
		done := 0
		for range callers {
			switch err := <-errs; {
			case err == nil:
				done++
			case !errors.Is(err, store.ErrNotFound):
				t.Error(err)
			}
		}
		if done != 1 {
			t.Errorf("%d brought it back", done)
		}

		// Two dashboards that had one slug, and somebody who publishes under it.
		slug = fmt.Sprint("t", i)
		var versions []uuid.UUID
		for range 2 {
			versions = append(versions, b.spec(t, b.owner, slug, `{}`).Dashboard.VersionID)
			b.delete(t, b.owner, slug)
		}
		for _, version := range versions {
			go func() {
				_, err := b.Dashboards.Revive(ctx, b.owner, store.Revival{Slug: slug, Version: version})
				errs <- err
			}()
		}
		go func() { errs <- b.body(ctx, b.owner, slug, `{"title": "x"}`) }()
		go func() { // and somebody who erases the first of them
			var id uuid.UUID
			if err := b.pool.QueryRow(ctx, `SELECT dashboard_id FROM version WHERE id = $1`, versions[0]).Scan(&id); err != nil {
				errs <- err
				return
			}
			if err := b.Dashboards.EraseDashboard(ctx, b.owner, id); !errors.Is(err, store.ErrNotFound) {
				errs <- err
				return
			}
			errs <- nil
		}()
		for range 4 {
			if err := <-errs; err != nil && !errors.Is(err, store.ErrNotFound) && !strings.Contains(err.Error(), "is taken by another dashboard") {
				t.Error(err)
			}
		}
		if n := b.count(t, `SELECT count(*) FROM dashboard d JOIN slug s ON s.dashboard_id = d.id WHERE s.slug = $1`, slug); n != 1 {
			t.Errorf("%d dashboards have the slug", n)
		}
	}
	if n := b.count(t, `
		SELECT count(*) FROM dashboard d
		 WHERE NOT EXISTS (SELECT FROM slug s WHERE s.dashboard_id = d.id AND s.slug = d.slug)`); n != 0 {
		t.Errorf("%d live dashboards lack their slug", n)
	}
}

// A dashboard is deleted while it is published and triggered: it is live or deleted afterwards, and a deleted one has no active refresh.
func TestDeletedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	for i := range 10 {
		slug := fmt.Sprint("s", i)
		p := b.spec(t, b.owner, slug, sales)
		b.finish(t, p, 1)
		errs := make(chan error)
		for _, do := range []func() error{
			func() error { _, err := b.Dashboards.DeleteDashboard(ctx, b.owner, slug); return err },
			func() error { _, err := b.Refreshes.TriggerRefresh(ctx, b.owner, slug); return err },
			func() error {
				return b.Messages.Subscribe(ctx, b.owner, slug, store.Wish{Rhythm: dashboard.Rhythm{Every: dashboard.EveryRefresh}})
			},
			func() error {
				content := []byte(strings.Replace(sales, "Sales", "Again", 1))
				_, err := b.Dashboards.Publish(ctx, b.owner, store.Publication{
					Slug: slug, Filename: "index.html", DefaultName: slug, DefaultChart: "kpi", Spec: storetest.Spec(content),
					ContentType: "application/json", Content: content,
				})
				return err
			},
		} {
			go func() { errs <- do() }()
		}
		for range 4 {
			if err := <-errs; err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrStatic) {
				t.Error(err)
			}
		}
	}
	if n := b.count(t, `
		SELECT count(*) FROM refresh_run r JOIN any_dashboard d ON d.id = r.dashboard_id
		 WHERE d.deleted_at IS NOT NULL AND r.state IN ('queued', 'running')`); n != 0 {
		t.Errorf("%d deleted dashboards are refreshed", n)
	}
}

// The pages of the bin have each dashboard once.
func TestPagesOfTheBin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	for _, slug := range []string{"a", "b", "c", "d", "e"} {
		b.spec(t, b.owner, slug, `{}`)
		b.delete(t, b.owner, slug)
	}
	b.spec(t, b.owner, "c", `{}`)
	var got []string
	for cursor, n := "", 0; n == 0 || cursor != ""; n++ {
		page, err := b.Dashboards.Bin(ctx, b.owner, cursor, 2)
		if err != nil || page.Left != max(0, 3-2*n) {
			t.Fatal(page.Left, err)
		}
		for _, d := range page.Dashboards {
			if got = append(got, d.Slug); d.Taken != (d.Slug == "c") || d.Bytes != 0 { // they share their content
				t.Errorf("%+v", d)
			}
		}
		cursor = page.Next
	}
	same(t, "pages", got, "e", "d", "c", "b", "a")
	lair := b.workspace(t, b.account(t, "eve@example.com"), "lair")
	first, err := b.Dashboards.Bin(ctx, b.owner, "", 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Dashboards.Bin(ctx, lair, first.Next, 2); !errors.Is(err, store.ErrCursor) {
		t.Error(err)
	}
}
