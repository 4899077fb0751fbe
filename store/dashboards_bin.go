package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/message"
)

// Deleted describes a dashboard that was deleted.
type Deleted struct {
	Slug      string
	Versions  int
	Aliases   []string
	VersionID uuid.UUID // of the current version, by which it can be restored; zero if it had none
	Until     time.Time // when it is erased; zero: it was erased at once
	Readers   []Reader  // the datasets of other dashboards that read its rows, and keep those that they have
}

// DeleteDashboard puts the dashboard called slug into the bin, and frees its slug and aliases. Its schedule, alerts, deliveries and
// refreshes end. Editors may delete dashboards that they published first. The dashboard is erased after [Options].Bin, or at once if that
// is below zero or the dashboard has no version.
func (s Dashboards) DeleteDashboard(ctx context.Context, m Member, slug string) (Deleted, error) {
	var out Deleted
	err := s.tx(ctx, func(tx pgx.Tx) error {
		if err := lockFeeds(ctx, tx, m.workspace); err != nil {
			return err
		}
		d, err := lockedDashboard(ctx, tx, m.workspace, slug, "UPDATE")
		if err != nil {
			return err
		}
		if err := mayRemove(ctx, tx, m, d); err != nil {
			return err
		}
		out = Deleted{Slug: d.Slug, VersionID: d.VersionID}
		if out.Readers, err = readersOf(ctx, tx, m.workspace, d.ID); err != nil {
			return err
		}
		if out.Aliases, err = aliases(ctx, tx, m.workspace, d); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `
				SELECT count(*) FROM version WHERE workspace_id = $1 AND dashboard_id = $2`, m.workspace, d.ID).Scan(&out.Versions); err != nil {
			return err
		}
		if s.opt.Bin < 0 || d.VersionID == uuid.Nil {
			_, err = tx.Exec(ctx, `DELETE FROM dashboard WHERE workspace_id = $1 AND id = $2`, m.workspace, d.ID)
		} else {
			out.Until = s.now().Add(s.opt.Bin)
			err = s.bin(ctx, tx, m, d, out.Aliases)
		}
		if err != nil {
			return err
		}
		if err := s.queueReaders(ctx, tx, m.workspace, d.ID); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "dashboard.delete", Subject: d.Slug,
			Detail: map[string]any{"versions": out.Versions, "aliases": out.Aliases, "kept": !out.Until.IsZero()},
		})
	})
	return out, err
}

// bin puts d, which is locked, into the bin. Messages that were sent stay: they count towards the limits of channels.
func (s *core) bin(ctx context.Context, tx pgx.Tx, m Member, d Dashboard, former []string) error {
	batch := &pgx.Batch{} // in the order of locks that doc.go has
	batch.Queue(`
		UPDATE refresh_run SET state = 'cancelled', finished_at = $3, error = 'The dashboard was deleted.'
		 WHERE workspace_id = $1 AND dashboard_id = $2 AND state IN ('queued', 'running')`, m.workspace, d.ID, s.jobNow())
	for _, sql := range []string{
		`DELETE FROM schedule WHERE workspace_id = $1 AND dashboard_id = $2`,
		`DELETE FROM slug WHERE workspace_id = $1 AND dashboard_id = $2`,
		`DELETE FROM alert WHERE workspace_id = $1 AND dashboard_id = $2`,
		`DELETE FROM subscription WHERE workspace_id = $1 AND dashboard_id = $2`,
		`DELETE FROM message WHERE workspace_id = $1 AND dashboard_id = $2 AND state = 'queued'`,
	} {
		batch.Queue(sql, m.workspace, d.ID)
	}
	batch.Queue(`
		UPDATE any_dashboard
		   SET deleted_at = $3, deleted_by = $4, former_aliases = $5, former_schedule = nullif($6, ''), former_timezone = nullif($7, '')
		 WHERE workspace_id = $1 AND id = $2`, m.workspace, d.ID, s.now(), m.account, former, d.Schedule, d.Timezone)
	return tx.SendBatch(ctx, batch).Close()
}

// A Binned dashboard is a deleted one that is kept.
type Binned struct {
	ID        uuid.UUID
	Slug      string // that it had
	Name      string
	Kind      string
	VersionID uuid.UUID
	Versions  int
	Bytes     int // of the content that only this dashboard has: what erasing it frees
	DeletedAt time.Time
	DeletedBy string // e-mail or name; empty if the account was deleted
	Until     time.Time
	Taken     bool // another dashboard has the slug now
}

// A BinPage is one page of the bin.
type BinPage struct {
	Dashboards []Binned
	Next       string // cursor of the next page; empty on the last
	Left       int    // dashboards after this page
}

// Bin lists the deleted dashboards of m's workspace that are kept, the last deleted first. It returns [ErrCursor] for a cursor of
// another listing.
func (s Dashboards) Bin(ctx context.Context, m Member, cursor string, limit int) (BinPage, error) {
	page := BinPage{}
	listing := "bin " + m.account.String() + " " + m.workspace.String()
	after, err := s.parseCursor(cursor, listing)
	if err != nil {
		return page, err
	}
	rows, _ := s.pool.Query(ctx, `
		WITH found AS MATERIALIZED (
		       SELECT d.*, count(*) OVER () AS remain FROM any_dashboard d
		        WHERE d.workspace_id = $1 AND d.deleted_at > $2
		          AND ($3::uuid IS NULL OR (d.deleted_at, d.id) < (SELECT a.deleted_at, a.id FROM any_dashboard a
		                                                            WHERE a.workspace_id = $1 AND a.id = $3))
		        ORDER BY d.deleted_at DESC, d.id DESC LIMIT $4)
		SELECT d.id, d.slug, d.name, v.kind, d.version_id,
		       (SELECT count(*) FROM version n WHERE n.workspace_id = d.workspace_id AND n.dashboard_id = d.id),
		       (SELECT coalesce(sum(b.size), 0) FROM blob b WHERE b.workspace_id = d.workspace_id AND `+onlyOf+`),
		       d.deleted_at, CASE WHEN a.id IS NULL THEN '' ELSE `+calledSQL+` END,
		       EXISTS (SELECT FROM slug s WHERE s.workspace_id = d.workspace_id AND s.slug = d.slug), d.remain
		  FROM found d
		  JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		  LEFT JOIN account a ON a.id = d.deleted_by
		 ORDER BY d.deleted_at DESC, d.id DESC`, m.workspace, s.now().Add(-s.opt.Bin), optional(after), limit)
	var remain int
	page.Dashboards, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d Binned, err error) {
		err = row.Scan(&d.ID, &d.Slug, &d.Name, &d.Kind, &d.VersionID, &d.Versions, &d.Bytes, &d.DeletedAt, &d.DeletedBy, &d.Taken, &remain)
		d.Until = d.DeletedAt.Add(s.opt.Bin)
		return d, err
	})
	if n := len(page.Dashboards); err == nil && remain > n {
		page.Left, page.Next = remain-n, s.cursor(page.Dashboards[n-1].ID, listing)
	}
	return page, err
}

// onlyOf is a condition on a blob b: versions or rows of the dashboard d have it, and nothing else does.
var onlyOf = `b.sha256 IN (
		          SELECT n.sha256 FROM version n WHERE n.workspace_id = d.workspace_id AND n.dashboard_id = d.id
		           UNION
		          SELECT x.sha256 FROM dataset x JOIN version n ON n.workspace_id = x.workspace_id AND n.id = x.version_id
		           WHERE x.workspace_id = d.workspace_id AND n.dashboard_id = d.id)
		       AND NOT EXISTS (SELECT FROM version n WHERE n.workspace_id = b.workspace_id AND n.sha256 = b.sha256 AND n.dashboard_id <> d.id)
		       AND NOT EXISTS (SELECT FROM dataset x JOIN version n ON n.workspace_id = x.workspace_id AND n.id = x.version_id
		                        WHERE x.workspace_id = b.workspace_id AND x.sha256 = b.sha256 AND n.dashboard_id <> d.id)
		       ` + notUploaded("b")

// BinnedDashboard is a deleted dashboard of m's workspace, or [ErrNotFound].
func (s Dashboards) BinnedDashboard(ctx context.Context, m Member, id uuid.UUID) (Binned, error) {
	d := Binned{ID: id}
	err := s.pool.QueryRow(ctx, `
		SELECT d.slug, d.name, d.version_id, d.deleted_at,
		       (SELECT count(*) FROM version n WHERE n.workspace_id = d.workspace_id AND n.dashboard_id = d.id),
		       EXISTS (SELECT FROM slug s WHERE s.workspace_id = d.workspace_id AND s.slug = d.slug)
		  FROM any_dashboard d WHERE d.workspace_id = $1 AND d.id = $2 AND d.deleted_at > $3`,
		m.workspace, id, s.now().Add(-s.opt.Bin)).Scan(&d.Slug, &d.Name, &d.VersionID, &d.DeletedAt, &d.Versions, &d.Taken)
	d.Until = d.DeletedAt.Add(s.opt.Bin)
	return d, plain(err)
}

// BinDays is for how many days deleted dashboards are kept; 0 for not at all.
func (s Dashboards) BinDays() int { return int(max(s.opt.Bin, 0) / day) }

// EraseDashboard erases a deleted dashboard of m's workspace with its versions, rows and history. m must be an owner. It returns
// [ErrNotFound] for one that is not in the bin.
func (s Dashboards) EraseDashboard(ctx context.Context, m Member, id uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		owner, err := isOwner(ctx, tx, m.workspace, m.account)
		if err != nil {
			return err
		}
		if !owner {
			return message.Refuse("Only an owner of the workspace can erase a deleted dashboard.")
		}
		var slug string
		if err := tx.QueryRow(ctx, `
			DELETE FROM any_dashboard WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NOT NULL RETURNING slug`, m.workspace, id).
			Scan(&slug); err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "dashboard.erase", Subject: slug,
			Detail: map[string]any{"dashboard": id},
		})
	})
}

// A Revival describes a dashboard to be restored from the bin.
type Revival struct {
	Slug    string    // that it had, or an alias that it had
	Version uuid.UUID // one of its versions, which becomes the current one
	NewSlug string    // that it gets; empty for the one that it had
}

// A Revived is a dashboard that was restored from the bin.
type Revived struct {
	Published
	Aliases  []string // that it has again
	Missing  []string // slugs that it had and that others have now
	Schedule Schedule // that it had and does not have now; off for none
	Alerts   int      // that are muted until somebody ends that
}

// Revive restores a dashboard from the bin, with its versions and names. Its schedule stays off, its alerts are muted, its deliveries to
// channels wait for an owner's approval, and members subscribe to it anew. It returns [ErrNotFound] unless the bin has the version and that
// slug; of two calls at once the second one finds nothing. A slug that is taken is refused, with [ErrTaken] in the chain.
func (s Dashboards) Revive(ctx context.Context, m Member, r Revival) (Revived, error) {
	if r.NewSlug != "" {
		if err := dashboard.CheckNewSlug(r.NewSlug); err != nil {
			return Revived{}, err
		}
	}
	var out Revived
	err := s.tx(ctx, func(tx pgx.Tx) error {
		out = Revived{}
		if err := lockFeeds(ctx, tx, m.workspace); err != nil {
			return err
		}
		return s.revive(ctx, tx, m, r, &out)
	})
	if _, said := message.As(err); !said && errors.Is(plain(err), ErrTaken) { // by somebody at the same moment
		slug := r.NewSlug
		if slug == "" {
			slug = r.Slug
		}
		err = slugTaken(slug)
	}
	return out, err
}

// slugTaken is [ErrTaken] with the words for it.
func slugTaken(slug string) error {
	return fmt.Errorf("%w: %w", ErrTaken, message.Refuse(`slug "%s" is taken by another dashboard`, slug))
}

func (s *core) revive(ctx context.Context, tx pgx.Tx, m Member, r Revival, out *Revived) error {
	var id uuid.UUID
	var had string
	var former []string
	var schedule, timezone *string
	if err := tx.QueryRow(ctx, `
		SELECT d.id, d.slug, d.former_aliases, d.former_schedule, d.former_timezone
		  FROM any_dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.dashboard_id = d.id
		 WHERE d.workspace_id = $1 AND v.id = $2 AND d.deleted_at > $3 AND ($4 = d.slug OR $4 = ANY (d.former_aliases))
		   FOR UPDATE OF d`, m.workspace, r.Version, s.now().Add(-s.opt.Bin), r.Slug).
		Scan(&id, &had, &former, &schedule, &timezone); err != nil {
		return plain(err)
	}
	slug := had
	if r.NewSlug != "" {
		slug = r.NewSlug
	}
	if _, err := findDashboard(ctx, tx, m.workspace, slug); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = slugTaken(slug)
		}
		return err
	}
	if _, err := tx.Exec(ctx, `
		UPDATE any_dashboard
		   SET slug = $3, deleted_at = NULL, deleted_by = NULL, former_aliases = NULL, former_schedule = NULL, former_timezone = NULL,
		       updated_at = $4
		 WHERE workspace_id = $1 AND id = $2`, m.workspace, id, slug, s.now()); err != nil {
		return err
	}
	names := append([]string{slug}, former...)
	if had != slug {
		names = append(names, had)
	}
	slices.Sort(names) // rows of one table are locked in one order
	names = slices.Compact(names)
	rows, _ := tx.Query(ctx, `
		INSERT INTO slug (workspace_id, slug, dashboard_id) SELECT $1, n, $2 FROM unnest($3::text[]) n
		ON CONFLICT (workspace_id, slug) DO NOTHING RETURNING slug`, m.workspace, id, names)
	held, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		switch here := slices.Contains(held, name); {
		case name == slug && !here: // by somebody at the same moment
			return slugTaken(slug)
		case name == slug:
		case here:
			out.Aliases = append(out.Aliases, name)
		default:
			out.Missing = append(out.Missing, name)
		}
	}
	if schedule != nil {
		out.Schedule = Schedule{Expression: *schedule, Timezone: *timezone}
	}
	d, err := findDashboard(ctx, tx, m.workspace, slug)
	if err != nil {
		return err
	}
	if err := s.restore(ctx, tx, m, d, r.Version, true, &out.Published); err != nil {
		return err
	}
	return tx.QueryRow(ctx, `SELECT count(*) FROM alert WHERE workspace_id = $1 AND dashboard_id = $2`, m.workspace, id).Scan(&out.Alerts)
}
