package panel

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// eventful is a view of 100 days from 1 January 2026 with events.
func eventful(panel dashboard.Panel, list ...dashboard.Event) Input {
	panel.X = "at"
	if panel.Type == dashboard.Combo {
		panel.Bars, panel.Lines = []string{"n"}, []string{"n"}
	} else {
		panel.Y = []string{"n"}
	}
	v := daily(panel, 100, "sum")
	v.Spec.Events.List = list
	return v
}

func happened(date, label string) dashboard.Event {
	return dashboard.Event{On: day(date), Label: label}
}

// placesOf returns the marks of a panel: the place of each, in thousandths, and its events.
func placesOf(p *Panel) string {
	var out []string
	for _, m := range p.marks {
		var names []string
		for _, e := range m.events {
			names = append(names, e.label)
		}
		out = append(out, fmt.Sprintf("%.0f %s", m.at*1000, strings.Join(names, "+")))
	}
	return strings.Join(out, ", ")
}

// TestEvents: events are at their day on an axis, or at the period that contains it; events at one place share a mark, and those before or
// after the axis have none.
func TestEvents(t *testing.T) {
	t.Parallel()
	list := []dashboard.Event{
		happened("2026-02-09", "c"), happened("2025-12-31", "before"), happened("2026-01-01", "a"), happened("2026-01-01", "b"),
		happened("2026-02-10", "d"),
		happened("2026-04-10", "last"), happened("2026-04-11", "after"),
	}
	line, weeks := dashboard.Panel{Type: dashboard.Line}, dashboard.Panel{Type: dashboard.Line, Grain: "week"}
	months := dashboard.Panel{Type: dashboard.Bar, Grain: "month"}
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		want  string
	}{
		"days":    {line, "0 a+b, 394 c, 404 d, 1000 last"}, // 39 and 40 of 99
		"an area": {dashboard.Panel{Type: dashboard.Area}, "0 a+b, 394 c, 404 d, 1000 last"},
		"columns": {dashboard.Panel{Type: dashboard.Bar}, "5 a+b, 395 c, 405 d, 995 last"}, // the middle of the 40th of 100
		"combo":   {dashboard.Panel{Type: dashboard.Combo}, "5 a+b, 395 c, 405 d, 995 last"},
		"weeks":   {weeks, "0 before+a+b, 429 c+d, 1000 last+after"}, // the 7th of 15 from 29 December
		"months":  {months, "125 a+b, 375 c+d, 875 last+after"},      // of four
		"candles": {dashboard.Panel{Type: dashboard.Candlestick, Grain: "month", Low: "n", High: "n"}, "125 a+b, 375 c+d, 875 last+after"},
		// It has no axis across.
		"horizontal": {dashboard.Panel{Type: dashboard.Bar, Horizontal: true, Grain: "month"}, ""},
	} {
		v := eventful(tc.panel, list...)
		p := open(v).Panel(0)
		if got := placesOf(p); got != tc.want || p.Problem != "" {
			t.Errorf("%s: %q, want %q %s", name, got, tc.want, p.Problem)
		}
		doc := string(render(t, v))
		if got, want := strings.Count(doc, `<line class="ev"`), len(p.marks); got != want {
			t.Errorf("%s: %d lines, want %d", name, got, want)
		}
		if len(p.marks) == 0 {
			continue
		}
		if text := summaries(v)[0].Text; !strings.Contains(text, "a (Jan 1, 2026), b (Jan 1, 2026), c (Feb 9, 2026)") {
			t.Errorf("%s: %s", name, text)
		}
		for _, want := range []string{" · a · b", ">2 events</text>", ">.ev{"} {
			if !strings.Contains(strings.ReplaceAll(doc, "Jan 1 ", ""), want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
	}
}

// TestEventsOutsideAllAxes: if no panel has a time of an event, the author is warned, also if panels mark another one; an event that is
// marked in a small plot is enough.
func TestEventsOutsideAllAxes(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{dashboard.Line, dashboard.Bar, dashboard.Calendar, dashboard.Heatmap} {
		for _, facet := range []string{"", "name"} {
			if facet != "" && kind == dashboard.Heatmap {
				continue
			}
			for date, want := range map[string]bool{"2025-02-01": true, "2026-02-09": false} {
				panel := dashboard.Panel{Type: kind, Facet: facet}
				if kind == dashboard.Heatmap {
					panel.Y, panel.Value = []string{"name"}, "n"
				} else if kind == dashboard.Calendar {
					panel.Value = "n"
				}
				for name, v := range map[string]Input{
					"alone":          eventful(panel, happened(date, "e")),
					"beside another": eventful(panel, happened("2026-02-10", "d"), happened(date, "e")),
				} {
					if got := strings.Contains(codes(v), dashboard.WarnLeftOut+" events"); got != want {
						t.Errorf("%s, facet %q, an event on %s, %s: warned %v, %s", kind, facet, date, name, got, codes(v))
					}
				}
			}
		}
	}
}

// TestEventsOfCells: events of a heat map are lines between its columns, before the column in which they begin and after the last of a
// span, and the legend has their names; a heat map without an axis of times has none.
func TestEventsOfCells(t *testing.T) {
	t.Parallel()
	list := []dashboard.Event{happened("2026-02-09", "c"), happened("2025-12-31", "before")}
	for _, label := range []string{"d", "e", "f", "g", "h"} {
		list = append(list, happened("2026-02-10", label))
	}
	list = append(list, dashboard.Event{On: day("2026-03-02"), To: day("2026-05-01"), Label: "span"})
	v := eventful(dashboard.Panel{Type: dashboard.Heatmap, Grain: "month", Y: []string{"name"}, Value: "n"}, list...)
	p, r := recorded(t, v, 0)
	if got := placesOf(p); got != "375 c+d+e+f+g+h, 500 span" { // the second of four columns, and the last two
		t.Errorf("the events are at %q", got)
	}
	var at []float64
	for _, l := range r.Strokes(canvas.ReferenceLine) {
		at = append(at, l.X1.V)
	}
	slices.Sort(at)
	if fmt.Sprint(at) != "[0.25 0.5 1]" {
		t.Errorf("the lines are at %v", at)
	}
	for _, want := range []string{`"c (Feb 9, 2026)"`, `"g (Feb 10, 2026)"`, `"and 2 more"`} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("the legend lacks %s:\n%s", want, r.String())
		}
	}
	if text := summaries(v)[0].Text; !strings.Contains(text, "Events: c (Feb 9, 2026), d (Feb 10, 2026)") {
		t.Errorf("the summary is %q", text)
	}
	v.Spec.Panels[0].X, v.Spec.Panels[0].Y = "name", []string{v.Spec.Panels[0].X}
	if p, r = recorded(t, v, 0); len(p.marks) > 0 || len(r.Strokes(canvas.ReferenceLine)) > 0 {
		t.Errorf("rows of times have the events %q", placesOf(p))
	}
}

// TestEventsBetween: events are between the points of a line without a point on their day, at times of day if they have one, and not at
// dates that the axis does not have.
func TestEventsBetween(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}}}, []string{"at date", "n number sum"},
		[]any{day("2026-03-01"), 1.0}, []any{day("2026-03-05"), 2.0}, []any{day("2026-03-11"), 3.0})
	v.Spec.Events.List = []dashboard.Event{happened("2026-03-03", "a"), happened("2026-03-05", "b"), happened("2026-03-12", "c")}
	p := open(v).Panel(0)
	if got := placesOf(p); got != "200 a, 400 b" {
		t.Errorf("%q", got)
	}
	if got := p.Beside; got[0] != " · Mar 3 a" || got[1] != " · b" {
		t.Errorf("beside the rows are %v", got)
	}
	v = hourly(dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"n"}}, 2)
	v.Spec.Events.List = []dashboard.Event{
		{On: day("2026-05-01").Add(time.Hour*11 + time.Minute*45), Label: "noon"}, happened("2026-05-02", "midnight"),
	}
	if got := placesOf(open(v).Panel(0)); got != "250 noon, 511 midnight" { // 11.75 and 24 of 47
		t.Errorf("by hours: %q", got)
	}
}

// TestEventsOfRows: the events of a dataset are its filtered rows, the newest hundred; a note reports the others.
func TestEventsOfRows(t *testing.T) {
	t.Parallel()
	hostile := `<script>alert(1)</script>"&` + "\u202e\x00\n" + strings.Repeat("long ", 40)
	v := eventful(dashboard.Panel{Type: dashboard.Line, Data: "d"})
	cols := []cube.Column{{Name: "at", Type: cube.Date}, {Name: "what", Type: cube.Text}, {Name: "kind", Type: cube.Text}}
	b := cube.NewBuilder(cols)
	for i := range 140 {
		row := []any{day("2025-11-21").AddDate(0, 0, i), fmt.Sprint("e", i), []any{"x", "y"}[i%7/6]}
		switch i {
		case 60:
			row[1] = hostile
		case 61:
			row[1] = nil
		case 62, 63:
			row[0] = nil
		}
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	v.Spec.Datasets = append(v.Spec.Datasets, dashboard.Dataset{ID: "releases", SQL: "SELECT 1"})
	v.Cubes["releases"] = b.Cube()
	v.Spec.Events = dashboard.Events{Data: "releases", X: "at", Label: "what"}
	v.Spec.Filters = []dashboard.Filter{{Column: "kind"}}
	p := open(v)
	e := p.events()
	if len(e.list) != 100 || e.all != 138 || e.undated != 2 {
		t.Errorf("%d of %d events, %d without a time", len(e.list), e.all, e.undated)
	}
	n := 0
	for _, m := range p.Panel(0).marks {
		n += len(m.events)
		if m.events[0].at.Before(day("2026-01-01")) || m.events[0].at.After(day("2026-04-10")) {
			t.Errorf("%v is marked", m.events[0])
		}
	}
	if n != 97 { // of the last hundred, all except the three before January
		t.Errorf("%d are marked", n)
	}
	if got := codes(v); !strings.Contains(got, "cut events.data") || !strings.Contains(got, "left_out events.x") {
		t.Errorf("warnings %s", got)
	}
	doc := string(render(t, v))
	if strings.Contains(doc, "<script>alert") || strings.Contains(doc, "\u202e") ||
		!strings.Contains(doc, html.EscapeString("<script>alert")) {
		t.Error("a name is not shown as the text that it is")
	}
	for _, want := range []string{"Not set", "The last 100 of 138 events are marked."} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %s", want)
		}
	}
	v.Query = url.Values{"f.kind": {"y"}}
	if got := open(v).events(); got.all != 19 {
		t.Errorf("filtered, there are %d", got.all)
	}
	v.Cubes["releases"] = nil // before the first refresh
	if p := open(v).Panel(0); len(p.marks) != 0 || p.Content == nil {
		t.Error("without its rows the figure is not what it was")
	}
}

// TestEventNamesInFull: a name is not cut if it fits next to its line.
func TestEventNamesInFull(t *testing.T) {
	t.Parallel()
	const name = "The great famine in China begins"
	p := open(eventful(dashboard.Panel{Type: dashboard.Line, Width: 6}, dashboard.Event{On: day("2026-01-10"), Label: name})).Panel(0)
	if names := record(p).Texts(canvas.MarkedText, 1); len(names) != 1 || names[0] != name {
		t.Errorf("%q", names)
	}
}

// TestEventNames: at each width, names of events do not overlap each other or the names of lines, and are inside the plot. More names fit
// at larger widths.
func TestEventNames(t *testing.T) {
	t.Parallel()
	var list []dashboard.Event
	for i := range 12 {
		list = append(list, dashboard.Event{On: day("2026-01-01").AddDate(0, 0, i*9), Label: strings.Repeat("release ", 1+i%3) + fmt.Sprint(i)})
	}
	panel := dashboard.Panel{Type: dashboard.Line, Width: 12, Reference: []dashboard.Reference{{Kind: "max", Label: "Most"}}}
	p := open(eventful(panel, list...)).Panel(0)
	r := record(p)
	var counts []int
	for size, width := range p.room().Widths(r.Plots[0].Left, nil) {
		var names []chart.Box
		for _, l := range r.Labels {
			if l.Look != canvas.MarkedText || l.On != 0 && l.On&(1<<size) == 0 {
				continue
			}
			b := chart.BoxOf(&l.Label, width, plotHeight)
			if l.On != 0 && (b.X1 < 0 || b.X2 > 1) || slices.ContainsFunc(names, b.Touches) {
				t.Errorf("on %v pixels %q has no room", width, l.Text)
			}
			names = append(names, b)
		}
		counts = append(counts, len(names)-1) // one is the name of the line
	}
	if counts[0] < 3 || counts[2] < 8 || counts[0] > counts[1] || counts[1] > counts[2] {
		t.Errorf("names on a phone, a tablet and a desk: %v", counts)
	}
}

// The events of a panel are marked on its axis beside those of the page, and on no other; its author is told which are left out.
func TestEventsOfAPanel(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{dashboard.Line, dashboard.Area, dashboard.Bar, dashboard.Combo} {
		list := []dashboard.Event{happened("2026-01-01", "own"), happened("2026-02-09", "too")}
		own := dashboard.Panel{Type: kind, Events: dashboard.Events{List: list}}
		v := eventful(own, happened("2026-02-09", "page"))
		other := v.Spec.Panels[0]
		other.Events = dashboard.Events{}
		v.Spec.Panels = append(v.Spec.Panels, other)
		var names []string
		for i := range 2 {
			p, drawn := recorded(t, v, i)
			var marks []string
			for _, m := range p.marks {
				for _, e := range m.events {
					marks = append(marks, e.label)
				}
			}
			names = append(names, strings.Join(marks, " "))
			said := strings.Contains(p.Summary, "own (Jan 1, 2026)")
			if len(drawn.Plots) == 0 || !strings.Contains(p.Summary, "page (Feb 9, 2026)") || said != (i == 0) {
				t.Errorf("panel %d, a %s: %s", i, kind, p.Summary)
			}
		}
		if names[0] != "own page too" || names[1] != "page" {
			t.Errorf("%s: marked are %q", kind, names)
		}
	}
	v := tiny([]dashboard.Panel{{
		Type: dashboard.Calendar, X: "at", Value: "n", Events: dashboard.Events{Data: "d", X: "at", To: "until", Label: "name"},
	}}, []string{"at date", "until date", "name text", "n integer sum"},
		[]any{day("2026-03-02"), day("2026-03-04"), "a", int64(1)}, []any{day("2026-03-09"), day("2026-03-01"), "b", int64(1)},
		[]any{nil, nil, "c", int64(1)})
	if p := open(v).Panel(0); !strings.Contains(p.Summary, "Events: a (Mar 2, 2026 – Mar 4, 2026), b (Mar 9, 2026).") {
		t.Errorf("rows: %s", p.Summary)
	}
	got := codes(v)
	for _, want := range []string{"left_out panels[0].events.x", "doubtful panels[0].events.to"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not warned of: %s", want, got)
		}
	}
}

// TestNoEventsOfAPanel: a panel can leave out the events of the page: it has no marks of them, and no words.
func TestNoEventsOfAPanel(t *testing.T) {
	t.Parallel()
	for _, none := range []bool{false, true} {
		panel := dashboard.Panel{Type: dashboard.Line, Events: dashboard.Events{None: none}}
		p := open(eventful(panel, happened("2026-02-09", "Car-free Sunday"))).Panel(0)
		if named := strings.Contains(p.Summary, "Car-free Sunday"); (placesOf(p) == "") != none || named == none {
			t.Errorf("none %v: marks at %s, %s", none, placesOf(p), p.Summary)
		}
	}
}
