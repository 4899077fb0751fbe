package cube

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// Keys are numbered by their size, many and few, near and far apart.
func TestRanks(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 100, 1 << digitBits, 30_000} {
		for _, mask := range []uint64{0, 1, 0xff, 0xffff_0000_0000, 1<<63 | 1, ^uint64(0)} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64() & mask
			}
			want := slices.Compact(slices.Sorted(slices.Values(keys)))
			codes, distinct := ranks(keys)
			if !slices.Equal(distinct, want) {
				t.Fatalf("%d keys of %x: %d numbers, want %d", n, mask, len(distinct), len(want))
			}
			for i, code := range codes {
				if distinct[code] != keys[i] {
					t.Fatalf("%d keys of %x: key %d is %x, and its number says %x", n, mask, i, keys[i], distinct[code])
				}
			}
			sorted := sortKeys(keys)
			for i, k := range sorted {
				if keys[k.at] != k.key || i > 0 && (sorted[i-1].key > k.key || sorted[i-1].key == k.key && sorted[i-1].at > k.at) {
					t.Fatalf("%d keys of %x are not sorted, or equal ones not in their order", n, mask)
				}
			}
		}
	}
}

// plainTexts compares texts by their bytes, at first by the first of them.
type plainTexts []string

func (p plainTexts) Head(i int) uint64    { return uint64(p[i][0]) }
func (p plainTexts) Compare(i, j int) int { return strings.Compare(p[i], p[j]) }

func comparedPlainly(values []string) Texts { return plainTexts(values) }

// sorted are lines in an order; equal ones stay as they are.
func sorted(lines []int, s Sorting) []int {
	slices.SortStableFunc(lines, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.Keys[a], s.Keys[b]), s.Ties(a, b))
	})
	return lines
}

// The lines of a table are the groups of a grouping, and computing only some lines returns the same values.
func TestTableAgreesWithGroup(t *testing.T) {
	t.Parallel()
	c := orders(4000)
	rows := c.Select(Filter{Column: "channel", Values: []string{"web", "app"}})
	measures := []Measure{revenue, count, average}
	for _, each := range []bool{false, true} {
		for _, by := range [][]Dim{
			nil, {{Column: "country"}}, {{Column: "day", Grain: Monthly}, {Column: "country"}}, {{Column: "at"}, {Column: "channel"}},
		} {
			g := c.Group(rows, Query{By: by, Measures: measures, Each: each})
			table := c.Table(rows, by, each)
			all := make([]int, table.Len())
			for i := range all {
				all[i] = i
			}
			if got, want := text(table.Lines(all, measures)), text(g); got != want {
				t.Fatalf("by %v, each %t: the lines are\n%.300s\nwant\n%.300s", by, each, got, want)
			}
			want := strings.Split(text(g), "\n")
			for i, line := range strings.Split(strings.TrimSpace(text(table.Values(measures...))), "\n") {
				if !strings.HasSuffix(want[i], line) {
					t.Fatalf("by %v, each %t: line %d has %s, want %s", by, each, i, line, want[i])
				}
			}
			if table.Len() < 3 {
				continue
			}
			some := []int{table.Len() - 1, 0, table.Len() / 2}
			for i, line := range strings.Split(strings.TrimSpace(text(table.Lines(some, measures))), "\n") {
				if strings.TrimSpace(line) != strings.TrimSpace(want[some[i]]) {
					t.Errorf("by %v, each %t: line %d is %s, want %s", by, each, some[i], line, want[some[i]])
				}
			}
			n := 0
			for _, line := range some {
				n += g.Rows(line)
			}
			if got := len(table.Rows(some)); got != n {
				t.Errorf("by %v, each %t: %d rows of three lines, want %d", by, each, got, n)
			}
		}
	}
}

// Lines are compared as values are: yes first, nothing last, either way.
func TestTableOrder(t *testing.T) {
	t.Parallel()
	c := small(t)
	table := c.Table(c.Select(), nil, true)
	for column, want := range map[string][2]string{ // ascending, descending
		"stage": {"basket buy visit visit <nil>", "visit visit buy basket <nil>"},
		"won":   {"true true false false <nil>", "false false true true <nil>"},
		"year":  {"2024 2024 2025 2025 <nil>", "2025 2025 2024 2024 <nil>"},
		"price": {"-1.5 1 2.5 4 <nil>", "4 2.5 1 -1.5 <nil>"},
		"none":  {"", ""},
	} {
		for i, descending := range []bool{false, true} {
			var got []string
			for _, line := range sorted([]int{0, 1, 2, 3, 4}, table.Sorting(column, descending, comparedPlainly)) {
				if at := c.Index(column); at >= 0 {
					got = append(got, fmt.Sprint(c.Value(line, at)))
				}
			}
			if s := strings.Join(got, " "); s != want[i] {
				t.Errorf("%s, descending %t: %s, want %s", column, descending, s, want[i])
			}
		}
	}
	// If the rows of a line differ in a column, the smallest value counts.
	stages := c.Table(c.Select(), []Dim{{Column: "stage"}}, false)
	for descending, want := range map[bool][]int{false: {0, 1, 2, 3}, true: {2, 1, 0, 3}} { // of visit, basket, buy, NULL
		if got := sorted([]int{0, 1, 2, 3}, stages.Sorting("price", descending, comparedPlainly)); !slices.Equal(got, want) {
			t.Errorf("stages by price, descending %t: %v", descending, got)
		}
		prices := stages.Values(Measure{Column: "price", Agg: Min})
		if got := sorted([]int{0, 1, 2, 3}, prices.Sorting(0, descending)); !slices.Equal(got, want) {
			t.Errorf("stages by a measure, descending %t: %v", descending, got)
		}
	}
}

// Numbers that no float64 represents are sorted correctly, and so are the largest possible values.
func TestTableOrderIsExact(t *testing.T) {
	t.Parallel()
	b := NewBuilder([]Column{{"n", Integer}, {"w", Number}})
	for _, row := range [][]any{
		{int64(math.MaxInt64), Decimal("100000000000000000000.1")},
		{int64(math.MinInt64), Decimal("-100000000000000000000.1")},
		{nil, nil},
		{int64(math.MaxInt64 - 1), Decimal("100000000000000000000.2")},
		{int64(math.MinInt64 + 1), 0.5},
	} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	table := c.Table(c.Select(), nil, true)
	for _, tc := range []struct {
		column     string
		descending bool
		want       []int
	}{
		{"n", false, []int{1, 4, 3, 0, 2}},
		{"n", true, []int{0, 3, 4, 1, 2}},
		{"w", false, []int{1, 4, 0, 3, 2}},
		{"w", true, []int{3, 0, 4, 1, 2}},
	} {
		if got := sorted([]int{0, 1, 2, 3, 4}, table.Sorting(tc.column, tc.descending, comparedPlainly)); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: %v", tc, got)
		}
		measured := table.Values(Measure{Column: tc.column, Agg: Sum}).Sorting(0, tc.descending)
		if got := sorted([]int{0, 1, 2, 3, 4}, measured); !slices.Equal(got, tc.want) {
			t.Errorf("%+v as a measure: %v", tc, got)
		}
	}
}

// A column of texts in which all rows are NULL has an order, too: that of the rows.
func TestTableOrderOfNull(t *testing.T) {
	t.Parallel()
	b := NewBuilder([]Column{{Name: "name", Type: Text}, {Name: "n", Type: Integer}})
	for n := range int64(3) {
		if err := b.Add([]any{nil, n}); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	table := c.Table(c.Select(), []Dim{{Column: "n"}}, false)
	for _, descending := range []bool{false, true} {
		if got := sorted([]int{0, 1, 2}, table.Sorting("name", descending, comparedPlainly)); !slices.Equal(got, []int{0, 1, 2}) {
			t.Errorf("descending %t: %v", descending, got)
		}
	}
}

// Values are marked once if they are equal, and instants by the clock of the zone.
func TestTableMarks(t *testing.T) {
	t.Parallel()
	asked := 0
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	marker := Marker{
		Text:   func(s string) uint8 { asked++; return uint8(len(s)) },
		Whole:  func(n int64) uint8 { asked++; return uint8(n) },
		Day:    func(d Day) uint8 { asked++; return uint8(d.Time().Day()) },
		Second: func(s int) uint8 { asked++; return uint8(s / 3600 << 5) },
		Other:  func(v any) uint8 { asked++; return uint8(len(fmt.Sprint(v))) },
		Zone:   berlin,
	}
	marks := func(c *Cube, column string) string {
		asked = 0
		table := c.Table(c.Select(), nil, true)
		mark := table.Marks(column, marker)
		var out []string
		for i := range table.Len() {
			out = append(out, fmt.Sprint(mark(i)))
		}
		return strings.Join(out, " ")
	}
	for column, want := range map[string]string{
		"stage": "5 6 0 5 3", "won": "4 5 0 5 4", "year": "232 232 233 0 233", "price": "3 1 0 4 1", "none": "0 0 0 0 0",
		"at": fmt.Sprint(30|23<<5&255, " ", 31, " 0 ", 31|1<<5, " ", 1|12<<5&255),
	} {
		if got := marks(small(t), column); got != want {
			t.Errorf("%s: %s, want %s", column, got, want)
		}
	}
	for column, want := range map[string]int{"country": 8, "day": 365} {
		if marks(orders(4000), column); asked != want {
			t.Errorf("%s: asked %d times, want %d", column, asked, want)
		}
	}
}
