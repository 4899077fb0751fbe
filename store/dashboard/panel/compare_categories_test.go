package panel

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// A purchase is a row of a dataset of products and days.
type purchase struct {
	day     cube.Day
	product string
	won     int64
}

// productsOf are the sales of 800 days until a day: of some products on all days, of one until the end of September 2026, of one from
// October on.
func productsOf(last cube.Day) []purchase {
	var out []purchase
	turn := cube.DayOf(day("2026-10-01"))
	for i := range 800 {
		d := last - 799 + cube.Day(i)
		for k, product := range []string{"Beans", "Filters", "Mugs", "Old", "New"} {
			if i%7 == k || product == "Old" && d >= turn || product == "New" && d < turn {
				continue
			}
			out = append(out, purchase{d, product, int64(1 + i%17*(k+1) + i/90)})
		}
	}
	return out
}

// bought is a view of one panel of bars of the sales by product, with a filter on the days.
func bought(panel dashboard.Panel, sales []purchase, filter string) Input {
	panel.Type, panel.X, panel.Y = dashboard.Bar, "product", []string{"won"}
	rows := make([][]any, len(sales))
	for i, s := range sales {
		rows[i] = []any{s.day.Time(), s.product, s.won, s.won + 1}
	}
	v := tiny([]dashboard.Panel{panel}, []string{"day date", "product text", "won integer sum", "plan integer sum"}, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "day", Default: []string{"last_30_days"}}}
	if filter != "" {
		v.Query = url.Values{"f.day": {filter}}
	}
	return v
}

// wonDuring adds up the sales of some days by product.
func wonDuring(sales []purchase, from, to string) map[string]float64 {
	first, last := cube.DayOf(day(from)), cube.DayOf(day(to))
	out := map[string]float64{}
	for _, s := range sales {
		if s.day >= first && s.day <= last {
			out[s.product] += float64(s.won)
		}
	}
	return out
}

// TestCompareCategories: bars of categories that are compared with an earlier period have both sums of each category, over the days that a
// number of the same filter compares, and the change; both are drawn and named by their days.
func TestCompareCategories(t *testing.T) {
	t.Parallel()
	yesterday, late := productsOf(cube.DayOf(now)), productsOf(cube.DayOf(day("2026-11-15")))
	months := slices.DeleteFunc(slices.Clone(yesterday), func(s purchase) bool { return s.day.Time().Day() != 1 })
	for _, tc := range []struct {
		name        string
		sales       []purchase
		by, filter  string
		partial     string
		own, before [2]string
		legend      string
	}{
		{
			"running quarter", yesterday, "previous_period", "this_quarter", "",
			[2]string{"2026-10-01", "2026-11-19"},
			[2]string{"2026-07-01", "2026-08-19"},
			"Oct 1 – Nov 19, Jul 1 – Aug 19",
		},
		{
			"running quarter with today", yesterday, "previous_period", "this_quarter", "show",
			[2]string{"2026-10-01", "2026-11-20"},
			[2]string{"2026-07-01", "2026-08-20"},
			"Oct 1 – Nov 20, Jul 1 – Aug 20",
		},
		{
			"running quarter of late rows", late, "previous_period", "this_quarter", "",
			[2]string{"2026-10-01", "2026-11-15"},
			[2]string{"2026-07-01", "2026-08-15"},
			"Oct 1 – Nov 15, Jul 1 – Aug 15",
		},
		{
			"year of a running quarter", yesterday, "previous_year", "this_quarter", "",
			[2]string{"2026-10-01", "2026-11-19"},
			[2]string{"2025-10-01", "2025-11-19"},
			"Oct 1, 2026 – Nov 19, 2026, Oct 1, 2025 – Nov 19, 2025",
		},
		{
			"month", yesterday, "previous_period", "last_month", "",
			[2]string{"2026-10-01", "2026-10-31"},
			[2]string{"2026-09-01", "2026-09-30"},
			"Oct 2026, Sep 2026",
		},
		{
			"quarter", yesterday, "previous_year", "last_quarter", "",
			[2]string{"2026-07-01", "2026-09-30"},
			[2]string{"2025-07-01", "2025-09-30"},
			"Q3 2026, Q3 2025",
		},
		{
			"days", yesterday, "previous_period", "last_30_days", "",
			[2]string{"2026-10-22", "2026-11-19"},
			[2]string{"2026-09-23", "2026-10-21"},
			"Oct 22 – Nov 19, Sep 23 – Oct 21",
		},
		{
			"chosen days", yesterday, "previous_period", "2026-10-05..2026-10-11", "",
			[2]string{"2026-10-05", "2026-10-11"},
			[2]string{"2026-09-28", "2026-10-04"},
			"Oct 5 – Oct 11, Sep 28 – Oct 4",
		},
		{
			"rows of months", months, "previous_year", "this_year", "hide",
			[2]string{"2026-01-01", "2026-10-31"},
			[2]string{"2025-01-01", "2025-10-31"},
			"Jan 2026 – Oct 2026, Jan 2025 – Oct 2025",
		},
		{
			"one day", yesterday, "previous_period", "2026-10-05", "",
			[2]string{"2026-10-05", "2026-10-05"},
			[2]string{"2026-10-04", "2026-10-04"},
			"Oct 5, Oct 4",
		},
	} {
		for _, horizontal := range []bool{false, true} {
			panel := dashboard.Panel{Compare: []string{tc.by}, Partial: tc.partial, Horizontal: horizontal}
			v, name := bought(panel, tc.sales, tc.filter), fmt.Sprintf("%s, horizontal %v", tc.name, horizontal)
			p, c := recorded(t, v, 0)
			if !p.before.drawnBySpec() {
				t.Errorf("%s: nothing before: %s", name, strings.Join(p.Notes, " "))
				continue
			}
			own, before := wonDuring(tc.sales, tc.own[0], tc.own[1]), wonDuring(tc.sales, tc.before[0], tc.before[1])
			if heads := headsOf(p.Grid); heads != "Product Won Period before Change" {
				t.Errorf("%s: columns %s", name, heads)
			}
			for _, row := range p.Grid.Rows {
				product := fmt.Sprint(row[0].(cube.Category).Value)
				for i, of := range []map[string]float64{own, before} {
					if want, ok := of[product]; ok != !math.IsNaN(number(row[i+1])) || ok && number(row[i+1]) != want {
						t.Errorf("%s: %s has %v in period %d, want %v", name, product, row[i+1], i, want)
					}
				}
				if change := number(row[3]); change != own[product]-before[product] && !math.IsNaN(number(row[1])+number(row[2])) {
					t.Errorf("%s: the change of %s is %v", name, product, change)
				}
				delete(own, product)
				delete(before, product)
			}
			if len(own)+len(before) > 0 {
				t.Errorf("%s: not drawn are %v and %v", name, own, before)
			}
			gray := func(r canvas.Rect) bool { return r.Color == canvas.OtherColor }
			if n := len(slices.DeleteFunc(slices.Clone(c.Rects), func(r canvas.Rect) bool { return !gray(r) })); n < 3 {
				t.Errorf("%s: %d gray bars", name, n)
			}
			if len(c.Items) < 2 {
				t.Errorf("%s: no legend", name)
			} else if legend := c.Items[0].Name + ", " + c.Items[1].Name; legend != tc.legend {
				t.Errorf("%s: legend %q, want %q", name, legend, tc.legend)
			}
			if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "The period before is ") {
				t.Errorf("%s: notes %q", name, notes)
			}
			text := summaries(v)[0].Text
			if !strings.Contains(text, "Period before: ") || strings.Contains(text, "latest") {
				t.Errorf("%s: %s", name, text)
			}
			if csv, err := csvOfPanel(v, 0); err != nil || !strings.HasPrefix(string(csv), "Product,Won,Period before,Change\n") {
				t.Errorf("%s: the CSV begins with %.60s, %v", name, csv, err)
			}
			if doc := string(render(t, v)); !strings.Contains(doc, ">Change</th>") || strings.Contains(doc, ">Period before</a>") {
				t.Errorf("%s: the page has no change, or offers the comparison", name)
			}
		}
		table := asTable(bought(dashboard.Panel{Compare: []string{tc.by}, Partial: tc.partial}, tc.sales, tc.filter))
		sameSums(t, tc.name+", table", table, tc.legend, wonDuring(tc.sales, tc.own[0], tc.own[1]),
			wonDuring(tc.sales, tc.before[0], tc.before[1]))
	}
}

// headsOf returns the headings of a grid.
func headsOf(g *Grid) string {
	var out []string
	for i := range g.Columns {
		out = append(out, g.Columns[i].Label)
	}
	return strings.Join(out, " ")
}

// A number over the same filter has the sums of the bars, whatever day it is, and whether rows are days or months.
func TestCompareCategoriesAddsUpToTheNumber(t *testing.T) {
	t.Parallel()
	days := productsOf(cube.DayOf(now))
	months := slices.DeleteFunc(slices.Clone(days), func(s purchase) bool { return s.day.Time().Day() != 1 })
	compared := 0
	for of, sales := range [][]purchase{days, months} {
		for _, by := range []string{"previous_period", "previous_year"} {
			for _, filter := range []string{
				"this_month", "this_quarter", "this_year", "last_90_days", "last_month", "2026-02-01..2026-02-17", "today",
			} {
				for _, partial := range []string{"", "show", "hide"} {
					v := bought(dashboard.Panel{Compare: []string{by}, Partial: partial}, sales, filter)
					v.Spec.Panels = append(v.Spec.Panels, dashboard.Panel{
						Type: dashboard.KPI, Value: "won", Compare: []string{by}, Partial: partial,
					})
					v.Spec.Panels = append(v.Spec.Panels, dashboard.Panel{
						Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "product"}, {Column: "won"}}, Compare: []string{by},
						Partial: partial, TotalRow: true,
					})
					if v.Now = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC); open(v).Panel(0).Content == nil {
						continue // no rows
					}
					compared += sumsAsNumber(t, fmt.Sprintf("%s of %s, partial %q, dataset %d", by, filter, partial, of), v)
				}
			}
		}
	}
	if compared < 40 {
		t.Errorf("%d comparisons", compared)
	}
}

// sumsAsNumber checks that the bars of panel 0, and the totals of the table of panel 2, are both values of the number of panel 1, and
// returns 1 if they are compared.
func sumsAsNumber(t *testing.T, name string, v Input) int {
	t.Helper()
	o := open(v)
	bars, kpi := o.Panel(0), o.Panel(1)
	other := kpi.Content.(*kpiPanel).others[0]
	if ok := bars.before.drawnBySpec(); ok != other.ok {
		t.Errorf("%s: bars compare %v, the number %v (%s)", name, ok, other.ok, other.why)
		return 0
	}
	if !other.ok {
		return 0
	}
	sums := [2]float64{}
	for _, row := range bars.Grid.Rows {
		for i := range sums {
			if n := number(row[i+1]); !math.IsNaN(n) {
				sums[i] += n
			}
		}
	}
	if sums != [2]float64{other.base, other.value} {
		t.Errorf("%s: bars add up to %v, the number has %v and %v", name, sums, other.base, other.value)
	}
	table := o.Panel(2).Content.(*tablePanel)
	if totals := table.foot.values; len(totals) != 4 || number(totals[1]) != other.base || number(totals[2]) != other.value {
		t.Errorf("%s: the table has the totals %v, the number %v and %v", name, totals, other.base, other.value)
	}
	return 1
}

// Categories that do not fit are merged or left out alike in both periods, and those with rows in one of them alone have a bar.
func TestCompareCategoriesOfMany(t *testing.T) {
	t.Parallel()
	var sales []purchase
	for d := cube.DayOf(day("2026-08-20")); d <= cube.DayOf(day("2026-10-31")); d++ {
		for k := range 30 {
			if early := d < cube.DayOf(day("2026-10-01")); k >= 28 && !early || k < 2 && early {
				continue // the last two are sold no more, the first two not yet
			}
			sales = append(sales, purchase{d, fmt.Sprintf("P%02d", k), int64(100 - k)})
		}
	}
	own, before := wonDuring(sales, "2026-10-01", "2026-10-31"), wonDuring(sales, "2026-09-01", "2026-09-30")
	for _, tc := range []struct {
		limit int
		other bool
		rows  int
	}{{5, true, 6}, {5, false, 5}, {30, false, 30}, {29, true, 30}} {
		panel := dashboard.Panel{Compare: []string{"previous_period"}, Limit: tc.limit, Other: tc.other}
		p, _ := recorded(t, bought(panel, sales, "last_month"), 0)
		if len(p.Grid.Rows) != tc.rows {
			t.Errorf("limit %d, other %v: %d rows", tc.limit, tc.other, len(p.Grid.Rows))
		}
		rest := [2]float64{}
		for i, of := range []map[string]float64{own, before} {
			for product, n := range of {
				if !slices.ContainsFunc(p.Grid.Rows, func(row []any) bool { return row[0].(cube.Category).Value == product }) {
					rest[i] += n
				}
			}
		}
		for _, row := range p.Grid.Rows {
			c := row[0].(cube.Category)
			want := rest
			if !c.Other {
				want = [2]float64{own[c.Value.(string)], before[c.Value.(string)]}
			}
			for i := range want {
				if got := number(row[i+1]); got != want[i] && !(math.IsNaN(got) && want[i] == 0) {
					t.Errorf("limit %d, other %v: %v has %v in period %d, want %v", tc.limit, tc.other, c, got, i, want[i])
				}
			}
		}
	}
}

// A comparison without an earlier period is explained to readers and to the author, and the bars of the filter are drawn.
func TestCompareCategoriesWithoutPeriod(t *testing.T) {
	t.Parallel()
	sales := productsOf(cube.DayOf(now))
	for filter, why := range map[string]string{
		"all": "no filter leaves a period", "2024-09-13..2024-10-20": "the data begin after", "today": "no day of the period is over",
	} {
		v := bought(dashboard.Panel{Compare: []string{"previous_period"}}, sales, filter)
		p, _ := recorded(t, v, 0)
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "No earlier period to compare with.") || p.before != nil {
			t.Errorf("%s: notes %q", filter, notes)
		}
		if heads := headsOf(p.Grid); heads != "Product Won" {
			t.Errorf("%s: columns %s", filter, heads)
		}
		found := false
		for _, w := range warnings(v) {
			found = found || w.Path == "panels[0].compare" && strings.Contains(w.Message, why)
		}
		if !found {
			t.Errorf("%s: warnings %v", filter, warnings(v))
		}
	}
}

// An average, a ratio and a stock of a category are those of each period, as a number has them.
func TestCompareCategoriesOfOtherMeasures(t *testing.T) {
	t.Parallel()
	rows := [][]any{}
	for d := day("2026-08-01"); d.Before(now); d = d.AddDate(0, 0, 1) {
		for k, shop := range []string{"Bonn", "Trier"} {
			rows = append(rows, []any{d, shop, int64(d.Day() + k), int64(10*int(d.Month()) + d.Day() + k), int64(d.Day() + k), int64(2 + k)})
		}
	}
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Bar, X: "shop", Y: []string{"mean"}, Compare: []string{"previous_period"}},
		{Type: dashboard.Bar, X: "shop", Y: []string{"stock"}, Compare: []string{"previous_period"}},
		{Type: dashboard.Bar, X: "shop", Y: []string{"rate"}, Compare: []string{"previous_period"}},
	}, []string{"day date", "shop text", "mean integer avg", "stock integer last", "sold integer sum", "part integer sum"}, rows...)
	v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{
		Name: "rate", Ratio: [2]string{"sold", "part"}, Role: dashboard.Measure,
	})
	for i := range v.Spec.Datasets[0].Columns {
		if c := &v.Spec.Datasets[0].Columns[i]; c.Name == "stock" {
			c.Along = "day"
		}
	}
	v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
	v.Query = url.Values{"f.day": {"last_month"}}
	want := []string{
		"Bonn 16 15.5; Trier 17 16.5", "Bonn 131 120; Trier 132 121", "Bonn 8 7.75; Trier 5.666666666666667 5.5",
	}
	for i, w := range want {
		p := open(v).Panel(i)
		if p.Problem != "" || !p.before.drawnBySpec() {
			t.Errorf("panel %d: %s %s", i, p.Problem, strings.Join(p.Notes, " "))
			continue
		}
		var got []string
		for _, row := range p.Grid.Rows {
			got = append(got, fmt.Sprint(row[0].(cube.Category).Value, " ", number(row[1]), " ", number(row[2])))
		}
		slices.Sort(got)
		if s := strings.Join(got, "; "); s != w {
			t.Errorf("panel %d: %s, want %s", i, s, w)
		}
	}
}

// The marks, the legend and the texts of compared bars of categories: pairs in gray and colour, targets across the own bar alone, values of
// both periods in a list, and colours that the spec gives to categories.
func TestCompareCategoriesDrawn(t *testing.T) {
	t.Parallel()
	sales := productsOf(cube.DayOf(day("2026-10-31")))
	list := bought(dashboard.Panel{Compare: []string{"previous_period"}, Horizontal: true, Targets: []string{"plan"}}, sales, "last_month")
	p, c := recorded(t, list, 0)
	for x, row := range p.Grid.Rows {
		both := format.None
		if !math.IsNaN(number(row[1])) {
			both = p.Env.Quantity(p.Grid.Columns[1].Column, row[1])
		}
		if both += " · "; math.IsNaN(number(row[2])) {
			both += format.None
		} else {
			both += p.Env.Quantity(p.Grid.Columns[2].Column, row[2])
		}
		if got := c.Items[len(c.Items)-len(p.Grid.Rows)+x]; got.Value != both || got.Share != "" {
			t.Errorf("row %d has %q and a share of %q, want %q", x, got.Value, got.Share, both)
		}
	}
	for _, r := range c.Rects {
		if below := r.Y == canvas.Px(2+7); below != (r.Color == canvas.OtherColor) || r.Height != canvas.Px(6) {
			t.Errorf("a bar at %v, %v high, of colour %v", r.Y, r.Height, r.Color)
		}
	}
	marks := 0
	for _, l := range c.Lines {
		if marks++; l.Y1 != canvas.Px(2) || l.Y2 != canvas.Px(2+6) {
			t.Errorf("a target from %v to %v", l.Y1, l.Y2)
		}
	}
	if marks != 4 {
		t.Errorf("%d targets, want 4", marks)
	}

	// Without colours of categories the legend has both periods, and with them the earlier one.
	for colors, want := range map[string]string{"": "Oct 2026, Sep 2026", "green": "Sep 2026"} {
		for _, horizontal := range []bool{false, true} {
			v := bought(dashboard.Panel{Compare: []string{"previous_period"}, Horizontal: horizontal}, sales, "last_month")
			if colors != "" {
				v.Spec.Columns = []dashboard.Appearance{{Column: "product", Colors: map[string]string{"Mugs": colors}}}
			}
			_, c := recorded(t, v, 0)
			var legend []string
			for _, i := range c.Items {
				if i.Color != 0 || i.Name == "Oct 2026" {
					legend = append(legend, i.Name)
				}
			}
			if got := strings.Join(legend, ", "); got != want {
				t.Errorf("colours %q, horizontal %v: legend %q, want %q", colors, horizontal, got, want)
			}
		}
	}
}

// Rows of the earlier period that have no agg are not merged: nothing is compared, and the author gets a warning.
func TestCompareCategoriesThatDoNotAddUp(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "product", Y: []string{"won"}, Compare: []string{"previous_period"}}},
		[]string{"day date", "product text", "won integer none"},
		[]any{day("2026-08-31"), "Mugs", int64(4)}, []any{day("2026-09-05"), "Mugs", int64(4)}, []any{day("2026-09-06"), "Mugs", int64(5)},
		[]any{day("2026-10-06"), "Mugs", int64(6)})
	v.Spec.Filters = []dashboard.Filter{{Column: "day", Default: []string{"last_month"}}}
	p, _ := recorded(t, v, 0)
	if notes := strings.Join(p.Notes, " "); p.before != nil || !strings.Contains(notes, "No earlier period to compare with.") {
		t.Errorf("notes %q", notes)
	}
	if got := codes(v); !strings.Contains(got, "key_ignored panels[0].compare") {
		t.Errorf("warnings %q", got)
	}
}

// A list writes the value of the shown period where both have no room, and reports that if the spec asks for values.
func TestCompareCategoriesOfLongValues(t *testing.T) {
	t.Parallel()
	sales := productsOf(cube.DayOf(day("2026-10-31")))
	for i := range sales {
		sales[i].won *= 1_000_000_000_003
	}
	v := bought(dashboard.Panel{Compare: []string{"previous_period"}, Horizontal: true, Labels: new(true)}, sales, "last_month")
	p, c := recorded(t, v, 0)
	for x, row := range p.Grid.Rows {
		want := format.None + " · " + p.Env.Quantity(p.Grid.Columns[1].Column, row[2])
		if row[1] != nil {
			want = p.Env.Quantity(p.Grid.Columns[1].Column, row[1])
		}
		if got := c.Items[len(c.Items)-len(p.Grid.Rows)+x].Value; got != want && got != want+" · "+format.None {
			t.Errorf("row %d has %q, want %q", x, got, want)
		}
	}
	if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "Values are written where there is room.") {
		t.Errorf("notes %q", notes)
	}
	if got := codes(v); !strings.Contains(got, "left_out panels[0].labels") {
		t.Errorf("warnings %q", got)
	}
}

// Pages of every language, from both sides, have the names of both periods and no text of another one.
func TestCompareCategoriesInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pt", "zh"} {
		for _, horizontal := range []bool{false, true} {
			v := bought(dashboard.Panel{Compare: []string{"previous_year"}, Horizontal: horizontal}, productsOf(cube.DayOf(now)), "last_month")
			v.Spec.Locale = of
			p := open(v).Panel(0)
			if text := p.Summary + strings.Join(p.Notes, " "); of != "en" && strings.Contains(text, "eriod before") || !p.before.drawnBySpec() {
				t.Errorf("%s: %s", of, text)
			}
			render(t, v)
		}
	}
}

// TestCompareCategoriesThatFails: bars that cannot be compared, because their numbers are merged into ranges, are those of all rows of the
// filter, of which today is a part, and no note speaks of a comparison.
func TestCompareCategoriesThatFails(t *testing.T) {
	t.Parallel()
	var rows [][]any
	sum := int64(0)
	for d := range 400 {
		at := cube.DayOf(now) - cube.Day(d)
		for k := range 90 {
			rows = append(rows, []any{at.Time(), int64(k*7 + d%3), int64(1)})
			if d < 30 {
				sum++
			}
		}
	}
	totals := map[bool]int64{}
	for _, compared := range []bool{false, true} {
		panel := dashboard.Panel{Type: dashboard.Bar, X: "size", Y: []string{"n"}}
		if compared {
			panel.Compare = []string{"previous_period"}
		}
		v := tiny([]dashboard.Panel{panel}, []string{"day date", "size integer dimension", "n integer sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "day", Default: []string{"last_30_days"}}}
		p, _ := recorded(t, v, 0)
		for _, row := range p.Grid.Rows {
			n, _ := row[1].(float64)
			if i, ok := row[1].(int64); ok {
				n = float64(i)
			}
			totals[compared] += int64(n)
		}
		notes := strings.Join(p.Notes, " ")
		if compared && (!strings.Contains(notes, "No earlier period to compare with.") || strings.Contains(notes, "Compared")) {
			t.Errorf("notes %q", notes)
		}
	}
	if totals[false] != sum || totals[true] != sum {
		t.Errorf("sums %v, want %d", totals, sum)
	}
}
