package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/chart"
	"service/store/dashboard/format"
)

// TestNamesBesidePoints: in a scatter chart of few points each has its name next to it; of many points, as many have names as fit without
// overlaps.
func TestNamesBesidePoints(t *testing.T) {
	t.Parallel()
	view := func(n int) View {
		var rows [][]any
		for i := range n {
			rows = append(rows, []any{fmt.Sprintf("Land %d", i), float64(i*37%100 + 1), float64(60 + i*61%40), float64(i + 1)})
		}
		return tiny([]dashboard.Panel{{Type: dashboard.Scatter, X: "gdp", Y: []string{"years"}, Size: "people", Label: "country"}},
			[]string{"country text", "gdp number sum", "years number sum", "people number sum"}, rows...)
	}
	names := func(v View) int {
		s := string(render(t, v))
		from := strings.LastIndex(s, `<g class="t st x3`)
		if from < 0 {
			return 0
		}
		part, _, _ := strings.Cut(s[from:], "</g>")
		return strings.Count(part, ">Land ")
	}
	if n := names(view(6)); n != 6 {
		t.Errorf("%d of 6 points are named", n)
	}
	if s := string(render(t, view(200))); !strings.Contains(s, ">Land 199</text>") {
		t.Error("the largest of 200 points is not named")
	}
	if n := names(view(200)); n < 8 || n > chart.NamedSpots {
		t.Errorf("%d of 200 points are named", n)
	}
}

// TestBothSignsHaveTheirColors: the colours of a heat map with negative values show the sign of each value.
func TestBothSignsHaveTheirColors(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "a", Y: []string{"b"}, Value: "n"}},
		[]string{"a text", "b text", "n number sum"},
		[]any{"x", "u", -84.0}, []any{"y", "u", 135.5}, []any{"x", "v", -1.25}, []any{"y", "v", 0.0})
	s := string(render(t, v))
	var got []string
	for _, m := range regexp.MustCompile(`<rect class="(h\d+)"`).FindAllStringSubmatch(s, -1) {
		got = append(got, m[1])
	}
	if want := []string{"h4", "h27", "h1", "h22"}; !slices.Equal(got, want) {
		t.Errorf("cells are %q, want %q", got, want)
	}
	ramp, _, _ := strings.Cut(s[strings.Index(s, `<div class="ramp"`):], "</div>")
	if !strings.Contains(ramp, `<i class="h1"></i><span>0</span><i class="h22"></i>`) {
		t.Errorf("the legend is %s", ramp)
	}
	if !strings.Contains(s, ">"+"−1<") {
		t.Error("the numbers in the cells differ in their decimals")
	}
}

// TestValuesBesideGroups: the horizontal bars of a group have their values next to them.
func TestValuesBesideGroups(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "city", Y: []string{"n", "m"}, Horizontal: true}},
		[]string{"city text", "n integer sum", "m integer sum"}, []any{"Rome", int64(12), int64(7)}, []any{"Oslo", int64(5), nil})
	s := string(render(t, v))
	for _, want := range []string{"<b>12 · 7</b>", "<b>5 · –</b>"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestReferenceSaysItsValueOnce: a name that contains the value does not get it again.
func TestReferenceSaysItsValueOnce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, format string
		value        float64
		want         string
	}{
		{"2.1 keeps a population constant", "number1", 2.1, "2.1 keeps a population constant"},
		{"99.9 %", "percent1", 0.999, "99.9 %"},
		{"Goal: 15", "", 15, "Goal: 15"},
		{"Goal 2015", "", 15, "Goal 2015 15"},
		{"Goal 1.5", "", 5, "Goal 1.5 5"},
		{"Goal", "percent1", 0.5, "Goal 50.0%"},
		{"Limit 1 h", "duration", 3600, "Limit 1 h"},
		{"Limit 1000 ppm", "", 1000, "Limit 1000 ppm"},
		{"Limit 1.000 a day", "", 1000, "Limit 1.000 a day"},
		{"Limit 12 500", "integer", 12500, "Limit 12 500"},
		{"From 2,5 on", "", 2.5, "From 2,5 on"},
		{"15,000 in all", "", 15, "15,000 in all 15"},
	} {
		v := tiny([]dashboard.Panel{{
			Type: dashboard.Line, X: "day", Y: []string{"n"}, Reference: []dashboard.Reference{{Value: tc.value, Label: tc.name}},
		}}, []string{"day date", "n number sum"}, []any{day("2026-03-01"), 1.0}, []any{day("2026-03-02"), 2.0})
		v.Spec.Datasets[0].Columns[1].Format = tc.format
		s := strings.ReplaceAll(string(render(t, v)), format.NBSP, " ")
		if !strings.Contains(s, ">"+tc.want+"</text>") {
			t.Errorf("%s: not named %s", tc.name, tc.want)
		}
	}
}
