package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A summed is a random dataset with a page of panels of its sums. Its columns are day, closed, part, kind, n and m.
type summed struct {
	*rand.Rand
	rows  [][]any
	zone  *time.Location
	kind  string
	query url.Values
	kept  [][]any // the rows that pass the filters
}

// newSummed returns rows of some months around the end of summer time, of which some values are missing, negative, equal, or of a day that
// has 23 or 25 hours.
func newSummed(seed uint64) *summed {
	s := &summed{Rand: rand.New(rand.NewPCG(seed, 5)), query: url.Values{}}
	zones := []string{"UTC", "Europe/Berlin", "America/Santiago", "Pacific/Chatham"}
	s.zone, _ = time.LoadLocation(zones[s.IntN(len(zones))])
	s.kind = []string{"date", "timestamp", "instant"}[s.IntN(3)]
	first, days := day("2025-08-20"), 1+s.IntN(470)
	for range 5 + s.IntN(300) {
		row := make([]any, 6)
		at := first.AddDate(0, 0, s.IntN(days))
		switch s.kind {
		case "timestamp":
			at = at.Add(time.Duration(s.IntN(24)) * time.Hour)
		case "instant":
			at = time.Date(at.Year(), at.Month(), at.Day(), s.IntN(24), 30*s.IntN(2), 0, 0, s.zone).UTC()
		}
		row[1] = first.AddDate(0, 0, s.IntN(days))
		if row[0] = at; s.IntN(20) == 0 {
			row[0] = nil
		}
		if k := s.IntN(9); k < 8 {
			row[2] = string(rune('a' + k))
		}
		row[3] = []any{"x", "y", "z"}[s.IntN(3)]
		if s.IntN(8) > 0 {
			row[4] = s.Int64N(100) - 15
		}
		row[5] = s.Int64N(10)
		s.rows = append(s.rows, row)
	}
	if s.IntN(2) == 0 {
		from := first.AddDate(0, 0, s.IntN(days)-5)
		to := from.AddDate(0, 0, s.IntN(200))
		s.query.Set("f.day", from.Format(time.DateOnly)+".."+to.Format(time.DateOnly))
	}
	if s.IntN(3) == 0 {
		s.query["f.part"] = []string{"a", "c", "~null"}[s.IntN(3):]
	}
	if s.IntN(4) == 0 {
		s.query.Set("f.closed", first.AddDate(0, 0, s.IntN(days)).Format(time.DateOnly)+"..2026-12-31")
	}
	for _, row := range s.rows {
		if s.passes(row) {
			s.kept = append(s.kept, row)
		}
	}
	return s
}

// date returns the day of a row in the zone, as midnight UTC.
func (s *summed) date(row []any) (time.Time, bool) {
	at, ok := row[0].(time.Time)
	if s.kind == "instant" {
		at = at.In(s.zone)
	}
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC), ok
}

func (s *summed) passes(row []any) bool {
	within := func(name string, at time.Time, ok bool) bool {
		from, to, some := strings.Cut(s.query.Get(name), "..")
		return !some || ok && !at.Before(day(from)) && !at.After(day(to))
	}
	at, ok := s.date(row)
	part := "~null"
	if row[2] != nil {
		part = row[2].(string)
	}
	return within("f.day", at, ok) && within("f.closed", row[1].(time.Time), true) &&
		(s.query["f.part"] == nil || slices.Contains(s.query["f.part"], part))
}

// page returns the page of some panels.
func (s *summed) page(t *testing.T, panels string) *opened {
	t.Helper()
	v := tinySpec(t, panels, []string{"day " + s.kind, "closed date", "part text", "kind text", "n integer sum", "m integer sum"}, s.rows...)
	v.Spec.Timezone, v.Query = s.zone.String(), s.query
	v.Spec.Filters = []dashboard.Filter{{Column: "day"}, {Column: "closed"}, {Column: "part"}}
	return open(v)
}

// period returns the name of the period of a row, "" for none.
func (s *summed) period(row []any, grain cube.Grain) string {
	at, ok := s.date(row)
	if !ok {
		return ""
	}
	return grain.Floor(cube.DayOf(at), 0).Time().Format(time.DateOnly)
}

// sums adds up n of the kept rows by keys; the sum of rows without any value is missing.
func (s *summed) sums(keys func(row []any) []string) map[string]float64 {
	out := map[string]float64{}
	for _, row := range s.kept {
		for _, key := range keys(row) {
			if n, ok := row[4].(int64); ok {
				out[key] += float64(n)
			}
		}
	}
	return out
}

// label returns a cell of a grid as a key.
func label(v any) string {
	if c, ok := v.(cube.Category); ok {
		if c.Other {
			return "(other)"
		}
		v = c.Value
	}
	switch v := v.(type) {
	case nil:
		return "~null"
	case time.Time:
		return v.Format(time.DateOnly)
	}
	return fmt.Sprint(v)
}

func partOf(row []any) string { return label(row[2]) }

// check compares the numbers of a grid with sums. row and col return the keys of both; a number without a sum must be missing, or 0 with
// zeros.
func check(t *testing.T, name string, g *Grid, first int, want map[string]float64, key func(row, col string) string, zeros bool) {
	t.Helper()
	if g == nil {
		if len(want) > 0 {
			t.Errorf("%s: no table, want %v", name, want)
		}
		return
	}
	left := map[string]float64{}
	for k, v := range want {
		left[k] = v
	}
	for _, row := range g.Rows {
		for j := first; j < len(row); j++ {
			col := g.Columns[j].Label
			if head := g.Columns[j].Head; head != nil {
				col = label(head.Category)
			}
			k := key(label(row[0]), col)
			v, ok := want[k]
			got := number(row[j])
			if ok && got != v || !ok && !math.IsNaN(got) && !(zeros && got == 0) {
				t.Errorf("%s: %s is %v, want %v (%v)", name, k, got, v, ok)
			}
			delete(left, k)
		}
	}
	if len(left) > 0 {
		t.Errorf("%s: not in the table: %v", name, left)
	}
}

// TestRandomSums: numbers, bars, lines, heat maps, pivots and small numbers show the sums of their rows, whatever the types of their times,
// the zone and the filters.
func TestRandomSums(t *testing.T) {
	t.Parallel()
	for seed := range uint64(randomSums) {
		s := newSummed(seed)
		grain := []cube.Grain{cube.Weekly, cube.Monthly, cube.Quarterly}[s.IntN(3)]
		of := fmt.Sprintf(`"grain": "%s"`, grain)
		gaps := []string{"", `, "gaps": "zero"`}[s.IntN(2)]
		zeros := gaps != ""
		o := s.page(t, `{"type": "kpi", "value": "n"},
			{"type": "bar", "x": "part", "y": "n"},
			{"type": "bar", "x": "day", "y": "n", "partial": "show", `+of+gaps+`},
			{"type": "line", "x": "day", "y": "n", "series": "kind", "partial": "show", `+of+gaps+`},
			{"type": "heatmap", "x": "kind", "y": "part", "value": "n"`+gaps+`},
			{"type": "heatmap", "x": "day", "y": "kind", "value": "n", "partial": "show", `+of+gaps+`},
			{"type": "pivot", "rows": ["part"], "columns": ["day"], "values": ["n"], "partial": "show", `+of+`},
			{"type": "kpi", "value": "n", "facet": "kind"},
			{"type": "pivot", "rows": ["part"], "columns": ["kind"], "values": ["n"], "totals": "rows"},
			{"type": "text", "markdown": "{{d.n}}"}`)
		name := func(i int) string { return fmt.Sprintf("seed %d, panel %d (%s)", seed, i, o.Spec.Panels[i].Type) }
		for i := range o.Spec.Panels {
			if p := o.Panel(i); p.Problem != "" {
				t.Fatalf("%s: %s", name(i), p.Problem)
			}
		}
		whole := s.sums(func([]any) []string { return []string{""} })
		if p := o.Panel(0); p.Content != nil {
			check(t, name(0), p.Grid, 0, whole, func(string, string) string { return "" }, false)
		}
		row := func(r, _ string) string { return r }
		check(t, name(1), o.Panel(1).Grid, 1, s.sums(func(r []any) []string { return []string{partOf(r)} }), row, false)
		dated := func(r []any, rest string) []string {
			if p := s.period(r, grain); p != "" {
				return []string{p + rest}
			}
			return nil
		}
		check(t, name(2), o.Panel(2).Grid, 1, s.sums(func(r []any) []string { return dated(r, "") }), row, zeros)
		both := func(r, c string) string { return r + " " + c }
		check(t, name(3), o.Panel(3).Grid, 1, s.sums(func(r []any) []string { return dated(r, " "+label(r[3])) }), both, zeros)
		check(t, name(4), o.Panel(4).Grid, 1, s.sums(func(r []any) []string { return []string{partOf(r) + " " + label(r[3])} }), both, zeros)
		turned := func(r, c string) string { return c + " " + r }
		check(t, name(5), o.Panel(5).Grid, 1, s.sums(func(r []any) []string {
			if out := dated(r, " "+label(r[3])); out != nil {
				return out
			}
			return []string{"~null " + label(r[3])}
		}), turned, zeros)
		if p, ok := o.Panel(6).Content.(*pivotPanel); ok {
			grain := p.dims[1].grain // periods that do not fit are longer ones
			want := s.sums(func(r []any) []string {
				out := []string{partOf(r) + "|", "|"}
				if period := s.period(r, grain); period != "" {
					out = append(out, partOf(r)+"|"+period, "|"+period)
				}
				return out
			})
			for _, line := range p.all() {
				for _, key := range p.columns() {
					k := "|"
					if len(line.key) > 0 {
						k = label(p.groups.Axes[0][line.key[0]]) + "|"
					}
					if len(key) > 0 {
						if at := p.groups.Axes[1][key[0]]; at.Value != nil {
							k += label(at)
						} else {
							continue
						}
					}
					v, ok := want[k]
					if got := number(p.value(line.key, key, 0)); ok != !math.IsNaN(got) || ok && got != v {
						t.Errorf("%s: %s is %v, want %v", name(6), k, got, v)
					}
				}
			}
		}
		if p := o.Panel(7); p.Grid != nil {
			want := s.sums(func(r []any) []string { return []string{label(r[3])} })
			for _, r := range p.Grid.Rows {
				kind, n := label(r[0]), number(r[1])
				if r, ok := r[0].(int64); ok {
					kind, n = label(p.Grid.Rows[0][1]), float64(r)
				}
				if v, ok := want[kind]; ok != !math.IsNaN(n) || ok && v != n {
					t.Errorf("%s: %s is %v, want %v", name(7), kind, n, v)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

const randomSums = 300

// TestRandomWholes: the numbers behind figures that merge small values, or that have small plots, add up to the whole of their rows.
func TestRandomWholes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(randomSums) {
		s := newSummed(seed + 10_000)
		grain := []cube.Grain{cube.Weekly, cube.Monthly, cube.Quarterly}[s.IntN(3)]
		most := 1 + s.IntN(6)
		of := fmt.Sprintf(`"grain": "%s", "partial": "show"`, grain)
		few := fmt.Sprintf(`"limit": %d, "other": true`, most)
		want := map[string]float64{}
		dated := map[string]float64{}
		rows := 0.0
		for _, row := range s.kept {
			n, ok := row[4].(int64)
			if rows++; ok {
				want["n"] += float64(n)
			}
			want["m"] += float64(row[5].(int64))
			if _, has := s.date(row); has {
				dated["m"] += float64(row[5].(int64))
				if ok {
					dated["n"] += float64(n)
				}
			}
		}
		panels := []struct {
			keys    string
			measure string
			whole   map[string]float64
		}{
			{`"type": "bar", "x": "part", "y": "n", ` + few, "n", want},
			{`"type": "bar", "x": "part", "y": "m", "horizontal": true, "sort": "m", ` + few, "m", want},
			{`"type": "bar", "x": "part", "y": "n", "series": "kind", "stack": true, ` + few, "n", want},
			{`"type": "bar", "x": "day", "y": "n", "series": "part", "stack": true, ` + few + `, ` + of, "n", dated},
			{`"type": "line", "x": "day", "y": "m", "series": "part", ` + few + `, ` + of, "m", dated},
			{`"type": "area", "x": "day", "y": "m", "facet": "kind", "series": "part", "stack": true, ` + few + `, ` + of, "m", dated},
			{`"type": "bar", "x": "part", "y": "n", "facet": "kind", ` + few, "n", want},
			{`"type": "heatmap", "x": "kind", "y": "part", "value": "n", ` + few, "n", want},
			{`"type": "heatmap", "x": "day", "y": "part", "value": "m", ` + few + `, ` + of, "m", want},
			{`"type": "pie", "label": "part", "value": "m", ` + fmt.Sprintf(`"limit": %d`, most), "m", want},
			{`"type": "pie", "label": "part", "value": "m", "facet": "kind"`, "m", want},
			{`"type": "treemap", "label": ["kind", "part"], "value": "m", ` + fmt.Sprintf(`"limit": %d`, most+3), "m", want},
			{`"type": "sankey", "steps": ["part", "kind"], "value": "m", "limit": 3`, "m", want},
			{`"type": "waterfall", "label": "part", "value": "n", "total": false, ` + fmt.Sprintf(`"limit": %d`, most), "n", want},
			{`"type": "waterfall", "label": "day", "value": "n", "total": false, "facet": "kind", "grain": "month"`, "n", want},
			{`"type": "histogram", "value": "m"`, "Count", map[string]float64{"Count": rows}},
			{`"type": "histogram", "value": "m", "series": "kind", "facet": "part"`, "Count", map[string]float64{"Count": rows}},
			{`"type": "calendar", "x": "closed", "value": "n", "partial": "show"`, "n", want},
			{`"type": "combo", "x": "day", "bars": "n", "lines": "m", ` + of, "n", dated},
			{`"type": "table", "columns": ["part", "n"], "limit": 3`, "n", want},
			{`"type": "funnel", "label": "kind", "value": "m"`, "m", want},
		}
		var keys []string
		for _, p := range panels {
			keys = append(keys, "{"+p.keys+"}")
		}
		v := s.page(t, strings.Join(keys, ", "))
		for i, panel := range panels {
			p := v.Panel(i)
			if p.Problem != "" && !strings.Contains(p.Problem, "negative") {
				t.Errorf("seed %d, %s: %s", seed, panel.keys, p.Problem)
			}
			if p.Content == nil {
				if panel.whole[panel.measure] != 0 && p.Problem == "" {
					t.Errorf("seed %d, %s: %s, of %v", seed, panel.keys, p.Empty, panel.whole[panel.measure])
				}
				continue
			}
			sum := 0.0
			for row := range p.Grid.Each() {
				for j, c := range p.Grid.Columns {
					of := c.Name == panel.measure || panel.measure == "Count" && c.Label == "Count"
					if n := number(row[j]); of && !math.IsNaN(n) {
						sum += n
					}
				}
			}
			if sum != panel.whole[panel.measure] {
				t.Errorf("seed %d, %s: the table adds up to %v, want %v; notes %q", seed, panel.keys, sum, panel.whole[panel.measure], p.Notes)
			}
		}
		if t.Failed() {
			return
		}
	}
}
