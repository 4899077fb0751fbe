package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"service/store/dashboard"
	"service/store/message"
)

// The kinds of a dashboard's content.
const (
	KindSpec = "spec" // refreshable
	KindBody = "body" // static
)

// A Dashboard is a dashboard's metadata, current version and state of refreshes.
type Dashboard struct {
	WorkspaceID  uuid.UUID
	Workspace    string // slug
	ID           uuid.UUID
	Slug         string
	Name         string
	Tags         []string
	Chart        string
	CreatedBy    uuid.UUID // who first published it; zero if the account was deleted
	CreatedAt    time.Time
	UpdatedAt    time.Time
	VersionID    uuid.UUID // zero: no version is stored
	Kind         string
	Filename     string
	ContentType  string
	SHA256       []byte    // of the spec or the body
	Size         int       // in bytes
	Connection   uuid.UUID // zero: self (or static)
	Reader       uuid.UUID // the owner of Connection; zero for nobody
	Access       []byte    // the row rules of its spec, as JSON; nil for none. See [Member.Cut]
	Files        Files     // that its spec reads
	RefreshedAt  *time.Time
	FailingSince *time.Time
	RunState     *string // of the newest run of the current version
	RunAt        *time.Time
	NextRunAt    *time.Time // by its schedule
	Schedule     string     // its expression; empty: none
	Timezone     string     // of the schedule
	Tables       []string   // that the SQL of its spec reads; nil: not known
	Code         *Code      // from which file the current version was published; nil: from none
	RowsTag      string     // changes whenever the rows of the current version change; empty in listings
	Firing       int        // alerts that fire; of a listing
}

// Refreshable reports whether the dashboard has a spec.
func (d Dashboard) Refreshable() bool { return d.Kind == KindSpec }

// ConnectionName is self or the id of the connection, as answers name it; it is
// empty for a static dashboard.
func (d Dashboard) ConnectionName() string {
	switch {
	case d.Kind != KindSpec:
		return ""
	case d.Connection == uuid.Nil:
		return "self"
	}
	return d.Connection.String()
}

// selectDashboard selects the columns of [Dashboard.fields]. The caller adds WHERE.
const selectDashboard = dashboardColumns + ` FROM dashboard d ` + dashboardJoins

const (
	dashboardColumns = `SELECT w.id, w.slug, ` + ownColumns + `, ` + rowsTag
	dashboardJoins   = ` JOIN workspace w ON w.id = d.workspace_id` + ownJoins
)

// ownColumns are the columns of [Dashboard.fields] without the workspace, which precedes them, and the rows' tag, which follows them.
const ownColumns = `
	       d.id, d.slug, d.name, d.tags, d.chart, d.created_by, d.created_at, d.updated_at,
	       coalesce(v.id, '00000000-0000-0000-0000-000000000000'), coalesce(v.kind, 'body'), coalesce(v.filename, 'index.html'),
	       coalesce(v.content_type, ''), coalesce(v.sha256, ''), coalesce(v.size, 0),
	       coalesce(v.connection_id, '00000000-0000-0000-0000-000000000000'),
	       CASE WHEN v.access IS NOT NULL THEN (SELECT k.owner_id FROM connection k WHERE k.id = v.connection_id) END, v.access,
	       ` + filesOf + `,
	       d.refreshed_at, d.failing_since, r.state, coalesce(r.finished_at, r.started_at, r.queued_at),
	       c.next_run_at, c.expression, c.timezone, v.tables, v.code`

// ownJoins are the tables that ownColumns read, besides d.
const ownJoins = `
	  LEFT JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
	  LEFT JOIN schedule c ON c.workspace_id = d.workspace_id AND c.dashboard_id = d.id
	  LEFT JOIN LATERAL (
	       SELECT r.* FROM refresh_run r
	        WHERE r.workspace_id = d.workspace_id AND r.version_id = d.version_id ORDER BY r.id DESC LIMIT 1) r ON true`

// rowsTag is [Dashboard.RowsTag]. Listings leave it out, since they show no rows.
const rowsTag = `(SELECT ` + tagOfRows + ` FROM ` + sortedRows + `)`

// tagOfRows is the rows' tag, which is of sortedRows: the datasets of the current version of d by name.
const (
	tagOfRows = `coalesce(md5(string_agg(textsend(x.dataset) || x.sha256 || timestamptz_send(x.refreshed_at)
	              || coalesce(textsend(x.said::text), ''), '')), '')`
	sortedRows = `(SELECT * FROM dataset x WHERE x.workspace_id = d.workspace_id AND x.version_id = d.version_id ORDER BY x.dataset) x`
)

// fields are the destinations of a row of selectDashboard. A row of NULLs, from an outer join,
// leaves d zero.
func (d *Dashboard) fields() []any {
	return []any{
		(*zeronull.UUID)(&d.WorkspaceID), (*zeronull.Text)(&d.Workspace), (*zeronull.UUID)(&d.ID), (*zeronull.Text)(&d.Slug),
		(*zeronull.Text)(&d.Name), &d.Tags, (*zeronull.Text)(&d.Chart), (*zeronull.UUID)(&d.CreatedBy), (*zeronull.Timestamptz)(&d.CreatedAt),
		(*zeronull.Timestamptz)(&d.UpdatedAt),
		(*zeronull.UUID)(&d.VersionID), (*zeronull.Text)(&d.Kind), (*zeronull.Text)(&d.Filename), (*zeronull.Text)(&d.ContentType),
		&d.SHA256, (*orZero)(&d.Size), (*zeronull.UUID)(&d.Connection), (*zeronull.UUID)(&d.Reader),
		&d.Access, &d.Files,
		&d.RefreshedAt, &d.FailingSince, &d.RunState, &d.RunAt, &d.NextRunAt,
		(*zeronull.Text)(&d.Schedule), (*zeronull.Text)(&d.Timezone), &d.Tables, &d.Code, (*zeronull.Text)(&d.RowsTag),
	}
}

// orZero scans an integer, and NULL as 0.
type orZero int

func (n *orZero) ScanInt64(v pgtype.Int8) error {
	*n = orZero(v.Int64)
	return nil
}

func scanDashboard(row pgx.CollectableRow) (Dashboard, error) {
	var d Dashboard
	return d, row.Scan(d.fields()...)
}

// Dashboard returns the dashboard called slug, by its current slug or an alias.
func (s Dashboards) Dashboard(ctx context.Context, m Member, slug string) (Dashboard, error) {
	return findDashboard(ctx, s.pool, m.workspace, slug)
}

func findDashboard(ctx context.Context, q querier, workspace uuid.UUID, slug string) (Dashboard, error) {
	rows, _ := q.Query(ctx, selectDashboard+`
		  JOIN slug s ON s.workspace_id = d.workspace_id AND s.dashboard_id = d.id
		 WHERE s.workspace_id = $1 AND s.slug = $2`, workspace, slug)
	d, err := pgx.CollectExactlyOneRow(rows, scanDashboard)
	return d, plain(err)
}

// Aliases lists the former slugs of a dashboard that still lead to it.
func (s Dashboards) Aliases(ctx context.Context, m Member, d Dashboard) ([]string, error) {
	return aliases(ctx, s.pool, m.workspace, d)
}

func aliases(ctx context.Context, q querier, workspace uuid.UUID, d Dashboard) ([]string, error) {
	rows, _ := q.Query(ctx, `
		SELECT slug FROM slug WHERE workspace_id = $1 AND dashboard_id = $2 AND slug <> $3 ORDER BY slug`, workspace, d.ID, d.Slug)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// A DashboardQuery filters and pages a listing of dashboards.
type DashboardQuery struct {
	Search string      // in slug and name, ignoring case
	Tag    string      // exactly this tag
	Owner  uuid.UUID   // who published it first; zero for anybody
	Of     []uuid.UUID // only these, if not nil
	But    []uuid.UUID // not these
	Sort   Sort        // newest first by default
	Cursor string      // of the page before, in the same order; empty for the first
	Limit  int         // of the page
}

// A Sort is an order of a listing of dashboards.
type Sort string

// The orders of a listing. If dashboards are published between two pages of it, only the order of creation is stable.
const (
	SortNewest  Sort = ""
	SortName    Sort = "name"
	SortUpdated Sort = "updated" // most recently published or changed first
	SortStale   Sort = "stale"   // longest without a good refresh first
)

// sorts are the ORDER BY of each order, and the condition for the dashboards after a given one. An index (migrations 0001 and 0013) covers
// both, so that a page is read from its first dashboard.
var sorts = map[Sort]struct{ order, after string }{
	SortNewest:  {"d.id DESC", "d.id < @after"},
	SortName:    {"lower(d.name), d.id", "(lower(d.name), d.id) > ((SELECT lower(a.name) " + lastSeen + "), @after)"},
	SortUpdated: {"d.updated_at DESC, d.id DESC", "(d.updated_at, d.id) < ((SELECT a.updated_at " + lastSeen + "), @after)"},
	SortStale: {
		"coalesce(d.refreshed_at, '-infinity'), d.id",
		"(coalesce(d.refreshed_at, '-infinity'), d.id) > ((SELECT coalesce(a.refreshed_at, '-infinity') " + lastSeen + "), @after)",
	},
}

// lastSeen selects the dashboard after which a page begins.
const lastSeen = "FROM dashboard a WHERE a.workspace_id = ANY (@workspaces) AND a.id = @after"

// firing are the alerts of d that fire. They are counted only if there are any: counting zero rows takes longer than finding none.
const firing = `FROM alert_state t WHERE t.workspace_id = d.workspace_id AND t.dashboard_id = d.id AND t.firing`

// MaxLeft is how many dashboards after a page a listing counts at most: counting them takes as long as showing a few more.
const MaxLeft = 200

// tagged is how many dashboards are looked through for the tags in use.
const tagged = 500

// A DashboardPage is one page of a listing.
type DashboardPage struct {
	Dashboards []Dashboard
	Next       string // cursor of the next page; empty on the last
	Left       int    // dashboards after this page; MaxLeft for as many and more

	cursor func(Dashboard) string
}

// Cut returns the first n dashboards as a page of their own.
func (p DashboardPage) Cut(n int) DashboardPage {
	if n >= len(p.Dashboards) || n == 0 {
		return p
	}
	p.Left = min(p.Left+len(p.Dashboards)-n, MaxLeft)
	p.Dashboards = p.Dashboards[:n]
	p.Next = p.cursor(p.Dashboards[n-1])
	return p
}

// ListDashboards lists the dashboards of several workspaces. in are memberships of one account.
// It returns [ErrCursor] for a cursor of another listing.
func (s Dashboards) ListDashboards(ctx context.Context, in []Member, q DashboardQuery) (DashboardPage, error) {
	page := DashboardPage{Dashboards: []Dashboard{}}
	workspaces := make([]uuid.UUID, len(in))
	slugs := map[uuid.UUID]string{}
	members := map[uuid.UUID]Member{}
	listing := ""
	for i, m := range in {
		workspaces[i], slugs[m.workspace], members[m.workspace] = m.workspace, m.slug, m
		listing = m.account.String()
	}
	slices.SortFunc(workspaces, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	for _, w := range workspaces {
		listing += " " + w.String()
	}
	sort, ok := sorts[q.Sort]
	if !ok {
		sort = sorts[SortNewest]
	}
	if q.Sort != SortNewest {
		listing += " " + string(q.Sort)
	}
	after, err := s.parseCursor(q.Cursor, listing)
	if err != nil {
		return page, err
	}
	if utf8.RuneCountInString(q.Search) > dashboard.MaxName { // no name is that long, and searching each for a megabyte takes seconds
		return page, nil
	}
	page.cursor = func(d Dashboard) string { return s.cursor(d.ID, listing) }
	// Unused conditions are left out, because all calls with one text share a plan.
	where := "d.workspace_id = w.id"
	if len(workspaces) == 1 {
		where = "d.workspace_id = @workspace"
	}
	if q.Cursor != "" {
		where += " AND " + sort.after
	}
	if q.Search != "" {
		where += " AND (strpos(lower(d.name), lower(@search)) > 0 OR strpos(d.slug, lower(@search)) > 0)"
	}
	if q.Tag != "" {
		where += " AND @tag = ANY (d.tags)"
	}
	if q.Owner != uuid.Nil {
		where += " AND d.created_by = @owner"
	}
	if q.Of != nil {
		where += " AND d.id = ANY (@of)"
	}
	if len(q.But) > 0 {
		where += " AND d.id <> ALL (@but)"
	}
	// The dashboards of each workspace are found in the order of its index, up to the number that is counted. The joins look up only those of
	// the page. Limits are in the text, where the planner sees them.
	most := strconv.Itoa(q.Limit)
	ordered := " ORDER BY " + sort.order + " LIMIT " + strconv.Itoa(q.Limit+MaxLeft)
	found := "SELECT d.* FROM dashboard d WHERE " + where + ordered
	if len(workspaces) != 1 {
		found = "SELECT d.* FROM unnest(@workspaces::uuid[]) w (id) CROSS JOIN LATERAL (" + found + ") d" + ordered
	}
	args := pgx.NamedArgs{
		"workspaces": workspaces, "after": after, "search": q.Search, "tag": q.Tag, "owner": q.Owner, "of": q.Of, "but": q.But,
	}
	if len(workspaces) == 1 {
		args["workspace"] = workspaces[0]
	}
	rows, _ := s.pool.Query(ctx, `
		WITH found AS MATERIALIZED (SELECT d.workspace_id, d.id FROM (`+found+`) d),
		top AS (SELECT * FROM found LIMIT `+most+`) -- which is read in its order
		SELECT d.workspace_id, '', `+ownColumns+`, '', (SELECT count(*) FROM found),
		       CASE WHEN EXISTS (SELECT `+firing+`) THEN (SELECT count(DISTINCT t.alert)::integer `+firing+`) ELSE 0 END
		  FROM top f JOIN dashboard d ON d.workspace_id = f.workspace_id AND d.id = f.id `+ownJoins+`
		 ORDER BY `+sort.order, args)
	var all int
	page.Dashboards, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d Dashboard, err error) {
		err = row.Scan(append(d.fields(), &all, &d.Firing)...)
		d.Workspace = slugs[d.WorkspaceID]
		if !members[d.WorkspaceID].Cut(d).All { // they are judged over all rows
			d.Firing = 0
		}
		return d, err
	})
	if err != nil || all <= q.Limit {
		return page, err
	}
	page.Left = all - q.Limit
	page.Next = page.cursor(page.Dashboards[q.Limit-1])
	return page, nil
}

// Tags lists the tags in use in m's workspace, by name: the tags of the [tagged] dashboards that were updated last, at most 200.
func (s Dashboards) Tags(ctx context.Context, m Member) ([]string, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT DISTINCT t FROM (
		       SELECT d.tags FROM dashboard d WHERE d.workspace_id = $1 ORDER BY d.updated_at DESC, d.id DESC LIMIT `+strconv.Itoa(tagged)+`) d,
		       unnest(d.tags) t
		 ORDER BY t LIMIT 200`, m.workspace)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// An Update lists the changes of a dashboard. Nil fields keep the stored value.
type Update struct {
	NewSlug *string
	Name    *string
	Chart   *string
	Tags    []string // empty, not nil: clears them
}

// An Updated is a dashboard after an update, with the changes.
type Updated struct {
	Dashboard Dashboard
	Previous  string   // the slug before
	Aliases   []string // former slugs that lead here
	Changed   []string // of slug, name, tags, chart
}

// UpdateDashboard changes metadata and slug of the dashboard called slug, all or nothing. A rename that the database refuses is a
// *message.Refusal with the database's sentence. Editors may rename dashboards that they published first.
func (s Dashboards) UpdateDashboard(ctx context.Context, m Member, slug string, u Update) (Updated, error) {
	var out Updated
	err := s.tx(ctx, func(tx pgx.Tx) error {
		out = Updated{}
		before, err := findDashboard(ctx, tx, m.workspace, slug)
		if err != nil && (u.NewSlug == nil || !errors.Is(err, ErrNotFound)) {
			return err
		}
		if u.NewSlug != nil && err == nil && *u.NewSlug != before.Slug {
			if err := mayRemove(ctx, tx, m, before); err != nil {
				return err
			}
		}
		if u.NewSlug != nil { // the database checks it, and its error is the refusal
			if _, err := tx.Exec(ctx, `SELECT rename_dashboard($1, $2, $3)`, m.workspace, slug, *u.NewSlug); err != nil {
				return renameRefusal(err)
			}
			if *u.NewSlug != before.Slug {
				out.Changed = append(out.Changed, "slug")
			}
		}
		if u.Name != nil && *u.Name != before.Name {
			out.Changed = append(out.Changed, "name")
		}
		if u.Tags != nil && !slices.Equal(u.Tags, before.Tags) {
			out.Changed = append(out.Changed, "tags")
		}
		if u.Chart != nil && *u.Chart != before.Chart {
			out.Changed = append(out.Changed, "chart")
		}
		if len(out.Changed) > 0 {
			if _, err := tx.Exec(ctx, `
				UPDATE dashboard SET name = coalesce($3, name), chart = coalesce($4, chart), tags = coalesce($5, tags), updated_at = $6
				 WHERE workspace_id = $1 AND id = $2`, m.workspace, before.ID, u.Name, u.Chart, u.Tags, s.now()); err != nil {
				return err
			}
			action := "dashboard.update"
			if out.Changed[0] == "slug" {
				action = "dashboard.rename"
			}
			if err := s.audit(ctx, tx, Event{
				Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: action, Subject: before.Slug,
				Detail: map[string]any{"changed": out.Changed, "slug": u.NewSlug},
			}); err != nil {
				return err
			}
		}
		out.Previous = before.Slug
		if out.Dashboard, err = findDashboard(ctx, tx, m.workspace, slug); err != nil {
			return err
		}
		out.Aliases, err = aliases(ctx, tx, m.workspace, out.Dashboard)
		return err
	})
	return out, err
}

// renameRefusal turns the database's refusal of a rename into a *message.Refusal.
func renameRefusal(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && (pg.Code == "SV404" || pg.Code == "SV409") {
		return message.Refuse("%s", pg.Message)
	}
	return err
}

// Content is the spec or the body of the current version of d.
func (s Dashboards) Content(ctx context.Context, m Member, d Dashboard) ([]byte, error) {
	return s.blob(ctx, s.pool, m.workspace, d.SHA256)
}
