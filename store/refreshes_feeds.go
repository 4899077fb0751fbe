package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A Fed is a feed of a job's dataset, as of the moment when the job reads it.
type Fed struct {
	Dataset string // that reads
	Place   int
	Ref     dashboard.Ref
	Problem string // why there are no rows, safe to show; "" if there are rows

	Result            // its rows, if there are some
	Version uuid.UUID // of the other dashboard; zero: it does not exist
	spec    []byte    // the hash of its spec; nil for the same spec
}

// Feeds are the feeds of a job's datasets.
type Feeds struct {
	All   []Fed
	Rules []dashboard.Access // the row rules of the version, with those inherited from its feeds
	Bound []dashboard.Access // rules of other dashboards by which the publisher of the version gets only some rows
}

// Of returns the feeds of a dataset, in the order of its spec.
func (f Feeds) Of(dataset string) []Fed {
	return slices.Collect(func(yield func(Fed) bool) {
		for _, one := range f.All {
			if one.Dataset == dataset && !yield(one) {
				return
			}
		}
	})
}

// BoundOn returns the dataset whose rules show the publisher only some rows of the dataset called id, or "".
func (f Feeds) BoundOn(id string) string {
	for _, r := range f.Bound {
		if r.Covers(id) {
			return r.Along
		}
	}
	return ""
}

// JobFeeds returns the feeds of a job's datasets: from the current versions of their dashboards, and from the job's own version if it has
// rows.
func (s Refreshes) JobFeeds(ctx context.Context, j Job) (Feeds, error) {
	var out Feeds
	var access []byte
	var role string
	m := Member{workspace: j.Workspace}
	if err := s.pool.QueryRow(ctx, `
		SELECT v.access, v.created_by, coalesce(p.role, '')
		  FROM version v LEFT JOIN membership p ON p.workspace_id = v.workspace_id AND p.account_id = v.created_by
		 WHERE v.workspace_id = $1 AND v.id = $2`, j.Workspace, j.Version).
		Scan(&access, (*zeronull.UUID)(&m.account), &role); err != nil {
		return out, plain(err)
	}
	m.role = role
	out.Rules = dashboard.ParseAccess(access)
	for _, r := range out.Rules {
		if r.Foreign() && !m.exempt(r, uuid.Nil) {
			out.Bound = append(out.Bound, r)
		}
	}
	rows, _ := s.pool.Query(ctx, `
		SELECT f.dataset, f.place, f.slug, f.of_dataset, coalesce(d.slug, ''), d.deleted_at IS NOT NULL, coalesce(v.kind, ''), v.id, v.sha256,
		       x.sha256, x.row_count, x.truncated, x.refreshed_at, x.said
		  FROM feed f
		  LEFT JOIN any_dashboard d ON d.workspace_id = f.workspace_id AND d.id = coalesce(f.dashboard_id, $3)
		  LEFT JOIN version v ON v.workspace_id = d.workspace_id
		        AND v.id = CASE WHEN f.dashboard_id IS NULL THEN f.version_id WHEN d.deleted_at IS NULL THEN d.version_id END
		  LEFT JOIN dataset x ON x.workspace_id = v.workspace_id AND x.version_id = v.id AND x.dataset = f.of_dataset
		 WHERE f.workspace_id = $1 AND f.version_id = $2 ORDER BY f.dataset, f.place`, j.Workspace, j.Version, j.Dashboard)
	var err error
	out.All, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Fed, err error) {
		var slug, kind string
		var deleted bool
		var count *int
		var truncated *bool
		err = row.Scan(&f.Dataset, &f.Place, &f.Ref.Slug, &f.Ref.Dataset, &slug, &deleted, &kind, (*zeronull.UUID)(&f.Version), &f.spec,
			&f.SHA256, &count, &truncated, (*zeronull.Timestamptz)(&f.RefreshedAt), &f.Said)
		f.Result.Dataset = f.Ref.Dataset
		if count != nil {
			f.Rows, f.Truncated = *count, *truncated
		}
		own := f.Ref.Slug == ""
		if !own && slug != "" {
			f.Ref.Slug = slug // that it has now
		}
		if own {
			f.spec = nil
		}
		switch {
		case own:
		case deleted:
			f.Problem = fmt.Sprintf(`Dashboard "%s", whose rows it reads, was deleted. It goes on when the dashboard is brought back from the bin.`,
				f.Ref.Slug)
		case f.Version == uuid.Nil:
			f.Problem = fmt.Sprintf(`Dashboard "%s", whose rows it reads, is no longer there. Publish this one again with another source.`,
				f.Ref.Slug)
		case kind != KindSpec:
			f.Problem = fmt.Sprintf(`A document was published in place of dashboard "%s", whose rows it reads.`, f.Ref.Slug)
		case f.SHA256 == nil:
			f.Problem = fmt.Sprintf(`Dataset "%s" of dashboard "%s", which it reads, has no rows: its refresh has not succeeded yet.`,
				f.Ref.Dataset, f.Ref.Slug)
		}
		return f, err
	})
	return out, err
}

// FedSpec returns the stored spec of the other dashboard that a job reads; nil for the same spec, and if the dashboard does not exist.
func (s Refreshes) FedSpec(ctx context.Context, j Job, f Fed) ([]byte, error) {
	if f.spec == nil {
		return nil, nil
	}
	return s.blob(ctx, s.pool, j.Workspace, f.spec)
}

// FedRows returns the rows that a job reads, in the form that [cube.Decode] reads.
func (s Refreshes) FedRows(ctx context.Context, j Job, f Fed) ([]byte, error) {
	return s.blob(ctx, s.pool, j.Workspace, f.SHA256)
}

// lockIfFed locks the feeds of a job's workspace if the dashboard reads others or others read it, and reports whether.
func lockIfFed(ctx context.Context, tx pgx.Tx, j Job) (fed bool, err error) {
	if err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM feed WHERE workspace_id = $1 AND version_id = $2)
		    OR EXISTS (SELECT FROM feed WHERE workspace_id = $1 AND dashboard_id = $3)`, j.Workspace, j.Version,
		j.Dashboard).Scan(&fed); err != nil {
		return false, err
	}
	if fed {
		err = lockFeeds(ctx, tx, j.Workspace)
	}
	return fed, err
}

// current joins the version (o.version_id) and the rows (x.sha256) that a feed f would read now.
const current = `
	  LEFT JOIN dashboard o ON o.workspace_id = f.workspace_id AND o.id = f.dashboard_id
	  LEFT JOIN dataset x ON x.workspace_id = o.workspace_id AND x.version_id = o.version_id AND x.dataset = f.of_dataset`

// follow records the rows that a job has read, and queues refreshes of the dashboards that read the job's rows.
func (s *core) follow(ctx context.Context, tx pgx.Tx, j Job, fed []Fed) error {
	for _, f := range fed {
		if f.Ref.Slug == "" {
			continue
		}
		if _, err := tx.Exec(ctx, `
			UPDATE feed SET seen_version = $5, seen_sha256 = $6
			 WHERE workspace_id = $1 AND version_id = $2 AND dataset = $3 AND place = $4`,
			j.Workspace, j.Version, f.Dataset, f.Place, optional(f.Version), f.SHA256); err != nil {
			return err
		}
	}
	if fed == nil { // it ended before it read anything; the current rows count as seen, or it would be queued at once, and again
		if _, err := tx.Exec(ctx, `
			UPDATE feed e SET seen_version = n.version, seen_sha256 = n.rows
			  FROM (SELECT f.dataset, f.place, o.version_id AS version, x.sha256 AS rows FROM feed f `+current+`
			         WHERE f.workspace_id = $1 AND f.version_id = $2 AND f.dashboard_id IS NOT NULL) n
			 WHERE e.workspace_id = $1 AND e.version_id = $2 AND e.dataset = n.dataset AND e.place = n.place`, j.Workspace, j.Version); err != nil {
			return err
		}
	}
	if err := s.ageReaders(ctx, tx, j.Workspace, j.Dashboard); err != nil {
		return err
	}
	return s.queueReaders(ctx, tx, j.Workspace, j.Dashboard)
}

// queueReaders queues a refresh of each dashboard whose feeds have other rows now than at its last refresh: of those that read the
// dashboard, and of the dashboard itself. An active run is left as it is, and checks again when it ends.
func (s *core) queueReaders(ctx context.Context, tx pgx.Tx, workspace, id uuid.UUID) error {
	rows, _ := tx.Query(ctx, `
		SELECT DISTINCT d.id, d.version_id
		  FROM feed f JOIN dashboard d ON d.workspace_id = f.workspace_id AND d.version_id = f.version_id `+current+`
		 WHERE f.workspace_id = $1 AND (f.dashboard_id = $2 OR d.id = $2 AND f.dashboard_id IS NOT NULL)
		   AND (f.seen_version IS DISTINCT FROM o.version_id OR f.seen_sha256 IS DISTINCT FROM x.sha256)
		 ORDER BY d.id`, workspace, id)
	type stale struct{ Dashboard, Version uuid.UUID }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[stale])
	if err != nil {
		return err
	}
	for _, d := range all {
		if _, _, err := s.enqueue(ctx, tx, workspace, d.Dashboard, d.Version, uuid.Nil, CauseFeed); err != nil {
			return err
		}
	}
	return nil
}

// ageReaders sets the age of rows that were read from feeds to that of their sources, if these were refreshed and their rows are the same.
func (s *core) ageReaders(ctx context.Context, tx pgx.Tx, workspace, id uuid.UUID) error {
	for todo := []uuid.UUID{id}; len(todo) > 0; {
		rows, _ := tx.Query(ctx, `
			WITH fresh AS (
			  SELECT d.id, d.version_id, f.dataset, min(coalesce(x.refreshed_at, w.refreshed_at)) AS at
			    FROM dashboard d JOIN feed f ON f.workspace_id = d.workspace_id AND f.version_id = d.version_id `+current+`
			    LEFT JOIN dataset w ON f.dashboard_id IS NULL AND w.workspace_id = f.workspace_id AND w.version_id = f.version_id
			          AND w.dataset = f.of_dataset
			   WHERE d.workspace_id = $1 AND d.id IN (
			         SELECT e.id FROM dashboard e JOIN feed g ON g.workspace_id = e.workspace_id AND g.version_id = e.version_id
			          WHERE e.workspace_id = $1 AND (g.dashboard_id = ANY ($2) OR e.id = ANY ($2)))
			   GROUP BY d.id, d.version_id, f.dataset
			  HAVING bool_and(f.dashboard_id IS NULL AND w.dataset IS NOT NULL
			               OR x.sha256 IS NOT NULL AND f.seen_version = o.version_id AND f.seen_sha256 = x.sha256))
			UPDATE dataset r SET refreshed_at = n.at FROM fresh n
			 WHERE r.workspace_id = $1 AND r.version_id = n.version_id AND r.dataset = n.dataset AND r.refreshed_at < n.at
			RETURNING n.id`, workspace, todo)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return err
		}
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		todo = slices.Compact(ids)
		if len(todo) == 0 {
			return nil
		}
		if _, err := tx.Exec(ctx, `
			UPDATE dashboard d SET refreshed_at = n.at
			  FROM (SELECT x.version_id, min(x.refreshed_at) AS at FROM dataset x WHERE x.workspace_id = $1 GROUP BY x.version_id
			        HAVING bool_and(EXISTS (SELECT FROM feed f WHERE f.workspace_id = $1 AND f.version_id = x.version_id AND f.dataset =
				x.dataset))) n
			 WHERE d.workspace_id = $1 AND d.id = ANY ($2) AND n.version_id = d.version_id AND d.failing_since IS NULL AND d.refreshed_at < n.at`,
			workspace, todo); err != nil {
			return err
		}
	}
	return nil
}

// An Offered dataset is one that a dashboard of the workspace offers to others.
type Offered struct {
	Slug        string // of its dashboard
	Name        string // of its dashboard
	Dataset     string
	Description string
	Columns     []cube.Column // of the stored rows; nil: no rows are stored yet
	RefreshedAt time.Time     // zero: there are no rows yet
}

// Offered lists the datasets that the dashboards of m's workspace offer, by slug.
func (s Refreshes) Offered(ctx context.Context, m Member, limit int) ([]Offered, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT d.slug, d.name, e.value->>'id', e.value->>'description', x.columns, x.refreshed_at
		  FROM version v
		  JOIN dashboard d ON d.workspace_id = v.workspace_id AND d.version_id = v.id
		 CROSS JOIN LATERAL jsonb_array_elements(v.offers) e
		  LEFT JOIN dataset x ON x.workspace_id = v.workspace_id AND x.version_id = v.id AND x.dataset = e.value->>'id'
		 WHERE v.workspace_id = $1 AND v.offers IS NOT NULL ORDER BY d.slug, 3 LIMIT $2`, m.workspace, limit)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (o Offered, err error) {
		var columns []byte
		if err := row.Scan(&o.Slug, &o.Name, &o.Dataset, &o.Description, &columns, (*zeronull.Timestamptz)(&o.RefreshedAt)); err != nil {
			return o, err
		}
		if columns != nil {
			err = json.Unmarshal(columns, &o.Columns)
		}
		return o, err
	})
}

// A Reader is a dataset of another dashboard that reads rows of a dashboard.
type Reader struct {
	Slug    string // of the dashboard that reads
	Dataset string // that reads
	Of      string // the dataset that is read
}

// FeedReaders lists the datasets of other dashboards that read rows of d.
func (s Refreshes) FeedReaders(ctx context.Context, m Member, d Dashboard) ([]Reader, error) {
	return readersOf(ctx, s.pool, m.workspace, d.ID)
}

func readersOf(ctx context.Context, q querier, workspace, id uuid.UUID) ([]Reader, error) {
	rows, _ := q.Query(ctx, `
		SELECT d.slug, f.dataset, f.of_dataset
		  FROM feed f JOIN dashboard d ON d.workspace_id = f.workspace_id AND d.version_id = f.version_id
		 WHERE f.workspace_id = $1 AND f.dashboard_id = $2 ORDER BY d.slug, f.dataset, f.place`, workspace, id)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Reader])
}
