package panel

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// colored is a page with one panel of each type with colors for numbers, on the same rows: a place, a day and a value.
func colored(value string, rows ...[]any) Input {
	crossed := func(heat string) dashboard.Panel {
		days := []dashboard.TableColumn{{Column: "day"}}
		return dashboard.Panel{Type: dashboard.Pivot, Rows: []string{"place"}, Columns: days, Values: []string{"v"}, Heat: heat}
	}
	panels := []dashboard.Panel{
		{Type: dashboard.Heatmap, X: "day", Y: []string{"place"}, Value: "v"},
		{Type: dashboard.Calendar, X: "day", Value: "v"},
		{Type: dashboard.Map, Area: "place", Value: "v", Region: "world"},
		crossed(dashboard.HeatAll), crossed(dashboard.HeatRow), crossed(dashboard.HeatColumn),
		{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "place"}, {Column: "day"}, {Column: "v", Heat: true}}},
	}
	v := tiny(panels, []string{"place text", "day date", value}, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "place"}}
	return v
}

// shades are the colors of the cells of a panel.
type shades struct {
	canvas.Recorder
	cells []canvas.Color
	key   canvas.Ramp
}

func (s *shades) put(c canvas.Color) {
	if c >= canvas.HeatColor {
		s.cells = append(s.cells, c)
	}
}
func (s *shades) Rect(r canvas.Rect)   { s.put(r.Color) }
func (s *shades) Shape(r canvas.Shape) { s.put(r.Color) }
func (s *shades) Ramp(k canvas.Ramp)   { s.key = k }
func (s *shades) Table(t canvas.Table) {
	for i := range t.Rows {
		for j := range t.Heads {
			s.put(t.Cell(i, j).Heat)
		}
	}
}

func (s *shades) CrossTable(t canvas.CrossTable) {
	for i := range t.Lines {
		for _, c := range t.Line(i).Cells {
			s.put(c.Color)
		}
	}
}

func shadesOf(v Input, panel int) *shades {
	s := &shades{}
	p := open(v).Panel(panel)
	p.Content.Draw(s)
	return s
}

var colorPlaces = []string{"France", "Italy", "Spain", "Kenya", "Brazil", "India", "Japan", "Canada", "Chile", "Peru"}

// TestEqualValuesTakeTheMiddle: one value, or many that are equal, are neither pale nor dark.
func TestEqualValuesTakeTheMiddle(t *testing.T) {
	t.Parallel()
	for _, value := range []float64{0, 0.4, 7, -3, 1e9} {
		for _, n := range []int{1, 2, 5} {
			var rows [][]any
			for i := range n {
				rows = append(rows, []any{colorPlaces[i], day("2026-03-01").AddDate(0, 0, i), value})
			}
			v := colored("v number sum", rows...)
			for i := range v.Spec.Panels {
				s := shadesOf(v, i)
				if len(s.cells) == 0 || slices.ContainsFunc(s.cells, func(c canvas.Color) bool { return c != canvas.HeatColor+canvas.HeatSteps/2 }) {
					t.Errorf("%d times %v in %s %q: colors %v", n, value, v.Spec.Panels[i].Type, v.Spec.Panels[i].Heat, s.cells)
				}
				if len(s.key.Colors) > 1 {
					t.Errorf("%s: the key has %v", v.Spec.Panels[i].Type, s.key)
				}
			}
		}
	}
}

// TestFewNegativesKeepOneRamp: a scale diverges from zero only if each side has a tenth of the range; blue for the low side unless high is
// good.
func TestFewNegativesKeepOneRamp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		lo, hi float64
		both   bool
	}{
		{-3, 35, false},
		{-3, 27, true},
		{-3, 27.1, false},
		{-35, 3, false},
		{-27, 3, true},
		{-5, 5, true},
		{0, 5, false},
		{-5, 0, false},
		{-1e-9, 1, false},
		{-0.1, 0.9, true},
		{-1e300, 1e300, true},
	} {
		for _, good := range []string{"", "up", "down"} {
			d := domainOf(&dashboard.Column{Good: good}, nil, canvas.BlueHue, []float64{tc.lo, tc.hi})
			if d.diverging != tc.both {
				t.Errorf("%v to %v diverges: %t", tc.lo, tc.hi, d.diverging)
				continue
			}
			if !tc.both {
				if d.color(tc.lo) != canvas.HeatColor || d.color(tc.hi) != canvas.HeatColor+canvas.HeatSteps-1 {
					t.Errorf("%v to %v has the colors %d and %d", tc.lo, tc.hi, d.color(tc.lo), d.color(tc.hi))
				}
				continue
			}
			if d.lo != -d.hi || d.hi != max(-tc.lo, tc.hi) {
				t.Errorf("%v to %v leads from %v to %v", tc.lo, tc.hi, d.lo, d.hi)
			}
			pale := func(v float64) bool { return d.color(v) < canvas.HeatColor+canvas.HeatSteps }
			if pale(d.lo) != (good != "up") || pale(d.lo) == pale(d.hi) {
				t.Errorf("good is %q: %d at the low end, %d at the high one", good, d.color(d.lo), d.color(d.hi))
			}
		}
	}
	var rows [][]any
	for i := range 100 {
		rows = append(rows, []any{colorPlaces[i%10], day("2026-01-01").AddDate(0, 0, i), float64(i%40) - 3})
	}
	v := colored("v number max", rows...)
	for i := range v.Spec.Panels {
		if heat := v.Spec.Panels[i].Heat; heat == dashboard.HeatRow || heat == dashboard.HeatColumn {
			continue // a row or column has four values, one of them far enough below zero
		}
		s := shadesOf(v, i)
		for _, c := range s.cells {
			if c >= canvas.HeatColor+canvas.HeatSteps {
				t.Errorf("%s %q diverges", v.Spec.Panels[i].Type, v.Spec.Panels[i].Heat)
				break
			}
		}
	}
}

// TestFilteredSharesKeepTheirColors: with a reader's filter a ratio, a mean or an extreme keeps its color, and the color of a sum depends
// on the shown rows.
func TestFilteredSharesKeepTheirColors(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, place := range colorPlaces {
		for d := range 6 {
			rows = append(rows, []any{place, day("2026-03-01").AddDate(0, 0, d), float64(i*10 + d*d)})
		}
	}
	for _, agg := range []string{"avg", "min", "max", "none", "sum"} {
		v := colored("v number "+agg, rows...)
		for i := range v.Spec.Panels {
			kind := v.Spec.Panels[i].Type + " " + v.Spec.Panels[i].Heat
			if agg == "none" && (v.Spec.Panels[i].Type == dashboard.Calendar || v.Spec.Panels[i].Type == dashboard.Map) {
				continue // several rows are in one group
			}
			v.Query = nil
			key := shadesOf(v, i).key
			open := func(places ...string) *shades {
				v.Query = url.Values{"f.place": places}
				return shadesOf(v, i)
			}
			two, one := open("Brazil", "India"), open("Brazil")
			if kind == dashboard.Pivot+" "+dashboard.HeatRow || kind == dashboard.Calendar+" " && agg != "max" {
				continue // a row has all its values, and a day has others
			}
			bounds := func(key canvas.Ramp) string { // some values of a filter may be beyond them
				return strings.NewReplacer("≤ ", "", "≥ ", "").Replace(fmt.Sprint(key))
			}
			same := bounds(two.key) == bounds(key) && bounds(one.key) == bounds(key)
			for _, c := range one.cells {
				same = same && slices.Contains(two.cells, c)
			}
			if want := agg != "sum"; same != want && (want || len(key.Colors) > 0) {
				t.Errorf("%s of %s: one place has %v, two have %v, and keys %v, %v, %v", agg, kind, one.cells, two.cells, one.key, two.key, key)
			}
		}
	}
}

// TestFilteredStocksHaveTheirOwnColors: stocks grow with the rows, like sums, so the largest shown value has the darkest color.
func TestFilteredStocksHaveTheirOwnColors(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, place := range colorPlaces {
		for d := range 6 {
			rows = append(rows, []any{place, day("2026-03-01").AddDate(0, 0, d), float64((i + 1) * 1000)})
		}
	}
	v := colored("v number last", rows...)
	v.Spec.Datasets[0].Columns[len(v.Spec.Datasets[0].Columns)-1].Along = "day"
	v.Query = url.Values{"f.place": {"France", "Italy"}}
	if s := shadesOf(v, 0); !slices.Contains(s.cells, canvas.HeatColor+canvas.HeatSteps-1) || !slices.Contains(s.cells, canvas.HeatColor) {
		t.Errorf("of two places out of ten, the colors are %v", s.cells)
	}
}

// TestDomainsDoNotSpendThePage: a panel that is computed over all rows too, for its colors, leaves the page as many groups as other panels.
func TestDomainsDoNotSpendThePage(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, place := range colorPlaces {
		for d := range 6 {
			rows = append(rows, []any{place, day("2026-03-01").AddDate(0, 0, d), float64(i + d)})
		}
	}
	v := colored("v number avg", rows...)
	for i := range v.Spec.Panels {
		spent := func(v Input) int {
			p := open(v)
			p.Panel(i)
			return p.spent
		}
		all := spent(v)
		filtered := v
		filtered.Query = url.Values{"f.place": {"France", "Italy", "Spain"}}
		if got := spent(filtered); got > all {
			t.Errorf("%s %q: %d groups with a filter, %d without", v.Spec.Panels[i].Type, v.Spec.Panels[i].Heat, got, all)
		}
	}
}

// TestFilteredRatiosKeepTheirColors: a share of 0 % stays as pale as it was, even if a filter leaves only such shares. The days of a
// calendar have the shares of all places together.
func TestFilteredRatiosKeepTheirColors(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, place := range colorPlaces {
		for d := range 4 {
			part := 0.0
			if i > 4 {
				part = float64(i * (d + 1))
			}
			rows = append(rows, []any{place, day("2026-03-01").AddDate(0, 0, d), part, 40.0})
		}
	}
	v := colored("part number sum", rows[0][:3])
	v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: "whole", Role: dashboard.Measure, Agg: dashboard.Sum},
		dashboard.Meta{Name: "v", Role: dashboard.Measure, Ratio: [2]string{"part", "whole"}, Format: "percent"})
	b := cube.NewBuilder([]cube.Column{
		{Name: "place", Type: cube.Text}, {Name: "day", Type: cube.Date}, {Name: "part", Type: cube.Number}, {Name: "whole", Type: cube.Number},
	})
	for _, r := range rows {
		if err := b.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	v.Cubes["d"] = b.Cube()
	for i := range v.Spec.Panels {
		v.Query = url.Values{"f.place": {"France", "Italy"}} // each of 0 %
		s := shadesOf(v, i)
		want := canvas.HeatColor
		if v.Spec.Panels[i].Heat == dashboard.HeatRow { // all values of the row are equal
			want = canvas.HeatColor + canvas.HeatSteps/2
		}
		if len(s.cells) == 0 || slices.ContainsFunc(s.cells, func(c canvas.Color) bool { return c != want }) {
			t.Errorf("%s %q: 0 %% has the colors %v", v.Spec.Panels[i].Type, v.Spec.Panels[i].Heat, s.cells)
		}
		if v.Spec.Panels[i].Type == dashboard.Calendar {
			continue
		}
		if key := strings.Join(s.key.Texts, ""); key != "" && (!strings.HasPrefix(key, "0%") || key == "0%") {
			t.Errorf("%s: the key is %q", v.Spec.Panels[i].Type, s.key.Texts)
		}
	}
}

// TestValuesBeyondTheDomain: a value that passes a filter and is beyond the domain of all rows has the color of an end, and the legend
// reports it. Values that differ from an end only by rounding are not beyond it.
func TestValuesBeyondTheDomain(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Treemap, Levels: []string{"name"}, Value: "n", Color: "r"}},
		[]string{"name text", "group text", "n number sum", "m number sum"},
		[]any{"a", "x", 53.0, 100.0}, []any{"a", "y", 70.0, 100.0}, []any{"b", "x", 60.0, 100.0}, []any{"b", "y", 60.0, 100.0})
	v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns,
		dashboard.Meta{Name: "r", Role: dashboard.Measure, Ratio: [2]string{"n", "m"}, Format: "percent"})
	v.Spec.Filters = []dashboard.Filter{{Column: "group"}}
	for value, want := range map[string][2]string{"": {"60%", "62%"}, "x": {"≤ 60%", "62%"}, "y": {"60%", "≥ 62%"}} {
		v.Query = url.Values{}
		if value != "" {
			v.Query = url.Values{"f.group": {value}}
		}
		m := open(v).Panel(0).Content.(*treemapPanel)
		key := m.Env.key(&m.domain, m.tint).Texts
		if got := [2]string{key[0], key[len(key)-1]}; got != want {
			t.Errorf("%q: the key is %q, want %q", value, got, want)
		}
	}
	d := domain{lo: 0.3, hi: 0.4}
	if d = d.kept([]float64{0.1 + 0.2, 0.29}); d.under != 1 || d.over != 0 {
		t.Errorf("%d values are below, and %d above", d.under, d.over)
	}
	third := 0.1 + 0.2 // above 0.3
	if d = (domain{lo: third, hi: 0.4}).kept([]float64{0.3}); d.under != 0 {
		t.Errorf("a value that differs by rounding alone is below")
	}
}
