package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
)

// An Alert is an alert of a dashboard's current version, with its state.
type Alert struct {
	Dashboard  uuid.UUID
	Slug       string // of the dashboard
	Name       string // of the dashboard
	ID         string
	Title      string
	Severity   string
	Channels   []string // slugs; none: the publisher is notified
	Missing    []string // those of Channels that do not exist
	Publisher  string   // e-mail of the account that published the version, if it is a member; empty for nobody
	CheckedAt  *time.Time
	Unknown    string     // why it could not be judged: an alert.Reason
	MutedUntil *time.Time // [Forever] until further notice
	MutedBy    string     // e-mail; empty for nobody
	Firing     int        // values for which it fires; 1 for the whole
	Holding    int        // values of which it holds, firing ones too
	Since      *time.Time // when the first of those that fire began to hold
	Texts      []string   // of those that fire, the first five, in the spec's language
}

// Muted reports whether the alert is muted at a time.
func (a Alert) Muted(at time.Time) bool { return a.MutedUntil != nil && at.Before(*a.MutedUntil) }

const selectAlert = `
	SELECT a.dashboard_id, d.slug, d.name, a.id, a.title, a.severity, a.channels,
	       ARRAY (SELECT c FROM unnest(a.channels) c
	               WHERE c <> 'me' AND NOT EXISTS (SELECT FROM channel k WHERE k.workspace_id = a.workspace_id AND k.slug = c)),
	       coalesce((SELECT u.email FROM version v JOIN membership p ON p.workspace_id = v.workspace_id AND p.account_id = v.created_by
	                   JOIN account u ON u.id = p.account_id WHERE v.workspace_id = d.workspace_id AND v.id = d.version_id), ''),
	       a.checked_at, a.unknown, a.muted_until, coalesce((SELECT email FROM account WHERE id = a.muted_by), ''),
	       s.firing, s.holding, s.since, coalesce(s.texts, '{}')
	  FROM alert a
	  JOIN dashboard d ON d.workspace_id = a.workspace_id AND d.id = a.dashboard_id
	 CROSS JOIN LATERAL (
	       SELECT (count(*) FILTER (WHERE firing))::integer AS firing, count(*)::integer AS holding, min(since) FILTER (WHERE firing) AS since,
	              (array_agg(text ORDER BY since, key) FILTER (WHERE firing))[1:5] AS texts
	         FROM alert_state t WHERE t.workspace_id = a.workspace_id AND t.dashboard_id = a.dashboard_id AND t.alert = a.id) s`

// Alerts lists the alerts of a workspace's dashboards: first those that fire, the most severe first. Alerts are judged over all rows, so
// the alerts of a dashboard of which m may read only some rows are left out, here and below.
func (s Alerts) Alerts(ctx context.Context, m Member) ([]Alert, error) {
	whole, args := m.wholeOf(2)
	rows, _ := s.pool.Query(ctx, selectAlert+`
		 WHERE a.workspace_id = $1 AND `+whole+`
		 ORDER BY s.firing = 0, array_position('{critical,warning,info}', a.severity), s.since, d.slug, a.place`,
		append([]any{m.workspace}, args...)...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Alert])
}

// DashboardAlerts lists the alerts of one dashboard, in the order of its spec.
func (s Alerts) DashboardAlerts(ctx context.Context, m Member, dashboardID uuid.UUID) ([]Alert, error) {
	whole, args := m.wholeOf(3)
	rows, _ := s.pool.Query(ctx, selectAlert+`
		 WHERE a.workspace_id = $1 AND a.dashboard_id = $2 AND `+whole+` ORDER BY a.place`, append([]any{m.workspace, dashboardID}, args...)...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Alert])
}

// An AlertEvent is a notification that an alert made.
type AlertEvent struct {
	ID       uuid.UUID
	Slug     string // of the dashboard
	Name     string // of the dashboard
	Alert    string
	Title    string
	Severity string
	Event    string // NoticeFired, …
	Sentence string
	At       time.Time
	Told     int // how many channels and people were notified
	Muted    bool
}

// AlertEvents lists the notifications that the alerts of a workspace made, newest first.
func (s Alerts) AlertEvents(ctx context.Context, m Member, limit int) ([]AlertEvent, error) {
	whole, args := m.wholeOf(3)
	rows, _ := s.pool.Query(ctx, `
		SELECT e.id, d.slug, d.name, e.alert, e.title, e.severity, e.event, e.sentence, e.at, e.told, e.muted
		  FROM alert_event e JOIN dashboard d ON d.workspace_id = e.workspace_id AND d.id = e.dashboard_id
		 WHERE e.workspace_id = $1 AND `+whole+` ORDER BY e.at DESC, e.id DESC LIMIT $2`, append([]any{m.workspace, limit}, args...)...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[AlertEvent])
}

// MuteAlert mutes an alert of the dashboard called slug until a time; [Forever] means until further notice, and nil unmutes it. It returns
// [ErrNotFound] if there is no such alert.
func (s Alerts) MuteAlert(ctx context.Context, m Member, slug, id string, until *time.Time) error {
	if until != nil && !until.After(s.now()) {
		return message.Refuse("An alert is muted until a time to come.")
	}
	return s.tx(ctx, func(tx pgx.Tx) error {
		d, err := lockDashboard(ctx, tx, m.workspace, slug)
		if err != nil {
			return err
		}
		var by *uuid.UUID
		if until != nil {
			by = new(m.account)
		}
		tag, err := tx.Exec(ctx, `
			UPDATE alert SET muted_until = $4, muted_by = $5 WHERE workspace_id = $1 AND dashboard_id = $2 AND id = $3`,
			m.workspace, d.ID, id, until, by)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		e := Event{Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "alert.mute", Subject: d.Slug + "/" + id}
		if until == nil {
			e.Action = "alert.unmute"
		} else if until.Before(Forever) {
			e.Detail = map[string]any{"until": until.UTC().Format(time.RFC3339)}
		}
		return s.audit(ctx, tx, e)
	})
}
