package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
)

// many adds n dashboards to a workspace: refreshable ones that share a version's content, with tags,
// and times that differ. The bin has as many.
func (b bench) many(t testing.TB, m store.Member, n int) {
	t.Helper()
	p := b.spec(t, m, "first", `{}`)
	if _, err := b.pool.Exec(t.Context(), `
		WITH made AS (
		  SELECT gen_random_uuid() AS id, gen_random_uuid() AS version, i FROM generate_series(2, $3::int) i),
		slugs AS (
		  INSERT INTO slug (workspace_id, slug, dashboard_id) SELECT $1, 'd-' || i, id FROM made),
		versions AS (
		  INSERT INTO version (workspace_id, id, dashboard_id, cause, kind, meta, filename, content_type, sha256, size, created_at)
		  SELECT v.workspace_id, made.version, made.id, v.cause, v.kind, v.meta, v.filename, v.content_type, v.sha256, v.size, v.created_at
		    FROM version v, made WHERE v.workspace_id = $1 AND v.id = $2)
		INSERT INTO dashboard (workspace_id, id, slug, name, tags, chart, version_id, created_at, updated_at, refreshed_at)
		SELECT $1, id, 'd-' || i, 'Dashboard ' || i, ARRAY['weekly', 'team ' || i % 7], 'bar', version,
		       now() - i * interval '1 s', now() - i * interval '1 s', CASE WHEN i % 3 > 0 THEN now() - i * interval '1 min' END FROM made`,
		m.WorkspaceID(), p.Dashboard.VersionID, n); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(t.Context(), `
		WITH made AS (
		  SELECT gen_random_uuid() AS id, gen_random_uuid() AS version, i FROM generate_series(2, $3::int) i),
		versions AS (
		  INSERT INTO version (workspace_id, id, dashboard_id, cause, kind, meta, filename, content_type, sha256, size, created_at)
		  SELECT v.workspace_id, made.version, made.id, v.cause, v.kind, v.meta, v.filename, v.content_type, v.sha256, v.size, v.created_at
		    FROM version v, made WHERE v.workspace_id = $1 AND v.id = $2)
		INSERT INTO any_dashboard (workspace_id, id, slug, name, tags, chart, version_id, created_at, updated_at, deleted_at, former_aliases)
		SELECT $1, id, 'd-' || i, 'Dashboard ' || i, ARRAY['weekly'], 'bar', version,
		       now() - i * interval '1 s', now() - i * interval '1 s', now() - i * interval '1 s', '{}' FROM made`,
		m.WorkspaceID(), p.Dashboard.VersionID, n); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(t.Context(), `VACUUM ANALYZE any_dashboard, slug, version`); err != nil {
		t.Fatal(err)
	}
}

// A spy keeps the statements that are sent.
type spy struct {
	mu   sync.Mutex
	sent []statement
}

type statement struct {
	sql  string
	args []any
}

func (s *spy) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, statement{q.SQL, q.Args})
	return ctx
}

func (*spy) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// spied is b with a spy between it and its database.
func (b bench) spied(t testing.TB) (bench, *spy) {
	t.Helper()
	seen := &spy{}
	c := b.pool.Config()
	c.ConnConfig.Tracer = seen
	pool, err := pgxpool.NewWithConfig(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s, err := store.New(pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return bench{Store: s, pool: b.pool, owner: b.owner}, seen
}

// A plan is a node of the output of EXPLAIN.
type plan struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Removed  float64 `json:"Rows Removed by Filter"`
	Plans    []plan
}

// touched is the largest number of rows that one node of a plan has read or handed on.
func (p plan) touched() (most float64, at string) {
	most, at = (p.Rows+p.Removed)*max(p.Loops, 1), p.Type+" "+p.Relation
	for _, inner := range p.Plans {
		if n, where := inner.touched(); n > most {
			most, at = n, where
		}
	}
	return most, at
}

// TestListingsAreFlat: a page of dashboards, in whichever order, at the beginning and far on, of one
// workspace or of several, and the tags in use, are read from an index: no node of the plan touches
// more rows than are shown and counted, though there are ten times as many. Each is one statement.
func TestListingsAreFlat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.workspace(t, b.owner.Account(), "other")
	b.many(t, b.owner, 5_000)
	b.many(t, other, 5_000)
	b, seen := b.spied(t)
	ctx := t.Context()
	bounded := func(what string, most float64) {
		t.Helper()
		if len(seen.sent) != 1 {
			t.Fatalf("%s: %d statements", what, len(seen.sent))
		}
		q := seen.sent[0]
		seen.sent = nil
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			p := b.explain(t, mode, q)
			if n, at := p.touched(); n > most {
				t.Errorf("%s, %s: %s touches %v rows, want at most %v", what, mode, at, n, most)
			}
		}
	}
	const limit, page = 50, 50 + store.MaxLeft
	one, both := []store.Member{b.owner}, []store.Member{b.owner, other}
	for _, sort := range []store.Sort{store.SortNewest, store.SortName, store.SortUpdated, store.SortStale} {
		for name, in := range map[string][]store.Member{"one": one, "both": both} {
			what := fmt.Sprintf("%s, by %q", name, sort)
			first, err := b.Dashboards.ListDashboards(ctx, in, store.DashboardQuery{Limit: limit, Sort: sort})
			if err != nil || len(first.Dashboards) != limit || first.Left != store.MaxLeft {
				t.Fatal(what, len(first.Dashboards), first.Left, err)
			}
			bounded(what, page*float64(len(in)))
			far, err := b.Dashboards.ListDashboards(ctx, in, store.DashboardQuery{Limit: 2500, Sort: sort})
			if err != nil {
				t.Fatal(err)
			}
			seen.sent = nil
			if _, err := b.Dashboards.ListDashboards(ctx, in, store.DashboardQuery{Limit: limit, Sort: sort, Cursor: far.Next}); err != nil {
				t.Fatal(err)
			}
			bounded(what+", far on", page*float64(len(in)))
		}
	}
	if tags, err := b.Dashboards.Tags(ctx, b.owner); err != nil || len(tags) != 8 {
		t.Fatal(tags, err)
	}
	bounded("tags", 2*500) // two for each

	// The home of a member who has all the favourites and recents that count.
	if _, err := b.pool.Exec(ctx, `
		INSERT INTO dashboard_use (workspace_id, account_id, dashboard_id, starred_at, opened_at)
		SELECT workspace_id, $2, id, CASE WHEN n <= $3 THEN now() END, now() FROM (
		       SELECT *, row_number() OVER (ORDER BY id) AS n FROM dashboard WHERE workspace_id = $1) d`,
		b.owner.WorkspaceID(), b.owner.Account(), store.MaxStarred); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `VACUUM ANALYZE dashboard_use`); err != nil {
		t.Fatal(err)
	}
	shelf, err := b.Dashboards.Shelf(ctx, b.owner)
	if err != nil || len(shelf.Starred) != store.MaxStarred || len(shelf.Recent) != 6 {
		t.Fatal(len(shelf.Starred), len(shelf.Recent), err)
	}
	bounded("shelf", store.MaxStarred+6)
	if people, err := b.Dashboards.Publishers(ctx, b.owner); err != nil || len(people) != 1 {
		t.Fatal(people, err)
	}
	bounded("publishers", 500)
	for _, sort := range []store.Sort{store.SortNewest, store.SortName, store.SortUpdated, store.SortStale} {
		others, err := b.Dashboards.ListDashboards(ctx, one, store.DashboardQuery{Limit: limit, Sort: sort, But: shelf.Starred})
		if err != nil || len(others.Dashboards) != limit {
			t.Fatal(len(others.Dashboards), err)
		}
		bounded("all but favourites by "+string(sort), page+store.MaxStarred)
		starred, err := b.Dashboards.ListDashboards(ctx, one, store.DashboardQuery{Limit: store.MaxStarred, Sort: sort, Of: shelf.Starred})
		if err != nil || len(starred.Dashboards) != store.MaxStarred {
			t.Fatal(len(starred.Dashboards), err)
		}
		bounded("favourites by "+string(sort), store.MaxStarred)
	}
}

// explain runs q and returns its plan.
func (b bench) explain(t testing.TB, mode string, q statement) plan {
	t.Helper()
	conn, err := b.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context()) //nolint:errcheck // its writes are not needed
	if _, err := tx.Exec(t.Context(), "SET LOCAL plan_cache_mode = "+mode); err != nil {
		t.Fatal(err)
	}
	args := q.args
	if named, ok := args[0].(pgx.NamedArgs); ok {
		q.sql, args, err = named.RewriteQuery(t.Context(), conn.Conn(), q.sql, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	// Prepared, because only such a statement has a plan that does not depend on arguments.
	if _, err := tx.Exec(t.Context(), "PREPARE asked AS "+q.sql); err != nil {
		t.Fatal(err)
	}
	literals := make([]string, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case []uuid.UUID:
			literals[i] = "'{" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(v)), ","), "[]") + "}'"
		case time.Time:
			literals[i] = v.Format("'" + time.RFC3339Nano + "'")
		default:
			literals[i] = fmt.Sprintf("'%v'", v)
		}
	}
	execute := "EXECUTE asked"
	if len(args) > 0 {
		execute += "(" + strings.Join(literals, ", ") + ")"
	}
	var text []byte
	err = tx.QueryRow(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+execute, pgx.QueryExecModeSimpleProtocol).Scan(&text)
	if err == nil {
		_, err = tx.Exec(t.Context(), "DEALLOCATE asked")
	}
	if err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan plan }
	if err := json.Unmarshal(text, &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan
}

// TestPagesHaveAll: pages by each order, one cut shorter, have every dashboard once.
func TestPagesHaveAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.workspace(t, b.owner.Account(), "other")
	b.many(t, b.owner, 60)
	b.many(t, other, 45)
	for _, sort := range []store.Sort{store.SortNewest, store.SortName, store.SortUpdated, store.SortStale} {
		q := store.DashboardQuery{Limit: 20, Sort: sort}
		var names []string
		seen, left := map[string]bool{}, 105
		for {
			page, err := b.Dashboards.ListDashboards(t.Context(), []store.Member{b.owner, other}, q)
			if err != nil {
				t.Fatal(err)
			}
			page = page.Cut(17)
			for _, d := range page.Dashboards {
				names = append(names, strings.ToLower(d.Name))
				seen[d.ID.String()] = true
			}
			if left -= len(page.Dashboards); page.Left != left {
				t.Errorf("by %q, %d are left, want %d", sort, page.Left, left)
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if len(seen) != 105 || len(names) != 105 {
			t.Errorf("by %q: %d dashboards, %d of them different", sort, len(names), len(seen))
		}
	}
}

// BenchmarkListDashboards is a page of ten, the last of a workspace of ten, and the first of workspaces
// of 1,000 and 100,000 dashboards.
func BenchmarkListDashboards(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		s := setup(b)
		s.many(b, s.owner, n)
		for _, sort := range []store.Sort{store.SortNewest, store.SortName, store.SortUpdated, store.SortStale} {
			b.Run(fmt.Sprintf("%d/%s", n, sort), func(b *testing.B) {
				for b.Loop() {
					page, err := s.Dashboards.ListDashboards(b.Context(), []store.Member{s.owner}, store.DashboardQuery{Limit: 10, Sort: sort})
					if err != nil || len(page.Dashboards) != 10 {
						b.Fatal(len(page.Dashboards), err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("%d/tags", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Dashboards.Tags(b.Context(), s.owner); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
