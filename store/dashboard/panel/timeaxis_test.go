package panel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// timesFrom returns n times from the first, each computed from the one before.
func timesFrom(first string, n int, next func(time.Time) time.Time) []cube.Category {
	at, err := time.Parse(time.DateTime, first)
	if err != nil {
		panic(err)
	}
	var out []cube.Category
	for range n {
		out, at = append(out, cube.Category{Value: at}), next(at)
	}
	return out
}

// after is a step of so many seconds, days or months.
func after(seconds, days, months int) func(time.Time) time.Time {
	return func(t time.Time) time.Time {
		return t.AddDate(0, months, days).Add(time.Duration(seconds) * time.Second)
	}
}

// Axes of two minutes to 300 years name round times by the length of the axis, whatever the grain, with the day and the year once, and the
// first and the last time where there is room: along lines and under bars.
func TestNamesOfTimes(t *testing.T) {
	t.Parallel()
	p := open(commerce(10))
	for _, tc := range []struct {
		name       string
		times      []cube.Category
		grain      cube.Grain
		line, bars string // the names on 416 pixels
		onPhone    string // along a line of 190 pixels
	}{
		{
			"two minutes", timesFrom("2026-11-18 07:13:00", 121, after(1, 0, 0)), cube.Exact,
			"Nov 18 07:13:00 · 07:13:30 · 07:14:00 · 07:14:30 · 07:15:00",
			"Nov 18 07:13:00 · 07:13:30 · 07:14:00 · 07:14:30 · 07:15:00",
			"Nov 18 07:13 · 07:14 · 07:15",
		},
		{
			"a day of minutes", timesFrom("2026-11-18 07:13:00", 1440, after(60, 0, 0)), cube.Minutely,
			"Nov 18 12:00 · 18:00 · Nov 19 · 06:00",
			"Nov 18 12:00 · 18:00 · Nov 19 · 06:00",
			"Nov 18 12:00 · Nov 19 · 07:12",
		},
		{
			"five days of hours", timesFrom("2026-11-18 07:00:00", 120, after(3600, 0, 0)), cube.Hourly,
			"Nov 19 · Nov 20 · Nov 21 · Nov 22 · Nov 23",
			"Nov 19 · Nov 20 · Nov 21 · Nov 22 · Nov 23",
			"Nov 20 · Nov 22",
		},
		{
			"ten days", timesFrom("2026-11-08 00:00:00", 10, after(0, 1, 0)), cube.Daily,
			"Nov 8 · Nov 10 · Nov 12 · Nov 14 · Nov 16",
			"Nov 8 · Nov 10 · Nov 12 · Nov 14 · Nov 16",
			"Nov 9 · Nov 16",
		},
		{
			"weeks", timesFrom("2025-11-24 00:00:00", 50, after(0, 7, 0)), cube.Weekly,
			"Jan ’26 · Mar · May · Jul · Sep · Nov",
			"Jan 5 ’26 · Mar 2 · May 4 · Jul 6 · Sep 7 · Nov 2",
			"Jan ’26 · Apr · Jul · Oct",
		},
		{
			"a year of months", timesFrom("2025-11-01 00:00:00", 12, after(0, 0, 1)), cube.Monthly,
			"Nov ’25 · Jan ’26 · Mar · May · Jul · Sep · Oct",
			"Nov ’25 · Jan ’26 · Mar · May · Jul · Sep · Oct",
			"Jan ’26 · Apr · Jul · Oct",
		},
		{
			"three years of quarters", timesFrom("2023-07-01 00:00:00", 12, after(0, 0, 3)), cube.Quarterly,
			"Q3 2023 · Q1 2024 · Q3 · Q1 2025 · Q3 · Q1 2026",
			"Q3 2023 · Q1 2024 · Q3 · Q1 2025 · Q3 · Q1 2026",
			"2024 · 2025 · 2026",
		},
		{
			"fifteen years of quarters", timesFrom("1960-04-01 00:00:00", 60, after(0, 0, 3)), cube.Quarterly,
			"1962 · 1964 · 1966 · 1968 · 1970 · 1972 · 1974",
			"1962 · 1964 · 1966 · 1968 · 1970 · 1972 · 1974",
			"1965 · 1970 · 1975",
		},
		{
			"300 years", timesFrom("1700-01-01 00:00:00", 309, after(0, 0, 12)), cube.Yearly,
			"1700 · 1750 · 1800 · 1850 · 1900 · 1950 · 2000",
			"1700 · 1750 · 1800 · 1850 · 1900 · 1950 · 2000",
			"1700 · 1800 · 1900 · 2000",
		},
	} {
		first, last := tc.times[0].Value.(time.Time), tc.times[len(tc.times)-1].Value.(time.Time)
		bars := p.timeAxis(tc.times, tc.grain, cube.Span{Clock: true}, chart.Bands(len(tc.times)))
		for which, of := range map[string]struct {
			want  string
			got   []chart.Label
			width float64
		}{
			"line":            {tc.line, p.timeLabels(first, last, tc.grain, 416), 416},
			"bars":            {tc.bars, bars.labels(416), 416},
			"line on a phone": {tc.onPhone, p.timeLabels(first, last, tc.grain, 190), 190},
		} {
			var texts []string
			for i, l := range of.got {
				texts = append(texts, l.Text)
				if i > 0 && (l.At-of.got[i-1].At)*of.width < (canvas.LabelWidth(l.Text)+canvas.LabelWidth(of.got[i-1].Text))/2 {
					t.Errorf("%s, %s: %q touches %q", tc.name, which, l.Text, of.got[i-1].Text)
				}
			}
			if got := strings.Join(texts, " · "); got != of.want {
				t.Errorf("%s, %s: %q, want %q", tc.name, which, got, of.want)
			}
		}
	}
	down := timesFrom("2026-01-01 00:00:00", 3, after(0, -1, 0))
	if p.timeAxis(down, cube.Daily, cube.Span{}, chart.Bands(3)) != nil {
		t.Error("times that descend have an axis of times")
	}
}

// An axis of numbers has the name of its column, and axes of times and of categories have none: their values name themselves.
func TestNumericAxesAreNamed(t *testing.T) {
	t.Parallel()
	for x, want := range map[string]string{"depth": "Depth (m)", "day": "", "name": ""} {
		for _, p := range []dashboard.Panel{
			{Type: dashboard.Line, Y: []string{"n"}},
			{Type: dashboard.Area, Y: []string{"n"}},
			{Type: dashboard.Bar, Y: []string{"n"}},
			{Type: dashboard.Heatmap, Y: []string{"name"}, Value: "n"},
		} {
			if p.X = x; x == "name" && p.Type == dashboard.Heatmap {
				p.Y = []string{"day"}
			}
			v := tiny([]dashboard.Panel{p}, []string{"depth integer", "day date", "name text", "n number sum"},
				[]any{int64(5), day("2026-01-01"), "a", 1.0}, []any{int64(12), day("2026-01-02"), "b", 2.0})
			v.Spec.Datasets[0].Columns[0] = dashboard.Meta{Name: "depth", Label: "Depth (m)", Role: dashboard.Dimension}
			_, c := recorded(t, v, 0)
			if slices.Contains(c.Names, want) != (want != "") || want == "" && len(c.Names) > 0 {
				t.Errorf("%s along %s: axes named %q, want %q", p.Type, x, c.Names, want)
			}
		}
	}
}

// An axis that is too narrow for its round times and for its whole first and last time names these without their day, month or hour: one
// name does not show how long the axis is.
func TestNarrowAxesNameTwoTimes(t *testing.T) {
	t.Parallel()
	p := open(commerce(10))
	for _, tc := range []struct {
		name  string
		times []cube.Category
		grain cube.Grain
		width float64
		want  string
	}{
		{"ten years of quarters", timesFrom("2025-01-06 00:00:00", 40, after(0, 91, 0)), cube.Daily, 80, "Jan ’25 · Sep ’34"},
		{"ten years of quarters", timesFrom("2025-01-06 00:00:00", 40, after(0, 91, 0)), cube.Daily, 60, "2025 · 2034"},
		{"months over a year", timesFrom("2025-11-01 00:00:00", 5, after(0, 0, 1)), cube.Monthly, 60, "2025 · 2026"},
		{"thirty hours", timesFrom("2026-03-02 05:00:00", 30, after(3600, 0, 0)), cube.Hourly, 80, "Mar 2 · Mar 3"},
	} {
		bars := p.timeAxis(tc.times, tc.grain, cube.Span{Clock: true}, chart.Bands(len(tc.times)))
		first, last := tc.times[0].Value.(time.Time), tc.times[len(tc.times)-1].Value.(time.Time)
		line := p.timeLabels(first, last, tc.grain, tc.width)
		for which, labels := range map[string][]chart.Label{"bars": bars.labels(tc.width), "line": line} {
			var texts []string
			for _, l := range labels {
				texts = append(texts, l.Text)
			}
			if got := strings.Join(texts, " · "); got != tc.want {
				t.Errorf("%s, %s: %q, want %q", tc.name, which, got, tc.want)
			}
		}
	}
}
