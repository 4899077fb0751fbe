package panel

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// rowNames returns the names in the first column of a panel's table.
func rowNames(t *testing.T, v Input, panel int) []string {
	t.Helper()
	p := open(v).Panel(panel)
	if p.Problem != "" || p.Grid == nil {
		t.Fatalf("panel %d: %s%s", panel, p.Problem, p.Empty)
	}
	var out []string
	for _, row := range p.Grid.Rows {
		out = append(out, p.words(0, row[0]))
	}
	return out
}

// legend returns the colours of a panel's series, or parts, by name.
func legend(v Input, panel int) map[string]canvas.Color {
	out := map[string]canvas.Color{}
	switch c := open(v).Panel(panel).Content.(type) {
	case *linePanel:
		for _, s := range c.split.series {
			out[s.name] = s.color
		}
	case *barPanel:
		for _, s := range c.split.series {
			out[s.name] = s.color
		}
	case *piePanel:
		for _, s := range c.parts {
			out[s.name] = s.color
		}
	case *scatterPanel:
		for _, s := range c.legend {
			out[s.name] = s.color
		}
	}
	return out
}

// TestNaturalOrder: the order of rows does not matter (findings O2, O3, O4).
func TestNaturalOrder(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{
		{"under $10k", "$10–15k", "$15–25k", "$35–50k", "$100–150k", "over $200k"},
		{"2009/10", "2012/13", "2013/14"},
		{"Montag", "Dienstag", "Mittwoch", "Sonntag"},
		{"janvier", "février", "août"},
		{"0–9", "10–19", "65+", "no answer"},
		{"< 1 day", "1–2 days", "> 10 days"},
	} {
		var rows [][]any
		for i := range want { // backwards, and the smallest first
			rows = append(rows, []any{want[len(want)-1-i], int64(i + 1), true})
		}
		v := tiny([]dashboard.Panel{
			{Type: dashboard.Bar, X: "name", Y: []string{"n"}},
			{Type: dashboard.Line, X: "name", Y: []string{"n"}},
			{Type: dashboard.Pie, Label: "name", Value: "n"},
			{Type: dashboard.Heatmap, X: "n2", Y: []string{"name"}, Value: "n"},
		}, []string{"name text", "n integer sum", "n2 boolean"}, rows...)
		for panel := range v.Spec.Panels {
			if got := rowNames(t, v, panel); !slices.Equal(got, want) {
				t.Errorf("panel %d: %q, want %q", panel, got, want)
			}
		}
		v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
		var got []string
		for _, o := range open(v).Filters[0].Listed {
			got = append(got, o.Label)
		}
		if !slices.Equal(got, want) {
			t.Errorf("filter: %q, want %q", got, want)
		}
	}
}

// TestNamesGoByValue: bars of names without an order begin with the largest.
func TestNamesGoByValue(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "name", Y: []string{"n"}}}, []string{"name text", "n integer sum"},
		[]any{"Store 2", int64(1)}, []any{"Customer 1", int64(3)}, []any{"iPhone 15", int64(2)})
	if got := rowNames(t, v, 0); !slices.Equal(got, []string{"Customer 1", "iPhone 15", "Store 2"}) {
		t.Errorf("%q", got)
	}
}

// TestOrderOfColumn: the spec's order applies everywhere, and a panel's sort can name a column that it does not show (finding O4).
func TestOrderOfColumn(t *testing.T) {
	t.Parallel()
	panels := []dashboard.Panel{
		{Type: dashboard.Bar, X: "name", Y: []string{"n"}},
		{Type: dashboard.Line, X: "name", Y: []string{"n"}},
		{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}}},
	}
	rows := [][]any{{"b", int64(1), int64(2), "z"}, {"a", int64(2), int64(3), "x"}, {"c", int64(3), int64(1), "y"}}
	columns := []string{"name text", "n integer sum", "no integer none", "text text"}
	for name, tc := range map[string]struct {
		order dashboard.Order
		want  string
	}{
		"rows":              {dashboard.Order{Rows: true}, "b a c"},
		"values":            {dashboard.Order{Values: []string{"c", "b"}}, "c b a"},
		"column":            {dashboard.Order{Column: "no"}, "c b a"},
		"column descending": {dashboard.Order{Column: "no", Descending: true}, "a b c"},
		"column of text":    {dashboard.Order{Column: "text"}, "a c b"},
		"measure":           {dashboard.Order{Column: "n", Descending: true}, "c a b"},
	} {
		v := tiny(panels, columns, rows...)
		v.Spec.Columns = []dashboard.Appearance{{Column: "name", Order: tc.order}}
		for panel := range panels {
			if got := strings.Join(rowNames(t, v, panel), " "); got != tc.want {
				t.Errorf("%s, panel %d: %s, want %s", name, panel, got, tc.want)
			}
		}
	}
	for sort, want := range map[string]string{
		"no": "c b a", "-no": "a b c",
		"text": "a c b", "-text": "b c a", "n": "b a c", "-n": "c a b", "name": "a b c",
	} {
		v := tiny(panels, columns, rows...)
		v.Spec.Panels[0].Sort, v.Spec.Panels[2].Sort = sort, sort
		for _, panel := range []int{0, 2} {
			if got := strings.Join(rowNames(t, v, panel), " "); got != want {
				t.Errorf("sort %s, panel %d: %s, want %s", sort, panel, got, want)
			}
		}
	}
}

// TestScalesAreNeverCut: steps of a scale are never left out; if they do not fit, all are merged into ranges, with a note (finding N5).
func TestScalesAreNeverCut(t *testing.T) {
	t.Parallel()
	steps := func(n int, kind string, of dashboard.Panel) Input {
		var rows [][]any
		for i := range n {
			rows = append(rows, []any{int64(i), int64(i%7 + 1)})
		}
		of.X, of.Y = "hour", []string{"n"}
		return tiny([]dashboard.Panel{of}, []string{"hour integer", "n integer " + kind}, rows...)
	}
	for _, of := range []dashboard.Panel{{Type: dashboard.Bar}, {Type: dashboard.Bar, Horizontal: true}, {Type: dashboard.Line}} {
		v := steps(24, "sum", of)
		v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
		if got := rowNames(t, v, 0); len(got) != 24 || got[0] != "0" || got[23] != "23" {
			t.Errorf("%s: %d hours: %q", of.Type, len(got), got)
		}
		v = steps(1000, "sum", of)
		v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
		p := open(v).Panel(0)
		sum := 0.0
		for _, row := range p.Grid.Rows {
			sum += number(row[1])
		}
		if want := 3997.0; sum != want {
			t.Errorf("%s: the bars add up to %v of %v", of.Type, sum, want)
		}
		if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "1,000 values of hour are merged into") {
			t.Errorf("%s: notes %q", of.Type, p.Notes)
		}
		if got := p.words(0, p.Grid.Rows[0][0]); !strings.HasPrefix(got, "0–") {
			t.Errorf("%s: the first range is %q", of.Type, got)
		}
	}
	v := steps(24, "sum", dashboard.Panel{Type: dashboard.Bar, Limit: 5})
	v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
	if got := rowNames(t, v, 0); len(got) != 5 {
		t.Errorf("a limit that the author set keeps %q", got)
	}
}

// TestDaysSideBySide: the days of a month are drawn one by one, also those of this year next to those of the last, and integers under an
// axis are round.
func TestDaysSideBySide(t *testing.T) {
	t.Parallel()
	var days, years [][]any
	for i := 1; i <= 31; i++ {
		days = append(days, []any{int64(i), int64(i), int64(40 - i)})
	}
	for i := 1880; i <= 2023; i++ {
		years = append(years, []any{int64(i), float64(i%9) / 10})
	}
	v := tiny(
		[]dashboard.Panel{{Type: dashboard.Bar, X: "day", Y: []string{"now", "before"}}},
		[]string{"day integer", "now integer sum", "before integer sum"}, days...,
	)
	v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
	if got := rowNames(t, v, 0); len(got) != 31 {
		t.Errorf("%d days: %q", len(got), got)
	}
	v = tiny(
		[]dashboard.Panel{{Type: dashboard.Line, X: "year", Y: []string{"warmer"}}},
		[]string{"year integer", "warmer number none"}, years...,
	)
	v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
	html, err := renderPage(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	labels := regexp.MustCompile(`>(\d{4})</text>`).FindAllStringSubmatch(string(html), -1)
	if len(labels) < 6 {
		t.Errorf("%d labels", len(labels))
	}
	for _, l := range labels {
		if !strings.HasSuffix(l[1], "0") {
			t.Errorf("the year %s stands under the axis", l[1])
		}
	}
}

// TestLowestAreKept: a chart sorted by a measure in ascending order keeps the smallest values.
func TestLowestAreKept(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 60 {
		rows = append(rows, []any{"product " + strconv.Itoa(100+i), int64(i * 7 % 60)})
	}
	for sort, want := range map[string]string{"margin": "0 1 2", "-margin": "59 58 57"} {
		v := tiny(
			[]dashboard.Panel{{Type: dashboard.Bar, Horizontal: true, X: "product", Y: []string{"margin"}, Sort: sort, Limit: 3}},
			[]string{"product text", "margin integer sum"}, rows...,
		)
		p := open(v).Panel(0)
		var got []string
		for _, row := range p.Grid.Rows {
			got = append(got, strconv.Itoa(int(number(row[1]))))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("sort %s: %s, want %s; %q", sort, got, want, p.Notes)
		}
	}
}

// TestColorsBelongToValues: a value has one colour in all panels, with every filter, in any order of the rows, and after other values were
// added and removed (O1).
func TestColorsBelongToValues(t *testing.T) {
	t.Parallel()
	panels := []dashboard.Panel{
		{Type: dashboard.Line, X: "day", Y: []string{"n"}, Series: "name"},
		{Type: dashboard.Bar, X: "day", Y: []string{"n"}, Series: "name"},
		{Type: dashboard.Area, X: "day", Y: []string{"n"}, Series: "name", Stack: true},
		{Type: dashboard.Pie, Label: "name", Value: "n"},
		{Type: dashboard.Scatter, X: "n", Y: []string{"n"}, Series: "name", Label: "name"},
	}
	columns := []string{"day date", "name text", "n integer sum"}
	view := func(names ...any) Input {
		var rows [][]any
		for i, name := range names {
			rows = append(rows, []any{day("2026-03-01"), name, int64(10 - i)}, []any{day("2026-03-02"), name, int64(1)})
		}
		v := tiny(slices.Clone(panels), columns, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
		return v
	}
	want := map[string]canvas.Color{"Ada": 1, "Edsger": 2, "Grace": 3, "Not set": canvas.OtherColor}
	check := func(what string, v Input, some int) {
		t.Helper()
		for panel := range panels {
			got := legend(v, panel)
			if len(got) != some {
				t.Errorf("%s, panel %d: %v", what, panel, got)
			}
			for name, c := range got {
				if want[name] != c {
					t.Errorf("%s, panel %d: %s has colour %d, want %d", what, panel, name, c, want[name])
				}
			}
		}
	}
	first := view("Grace", nil, "Ada", "Edsger")
	check("first", first, 4)
	check("rows in another order", view("Edsger", "Ada", "Grace", nil), 4)
	filtered := view("Grace", nil, "Ada", "Edsger")
	filtered.Query = map[string][]string{"f.name": {"Grace"}}
	check("filtered", filtered, 1)

	kept := dashboard.Colors(nil).With(first.Spec, first.Cubes)
	later := view("Aaron", "Zoe", "Grace", "Ada")
	later.Colors = kept.With(later.Spec, later.Cubes)
	want["Aaron"], want["Zoe"] = 4, 5
	check("with new values", later, 4)
	again := view("Grace", "Ada", "Edsger")
	again.Colors = dashboard.ReadColors(later.Colors.Encode())
	check("with old values again", again, 3)

	named := view("Grace", nil, "Ada", "Edsger")
	named.Colors = kept
	named.Spec.Columns = []dashboard.Appearance{{Column: "name", Colors: map[string]string{"Edsger": "blue", "Grace": "gray"}}}
	want = map[string]canvas.Color{"Ada": 2, "Edsger": 1, "Grace": canvas.OtherColor, "Not set": canvas.OtherColor}
	check("named", named, 4)
}

// TestManyValuesShareColors: in one panel no two values have the same colour.
func TestManyValuesShareColors(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 40 {
		rows = append(rows, []any{day("2026-03-01"), fmt.Sprintf("v%c%02d", 'a'+i%26, i), int64(100 - i)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "day", Y: []string{"n"}, Series: "name"}},
		[]string{"day date", "name text", "n integer sum"}, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
	for from := 0; from < 40; from += 5 {
		query := map[string][]string{}
		for _, row := range rows[from : from+5] {
			query["f.name"] = append(query["f.name"], row[1].(string))
		}
		v.Query = query
		seen := map[canvas.Color]bool{}
		for _, c := range legend(v, 0) {
			seen[c] = true
		}
		if len(seen) != 5 {
			t.Errorf("from %d on: %v", from, legend(v, 0))
		}
	}
}

// TestColorsOfMeasuresAndBars: the spec's colours of measures, and of the values
// under bars.
func TestColorsOfMeasuresAndBars(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Line, X: "day", Y: []string{"n", "m"}}, {Type: dashboard.Bar, X: "name", Y: []string{"n"}},
	}, []string{"day date", "name text", "n integer sum", "m integer sum"},
		[]any{day("2026-03-01"), "coal", int64(2), int64(1)}, []any{day("2026-03-02"), "wind", int64(1), int64(1)})
	v.Spec.Columns = []dashboard.Appearance{{Column: "n", Color: "violet"}, {Column: "name", Colors: map[string]string{"coal": "gray"}}}
	if got := legend(v, 0); got["N"] != 5 || got["M"] != 1 {
		t.Errorf("measures: %v", got)
	}
	if got := open(v).Panel(1).Content.(*barPanel).own; !slices.Equal(got, []canvas.Color{canvas.OtherColor, 5}) {
		t.Errorf("bars: %v", got)
	}
}

// TestFirstSeriesOnTop: the first series of a scatter is drawn last, small points after large ones, and the names of the axis after all
// points (finding O11).
func TestFirstSeriesOnTop(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Size: "s", Series: "name", Label: "id"}},
		[]string{"id text", "name text", "x number sum", "y number sum", "s number sum"},
		[]any{"1", "a", 50.0, 50.0, 1.0}, []any{"2", "a", 60.0, 50.0, 9.0}, []any{"3", "b", 1.0, 1.0, 100.0}, []any{"4", "b", 99.0, 99.0, 100.0})
	doc := string(render(t, v))
	_, plot, _ := strings.Cut(doc, `<svg class="plot`)
	marks := regexp.MustCompile(`class="(f\d+) dot" cx="([\d.]+)%" cy="([\d.]+)%" r="([\d.]+)"|<text class="t`).FindAllStringSubmatch(plot, -1)
	var order []string
	for _, m := range marks {
		order = append(order, m[1])
	}
	if !slices.Equal(order[:5], []string{"f2", "f2", "f1", "f1", ""}) {
		t.Errorf("drawn %q", order)
	}
	for _, m := range marks[:4] {
		if m[2] == "0" || m[3] == "100" || m[2] == "100" || m[3] == "0" {
			t.Errorf("a point lies on the edge: %q", m)
		}
	}
}

// TestFilterHasTheLabelOfItsColumn (finding O9).
func TestFilterHasTheLabelOfItsColumn(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT death_date FROM t",
		"columns": {"death_date": {"label": "Date of death"}}}], "filters": [{"column": "death_date"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{{Name: "death_date", Type: cube.Date}})
	if got := open(Input{Spec: s, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Now: now}).Filters[0].Name; got != "Date of death" {
		t.Errorf("%q", got)
	}
}

// TestNaturalOrderOfMany: any number of texts has the same order, in every panel, in the CSV, and in the list of a filter.
func TestNaturalOrderOfMany(t *testing.T) {
	t.Parallel()
	clock := make([]string, 96)
	for i := range clock {
		clock[i] = fmt.Sprintf("%02d:%02d", i*15/60, i*15%60)
	}
	weights := make([]string, 90)
	for i := range weights {
		weights[i] = fmt.Sprintf("%d.%02d kg", i/20, i%20*5)
	}
	amounts := []string{"under $1k"}
	for i := range 80 {
		amounts = append(amounts, fmt.Sprintf("$%d–%dk", i+1, i+2))
	}
	addresses := make([]string, 0, 100)
	for i := range 100 {
		addresses = append(addresses, fmt.Sprintf("10.0.%d.%d", i/50, i%50*5))
	}
	for name, all := range map[string][]string{"clock": clock, "weights": weights, "amounts": amounts, "addresses": addresses} {
		for _, n := range []int{20, 60, 61, len(all)} {
			want := all[:n]
			var rows [][]any
			for i := range want {
				rows = append(rows, []any{want[i*7%n], int64(1), true})
				if n%7 == 0 {
					t.Fatal("7 divides the number of values")
				}
			}
			v := tiny([]dashboard.Panel{
				{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}}, Sort: "name", PageSize: 100},
				{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Sort: "name", Limit: 100},
				{Type: dashboard.Line, X: "name", Y: []string{"n"}},
			}, []string{"name text", "n integer sum", "n2 boolean"}, rows...)
			for panel, p := range v.Spec.Panels {
				want := want
				if p.Type == dashboard.Line {
					want = want[:min(n, len(rowNames(t, v, panel)))] // only the first are drawn
				}
				if got := rowNames(t, v, panel); !slices.Equal(got, want) {
					t.Errorf("%s, %d values, panel %d: %q, want %q", name, n, panel, got, want)
				}
			}
			v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
			var got []string
			for _, o := range open(v).Filters[0].Listed {
				got = append(got, o.Label)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d values, filter: %q, want %q", name, n, got, want)
			}
		}
	}
}

// TestTableOfGroupsInOrder: the groups of a query without ORDER BY have an accidental order, so a table without sort has that of its first
// dimension. Rows that are not groups, or whose order the query defines, keep theirs.
func TestTableOfGroupsInOrder(t *testing.T) {
	t.Parallel()
	quarters := []any{"Q1 2025", "Q2 2025", "Q3 2025", "Q4 2025", "Q1 2026"}
	dates := []any{day("2025-01-01"), day("2025-04-01"), day("2025-07-01"), day("2025-10-01"), day("2026-01-01")}
	shuffled := []int{4, 1, 3, 0, 2}
	for name, tc := range map[string]struct {
		sql   string
		value []any
		want  []int
	}{
		"dates":           {"SELECT date_trunc('quarter', r) AS name, count(*) AS n FROM t GROUP BY 1", dates, []int{0, 1, 2, 3, 4}},
		"quarters":        {"SELECT q AS name, count(*) AS n FROM t GROUP BY 1", quarters, []int{0, 1, 2, 3, 4}},
		"names":           {"SELECT q AS name, count(*) AS n FROM t GROUP BY 1", []any{"b", "a", "e", "d", "c"}, []int{4, 3, 2, 1, 0}},
		"with an order":   {"SELECT q AS name, count(*) AS n FROM t GROUP BY 1 ORDER BY max(r)", quarters, shuffled},
		"without a group": {"SELECT q AS name, n FROM t", dates, shuffled},
	} {
		var rows [][]any
		for _, i := range shuffled {
			rows = append(rows, []any{tc.value[i], int64(i + 1)})
		}
		kind := "text"
		if _, ok := tc.value[0].(string); !ok {
			kind = "date"
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Table}}, []string{"name " + kind, "n integer sum"}, rows...)
		v.Spec.Datasets[0].SQL = tc.sql
		var want []string
		for _, i := range tc.want {
			if at, ok := tc.value[i].(string); ok {
				want = append(want, at)
			} else {
				want = append(want, open(v).Date(dates[i].(time.Time)))
			}
		}
		if got := rowNames(t, v, 0); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
