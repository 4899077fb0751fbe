package store

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/blob"
	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// selfAge is how old the exported metrics of a workspace may be when they are
// queried.
const selfAge = 60 * time.Second

// selfDays is how many days of activity `self` shows.
const selfDays = 400

// selfs caches the newest export of each workspace that was queried recently.
type selfs struct {
	mu      sync.Mutex
	exports map[uuid.UUID]*selfExport
}

type selfExport struct {
	at     time.Time
	key    string
	tables []warehouse.DataTable
}

// selfSource returns a connector to `self`, the built-in metrics view of a workspace. It contains no
// personal data: no ids, names, e-mails, addresses, user agents or SQL.
func (s *core) selfSource(ctx context.Context, tenant warehouse.Tenant) (warehouse.Connector, error) {
	workspace := tenant.Workspace
	now := s.now()
	s.selfs.mu.Lock()
	for w, e := range s.selfs.exports {
		if now.Sub(e.at) > selfAge || now.Before(e.at) {
			delete(s.selfs.exports, w)
		}
	}
	export := s.selfs.exports[workspace]
	s.selfs.mu.Unlock()
	if export == nil {
		var err error
		if export, err = s.exportSelf(ctx, workspace, now); err != nil {
			return nil, err
		}
		s.selfs.mu.Lock()
		if s.selfs.exports == nil {
			s.selfs.exports = map[uuid.UUID]*selfExport{}
		}
		s.selfs.exports[workspace] = export
		s.selfs.mu.Unlock()
	}
	return s.engine(tenant, export.key, export.tables)
}

func (s *core) exportSelf(ctx context.Context, workspace uuid.UUID, now time.Time) (*selfExport, error) {
	export := &selfExport{at: now}
	since := now.AddDate(0, 0, -selfDays)
	metrics := newCSV("metrics",
		cube.Column{Name: "day", Type: cube.Date}, cube.Column{Name: "dashboard", Type: cube.Text}, cube.Column{Name: "event", Type: cube.Text},
		cube.Column{Name: "count", Type: cube.Integer}, cube.Column{Name: "duration_ms_avg", Type: cube.Number},
		cube.Column{Name: "duration_ms_p95", Type: cube.Number}, cube.Column{Name: "bytes", Type: cube.Integer})
	rows, _ := s.pool.Query(ctx, `
		SELECT a.day, d.slug, a.event, a.count, a.duration_ms, a.buckets,
		       CASE WHEN EXISTS (SELECT FROM version v WHERE v.workspace_id = d.workspace_id AND v.id = d.version_id AND v.access IS NOT NULL)
		            THEN 0 -- it depends on the rows of all readers
		            ELSE a.bytes END
		  FROM activity a JOIN dashboard d ON d.workspace_id = a.workspace_id AND d.id = a.dashboard_id
		 WHERE a.workspace_id = $1 AND a.day > $2 ORDER BY a.day, d.slug, a.event`, workspace, since)
	var day time.Time
	var slug, event string
	var count, duration, size int64
	var counts []int64
	if _, err := pgx.ForEachRow(rows, []any{&day, &slug, &event, &count, &duration, &counts, &size}, func() error {
		metrics.add(day.Format(time.DateOnly), slug, event, count, float64(duration)/float64(max(count, 1)), percentile95(counts), size)
		return nil
	}); err != nil {
		return nil, err
	}

	dashboards := newCSV("dashboards",
		cube.Column{Name: "dashboard", Type: cube.Text}, cube.Column{Name: "created_day", Type: cube.Date},
		cube.Column{Name: "panels", Type: cube.Integer}, cube.Column{Name: "datasets", Type: cube.Integer},
		cube.Column{Name: "refreshable", Type: cube.Boolean},
		cube.Column{Name: "versions", Type: cube.Integer})
	rows, _ = s.pool.Query(ctx, `
		SELECT d.slug, d.created_at, v.panels, v.datasets, v.kind = 'spec',
		       (SELECT count(*) FROM version a WHERE a.workspace_id = d.workspace_id AND a.dashboard_id = d.id)
		  FROM dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		 WHERE d.workspace_id = $1 ORDER BY d.slug`, workspace)
	var panels, datasets, versions int64
	var refreshable bool
	if _, err := pgx.ForEachRow(rows, []any{&slug, &day, &panels, &datasets, &refreshable, &versions}, func() error {
		dashboards.add(slug, day.UTC().Format(time.DateOnly), panels, datasets, refreshable, versions)
		return nil
	}); err != nil {
		return nil, err
	}

	refreshes := newCSV("refreshes",
		cube.Column{Name: "day", Type: cube.Date}, cube.Column{Name: "dashboard", Type: cube.Text}, cube.Column{Name: "state", Type: cube.Text},
		cube.Column{Name: "datasets", Type: cube.Integer}, cube.Column{Name: "rows", Type: cube.Integer},
		cube.Column{Name: "duration_ms", Type: cube.Integer})
	rows, _ = s.pool.Query(ctx, `
		SELECT r.finished_at, d.slug, r.state, jsonb_array_length(r.datasets),
		       CASE WHEN EXISTS (SELECT FROM version v WHERE v.workspace_id = r.workspace_id AND v.id IN (r.version_id, d.version_id)
		                            AND v.access IS NOT NULL)
		            THEN 0 -- their number is not for everybody, also before there were rules
		            ELSE (SELECT coalesce(sum((x->>'rows')::bigint), 0)::bigint FROM jsonb_array_elements(r.datasets) x) END,
		       coalesce((extract(epoch FROM r.finished_at - r.started_at) * 1000)::bigint, 0)
		  FROM refresh_run r JOIN dashboard d ON d.workspace_id = r.workspace_id AND d.id = r.dashboard_id
		 WHERE r.workspace_id = $1 AND r.finished_at > $2 ORDER BY r.id DESC LIMIT 20000`, workspace, since)
	var state string
	var n, total, took int64
	if _, err := pgx.ForEachRow(rows, []any{&day, &slug, &state, &n, &total, &took}, func() error {
		refreshes.add(day.UTC().Format(time.DateOnly), slug, state, n, total, took)
		return nil
	}); err != nil {
		return nil, err
	}

	var all []byte
	for _, t := range []*csvTable{metrics, dashboards, refreshes} {
		table := t.table()
		export.tables = append(export.tables, table)
		all = append(all, table.SHA256...)
	}
	export.key = "self-" + hex.EncodeToString(blob.Hash(all))
	return export, nil
}

// A csvTable is a table of `self` in the form in which the engine reads it.
type csvTable struct {
	name    string
	columns []cube.Column
	buf     bytes.Buffer
	w       *csv.Writer
}

func newCSV(name string, columns ...cube.Column) *csvTable {
	t := &csvTable{name: name, columns: columns}
	t.w = csv.NewWriter(&t.buf)
	header := make([]string, len(columns))
	for i, c := range columns {
		header[i] = c.Name
	}
	t.w.Write(header) // cannot fail: it writes to a bytes.Buffer
	return t
}

func (t *csvTable) add(values ...any) {
	record := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case float64:
			record[i] = strconv.FormatFloat(v, 'f', -1, 64)
		default:
			record[i] = fmt.Sprint(v)
		}
	}
	t.w.Write(record)
}

// table returns the table as it is kept for [selfAge]: compressed to about a thirtieth, because only a worker that has not loaded it reads
// it, and each busy workspace has one.
func (t *csvTable) table() warehouse.DataTable {
	t.w.Flush()
	packed, size := blob.Compress(t.buf.Bytes()), t.buf.Len()
	return warehouse.DataTable{
		Name: t.name, Format: "csv", Columns: t.columns, SHA256: blob.Hash(t.buf.Bytes()),
		Read: func(context.Context) ([]byte, error) {
			b, err := blob.Decompress(packed, size)
			if err == nil && len(b) != size {
				err = fmt.Errorf("store: table %s of self has %d bytes, over %d", t.name, size, blob.MaxSize)
			}
			return b, err
		},
	}
}
