package cube

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// orders is a cube such as a dataset's SQL returns: a row for each day,
// country and channel.
func orders(rows int) *Cube {
	r := rand.New(rand.NewPCG(7, 7))
	b := NewBuilder([]Column{{"day", Date}, {"country", Text}, {"channel", Text}, {"revenue", Number}, {"orders", Integer}, {"at", Timestamp}})
	countries := []any{"DE", "FR", "US", "IT", "ES", "NL", "PL", "SE", nil}
	channels := []any{"web", "store", "app", "partner"}
	for i := range rows {
		day := Day(20000 + i*365/rows)
		var revenue any = math.Round(r.ExpFloat64()*10000) / 100
		if i%97 == 0 {
			revenue = nil
		}
		row := []any{
			day.Time(), countries[r.IntN(len(countries))], channels[r.IntN(len(channels))], revenue, r.Int64N(50),
			day.Time().Add(time.Duration(r.IntN(86400)) * time.Second),
		}
		if err := b.Add(row); err != nil {
			panic(err)
		}
	}
	return b.Cube()
}

var (
	revenue = Measure{Column: "revenue", Agg: Sum}
	count   = Measure{Column: "orders", Agg: Sum}
	average = Measure{Column: "revenue", Agg: Sum, Over: &count}
)

// text writes groups one a line, so that a test reads as a table.
func text(g *Groups) string {
	var b strings.Builder
	for i := range g.Len() {
		for d := range g.Axes {
			c := g.Category(i, d)
			switch v := c.Value.(type) {
			case time.Time:
				fmt.Fprint(&b, v.Format("2006-01-02T15 "))
			default:
				if c.Other {
					v = "Other"
				}
				fmt.Fprint(&b, v, " ")
			}
		}
		for m := range g.measures {
			if v, ok := g.Value(i, m); ok {
				fmt.Fprintf(&b, "%g ", v)
			} else {
				fmt.Fprint(&b, "NULL ")
			}
		}
		fmt.Fprintf(&b, "(%d)\n", g.Rows(i))
	}
	return b.String()
}

func small(t *testing.T) *Cube {
	t.Helper()
	b := NewBuilder([]Column{{"stage", Text}, {"won", Boolean}, {"year", Integer}, {"n", Integer}, {"price", Number}, {"at", Instant}})
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, row := range [][]any{
		{"visit", true, int64(2024), int64(10), 2.5, at("2024-03-30T22:30:00Z")},
		{"basket", false, int64(2024), int64(4), 1.0, at("2024-03-30T23:30:00Z")},
		{nil, nil, int64(2025), int64(1), nil, nil},
		{"visit", false, nil, int64(6), -1.5, at("2024-03-31T00:30:00Z")},
		{"buy", true, int64(2025), nil, 4.0, at("2024-04-01T10:00:00Z")},
	} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	return b.Cube()
}

func TestGroup(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	c := small(t)
	n := Measure{Column: "n", Agg: Sum}
	price := func(a Agg) Measure { return Measure{Column: "price", Agg: a} }
	for _, tc := range []struct {
		name string
		q    Query
		want string
	}{
		{"no dimension", Query{Measures: []Measure{n, price(Avg), price(Min), price(Max)}}, "21 1.5 -1.5 4 (5)\n"},
		{
			"text in order of appearance, NULL last",
			Query{By: []Dim{{Column: "stage"}}, Measures: []Measure{n}},
			"visit 16 (2)\nbasket 4 (1)\nbuy NULL (1)\n<nil> 1 (1)\n",
		},
		{"boolean", Query{By: []Dim{{Column: "won"}}, Measures: []Measure{n}}, "false 10 (2)\ntrue 10 (2)\n<nil> 1 (1)\n"},
		{"integer", Query{By: []Dim{{Column: "year"}}, Measures: []Measure{n}}, "2024 14 (2)\n2025 1 (2)\n<nil> 6 (1)\n"},
		{"number", Query{By: []Dim{{Column: "price"}}, Measures: []Measure{n}}, "-1.5 6 (1)\n1 4 (1)\n2.5 10 (1)\n4 NULL (1)\n<nil> 1 (1)\n"},
		{
			"two dimensions",
			Query{By: []Dim{{Column: "won"}, {Column: "year"}}, Measures: []Measure{n}},
			"false 2024 4 (1)\nfalse <nil> 6 (1)\ntrue 2024 10 (1)\ntrue 2025 NULL (1)\n<nil> 2025 1 (1)\n",
		},
		{
			"days in a zone that skips an hour",
			Query{By: []Dim{{Column: "at", Grain: Daily, Zone: berlin}}, Measures: []Measure{n}},
			"2024-03-30T00 10 (1)\n2024-03-31T00 10 (2)\n2024-04-01T00 NULL (1)\n<nil> 1 (1)\n",
		},
		{
			"hours",
			Query{By: []Dim{{Column: "at", Grain: Hourly, Zone: berlin}}, Measures: []Measure{n}},
			"2024-03-30T23 10 (1)\n2024-03-31T00 4 (1)\n2024-03-31T01 6 (1)\n2024-04-01T12 NULL (1)\n<nil> 1 (1)\n",
		},
		{
			"months",
			Query{By: []Dim{{Column: "at", Grain: Monthly}}, Measures: []Measure{n}},
			"2024-03-01T00 20 (3)\n2024-04-01T00 NULL (1)\n<nil> 1 (1)\n",
		},
		{
			"each row",
			Query{By: []Dim{{Column: "stage"}}, Measures: []Measure{n}, Each: true},
			"visit 10 (1)\nbasket 4 (1)\n<nil> 1 (1)\nvisit 6 (1)\nbuy NULL (1)\n",
		},
		{
			"ratio",
			Query{By: []Dim{{Column: "won"}}, Measures: []Measure{{Column: "price", Agg: Sum, Over: &n}}},
			"false -0.05 (2)\ntrue 0.65 (2)\n<nil> NULL (1)\n",
		},
		{"no such columns", Query{By: []Dim{{Column: "x"}}, Measures: []Measure{{Column: "y", Agg: Sum}}}, "<nil> NULL (5)\n"},
	} {
		if diff := cmp.Diff(tc.want, text(c.Group(c.Select(), tc.q))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
	empty := c.Select(Filter{Column: "stage"})
	nothing := c.Group(empty, Query{By: []Dim{{Column: "won"}, {Column: "at"}}, Measures: []Measure{n}})
	if nothing.Len() != 0 || len(nothing.Fold().rows) != 0 {
		t.Errorf("groups of no rows:\n%s", text(nothing))
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	c := small(t)
	day := func(s string) Day {
		v, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return DayOf(v)
	}
	for _, tc := range []struct {
		filter Filter
		want   Selection
	}{
		{Filter{Column: "stage", Values: []string{"visit", "nowhere"}}, Selection{0, 3}},
		{Filter{Column: "stage", Null: true}, Selection{2}},
		{Filter{Column: "stage"}, Selection{}},
		{Filter{Column: "won", Values: []string{"false"}, Null: true}, Selection{1, 2, 3}},
		{Filter{Column: "year", Values: []string{"2025", "x"}}, Selection{2, 4}},
		{Filter{Column: "year", Null: true}, Selection{3}},
		{Filter{Column: "price", Values: []string{Label(2.5), Label(-1.5)}, Null: true}, Selection{0, 2, 3}},
		{Filter{Column: "at", From: day("2024-03-30"), To: day("2024-03-30")}, Selection{0, 1}},
		{Filter{Column: "at", From: day("2024-03-30"), To: day("2024-03-30"), Zone: berlin}, Selection{0}},
		{Filter{Column: "at", From: day("2024-03-31"), To: day("2024-03-31"), Zone: berlin}, Selection{1, 3}},
		{Filter{Column: "not here", Values: []string{"x"}}, Selection{0, 1, 2, 3, 4}},
	} {
		if diff := cmp.Diff(tc.want, c.Select(tc.filter)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tc.filter, diff)
		}
	}
}

func TestUnclearNamesTheColumn(t *testing.T) {
	t.Parallel()
	c := small(t)
	none := Measure{Column: "price", Agg: None}
	g := c.Group(c.Select(), Query{By: []Dim{{Column: "stage"}}, Measures: []Measure{none, count, {Column: "n", Agg: Sum, Over: &none}}})
	for m, want := range []bool{true, false, true} {
		if n, column := g.Unclear(m); (n > 1 && column == "price") != want || want != (n > 0) {
			t.Errorf("measure %d: %d rows of %q", m, n, column)
		}
	}
	one := c.Group(c.Select(Filter{Column: "won", Values: []string{"true"}}), Query{By: []Dim{{Column: "stage"}}, Measures: []Measure{none}})
	if n, _ := one.Unclear(0); n != 0 {
		t.Errorf("nothing is merged, yet: %d rows", n)
	}
	if n, _ := one.Fold().Unclear(0); n == 0 {
		t.Error("folding merged rows in silence")
	}
	if top, _ := one.Top(0, 0, 1, true); top.Len() != 1 {
		t.Errorf("Other merged what does not add up:\n%s", text(top))
	}
}

func TestTop(t *testing.T) {
	t.Parallel()
	c := orders(5000)
	g := c.Group(c.Select(), Query{By: []Dim{{Column: "country"}, {Column: "channel"}}, Measures: []Measure{revenue, average}})
	top, cut := g.Top(0, 0, 3, true)
	if cut != 6 || len(top.Axes[0]) != 4 || !top.Axes[0][3].Other {
		t.Fatalf("cut %d, axis %v", cut, top.Axes[0])
	}
	same(t, "total with Other", total(g.Fold(), 0), total(top.Fold(), 0))
	same(t, "ratio with Other", total(g.Fold(), 1), total(top.Fold(), 1))
	dropped, _ := g.Top(0, 0, 3, false)
	if len(dropped.Axes[0]) != 3 || dropped.Len() != 12 {
		t.Errorf("dropping left %v in %d groups", dropped.Axes[0], dropped.Len())
	}
	best := g.Ranked(0, 0)[0]
	if dropped.index(g.Axes[0][best]) < 0 {
		t.Error("the largest was cut")
	}
	// An axis may keep categories that lost all their groups.
	if n := dropped.Fold(1).Len(); n != 4 {
		t.Errorf("%d channels after cutting countries", n)
	}
}

func (g *Groups) index(c Category) int {
	for i, have := range g.Axes[0] {
		if have == c {
			return i
		}
	}
	return -1
}

// total is a measure of the one group that is left after folding.
func total(g *Groups, measure int) float64 {
	if g.Len() == 0 {
		return 0
	}
	v, _ := g.Value(0, measure)
	return v
}

func same(t *testing.T, what string, want, got float64) {
	t.Helper()
	if math.Abs(want-got) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// TestFiltersPartition: the parts that a filter can select add up to the whole in each grouping, and a ratio is that of the sums.
func TestFiltersPartition(t *testing.T) {
	t.Parallel()
	c := orders(3000)
	whole := c.Group(c.Select(), Query{Measures: []Measure{revenue, count}})
	for _, by := range [][]Dim{
		nil,
		{{Column: "day", Grain: Monthly}},
		{{Column: "channel"}, {Column: "at"}},
		{{Column: "country"}, {Column: "day", Grain: Weekly}, {Column: "channel"}},
	} {
		var sum, n float64
		for _, f := range []Filter{
			{Column: "country", Values: []string{"DE", "FR", "US"}},
			{Column: "country", Values: []string{"IT", "ES", "NL", "PL"}},
			{Column: "country", Values: []string{"SE"}, Null: true},
		} {
			g := c.Group(c.Select(f), Query{By: by, Measures: []Measure{revenue, count, average}})
			one := g.Fold()
			sum, n = sum+total(one, 0), n+total(one, 1)
			same(t, "ratio", total(one, 0)/total(one, 1), total(one, 2))
			for i := range g.Len() {
				r, ok1 := g.Value(i, 0)
				o, _ := g.Value(i, 1)
				if a, ok := g.Value(i, 2); ok {
					same(t, "ratio of a group", r/o, a)
				} else if ok1 && o != 0 {
					t.Error("a ratio is missing")
				}
			}
		}
		same(t, fmt.Sprintf("revenue by %v", by), total(whole, 0), sum)
		same(t, fmt.Sprintf("orders by %v", by), total(whole, 1), n)
	}
}

func TestGroupsAgreeWithAMap(t *testing.T) {
	t.Parallel()
	c := orders(4000)
	by := []Dim{{Column: "day"}, {Column: "country"}, {Column: "channel"}, {Column: "at"}}
	g := c.Group(c.Select(), Query{By: by, Measures: []Measure{revenue}})
	want := map[string]float64{}
	for row := range c.Rows() {
		key := fmt.Sprint(c.Value(row, 0), c.Value(row, 1), c.Value(row, 2), c.Value(row, 5))
		if v, ok := c.Value(row, 3).(float64); ok {
			want[key] += v
		} else {
			want[key] += 0
		}
	}
	got := map[string]float64{}
	for i := range g.Len() {
		v, _ := g.Value(i, 0)
		got[fmt.Sprint(g.Category(i, 0).Value, g.Category(i, 1).Value, g.Category(i, 2).Value, g.Category(i, 3).Value)] = v
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	c := orders(1000)
	s, ok := c.Span(c.Select(), "day", nil, 400)
	if want := (Span{Min: 20000, Max: 20364, Distinct: 365}); !ok || s != want {
		t.Errorf("days: %+v, want %+v", s, want)
	}
	if s, _ = c.Span(c.Select(), "at", nil, 50); s.Distinct != 51 || !s.Clock {
		t.Errorf("timestamps: %+v", s)
	}
	if _, ok = c.Span(c.Select(), "country", nil, 50); ok {
		t.Error("text has a span of time")
	}
	if _, ok = c.Span(nil, "day", nil, 50); ok {
		t.Error("no rows have a span of time")
	}
}

func TestGrain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ day, week, month, year, next string }{
		{"2024-12-31", "2024-12-30", "2024-12-01", "2024-01-01", "2025-01-01"},
		{"2024-12-29", "2024-12-23", "2024-12-01", "2024-01-01", "2025-01-01"},
		{"1969-12-31", "1969-12-29", "1969-12-01", "1969-01-01", "1970-01-01"},
		{"1970-01-05", "1970-01-05", "1970-01-01", "1970-01-01", "1970-02-01"},
	} {
		v, err := time.Parse(time.DateOnly, tc.day)
		if err != nil {
			t.Fatal(err)
		}
		d := DayOf(v)
		s := func(d Day) string { return d.Time().Format(time.DateOnly) }
		got := []string{s(Weekly.Floor(d, 0)), s(Monthly.Floor(d, 0)), s(Yearly.Floor(d, 0)), s(Monthly.Next(Monthly.Floor(d, 0)))}
		if diff := cmp.Diff([]string{tc.week, tc.month, tc.year, tc.next}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.day, diff)
		}
	}
}

// BenchmarkPage does the work of ten panels on one dataset: the target is
// 50 ms for 200,000 rows on one core.
func BenchmarkPage(b *testing.B) {
	for _, rows := range []int{1_000, 10_000, 200_000} {
		c := orders(rows)
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			for b.Loop() {
				sel := c.Select(
					Filter{Column: "day", From: 20010, To: 20360},
					Filter{Column: "country", Values: []string{"DE", "FR", "US", "IT", "ES", "NL", "PL"}, Null: true},
				)
				for _, q := range []Query{
					{Measures: []Measure{revenue}},
					{Measures: []Measure{average}},
					{By: []Dim{{Column: "day"}}, Measures: []Measure{revenue}},
					{By: []Dim{{Column: "day", Grain: Weekly}}, Measures: []Measure{revenue, count}},
					{By: []Dim{{Column: "day", Grain: Monthly}, {Column: "channel"}}, Measures: []Measure{revenue}},
					{By: []Dim{{Column: "at", Grain: Hourly}}, Measures: []Measure{revenue}},
					{By: []Dim{{Column: "country"}}, Measures: []Measure{revenue}},
					{By: []Dim{{Column: "country"}, {Column: "channel"}}, Measures: []Measure{revenue, count, average}},
					{By: []Dim{{Column: "country"}, {Column: "day"}}, Measures: []Measure{revenue}},
					{By: []Dim{{Column: "channel"}}, Measures: []Measure{average}},
				} {
					c.Group(sel, q)
				}
			}
		})
	}
}

// BenchmarkGroup adds up one measure by two dimensions, and compares that with a plain loop over rows.
func BenchmarkGroup(b *testing.B) {
	type row struct {
		country, channel string
		revenue          float64
	}
	for _, rows := range []int{1_000, 10_000, 200_000} {
		c := orders(rows)
		plain := make([]row, rows)
		for i := range plain {
			plain[i].country, _ = c.Value(i, 1).(string)
			plain[i].channel, _ = c.Value(i, 2).(string)
			plain[i].revenue, _ = c.Value(i, 3).(float64)
		}
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			for b.Loop() {
				c.Group(c.Select(), Query{By: []Dim{{Column: "country"}, {Column: "channel"}}, Measures: []Measure{revenue}})
			}
		})
		b.Run(fmt.Sprint(rows, " as a loop"), func(b *testing.B) {
			for b.Loop() {
				sums := map[[2]string]float64{}
				for _, r := range plain {
					sums[[2]string{r.country, r.channel}] += r.revenue
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, rows := range []int{1_000, 10_000, 200_000} {
		enc := orders(rows).Encode()
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			b.SetBytes(int64(len(enc)))
			for b.Loop() {
				if _, err := Decode(enc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Sorted has the order of Compare, in which equal groups keep theirs: of numbers with ties, signs, missing values and more digits than a
// float64 has, of few groups and of thousands.
func TestSortedHasTheOrderOfCompare(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	values := []func() any{
		func() any { return nil },
		func() any { return float64(r.IntN(5) - 2) },
		func() any { return math.Copysign(0, -1) },
		func() any { return r.NormFloat64() * math.Pow(10, float64(r.IntN(600)-300)) },
		func() any { return []float64{math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324}[r.IntN(4)] },
		func() any { // equal as float64
			v, err := Parse(Number, fmt.Sprintf("%d90071992547409930000.%02d", r.IntN(2)+1, r.IntN(100)))
			if err != nil {
				t.Fatal(err)
			}
			return v
		},
	}
	for _, n := range []int{0, 1, 50, 5000} {
		b := NewBuilder([]Column{{"name", Text}, {"v", Number}, {"n", Integer}})
		for i := range n {
			if err := b.Add([]any{fmt.Sprint("name ", i), values[r.IntN(len(values))](), int64(r.IntN(4))}); err != nil {
				t.Fatal(err)
			}
		}
		c, count := b.Cube(), Measure{Column: "n", Agg: Sum}
		for name, m := range map[string]Measure{
			"sum": {Column: "v", Agg: Sum}, "mean": {Column: "v", Agg: Avg}, "ratio": {Column: "v", Agg: Sum, Over: &count},
		} {
			g := c.Group(c.Select(), Query{By: []Dim{{Column: "name"}}, Measures: []Measure{m}})
			for _, descending := range []bool{false, true} {
				want := make([]int, g.Len())
				for i := range want {
					want[i] = i
				}
				slices.SortStableFunc(want, g.Compare(0, descending))
				if !slices.Equal(g.Sorted(0, descending), want) {
					t.Errorf("%s of %d groups, descending %t: not the order of Compare", name, n, descending)
				}
			}
		}
	}
}
