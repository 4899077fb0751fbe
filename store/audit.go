package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// An Event is one row of the audit log.
type Event struct {
	ID        uuid.UUID
	Workspace uuid.UUID // zero: about an account only
	Account   uuid.UUID // who did it; zero: the operator
	Action    string    // noun.verb, such as dashboard.publish
	Subject   string    // slug, e-mail or id of what it was done to
	Detail    map[string]any
	At        time.Time
}

// audit writes e with the change it tells of: q is the change's transaction.
func (s *Store) audit(ctx context.Context, q querier, e Event) error {
	detail := []byte("{}")
	if e.Detail != nil {
		var err error
		if detail, err = json.Marshal(e.Detail); err != nil {
			return err
		}
	}
	_, err := q.Exec(ctx, `
		INSERT INTO audit (id, workspace_id, account_id, action, subject, detail, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		newID(), optional(e.Workspace), optional(e.Account), e.Action, e.Subject, detail, s.now())
	return err
}

// optional is id, or NULL for the zero id.
func optional(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// An AuditQuery narrows and pages the audit log of a workspace.
type AuditQuery struct {
	Noun   string    // such as dashboard: events about one kind of thing; empty for all
	Before uuid.UUID // id of the last event of the page before; zero for the first page
	Limit  int
}

// An AuditEntry is an event with the e-mail of who did it: empty when it was the
// operator, or the account is gone.
type AuditEntry struct {
	Event
	Email string
}

// AuditLog lists the events of m's workspace, newest first.
func (s *Store) AuditLog(ctx context.Context, m Member, q AuditQuery) ([]AuditEntry, error) {
	// In each form an index leads to the page, however long the log is.
	noun := `$2 = ''`
	if q.Noun != "" {
		noun = `split_part(e.action, '.', 1) = $2`
	}
	before := q.Before
	if before == uuid.Nil {
		before = uuid.Max
	}
	rows, _ := s.pool.Query(ctx, `
		SELECT e.id, e.workspace_id, coalesce(e.account_id, '00000000-0000-0000-0000-000000000000'), e.action, e.subject, e.detail, e.at, coalesce(a.email, '')
		  FROM audit e LEFT JOIN account a ON a.id = e.account_id
		 WHERE e.workspace_id = $1 AND `+noun+` AND e.id < $3
		 ORDER BY e.id DESC LIMIT $4`, m.workspace, q.Noun, before, q.Limit)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e AuditEntry, err error) {
		err = row.Scan(&e.ID, &e.Workspace, &e.Account, &e.Action, &e.Subject, &e.Detail, &e.At, &e.Email)
		return e, err
	})
}
