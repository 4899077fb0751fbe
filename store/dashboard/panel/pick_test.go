package panel

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// TestPicks: each link of a panel leads to a page with exactly the rows of that mark: the total equals the number that the panel shows for
// it. Following it again removes the filter.
func TestPicks(t *testing.T) {
	t.Parallel()
	v := commerce(3000)
	v.Spec.Filters = []dashboard.Filter{
		{Column: "day", Default: []string{"last_90_days"}}, {Column: "country"}, {Column: "channel"}, {Column: "hour"}, {Column: "weekday"},
	}
	v.Spec.Panels = []dashboard.Panel{
		{Type: dashboard.KPI, Value: "orders"},
		{Type: dashboard.Bar, X: "day", Y: []string{"orders"}, Series: "channel", Stack: true, Grain: "week"},
		{Type: dashboard.Line, X: "day", Y: []string{"orders"}, Grain: "month"},
		{Type: dashboard.Area, X: "day", Y: []string{"orders"}},
		{Type: dashboard.Bar, X: "country", Y: []string{"orders"}, Horizontal: true},
		{Type: dashboard.Pie, Label: "channel", Value: "orders"},
		{Type: dashboard.Heatmap, X: "hour", Y: []string{"weekday"}, Value: "orders"},
		{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "country"}, {Column: "orders"}}},
		{Type: dashboard.Scatter, X: "revenue", Y: []string{"orders"}, Label: "country"},
		{Type: dashboard.Map, Area: "country", Value: "orders"},
	}
	at := func(query url.Values) *opened {
		v := v
		v.Query = query
		return open(v)
	}
	total := func(p *opened) float64 { return number(p.Panel(0).Grid.Rows[0][0]) }
	state := url.Values{"f.channel": {"web", "store"}, "f.day": {"last_30_days"}}
	followed := 0
	for i := 1; i < len(v.Spec.Panels); i++ {
		for name, query := range map[string]url.Values{"as published": {}, "filtered": state} {
			p := at(query).Panel(i)
			ways := p.Ways()
			try := func(m *Mark, want float64) {
				to := ways.Of(m)
				if m == nil {
					return
				}
				if to.To == "" || to.On {
					t.Fatalf("%s, %s: %v leads to %+v", p.Spec.Type, name, *m, to)
				}
				after := follow(t, to)
				there := at(after)
				if got := total(there); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s, %s: %s: %v, want %v", p.Spec.Type, name, to.To, got, want)
				}
				for column, values := range query { // the others stay
					if "f."+m.Column != column && !slices.Equal(after[column], values) {
						t.Errorf("%s, %s: %s loses %s", p.Spec.Type, name, to.To, column)
					}
				}
				back := there.Panel(i).Ways().Of(m)
				if !back.On || follow(t, back).Has("f."+m.Column) {
					t.Errorf("%s, %s: %s leads on to %+v", p.Spec.Type, name, to.To, back)
				}
				followed++
			}
			g := p.Grid
			first := slices.IndexFunc(g.Columns, func(c Column) bool { return c.Role == dashboard.Measure })
			last := len(g.Columns)
			if p.Spec.Type == dashboard.Scatter {
				first++ // of revenue and orders
			}
			for j := first; j < last; j++ {
				sum := 0.0
				for _, row := range g.Rows {
					if v := number(row[j]); !math.IsNaN(v) {
						sum += v
					}
				}
				try(g.Columns[j].Head, sum)
			}
			for _, row := range g.Rows {
				sum := 0.0
				for _, v := range row[first:last] {
					if v := number(v); !math.IsNaN(v) {
						sum += v
					}
				}
				try(g.Columns[0].Mark(row[0]), sum)
			}
		}
	}
	if followed < 250 {
		t.Errorf("%d links were followed", followed)
	}
}

func follow(t *testing.T, to canvas.Way) url.Values {
	t.Helper()
	raw, ok := strings.CutPrefix(to.To, "?")
	query, err := url.ParseQuery(raw)
	if !ok || err != nil {
		t.Fatalf("%q: %v", to.To, err)
	}
	return query
}

// TestPickedValues: each value as a filter, and the values that cannot be filters.
func TestPickedValues(t *testing.T) {
	t.Parallel()
	values := []any{"web", "", "~x", nil, "a&b=c d", "5%", "?#", "<b>"}
	var rows [][]any
	for i, s := range values {
		rows = append(rows, []any{day("2026-03-02").AddDate(0, 0, i), s, float64(i + 1), int64(i)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Table}}, zooColumns, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}, {Column: "day", Default: []string{"all"}}, {Column: "size"}}
	p := open(v).Panel(0)
	ways := p.Ways()
	for i, want := range []string{"web", "~empty", "~~x", "~null", "a&b=c d", "5%", "?#", "<b>"} {
		to := ways.Of(&Mark{Column: "name", Category: cube.Category{Value: values[i]}})
		if got := follow(t, to); !slices.Equal(got["f.name"], []string{want}) || len(got) != 1 {
			t.Errorf("%q: %s is %v", values[i], to.To, got)
		}
		v.Query = follow(t, to)
		if there := open(v).Panel(0).Grid.Rows; len(there) != 1 || number(there[0][2]) != float64(i+1) {
			t.Errorf("%q: %s leaves %v", values[i], to.To, there)
		}
	}
	for name, tc := range map[string]struct {
		column string
		grain  cube.Grain
		value  any
		want   string
	}{
		"a day":            {"day", cube.Exact, day("2026-03-03"), "?f.day=2026-03-03"},
		"a week":           {"day", cube.Weekly, day("2026-03-02"), "?f.day=2026-03-02..2026-03-08"},
		"a month":          {"day", cube.Monthly, day("2024-02-01"), "?f.day=2024-02-01..2024-02-29"},
		"a quarter":        {"day", cube.Quarterly, day("2026-10-01"), "?f.day=2026-10-01..2026-12-31"},
		"a year":           {"day", cube.Yearly, day("2026-01-01"), "?f.day=2026-01-01..2026-12-31"},
		"an hour":          {"day", cube.Hourly, day("2026-03-03"), ""},
		"no day":           {"day", cube.Exact, nil, ""},
		"a number":         {"size", cube.Exact, int64(-3), "?f.size=-3"},
		"without a filter": {"amount", cube.Exact, 1.0, ""},
	} {
		if got := ways.Of(&Mark{tc.column, tc.grain, cube.Category{Value: tc.value}}).To; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if got := ways.Of(&Mark{Column: "name", Category: cube.Category{Value: strings.Repeat("x", maxPicked+1)}}); got.To != "" {
		t.Error("a long text leads somewhere")
	}
	if got := ways.Of(&Mark{Column: "name", Category: cube.Category{Other: true}}); got.To != "" {
		t.Errorf("Other leads to %s", got.To)
	}
}

// TestWhereMarksLead: panels have no links without a filter or if their author switches them off, and ranges, hours and merged values have
// none.
func TestWhereMarksLead(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 200 {
		at := day("2026-03-01").Add(time.Duration(i)*time.Hour + 30*time.Minute)
		rows = append(rows, []any{at, fmt.Sprint("Name ", i%15), float64(i) / 7, 1.0})
	}
	columns := []string{"at timestamp", "name text", "age number dimension", "amount number sum"}
	for name, tc := range map[string]struct {
		panel   dashboard.Panel
		filters []string
		want    int // links in the table behind and before it
	}{
		"no filter":      {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"amount"}}, nil, 0},
		"another filter": {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"amount"}}, []string{"at"}, 0},
		"switched off":   {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"amount"}, Click: "none"}, []string{"name"}, 0},
		"names":          {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"amount"}}, []string{"name"}, 12},
		"and Other":      {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"amount"}, Other: true}, []string{"name"}, 12},
		"ranges":         {dashboard.Panel{Type: dashboard.Bar, X: "age", Y: []string{"amount"}}, []string{"age"}, 0},
		"hours":          {dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"amount"}, Grain: "hour"}, []string{"at"}, 0},
		"moments":        {dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"amount"}}, []string{"at"}, 0},
		"days":           {dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"amount"}, Grain: "day"}, []string{"at"}, 9},
		"a legend": {
			dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"amount"}, Grain: "day", Series: "name"}, []string{"name"}, 20,
		},
		"a list":  {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"amount"}, Horizontal: true, Limit: 5}, []string{"name"}, 10},
		"slices":  {dashboard.Panel{Type: dashboard.Pie, Label: "name", Value: "amount"}, []string{"name"}, 12},
		"a table": {dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}}}, []string{"name"}, 15},
	} {
		v := tiny([]dashboard.Panel{tc.panel}, columns, rows...)
		v.Spec.Datasets[0].Columns[2].Role = dashboard.Dimension
		v.Spec.Datasets[0].Columns[2].Agg = ""
		for _, f := range tc.filters {
			v.Spec.Filters = append(v.Spec.Filters, dashboard.Filter{Column: f})
		}
		doc := string(render(t, v))
		if got := strings.Count(doc, `<a href="?f.`); got != tc.want {
			t.Errorf("%s: %d links, want %d", name, got, tc.want)
		}
		if says := strings.Contains(doc, "Names are links"); says != (tc.want > 0 && tc.panel.Type != dashboard.Table) {
			t.Errorf("%s: that there are links is said: %v", name, says)
		}
	}
}

// TestManyLinks: the size of a page is limited, however long its reader's choices are.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	v := commerce(4000)
	v.Query = url.Values{"f.country": {"Germany"}}
	for i := range 400 {
		v.Query.Add("f.country", fmt.Sprintf("%0100d", i))
	}
	if doc := render(t, v); len(doc) > 2<<20 || len(doc) < 1<<20 {
		t.Errorf("%d bytes", len(doc))
	}
}

// TestPickDefault: two links of a page, one of them followed from a filter with a default.
func TestPickDefault(t *testing.T) {
	t.Parallel()
	v := zooView(ordinary()...)
	v.Spec.Filters = []dashboard.Filter{
		{Column: "name", Default: []string{"Ada"}}, {Column: "day", Default: []string{"2026-03-01", "2026-03-02"}},
	}
	leads := func(query, column string, value any, grain cube.Grain) canvas.Way {
		v.Query, _ = url.ParseQuery(query)
		return open(v).Panel(1).Ways().Of(&Mark{column, grain, cube.Category{Value: value}})
	}
	got := []canvas.Way{
		leads("", "name", "Ada", ""), leads("f.name=", "name", "Ada", ""), leads("f.name=Grace", "name", "Grace", ""),
		leads("", "day", day("2026-03-02"), ""), leads("f.day=2026-03-02", "day", day("2026-03-02"), ""),
		leads("f.day=2026-03-02..2026-03-09&f.name=Grace", "day", day("2026-03-01"), cube.Monthly),
	}
	want := []canvas.Way{
		{To: "?f.name=", On: true},
		{To: "?f.name=Ada", On: false},
		{To: "?", On: true},
		{To: "?f.day=2026-03-02", On: false},
		{To: "?", On: true},
		{To: "?f.name=Grace", On: true},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(canvas.Way{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
