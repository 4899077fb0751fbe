package refresh_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/server/refresh"
	"service/store"
)

// orders is a spec of which an alert looks at the last day of a file, which is multiplied by a factor.
func ordersSpec(factor int, alert string) string {
	return fmt.Sprintf(`{"title": "Sales", "currency": "EUR", "datasets": [{"id": "orders",
		"sql": "SELECT day, country, sum(revenue) * %d AS revenue FROM upload GROUP BY 1, 2",
		"columns": {"revenue": {"agg": "sum", "format": "currency"}}}], "filters": [{"column": "country"}],
		"panels": [{"type": "kpi", "value": "revenue"}, {"type": "line", "x": "day", "y": "revenue"}], "alerts": [%s]}`, factor, alert)
}

const orderRows = "day,country,revenue\n2026-01-01,France,900\n2026-01-01,Spain,900\n2026-01-02,France,400\n2026-01-02,Spain,412\n"

// notices are the messages that were queued, oldest first.
func (b *bench) notices(t testing.TB) (out []store.Notice) {
	t.Helper()
	rows, err := b.Pool().Query(t.Context(), `SELECT body FROM message WHERE kind = 'alert' ORDER BY queued_at, id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var body []byte
		var n store.Notice
		if err := rows.Scan(&body); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, &n); err != nil {
			t.Fatal(err)
		}
		n.Run, n.At = uuid.Nil, time.Time{}
		out = append(out, n)
	}
	return out
}

// age makes all that alerts go by so much older: the time is that of the database.
func (b *bench) age(t testing.TB, by time.Duration) {
	t.Helper()
	for _, sql := range []string{
		`UPDATE version SET created_at = created_at - $1::interval`,
		`UPDATE dashboard SET refreshed_at = refreshed_at - $1::interval`,
		`UPDATE alert SET due_at = due_at - $1::interval`,
		`UPDATE alert_state SET since = since - $1::interval, told_at = told_at - $1::interval`,
		`UPDATE message SET queued_at = queued_at - $1::interval`,
	} {
		if _, err := b.Pool().Exec(t.Context(), sql, by); err != nil {
			t.Fatal(err)
		}
	}
}

// An alert fires with the refresh that stores the rows, is notified once, and once more when it has recovered.
func TestAlertFiresAndRecovers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	up, err := b.Uploads.AddUpload(t.Context(), b.member, "orders.csv", []byte(orderRows))
	if err != nil {
		t.Fatal(err)
	}
	b.start(t)
	const alert = `{"id": "low", "value": "revenue", "x": "day", "if": "<", "than": 1000, "severity": "critical"},
		{"id": "each", "value": "revenue", "x": "day", "by": "country", "if": "<", "than": 410, "title": "Small markets", "recover": false}`
	b.publish(t, b.member, "sales", ordersSpec(1, alert), up.Connection.ID, up.Upload.ID)
	if state := b.wait(t); state != store.RunSucceeded {
		t.Fatal(state)
	}
	want := []store.Notice{
		{
			Alert: "low", Title: "Revenue below €1,000", Severity: "critical", Event: "fired",
			Sentence: "Revenue was €812 (Jan 2, 2026): below €1,000.", Panel: 1, Locale: "en-US",
		},
		{
			Alert: "each", Title: "Small markets", Severity: "warning", Event: "fired", Query: "f.country=France",
			Sentence: "France: Revenue was €400 (Jan 2, 2026): below €410.", Panel: 1, Locale: "en-US",
			Values: []store.NoticeValue{{Name: "France", Text: "€400 (below €410)"}},
		},
	}
	if diff := cmp.Diff(want, b.notices(t)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "sales"); err != nil { // there is nothing new to notify
		t.Fatal(err)
	}
	b.wait(t)
	if got := b.notices(t); len(got) != 2 {
		t.Errorf("told again: %v", got[2:])
	}
	now, err := b.Alerts.Alerts(t.Context(), b.member)
	if err != nil || len(now) != 2 || now[0].ID != "low" || now[0].Firing != 1 || now[1].Firing != 1 ||
		now[1].Texts[0] != "France: €400 (below €410)" {
		t.Errorf("%+v, %v", now, err)
	}
	b.publish(t, b.member, "sales", ordersSpec(10, alert), up.Connection.ID, up.Upload.ID)
	b.wait(t)
	got := b.notices(t)
	last := store.Notice{
		Alert: "low", Title: "Revenue below €1,000", Severity: "critical", Event: "recovered",
		Sentence: "Over: Revenue below €1,000. Revenue was €8,120 (Jan 2, 2026).", Panel: 1, Locale: "en-US",
	}
	if len(got) != 3 {
		t.Fatalf("%d messages: %v", len(got), got)
	}
	if diff := cmp.Diff(last, got[2]); diff != "" {
		t.Errorf("over (-want +got):\n%s", diff)
	}
	events, err := b.Alerts.AlertEvents(t.Context(), b.member, 10)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events {
		told = append(told, fmt.Sprint(e.Alert, " ", e.Event, " to ", e.Told))
	}
	if text := strings.Join(told, ", "); text != "each recovered to 0, low recovered to 1, each fired to 1, low fired to 1" {
		t.Error(text)
	}
}

// TestAlertOfFailures: a refresh that fails before any row fires alerts of failures, after as many failures in a row as each alert
// requires.
func TestAlertOfFailures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.start(t)
	const spec = `{"title": "T", "datasets": [{"id": "d", "sql": "SELECT CAST('x' AS integer) AS n FROM metrics"}],
		"alerts": [{"id": "broken", "failing": true, "for": 2}, {"id": "rows", "rows": "none"}]}`
	b.publish(t, b.member, "sales", `{"title": "T", "datasets": [{"id": "d", "sql": "SELECT 1 AS n"}]}`, uuid.Nil, uuid.Nil)
	b.wait(t)
	b.publish(t, b.member, "sales", strings.Replace(spec, "FROM metrics", "", 1), uuid.Nil, uuid.Nil)
	if state := b.wait(t); state != store.RunFailed {
		t.Fatal(state)
	}
	if got := b.notices(t); len(got) != 0 {
		t.Errorf("told of the first failure: %v", got)
	}
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "sales"); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
	want := []store.Notice{
		{
			Alert: "broken", Title: "The refresh fails", Severity: "warning", Event: "fired", Sentence: "The newest refresh failed.",
			Locale: "en-US",
		},
	}
	if diff := cmp.Diff(want, b.notices(t)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// Alerts of a dataset whose refresh failed could not be judged because of that, while the page shows its last rows; those of
// the others are judged.
func TestAlertsOfAFailedDataset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.start(t)
	const spec = `{"title": "T", "datasets": [{"id": "good", "sql": "SELECT 1 AS n"}, {"id": "bad", "sql": "SELECT CAST(%s AS integer) AS m"}],
		"panels": [{"type": "kpi", "data": "good", "value": "n"}, {"type": "kpi", "data": "bad", "value": "m"}],
		"alerts": [{"id": "fine", "data": "good", "value": "n", "if": ">", "than": 5},
			{"id": "blind", "data": "bad", "value": "m", "if": ">", "than": 5}, {"id": "broken", "failing": true}]}`
	for _, step := range []struct{ value, state, blind string }{
		{"1", store.RunSucceeded, ""},
		{"'x'", store.RunPartial, "failed"},
		{"2", store.RunSucceeded, ""},
	} {
		b.publish(t, b.member, "sales", fmt.Sprintf(spec, step.value), uuid.Nil, uuid.Nil)
		if state := b.wait(t); state != step.state {
			t.Fatalf("%s: %s", step.value, state)
		}
		all, err := b.Alerts.Alerts(t.Context(), b.member)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, a := range all {
			if a.CheckedAt != nil {
				got[a.ID] = a.Unknown
			}
		}
		if diff := cmp.Diff(map[string]string{"fine": "", "blind": step.blind, "broken": ""}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.value, diff)
		}
	}
}

// Stale data are notified without a refresh, once, and again after a while.
func TestAlertOfStaleData(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w, err := refresh.New(refresh.Config{Store: b.Store, Log: b.log})
	if err != nil {
		t.Fatal(err)
	}
	b.publish(t, b.member, "sales", `{"title": "T", "datasets": [{"id": "d", "sql": "SELECT 1 AS n"}],
		"alerts": [{"id": "stale", "stale": "26h", "again": "12h"}, {"id": "broken", "failing": true}]}`, uuid.Nil, uuid.Nil)
	for _, step := range []struct {
		pass time.Duration
		want int
	}{{25 * time.Hour, 0}, {2 * time.Hour, 1}, {time.Hour, 1}, {11 * time.Hour, 2}, {time.Minute, 2}} {
		b.age(t, step.pass)
		if err := w.JudgeDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.notices(t); len(got) != step.want {
			t.Fatalf("after %s: %d messages, want %d: %v", step.pass, len(got), step.want, got)
		}
	}
	got := b.notices(t)
	if got[0].Title != "Not refreshed for 1\u00a0d\u00a02\u00a0h" || got[0].Event != "fired" || got[1].Event != "again" {
		t.Errorf("%+v", got)
	}
	b.start(t)
	if state := b.wait(t); state != store.RunSucceeded {
		t.Fatal(state)
	}
	if got = b.notices(t); len(got) != 3 || got[2].Event != "recovered" || got[2].Alert != "stale" {
		t.Fatalf("after a refresh: %+v", got)
	}
	b.age(t, 27*time.Hour)
	if err := w.JudgeDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got = b.notices(t); len(got) != 4 {
		t.Errorf("stale again: %d messages", len(got))
	}
}
