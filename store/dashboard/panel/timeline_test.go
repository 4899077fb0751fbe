package panel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// timelines is a page of one timeline of a dataset with the columns k, s, a, z and n. Today is 2026-11-20, 09:30.
func timelines(of string, rows ...[]any) Input {
	return tiny([]dashboard.Panel{{Type: dashboard.Timeline, Label: "k", Start: "a", End: "z"}},
		[]string{"k text", "s text", "a " + of, "z " + of, "n integer sum"}, rows...)
}

// TestTimelineTonesOverSeries: spans that meet a threshold have its tone, the others the colors of series, and the legend has both.
func TestTimelineTonesOverSeries(t *testing.T) {
	t.Parallel()
	v := timelines("date", []any{"a", "Own crew", day("2026-01-01"), day("2026-01-04"), int64(5)},
		[]any{"b", "Own crew", day("2026-01-02"), day("2026-01-05"), int64(1)},
		[]any{"c", "Roof & Co", day("2026-01-03"), day("2026-01-06"), int64(2)})
	p := &v.Spec.Panels[0]
	p.Series, p.Thresholds = "s", []dashboard.Threshold{{Column: "n", If: ">=", Value: 4, Tone: "bad"}}
	_, r := recorded(t, v, 0)
	colors := map[string]canvas.Color{}
	for _, b := range r.Rects {
		colors[b.Title[0]] = b.Color
	}
	if colors["a"] != canvas.ToneColor("bad") || colors["b"] == colors["a"] || colors["c"] == colors["a"] || colors["b"] == colors["c"] {
		t.Errorf("colors %v", colors)
	}
	var legend []string
	for _, i := range r.Items {
		legend = append(legend, i.Name)
	}
	if got := strings.Join(legend, ", "); got != "Own crew, Roof & Co, N ≥ 4" {
		t.Errorf("legend %s", got)
	}
}

// TestTimelineCountsOfPlots: a note that counts spans of small plots has the sum over all plots, without their names.
func TestTimelineCountsOfPlots(t *testing.T) {
	t.Parallel()
	v := timelines("date", spanOf("a", "2026-01-20", "2026-02-05"), spanOf("b", "2026-01-20", "2026-02-06"),
		spanOf("c", "2026-02-03", "2026-02-06"),
		spanOf("c", "2026-01-02", "2026-01-03"), spanOf("d", "2026-01-01", "2026-01-10"), spanOf("d", "2026-02-02", "2026-02-03"),
		spanOf("e", "2026-02-02", ""), spanOf("e", "", "2026-02-02"))
	p := &v.Spec.Panels[0]
	p.Facet, p.Window[0] = p.Label, dashboard.AxisTime{At: day("2026-02-01")}
	want := "2 spans continue outside of the axis. 2 spans outside of the axis are left out."
	if notes := strings.Join(open(v).Panel(0).Notes, " "); notes != want {
		t.Errorf("got  %q\nwant %q", notes, want)
	}
}

// spanOf returns a row of such a dataset. An end that is "" is missing.
func spanOf(k, from, to string) []any {
	at := func(s string) any {
		if s == "" {
			return nil
		}
		if len(s) > len(time.DateOnly) {
			t, err := time.Parse("2006-01-02 15:04", s)
			if err != nil {
				panic(err)
			}
			return t
		}
		return day(s)
	}
	return []any{k, "s" + k, at(from), at(to), int64(len(k))}
}

// drawnSpans returns the bars of a timeline, in order: their first title and their position, in thousandths of the width.
func drawnSpans(r *canvas.Recorder) string {
	var out []string
	for _, b := range r.Rects {
		name := "~"
		if b.Fade == canvas.NoFade {
			name = b.Title[0]
		}
		out = append(out, fmt.Sprintf("%s %.0f-%.0f", name, b.X.V*1000, (b.X.V+b.Width.V)*1000))
	}
	return strings.Join(out, ", ")
}

// TestTimelineSpans: spans are on the rows of their label, in the order of their beginnings, and an open one extends to now and fades
// there.
func TestTimelineSpans(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		v                    Input
		drawn, notes, codes  string
		rows, lanes          int
		now                  float64 // the position of the line; 0 for none
		summary, first, last string
	}{
		"in order": {
			v:     timelines("date", spanOf("b", "2026-01-06", "2026-01-10"), spanOf("a", "2026-01-01", "2026-01-05")),
			drawn: "a 0-500, b 500-1000", rows: 2, lanes: 2,
			summary: "2 spans, from Jan 1, 2026 to Jan 10, 2026. Longest: a (5 d).",
		},
		"a date is a part of its span": {
			v:     timelines("date", spanOf("a", "2026-01-01", "2026-01-01"), spanOf("b", "2026-01-01", "2026-01-04")),
			drawn: "a 0-250, b 0-1000", rows: 2, lanes: 2, summary: "2 spans, from Jan 1, 2026 to Jan 4, 2026. Longest: b (4 d).",
		},
		"a moment is not": {
			v:     timelines("timestamp", spanOf("a", "2026-01-01 10:00", "2026-01-01 10:00"), spanOf("b", "2026-01-01 10:00", "2026-01-01 12:00")),
			drawn: "a 0-6, b 0-1000", rows: 2, lanes: 2,
			summary: "2 spans, from Jan 1, 2026 10:00 to Jan 1, 2026 12:00. Longest: b (2 h).",
		},
		"overlapping": {
			v: timelines("date", spanOf("a", "2026-01-01", "2026-01-06"), spanOf("a", "2026-01-04", "2026-01-08"),
				spanOf("a", "2026-01-07", "2026-01-10"),
				spanOf("b", "2026-01-02", "2026-01-03")),
			drawn: "a 0-600, a 600-1000, a 300-800, b 100-300", rows: 2, lanes: 3,
			summary: "4 spans, from Jan 1, 2026 to Jan 10, 2026. Longest: a (6 d).",
		},
		"one begins on the day on which the other ends": {
			v:     timelines("date", spanOf("a", "2026-01-01", "2026-01-06"), spanOf("a", "2026-01-06", "2026-01-10")),
			drawn: "a 0-500, a 500-1000", rows: 1, lanes: 1, summary: "2 spans, from Jan 1, 2026 to Jan 10, 2026. Longest: a (6 d).",
		},
		"open at the end": {
			v:     timelines("date", spanOf("a", "2026-11-10", ""), spanOf("b", "2026-11-12", "2026-11-14")),
			drawn: "~ 940-1000, a 0-940, b 179-448", rows: 2, lanes: 2, now: 0.94,
			summary: "2 spans, from Nov 10, 2026 to Nov 14, 2026. Longest: a (11 d). 1 has no end. Today: a.",
		},
		"open at the beginning": {
			v:     timelines("date", spanOf("a", "", "2026-01-10"), spanOf("b", "2026-01-01", "2026-01-05")),
			drawn: "~ 0-60, a 60-1000, b 60-530", rows: 2, lanes: 2,
			summary: "2 spans, from Jan 1, 2026 to Jan 10, 2026. Longest: b (5 d).",
		},
		"open, and in the future": {
			v:     timelines("date", spanOf("a", "2026-11-10", "2026-11-12"), spanOf("b", "2026-12-01", "")),
			drawn: "a 0-134, ~ 940-1000, b 940-946", rows: 2, lanes: 2, now: 0.47,
			summary: "2 spans, from Nov 10, 2026 to Nov 12, 2026. Longest: a (3 d). 1 has no end.",
		},
		"now by the clock": {
			v:     timelines("timestamp", spanOf("a", "2026-11-20 08:00", "2026-11-20 11:00"), spanOf("b", "2026-11-20 08:00", "2026-11-20 09:00")),
			drawn: "a 0-1000, b 0-333", rows: 2, lanes: 2, now: 0.5,
			summary: "2 spans, from Nov 20, 2026 08:00 to Nov 20, 2026 11:00. Longest: a (3 h). Now: a.",
		},
		"left out": {
			v:     timelines("date", spanOf("a", "2026-01-01", "2026-01-05"), spanOf("b", "2026-01-05", "2026-01-04"), spanOf("c", "", "")),
			drawn: "a 0-1000", rows: 1, lanes: 1,
			notes: "1 row without a start and an end is left out. 1 row that ends before it begins is left out.",
			codes: "left_out panels[0].start, left_out panels[0].end", summary: "1 span, from Jan 1, 2026 to Jan 5, 2026. Longest: a (5 d).",
		},
	} {
		p, r := recorded(t, tc.v, 0)
		m := p.Content.(*timelinePanel)
		if len(m.rows) != tc.rows || m.lanes != tc.lanes {
			t.Errorf("%s: %d rows on %d lanes, want %d on %d", name, len(m.rows), m.lanes, tc.rows, tc.lanes)
		}
		if got := drawnSpans(r); got != tc.drawn {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, tc.drawn)
		}
		if notes := strings.Join(p.Notes, " "); notes != tc.notes || codes(tc.v) != tc.codes {
			t.Errorf("%s: notes %q, warnings %q", name, notes, codes(tc.v))
		}
		if got := strings.ReplaceAll(p.Summary, "\u00a0", " "); got != tc.summary {
			t.Errorf("%s: %s", name, got)
		}
		at := 0.0
		for _, l := range r.Strokes(canvas.ReferenceLine) {
			at = l.X1.V
		}
		if math.Abs(at-tc.now) > 0.005 {
			t.Errorf("%s: the line of now is at %.3f, want %.3f", name, at, tc.now)
		}
	}
	for _, rows := range [][][]any{{spanOf("c", "", "")}, {spanOf("c", "2026-01-02", "2026-01-01")}} {
		p := open(timelines("date", rows...)).Panel(0)
		if p.Empty != "No row has a start or an end." && p.Empty == "" {
			t.Errorf("%v: %q %q", rows, p.Empty, p.Problem)
		}
	}
}

// TestTimelineLimit: a timeline has 80 rows: those that end last or, if the spec sorts, the first ones. The table behind it has all spans.
func TestTimelineLimit(t *testing.T) {
	t.Parallel()
	var rows, overlapping [][]any
	for i := range 100 {
		from := day("2026-01-01").AddDate(0, 0, (i*37)%100)
		rows = append(rows, []any{fmt.Sprintf("k%02d", i), "s", from, from.AddDate(0, 0, 3), int64(i)})
		overlapping = append(overlapping, []any{"k", "s", day("2026-01-01").AddDate(0, 0, i), day("2026-06-01"), int64(i)})
	}
	for _, tc := range []struct {
		rows        [][]any
		sort        string
		first, last string
		note, codes string
	}{
		{rows, "", "k60", "k27", "The last 80 of 100 values of K; the rest is not drawn.", "cut panels[0].label"},
		{rows, "-a", "k27", "k60", "The first 80 of 100 values of K; the rest is not drawn.", "cut panels[0].label"},
		{rows, "n", "k00", "k79", "The first 80 of 100 values of K; the rest is not drawn.", "cut panels[0].label"},
		{rows, "-k", "k99", "k20", "The first 80 of 100 values of K; the rest is not drawn.", "cut panels[0].label"},
		{overlapping, "", "k", "k", "20 spans are not drawn, because too many overlap.", "cut panels[0].label"},
	} {
		v := timelines("date", tc.rows...)
		v.Spec.Panels[0].Sort = tc.sort
		p := open(v).Panel(0)
		m := p.Content.(*timelinePanel)
		first, last := m.rows[0].name, m.rows[len(m.rows)-1].name
		if m.lanes != 80 || first != tc.first || last != tc.last || len(p.Grid.Rows) != 100 {
			t.Errorf("sort %q: %d lanes from %s to %s, %d rows in the table", tc.sort, m.lanes, first, last, len(p.Grid.Rows))
		}
		if note := strings.Join(p.Notes, " "); note != tc.note || codes(v) != tc.codes {
			t.Errorf("sort %q: %q, %q", tc.sort, note, codes(v))
		}
	}
	rows = nil
	for i := range 2500 {
		from := day("2000-01-01").AddDate(0, 0, 5*i)
		rows = append(rows, []any{fmt.Sprint("k", i%5), "s", from, from.AddDate(0, 0, i%4), int64(1)})
	}
	p, r := recorded(t, timelines("date", rows...), 0)
	if len(r.Rects) != 2000 || !slices.Contains(p.Notes, "The 2,000 longest of 2,500 spans are drawn.") || len(p.Grid.Rows) != 2500 {
		t.Errorf("%d bars, %q, %d rows in the table", len(r.Rects), p.Notes, len(p.Grid.Rows))
	}
}

// TestTimelineColors: spans have the colours of their series, if there are more than ten only the longest have one, and a click on a span
// filters by the label.
func TestTimelineColors(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 12 {
		rows = append(rows, []any{fmt.Sprint("k", i), fmt.Sprintf("s%02d", i), day("2026-01-01"), day("2026-01-02").AddDate(0, 0, i), int64(1)})
	}
	v := timelines("date", rows...)
	v.Spec.Panels[0].Series = "s"
	v.Spec.Filters = []dashboard.Filter{{Column: "k"}}
	p, r := recorded(t, v, 0)
	seen := map[canvas.Color]int{}
	for _, b := range r.Rects {
		seen[b.Color]++
		if b.Row == 0 || p.words(0, p.Grid.Rows[b.Row-1][0]) != b.Title[0] {
			t.Errorf("%s leads to row %d", b.Title[0], b.Row)
		}
	}
	if seen[canvas.OtherColor] != 2 || len(seen) != 11 || len(r.Items) != 10 || codes(v) != "cut panels[0].series" {
		t.Errorf("colours %v, %d items in the legend, warnings %q", seen, len(r.Items), codes(v))
	}
	v = timelines("date", rows[:3]...)
	v.Spec.Columns = []dashboard.Appearance{{Column: "k", Colors: map[string]string{"k1": "violet"}}}
	_, r = recorded(t, v, 0)
	for _, b := range r.Rects {
		want := namedColor("blue")
		if b.Title[0] == "k1" {
			want = namedColor("violet")
		}
		if b.Color != want {
			t.Errorf("%s has the color %v, want %v", b.Title[0], b.Color, want)
		}
	}
}

// TestTimelineTooltip: tooltips of spans have the columns of the key, by row of the dataset.
func TestTimelineTooltip(t *testing.T) {
	t.Parallel()
	v := timelines("date", spanOf("a", "2026-01-01", "2026-01-05"), spanOf("a", "2026-02-01", ""), spanOf("b", "", "2026-02-02"))
	v.Spec.Panels[0].Tooltip = []string{"n", "s"}
	_, r := recorded(t, v, 0)
	var got []string
	for _, b := range r.Rects {
		if b.Fade == canvas.NoFade {
			got = append(got, strings.ReplaceAll(strings.Join(b.Title, ""), "\n", " | "))
		}
	}
	want := []string{
		"b | … – Feb 2, 2026 | N  1 | S  sb", "a | Jan 1, 2026 – Jan 5, 2026 · 5\u00a0d | N  1 | S  sa", "a | Feb 1, 2026 – … | N  1 | S  sa",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// BenchmarkTimeline draws a page of a timeline with 80 rows of 25 spans each.
func BenchmarkTimeline(b *testing.B) {
	var rows [][]any
	for i := range 2000 {
		from := day("2026-01-01").AddDate(0, 0, i/80*10)
		rows = append(rows, []any{fmt.Sprint("k", i%80), fmt.Sprint("s", i%7), from, from.AddDate(0, 0, 1+i%9), int64(i)})
	}
	v := timelines("date", rows...)
	v.Spec.Panels[0].Series = "s"
	for b.Loop() {
		render(b, v)
	}
}

// TestTimelineWindow: with x_min and x_max, spans outside of the axis are left out, with a note of their number, and those that continue
// outside fade at its end.
func TestTimelineWindow(t *testing.T) {
	t.Parallel()
	at := func(s string) dashboard.AxisTime {
		v, err := time.Parse(time.DateOnly, s)
		if err != nil {
			return dashboard.AxisTime{Range: s}
		}
		return dashboard.AxisTime{At: v}
	}
	rows := [][]any{
		spanOf("a", "2026-01-01", "2026-01-10"), // before the window
		spanOf("b", "2026-01-20", "2026-02-05"), // across its beginning
		spanOf("c", "2026-02-03", "2026-02-06"),
		spanOf("d", "2026-01-01", "2026-03-31"), // across both ends
		spanOf("e", "2026-02-08", ""),           // has not ended
		spanOf("f", "", "2026-02-02"),           // no beginning
		spanOf("g", "2026-02-11", "2026-02-20"), // after the window
		spanOf("h", "2026-02-11", ""),           // after the window
		spanOf("i", "", "2026-01-31"),           // before the window
		spanOf("j", "2026-02-10", "2026-02-10"), // its last day
	}
	for name, tc := range map[string]struct {
		from, to           string
		rows               [][]any
		drawn, notes, code string
		empty              string
	}{
		"both ends": {
			from: "2026-02-01", to: "2026-02-11", rows: rows,
			drawn: "~ 0-60, ~ 940-1000, d 60-940, ~ 0-60, b 60-500, ~ 0-60, f 60-200, c 200-600, ~ 940-1000, e 700-940, j 900-1000",
			notes: "4 spans outside of the axis are left out. 3 spans continue outside of the axis.", code: "clipped panels[0].x_max",
		},
		"only a beginning": {
			from: "2026-11-11", rows: [][]any{
				spanOf("a", "2026-11-01", "2026-11-12"), spanOf("b", "2026-11-15", "2026-11-20"), spanOf("c", "2026-10-01", "2026-11-10"),
			},
			drawn: "~ 0-60, a 60-200, b 400-1000",
			notes: "1 span outside of the axis is left out. 1 span continues outside of the axis.", code: "clipped panels[0].x_min",
		},
		"an open span ends with the axis": {
			to: "2026-11-25", rows: [][]any{spanOf("a", "2026-11-15", "")}, drawn: "~ 550-610, a 0-550",
		},
		"an open span on an axis that ends today": {
			from: "2026-11-01", to: "today", rows: [][]any{spanOf("a", "2026-11-11", "")}, drawn: "~ 915-975, a 500-915",
		},
		"all of this year, which has not ended": {
			from: "this_year", to: "this_year", rows: [][]any{spanOf("a", "2026-01-01", "2026-12-31")}, drawn: "a 0-1000",
		},
		"the last 10 days": {
			from: "last_10_days", to: "today", rows: [][]any{spanOf("a", "2026-11-11", "2026-11-15"), spanOf("b", "2026-11-16", "2026-11-21")},
			drawn: "a 0-500, ~ 940-1000, b 500-940", notes: "1 span continues outside of the axis.",
		},
		"from a week ago to two weeks ahead": {
			from: "today-7d", to: "today+2w", rows: [][]any{spanOf("a", "2026-11-13", "2026-11-16"), spanOf("b", "2026-11-24", "2026-12-04")},
			drawn: "a 0-182, b 500-1000", notes: "",
		},
		"until now, which is 9:30": {from: "now-48h", to: "now", rows: [][]any{spanOf("a", "2026-11-19", "2026-11-19")}, drawn: "a 302-802"},
		"from two days ago":        {from: "now-2d", to: "now", rows: [][]any{spanOf("a", "2026-11-19", "2026-11-19")}, drawn: "a 302-802"},
		"the next two weeks": {
			from: "next_2_weeks", to: "next_2_weeks",
			rows:  [][]any{spanOf("a", "2026-11-20", "2026-11-22"), spanOf("b", "2026-12-02", "2026-12-04")},
			drawn: "a 0-200, b 800-1000",
		},
		"nothing": {
			from: "2026-02-01", to: "2026-02-11", rows: rows[:1], empty: "No span is on the axis.", code: "clipped panels[0].x_max",
		},
		"an end that is over": {
			from: "today", to: "2026-02-11", rows: rows, empty: "The axis ends before it begins.", code: "clipped panels[0].x_max",
		},
	} {
		v := timelines("date", tc.rows...)
		for end, s := range [...]string{tc.from, tc.to} {
			if s != "" {
				v.Spec.Panels[0].Window[end] = at(s)
			}
		}
		if tc.empty != "" {
			if p := open(v).Panel(0); p.Empty != tc.empty || p.Content != nil || codes(v) != tc.code {
				t.Errorf("%s: %q, warnings %q", name, p.Empty, codes(v))
			}
			continue
		}
		p, r := recorded(t, v, 0)
		if got := drawnSpans(r); got != tc.drawn {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, tc.drawn)
		}
		if notes := strings.Join(p.Notes, " "); notes != tc.notes || codes(v) != tc.code {
			t.Errorf("%s: notes %q, warnings %q", name, notes, codes(v))
		}
	}
}

// TestTimelineOfTheYearOne: spans of the first moment of the year 1, which is the zero time, have a place.
func TestTimelineOfTheYearOne(t *testing.T) {
	t.Parallel()
	for _, spans := range [][][]any{
		{spanOf("a", "0001-01-01 00:00", "0001-01-01 00:00")},
		{spanOf("a", "0001-01-01 00:00", "0001-01-01 00:00"), spanOf("b", "0001-01-01 00:00", "0001-01-02 00:00")},
	} {
		_, r := recorded(t, timelines("timestamp", spans...), 0)
		for _, b := range r.Rects {
			if math.IsNaN(b.X.V) || math.IsNaN(b.Width.V) {
				t.Errorf("%d spans: a bar is at %v, %v wide", len(spans), b.X.V, b.Width.V)
			}
		}
	}
}
