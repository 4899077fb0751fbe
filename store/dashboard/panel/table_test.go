package panel

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// customers is a table of n rows, of a dataset with a row for each.
func customers(n int, change func(*dashboard.Panel)) Input {
	names := []any{"Zoë Ångström", "acme GmbH", "Émile", nil, "ACME Corp", "Bob 9", "Bob 10", "Łódź 4"}
	var rows [][]any
	for i := range n {
		name := names[i%len(names)]
		if name != nil {
			name = fmt.Sprintf("%s %03d", name, i/len(names))
		}
		rows = append(rows, []any{name, int64(100000 + i), day("2026-01-01").AddDate(0, 0, (i*7)%90), float64((i*7919)%1000) / 4, int64(i % 3)})
	}
	p := dashboard.Panel{Type: dashboard.Table, Title: "Customers"}
	if change != nil {
		change(&p)
	}
	columns := []string{"name text", "customer_id integer", "since date", "amount number sum", "size integer sum"}
	return tiny([]dashboard.Panel{p}, columns, rows...)
}

// A shownTable is the part of a page that shows a table.
type shownTable struct {
	rows   [][]string
	heads  map[string]string // targets of the links in the heads
	states map[string]string // aria-sort of the heads that have one
	pages  map[string]string // targets of the links below, by name
	says   string            // the rows shown, in words
	form   url.Values        // fields that the search sends in addition to its words
	asks   string            // the field of the search; "" for no search
	csv    string
}

// lookAt draws a page and reads the table of a panel in it.
func lookAt(t testing.TB, v Input, panel int) shownTable {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(render(t, v))))
	if err != nil {
		t.Fatal(err)
	}
	out := shownTable{heads: map[string]string{}, states: map[string]string{}, pages: map[string]string{}, form: url.Values{}}
	var card *html.Node
	eachNode(root, func(n *html.Node) {
		if n.Data == "article" && attr(n, "aria-labelledby") == fmt.Sprint("p", panel) {
			card = n
		}
	})
	if card == nil {
		t.Fatalf("there is no panel %d", panel)
	}
	in := func(n *html.Node, parent string) bool {
		for n = n.Parent; n != card.Parent; n = n.Parent {
			if n.Data == parent {
				return true
			}
		}
		return false
	}
	eachNode(card, func(n *html.Node) {
		switch {
		case n.Data == "tr" && in(n, "tbody"):
			var row []string
			for c := range n.ChildNodes() {
				row = append(row, strings.TrimSpace(textOf(c)))
			}
			out.rows = append(out.rows, row)
		case n.Data == "a" && in(n, "thead"):
			label, _, _ := strings.Cut(textOf(n), ",")
			label = strings.TrimRight(label, "▲▼")
			out.heads[label] = attr(n, "href")
			if state := attr(n.Parent, "aria-sort"); state != "" {
				out.states[label] = state
			}
		case n.Data == "a" && in(n, "nav"):
			out.pages[textOf(n)] = attr(n, "href")
		case n.Data == "span" && attr(n, "role") == "status":
			out.says = textOf(n)
		case n.Data == "input" && attr(n, "type") == "search":
			out.asks = attr(n, "name")
		case n.Data == "input" && in(n, "form"):
			out.form.Add(attr(n, "name"), attr(n, "value"))
		case n.Data == "a" && strings.Contains(attr(n, "href"), "format=csv"):
			out.csv = attr(n, "href")
		}
	})
	return out
}

func eachNode(n *html.Node, do func(*html.Node)) {
	for c := range n.Descendants() {
		do(c)
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// followed returns the view at the target of a link of its page.
func followed(t testing.TB, v Input, link string) Input {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || u.Path != "" {
		t.Fatalf("a link to %q", link)
	}
	v.Query = u.Query()
	return v
}

func firstCells(rows [][]string) string {
	var out []string
	for _, row := range rows {
		out = append(out, row[0])
	}
	return strings.Join(out, ", ")
}

// TestTablePages: every row of a table can be reached by links, 25 at a time or as many as the spec sets, and each is there once.
func TestTablePages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		n, size, limit int
		pages          []int // rows of each
		says, note     string
	}{
		{3, 0, 0, []int{3}, "", ""},
		{25, 0, 0, []int{25}, "", ""},
		{26, 0, 0, []int{25, 1}, "1–25 of 26", ""},
		{1000, 400, 0, []int{400, 400, 200}, "1–400 of 1,000", ""},
		{1000, 0, 51, []int{25, 25, 1}, "1–25 of 51", "949 more rows; the CSV has all 1,000."},
		{40, 15, 40, []int{15, 15, 10}, "1–15 of 40", ""},
		{40, 50, 20, []int{20}, "", "20 more rows; the CSV has all 40."},
	} {
		v := customers(tc.n, func(p *dashboard.Panel) { p.PageSize, p.Limit = tc.size, tc.limit })
		page := lookAt(t, v, 0)
		if page.says != tc.says || codes(v) != "" {
			t.Errorf("%+v says %q and warns of %q", tc, page.says, codes(v))
		}
		if notes := strings.Join(open(v).Panel(0).Notes, " "); notes != tc.note {
			t.Errorf("%+v notes %q", tc, notes)
		}
		seen := map[string]bool{}
		for i, want := range tc.pages {
			if len(page.rows) != want {
				t.Errorf("%+v: page %d has %d rows", tc, i+1, len(page.rows))
			}
			for _, row := range page.rows {
				seen[row[1]] = true
			}
			next := page.pages["Next ›"]
			if (next != "") != (i < len(tc.pages)-1) {
				t.Fatalf("%+v: page %d leads on to %q", tc, i+1, next)
			}
			if next != "" {
				page = lookAt(t, followed(t, v, next), 0)
			}
		}
		if want := min(tc.n, max(tc.limit, tc.n*stat.One(tc.limit == 0))); len(seen) != want {
			t.Errorf("%+v: %d different rows, want %d", tc, len(seen), want)
		}
	}
	for query, want := range map[string]string{
		"p0.page=2": "26–50 of 60", "p0.page=3": "51–60 of 60", "p0.page=4": "51–60 of 60", "p0.page=999999999999999999999": "1–25 of 60",
		"p0.page=0": "1–25 of 60", "p0.page=-2": "1–25 of 60", "p0.page=x": "1–25 of 60", "p1.page=2": "1–25 of 60", "p0.page=": "1–25 of 60",
	} {
		v := followed(t, customers(60, nil), "?"+query)
		if page := lookAt(t, v, 0); page.says != want {
			t.Errorf("%s: %s, want %s", query, page.says, want)
		}
	}
	many := lookAt(t, followed(t, customers(1000, nil), "?p0.page=20"), 0)
	if got := slices.Sorted(mapsKeys(many.pages)); strings.Join(got, " ") != "1 19 20 21 40 Next › ‹ Previous" {
		t.Errorf("links %q", got)
	}
}

func mapsKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestWideTablesHaveShortPages: the number of cells of a table is limited, with a warning to its author.
func TestWideTablesHaveShortPages(t *testing.T) {
	t.Parallel()
	columns, row := []string{"k integer"}, []any{nil}
	columns[0] = "k text"
	for i := range 199 {
		columns, row = append(columns, fmt.Sprintf("n%d integer sum", i)), append(row, int64(i))
	}
	var rows [][]any
	for i := range 300 {
		rows = append(rows, append([]any{fmt.Sprint(i)}, row[1:]...))
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, PageSize: 500}}, columns, rows...)
	if page := lookAt(t, v, 0); len(page.rows) != 100 || page.says != "1–100 of 300" {
		t.Errorf("%d rows, %s", len(page.rows), page.says)
	}
	if got := codes(v); got != "cut panels[0].page_size" {
		t.Errorf("warnings %q", got)
	}
}

// TestTableHeads: a head sorts its column first by the more common direction, then by the other one, then as in the spec, and its aria-sort
// is its state.
func TestTableHeads(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ sort, head, want string }{
		{"", "Amount", "- descending ascending -"},
		{"", "Name", "- ascending descending -"},
		{"-amount", "Amount", "descending ascending descending"},
		{"amount", "Amount", "ascending descending ascending"},
		{"-amount", "Name", "- ascending descending -"},
		{"since", "Since", "ascending descending ascending"},
		{"-name", "Name", "descending ascending descending"},
	} {
		v := customers(60, func(p *dashboard.Panel) { p.Sort = tc.sort })
		first := lookAt(t, v, 0)
		var got []string
		page := first
		for range strings.Fields(tc.want) {
			state := "-"
			if s := page.states[tc.head]; s != "" {
				state = s
			}
			got = append(got, state)
			page = lookAt(t, followed(t, v, page.heads[tc.head]), 0)
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s of a table by %q: %s, want %s", tc.head, tc.sort, s, tc.want)
		}
		if len(first.states) > 1 || tc.sort != "" && len(first.states) == 0 {
			t.Errorf("by %q: states %v", tc.sort, first.states)
		}
	}
	// Tables of groups without an order have the largest first, with a note.
	v := customers(60, func(p *dashboard.Panel) { p.Columns = []dashboard.TableColumn{{Column: "name"}, {Column: "amount"}} })
	if page := lookAt(t, v, 0); page.states["Amount"] != "descending" || page.says != "1–25 of 53" {
		t.Errorf("states %v, %s", page.states, page.says)
	}
	if one := lookAt(t, customers(1, nil), 0); len(one.heads) > 0 {
		t.Error("the head of one row has links")
	}
	for _, query := range []string{"p0.sort=nothing", "p0.sort=-", "p0.sort=%ff"} {
		if page := lookAt(t, followed(t, customers(60, nil), "?"+query), 0); len(page.states) > 0 || len(page.rows) != 25 {
			t.Errorf("%s: sorted as %v", query, page.states)
		}
	}
}

// TestTableOrderIsThatOfAllRows: the rows of any page, sorted by any column in either direction, are those of a sort of all rows.
func TestTableOrderIsThatOfAllRows(t *testing.T) {
	t.Parallel()
	for _, columns := range [][]dashboard.TableColumn{nil, {{Column: "since"}, {Column: "size"}, {Column: "amount"}}} {
		v := customers(300, func(p *dashboard.Panel) { p.PageSize, p.Columns = 40, columns })
		for _, column := range []string{"name", "customer_id", "since", "amount", "size"} {
			for _, sort := range []string{column, "-" + column} {
				if columns != nil && (column == "name" || column == "customer_id") {
					continue
				}
				v.Query = url.Values{"p0.sort": {sort}}
				p := open(v).Panel(0)
				all := slices.Collect(p.Grid.Each())
				at := slices.IndexFunc(p.Grid.Columns, func(c Column) bool { return c.Name == column })
				value := func(row []any) any {
					if c, ok := row[at].(cube.Category); ok {
						return c.Value
					}
					return row[at]
				}
				natural := dashboard.NaturalOrder(v.Cubes["d"], column, p.Env.Locale)
				for i := 1; i < len(all); i++ {
					a, b := value(all[i-1]), value(all[i])
					order := natural.Compare(a, b)
					if sort != column && a != nil && b != nil {
						order = -order
					}
					if order > 0 {
						t.Fatalf("by %s: %v comes before %v", sort, a, b)
					}
				}
				for n := 1; n <= (len(all)+39)/40; n++ {
					v.Query.Set("p0.page", fmt.Sprint(n))
					page := open(v).Panel(0).Grid.Rows
					for i, row := range page {
						if fmt.Sprint(row) != fmt.Sprint(all[(n-1)*40+i]) {
							t.Fatalf("by %s, page %d, row %d: %v, want %v", sort, n, i, row, all[(n-1)*40+i])
						}
					}
				}
			}
		}
	}
}

// TestTableSearch: a search finds the rows that contain all its words in columns that are not measures, regardless of case and accents, and
// keeps the order.
func TestTableSearch(t *testing.T) {
	t.Parallel()
	for search, want := range map[string]string{
		"zoe":                "Zoë Ångström 000, Zoë Ångström 001, Zoë Ångström 002",
		"ÅNGSTROM 002":       "Zoë Ångström 002",
		"acme":               "ACME Corp 000, ACME Corp 001, ACME Corp 002, acme GmbH 000, acme GmbH 001, acme GmbH 002",
		"corp acme":          "ACME Corp 000, ACME Corp 001, ACME Corp 002",
		"100005":             "Bob 9 000",
		"bob 100005":         "Bob 9 000",
		"bob 100004":         "No row has “bob 100004”.",
		"Feb 5,":             "Bob 9 000",
		"  émile   ":         "Émile 000, Émile 001, Émile 002",
		"not set":            "No row has “not set”.",
		"a b c d e f g h iz": "No row has “a b c d e f g h iz”.",
	} {
		v := customers(24, func(p *dashboard.Panel) { p.PageSize = 10 })
		v.Query = url.Values{"p0.q": {search}, "p0.sort": {"name"}, "p0.page": {"9"}}
		page := lookAt(t, v, 0)
		if got := firstCells(page.rows); got != want {
			t.Errorf("%q finds %s, want %s", search, got, want)
		}
		if page.asks != "p0.q" || page.form.Encode() != "p0.sort=name" {
			t.Errorf("%q: the form asks %s and sends %v", search, page.asks, page.form)
		}
	}
	if page := lookAt(t, customers(11, nil), 0); page.asks != "" {
		t.Error("a table of eleven rows asks for a search")
	}
	numbers := customers(240, func(p *dashboard.Panel) { p.Columns = []dashboard.TableColumn{{Column: "amount"}} })
	if page := lookAt(t, numbers, 0); page.asks != "" {
		t.Error("a table of numbers asks for a search")
	}
	v := customers(240, nil)
	v.Query = url.Values{"p0.q": {"bob"}, "p0.page": {"2"}}
	if page := lookAt(t, v, 0); page.says != "60 rows found · 26–50 of 60" || page.pages["Next ›"] == "" {
		t.Errorf("%q, and pages %v", page.says, page.pages)
	}
}

// TestTablesKeepTheAddress: tables, filters and the version keep each other's state: a filter leads back to the first pages, and links of
// one table leave the other unchanged.
func TestTablesKeepTheAddress(t *testing.T) {
	t.Parallel()
	v := customers(90, nil)
	v.Spec.Panels = append(v.Spec.Panels, v.Spec.Panels[0])
	v.Spec.Filters = []dashboard.Filter{{Column: "size"}}
	v.Query = url.Values{
		"f.size": {"0", "1"}, "version": {"v1"}, "p0.page": {"2"}, "p0.sort": {"-amount"}, "p0.q": {"o"}, "p1.page": {"2"}, "x": {"y"},
	}
	page := lookAt(t, v, 1)
	for name, want := range map[string]string{
		page.heads["Amount"]:     "f.size=0&f.size=1&p0.page=2&p0.q=o&p0.sort=-amount&p1.sort=-amount&version=v1",
		page.pages["1"]:          "f.size=0&f.size=1&p0.page=2&p0.q=o&p0.sort=-amount&version=v1",
		"?" + page.form.Encode(): "f.size=0&f.size=1&p0.page=2&p0.q=o&p0.sort=-amount&version=v1",
		page.csv:                 "f.size=0&f.size=1&format=csv&panel=1&version=v1",
		lookAt(t, v, 0).csv:      "f.size=0&f.size=1&format=csv&p0.sort=-amount&panel=0&version=v1",
	} {
		if got := followed(t, v, name).Query.Encode(); got != want {
			t.Errorf("leads to %s, want %s", got, want)
		}
	}
	doc := string(render(t, v))
	for _, want := range []string{
		`id="filters" aria-label="Filters"><input type="hidden" name="p0.q" value="o"><input type="hidden" name="p0.sort" value="-amount">` +
			`<input type="hidden" name="version" value="v1">`,
		`<a class="reset" href="?p0.q=o&amp;p0.sort=-amount&amp;version=v1">`,
		`action="#p1"`, `#p1"`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestTableCSV: the CSV has all rows that pass the filters, in the chosen order.
func TestTableCSV(t *testing.T) {
	t.Parallel()
	v := customers(60, func(p *dashboard.Panel) { p.Limit, p.Sort = 10, "-amount" })
	v.Spec.Filters = []dashboard.Filter{{Column: "size"}}
	v.Query = url.Values{"f.size": {"1"}, "p0.sort": {"customer_id"}, "p0.q": {"bob"}, "p0.page": {"2"}}
	b, err := csvOfPanel(v, 0)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 21 {
		t.Fatalf("%d lines", len(records))
	}
	for i, r := range records[1:] {
		if want := fmt.Sprint(100001 + 3*i); r[1] != want {
			t.Errorf("row %d is %s, want %s", i, r[1], want)
		}
	}
}

// TestTopRowsStay: limit keeps the first rows in the order of the spec, however readers sort them.
func TestTopRowsStay(t *testing.T) {
	t.Parallel()
	v := customers(60, func(p *dashboard.Panel) { p.Limit, p.Sort = 10, "-amount" })
	want := map[string]bool{}
	for _, row := range lookAt(t, v, 0).rows {
		want[row[1]] = true
	}
	v.Query = url.Values{"p0.sort": {"customer_id"}}
	rows := lookAt(t, v, 0).rows
	if len(rows) != 10 || !slices.IsSortedFunc(rows, func(a, b []string) int { return strings.Compare(a[1], b[1]) }) {
		t.Errorf("%d rows: %v", len(rows), rows)
	}
	for _, row := range rows {
		if !want[row[1]] {
			t.Errorf("%s is none of the ten largest", row[1])
		}
	}
}

// TestBarsOfPagesAgree: the bars of all pages have one scale.
func TestBarsOfPagesAgree(t *testing.T) {
	t.Parallel()
	v := customers(60, func(p *dashboard.Panel) {
		p.Columns, p.Sort = []dashboard.TableColumn{{Column: "customer_id"}, {Column: "amount", Bar: true}}, "-amount"
	})
	largest := 0.0
	for n := range 3 {
		v.Query = url.Values{"p0.page": {fmt.Sprint(n + 1)}}
		p := open(v).Panel(0).Content.(*tablePanel)
		if n == 0 {
			largest = p.scales[1].longest()
		}
		if bar := p.cell(0, 1).Bar; p.scales[1].longest() != largest || (bar == 1) != (n == 0) {
			t.Errorf("page %d: a bar of %v, the largest is %v", n+1, bar, p.scales[1].longest())
		}
	}
}

func TestSortPart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := r.IntN(400)
		values := make([]int, n)
		for i := range values {
			values[i] = r.IntN(1 + r.IntN(2*n+1))
		}
		by := cube.Sorting{Keys: make([]uint64, n), Ties: func(a, b int) int { return values[a] - values[b] }}
		for i, v := range values {
			by.Keys[i] = uint64(v / 3)
		}
		want := stat.Indices(n)
		slices.SortStableFunc(want, by.Ties)
		from := r.IntN(n + 1)
		to := from + r.IntN(n-from+1)
		got := stat.Indices(n)
		sortPart(got, from, to, by)
		if !slices.Equal(got[from:to], want[from:to]) {
			t.Fatalf("%d to %d of %d: %v, want %v", from, to, n, got[from:to], want[from:to])
		}
		slices.Sort(got)
		if !slices.Equal(got, stat.Indices(n)) {
			t.Fatalf("%d to %d of %d: lines are lost", from, to, n)
		}
	}
}

// TestTableAsks: parameters of an address about a table are read if they are valid, and no value breaks the page.
func TestTableAsks(t *testing.T) {
	t.Parallel()
	v := customers(3, func(p *dashboard.Panel) { p.Columns = []dashboard.TableColumn{{Column: "name"}, {Column: "amount"}} })
	for _, tc := range []struct {
		key, value string
		read       bool
	}{
		{"page", "2", true},
		{"page", "02", false},
		{"page", "1", false},
		{"page", "200001", false},
		{"page", "x", false},
		{"q", "  a \t b\n", true},
		{"q", " ", false},
		{"q", "\xff", false},
		{"sort", "-amount", true},
		{"sort", "since", false},
		{"sort", "-", false},
		{"sort", strings.Repeat("n", 5000), false},
	} {
		if got := ParamsOf(v.Spec).Read(url.Values{"p0." + tc.key: {tc.value}}).Has("p0." + tc.key); got != tc.read {
			t.Errorf("%s=%.20q is read: %t", tc.key, tc.value, got)
		}
	}
	for value, want := range map[string]string{
		"  a \t b\n": "a b", strings.Repeat("ä", 200): strings.Repeat("ä", 100),
		strings.Repeat("ab ", 60): strings.TrimSpace(strings.Repeat("ab ", 33) + "a"), strings.Repeat("日", 9999): strings.Repeat("日", 100),
	} {
		if got := readSearch(value); got != want {
			t.Errorf("%.20q is read as %q, want %q", value, got, want)
		}
	}
}

// TestSearchOfManyWords: rows contain all words of a search, however many there are.
func TestSearchOfManyWords(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Table}}, []string{"name text", "n integer sum"},
		[]any{"a b c d e f g h i", int64(1)}, []any{"a b c d e f g h j", int64(2)}, []any{"a b c d e f g h i k l m n o p q r", int64(3)})
	for words, want := range map[string]int{
		"a b c d e f g h": 3, "a b c d e f g h i": 2, "a b c d e f g h i k l m n o p q r": 1, "r a b c d e f g h z": 0, "": 3,
	} {
		v.Query = url.Values{"p0.q": {words}}
		if got := open(v).Panel(0).Content.(*tablePanel).found; got != want {
			t.Errorf("%q: %d rows, want %d", words, got, want)
		}
	}
}
