package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"service/store/dashboard"
)

// A Detail is a dashboard with everything about it except its contents and rows, which are cached by their hashes.
type Detail struct {
	Dashboard
	Run     *Run     // the newest of the current version; nil for none
	Results []Result // the rows that the page is drawn from
	Aliases []string // former slugs that lead here
	Colors  dashboard.Colors
	Bound   *Connection // nil for self and for a connection that was deleted; see [PartSource]
}

// Status is the state of the refreshes.
func (d Detail) Status() RefreshStatus { return RefreshStatus{d.Dashboard, d.Run, d.Results} }

// A Part is a part of a [Detail] that takes time to look up, and that not every caller needs.
type Part int

const (
	PartPage   Part = 1 << iota // Aliases, Colors and RowsTag: what a page needs
	PartSource                  // Bound: the connection that it reads, whoever owns it, as far as it can be used, and its uploads
	partsAll   = PartPage | PartSource
)

// Detail returns the dashboard called slug, by its current slug or an alias. It is one statement.
func (s Dashboards) Detail(ctx context.Context, m Member, slug string) (Detail, error) {
	return s.DetailWith(ctx, m, slug, partsAll)
}

// detailStatements are the statements of [Dashboards.DetailWith]. They read only the tables that they need: PostgreSQL takes longer to
// prepare for a row of a table than to find it.
var detailStatements = func() (all [partsAll + 1]string) {
	for with := range all {
		tag, columns, joins := `''`, ``, ``
		if Part(with)&PartPage != 0 {
			tag = tagOfRows
			columns += `,
	       ARRAY (SELECT a.slug FROM slug a
	               WHERE a.workspace_id = d.workspace_id AND a.dashboard_id = d.id AND a.slug <> d.slug ORDER BY a.slug), d.colors`
		}
		if Part(with)&PartSource != 0 {
			columns += `,
	       b.id, b.workspace_id, b.member, b.kind, b.label, b.status, b.reason,
	       (SELECT jsonb_agg(jsonb_build_object('ID', u.id, 'Filename', u.filename, 'Size', u.size, 'Rows', u.row_count,
	               'Columns', u.columns, 'CreatedAt', coalesce(u.replaced_at, u.created_at), 'Sheets', ` + sheetsOf + `) ORDER BY u.id DESC)
	          FROM upload u WHERE b.kind = 'upload' AND u.workspace_id = b.workspace_id AND u.connection_id = b.id
	           AND (u.id = v.upload_id OR v.uploads @> jsonb_build_array(jsonb_build_object('upload', u.id))))`
			joins = ` LEFT JOIN (` + boundConnections + `) b ON b.id = v.connection_id`
		}
		all[with] = `
	SELECT d.workspace_id, $3::text, ` + ownColumns + `, x.tag,
	       r.id, r.version_id, r.cause, r.state, r.queued_at, r.started_at, r.finished_at, r.error, r.datasets,
	       x.dataset, x.sha256, x.row_count, x.truncated, x.refreshed_at, x.said` + columns + `
	  FROM slug s JOIN dashboard d ON d.workspace_id = s.workspace_id AND d.id = s.dashboard_id` + ownJoins + `
	  LEFT JOIN LATERAL (
	       SELECT array_agg(x.dataset) AS dataset, array_agg(x.sha256) AS sha256, array_agg(x.row_count) AS row_count,
	              array_agg(x.truncated) AS truncated, array_agg(x.refreshed_at) AS refreshed_at,
	              array_agg(coalesce(x.said::text, '')) AS said,
	              ` + tag + ` AS tag
	         FROM ` + sortedRows + `) x ON true` + joins + `
	 WHERE s.workspace_id = $1 AND s.slug = $2`
	}
	return all
}()

// DetailWith is Detail with only these parts; the others are left empty.
func (s Dashboards) DetailWith(ctx context.Context, m Member, slug string, with Part) (Detail, error) {
	var d Detail
	var run Run
	var sets []string
	var hashes [][]byte
	var counts []int
	var cut []bool
	var at []time.Time
	var said []string
	var datasets, colors, uploads []byte
	var b Connection
	into := append(d.fields(),
		(*zeronull.UUID)(&run.ID), (*zeronull.UUID)(&run.Version), (*zeronull.Text)(&run.Cause), (*zeronull.Text)(&run.State),
		(*zeronull.Timestamptz)(&run.QueuedAt), &run.StartedAt, &run.FinishedAt, (*zeronull.Text)(&run.Error), &datasets,
		&sets, &hashes, &counts, &cut, &at, &said)
	if with&PartPage != 0 {
		into = append(into, &d.Aliases, &colors)
	}
	if with&PartSource != 0 {
		into = append(into,
			(*zeronull.UUID)(&b.ID), (*zeronull.UUID)(&b.WorkspaceID), (*orFalse)(&b.OwnerMember), (*zeronull.Text)(&b.Kind),
			(*zeronull.Text)(&b.Label), (*zeronull.Text)(&b.Status), (*zeronull.Text)(&b.StatusReason), &uploads)
	}
	args := []any{m.workspace, slug, m.slug}
	if with&PartSource != 0 {
		args = append(args, m.plan)
	}
	err := s.pool.QueryRow(ctx, detailStatements[with], args...).Scan(into...)
	if err != nil {
		return Detail{}, plain(err)
	}
	if colors != nil {
		d.Colors = dashboard.ReadColors(colors)
	}
	if run.ID != uuid.Nil {
		run.Datasets = readRunDatasets(datasets)
		d.Run = &run
	}
	for i := range sets {
		d.Results = append(d.Results, Result{sets[i], hashes[i], counts[i], cut[i], at[i], []byte(said[i])})
	}
	if b.ID != uuid.Nil {
		if b.WorkspaceID != m.workspace { // m may not see the connection, and status depends on the plan of m's workspace
			b, uploads = Connection{ID: b.ID, WorkspaceID: b.WorkspaceID}, nil
		}
		if uploads != nil {
			if err := json.Unmarshal(uploads, &b.Uploads); err != nil {
				return Detail{}, err
			}
		}
		d.Bound = &b
	}
	return d, nil
}

// orFalse scans a boolean, and NULL as false.
type orFalse bool

func (b *orFalse) ScanBool(v pgtype.Bool) error {
	*b = orFalse(v.Bool)
	return nil
}

// A Standing is the connections and the remaining uses of m, for readiness.
type Standing struct {
	Connections []Connection // m's own, by label: id, kind, label and status alone
	Storage     Storage
	Left        []int // of each rate, in the order of the question
}

// Standing returns m's connections, and how many uses are left of each rate: of [Rates.RefreshBudget] for the workspace, of others for the
// person. It is one statement.
func (s Dashboards) Standing(ctx context.Context, m Member, rates ...Rate) (Standing, error) {
	keys := make([]string, len(rates))
	for i, r := range rates {
		if keys[i] = r.Surface + ":" + m.account.String(); r == Rates(s).RefreshBudget() {
			keys[i] = r.Surface + ":" + m.workspace.String()
		}
	}
	var out Standing
	var used []int
	rows, err := s.pool.Query(ctx, `
		SELECT (SELECT coalesce(sum(size), 0) FROM blob WHERE workspace_id = $1),
		       (SELECT array_agg(coalesce(c.used, 0) ORDER BY k.place)
		          FROM unnest($5::text[]) WITH ORDINALITY k (key, place)
		          LEFT JOIN rate_counter c ON c.key = k.key AND c.started_at > clock_timestamp() - interval '60 s'),
		       b.id, b.kind, b.label, b.status
		  FROM (VALUES (0)) one LEFT JOIN (`+ownConnections+`) b ON true ORDER BY b.label, b.id`, append(m.owner(), keys)...)
	if err != nil {
		return out, err
	}
	var c Connection
	_, err = pgx.ForEachRow(rows, []any{
		&out.Storage.Used, &used,
		(*zeronull.UUID)(&c.ID), (*zeronull.Text)(&c.Kind), (*zeronull.Text)(&c.Label), (*zeronull.Text)(&c.Status),
	}, func() error {
		if c.ID != uuid.Nil {
			out.Connections = append(out.Connections, c)
		}
		return nil
	})
	out.Storage.Quota = s.opt.Quotas[m.plan]
	for i, n := range used {
		out.Left = append(out.Left, max(rates[i].Ceiling-n, 0))
	}
	return out, err
}
