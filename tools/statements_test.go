package tools_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
)

// A counter counts the statements that are sent to the database, and those of them that begin or
// end a transaction. The queue's notification of new jobs is not counted: it is sent once for all
// jobs of a tenth of a second, so not every call sends it.
type counter struct{ sent, around atomic.Int64 }

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	switch word, _, _ := strings.Cut(strings.TrimSpace(q.SQL), " "); {
	case strings.EqualFold(word, "begin"), strings.EqualFold(word, "commit"):
		c.around.Add(1)
	case !strings.Contains(q.SQL, "pg_notify"):
		c.sent.Add(1)
	}
	return ctx
}

func (*counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestStatements compares the statements that each tool sends, when its data is cached, with the
// table of docs/performance.md. The statement that checks the token is not included; package store
// counts it.
func TestStatements(t *testing.T) {
	t.Parallel()
	keys, err := store.ParseKeys("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, newEngine(t), func(o *store.Options) { o.Keys = keys })
	ada := w.members["ada@acme"]
	_, err = w.Uploads.AddUpload(t.Context(), ada, "sales.csv", []byte("day,amount\n2026-01-01,1\n2026-01-02,2\n"))
	w.must(err)
	warehouse := w.warehouse("ada@acme", "orders", "db.example")
	spec := func(slug string) string {
		return fmt.Sprintf(`{"path":"%s","spec":{"title":"Sales","datasets":[{"id":"d","sql":"SELECT day, amount FROM orders"}],`+
			`"panels":[{"type":"line","x":"day","y":"amount"}]},"connection":"%s"}`, slug, warehouse)
	}
	publish := func(args string) {
		t.Helper()
		if r := w.call("publish_dashboard", args); r.IsError || r.Internal != "" {
			t.Fatal(r.Text, r.Internal)
		}
	}
	for i := range 3 { // the number of executions before a prepared statement may get a generic plan, and more
		publish(spec(fmt.Sprint("sales-", i)))
	}
	publish(`{"path":"note","body":"# Note"}`)
	w.refresh()

	var seen counter
	config := w.pool.Config()
	config.ConnConfig.Tracer = &seen
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	w.must(err)
	t.Cleanup(pool.Close)
	plain := w.Store
	w.Store, err = store.New(pool, store.Options{
		Now: w.clock, Engine: w.engine, Keys: keys, Warehouses: map[string]store.Open{"postgres": w.openWarehouse},
	})
	w.must(err)
	w.url = w.serve()
	w.Store = plain

	versions := w.call("list_dashboard_versions", `{"slug":"sales-0"}`)
	id := regexp.MustCompile(`"version_id":"([0-9a-f-]{36})"`).FindStringSubmatch(string(versions.Structured) + versions.Text)
	if id == nil {
		t.Fatal(versions.Text)
	}
	calls := map[string]string{ // by tool, and the special case of the call
		"check_readiness":          `{}`,
		"list_dashboards":          `{}`,
		"list_connections":         `{}`,
		"get_dashboard":            `{"path":"sales-0"}`,
		"get_dashboard, of a note": `{"path":"note"}`,
		"get_refresh_status":       `{"slug":"sales-0"}`,
		"get_source_config":        `{"slug":"sales-0"}`,
		"get_dashboard_spec":       `{"slug":"sales-0"}`,
		"list_dashboard_versions":  `{"slug":"sales-0"}`,
		"verify_dashboard":         `{"slug":"sales-0"}`,
		"derive_dashboard_spec":    `{"slug":"note"}`,
		"introspect_schema":        fmt.Sprintf(`{"connection":"%s"}`, warehouse),
		"validate_cube_sql":        fmt.Sprintf(`{"connection":"%s","sql":"SELECT day FROM orders"}`, warehouse),
		"explore_data":             fmt.Sprintf(`{"connection":"%s","sql":"SELECT day FROM orders"}`, warehouse),
		"trigger_refresh":          `{"slug":"sales-0"}`,
		"set_refresh_schedule":     `{"slug":"sales-0","schedule":"1h"}`,
		"update_dashboard":         `{"slug":"sales-0","name":"%s"}`,
		"update_dashboard_version": fmt.Sprintf(`{"slug":"sales-0","version_id":"%s","name":"%%s"}`, id[1]),
		"publish_dashboard":        spec("sales-1"),
		"delete_dashboard":         `{"slug":"sales-2"}`,

		"restore_dashboard_version": fmt.Sprintf(`{"slug":"sales-0","version_id":"%s"}`, id[1]),
	}
	raw, err := os.ReadFile("../docs/performance.md")
	w.must(err)
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)`([^|]*) \\| (\\d+) \\|(?: (\\d+))? \\|")
	told := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(string(raw), -1) {
		name := m[1] + m[2]
		args, ok := calls[name]
		if !ok {
			t.Errorf("docs/performance.md counts the statements of %s, and no call here does", name)
			continue
		}
		told[name] = true
		if strings.Contains(args, "%s") {
			args = strings.ReplaceAll(args, "%s", uuid.NewString())
		}
		if m[1] != "delete_dashboard" {
			w.call(m[1], args) // the first call fills the caches
		}
		if strings.Contains(calls[name], "%s") {
			args = strings.ReplaceAll(calls[name], "%s", uuid.NewString())
		}
		seen.sent.Store(0)
		seen.around.Store(0)
		if r := w.call(m[1], args); r.IsError || r.Internal != "" {
			t.Errorf("%s: %s %s", name, r.Text, r.Internal)
		}
		got := fmt.Sprint(seen.sent.Load(), " in ", seen.around.Load()/2, " transactions")
		around := 0
		if m[4] != "" {
			around, err = strconv.Atoi(m[4])
			w.must(err)
		}
		if want := fmt.Sprint(m[3], " in ", around, " transactions"); got != want {
			t.Errorf("%s sends %s statements, and docs/performance.md has %s", name, got, want)
		}
	}
	for name := range calls {
		if !told[name] {
			t.Errorf("docs/performance.md does not count the statements of %s", name)
		}
	}
}
