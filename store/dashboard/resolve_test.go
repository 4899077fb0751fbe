package dashboard_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d",
		"sql": "SELECT day, zip, sum(x) AS revenue, count(DISTINCT y) AS buyers, rank, count(*) AS \"year\" FROM t",
		"columns": {
			"per_buyer": {"ratio": ["revenue", "buyers"]},
			"share": {"ratio": ["revenue", "year"], "label": "Share", "format": "percent", "good": "up", "description": "Of all"},
			"gone": {"label": "Gone"},
			"rank": {"role": "dimension"},
			"revenue": {"label": "Net", "format": "currency", "agg": "avg"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := s.Datasets[0].Resolve([]cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "zip", Type: cube.Integer},
		{Name: "revenue", Type: cube.Number},
		{Name: "buyers", Type: cube.Integer},
		{Name: "rank", Type: cube.Integer},
		{Name: "year", Type: cube.Integer},
	})
	want := []dashboard.Column{
		{Column: cube.Column{Name: "day", Type: cube.Date}, Label: "Day", Role: dashboard.Dimension},
		{Column: cube.Column{Name: "zip", Type: cube.Integer}, Label: "Zip", Role: dashboard.Dimension},
		{Column: cube.Column{Name: "revenue", Type: cube.Number}, Label: "Net", Role: dashboard.Measure, Agg: dashboard.Avg, Format: "currency"},
		{Column: cube.Column{Name: "buyers", Type: cube.Integer}, Label: "Buyers", Role: dashboard.Measure, Agg: dashboard.None},
		{Column: cube.Column{Name: "rank", Type: cube.Integer}, Label: "Rank", Role: dashboard.Dimension},
		{Column: cube.Column{Name: "year", Type: cube.Integer}, Label: "Year", Role: dashboard.Measure, Agg: dashboard.Sum},
		{
			Column: cube.Column{Name: "per_buyer", Type: cube.Number}, Label: "Per buyer", Role: dashboard.Measure,
			Agg: dashboard.None, Ratio: [2]string{"revenue", "buyers"},
		},
		{
			Column: cube.Column{Name: "share", Type: cube.Number}, Label: "Share", Description: "Of all",
			Role: dashboard.Measure, Ratio: [2]string{"revenue", "year"}, Format: "percent", Good: "up",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResolveColumns(t *testing.T) {
	t.Parallel()
	show := func(sql string, cols ...cube.Column) string {
		var out []string
		for _, c := range dashboard.ResolveColumns(sql, cols) {
			s := c.Name + " " + string(c.Role)
			if c.Agg != "" {
				s += " " + string(c.Agg)
			}
			out = append(out, s)
		}
		return strings.Join(out, ", ")
	}
	num := func(name string) cube.Column { return cube.Column{Name: name, Type: cube.Number} }
	for _, tc := range []struct{ name, got, want string }{
		{
			"by position, whatever the names",
			show("SELECT SUM(a) AS Revenue, count(*) FROM t", num("revenue"), num("count_star()")),
			"revenue measure sum, count_star() measure sum",
		},
		{"not written out", show("SELECT sum(a) AS b FROM t", num("b"), num("c")), "b measure none, c measure none"},
		{"a star", show("SELECT *, sum(a) AS B FROM t", num("x"), num("b")), "x measure none, b measure sum"},
		{"a star, and the name twice", show("SELECT *, sum(a) AS b FROM t", num("b"), num("b")), "b measure none, b measure none"},
		{"not to be read", show("nonsense (", num("b")), "b measure none"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, tc.got, tc.want)
		}
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]dashboard.Role{
		"id": dashboard.Dimension, "customer_id": dashboard.Dimension, "customerId": dashboard.Dimension,
		"Order ID": dashboard.Dimension, "year": dashboard.Dimension,
		"fiscal_year": dashboard.Dimension, "month": dashboard.Dimension, "month_number": dashboard.Dimension,
		"hour_of_day": dashboard.Dimension, "week": dashboard.Dimension,
		"zip_code": dashboard.Dimension, "ZIP": dashboard.Dimension, "country code": dashboard.Dimension,
		"paid": dashboard.Measure, "orders": dashboard.Measure, "year_total": dashboard.Measure, "days": dashboard.Measure,
		"active_users": dashboard.Measure, "bid": dashboard.Measure,
		"": dashboard.Measure, "%": dashboard.Measure,
	} {
		cols := dashboard.ResolveColumns("", []cube.Column{{Name: name, Type: cube.Integer}})
		if cols[0].Role != want {
			t.Errorf("integer %q is a %s", name, cols[0].Role)
		}
	}
	for _, typ := range []cube.Type{cube.Text, cube.Boolean, cube.Date, cube.Timestamp} {
		if role := dashboard.ResolveColumns("SELECT max(x) FROM t",
			[]cube.Column{{Name: "total", Type: typ}})[0].Role; role != dashboard.Dimension {
			t.Errorf("%s is a %s", typ, role)
		}
	}
	if role := dashboard.ResolveColumns("", []cube.Column{{Name: "year", Type: cube.Number}})[0].Role; role != dashboard.Measure {
		t.Errorf("number is a %s", role)
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"net_revenue": "Net revenue", "día": "Día", "élan": "Élan", "_": "_", "": "", "AOV": "AOV"} {
		if got := dashboard.Label(name); got != want {
			t.Errorf("Label(%q) = %q", name, got)
		}
	}
}
