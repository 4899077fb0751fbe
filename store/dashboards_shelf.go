package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	// MaxStarred is how many favourites a member may have in a workspace.
	MaxStarred = 60

	// recent is how many of the dashboards that a member opened last a shelf has.
	recent = 6

	// mostOpened is how many openings wait to be written. Others are forgotten.
	mostOpened = 20_000
)

// ErrStarred is returned for one favourite more than [MaxStarred].
var ErrStarred = errors.New("store: too many favourites")

// A Shelf is the dashboards of a workspace that a page lists first for a member.
type Shelf struct {
	Starred []uuid.UUID // at most [MaxStarred]
	Recent  []Opened    // the last opened first, at most six
}

// An Opened is a dashboard that the member has opened.
type Opened struct{ Slug, Name string }

// Shelf returns m's favourites and the dashboards that m opened last.
func (s Dashboards) Shelf(ctx context.Context, m Member) (Shelf, error) {
	var out Shelf
	rows, _ := s.pool.Query(ctx, `
		(SELECT true, d.id, '', '' FROM dashboard_use u JOIN dashboard d ON d.workspace_id = u.workspace_id AND d.id = u.dashboard_id
		  WHERE u.workspace_id = $1 AND u.account_id = $2 AND u.starred_at IS NOT NULL ORDER BY u.starred_at LIMIT `+strconv.Itoa(MaxStarred)+`)
		UNION ALL
		(SELECT false, d.id, d.slug, d.name FROM dashboard_use u JOIN dashboard d ON d.workspace_id = u.workspace_id AND d.id = u.dashboard_id
		  WHERE u.workspace_id = $1 AND u.account_id = $2 AND u.opened_at IS NOT NULL ORDER BY u.opened_at DESC LIMIT `+strconv.Itoa(recent)+`)`,
		m.workspace, m.account)
	var starred bool
	var id uuid.UUID
	var d Opened
	_, err := pgx.ForEachRow(rows, []any{&starred, &id, &d.Slug, &d.Name}, func() error {
		if starred {
			out.Starred = append(out.Starred, id)
		} else {
			out.Recent = append(out.Recent, d)
		}
		return nil
	})
	return out, err
}

// Star makes the dashboard called slug one of m's favourites, or no longer. It returns [ErrNotFound],
// and [ErrStarred] for one too many.
func (s Dashboards) Star(ctx context.Context, m Member, slug string, on bool) error {
	d, err := s.Dashboard(ctx, m, slug)
	if err != nil {
		return err
	}
	if !on {
		_, err = s.pool.Exec(ctx, `
			UPDATE dashboard_use SET starred_at = NULL WHERE workspace_id = $1 AND account_id = $2 AND dashboard_id = $3`,
			m.workspace, m.account, d.ID)
		return err
	}
	tag, err := s.pool.Exec(ctx, `
		INSERT INTO dashboard_use AS u (workspace_id, account_id, dashboard_id, starred_at)
		SELECT $1, $2, $3, $4
		 WHERE (SELECT count(*) FROM dashboard_use o JOIN dashboard d ON d.workspace_id = o.workspace_id AND d.id = o.dashboard_id
		         WHERE o.workspace_id = $1 AND o.account_id = $2 AND o.dashboard_id <> $3 AND o.starred_at IS NOT NULL) < $5
		ON CONFLICT (workspace_id, account_id, dashboard_id) DO UPDATE SET starred_at = coalesce(u.starred_at, excluded.starred_at)`,
		m.workspace, m.account, d.ID, s.now(), MaxStarred)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrStarred
	}
	return err
}

// A Publisher is an account that has published dashboards of a workspace.
type Publisher struct {
	ID    uuid.UUID
	Name  string // may be empty
	Email string // likewise
}

// Publishers lists the first publishers of the [tagged] dashboards of m's workspace that were updated last, by name.
func (s Dashboards) Publishers(ctx context.Context, m Member) ([]Publisher, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT a.id, coalesce(a.name, ''), coalesce(a.email, '') FROM (
		       SELECT DISTINCT d.created_by FROM (
		              SELECT created_by FROM dashboard WHERE workspace_id = $1 ORDER BY updated_at DESC, id DESC LIMIT `+strconv.Itoa(tagged)+`) d
		       ) d JOIN account a ON a.id = d.created_by
		 ORDER BY lower(coalesce(nullif(a.name, ''), a.email, '')), a.id LIMIT 200`, m.workspace)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Publisher])
}

// An opening records that a member has opened a dashboard.
type opening struct{ workspace, account, dashboard uuid.UUID }

// open remembers an opening until it is written.
func (v *views) open(o opening, at time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.opened == nil {
		v.opened = map[opening]time.Time{}
	}
	if was, ok := v.opened[o]; (ok || len(v.opened) < mostOpened) && at.After(was) {
		v.opened[o] = at
	}
}

// flushOpened writes which accounts have opened which dashboards since the last flush. If that fails, it keeps them.
func (s *core) flushOpened(ctx context.Context) error {
	s.views.mu.Lock()
	opened := s.views.opened
	s.views.opened = nil
	s.views.mu.Unlock()
	if len(opened) == 0 {
		return nil
	}
	keys := make([]opening, 0, len(opened))
	for o := range opened {
		keys = append(keys, o)
	}
	slices.SortFunc(keys, func(a, b opening) int { // rows of one table are locked by id
		return cmp.Or(
			slices.Compare(a.workspace[:], b.workspace[:]), slices.Compare(a.account[:], b.account[:]),
			slices.Compare(a.dashboard[:], b.dashboard[:]),
		)
	})
	var workspaces, accounts, dashboards []uuid.UUID
	var times []time.Time
	for _, o := range keys {
		workspaces, accounts, dashboards = append(workspaces, o.workspace), append(accounts, o.account), append(dashboards, o.dashboard)
		times = append(times, opened[o])
	}
	err := s.tx(ctx, func(tx pgx.Tx) error { // tried again if a deletion interfered
		_, err := tx.Exec(ctx, `
			INSERT INTO dashboard_use AS u (workspace_id, account_id, dashboard_id, opened_at)
			SELECT o.w, o.a, o.d, o.at FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) WITH ORDINALITY o (w, a, d, at, n)
			 WHERE EXISTS (SELECT FROM dashboard WHERE workspace_id = o.w AND id = o.d)
			   AND EXISTS (SELECT FROM membership WHERE workspace_id = o.w AND account_id = o.a)
			 ORDER BY o.n
			ON CONFLICT (workspace_id, account_id, dashboard_id) DO UPDATE SET opened_at = greatest(u.opened_at, excluded.opened_at)`,
			workspaces, accounts, dashboards, times)
		return err
	})
	if err != nil {
		for o, at := range opened {
			s.views.open(o, at)
		}
	}
	return err
}
