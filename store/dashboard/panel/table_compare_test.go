package panel

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// asTable is a view of a panel of sales as a table by product, with its comparison, instead of bars.
func asTable(v Input) Input {
	p := &v.Spec.Panels[0]
	*p = dashboard.Panel{
		Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "product"}, {Column: "won"}}, Compare: p.Compare, Partial: p.Partial,
		Width: 12, TotalRow: true,
	}
	return v
}

// sameSums checks that a compared table has the sums of two periods, whose names are in its heads, and the change of each product.
func sameSums(t *testing.T, name string, v Input, legend string, own, before map[string]float64) {
	t.Helper()
	p := open(v).Panel(0)
	names := strings.Split(legend, ", ")
	if len(names) > 2 { // they have years
		names = []string{strings.Join(names[:len(names)/2], ", "), strings.Join(names[len(names)/2:], ", ")}
	}
	heads := "Product " + names[0] + " " + names[1] + " vs " + names[1]
	if p.Grid == nil || headsOf(p.Grid) != heads {
		t.Errorf("%s: %s; want the columns %s", name, p.Summary, heads)
		return
	}
	note := names[0] + " is compared with " + names[1] + "."
	if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, note) {
		t.Errorf("%s: notes %q, want %q", name, notes, note)
	}
	for _, row := range p.Grid.Rows {
		product := fmt.Sprint(row[0].(cube.Category).Value)
		a, hasA := own[product]
		b, hasB := before[product]
		want := []any{nil, nil, nil}
		if hasA {
			want[0] = a
		}
		if hasB {
			want[1] = b
		}
		if hasA && hasB {
			want[2] = (a - b) / b
		}
		for i := range want {
			if got, ok := cube.Float(row[i+1]); ok != (want[i] != nil) || ok && got != want[i] {
				t.Errorf("%s: %s has %v, want %v", name, product, row[1:], want)
			}
		}
		if !hasA && !hasB {
			t.Errorf("%s: no period has rows of %s", name, product)
		}
		delete(own, product)
		delete(before, product)
	}
	if len(own)+len(before) > 0 {
		t.Errorf("%s: no rows of %v and %v", name, own, before)
	}
}

// cellsOf returns the cells of the tables of a page, a line for each row, without what is hidden from sight.
func cellsOf(t testing.TB, v Input) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(render(t, v))))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	eachNode(root, func(n *html.Node) {
		if n.Data != "tr" {
			return
		}
		var cells []string
		for c := range n.ChildNodes() {
			cells = append(cells, strings.TrimSpace(strings.NewReplacer("\u00a0", " ", "(good)", "", "(bad)", "").Replace(textOf(c))))
		}
		rows = append(rows, strings.Join(cells, " | "))
	})
	return strings.Join(rows, "\n")
}

// A table that no filter gives a period is about the last complete period of its grain, as a kpi is. The data are of 20 November 2026.
func TestTableComparesLastPeriod(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ from, keys, want string }{
		"months": {"2025-01-01", `"compare": "previous_period"`, `Shop,N · Oct 2026,N · Sep 2026,N · vs Sep 2026
North,15240,13740,0.1091703056768559
South,16256,13725,0.184408014571949`},
		"a year": {
			"2025-01-01", `"compare": "previous_year"`,
			"Shop,N · Oct 2026,N · Oct 2025,N · vs Oct 2025\nNorth,15240,15240,0\nSouth,16256,16256,0",
		},
		"no year":  {"2026-01-01", `"compare": "previous_year"`, "Shop,N · Oct 2026,N · Oct 2025,N · vs Oct 2025\nNorth,15240,,\nSouth,16256,,"},
		"quarters": {"2025-01-01", `"compare": "previous_period", "grain": "quarter"`, "Shop,N · Q3 2026,N · Q2 2026,N · vs Q2 2026\nNorth,"},
		"one day":  {"2025-01-01", `"compare": "previous_period", "grain": "day"`, `Shop,N · "Nov 19, 2026"`},
		"running": {
			"2025-01-01", `"compare": "previous_period", "partial": "show"`,
			`Shop,N · Nov 2026,"N · Oct 1, 2026 – Oct 20, 2026","N · vs Oct 1, 2026 – Oct 20, 2026"`,
		},
	} {
		v := tinySpec(t, `{"type": "table", "columns": ["shop", "n"], "sort": "shop", `+tc.keys+`}`,
			[]string{"at date", "shop text", "n integer sum"}, numbers(tc.from, "2026-11-20")...)
		csv, err := csvOfPanel(v, 0)
		want := strings.Replace(tc.want, `N · "Nov 19, 2026"`, `"N · Nov 19, 2026"`, 1)
		if err != nil || !strings.HasPrefix(string(csv), want) {
			t.Errorf("%s: %s, %v, want %s", name, csv, err, want)
		}
		got := strings.Join(open(v).Panel(0).Notes, " ")
		none := strings.Contains(got, "No earlier period to compare with.")
		if none != (name == "no year") || !strings.Contains(got, "is compared with") {
			t.Errorf("%s: notes %q", name, got)
		}
	}
}

// shops are rows of two months: of a shop that is open in both, of one that opens, of one that closes, and of one that sold nothing in
// September. rate is a ratio in per cent.
func shops(panel string) (string, []string, [][]any) {
	var rows [][]any
	add := func(at, shop string, sold, asked, lost int64) {
		rows = append(rows, []any{day(at), shop, sold, asked, lost})
	}
	add("2026-08-31", "Bonn", 1, 1, 1)
	add("2026-09-03", "Bonn", 40, 100, 5)
	add("2026-09-20", "Bonn", 40, 100, 5)
	add("2026-09-20", "Ulm", 10, 40, 2)
	add("2026-09-21", "Jena", 0, 10, 0)
	add("2026-10-02", "Bonn", 60, 120, 8)
	add("2026-10-30", "Bonn", 36, 120, 8)
	add("2026-10-30", "Kiel", 7, 14, 1)
	add("2026-10-30", "Jena", 3, 12, 0)
	return panel, []string{"at date", "shop text", "sold integer sum", "asked integer sum", "lost integer sum"}, rows
}

// comparedShops is a view of a table of shops.
func comparedShops(t *testing.T, keys string) Input {
	t.Helper()
	panel, columns, rows := shops(`{"type": "table", "compare": "previous_period", ` + keys + `}`)
	v := tinySpec(t, panel, columns, rows...)
	set := &v.Spec.Datasets[0]
	set.Columns = append(set.Columns, dashboard.Meta{Name: "rate", Ratio: [2]string{"sold", "asked"}, Format: "percent1", Good: "up"})
	for i := range set.Columns {
		switch set.Columns[i].Name {
		case "sold":
			set.Columns[i].Good = "up"
		case "lost":
			set.Columns[i].Good = "down"
		}
	}
	return v
}

// The page of a compared table: heads, values of both periods, changes with signs and tones, rows of one period alone, points for ratios in
// per cent, no ratio to 0, and totals of both periods.
func TestComparedTableDrawn(t *testing.T) {
	t.Parallel()
	v := comparedShops(t, `"columns": ["shop", "sold", "rate"], "sort": "shop", "total": true`)
	want := ` | Sold | Rate
Oct 2026 | Sep 2026 | vs Sep 2026 | Oct 2026 | Sep 2026 | vs Sep 2026
Bonn | 96 | 80 | +20.0%✓ | 40.0% | 40.0% | 0.0 pp
Jena | 3 | 0 | – | 25.0% | 0.0% | +25.0 pp✓
Kiel | 7 | – | – | 50.0% | – | –
Ulm | – | 10 | – | – | 25.0% | –
Total | 106 | 90 | +17.8%✓ | 39.8% | 36.0% | +3.8 pp✓`
	if got := strings.TrimPrefix(cellsOf(t, v), "Shop, as it was at first"); !strings.HasSuffix(sorted(got), sorted(want)) {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
	p := open(v).Panel(0)
	sentence := "4 rows; first Bonn, Sold 96, up 20.0% from 80 (Sep 2026), Rate 40.0%, unchanged from 40.0% (Sep 2026); " +
		"then Jena, Sold 3, up 3 from 0 (Sep 2026), Rate 25.0%, up 25.0 pp from 0.0% (Sep 2026); " +
		"then Kiel, Sold 7 (Sep 2026: –), Rate 50.0% (Sep 2026: –); " +
		"total Sold 106, up 17.8% from 90 (Sep 2026), Rate 39.8%, up 3.8 pp from 36.0% (Sep 2026)."
	if got := strings.ReplaceAll(p.Summary, "\u00a0", " "); got != sentence {
		t.Errorf("the sentence is\n%s\nwant\n%s", got, sentence)
	}
	sketch := strings.Join(p.Content.(*tablePanel).sketch(), "\n")
	for _, want := range []string{"Sold · Oct 2026  Sep 2026  vs Sep 2026  Rate · Oct 2026", "+20.0%", "Ulm"} {
		if !strings.Contains(sketch, want) {
			t.Errorf("the drawing lacks %q:\n%s", want, sketch)
		}
	}
	bad := comparedShops(t, `"columns": ["shop", "lost"], "sort": "shop"`)
	if got := cellsOf(t, bad); !strings.Contains(got, "Bonn | 16 | 10 | +60.0%●") {
		t.Errorf("more losses are not bad:\n%s", got)
	}
}

// sorted returns lines in which the texts of links for screen readers are removed.
func sorted(s string) string {
	for _, of := range []string{", sort ascending", ", sort descending", ", as it was at first", "▲", "▼"} {
		s = strings.ReplaceAll(s, of, "")
	}
	return s
}

// The rows can be sorted by the values of the earlier period and by the change, by the spec and by readers. Rows without a change are last.
func TestComparedTableSorts(t *testing.T) {
	t.Parallel()
	for sort, want := range map[string]string{
		"-sold.change": "Bonn", "rate.change": "Bonn Jena", "-rate.change": "Jena Bonn", "-sold.before": "Bonn Ulm Jena Kiel",
		"sold.before": "Jena Ulm Bonn Kiel", "-sold": "Bonn Kiel Jena Ulm", "sold": "Jena Kiel Bonn Ulm",
	} {
		for _, reader := range []bool{false, true} {
			of := "shop"
			if !reader {
				of = sort
			}
			v := comparedShops(t, `"columns": ["shop", "sold", "rate"], "sort": "`+of+`"`)
			if reader {
				v.Query = url.Values{"p0.sort": {sort}}
			}
			p := open(v).Panel(0)
			var got []string
			for _, row := range p.Grid.Rows {
				got = append(got, row[0].(cube.Category).Value.(string))
			}
			if !strings.HasPrefix(strings.Join(got, " "), want) || len(got) != 4 || len(p.Unread()) > 0 {
				t.Errorf("by %s, reader %v: %v, want %s; %v", sort, reader, got, want, p.Unread())
			}
		}
	}
	v := comparedShops(t, `"columns": ["shop", "sold"], "sort": "-sold.change", "limit": 1`)
	v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
	p := open(v).Panel(0)
	if got := headsOf(p.Grid); got != "Shop Sold" || p.Grid.Rows[0][0].(cube.Category).Value != "Bonn" {
		t.Errorf("without a period the columns are %s, and the first row %v", got, p.Grid.Rows[0])
	}
}

// A search finds rows of both periods, and the totals are those of the rows found, also if the shown period has none of them.
func TestComparedTableSearch(t *testing.T) {
	t.Parallel()
	for find, want := range map[string]string{
		"n":    "Total of 2 rows | 99 | 80 | +23.8%✓",
		"ulm":  "Total of 1 row | – | 10 | –",
		"kiel": "Total of 1 row | 7 | – | –",
		"no":   "",
	} {
		v := comparedShops(t, `"columns": ["shop", "sold"], "total": true, "thresholds": [{"column": "sold", "value": "asked", "tone": "good"}]`)
		v.Query = url.Values{"p0.q": {find}}
		if got := cellsOf(t, v); want != "" && !strings.HasSuffix(got, want) || want == "" && strings.Contains(got, "Total") {
			t.Errorf("%s: %s\nwant %s", find, got, want)
		}
	}
}

// A table that is too narrow for the values of the earlier period has its changes, and its files have the values.
func TestComparedTableWidth(t *testing.T) {
	t.Parallel()
	for width, seen := range map[int]bool{12: true, 8: true, 7: false, 6: false} {
		v := comparedShops(t, fmt.Sprintf(`"columns": ["shop", "sold", "rate"], "total": true, "width": %d`, width))
		got := cellsOf(t, v)
		if strings.Contains(got, "| Sep 2026") != seen || !strings.Contains(got, "vs Sep 2026") || !strings.Contains(got, "+20.0%") {
			t.Errorf("width %d:\n%s", width, got)
		}
		csv, err := csvOfPanel(v, 0)
		head := "Shop,Sold · Oct 2026,Sold · Sep 2026,Sold · vs Sep 2026,Rate · Oct 2026,Rate · Sep 2026,Rate · vs Sep 2026 (pp)\n"
		if err != nil || !strings.HasPrefix(string(csv), head) || !strings.Contains(string(csv), "Jena,3,0,,0.25,0,25\n") {
			t.Errorf("width %d: the CSV is %s, %v", width, csv, err)
		}
	}
}

// Small lines are over all periods if no filter selects one; bars, colours and tones are of the shown period.
func TestComparedTableWithMarks(t *testing.T) {
	t.Parallel()
	rows := numbers("2025-01-01", "2026-11-20")
	for i := range rows {
		rows[i] = append(rows[i], rows[i][2])
	}
	const keys = `"columns": ["shop", {"column": "n", "sparkline": "at", "bar": true, "group": "Money"}, {"column": "mean", "heat": true}],
		"sort": "shop", "total": true, "grain": "month", "thresholds": [{"column": "n", "if": ">", "value": 16000, "tone": "good", "row": true}]`
	for filter, points := range map[string]string{
		"": "22 points from Jan 2025 to Oct 2026", "last_quarter": "3 points from Jul 2026 to Sep 2026",
	} {
		v := tinySpec(t, `{"type": "table", "compare": "previous_period", `+keys+`}`,
			[]string{"at date", "shop text", "n integer sum", "mean integer avg"}, rows...)
		if filter != "" {
			v.Spec.Filters = []dashboard.Filter{{Column: "at", Default: []string{filter}}}
		}
		lines := smallLines(t, v)
		if len(lines) != 3 || !strings.Contains(lines[0], points) || !strings.Contains(lines[2], points) {
			t.Errorf("%q: small lines %q, want %s", filter, lines, points)
		}
		p := open(v).Panel(0)
		if p.Problem != "" || p.Grid.Columns[1].Heading()[:len("Money · N · ")] != "Money · N · " {
			t.Errorf("%q: %s %v", filter, p.Problem, p.Grid.Columns)
		}
		if s := p.Content.(*tablePanel).scales[1]; s.hi != number(p.Grid.Rows[1][1]) {
			t.Errorf("%q: bars up to %v, rows %v", filter, s.hi, p.Grid.Rows)
		}
	}
}

// Rows of the earlier period that have no agg are not merged, and without a period nothing is compared: the author gets a warning, and the
// table shows all rows of its filter.
func TestTableNotCompared(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-08-31"), "Mugs", int64(4)},
		{day("2026-09-05"), "Mugs", int64(4)},
		{day("2026-09-06"), "Mugs", int64(5)},
		{day("2026-10-06"), "Mugs", int64(6)},
	}
	for name, tc := range map[string]struct{ agg, filter, columns string }{
		"no agg":    {"none", "last_month", "Shop N"},
		"no period": {"sum", "all", "Shop N"},
		"too early": {"sum", "2026-09-01..2026-09-30", "Shop Sep 2026 Aug 2026 vs Aug 2026"},
	} {
		v := tinySpec(t, `{"type": "table", "columns": ["shop", "n"], "compare": "previous_period"}`,
			[]string{"at date", "shop text", "n integer " + tc.agg}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
		v.Query = url.Values{"f.at": {tc.filter}}
		p := open(v).Panel(0)
		if notes := strings.Join(p.Notes, " "); p.Problem != "" || !strings.Contains(notes, "No earlier period to compare with.") {
			t.Errorf("%s: %s, notes %q", name, p.Problem, notes)
			continue
		}
		if got := headsOf(p.Grid); got != tc.columns {
			t.Errorf("%s: columns %s, want %s", name, got, tc.columns)
		}
		if !slices.ContainsFunc(warnings(v), func(w dashboard.Warning) bool { return w.Path == "panels[0].compare" }) {
			t.Errorf("%s: no warning", name)
		}
	}
}

// A stock of a compared table is that at the end of each period, a filter on another column applies to both periods, and periods of more
// than a year have rows in common.
func TestComparedTableOfOtherMeasures(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for d := day("2024-01-01"); d.Before(now); d = d.AddDate(0, 0, 1) {
		for k, shop := range []any{"Bonn", "Trier", nil} {
			rows = append(rows, []any{d, shop, []string{"web", "app"}[(d.Day()+k)%2], int64(10*int(d.Month()) + d.Day() + k), int64(1)})
		}
	}
	for name, tc := range map[string]struct{ keys, filter, country, want string }{
		"stock of months": {
			`"columns": ["shop", "stock"], "compare": "previous_period", "grain": "month", "total": true`, "", "",
			"Bonn | 131 | 120 | +9.2%\nTrier | 132 | 121 | +9.1%\nNot set | 133 | 122 | +9.0%\nTotal | 396 | 363 | +9.1%",
		},
		"stock of a filter": {
			`"columns": ["shop", "stock"], "compare": "previous_year"`, "last_month", "",
			"Bonn | 131 | 131 | 0.0%\nTrier | 132 | 132 | 0.0%\nNot set | 133 | 133 | 0.0%",
		},
		"stock beside rows": {
			`"columns": ["shop", "stock", "sold"], "compare": "previous_period"`, "this_month", "",
			"Bonn | 129 | 119 | +8.4% | 19 | 19 | 0.0%\nTrier",
		},
		"another filter": {
			`"columns": ["shop", "sold"], "compare": "previous_period", "total": true`, "last_month", "web",
			"Bonn | 15 | 15 | 0.0%\nTrier | 16 | 15 | +6.7%\nNot set | 15 | 15 | 0.0%\nTotal | 46 | 45 | +2.2%",
		},
		"part of the rows": {
			`"columns": ["shop", "sold"], "compare": "previous_period", "where": {"channel": "web"}`, "", "",
			"Bonn | 15 | 15 | 0.0%\nTrier | 16 | 15 | +6.7%\nNot set | 15 | 15 | 0.0%",
		},
		"rows in common": {
			`"columns": ["shop", "sold"], "compare": "previous_year", "total": true`, "2025-02-01..2026-05-31", "",
			"Bonn | 485 | 486 | −0.2%\nTrier | 485 | 486 | −0.2%\nNot set | 485 | 486 | −0.2%\nTotal | 1,455 | 1,458 | −0.2%",
		},
	} {
		v := tinySpec(t, `{"type": "table", "sort": "shop", `+tc.keys+`}`,
			[]string{"day date", "shop text", "channel text", "stock integer last", "sold integer sum"}, rows...)
		for i := range v.Spec.Datasets[0].Columns {
			if c := &v.Spec.Datasets[0].Columns[i]; c.Name == "stock" {
				c.Along = "day"
			}
		}
		if v.Query = (url.Values{}); tc.filter != "" {
			v.Spec.Filters = append(v.Spec.Filters, dashboard.Filter{Column: "day"})
			v.Query.Set("f.day", tc.filter)
		}
		if tc.country != "" {
			v.Spec.Filters = append(v.Spec.Filters, dashboard.Filter{Column: "channel"})
			v.Query.Set("f.channel", tc.country)
		}
		if got := cellsOf(t, v); !strings.Contains(got, "\n"+tc.want) {
			t.Errorf("%s: the table is\n%s\nwant\n%s", name, got, tc.want)
		}
	}
}
