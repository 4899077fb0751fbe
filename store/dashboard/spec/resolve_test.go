package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/dashboard/spec"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	s, err := spec.Parse([]byte(`{"datasets": [{"id": "d",
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
	want := []spec.Column{
		{Column: cube.Column{Name: "day", Type: cube.Date}, Label: "Day", Role: spec.Dimension},
		{Column: cube.Column{Name: "zip", Type: cube.Integer}, Label: "Zip", Role: spec.Dimension},
		{Column: cube.Column{Name: "revenue", Type: cube.Number}, Label: "Net", Role: spec.Measure, Agg: spec.Avg, Format: "currency"},
		{Column: cube.Column{Name: "buyers", Type: cube.Integer}, Label: "Buyers", Role: spec.Measure, Agg: spec.None},
		{Column: cube.Column{Name: "rank", Type: cube.Integer}, Label: "Rank", Role: spec.Dimension},
		{Column: cube.Column{Name: "year", Type: cube.Integer}, Label: "Year", Role: spec.Measure, Agg: spec.Sum},
		{Column: cube.Column{Name: "per_buyer", Type: cube.Number}, Label: "Per buyer", Role: spec.Measure, Agg: spec.None, Ratio: [2]string{"revenue", "buyers"}},
		{Column: cube.Column{Name: "share", Type: cube.Number}, Label: "Share", Description: "Of all", Role: spec.Measure, Ratio: [2]string{"revenue", "year"}, Format: "percent", Good: "up"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResolveColumns(t *testing.T) {
	t.Parallel()
	show := func(sql string, cols ...cube.Column) string {
		var out []string
		for _, c := range spec.ResolveColumns(sql, cols) {
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
		{"by position, whatever the names", show("SELECT SUM(a) AS Revenue, count(*) FROM t", num("revenue"), num("count_star()")), "revenue measure sum, count_star() measure sum"},
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
	for name, want := range map[string]spec.Role{
		"id": spec.Dimension, "customer_id": spec.Dimension, "customerId": spec.Dimension, "Order ID": spec.Dimension, "year": spec.Dimension,
		"fiscal_year": spec.Dimension, "month": spec.Dimension, "month_number": spec.Dimension, "hour_of_day": spec.Dimension, "week": spec.Dimension,
		"zip_code": spec.Dimension, "ZIP": spec.Dimension, "country code": spec.Dimension,
		"paid": spec.Measure, "orders": spec.Measure, "year_total": spec.Measure, "days": spec.Measure, "active_users": spec.Measure, "bid": spec.Measure,
		"": spec.Measure, "%": spec.Measure,
	} {
		cols := spec.ResolveColumns("", []cube.Column{{Name: name, Type: cube.Integer}})
		if cols[0].Role != want {
			t.Errorf("integer %q is a %s", name, cols[0].Role)
		}
	}
	for _, typ := range []cube.Type{cube.Text, cube.Boolean, cube.Date, cube.Timestamp} {
		if role := spec.ResolveColumns("SELECT max(x) FROM t", []cube.Column{{Name: "total", Type: typ}})[0].Role; role != spec.Dimension {
			t.Errorf("%s is a %s", typ, role)
		}
	}
	if role := spec.ResolveColumns("", []cube.Column{{Name: "year", Type: cube.Number}})[0].Role; role != spec.Measure {
		t.Errorf("number is a %s", role)
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"net_revenue": "Net revenue", "día": "Día", "élan": "Élan", "_": "_", "": "", "AOV": "AOV"} {
		if got := spec.Label(name); got != want {
			t.Errorf("Label(%q) = %q", name, got)
		}
	}
}
