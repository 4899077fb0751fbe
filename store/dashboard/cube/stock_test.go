package cube_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
)

// plans are the seats of two plans by month, some of them missing, with the price of a seat.
func plans(kind cube.Type, zone *time.Location) *cube.Cube {
	b := cube.NewBuilder([]cube.Column{
		{Name: "month", Type: kind},
		{Name: "plan", Type: cube.Text},
		{Name: "mrr", Type: cube.Integer},
		{Name: "seats", Type: cube.Number},
		{Name: "paid", Type: cube.Integer},
	})
	for _, r := range []struct {
		month time.Month
		plan  string
		mrr   int64
		seats any
		paid  int64
	}{
		{1, "Pro", 100, 10.5, 1},
		{1, "Old", 40, 4.0, 2},
		{3, "Pro", 110, 11.0, 4},
		{3, "Old", 30, 3.0, 8},
		{4, "Pro", 120, 12.0, 16},
		{6, "Pro", 150, nil, 32},
	} {
		at := any(time.Date(2026, r.month, 1, 0, 0, 0, 0, zone))
		if kind == cube.Integer {
			at = int64(2000 + r.month)
		}
		if err := b.Add([]any{at, r.plan, r.mrr, r.seats, r.paid}); err != nil {
			panic(err)
		}
	}
	return b.Cube()
}

// written are the groups of a query, one after the other: their categories, and their measures.
func written(g *cube.Groups) string {
	var out []string
	for i := range g.Len() {
		var row []string
		for d := range g.Axes {
			switch v := g.Category(i, d).Value.(type) {
			case time.Time:
				row = append(row, v.Format("Jan"))
			default:
				row = append(row, fmt.Sprint(v))
			}
			if g.Category(i, d).Other {
				row[d] = "Other"
			}
		}
		for m := range g.Measures() {
			if v, ok := g.Value(i, m); ok {
				row = append(row, fmt.Sprint(v))
			} else {
				row = append(row, "–")
			}
		}
		out = append(out, strings.Join(row, " "))
	}
	return strings.Join(out, ", ")
}

func TestStock(t *testing.T) {
	t.Parallel()
	riga, err := time.LoadLocation("Europe/Riga")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []cube.Type{cube.Date, cube.Timestamp, cube.Instant} {
		zone := time.UTC
		if kind == cube.Instant {
			zone = riga // where these months begin in those before, by UTC
		}
		c := plans(kind, zone)
		all := c.Select()
		along := func(agg cube.Agg, column string) cube.Measure {
			return cube.Measure{Column: column, Agg: agg, Along: "month", Among: all, Zone: zone}
		}
		last := along(cube.Last, "mrr")
		by := func(g cube.Grain) cube.Dim { return cube.Dim{Column: "month", Grain: g, Zone: zone} }
		plan := cube.Dim{Column: "plan"}
		old := c.Select(cube.Filter{Column: "plan", Values: []string{"Old"}})
		within := func(from, to time.Month) cube.Selection {
			return c.Select(cube.Filter{
				Column: "month", Zone: zone, From: cube.DayOf(time.Date(2026, from, 1, 0, 0, 0, 0, time.UTC)),
				To: cube.DayOf(time.Date(2026, to+1, 0, 0, 0, 0, 0, time.UTC)),
			})
		}
		during := func(from, to time.Month) (cube.Selection, cube.Measure) {
			m := last
			m.Among = within(from, to)
			return m.Among, m
		}
		group := func(rows cube.Selection, m cube.Measure, by ...cube.Dim) *cube.Groups {
			return c.Group(rows, cube.Query{By: by, Measures: []cube.Measure{m}})
		}
		q1, inQ1 := during(1, 3)
		q2, inQ2 := during(4, 6)
		ratio := func(a, b cube.Measure) cube.Measure { a.Over = &b; return a }
		sum := cube.Measure{Column: "paid", Agg: cube.Sum}
		split := group(all, last, by(cube.Quarterly), plan)
		lost := last
		lost.Along = "nothing"
		for _, tc := range []struct {
			name string
			got  string
			want string
		}{
			{"of all", written(group(all, last)), "150"},
			{"by quarter", written(group(all, last, by(cube.Quarterly))), "Jan 140, Apr 150"},
			{"by quarter and plan", written(split), "Jan Pro 110, Jan Old 30, Apr Pro 150"},
			{"by plan", written(group(all, last, plan)), "Pro 150, Old –"},
			{"of the second quarter", written(group(q2, inQ2)), "150"},
			{"of the first quarter", written(group(q1, inQ1)), "140"},
			{"by month", written(group(all, last, by(cube.Monthly))), "Jan 140, Mar 140, Apr 120, Jun 150"},
			{"by time", written(group(all, last, by(cube.Exact))), "Jan 140, Mar 140, Apr 120, Jun 150"},
			{"of Old", written(group(old, last)), "–"},
			{"of Old by month", written(group(old, last, by(cube.Monthly))), "Jan 40, Mar 30"},
			{"of Old by half a year", written(group(old, last, by(cube.Yearly))), "Jan –"},
			{"of Old, whose time nobody says", written(group(old, cube.Measure{Column: "mrr", Agg: cube.Last, Along: "month"})), "30"},
			{"first", written(group(all, along(cube.First, "mrr"))), "140"},
			{"first by quarter", written(group(all, along(cube.First, "mrr"), by(cube.Quarterly))), "Jan 140, Apr 120"},
			{"first by plan", written(group(all, along(cube.First, "mrr"), plan)), "Pro 100, Old 40"},
			{"a column that is empty then", written(group(all, along(cube.Last, "seats"))), "12"},
			{
				"a column that is empty then, by month", written(group(all, along(cube.Last, "seats"), by(cube.Monthly))),
				"Jan 14.5, Mar 14, Apr 12, Jun –",
			},
			{"a ratio of two", written(group(all, ratio(last, along(cube.Last, "seats")))), "10"},
			{"a ratio of two by quarter", written(group(all, ratio(last, along(cube.Last, "seats")), by(cube.Quarterly))), "Jan 10, Apr 10"},
			{"a ratio of a stock and a sum", written(group(all, ratio(last, sum))), fmt.Sprint(150.0 / 63)},
			{
				"a ratio of a sum and a stock", written(group(all, ratio(sum, last), by(cube.Quarterly))),
				fmt.Sprint("Jan ", 15.0/140, ", Apr ", 48.0/150),
			},
			{"growth", written(group(all, ratio(last, along(cube.First, "mrr")))), fmt.Sprint(150.0 / 140)},
			{"the plans of the quarters", written(split.Fold(1)), "Pro 150, Old –"},
			{"the quarters of the plans", written(split.Fold(0)), "Jan 140, Apr 150"},
			{"all of the quarters", written(split.Fold()), "150"},
			{"largest", fmt.Sprint(split.Ranked(1, 0)), "[0 1]"},
			{"the rest", written(split.Keep(1, []int{1}, true)), "Jan Old 30, Jan Other 110, Apr Other 150"},
			{"the rest of the plans", written(split.Keep(1, []int{1}, true).Fold(1)), "Old –, Other 150"},
			{"one quarter and the rest", written(split.Keep(0, []int{0}, true)), "Jan Pro 110, Jan Old 30, Other Pro 150"},
			{
				"a quarter alone, and all of it", written(split.Keep(0, []int{0}, false)) + "; " + written(split.Keep(0, []int{0}, false).Fold()),
				"Jan Pro 110, Jan Old 30; –",
			},
			{"ranges of quarters", written(split.Regroup(0, []int{0, 0}, []cube.Category{{Value: "all"}})), "all Pro 150, all Old –"},
			{"no such column", written(group(all, lost)), "–"},
			{"as of", fmt.Sprint(group(all, last).TakenOfAll(0)), fmt.Sprint(time.Date(2026, 6, 1, 0, 0, 0, 0, zone))},
			{"as of, without rows", fmt.Sprint(group(all[:0], last).TakenOfAll(0)), fmt.Sprint(time.Date(2026, 6, 1, 0, 0, 0, 0, zone))},
			{"as of, of a sum", fmt.Sprint(group(all, sum).TakenOfAll(0)), "<nil>"},
		} {
			if tc.got != tc.want {
				t.Errorf("%s, %s: got %s, want %s", kind, tc.name, tc.got, tc.want)
			}
		}
	}
}

// A stock along a column of years, with two rows of one year, and rows without a year.
func TestStockOfYears(t *testing.T) {
	t.Parallel()
	b := cube.NewBuilder([]cube.Column{{Name: "year", Type: cube.Integer}, {Name: "n", Type: cube.Number}})
	for _, r := range [][]any{{int64(2024), 1.5}, {int64(2025), 2.0}, {int64(2025), 3.0}, {int64(2026), nil}, {nil, 100.0}} {
		if err := b.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	m := cube.Measure{Column: "n", Agg: cube.Last, Along: "year", Among: c.Select()}
	g := c.Group(c.Select(), cube.Query{Measures: []cube.Measure{m}})
	if got, at := written(g), g.TakenOfAll(0); got != "5" || at != int64(2025) {
		t.Errorf("got %s as of %v, want 5 as of 2025: equal times add up", got, at)
	}
	byYear := c.Group(c.Select(), cube.Query{By: []cube.Dim{{Column: "year"}}, Measures: []cube.Measure{m}})
	if got := written(byYear); got != "2024 1.5, 2025 5, 2026 –, <nil> –" {
		t.Errorf("by year: %s", got)
	}
}

// The lines of a table, one by one and split, are taken at the same times as its groups.
func TestStockInTables(t *testing.T) {
	t.Parallel()
	c := plans(cube.Date, time.UTC)
	m := cube.Measure{Column: "mrr", Agg: cube.Last, Along: "month"}
	month, plan := cube.Dim{Column: "month"}, cube.Dim{Column: "plan"}
	byPlan := c.Table(c.Select(), []cube.Dim{plan}, false)
	byMonth := c.Table(c.Select(), []cube.Dim{month}, false)
	each := c.Table(c.Select(), []cube.Dim{month, plan}, true)
	byQuarter := byPlan.Split([]int{1, 0}, cube.Dim{Column: "month", Grain: cube.Quarterly}, []cube.Measure{m})
	for _, tc := range []struct{ name, got, want string }{
		{"by plan", written(byPlan.Lines([]int{1, 0}, []cube.Measure{m})), "Old –, Pro 150"},
		{"values by plan", written(byPlan.Values(m)), "150, –"},
		{"only Old", written(byPlan.Lines([]int{1}, []cube.Measure{m})), "Old –"},
		{"by month", written(byMonth.Lines([]int{0, 1, 2, 3}, []cube.Measure{m})), "Jan 140, Mar 140, Apr 120, Jun 150"},
		{"each", written(each.Values(m)), "100, 40, 110, 30, 120, 150"},
		{"two of each", written(each.Lines([]int{1, 5}, []cube.Measure{m})), "Jan Old 40, Jun Pro 150"},
		{"split", written(byQuarter), "0 Jan 30, 1 Jan 110, 1 Apr 150"},
		{"split, a ratio by a stock", written(byMonth.Split([]int{1, 3}, plan, []cube.Measure{
			{Column: "paid", Agg: cube.Sum, Over: &m},
		})), "0 Pro 0.03636363636363636, 0 Old 0.26666666666666666, 1 Pro 0.21333333333333335"},
		{"split, in all", written(byQuarter.Fold(1)), "Jan 140, Apr 150"},
		{"months by plan", written(byMonth.Split([]int{1, 3}, plan, []cube.Measure{m})), "0 Pro 110, 0 Old 30, 1 Pro 150"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, tc.got, tc.want)
		}
	}
}

// TestStockBesideAChangeOfTheClock: the periods of a stock are the groups' where the clock skips midnight, or shows an hour
// of half an hour more twice.
func TestStockBesideAChangeOfTheClock(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		zone  string
		times []string
		grain cube.Grain
	}{
		{"America/Havana", []string{"2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"}, cube.Daily}, // midnight occurs twice on 2 November
		{"America/Havana", []string{"2025-11-02T04:00:00Z", "2025-11-02T05:00:00Z", "2025-11-03T05:00:00Z"}, cube.Daily},
		{"America/Santiago", []string{"2026-09-05T04:00:00Z", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"}, cube.Daily},
		{"Australia/Lord_Howe", []string{"2026-04-04T14:00:00Z", "2026-04-04T14:30:00Z", "2026-04-04T15:30:00Z"}, cube.Hourly},
	} {
		zone, err := time.LoadLocation(tc.zone)
		if err != nil {
			t.Fatal(err)
		}
		b := cube.NewBuilder([]cube.Column{{Name: "at", Type: cube.Instant}, {Name: "n", Type: cube.Integer}})
		for _, s := range tc.times {
			at, err := time.Parse(time.RFC3339, s)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Add([]any{at, int64(7)}); err != nil {
				t.Fatal(err)
			}
		}
		c := b.Cube()
		g := c.Group(c.Select(), cube.Query{
			By:       []cube.Dim{{Column: "at", Grain: tc.grain, Zone: zone}},
			Measures: []cube.Measure{{Column: "n", Agg: cube.Last, Along: "at", Zone: zone}},
		})
		for i := range g.Len() {
			if got, _ := g.Value(i, 0); got != 7 {
				t.Errorf("%s: %v has %v", tc.zone, g.Category(i, 0).Value, got)
			}
		}
	}
}

// Merged groups equal the groups of a query by fewer dimensions, and both equal a count row by row.
func TestStockMerges(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		type row struct {
			day  int64
			a, b string
			n    int64
			has  bool
		}
		var rows []row
		b := cube.NewBuilder([]cube.Column{
			{Name: "day", Type: cube.Date},
			{Name: "a", Type: cube.Text},
			{Name: "b", Type: cube.Text},
			{Name: "n", Type: cube.Integer},
		})
		for range 1 + r.IntN(30) {
			one := row{r.Int64N(400), string(rune('a' + r.IntN(3))), string(rune('x' + r.IntN(3))), r.Int64N(100), r.IntN(6) > 0}
			rows = append(rows, one)
			v := any(one.n)
			if !one.has {
				v = nil
			}
			if err := b.Add([]any{cube.Day(one.day).Time(), one.a, one.b, v}); err != nil {
				t.Fatal(err)
			}
		}
		c := b.Cube()
		agg := []cube.Agg{cube.Last, cube.First}[r.IntN(2)]
		grain := []cube.Grain{cube.Exact, cube.Weekly, cube.Monthly, cube.Quarterly, cube.Yearly}[r.IntN(5)]
		m := cube.Measure{Column: "n", Agg: agg, Along: "day", Among: c.Select()}
		dims := []cube.Dim{{Column: "day", Grain: grain}, {Column: "a"}, {Column: "b"}}
		only := c.Select(cube.Filter{Column: "b", Values: []string{"x", "y"}})
		whole := c.Group(only, cube.Query{By: dims, Measures: []cube.Measure{m}})
		for _, keep := range [][]int{{}, {0}, {1}, {2}, {0, 1}, {1, 2}, {2, 0}, {0, 1, 2}} {
			var by []cube.Dim
			for _, d := range keep {
				by = append(by, dims[d])
			}
			direct := written(c.Group(only, cube.Query{By: by, Measures: []cube.Measure{m}}))
			if got := written(whole.Fold(keep...)); got != direct {
				t.Fatalf("%s by %v of %s: folded %s, grouped %s", agg, keep, grain, got, direct)
			}
			if !slices.Equal(keep, []int{1}) {
				continue
			}
			time := int64(-1)
			for _, o := range rows {
				if o.has && (time < 0 || agg == cube.Last && o.day > time || agg == cube.First && o.day < time) {
					time = o.day
				}
			}
			var want []string
			g := c.Group(only, cube.Query{By: by})
			for i := range g.Len() {
				name, sum, some := g.Category(i, 0).Value.(string), int64(0), false
				for _, o := range rows {
					if o.has && o.a == name && o.b != "z" && o.day == time {
						sum, some = sum+o.n, true
					}
				}
				if want = append(want, fmt.Sprint(name, " ", sum)); !some {
					want[i] = name + " –"
				}
			}
			if counted := strings.Join(want, ", "); direct != counted {
				t.Fatalf("%s: grouped %s, counted %s", agg, direct, counted)
			}
		}
	}
}
