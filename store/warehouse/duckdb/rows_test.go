package duckdb_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// Stored rows are a table with the values that the cube has: an empty text is not NULL, and decimals keep their digits.
func TestRowsOfACube(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	cols := []cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "at", Type: cube.Timestamp},
		{Name: "moment", Type: cube.Instant},
		{
			Name: "Region",
			Type: cube.Text,
		},
		{Name: "n", Type: cube.Integer},
		{Name: "big", Type: cube.Integer},
		{Name: "x", Type: cube.Number},
		{Name: "exact", Type: cube.Number},
		{Name: "huge", Type: cube.Number},
		{Name: "paid", Type: cube.Boolean},
	}
	rows := [][]any{
		{
			date(2024, 1, 2), time.Date(2024, 1, 2, 10, 11, 12, 345678000, time.UTC), time.Date(2024, 7, 1, 22, 30, 0, 0, time.UTC), "", int64(-7),
			cube.Decimal("92233720368547758070"), 0.1, cube.Decimal("12345678901234567.89"), cube.Decimal("1" + strings.Repeat("0",
				50) + ".5"), true,
		},
		{nil, nil, nil, nil, nil, int64(3), nil, 0.25, 2.0, false},
		{date(1, 1, 1), nil, nil, "O'Hara, \"x\"\n", int64(1 << 62), nil, -1e300, nil, nil, nil},
	}
	b := cube.NewBuilder(cols)
	for _, row := range rows {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	table := warehouse.DataTable{Name: "order-lines", Format: "rows", Data: b.Cube().Encode()}
	c := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "feeds", []warehouse.DataTable{table})
	got, _, err := ask(t.Context(), c, `SELECT * FROM "order-lines"`)
	if err != nil {
		t.Fatal(err)
	}
	for i := range cols {
		if got.cols[i] != cols[i] {
			t.Errorf("column %v, want %v", got.cols[i], cols[i])
		}
	}
	rows[0][8] = 1e50 // more digits than any type of the engine
	if diff := cmp.Diff(rows, got.rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	local := warehouse.In(c, mustZone(t, "Europe/Berlin"))
	if got, _, err = ask(t.Context(), local, `SELECT CAST(moment AS date) AS d, $1 AS p FROM "order-lines" LIMIT 1`, "p"); err != nil {
		t.Fatal(err)
	}
	if got.rows[0][0] != date(2024, 7, 2) {
		t.Errorf("the day of an instant in Berlin: %v", got.rows[0][0])
	}
	empty := warehouse.DataTable{Name: "t", Format: "rows", Data: cube.NewBuilder(cols).Cube().Encode()}
	described, err := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "feeds", []warehouse.DataTable{empty}).Describe(t.Context(),
		"SELECT * FROM t", nil)
	if diff := cmp.Diff(cols, described); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
