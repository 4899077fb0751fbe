package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/format"
)

// A sale is a row by shop and day. sales returns a table by shop, and its rows as well, for figures that a test computes itself.
type sale struct {
	shop, day       string
	revenue, orders int64
	best            float64
}

func sales(shops, days int, change func(*dashboard.Panel)) (Input, []sale) {
	r := rand.New(rand.NewPCG(5, 8))
	var out []sale
	var rows [][]any
	for s := range shops {
		for d := range days {
			at := day("2026-01-01").AddDate(0, 0, d)
			one := sale{fmt.Sprintf("Shop %02d", s), at.Format("2006-01-02"), r.Int64N(9000), 1 + r.Int64N(90), float64(r.IntN(4000)-1000) / 4}
			out = append(out, one)
			rows = append(rows, []any{at, one.shop, one.revenue, one.orders, one.best, one.best, one.best, int64(r.IntN(50))})
		}
	}
	p := dashboard.Panel{Type: dashboard.Table, Title: "Shops", TotalRow: true, Columns: []dashboard.TableColumn{
		{Column: "shop"},
		{Column: "revenue"},
		{Column: "orders", Bar: true},
		{Column: "each"},
		{Column: "least"},
		{Column: "most"},
		{Column: "mean"},
	}}
	if change != nil {
		change(&p)
	}
	v := tiny([]dashboard.Panel{p}, []string{
		"day date", "shop text", "revenue integer sum", "orders integer sum", "least number min number2", "most number max number2",
		"mean number avg number2", "stock integer none",
	}, rows...)
	v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns,
		dashboard.Meta{Name: "each", Ratio: [2]string{"revenue", "orders"}, Format: "number2"})
	return v, out
}

// footOf returns the cells of the row of totals of a page's first table, nil for none.
func footOf(t testing.TB, v Input) (out []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(render(t, v))))
	if err != nil {
		t.Fatal(err)
	}
	eachNode(root, func(n *html.Node) {
		if n.Data == "tfoot" && out == nil {
			for c := range n.FirstChild.ChildNodes() {
				out = append(out, strings.TrimSpace(textOf(c)))
			}
		}
	})
	return out
}

// totalled returns the row of totals of sales, computed row by row.
func totalled(name string, of []sale) []string {
	var revenue, orders int64
	least, most, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, s := range of {
		revenue, orders = revenue+s.revenue, orders+s.orders
		least, most, sum = min(least, s.best), max(most, s.best), sum+s.best
	}
	f := format.New(&dashboard.Spec{Locale: "en-US"})
	two := func(v float64) string { return f.Number(v, 2) }
	return []string{
		name, f.Number(float64(revenue), 0), "", f.Number(float64(orders), 0), two(float64(revenue) / float64(orders)),
		two(least), two(most), two(sum / float64(len(of))),
	}
}

// TestTotals: the row of totals is correct for every kind of measure, the same on each page of the table and in any order, and over the
// rows that pass filters and searches.
func TestTotals(t *testing.T) {
	t.Parallel()
	v, all := sales(60, 40, nil)
	v.Spec.Filters = []dashboard.Filter{{Column: "day", Default: []string{"all"}}}
	kept := func(keep func(sale) bool) []sale {
		return slices.DeleteFunc(slices.Clone(all), func(s sale) bool { return !keep(s) })
	}
	january := func(s sale) bool { return s.day < "2026-02-01" }
	for query, want := range map[string][]string{
		"":                             totalled("Total", all),
		"p0.page=3":                    totalled("Total", all),
		"p0.sort=-each&p0.page=2":      totalled("Total", all),
		"f.day=2026-01-01..2026-01-31": totalled("Total", kept(january)),
		"p0.q=shop+1":                  totalled("Total of 15 rows", kept(func(s sale) bool { return strings.Contains(s.shop, "1") })),
		"p0.q=shop+07":                 totalled("Total of 1 row", kept(func(s sale) bool { return s.shop == "Shop 07" })),
		"p0.q=nowhere":                 nil,
	} {
		v.Query, _ = url.ParseQuery(query)
		if strings.HasPrefix(query, "f.day") {
			v.Query = url.Values{"f.day": {"custom"}, "f.day.from": {"2026-01-01"}, "f.day.to": {"2026-01-31"}}
		}
		if got := footOf(t, v); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}

	v, all = sales(60, 3, func(p *dashboard.Panel) { p.Limit, p.Sort = 10, "-revenue" })
	if got, want := footOf(t, v), totalled("Total of 60 rows", all); !slices.Equal(got, want) {
		t.Errorf("beside a limit: %q, want %q", got, want)
	}
	v.Spec.Panels[0].Total = []string{"All shops"}
	if got := footOf(t, v)[0]; got != "All shops · 60 rows" {
		t.Errorf("beside a limit it is called %s", got)
	}
	v.Spec.Panels[0].Limit = 0
	if got := footOf(t, v)[0]; got != "All shops" {
		t.Errorf("it is called %s", got)
	}
	v.Spec.Panels[0].Limit, v.Spec.Panels[0].Total = 10, nil
	csv, err := csvOfPanel(v, 0)
	if err != nil || strings.Contains(string(csv), "Total") {
		t.Errorf("the CSV has a row of totals (%v):\n%s", err, csv)
	}
	s := summaries(v)[0]
	if want := "; total of 60 rows Revenue " + totalled("", all)[1]; !strings.Contains(s.Text, want) {
		t.Errorf("%s does not say %s", s.Text, want)
	}
	if lines := strings.Split(s.Sketch, "\n"); !strings.HasPrefix(lines[len(lines)-1], "Total of 60 rows") {
		t.Errorf("no totals in\n%s", s.Sketch)
	}
}

// TestTotalsThatAreNone: a measure that the spec does not define how to add up has no total, with a note, and the totals have a name if
// there is a place for it.
func TestTotalsThatAreNone(t *testing.T) {
	t.Parallel()
	v, _ := sales(3, 2, func(p *dashboard.Panel) {
		p.Columns = []dashboard.TableColumn{{Column: "stock"}, {Column: "day"}, {Column: "shop"}, {Column: "orders", Sign: true}}
	})
	stock := v.Spec.Datasets[0].Meta("stock")
	if foot := footOf(t, v); stock.Agg != dashboard.None || foot[0] != "–" || codes(v) != "" || len(open(v).Panel(0).Notes) > 0 {
		t.Errorf("declared: agg %s, %q, warnings %s, notes %q", stock.Agg, foot, codes(v), open(v).Panel(0).Notes)
	}
	stock.Agg = "" // nothing defines how its values add up
	p := open(v).Panel(0)
	if foot := footOf(t, v); foot[0] != "–" || foot[1] != "Total" || foot[2] != "" || !strings.HasPrefix(foot[3], "+") {
		t.Errorf("%q", foot)
	}
	if got := codes(v); got != "left_out panels[0].total" {
		t.Errorf("warnings %s", got)
	}
	if want := "No total of stock: nothing says how the values add up."; !slices.Contains(p.Notes, want) {
		t.Errorf("notes %q lack %s", p.Notes, want)
	}
	v, all := sales(2, 2, func(p *dashboard.Panel) { p.Columns = []dashboard.TableColumn{{Column: "revenue"}, {Column: "orders"}} })
	if foot, want := footOf(t, v), totalled("", all); foot[0] != "Total "+want[1] || foot[1] != want[3] {
		t.Errorf("%q, want Total %s, %s", foot, want[1], want[3])
	}
}

// TestHeatOfCells: cells have the colours of a heat map over all rows of the table, not of one page, and not of a search.
func TestHeatOfCells(t *testing.T) {
	t.Parallel()
	for _, low := range []int64{0, -500} {
		values := map[string]int64{}
		lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
		var rows [][]any
		for i := range 70 {
			name, n := fmt.Sprintf("n%02d", i), low+int64(i*i*7919%1000)
			values[name], lo, hi = n, min(lo, n), max(hi, n)
			rows = append(rows, []any{name, n})
		}
		rows = append(rows, []any{"n70", nil})
		v := tiny([]dashboard.Panel{{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n", Heat: true}}}},
			[]string{"name text", "n integer sum"}, rows...)
		seen := map[canvas.Color]bool{}
		for _, query := range []string{"", "p0.page=2", "p0.page=3", "p0.q=n1"} {
			v.Query, _ = url.ParseQuery(query)
			p := open(v).Panel(0).Content.(*tablePanel)
			for i, row := range p.Grid.Rows {
				name := p.words(0, row[0])
				want := canvas.Color(0)
				if n, ok := values[name]; ok && row[1] != nil {
					switch share := float64(n) / float64(max(hi, -lo)); {
					case low < 0 && n < 0:
						want = canvas.BlueHue.Step([4]int{1, 3, 4, 6}[min(int(-share*4), 3)])
					case low < 0:
						want = canvas.RedHue.Step([4]int{1, 3, 4, 6}[min(int(share*4), 3)])
					default:
						want = canvas.HeatColor + canvas.Color(min(int(float64(n-lo)/float64(hi-lo)*7), 6))
					}
				}
				if got := p.cell(i, 1).Heat; got != want {
					t.Errorf("%s, %v of %d to %d: colour %d, want %d", name, row[1], lo, hi, got, want)
				}
				seen[want] = true
			}
		}
		if len(seen) < 6 {
			t.Errorf("only the colours %v", seen)
		}
		doc := string(render(t, v))
		for _, mark := range []string{`<td class="r h`, ".h0{", ".n4{"} {
			if !strings.Contains(doc, mark) {
				t.Errorf("the page lacks %s", mark)
			}
		}
	}
}
