package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store"
	"service/store/dashboard/alert"
)

// alertSpec is a spec with alerts.
func alertSpec(alerts string) string {
	return `{"datasets": [{"id": "d", "sql": "SELECT day, sum(n) AS n FROM t GROUP BY 1"}], "alerts": [` + alerts + `]}`
}

const low = `{"id": "low", "value": "n", "if": "<", "than": 5}`

// fires judges one alert as firing for values, with a notice of event.
func fires(id, event string, values ...string) func(store.Judging) []store.Judged {
	return func(on store.Judging) []store.Judged {
		j := store.Judged{Alert: id, Title: "Title of " + id}
		for _, v := range values {
			j.States = append(j.States, alert.State{Key: v, Text: "text of " + v, Times: 1, Firing: true, Since: on.Now, Told: on.Now})
		}
		if event != "" {
			n := store.Notice{Alert: id, Title: j.Title, Severity: "warning", Event: event, Sentence: "It is so."}
			j.Notices = []store.JudgedNotice{{Notice: n}}
		}
		return []store.Judged{j}
	}
}

// judged ends the active run of a publish, and judges its alerts with judge.
func (b bench) judged(t testing.TB, p store.Published, judge func(store.Judging) []store.Judged) error {
	t.Helper()
	j, err := b.Refreshes.StartRun(t.Context(), store.RefreshArgs{Workspace: b.owner.WorkspaceID(), Run: p.Run.ID}, 10)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Refreshes.FinishRun(t.Context(), j, store.Outcome{Alerts: judge})
	return err
}

// alerts are the alerts of the workspace, in words.
func (b bench) alerts(t testing.TB) string {
	t.Helper()
	all, err := b.Alerts.Alerts(t.Context(), b.owner)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range all {
		s := fmt.Sprint(a.ID, " ", a.Firing)
		if a.Muted(time.Now()) {
			s += " muted"
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// The alerts of a dashboard are those of its current version. The state of an alert stays while its condition does.
func TestAlertsFollowTheVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.spec(t, b.owner, "sales", alertSpec(low+`, {"id": "old", "failing": true}`))
	if err := b.judged(t, p, fires("low", "fired", "=a", "=b")); err != nil {
		t.Fatal(err)
	}
	if err := b.Alerts.MuteAlert(t.Context(), b.owner, "sales", "low", &store.Forever); err != nil {
		t.Fatal(err)
	}
	if got := b.alerts(t); got != "low 2 muted, old 0" {
		t.Error(got)
	}
	first := p.Dashboard.VersionID
	b.spec(t, b.owner, "sales", alertSpec(strings.Replace(low, `"low"`, `"low", "title": "T", "severity": "info", "to": "ops"`, 1)))
	if got := b.alerts(t); got != "low 2 muted" {
		t.Error("another title: ", got)
	}
	b.spec(t, b.owner, "sales", alertSpec(strings.Replace(low, "5", "6", 1)))
	if got := b.alerts(t); got != "low 0 muted" {
		t.Error("another condition: ", got)
	}
	if _, err := b.Dashboards.RestoreVersion(t.Context(), b.owner, "sales", first); err != nil {
		t.Fatal(err)
	}
	if got := b.alerts(t); got != "low 0 muted, old 0" {
		t.Error("restored: ", got)
	}
	if err := b.Alerts.MuteAlert(t.Context(), b.owner, "sales", "none", nil); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	other := b.workspace(t, b.account(t, "bob@example.com"), "other")
	if err := b.Alerts.MuteAlert(t.Context(), other, "sales", "low", nil); !errors.Is(err, store.ErrNotFound) {
		t.Error("another workspace's alert was muted:", err)
	}
	if all, err := b.Alerts.Alerts(t.Context(), other); err != nil || len(all) > 0 {
		t.Error("another workspace sees", all, err)
	}
	if events, err := b.Alerts.AlertEvents(t.Context(), other, 9); err != nil || len(events) > 0 {
		t.Error("another workspace sees", events, err)
	}
}

// The notices of an alert go to its channels, or to its publisher; a muted alert sends none.
func TestAlertsTellWhomTheyShould(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ops := b.slack(t, "ops")
	b.slack(t, "sales")
	bob := b.member(t, "bob@example.com")
	tell := func(m store.Member, to string) (channels, people []uuid.UUID) {
		t.Helper()
		p := b.spec(t, m, "sales", alertSpec(strings.Replace(low, `"low"`, `"low"`+to, 1)))
		if err := b.judged(t, p, fires("low", "fired", "")); err != nil {
			t.Fatal(err)
		}
		rows, err := b.pool.Query(t.Context(), `DELETE FROM message RETURNING channel_id, account_id`)
		if err != nil {
			t.Fatal(err)
		}
		var channel, account *uuid.UUID
		if _, err := pgx.ForEachRow(rows, []any{&channel, &account}, func() error {
			if channel != nil {
				channels = append(channels, *channel)
			}
			if account != nil {
				people = append(people, *account)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return channels, people
	}
	if channels, people := tell(bob, ""); len(channels) != 0 || len(people) != 1 || people[0] != bob.Account() {
		t.Error("the publisher:", channels, people)
	}
	if channels, people := tell(bob, `, "to": "ops"`); len(people) != 0 || len(channels) != 1 || channels[0] != ops.ID {
		t.Error("a channel:", channels, people)
	}
	if channels, _ := tell(bob, `, "to": ["ops", "sales", "gone"]`); len(channels) != 2 {
		t.Error("channels:", channels)
	}
	if channels, people := tell(bob, `, "to": "gone"`); len(channels)+len(people) != 0 {
		t.Error("a channel that is gone:", channels, people)
	}
	if err := b.Alerts.MuteAlert(t.Context(), b.owner, "sales", "low", new(time.Now().Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	if channels, people := tell(bob, ""); len(channels)+len(people) != 0 {
		t.Error("a muted one:", channels, people)
	}
	if err := b.Alerts.MuteAlert(t.Context(), b.owner, "sales", "low", nil); err != nil {
		t.Fatal(err)
	}
	p := b.spec(t, bob, "sales", alertSpec(low))
	if err := b.Members.EndMembership(t.Context(), b.owner, bob.Account()); err != nil {
		t.Fatal(err)
	}
	if err := b.judged(t, p, fires("low", "fired", "")); err != nil {
		t.Fatal(err)
	}
	if n := b.count(t, `SELECT count(*) FROM message`); n != 0 {
		t.Error("who has left was told")
	}
	events, err := b.Alerts.AlertEvents(t.Context(), b.owner, 10)
	if err != nil || len(events) != 6 || events[0].Told != 0 || !events[1].Muted || events[3].Told != 2 || events[5].Told != 1 {
		t.Errorf("%+v, %v", events, err)
	}
}

// States, events and messages are of the refresh's transaction; a run of a version that was replaced judges nothing.
func TestAlertsAreOfTheTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.spec(t, b.owner, "sales", alertSpec(low))
	if _, err := b.pool.Exec(t.Context(), `
		CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the commit is lost'; END $$;
		CREATE CONSTRAINT TRIGGER lose AFTER UPDATE ON refresh_run DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
		  WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION lose()`); err != nil {
		t.Fatal(err)
	}
	if err := b.judged(t, p, fires("low", "fired", "=a")); err == nil || !strings.Contains(err.Error(), "the commit is lost") {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(t.Context(), `
		DROP TRIGGER lose ON refresh_run; UPDATE refresh_run SET state = 'queued', started_at = NULL`); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"alert_state", "alert_event", "message"} {
		if n := b.count(t, `SELECT count(*) FROM `+table); n != 0 {
			t.Errorf("%d rows in %s of a refresh that did not end", n, table)
		}
	}
	if err := b.judged(t, p, fires("low", "fired", "=a")); err != nil {
		t.Fatal(err)
	}
	if n := b.count(t, `SELECT count(*) FROM message WHERE state = 'queued' AND due_at IS NOT NULL`); n != 1 {
		t.Errorf("%d messages", n)
	}
	next := b.spec(t, b.owner, "sales", alertSpec(low))
	j, err := b.Refreshes.StartRun(t.Context(), store.RefreshArgs{Workspace: b.owner.WorkspaceID(), Run: next.Run.ID}, 10)
	if err != nil {
		t.Fatal(err)
	}
	b.spec(t, b.owner, "sales", alertSpec(low))
	asked := false
	if _, err := b.Refreshes.FinishRun(t.Context(), j, store.Outcome{Alerts: func(store.Judging) []store.Judged {
		asked = true
		return nil
	}}); err != nil || asked {
		t.Errorf("a run of a version that was replaced has judged alerts: %v, %v", asked, err)
	}
}

// Ten thousand alerts fire, hold on and are over at one refresh each: ten of a thousand values.
func BenchmarkJudgedAlerts(b *testing.B) {
	s := setup(b)
	var alerts []string
	for i := range 10 {
		alerts = append(alerts, fmt.Sprintf(`{"id": "a%d", "value": "n", "if": "<", "than": 5}`, i))
	}
	p := s.spec(b, s.owner, "sales", alertSpec(strings.Join(alerts, ",")))
	values := make([]string, 1000)
	for i := range values {
		values[i] = fmt.Sprint("=value ", i)
	}
	judge := func(event string, values ...string) func(store.Judging) []store.Judged {
		return func(on store.Judging) (out []store.Judged) {
			for i := range 10 {
				out = append(out, fires(fmt.Sprint("a", i), event, values...)(on)...)
			}
			return out
		}
	}
	for b.Loop() {
		for _, step := range []func(store.Judging) []store.Judged{judge("fired", values...), judge("", values...), judge("recovered")} {
			if err := s.judged(b, p, step); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			tr, err := s.Refreshes.TriggerRefresh(b.Context(), s.owner, "sales")
			if err != nil {
				b.Fatal(err)
			}
			p.Run = tr.Run
			b.StartTimer()
		}
	}
}
