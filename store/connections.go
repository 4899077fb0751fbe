package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// KindUpload is the kind of the connection that a person's uploaded files are
// read through. Every other kind is a warehouse.
const KindUpload = "upload"

// The statuses of a connection. Only active ones are usable.
const (
	StatusUntested = "untested"
	StatusActive   = "active"
	StatusFailing  = "failing"  // the last refreshes, or a test, could not connect or authenticate
	StatusDisabled = "disabled" // switched off, or the workspace lost the plan it needs
)

// failuresToFailing is the number of refreshes in a row that cannot connect after which a
// connection is failing.
const failuresToFailing = 3

// A Connection is a source of data. Its scope, (owner, workspace), never changes.
type Connection struct {
	ID           uuid.UUID
	WorkspaceID  uuid.UUID
	Workspace    string // slug
	Owner        uuid.UUID
	OwnerMember  bool // the owner is still a member of the workspace
	Kind         string
	Label        string
	Status       string // disabled also when the workspace's plan does not allow the kind
	StatusReason string
	StatusAt     time.Time
	CreatedAt    time.Time
	LastUsedAt   *time.Time // by a refresh or an upload; nil for never
	Uploads      []Upload   // only for the upload kind, newest first
	secret       []byte     // sealed target; nil for the upload kind
}

// tenant is the tenant to whom the connection's queries count: its owner, whoever triggered
// them.
func (c Connection) tenant() warehouse.Tenant {
	return warehouse.Tenant{Account: c.Owner, Workspace: c.WorkspaceID}
}

// Dialect returns the SQL dialect of the connection.
func (c Connection) Dialect() string {
	if c.Kind == KindUpload {
		return "duckdb"
	}
	return cmp.Or(warehouse.Kinds[c.Kind].Dialect, c.Kind)
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
	Dates     warehouse.Dates // the order of day and month that a person set
	Sheets    []Sheet         // of a workbook, in its order; nil for other files, and for workbooks whose sheets were not kept
}

// connectionColumns are the columns of c in the order of [Connection]. The workspace's slug and plan, and whether the owner is a member,
// are expressions, because a caller who lists their own connections has all three already.
func connectionColumns(slug, plan, member string) string {
	off := `c.kind <> 'upload' AND ` + plan + ` <> 'paid'`
	return `c.id, c.workspace_id, ` + slug + ` AS slug, c.owner_id, ` + member + ` AS member, c.kind, c.label,
	       CASE WHEN ` + off + ` THEN 'disabled' ELSE c.status END AS status,
	       CASE WHEN ` + off + ` THEN 'The workspace is not on a paid plan.' ELSE c.status_reason END AS reason,
	       c.status_at, c.created_at, c.last_used_at, c.secret`
}

// Connections as subqueries: of any owner, and of member $2. $3 is the slug of workspace $1, and $4 its plan.
var (
	anyConnections = `SELECT ` + connectionColumns(`w.slug`, `w.plan`, `m.account_id IS NOT NULL`) + `
	  FROM connection c JOIN workspace w ON w.id = c.workspace_id
	  LEFT JOIN membership m ON m.workspace_id = c.workspace_id AND m.account_id = c.owner_id`
	// boundConnections are those that a dashboard of the workspace may be bound to: of another workspace's the status is not right.
	boundConnections = `SELECT ` + connectionColumns(`$3::text`, `$4::text`, `m.account_id IS NOT NULL`) + `
	  FROM connection c LEFT JOIN membership m ON m.workspace_id = c.workspace_id AND m.account_id = c.owner_id`
	ownConnections = `SELECT ` + connectionColumns(`$3::text`, `$4::text`, `true`) + `
	  FROM connection c WHERE c.workspace_id = $1 AND c.owner_id = $2`
)

// owner are the arguments of ownConnections.
func (m Member) owner() []any { return []any{m.workspace, m.account, m.slug, m.plan} }

// connections returns those of a subquery for which where is true, by label, with the files that are read through them, newest first. In
// where, their alias is b.
func (s *core) connections(ctx context.Context, of, where string, args ...any) ([]Connection, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT b.*, u.id, u.filename, u.size, u.row_count, u.columns, u.sha256, coalesce(u.replaced_at, u.created_at), u.dates, `+sheetsOf+`
		  FROM (`+of+`) b
		  LEFT JOIN upload u ON b.kind = 'upload' AND u.workspace_id = b.workspace_id AND u.connection_id = b.id
		 WHERE `+where+` ORDER BY b.label, b.id, u.id DESC`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Connection
	for rows.Next() {
		var c Connection
		var u Upload
		if err := rows.Scan(&c.ID, &c.WorkspaceID, &c.Workspace, &c.Owner, &c.OwnerMember, &c.Kind, &c.Label,
			&c.Status, &c.StatusReason, &c.StatusAt, &c.CreatedAt, &c.LastUsedAt, &c.secret,
			(*zeronull.UUID)(&u.ID), (*zeronull.Text)(&u.Filename), (*orZero)(&u.Size), (*orZero)(&u.Rows), &u.Columns, &u.SHA256,
			(*zeronull.Timestamptz)(&u.CreatedAt), (*zeronull.Text)(&u.Dates), &u.Sheets); err != nil {
			return nil, err
		}
		if len(all) == 0 || all[len(all)-1].ID != c.ID {
			all = append(all, c)
		}
		if u.ID != uuid.Nil {
			last := &all[len(all)-1]
			last.Uploads = append(last.Uploads, u)
		}
	}
	return all, rows.Err()
}

// Connections lists m's own connections in m's workspace, by label, with uploaded files.
func (s Connections) Connections(ctx context.Context, m Member) ([]Connection, error) {
	return s.connections(ctx, ownConnections, `true`, m.owner()...)
}

// Connection returns m's own connection with an id in m's workspace, which m may describe and
// query. It returns [ErrNotFound] for any other id.
func (s Connections) Connection(ctx context.Context, m Member, id uuid.UUID) (Connection, error) {
	return single(s.connections(ctx, ownConnections, `b.id = $5`, append(m.owner(), id)...))
}

// OwnConnection returns m's own connection with an id, in any workspace. A dashboard may be bound to it, but is only refreshed through a
// connection of its own workspace (specification, "Connection").
func (s Connections) OwnConnection(ctx context.Context, m Member, id uuid.UUID) (Connection, error) {
	return s.connection(ctx, `b.id = $1 AND b.owner_id = $2`, id, m.account)
}

// BoundConnection returns the connection that d is bound to, whoever owns it. It returns
// [ErrNotFound] for the zero id, which means self.
func (s Connections) BoundConnection(ctx context.Context, m Member, d Dashboard) (Connection, error) {
	return s.connection(ctx, `b.id = $1`, d.Connection)
}

// connection returns the one, of anybody's, for which where is true.
func (s *core) connection(ctx context.Context, where string, args ...any) (Connection, error) {
	return single(s.connections(ctx, anyConnections, where, args...))
}

func single(all []Connection, err error) (Connection, error) {
	if err != nil || len(all) == 0 {
		return Connection{}, cmp.Or(err, ErrNotFound)
	}
	return all[0], nil
}

// noteConnection counts a job's refreshes in a row that could not reach the warehouse; the third
// makes an active connection failing. A run has reached it if any dataset got an answer. It changes
// the status of active connections only, so that an old run does not undo a failed test or a
// connection that was switched off.
func (s *core) noteConnection(ctx context.Context, tx pgx.Tx, j Job, o Outcome) error {
	if j.Connection == uuid.Nil || !o.Answered && o.Unreached == "" {
		return nil
	}
	if o.Answered {
		_, err := tx.Exec(ctx, `
			UPDATE connection SET failures = CASE WHEN status = 'active' THEN 0 ELSE failures END, last_used_at = $2
			WHERE id = $1`, j.Connection, s.now())
		return err
	}
	_, err := tx.Exec(ctx, `
		UPDATE connection SET last_used_at = $2,
		       failures = CASE WHEN status = 'active' THEN failures + 1 ELSE failures END,
		       status = CASE WHEN status = 'active' AND failures + 1 >= $3 THEN 'failing' ELSE status END,
		       status_at = CASE WHEN status = 'active' AND failures + 1 >= $3 THEN $2 ELSE status_at END,
		       status_reason = CASE WHEN status = 'active' AND failures + 1 >= $3 THEN $4 ELSE status_reason END
		 WHERE id = $1`, j.Connection, s.now(), failuresToFailing, o.Unreached)
	return err
}

// How often, and how many at a time, failing connections are tried again: after a quarter of
// the time for which they have been failing, so that a refused password is not tried too often.
const (
	lookSoonest = 5 * time.Minute
	lookLatest  = time.Hour
	lookAtMost  = 4
)

// LookAgain tests a few connections that refreshes made failing, and makes active those that
// answer. A connection that failed its owner's test waits for the owner's next test. Several
// processes may call it at once; each connection is tested by one of them.
func (s Connections) LookAgain(ctx context.Context) error {
	rows, _ := s.pool.Query(ctx, `
		WITH due AS MATERIALIZED (
		  SELECT c.id FROM connection c
		    JOIN workspace w ON w.id = c.workspace_id AND w.plan = 'paid'
		    JOIN membership m ON m.workspace_id = c.workspace_id AND m.account_id = c.owner_id
		   WHERE c.status = 'failing' AND c.failures > 0
		     AND greatest(c.looked_at, c.status_at) <= $1::timestamptz
		         - least(greatest(($1::timestamptz - c.status_at) / 4, $2::interval), $3::interval)
		   ORDER BY greatest(c.looked_at, c.status_at) LIMIT $4 FOR UPDATE OF c SKIP LOCKED)
		UPDATE connection c SET looked_at = $1 FROM due WHERE c.id = due.id RETURNING c.id`,
		s.now(), lookSoonest, lookLatest, lookAtMost)
	due, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return err
	}
	for _, id := range due {
		err = errors.Join(err, s.look(ctx, id))
	}
	return err
}

// look tests a failing connection, and makes it active if the warehouse answers and the
// connection was not changed meanwhile.
func (s *core) look(ctx context.Context, id uuid.UUID) error {
	c, err := s.connection(ctx, `b.id = $1`, id)
	if errors.Is(err, ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	warning, err := s.ping(ctx, c)
	if err != nil { // still failing, with the same reason
		return ctx.Err()
	}
	_, err = s.pool.Exec(ctx, `
		UPDATE connection SET status = 'active', status_at = $3, failures = 0, status_reason = $4
		 WHERE id = $1 AND secret = $2 AND status = 'failing' AND failures > 0`,
		id, c.secret, s.now(), cmp.Or(warning, "The warehouse answers again."))
	return err
}
