package panel

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

func numberAt(v float64) *float64 { return &v }

// TestRampDomains: a ramp has the colours of its name, and the ends that the spec sets: values beyond have the colour of the end, and the
// legend reports it.
func TestRampDomains(t *testing.T) {
	t.Parallel()
	up := []float64{10, 20, 30, 40, 50, 60, 70}
	both := []float64{-40, -10, 0, 10, 20}
	for name, tc := range map[string]struct {
		ramp   *dashboard.Ramp
		good   string
		own    canvas.Hue
		values []float64
		at     map[float64]canvas.Color // colours of values
		key    string                   // texts of the legend
		colors int
	}{
		"default": {
			nil, "", canvas.BlueHue, up,
			map[float64]canvas.Color{10: canvas.BlueHue.Step(0), 70: canvas.BlueHue.Step(6)},
			"10       70", 7,
		},
		"of the measure": {
			nil, "", canvas.GreenHue, up,
			map[float64]canvas.Color{10: canvas.GreenHue.Step(0), 70: canvas.GreenHue.Step(6)},
			"10       70", 7,
		},
		"named": {&dashboard.Ramp{Name: "violet"}, "up", canvas.GreenHue, up, map[float64]canvas.Color{
			10: canvas.VioletHue.Step(0),
			70: canvas.VioletHue.Step(6),
		}, "10       70", 7},
		"reversed": {&dashboard.Ramp{Reverse: true}, "", canvas.BlueHue, up, map[float64]canvas.Color{
			10: canvas.BlueHue.Step(6),
			70: canvas.BlueHue.Step(0),
		}, "10       70", 7},
		"bounds": {
			&dashboard.Ramp{Min: numberAt(0), Max: numberAt(70)}, "", canvas.BlueHue, up,
			map[float64]canvas.Color{10: canvas.BlueHue.Step(1), 70: canvas.BlueHue.Step(6)},
			"0       70", 7,
		},
		"beyond": {
			&dashboard.Ramp{Min: numberAt(20), Max: numberAt(50)}, "", canvas.BlueHue, up,
			map[float64]canvas.Color{10: canvas.BlueHue.Step(0), 20: canvas.BlueHue.Step(0), 50: canvas.BlueHue.Step(6), 70: canvas.BlueHue.Step(6)},
			"≤ 20       ≥ 50", 7,
		},
		"all beyond": {&dashboard.Ramp{Min: numberAt(100)}, "", canvas.BlueHue, up, map[float64]canvas.Color{
			10: canvas.BlueHue.Step(0),
			70: canvas.BlueHue.Step(0),
		}, "≤ 100 ", 1},
		"all above": {&dashboard.Ramp{Max: numberAt(5)}, "", canvas.BlueHue, up, map[float64]canvas.Color{
			10: canvas.BlueHue.Step(6),
			70: canvas.BlueHue.Step(6),
		}, "≥ 5 ", 1},
		"both ways by itself": {
			nil, "", canvas.BlueHue, both, map[float64]canvas.Color{
				-40: canvas.BlueHue.Step(6), -10: canvas.BlueHue.Step(3),
				0: canvas.RedHue.Step(1), 20: canvas.RedHue.Step(4),
			}, "−40    0    40", 8,
		},
		"up is blue": {nil, "up", canvas.BlueHue, both, map[float64]canvas.Color{
			-40: canvas.RedHue.Step(6),
			20:  canvas.BlueHue.Step(4),
		}, "−40    0    40", 8},
		"down is as unsaid": {nil, "down", canvas.BlueHue, both, map[float64]canvas.Color{-40: canvas.BlueHue.Step(6)}, "−40    0    40", 8},
		"of a green measure": {
			nil, "", canvas.GreenHue, both,
			map[float64]canvas.Color{-40: canvas.TealHue.Step(6), 20: canvas.RedHue.Step(4)},
			"−40    0    40", 8,
		},
		"of an orange one": {nil, "", canvas.OrangeHue, both, map[float64]canvas.Color{
			-40: canvas.VioletHue.Step(6),
			20:  canvas.OrangeHue.Step(4),
		}, "−40    0    40", 8},
		"one colour is asked": {&dashboard.Ramp{Name: "red"}, "", canvas.BlueHue, both, map[float64]canvas.Color{
			-40: canvas.RedHue.Step(0),
			20:  canvas.RedHue.Step(6),
		}, "−40       20", 7},
		"around a middle": {
			&dashboard.Ramp{Middle: numberAt(30)}, "", canvas.GreenHue, up,
			map[float64]canvas.Color{10: canvas.BlueHue.Step(4), 29.9: canvas.BlueHue.Step(1), 30: canvas.RedHue.Step(1), 70: canvas.RedHue.Step(6)},
			"−10    30    70", 8,
		},
		"unequal sides": {
			&dashboard.Ramp{Name: "green_red", Middle: numberAt(60), Min: numberAt(0), Max: numberAt(70)}, "up", canvas.BlueHue, up,
			map[float64]canvas.Color{10: canvas.RedHue.Step(6), 50: canvas.RedHue.Step(2), 65: canvas.TealHue.Step(4), 70: canvas.TealHue.Step(6)},
			"0    60    70", 8,
		},
		"one end": {
			&dashboard.Ramp{Name: "blue_red", Max: numberAt(10)}, "", canvas.BlueHue, both,
			map[float64]canvas.Color{-40: canvas.BlueHue.Step(6), 20: canvas.RedHue.Step(6)},
			"≤ −10    0    ≥ 10", 8,
		},
		"turned": {
			&dashboard.Ramp{Name: "blue_red", Reverse: true}, "", canvas.BlueHue, both,
			map[float64]canvas.Color{-40: canvas.RedHue.Step(6), 20: canvas.BlueHue.Step(4)},
			"−40    0    40", 8,
		},
		"log": {
			&dashboard.Ramp{Scale: "log"}, "", canvas.BlueHue,
			[]float64{0, -5, 1, 10, 100, 1e7},
			map[float64]canvas.Color{
				0: canvas.NoLogColor, -5: canvas.NoLogColor, 1: canvas.BlueHue.Step(0), 9: canvas.BlueHue.Step(0),
				11: canvas.BlueHue.Step(1), 1e7: canvas.BlueHue.Step(6),
			},
			"1 10 100 1K 10K 100K 1M 10M", 7,
		},
		"log of equal values": {
			&dashboard.Ramp{Scale: "log"}, "", canvas.BlueHue,
			[]float64{5, 5},
			map[float64]canvas.Color{5: canvas.BlueHue.Step(3)},
			"5 ", 1,
		},
		"log of none": {
			&dashboard.Ramp{Scale: "log"}, "", canvas.BlueHue,
			[]float64{-5, 0},
			map[float64]canvas.Color{-5: canvas.NoLogColor},
			"0 ", 1,
		},
		"log both ways": {
			&dashboard.Ramp{Scale: "log"}, "", canvas.BlueHue,
			[]float64{-50, 1, 100},
			map[float64]canvas.Color{-50: canvas.NoLogColor, 100: canvas.BlueHue.Step(6)},
			"1 1.9 3.7 7.2 14 27 52 100", 7,
		},
		"quantile": {
			&dashboard.Ramp{Scale: "quantile"}, "", canvas.BlueHue,
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1000},
			map[float64]canvas.Color{
				1: canvas.BlueHue.Step(2), 2: canvas.BlueHue.Step(2), 3: canvas.BlueHue.Step(3), 9: canvas.BlueHue.Step(6),
				1000: canvas.BlueHue.Step(6),
			},
			"1 3 5 7 9 1K", 5,
		},
		"quantile of few": {
			&dashboard.Ramp{Scale: "quantile"}, "", canvas.BlueHue,
			[]float64{1, 2},
			map[float64]canvas.Color{1: canvas.BlueHue.Step(5), 2: canvas.BlueHue.Step(6)},
			"1 2 2", 2,
		},
		"quantile of zeros": {
			&dashboard.Ramp{Scale: "quantile", Reverse: true}, "", canvas.BlueHue,
			[]float64{0, 0, 0, 0, 0, 0, 0, 3, 4, 9},
			map[float64]canvas.Color{0: canvas.BlueHue.Step(6), 9: canvas.BlueHue.Step(4)},
			"0 3 4 9", 3,
		},
		"equal quantiles": {
			&dashboard.Ramp{Scale: "quantile"}, "", canvas.BlueHue,
			[]float64{7, 7, 7},
			map[float64]canvas.Color{7: canvas.BlueHue.Step(3)},
			"7 ", 1,
		},
	} {
		col := dashboard.Column{Good: tc.good}
		d := domainOf(&col, tc.ramp, tc.own, tc.values)
		for v, want := range tc.at {
			if got := d.color(v); got != want {
				t.Errorf("%s: %v has %v, want %v", name, v, got, want)
			}
		}
		p := open(colored("v number sum", []any{"France", day("2026-03-01"), 1.0}))
		key := p.key(&d, &col)
		if got := strings.Join(key.Texts, " "); got != tc.key || len(key.Colors) != tc.colors {
			t.Errorf("%s: the legend is %q of %d colours, want %q of %d", name, got, len(key.Colors), tc.key, tc.colors)
		}
		last := canvas.Color(0)
		for i, c := range key.Colors {
			if i > 0 && c == last {
				t.Errorf("%s: two steps have one colour", name)
			}
			last = c
		}
	}
}

// TestQuantileSteps: the steps of quantiles have equal numbers of values, and never split equal values.
func TestQuantileSteps(t *testing.T) {
	t.Parallel()
	for seed := range 200 {
		var values []float64
		for i := range 5 * (1 + seed%20) {
			values = append(values, math.Exp(math.Sin(float64(seed*31+i*i))*float64(seed%9)))
		}
		d := domainOf(&dashboard.Column{}, &dashboard.Ramp{Scale: "quantile"}, canvas.BlueHue, values)
		count := map[canvas.Color]int{}
		for _, v := range values {
			count[d.color(v)]++
		}
		slices.Sort(values)
		if equal := len(slices.Compact(values)) < len(values); equal {
			continue
		}
		for c, n := range count {
			if n != len(values)/5 {
				t.Fatalf("seed %d: %d of %d values have %v: bounds %v", seed, n, len(values), c, d.bounds)
			}
		}
	}
}

// TestRampsUnderFilters: min and max apply with a reader's filter, also for sums; without them the domain of a ratio is that of all rows.
func TestRampsUnderFilters(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, place := range colorPlaces {
		for d := range 6 {
			rows = append(rows, []any{place, day("2026-03-01").AddDate(0, 0, d), float64(i*10 + d)})
		}
	}
	for _, agg := range []string{"sum", "avg"} {
		v := colored("v number "+agg, rows...)
		for i := range v.Spec.Panels {
			p := &v.Spec.Panels[i]
			if p.Heat == dashboard.HeatRow || p.Heat == dashboard.HeatColumn || p.Type == dashboard.Calendar {
				continue
			}
			ramp := &dashboard.Ramp{Name: "green", Min: numberAt(0), Max: numberAt(200)}
			p.Ramp = ramp
			for j := range p.Columns {
				if p.Columns[j].Heat {
					p.Columns[j].Ramp = ramp
				}
			}
			v.Query = nil
			all := shadesOf(v, i)
			v.Query = url.Values{"f.place": {"Brazil"}}
			one := shadesOf(v, i)
			if fmt.Sprint(all.key) != fmt.Sprint(one.key) || len(one.cells) == 0 || one.cells[0] < canvas.GreenHue.Step(0) ||
				one.cells[0] > canvas.GreenHue.Step(6) {
				t.Errorf("%s of %s: legends %v and %v, cells %v", agg, p.Type, all.key, one.key, one.cells)
			}
		}
	}
}

// TestRampsAreSaid: notes explain to readers what a legend does not show, and warnings report mistakes to the author.
func TestRampsAreSaid(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 20 {
		rows = append(rows, []any{colorPlaces[i%10], day("2026-03-01").AddDate(0, 0, i/10), float64(i - 2)})
	}
	for name, tc := range map[string]struct {
		ramp        dashboard.Ramp
		note, codes string
	}{
		"name":     {dashboard.Ramp{Name: "green"}, "", ""},
		"quantile": {dashboard.Ramp{Scale: "quantile"}, "Each color has about as many values.", ""},
		"log": {
			dashboard.Ramp{Scale: "log"},
			"The colors have a logarithmic scale. 3 values are zero or less, and gray.",
			"left_out panels[0].ramp",
		},
		"beyond":    {dashboard.Ramp{Min: numberAt(12)}, "", "clipped panels[0].ramp"},
		"one-sided": {dashboard.Ramp{Name: "blue_red"}, "", ""},
	} {
		for _, panel := range []dashboard.Panel{
			{Type: dashboard.Heatmap, X: "day", Y: []string{"place"}, Value: "v"},
			{Type: dashboard.Pivot, Rows: []string{"place"}, Columns: []dashboard.TableColumn{{Column: "day"}}, Values: []string{"v"}, Heat: "all"},
		} {
			panel.Ramp = &tc.ramp
			v := tiny([]dashboard.Panel{panel}, []string{"place text", "day date", "v number sum"}, rows...)
			if notes := strings.Join(open(v).Panel(0).Notes, " "); !strings.Contains(notes, tc.note) || tc.note == "" && notes != "" {
				t.Errorf("%s of %s: notes %q", name, panel.Type, notes)
			}
			if got := codes(v); got != tc.codes {
				t.Errorf("%s of %s: warnings %q, want %q", name, panel.Type, got, tc.codes)
			}
		}
	}
	v := tiny([]dashboard.Panel{{
		Type: dashboard.Heatmap, X: "day", Y: []string{"place"}, Value: "v",
		Ramp: &dashboard.Ramp{Name: "blue_red"},
	}},
		[]string{"place text", "day date", "v number sum"}, rows[5:]...)
	if got := codes(v); got != "doubtful panels[0].ramp" {
		t.Errorf("values on one side of the middle: %q", got)
	}
}

// TestRampsOfAnotherMeasure: the areas of a treemap have the colours of another measure, and points have those of their value; marks
// without a value are gray.
func TestRampsOfAnotherMeasure(t *testing.T) {
	t.Parallel()
	columns := []string{"place text", "lat number avg", "lon number avg", "n number sum", "v number avg"}
	rows := [][]any{
		{"Paris", 48.8, 2.3, 10.0, 1.0}, {"Rome", 41.9, 12.5, 30.0, 5.0}, {"Oslo", 59.9, 10.7, 20.0, nil}, {"Bern", 46.9, 7.4, 5.0, 9.0},
	}
	for _, panel := range []dashboard.Panel{
		{Type: dashboard.Treemap, Levels: []string{"place"}, Value: "n", Color: "v", Ramp: &dashboard.Ramp{Name: "red"}},
		{Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "place", Size: "n", Value: "v", Ramp: &dashboard.Ramp{Name: "red"}},
		{Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "place", Value: "v", Ramp: &dashboard.Ramp{Name: "red"}},
	} {
		v := tiny([]dashboard.Panel{panel}, columns, rows...)
		v.Spec.Datasets[0].Columns[1].Role, v.Spec.Datasets[0].Columns[2].Role = dashboard.Dimension, dashboard.Dimension
		p := open(v).Panel(0)
		if p.Problem != "" || p.Content == nil {
			t.Fatalf("%s: %s%s", panel.Type, p.Problem, p.Empty)
		}
		r := &canvas.Recorder{}
		p.Content.Draw(r)
		drawn := r.String()
		for _, want := range []string{
			canvas.RedHue.Step(0).String(), canvas.RedHue.Step(3).String(), canvas.RedHue.Step(6).String(), "gray",
			`ramp ["1" "" "" "" "" "" "" "9"]`, "V  9",
		} {
			if !strings.Contains(drawn, want) {
				t.Errorf("%s: no %s in\n%s", panel.Type, want, drawn)
			}
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "Colors show V.") || !strings.Contains(notes, "Gray: no data.") {
			t.Errorf("%s: notes %q", panel.Type, notes)
		}
		if panel.Size == "" && panel.Type == dashboard.Map {
			if want := "4 points, the largest 9 (Bern), the smallest 1 (Paris)."; p.Summary != want {
				t.Errorf("summary %q, want %q", p.Summary, want)
			}
		}
		safe(t, render(t, v))
	}
}

// TestRampsHaveTheirStyles: a page has the styles of the hues that its ramps can have, and no others.
func TestRampsHaveTheirStyles(t *testing.T) {
	t.Parallel()
	row := []any{"France", day("2026-03-01"), 1.0}
	for _, tc := range []struct {
		ramp      *dashboard.Ramp
		own, want string
	}{
		{nil, "", "h0 h21"},
		{&dashboard.Ramp{Name: "green"}, "", "h0 h7"},
		{&dashboard.Ramp{Name: "green_red"}, "", "h0 h21 h44"},
		{&dashboard.Ramp{Name: "gray"}, "", "h0 h35"},
		{&dashboard.Ramp{Middle: numberAt(1)}, "violet", "h0 h21 h28"},
		{&dashboard.Ramp{Scale: "log", Name: "violet"}, "", "h0 h28 h35"},
		{nil, "orange", "h0 h14 h28"},
		{nil, "pink", "h0 h21"},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "day", Y: []string{"place"}, Value: "v", Ramp: tc.ramp}},
			[]string{"place text", "day date", "v number sum"}, row)
		if tc.own != "" {
			v.Spec.Columns = []dashboard.Appearance{{Column: "v", Color: tc.own}}
		}
		doc := string(render(t, v))
		var got []string
		for _, h := range []string{"h0", "h7", "h14", "h21", "h28", "h35", "h44"} {
			if strings.Contains(doc, "."+h+"{fill:") {
				got = append(got, h)
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%+v of a measure in %q has the styles %s, want %s", tc.ramp, tc.own, s, tc.want)
		}
	}
}
