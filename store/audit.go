package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// An Event is one row of the audit log.
type Event struct {
	ID        uuid.UUID
	Workspace uuid.UUID // zero for an event of an account
	Account   uuid.UUID // who did it; zero for the operator
	ClientID  string    // of the client that did it for them; empty for none. It is not read back: see [AuditEntry.Client]
	Action    string    // noun.verb, such as dashboard.publish
	Subject   string    // slug, e-mail or id of the thing it was done to
	Detail    map[string]any
	At        time.Time
}

// audit writes e. q must be the transaction of the change that e describes. It refuses the change if a viewer makes it: the role counts
// that the member has when the change is stored, however long ago the request began.
func (s *core) audit(ctx context.Context, q querier, e Event) error {
	detail := []byte("{}")
	if e.Detail != nil {
		var err error
		if detail, err = json.Marshal(e.Detail); err != nil {
			return err
		}
	}
	tag, err := q.Exec(ctx, `
		INSERT INTO audit (id, workspace_id, account_id, operator, client, action, subject, detail, at)
		SELECT $1, $2::uuid, $3::uuid, $4, (SELECT name FROM oauth_client WHERE id = $5), $6, $7, $8, $9
		 WHERE $10 OR NOT EXISTS (SELECT FROM membership WHERE workspace_id = $2::uuid AND account_id = $3::uuid AND role = 'viewer')`,
		newID(), optional(e.Workspace), optional(e.Account), e.Account == uuid.Nil, e.ClientID, e.Action, e.Subject, detail, s.now(),
		ofViewers(e.Action))
	if err == nil && tag.RowsAffected() == 0 {
		err = refuseViewer(ctx, q, e.Workspace, RoleViewer)
	}
	return err
}

// optional is id, or nil (NULL) for the zero id.
func optional(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// An AuditQuery filters and pages the audit log of a workspace.
type AuditQuery struct {
	Noun        string     // such as dashboard: events about one kind of thing; empty for all
	By          *uuid.UUID // whose events; the zero id for the operator's, nil for everybody's
	Since, Till time.Time  // from Since, and before Till; zero for no bound
	Before      uuid.UUID  // id of the last event of the page before; zero for the first page
	Limit       int
}

// An AuditEntry is an event with the name of its actor, which is empty for the operator and for a deleted account.
type AuditEntry struct {
	Event
	Who      string
	Operator bool
	Client   string // name of the client that did it for them; empty for none
}

// ofMembers are the details of events of channels that members may read. The others, such as the address of a channel, are for owners.
var ofMembers = []string{"name", "before", "kind", "until"}

// AuditLog lists the events of m's workspace, newest first. A member who is not an owner gets no events on the subscriptions of others, and
// of events on channels only the details that the list of channels shows.
func (s Audit) AuditLog(ctx context.Context, m Member, q AuditQuery) ([]AuditEntry, error) {
	// The statement contains only the filters in use, so that it can use an index, however
	// long the log is.
	args := []any{m.workspace, q.Limit}
	where := ""
	narrow := func(sql string, arg any) {
		args = append(args, arg)
		where += fmt.Sprintf(` AND `+sql, fmt.Sprintf("$%d", len(args)))
	}
	if q.Noun != "" {
		narrow(`split_part(e.action, '.', 1) = %s`, q.Noun)
	}
	switch {
	case q.By != nil && *q.By == uuid.Nil:
		where += ` AND e.account_id IS NULL AND e.operator`
	case q.By != nil:
		narrow(`e.account_id = %s`, *q.By)
	}
	if !q.Since.IsZero() {
		narrow(`e.at >= %s`, q.Since)
	}
	if !q.Till.IsZero() {
		narrow(`e.at < %s`, q.Till)
	}
	if q.Before != uuid.Nil {
		narrow(`(e.at, e.id) < (SELECT b.at, b.id FROM audit b WHERE b.workspace_id = $1 AND b.id = %s)`, q.Before)
	}
	if m.role != RoleOwner {
		narrow(`(split_part(e.action, '.', 1) <> 'subscription' OR e.account_id = %s)`, m.account)
	}
	rows, _ := s.pool.Query(ctx, `
		SELECT e.id, e.workspace_id, coalesce(e.account_id, '00000000-0000-0000-0000-000000000000'), e.action, e.subject, e.detail, e.at,
		       CASE WHEN a.id IS NULL THEN '' ELSE `+calledSQL+` END, e.operator, coalesce(e.client, '')
		  FROM audit e LEFT JOIN account a ON a.id = e.account_id
		 WHERE e.workspace_id = $1`+where+`
		 ORDER BY e.at DESC, e.id DESC LIMIT $2`, args...)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e AuditEntry, err error) {
		err = row.Scan(&e.ID, &e.Workspace, &e.Account, &e.Action, &e.Subject, &e.Detail, &e.At, &e.Who, &e.Operator, &e.Client)
		if m.role != RoleOwner && strings.HasPrefix(e.Action, "channel.") {
			maps.DeleteFunc(e.Detail, func(key string, _ any) bool { return !slices.Contains(ofMembers, key) })
		}
		if strings.HasPrefix(e.Action, "upload.") { // of events before 0.7.0: members who may see some of the rows read the log too
			delete(e.Detail, "rows")
		}
		return e, err
	})
}

// Subjects returns those subjects of events that still exist for m: the slugs of dashboards, former ones too, with the current slug, and
// the ids of m's own connections and uploads with themselves.
func (s Audit) Subjects(ctx context.Context, m Member, events []AuditEntry) (map[string]string, error) {
	var slugs []string
	var ids []uuid.UUID
	for _, e := range events {
		if id, err := uuid.Parse(e.Subject); err == nil {
			ids = append(ids, id)
		} else {
			slugs = append(slugs, e.Subject)
		}
	}
	rows, _ := s.pool.Query(ctx, `
		SELECT s.slug, d.slug FROM slug s JOIN dashboard d ON d.workspace_id = s.workspace_id AND d.id = s.dashboard_id
		 WHERE s.workspace_id = $1 AND s.slug = ANY($2)
		 UNION ALL
		SELECT c.id::text, c.id::text FROM connection c WHERE c.workspace_id = $1 AND c.owner_id = $4 AND c.id = ANY($3)
		 UNION ALL
		SELECT u.id::text, u.id::text FROM upload u JOIN connection c ON c.workspace_id = u.workspace_id AND c.id = u.connection_id
		 WHERE u.workspace_id = $1 AND c.owner_id = $4 AND u.id = ANY($3)`, m.workspace, slugs, ids, m.account)
	type pair struct{ Subject, Now string }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[pair])
	there := map[string]string{}
	for _, p := range all {
		there[p.Subject] = p.Now
	}
	return there, err
}

// auditBatch is how many events an export reads at a time.
const auditBatch = 1000

// EachAudit calls f with each event that matches q, newest first. It ignores q.Limit, and
// reads a batch at a time, so that memory is bounded. It leaves out events that happen
// meanwhile. It stops at the first error.
func (s Audit) EachAudit(ctx context.Context, m Member, q AuditQuery, f func(AuditEntry) error) error {
	q.Limit = auditBatch
	for {
		batch, err := s.AuditLog(ctx, m, q)
		if err != nil {
			return err
		}
		for _, e := range batch {
			if err := f(e); err != nil {
				return err
			}
		}
		if len(batch) < auditBatch {
			return nil
		}
		q.Before = batch[auditBatch-1].ID
	}
}

// An Actor is somebody whom an audit log names.
type Actor struct {
	Account uuid.UUID // zero for the operator
	Who     string    // name; empty for the operator
}

// Actors lists all accounts in the audit log of m's workspace, by name. It steps from one to the next in the index, so that it is fast
// however long the log is. It leaves out deleted accounts, which have no name.
func (s Audit) Actors(ctx context.Context, m Member) ([]Actor, error) {
	rows, _ := s.pool.Query(ctx, `
		WITH RECURSIVE step AS (
		  (SELECT account_id FROM audit WHERE workspace_id = $1 ORDER BY account_id LIMIT 1)
		  UNION ALL
		  SELECT (SELECT e.account_id FROM audit e WHERE e.workspace_id = $1 AND e.account_id > step.account_id ORDER BY e.account_id LIMIT 1)
		    FROM step WHERE step.account_id IS NOT NULL
		)
		SELECT a.id, `+calledSQL+` FROM step JOIN account a ON a.id = step.account_id
		 UNION ALL
		SELECT '00000000-0000-0000-0000-000000000000', '' WHERE EXISTS (SELECT FROM audit WHERE workspace_id = $1
		         AND account_id IS NULL AND operator)
		 ORDER BY 2, 1`, m.workspace)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Actor])
}

// An ExportedEvent is an event of the audit log as operators get it.
type ExportedEvent struct {
	ID        uuid.UUID
	At        time.Time
	Workspace string // slug; empty for an event of an account, and for one of a workspace that is gone
	By        string // e-mail; empty for the operator, and for an account that was deleted
	Operator  bool
	Client    string // name of the client that did it for them; empty for none
	Action    string
	Subject   string
	Detail    map[string]any
}

// ExportAudit calls f with each event of all workspaces since a time, or of the one with slug workspace unless it is
// empty, oldest first. It reads a batch at a time of one moment, so that memory is bounded. It stops at the first error.
func (s Audit) ExportAudit(ctx context.Context, since time.Time, workspace string, f func(ExportedEvent) error) error {
	return s.pool.begin(ctx, func(tx pgx.Tx) error {
		if workspace != "" {
			var there bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM workspace WHERE slug = $1)`, workspace).Scan(&there); err != nil {
				return err
			}
			if !there {
				return ErrNotFound
			}
		}
		if _, err := tx.Exec(ctx, `
			DECLARE events CURSOR FOR
			SELECT e.id, e.at, coalesce(w.slug, ''), coalesce(a.email, ''), e.operator, coalesce(e.client, ''), e.action, e.subject, e.detail
			  FROM audit e LEFT JOIN workspace w ON w.id = e.workspace_id LEFT JOIN account a ON a.id = e.account_id
			 WHERE e.at >= $1 AND ($2 = '' OR w.slug = $2)
			 ORDER BY e.at, e.id`, pgx.QueryExecModeSimpleProtocol, since, workspace); err != nil { // a cursor has no parameters
			return err
		}
		for {
			rows, _ := tx.Query(ctx, fmt.Sprintf(`FETCH %d FROM events`, auditBatch))
			batch, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ExportedEvent])
			if err != nil {
				return err
			}
			for _, e := range batch {
				if err := f(e); err != nil {
					return err
				}
			}
			if len(batch) < auditBatch {
				return nil
			}
		}
	})
}
