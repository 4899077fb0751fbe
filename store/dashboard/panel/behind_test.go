package panel

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestRowsBehind: the rows behind each mark of a panel are those of the dataset with its value, unchanged, and they add up to the mark's
// number.
func TestRowsBehind(t *testing.T) {
	t.Parallel()
	v := commerce(3000)
	c := v.Cubes["orders"]
	v.Spec.Filters = []dashboard.Filter{
		{Column: "day", Default: []string{"last_90_days"}}, {Column: "country"}, {Column: "channel"}, {Column: "hour"},
	}
	v.Spec.Panels = []dashboard.Panel{
		{Type: dashboard.Bar, X: "day", Y: []string{"orders"}, Grain: "week", Title: "Weeks"},
		{Type: dashboard.Pie, Label: "channel", Value: "orders"},
		{Type: dashboard.Heatmap, X: "hour", Y: []string{"country"}, Value: "orders"},
		{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "country"}, {Column: "orders"}}, Sort: "-orders"},
	}
	orders := c.Index("orders")
	tried := 0
	for i := range v.Spec.Panels {
		p := open(v).Panel(i)
		for n, row := range p.Grid.Rows[:min(len(p.Grid.Rows), 4)] {
			sum := 0.0
			for _, v := range row[1:] {
				if f, ok := cube.Float(v); ok {
					sum += f
				}
			}
			there := at(v, p.Ways().Of(p.Grid.Columns[0].Mark(row[0])).To)
			to := open(there).Panel(i).ToRows().To
			if to == "" {
				t.Fatalf("%s: there is no way to the rows", p.Spec.Type)
			}
			there = at(v, to)
			q := open(there)
			rows := q.Panel(i)
			table, ok := rows.Content.(*tablePanel)
			if !ok || !table.each || table.found != len(rows.Data.Rows) || len(rows.Grid.Rows) != min(table.found, tableRows) {
				t.Fatalf("%s: not the rows: %s %s", p.Spec.Type, rows.Problem, rows.Empty)
			}
			records := csvOf(t, there, i)
			if len(records) != len(rows.Data.Rows)+1 || len(records[0]) != len(c.Columns())+2 {
				t.Fatalf("%s: %d rows of %d columns", p.Spec.Type, len(records)-1, len(records[0]))
			}
			got := 0.0
			for k, record := range records[1:] {
				for j, col := range c.Columns() {
					if want := plain(c.Value(int(rows.Data.Rows[k]), j)); record[j] != want {
						t.Errorf("%s: row %d has %s %q, want %q", p.Spec.Type, k, col.Name, record[j], want)
					}
				}
				n := 0.0
				fmt.Sscan(record[orders], &n)
				got += n
			}
			if got != sum {
				t.Errorf("%s: the rows behind mark %d add up to %v, the mark is %v", p.Spec.Type, n, got, sum)
			}
			back := at(v, rows.FromRows().To)
			if back.Query.Has(paramOf(i, askRows)) || len(back.Query) != len(there.Query)-1 {
				t.Errorf("%s: back leads to %v", p.Spec.Type, back.Query)
			}
			tried++
		}
	}
	if tried != 16 {
		t.Errorf("%d marks were tried", tried)
	}
}

func csvOf(t *testing.T, v Input, i int) [][]string {
	t.Helper()
	b, err := csvOfPanel(v, i)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestRowsAreRead: the rows are sorted, searched and paged independently of a panel that is a table, and the other panels stay as they are.
func TestRowsAreRead(t *testing.T) {
	t.Parallel()
	hostile := `<img src=x onerror=alert(1)>"'`
	var rows [][]any
	for i := range 60 {
		rows = append(rows, []any{[]any{hostile, "b", nil}[i%3], float64(i), float64(i) / 8})
	}
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Table, Title: hostile, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}}, PageSize: 2},
		{Type: dashboard.Bar, X: "name", Y: []string{"n"}},
	}, []string{"name text", "n number sum currency2", "rate number none percent1"}, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
	v.Truncated = map[string]bool{"d": true}
	v.Query = url.Values{
		"p0.rows": {"1"}, "p0.sort": {"n"}, "p0.rows.sort": {"-rate"}, "p0.rows.page": {"2"}, "p0.rows.q": {"IMG"},
		"p1.rows.sort": {"n"}, "p1.rows.q": {"b"},
	}
	p := open(v)
	if p.Query.Has("p1.rows.sort") || p.Query.Has("p1.rows.q") || len(p.Query) != 5 {
		t.Errorf("read are %v", p.Query)
	}
	table := p.Panel(0)
	if got := table.Content.(*tablePanel); got.found != 20 || got.how.sort != "-rate" || len(table.Grid.Rows) != 20 {
		t.Errorf("%d found, %+v, %d rows", got.found, got.how, len(table.Grid.Rows))
	}
	if rate := table.Grid.Rows[0][2]; rate != 57.0/8 {
		t.Errorf("the first row has %v", rate)
	}
	if bar := p.Panel(1); bar.Spec.Type != dashboard.Bar || bar.Grid == nil {
		t.Error("the other panel is not as it was")
	}
	doc := string(render(t, v))
	if strings.Contains(doc, "<img") {
		t.Error("a text is markup")
	}
	for _, want := range []string{
		"Rows of " + html.EscapeString(hostile)[:4], "Not all rows: the result was cut at 60 rows.", ">Rate<", "$57.00", "712.5%",
		`name="p0.rows.q" value="IMG"`, `name="p0.sort" value="n"`, "Back to the figure", "p0.rows.sort=rate",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %s", want)
		}
	}
	to, _, _ := strings.Cut(doc[strings.Index(doc, `?panel=0&amp;format=csv`):], `"`)
	if strings.Contains(to, "rows.q") || !strings.Contains(to, "p0.rows=1") {
		t.Errorf("the download is %s", to)
	}
	if n := len(csvOf(t, v, 0)); n != 61 {
		t.Errorf("the CSV has %d lines", n)
	}
}

// TestRowsOffered: panels without rows of their own do not lead to any.
func TestRowsOffered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		want  bool
	}{
		"a bar":              {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}}, true},
		"a histogram":        {dashboard.Panel{Type: dashboard.Histogram, Value: "n"}, true},
		"switched off":       {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Click: "none"}, false},
		"a number":           {dashboard.Panel{Type: dashboard.KPI, Value: "n"}, false},
		"a text":             {dashboard.Panel{Type: dashboard.Text, Markdown: "a"}, false},
		"all rows":           {dashboard.Panel{Type: dashboard.Table}, false},
		"some columns":       {dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "at"}, {Column: "name"}}}, true},
		"rows that are more": {dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}}}, true},
	} {
		v := tiny([]dashboard.Panel{tc.panel}, []string{"at date", "name text", "n number sum"},
			[]any{day("2026-03-01"), "a", 1.0}, []any{day("2026-03-02"), "a", 2.0})
		if got := strings.Contains(string(render(t, v)), "Rows behind this"); got != tc.want {
			t.Errorf("%s: offered %v", name, got)
		}
		v.Query = url.Values{"p0.rows": {"1"}}
		doc := string(render(t, v))
		if got := strings.Contains(doc, "Back to the figure"); got != tc.want && name != "all rows" {
			t.Errorf("%s: asked, there are rows: %v", name, got)
		}
	}
	s := commerce(9).Spec
	for query, want := range map[string]string{
		"p4.rows=1": "p4.rows=1", "p4.rows=2": "", "p0.rows=1": "", "p4.rows.page=2": "", "p4.rows=1&p4.rows.page=x": "p4.rows=1",
	} {
		q, _ := url.ParseQuery(query)
		if got := ParamsOf(s).Read(q).Encode(); got != want {
			t.Errorf("%s is read as %q", query, got)
		}
	}
	if s.Panels[4].Type != dashboard.Area {
		t.Error("the spec is another one")
	}
	s.Filters = append(s.Filters, dashboard.Filter{Column: "rows"}) // and it keeps its parameters
	if got := ParamsOf(s).Read(url.Values{"f.rows.from": {"2026-01-01"}}).Encode(); got != "f.rows.from=2026-01-01" {
		t.Errorf("a filter on rows is read as %q", got)
	}
}

// TestFewAreSearchedAtOnce: of any number of panels that an address searches, or turns into their rows, the page applies it to the first
// four. The others are drawn as in the spec, and do not lead to their rows.
func TestFewAreSearchedAtOnce(t *testing.T) {
	t.Parallel()
	panels := times(dashboard.MaxPanels, dashboard.Panel{Type: dashboard.Bar, X: "c", Y: []string{"n"}})
	for i := range panels[:20] {
		if i%2 == 1 {
			panels[i] = dashboard.Panel{Type: dashboard.Table, Columns: across("c", "n")}
		}
	}
	v := tiny(panels, []string{"c text", "n integer sum"}, []any{"a", int64(1)}, []any{"b", int64(2)})
	v.Spec.Filters = []dashboard.Filter{{Column: "rows"}}
	v.Query = url.Values{"f.rows.from": {"2026-01-01"}}
	for i := 3; i < len(panels); i++ {
		if panels[i].Type == dashboard.Table {
			v.Query[paramOf(i, askSearch)], v.Query[paramOf(i, askSort)] = []string{"a"}, []string{"n"}
			continue
		}
		v.Query[paramOf(i, askRows)], v.Query[paramOf(i, inRows+askSearch)] = []string{yes}, []string{"a"}
	}
	got := ParamsOf(v.Spec).Read(v.Query)
	want := "f.rows.from=2026-01-01&p11.sort=n&p13.sort=n&p15.sort=n&p17.sort=n&p19.sort=n&p3.q=a&p3.sort=n&p4.rows=1&p4.rows.q=a&" +
		"p5.q=a&p5.sort=n&p6.rows=1&p6.rows.q=a&p7.sort=n&p9.sort=n"
	if got.Encode() != want {
		t.Errorf("of the query is read\n%s, want\n%s", got.Encode(), want)
	}
	p := open(v)
	p.workOut()
	for i, one := range p.panels {
		searched := one.reading().search != ""
		if searched != (i >= 3 && i <= 6) || (one.FigureOf != nil) != (i == 4 || i == 6) {
			t.Errorf("panel %d is searched: %v, and is rows: %v", i, searched, one.FigureOf != nil)
		}
		if to := one.ToRows().To; to != "" && i != 3 && i != 5 {
			t.Errorf("panel %d leads to its rows, at %s", i, to)
		}
	}
}
