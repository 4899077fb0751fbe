package duckdb_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

// result is a sink that keeps everything.
type result struct {
	cols []cube.Column
	rows [][]any
}

func (r *result) Columns(cols []cube.Column) error { r.cols = cols; return nil }
func (r *result) Row(row []any) error              { r.rows = append(r.rows, row); return nil }

var usual = warehouse.Limits{Rows: 1000, Bytes: 1 << 20, Time: 20 * time.Second}

func ask(ctx context.Context, c warehouse.Connector, sql string, args ...any) (*result, warehouse.Stats, error) {
	var r result
	stats, err := c.Query(ctx, sql, args, usual, &r)
	return &r, stats, err
}

// sales is a small table with one column of each type.
var sales = warehouse.DataTable{
	Name:   "sales",
	Format: "csv",
	Columns: []cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "seen", Type: cube.Timestamp},
		{Name: "region", Type: cube.Text},
		{Name: "orders", Type: cube.Integer},
		{Name: "revenue", Type: cube.Number},
		{Name: "paid", Type: cube.Boolean},
	},
	Data: []byte("day,seen,region,orders,revenue,paid\n" +
		"2024-01-01,2024-01-01 10:00:00,north,3,10.5,true\n" +
		"2024-01-02,2024-01-02T11:30:00,\"so,uth\",4,20.25,false\n" +
		"2024-01-03,,,,,\n"),
}

func open(t testing.TB, e *duckdb.Engine) warehouse.Connector {
	t.Helper()
	return e.Open(warehouse.Tenant{Workspace: uuid.New()}, "sales", []warehouse.DataTable{sales})
}

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
