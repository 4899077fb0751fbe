package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const day = 24 * time.Hour

// How long expired rows are kept, and why.
const (
	keptClient   = 90 * day  // a registration that no person ever allowed
	keptDisused  = 400 * day // a registration after its last grant has ended
	keptCode     = day       // a used code, because presenting it again revokes its grant
	keptGrant    = 90 * day  // an ended grant, so that the operator can look into it
	keptRuns     = 90 * day  // an ended refresh, and the outcome of a delivery
	mostRuns     = 1000      // ended refreshes of one dashboard; the newest of its current version always stays
	keptActivity = 400 * day // a day's counts, to compare a year with the year before
	keptWaiting  = day       // a file that its owner has not decided about
	keptMessages = 90 * day  // a message that was sent, or failed
	keptAlerts   = 90 * day  // the events of alerts

	// AuditRetention is how long an event of the audit log stays by default.
	AuditRetention = 400 * day

	// BinRetention is how long a deleted dashboard is kept by default.
	BinRetention = 30 * day
)

// sweepBatch is how many rows a statement deletes at most, so that it does not hold locks for
// long. It skips rows that others have locked; the next sweep finds them.
const sweepBatch = 1000

// Sweep deletes expired or old rows: requests, codes, tokens, grants, sign-ins, tickets, sessions, registrations of clients that are not
// used, deleted dashboards, the history of refreshes, files that wait for a decision, messages, events of alerts, the audit log, and
// counters. It returns the number of deleted rows.
func (s *Store) Sweep(ctx context.Context) (gone int64, err error) {
	now := s.now()
	for _, old := range []struct {
		table, where string // t is the row
		args         []any
	}{
		{"oauth_request", `t.expires_at <= $1`, []any{now}},
		{"oauth_token", `t.kind <> 'code' AND t.expires_at <= $1`, []any{now}},
		{"oauth_token", `t.kind = 'code' AND t.expires_at <= $1`, []any{now.Add(-keptCode)}},
		{"oauth_grant", `(t.expires_at <= $1 OR t.revoked_at <= $1)`, []any{now.Add(-keptGrant)}},
		{"used_assertion", `t.expires_at <= $1`, []any{now}},
		{"sign_in", `t.expires_at <= $1`, []any{now}},
		{"host_ticket", `t.expires_at <= $1`, []any{now}},
		{"host_session", `t.expires_at <= $1`, []any{now}},
		{"web_session", `t.expires_at <= $1`, []any{now}},
		{"oauth_client", `t.authorized_at IS NULL AND t.created_at <= $1
		    AND NOT EXISTS (SELECT FROM oauth_request r WHERE r.client_id = t.id)`, []any{now.Add(-keptClient)}},
		{"oauth_client", `t.authorized_at <= $1 AND t.used_until <= $1
		    AND NOT EXISTS (SELECT FROM oauth_grant g WHERE g.client_id = t.id)
		    AND NOT EXISTS (SELECT FROM oauth_request r WHERE r.client_id = t.id)`, []any{now.Add(-keptDisused)}},
		{"any_dashboard", `t.deleted_at <= $1`, []any{now.Add(-max(s.opt.Bin, 0))}},
		{"refresh_run", `t.finished_at <= $1
		    AND NOT EXISTS (SELECT FROM dashboard d WHERE d.workspace_id = t.workspace_id AND d.version_id = t.version_id
		                       AND t.id = (SELECT n.id FROM refresh_run n WHERE n.workspace_id = t.workspace_id AND n.version_id = t.version_id
		                                    ORDER BY n.id DESC LIMIT 1))`, []any{now.Add(-keptRuns)}},
		{"refresh_run", `t.finished_at IS NOT NULL AND (t.workspace_id, t.id) IN (
		     SELECT d.workspace_id, r.id FROM dashboard d CROSS JOIN LATERAL (
		            SELECT id FROM refresh_run WHERE workspace_id = d.workspace_id AND dashboard_id = d.id
		             ORDER BY id DESC OFFSET $1 LIMIT $2) r LIMIT $2)`, []any{mostRuns, sweepBatch}},
		{"delivery", `t.at <= $1`, []any{now.Add(-keptRuns)}},
		{"upload_file", `t.replaced_at IS NULL AND t.created_at <= $1`, []any{now.Add(-keptWaiting)}},
		{"message", `t.state <> 'queued' AND t.queued_at <= $1`, []any{now.Add(-keptMessages)}},
		{"alert_event", `t.at <= $1`, []any{now.Add(-keptAlerts)}},
		{"audit", `t.at <= $1`, []any{now.Add(-s.opt.AuditRetention)}},
		{"activity", `t.day <= $1`, []any{now.Add(-keptActivity)}},
		{"rate_counter", `t.started_at <= clock_timestamp() - interval '1 day'`, nil},
	} {
		n, failed := s.sweep(ctx, old.table, old.where, old.args...)
		gone += n
		if failed != nil { // old rows of the other tables are deleted all the same
			err = errors.Join(err, fmt.Errorf("sweep %s: %w", old.table, failed))
		}
	}
	return gone, err
}

// sweep deletes the rows t of a table for which where is true, a batch at a time. When a grant is deleted, its client stores when the grant
// ended.
func (s *core) sweep(ctx context.Context, table, where string, args ...any) (gone int64, err error) {
	sql := fmt.Sprintf(`
		DELETE FROM %[1]s WHERE ctid = ANY (ARRAY (SELECT t.ctid FROM %[1]s t WHERE %[2]s LIMIT %[3]d FOR UPDATE SKIP LOCKED))`,
		table, where, sweepBatch)
	if table == "oauth_grant" {
		sql = `
		WITH gone AS (` + sql + ` RETURNING client_id, least(expires_at, revoked_at) AS ended),
		     used AS (UPDATE oauth_client c SET used_until = greatest(c.used_until, g.ended)
		                FROM (SELECT client_id, max(ended) AS ended FROM gone GROUP BY client_id) g WHERE c.id = g.client_id)
		SELECT FROM gone`
	}
	for {
		tag, err := s.pool.Exec(ctx, sql, args...)
		gone += tag.RowsAffected()
		if err != nil || tag.RowsAffected() < sweepBatch {
			return gone, err
		}
	}
}
