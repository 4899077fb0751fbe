package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard/cube"
)

// KindUpload is the kind of the connection that a person's uploaded files are
// read through. Every other kind is a warehouse.
const KindUpload = "upload"

// The statuses of a connection. Only active ones are usable.
const (
	StatusUntested = "untested"
	StatusActive   = "active"
	StatusFailing  = "failing"  // the last uses could not connect or authenticate
	StatusDisabled = "disabled" // switched off, or the workspace lost the plan it needs
)

// failuresToFailing is how many refreshes in a row may be unable to connect
// before a connection is failing.
const failuresToFailing = 3

// A Connection is a source of data. Its scope, (owner, workspace), never changes.
type Connection struct {
	ID           uuid.UUID
	WorkspaceID  uuid.UUID
	Workspace    string // slug
	Owner        uuid.UUID
	OwnerMember  bool // the owner still belongs to the workspace
	Kind         string
	Label        string
	Status       string // effective: disabled when the plan does not allow the kind
	StatusReason string
	StatusAt     time.Time
	CreatedAt    time.Time
	LastUsedAt   *time.Time // by a refresh, or an upload; nil: never
	Uploads      []Upload   // of the upload kind, newest first
}

// Dialect is the SQL that the connection speaks.
func (c Connection) Dialect() string {
	if c.Kind == KindUpload {
		return "duckdb"
	}
	return c.Kind
}

// An Upload is an uploaded data file.
type Upload struct {
	ID        uuid.UUID
	Filename  string
	Size      int // in bytes, as it was uploaded
	Rows      int
	Columns   []cube.Column
	SHA256    []byte `json:"-"` // of the converted file
	CreatedAt time.Time
}

const selectConnection = `
	SELECT c.id, c.workspace_id, w.slug, c.owner_id,
	       EXISTS (SELECT FROM membership m WHERE m.workspace_id = c.workspace_id AND m.account_id = c.owner_id),
	       c.kind, c.label, CASE WHEN c.kind <> 'upload' AND w.plan <> 'paid' THEN 'disabled' ELSE c.status END,
	       CASE WHEN c.kind <> 'upload' AND w.plan <> 'paid' THEN 'The workspace is not on a paid plan.' ELSE c.status_reason END,
	       c.status_at, c.created_at, c.last_used_at
	  FROM connection c JOIN workspace w ON w.id = c.workspace_id`

func scanConnection(row pgx.CollectableRow) (c Connection, err error) {
	err = row.Scan(&c.ID, &c.WorkspaceID, &c.Workspace, &c.Owner, &c.OwnerMember, &c.Kind, &c.Label, &c.Status, &c.StatusReason, &c.StatusAt, &c.CreatedAt, &c.LastUsedAt)
	return c, err
}

// Connections lists m's own connections in m's workspace, by label, the
// uploaded files with them.
func (s *Store) Connections(ctx context.Context, m Member) ([]Connection, error) {
	rows, _ := s.pool.Query(ctx, selectConnection+` WHERE c.workspace_id = $1 AND c.owner_id = $2 ORDER BY c.label, c.id`, m.workspace, m.account)
	all, err := pgx.CollectRows(rows, scanConnection)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Kind == KindUpload {
			if all[i].Uploads, err = s.uploads(ctx, all[i]); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// Connection returns m's own connection with the id in m's workspace: the scope
// in which a grant may describe and query one. Every other id is [ErrNotFound].
func (s *Store) Connection(ctx context.Context, m Member, id uuid.UUID) (Connection, error) {
	return s.connection(ctx, ` WHERE c.id = $1 AND c.owner_id = $2 AND c.workspace_id = $3`, id, m.account, m.workspace)
}

// OwnConnection returns m's own connection with the id, of any workspace: what a
// dashboard may be bound to, though one of another workspace never refreshes it
// (specification, "Connection").
func (s *Store) OwnConnection(ctx context.Context, m Member, id uuid.UUID) (Connection, error) {
	return s.connection(ctx, ` WHERE c.id = $1 AND c.owner_id = $2`, id, m.account)
}

// BoundConnection returns the connection that d is bound to, whoever owns it; the
// zero id means self and is [ErrNotFound].
func (s *Store) BoundConnection(ctx context.Context, m Member, d Dashboard) (Connection, error) {
	return s.connection(ctx, ` WHERE c.id = $1`, d.Connection)
}

func (s *Store) connection(ctx context.Context, where string, args ...any) (Connection, error) {
	rows, _ := s.pool.Query(ctx, selectConnection+where, args...)
	c, err := pgx.CollectExactlyOneRow(rows, scanConnection)
	if err != nil {
		return c, plain(err)
	}
	if c.Kind == KindUpload {
		c.Uploads, err = s.uploads(ctx, c)
	}
	return c, err
}

// noteConnection counts refreshes in a row that could not reach the warehouse of
// a job. The third makes an active connection failing; one that can makes a
// failing one active again.
func (s *Store) noteConnection(ctx context.Context, tx pgx.Tx, j Job, o Outcome) error {
	if j.Connection == uuid.Nil || !o.Asked {
		return nil
	}
	if !o.Unreachable {
		_, err := tx.Exec(ctx, `
			UPDATE connection SET failures = 0, last_used_at = $2,
			       status = CASE WHEN status = 'failing' THEN 'active' ELSE status END,
			       status_at = CASE WHEN status = 'failing' THEN $2 ELSE status_at END,
			       status_reason = CASE WHEN status = 'failing' THEN '' ELSE status_reason END
			 WHERE id = $1`, j.Connection, s.now())
		return err
	}
	_, err := tx.Exec(ctx, `
		UPDATE connection SET failures = failures + 1, last_used_at = $2,
		       status = CASE WHEN status = 'active' AND failures + 1 >= $3 THEN 'failing' ELSE status END,
		       status_at = CASE WHEN status = 'active' AND failures + 1 >= $3 THEN $2 ELSE status_at END,
		       status_reason = CASE WHEN status = 'active' AND failures + 1 >= $3 THEN 'The last refreshes could not connect.' ELSE status_reason END
		 WHERE id = $1`, j.Connection, s.now(), failuresToFailing)
	return err
}
