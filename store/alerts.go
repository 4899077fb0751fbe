package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/dashboard/alert"
)

// Forever is the end of a mute until further notice.
var Forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Judging is the input for judging alerts.
type Judging struct {
	Now      time.Time
	LastGood time.Time                // when the last refresh without a failure ended, or else the version was made
	Failed   bool                     // the refresh that ends
	Datasets []DatasetResult          // whose rows are stored now; a failed one has no rows
	States   map[string][]alert.State // by alert
}

// A Judged is the outcome of judging one alert.
type Judged struct {
	Alert   string
	Title   string
	Unknown alert.Reason
	States  []alert.State
	Notices []JudgedNotice
	Due     time.Time // when it is to be judged without a refresh; zero for not
}

// A JudgedNotice is a notice that an alert makes.
type JudgedNotice struct {
	Notice
	Silent bool // it is recorded, but not sent
}

// syncAlerts replaces the stored alerts of a dashboard by those of its new current version.
func (s *core) syncAlerts(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, v newVersion) error {
	var alerts []dashboard.Alert
	if v.spec != nil {
		alerts = v.spec.Alerts
	}
	ids := make([]string, len(alerts))
	for i := range alerts {
		ids[i] = alerts[i].ID
	}
	if _, err := tx.Exec(ctx, `
		DELETE FROM alert WHERE workspace_id = $1 AND dashboard_id = $2 AND NOT id = ANY($3)`, workspace, v.dashboard.ID, ids); err != nil {
		return err
	}
	batch := &pgx.Batch{}
	for i, a := range alerts {
		title := dashboard.OneLine(a.Title)
		if title == "" {
			title = dashboard.Label(a.ID) // until it is judged
		}
		var stale *time.Duration
		var due *time.Time
		if a.Condition == dashboard.AlertStale {
			stale, due = &a.Stale, new(s.jobNow().Add(a.Stale))
		}
		definition := alertDefinition(a)
		batch.Queue(`
			DELETE FROM alert_state s USING alert a
			 WHERE a.workspace_id = $1 AND a.dashboard_id = $2 AND a.id = $3 AND a.definition <> $4
			   AND s.workspace_id = $1 AND s.dashboard_id = $2 AND s.alert = $3`, workspace, v.dashboard.ID, a.ID, definition)
		batch.Queue(`
			INSERT INTO alert AS a (workspace_id, dashboard_id, id, place, title, severity, channels, definition, stale_after, due_at, me)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12)
			ON CONFLICT (workspace_id, dashboard_id, id) DO UPDATE
			   SET place = excluded.place, severity = excluded.severity, channels = excluded.channels, definition = excluded.definition,
			       stale_after = excluded.stale_after, due_at = excluded.due_at, me = excluded.me,
			       title = CASE WHEN a.definition = excluded.definition AND $11 THEN a.title ELSE excluded.title END`,
			workspace, v.dashboard.ID, a.ID, i, title, a.Severity, append([]string{}, a.To...), definition, stale, due, a.Title == "",
			optional(v.me.Alerts[a.ID]))
	}
	if batch.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, batch).Close()
}

// alertDefinition is a hash of all that decides when an alert fires.
func alertDefinition(a dashboard.Alert) []byte {
	a.Title, a.To, a.Severity, a.Again, a.Recover = "", nil, "", 0, false
	text, err := json.Marshal(a)
	if err != nil {
		panic(err) // cannot fail: strings and finite numbers only
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// judgeAlerts judges alerts of the current version of a dashboard, which is locked. It stores their states and notices, and queues messages
// with the notices. It calls judge once, if version is the current one.
func (s *core) judgeAlerts(
	ctx context.Context, tx pgx.Tx, workspace, dashboardID, version, run uuid.UUID, o Outcome, judge func(Judging) []Judged,
) error {
	if judge == nil {
		return nil
	}
	on := Judging{Now: s.jobNow(), Failed: o.state() != RunSucceeded, Datasets: o.Datasets, States: map[string][]alert.State{}}
	var publisher *uuid.UUID
	err := tx.QueryRow(ctx, `
		SELECT coalesce(d.refreshed_at, v.created_at), p.account_id
		  FROM dashboard d
		  JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		  LEFT JOIN membership p ON p.workspace_id = v.workspace_id AND p.account_id = v.created_by
		 WHERE d.workspace_id = $1 AND d.id = $2 AND d.version_id = $3`, workspace, dashboardID, version).Scan(&on.LastGood, &publisher)
	if errors.Is(err, pgx.ErrNoRows) { // another version is the current one now
		return nil
	}
	if err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, `
		SELECT alert, key, text, times, firing, since, coalesce(told_at, '0001-01-01'::timestamptz)
		  FROM alert_state WHERE workspace_id = $1 AND dashboard_id = $2 ORDER BY alert, key`, workspace, dashboardID)
	var id string
	var st alert.State
	if _, err := pgx.ForEachRow(rows, []any{&id, &st.Key, &st.Text, &st.Times, &st.Firing, &st.Since, &st.Told}, func() error {
		on.States[id] = append(on.States[id], st)
		return nil
	}); err != nil {
		return err
	}
	judged := judge(on)
	if err := putAlertStates(ctx, tx, workspace, dashboardID, on, judged); err != nil {
		return err
	}
	return s.tellAlerts(ctx, tx, workspace, dashboardID, run, publisher, on.Now, judged)
}

// putAlertStates stores the states of the judged alerts, in one statement however many there are.
func putAlertStates(ctx context.Context, tx pgx.Tx, workspace, dashboardID uuid.UUID, on Judging, judged []Judged) error {
	var ids, titles, unknowns []string
	var due []*time.Time
	var of, keys, texts []string
	var times []int32
	var firing []bool
	var since []time.Time
	var told []*time.Time
	for _, j := range judged {
		ids, titles, unknowns = append(ids, j.Alert), append(titles, j.Title), append(unknowns, string(j.Unknown))
		if j.Due.IsZero() {
			due = append(due, nil)
		} else {
			due = append(due, &j.Due)
		}
		for _, st := range j.States {
			of, keys, texts = append(of, j.Alert), append(keys, st.Key), append(texts, st.Text)
			times, firing, since = append(times, int32(min(st.Times, 1<<30))), append(firing, st.Firing), append(since, st.Since)
			if st.Firing {
				told = append(told, &st.Told)
			} else {
				told = append(told, nil)
			}
		}
	}
	if _, err := tx.Exec(ctx, `
		UPDATE alert a SET title = n.title, unknown = n.unknown, due_at = n.due, checked_at = $7
		  FROM unnest($3::text[], $4::text[], $5::text[], $6::timestamptz[]) AS n (id, title, unknown, due)
		 WHERE a.workspace_id = $1 AND a.dashboard_id = $2 AND a.id = n.id`,
		workspace, dashboardID, ids, titles, unknowns, due, on.Now); err != nil {
		return err
	}
	if len(of) == 0 && len(on.States) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		WITH now AS (
		       SELECT * FROM unnest($4::text[], $5::text[], $6::text[], $7::integer[], $8::boolean[], $9::timestamptz[], $10::timestamptz[])
		                  AS n (alert, key, text, times, firing, since, told)
		        WHERE EXISTS (SELECT FROM alert a WHERE a.workspace_id = $1 AND a.dashboard_id = $2 AND a.id = n.alert)),
		     gone AS (
		       DELETE FROM alert_state s
		        WHERE s.workspace_id = $1 AND s.dashboard_id = $2 AND s.alert = ANY($3)
		          AND (s.alert, s.key) NOT IN (SELECT n.alert, n.key FROM now n)) -- hashed: an anti-join of these would be nested loops
		INSERT INTO alert_state AS s (workspace_id, dashboard_id, alert, key, text, times, firing, since, told_at)
		SELECT $1, $2, alert, key, text, times, firing, since, told FROM now
		ON CONFLICT (workspace_id, dashboard_id, alert, key) DO UPDATE
		   SET text = excluded.text, times = excluded.times, firing = excluded.firing, since = excluded.since, told_at = excluded.told_at`,
		workspace, dashboardID, ids, of, keys, texts, times, firing, since, told)
	return err
}

// tellAlerts stores the notices of alerts, and queues a message to each channel, or to the publisher.
func (s *core) tellAlerts(
	ctx context.Context, tx pgx.Tx, workspace, dashboardID, run uuid.UUID, publisher *uuid.UUID, now time.Time, judged []Judged,
) error {
	var messages []Message
	var events [][]any
	for _, j := range judged {
		if len(j.Notices) == 0 {
			continue
		}
		var muted bool
		var to, people []uuid.UUID
		err := tx.QueryRow(ctx, `
			SELECT coalesce(a.muted_until > $4, false),
			       ARRAY (SELECT c.id FROM channel c WHERE c.workspace_id = $1 AND c.slug = ANY(a.channels) ORDER BY c.id),
			       ARRAY (SELECT p.account_id FROM membership p
			               WHERE p.workspace_id = $1 AND p.account_id = CASE WHEN cardinality(a.channels) = 0 THEN $5 ELSE a.me END
			                 AND NOT EXISTS (SELECT FROM alert_ended e WHERE e.workspace_id = $1 AND e.dashboard_id = $2 AND e.alert = $3
			                                    AND e.account_id = p.account_id))
			  FROM alert a WHERE a.workspace_id = $1 AND a.dashboard_id = $2 AND a.id = $3`, workspace, dashboardID, j.Alert, now, publisher).
			Scan(&muted, &to, &people)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		for _, n := range j.Notices {
			n.Run, n.At = run, now
			told := 0
			send := func(m Message) {
				m.Workspace, m.Kind, m.Dashboard, m.Body = workspace, MessageAlert, dashboardID, n.Notice
				messages = append(messages, m)
				told++
			}
			switch {
			case muted || n.Silent:
			default:
				for _, c := range to {
					send(Message{Channel: c})
				}
				for _, account := range people {
					send(Message{Account: account})
				}
			}
			events = append(events, []any{
				workspace, newID(), dashboardID, j.Alert, n.Title, n.Severity, n.Event, n.Sentence, now, told, muted,
			})
		}
	}
	if len(events) == 0 {
		return nil
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"alert_event"},
		[]string{"workspace_id", "id", "dashboard_id", "alert", "title", "severity", "event", "sentence", "at", "told", "muted"},
		pgx.CopyFromRows(events)); err != nil {
		return err
	}
	return Messages{s}.QueueMessages(ctx, tx, messages)
}

// A DueAlerts is a dashboard with alerts that are to be judged without a refresh, because they are about its absence.
type DueAlerts struct {
	Workspace uuid.UUID
	Dashboard uuid.UUID
	Version   uuid.UUID
	Spec      []byte
}

// DueAlerts are up to limit dashboards with alerts that are due.
func (s Alerts) DueAlerts(ctx context.Context, limit int) ([]DueAlerts, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT d.workspace_id, d.id, d.version_id, v.sha256
		  FROM dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		 WHERE (d.workspace_id, d.id) IN (SELECT workspace_id, dashboard_id FROM alert WHERE due_at <= $1 ORDER BY due_at LIMIT $2)`,
		s.jobNow(), limit)
	var out []DueAlerts
	var hashes [][]byte
	var d DueAlerts
	var hash []byte
	if _, err := pgx.ForEachRow(rows, []any{&d.Workspace, &d.Dashboard, &d.Version, &hash}, func() error {
		out, hashes = append(out, d), append(hashes, bytes.Clone(hash))
		return nil
	}); err != nil {
		return nil, err
	}
	for i := range out {
		var err error
		if out[i].Spec, err = s.blob(ctx, s.pool, out[i].Workspace, hashes[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// JudgeDue judges alerts that are due. If two processes call it at once, the second finds no due alerts.
func (s Alerts) JudgeDue(ctx context.Context, d DueAlerts, judge func(Judging) []Judged) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			SELECT FROM dashboard WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE`, d.Workspace, d.Dashboard); err != nil {
			return err
		}
		var due bool
		if err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM alert WHERE workspace_id = $1 AND dashboard_id = $2 AND due_at <= $3)`,
			d.Workspace, d.Dashboard, s.jobNow()).Scan(&due); err != nil || !due {
			return err
		}
		return s.judgeAlerts(ctx, tx, d.Workspace, d.Dashboard, d.Version, uuid.Nil, Outcome{}, judge)
	})
}
