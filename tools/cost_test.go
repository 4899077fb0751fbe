package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// metered is a warehouse that counts bytes: it estimates 12 GB for each query, unless the SQL asks for less or it does not estimate, and
// reads as much.
type metered struct {
	warehouse.Connector
	silent *atomic.Bool // whether it does not estimate; nil for no
}

func (m metered) In(zone *time.Location) warehouse.Connector {
	m.Connector = m.Connector.In(zone)
	return m
}

func bytesIn(sql string) int64 {
	if strings.Contains(sql, "-- little") {
		return 1_000_000
	}
	return 12_000_000_000
}

func (m metered) Estimate(ctx context.Context, sql string, args []any) ([]cube.Column, int64, error) {
	cols, err := m.Describe(ctx, sql, args)
	if m.silent != nil && m.silent.Load() {
		return cols, -1, err
	}
	return cols, bytesIn(sql), err
}

func (m metered) Query(ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink) (warehouse.Stats, error) {
	_, bytes, err := m.Estimate(ctx, sql, args)
	if err != nil {
		return warehouse.Stats{}, err
	}
	if l.Reserve != nil {
		if _, err := l.Reserve(ctx, bytes); err != nil {
			return warehouse.Stats{}, err
		}
	}
	stats, err := m.Connector.Query(ctx, sql, args, l, sink)
	stats.Read = bytesIn(sql)
	return stats, err
}

// TestCost: the cost of SQL is a sentence in the answers about it, if it is worth stating, with the limit of a month if it exceeds that. A
// limit that is reached refuses a query, in words that name it.
func TestCost(t *testing.T) {
	t.Parallel()
	var silent atomic.Bool
	engine := newEngine(t)
	var w *world
	w = newWorld(t, engine, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"bigquery": func(at warehouse.Target) (warehouse.Connector, error) {
			c, err := w.openWarehouse(at)
			return metered{Connector: c, silent: &silent}, err
		}}
	})
	connect := func(label string, month int64) uuid.UUID {
		c, err := w.Connections.AddWarehouse(t.Context(), w.members["ada@acme"], "bigquery", label, warehouse.Target{
			Host: "bigquery.example", Port: 443, Database: label, Password: "s3cret", TLS: warehouse.TLSVerify, MaxMonth: month,
		})
		w.must(err)
		_, err = w.pool.Exec(t.Context(), `UPDATE connection SET status = 'active' WHERE id = $1`, c.ID)
		w.must(err)
		return c.ID
	}
	free, capped := connect("free", 0), connect("capped", 50_000_000_000)
	const sql = "SELECT day, sum(amount) AS revenue FROM orders GROUP BY 1"
	warnings := func(r result) string {
		t.Helper()
		var out struct{ Warnings []string }
		_, told, _ := strings.Cut(r.Text, "BEGIN_JSON\n") // an answer has its JSON in the text, or as structured content
		told, _, _ = strings.Cut(told, "\nEND_JSON")
		if told == "" {
			told = string(r.Structured)
		}
		if r.IsError || r.Internal != "" || json.Unmarshal([]byte(told), &out) != nil {
			t.Fatalf("%+v", r)
		}
		return strings.Join(out.Warnings, "\n")
	}
	validate := func(connection uuid.UUID, sql string) string {
		t.Helper()
		return warnings(w.call("validate_cube_sql", object("connection", connection.String(), "sql", sql)))
	}
	const hourly = "[cost] about 12 GB a run; hourly that is 8.6 TB a month."
	if got := validate(free, sql); got != hourly {
		t.Errorf("validate_cube_sql: %s", got)
	}
	if got := validate(free, sql+" -- little"); got != "" {
		t.Errorf("a small query: %s", got)
	}
	silent.Store(true) // the bytes that a trial has read are known then
	if got := validate(free, sql); got != hourly {
		t.Errorf("without an estimate: %s", got)
	}
	silent.Store(false)
	const over = "[cost] about 12 GB a run; hourly that is 8.6 TB a month, and this connection allows 50 GB a month: then its queries are " +
		"refused until the next month."
	if got := validate(capped, sql); got != over {
		t.Errorf("over a limit: %s", got)
	}
	spec := json.RawMessage(`{"title":"Sales","datasets":[{"id":"a","sql":"` + sql + `"},{"id":"b","sql":"` + sql + `"}],
		"panels":[{"type":"table","data":"a"},{"type":"table","data":"b"}]}`)
	publish := func(connection uuid.UUID, more ...any) result {
		return w.call("publish_dashboard", object(append([]any{"path", "sales", "connection", connection.String(), "spec", spec}, more...)...))
	}
	const two = "[cost] about 24 GB a run; hourly that is 17 TB a month."
	if got := warnings(publish(free, "dry_run", true)); !strings.Contains(got, two) {
		t.Errorf("a dry run: %s", got)
	}
	publish(free)
	daily := w.call("set_refresh_schedule", object("slug", "sales", "schedule", "daily 07:30"))
	const sometimes = "[cost] about 24 GB a run; on the schedule daily 07:30 that is 720 GB a month."
	if got := warnings(daily); got != sometimes || !strings.Contains(daily.Text, got) {
		t.Errorf("set_refresh_schedule: %s, %s", got, daily.Text)
	}
	if got := warnings(publish(free, "dry_run", true)); !strings.Contains(got, "on the schedule daily 07:30 that is 720 GB a month") {
		t.Errorf("a dry run over a schedule: %s", got)
	}
	if got := warnings(w.call("set_refresh_schedule", object("slug", "sales", "schedule", "off"))); got != "" {
		t.Errorf("no schedule: %s", got)
	}
	// 12 GB of the limit are read by now.
	for range 3 {
		validate(capped, sql)
	}
	r := w.call("validate_cube_sql", object("connection", capped.String(), "sql", sql))
	const refused = "A run of the query reads about 12 GB: queries over this connection have read 48 GB this month, " +
		"and it allows 50 GB a month."
	if r.IsError || !strings.Contains(r.Text, refused) {
		t.Errorf("the limit is reached: %+v", r)
	}
}
