package panel

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// TestTargets: a target is drawn as the share that is reached, and written in words. The good direction determines whether reaching it is
// good.
func TestTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		value  float64
		target any // a number, or the value of a measure
		format string
		good   string
		words  string
		share  float64
		tone   string
	}{
		{"on the way", 36_150, 50_000.0, "currency", "up", "72.3% of the target of $50,000", 0.723, ""},
		{"reached", 50_000, 50_000.0, "currency", "up", "100% of the target of $50,000", 1, "good"},
		{"passed", 61, []any{40.0}, "integer", "up", "152.5% of the target of 40", 1.525, "good"},
		{"almost", 99_999, 100_000.0, "integer", "up", "99.999% of the target of 100,000", 0.99999, ""},
		{"nearly all", 999_999_999, 1e9, "integer", "up", "almost 100% of the target of 1,000,000,000", 0.999999999, ""},
		{"below a limit", 0.03, 0.05, "percent1", "down", "2.0 pp below the limit of 5.0%", 0.6, "good"},
		{"at a limit", 0.3, []any{0.1 + 0.2}, "percent1", "down", "100% of the limit of 30.0%", 1, "good"},
		{"over a limit", 0.06, 0.05, "percent1", "down", "1.0 pp above the limit of 5.0%", 1.2, "bad"},
		{"a share", 0.9848, 0.999, "percent2", "up", "1.4 pp below the target of 99.90%", 0.9848 / 0.999, ""},
		{"almost a share", 0.99899, 0.999, "percent2", "up", "0.001 pp below the target of 99.90%", 0.99899 / 0.999, ""},
		{"more than a share", 1.2, []any{0.8}, "percent", "up", "40.0 pp above the target of 80%", 1.5, "good"},
		{"nothing is good", 60, 50.0, "", "", "120% of the target of 50", 1.2, ""},
		{"below zero", -5, 50.0, "", "up", format.Minus + "10% of the target of 50", -0.1, ""},
		{"no target", 5, []any{nil}, "", "up", "There is no target for these filters.", 0, ""},
		{"a target below zero", 5, []any{-2.0}, "", "up", "7 above the target of " + format.Minus + "2", 0, "good"},
		{"a loss below its target", -620, -500.0, "currency", "up", "$120 below the target of " + format.Minus + "$500", 0, ""},
		{"a loss above its target", -380, []any{-500.0}, "currency", "up", "$120 above the target of " + format.Minus + "$500", 0, "good"},
		{"a loss on its target", -500, -500.0, "currency", "up", "100% of the target of " + format.Minus + "$500", 0, "good"},
		{"as cold as its limit", -21.6, -18.0, "number1", "down", "3.6 below the limit of " + format.Minus + "18.0", 0, "good"},
		{"warmer than its limit", -9, -18.0, "integer", "down", "9 above the limit of " + format.Minus + "18", 0, "bad"},
		{"warmer than zero", 4, -18.0, "integer", "down", "22 above the limit of " + format.Minus + "18", 0, "bad"},
		{"a change", -400, -500.0, "integer", "", "80% of the target of " + format.Minus + "500", 0.8, ""},
		{"the wrong change", 100, -500.0, "integer", "", "600 above the target of " + format.Minus + "500", 0, ""},
		{"points below zero", -0.05, -0.02, "percent1", "up", "3.0 pp below the target of " + format.Minus + "2.0%", 0, ""},
		{"a small distance", -2.04, -2.0, "integer", "up", "0.04 below the target of " + format.Minus + "2", 0, ""},
		{"a target of zero", -3, []any{0.0}, "integer", "up", "3 below the target of 0", 0, ""},
		{"a limit of zero", 2, []any{0.0}, "integer", "down", "2 above the limit of 0", 0, "bad"},
		{"at zero", 0, []any{0.0}, "integer", "down", "100% of the limit of 0", 0, "good"},
	} {
		panel := dashboard.Panel{Type: dashboard.KPI, Value: "n"}
		row := []any{tc.value, nil}
		switch target := tc.target.(type) {
		case float64:
			panel.Target = target
		case []any:
			panel.TargetBy, row[1] = "m", target[0]
		}
		v := tiny([]dashboard.Panel{panel}, []string{"n number sum " + tc.format, "m number sum " + tc.format}, row)
		v.Spec.Datasets[0].Columns[0].Good = tc.good
		p, c := recorded(t, v, 0)
		k := p.Content.(*kpiPanel)
		if got := strings.ReplaceAll(k.goal.words, format.NBSP, " "); got != tc.words || k.tone != tc.tone ||
			!strings.Contains(p.Summary, strings.TrimSuffix(k.goal.words, ".")) {
			t.Errorf("%s: %q, tone %q, summary %q", tc.name, got, k.tone, p.Summary)
		}
		switch {
		case tc.share <= 0:
			if len(c.Rects) > 0 {
				t.Errorf("%s: %v", tc.name, c.Rects)
			}
		case !near(k.goal.share, tc.share) || len(c.Rects) != 1 || !near(c.Rects[0].Width.V, min(tc.share, 1)):
			t.Errorf("%s: a share of %v drawn as %v", tc.name, k.goal.share, c.Rects)
		}
		if n := len(p.Grid.Columns); n != 2 || p.Grid.Columns[1].Label != map[bool]string{true: "M", false: "Target"}[panel.TargetBy != ""] {
			t.Errorf("%s: columns %v", tc.name, p.Grid.Columns)
		}
		if sketch := p.sketchText(); (tc.share != 0) != strings.Contains(sketch, text.OneLine(tc.words)[:min(len(tc.words), 30)]) {
			t.Errorf("%s: sketch %q", tc.name, sketch)
		}
		safe(t, render(t, v))
	}
}

// TestTargetAndThresholds: thresholds of the spec override the tone of a target.
func TestTargetAndThresholds(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{
		Type: dashboard.KPI, Value: "n", Target: 50, Thresholds: []dashboard.Threshold{{If: ">=", Value: 1, Tone: "warn"}},
	}}, []string{"n number sum"}, []any{60.0})
	v.Spec.Datasets[0].Columns[0].Good = "up"
	if p, _ := recorded(t, v, 0); p.Content.(*kpiPanel).tone != "warn" {
		t.Errorf("tone %q", p.Content.(*kpiPanel).tone)
	}
}

// TestDatesAsMeasures: the first or last date of each group is in tables, sorted by it, and in a KPI, in the zone and the words of the
// page.
func TestDatesAsMeasures(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	rows := [][]any{
		{"Ada", day("2026-03-01"), at("2026-03-01T23:30:00Z"), 1.0},
		{"Ada", day("2026-05-09"), at("2026-05-09T10:00:00Z"), 2.0},
		{"Grace", day("2026-10-02"), at("2026-10-02T10:00:00Z"), 3.0},
		{"Edsger", nil, nil, 4.0},
		{"Grace", day("2026-01-04"), at("2026-01-04T22:59:00Z"), 5.0},
	}
	view := func(agg string, panels ...dashboard.Panel) Input {
		v := tiny(panels, []string{"name text", "day date", "at instant", "n number sum"}, rows...)
		for i := range v.Spec.Datasets[0].Columns[1:3] {
			v.Spec.Datasets[0].Columns[1+i].Agg = dashboard.Agg(agg)
		}
		v.Spec.Locale, v.Spec.Timezone = "de-DE", "Europe/Berlin"
		return v
	}
	table := dashboard.Panel{Type: dashboard.Table, Sort: "-day", Columns: []dashboard.TableColumn{
		{Column: "name"}, {Column: "day"}, {Column: "at"}, {Column: "n"},
	}}
	kpi := func(value string) dashboard.Panel { return dashboard.Panel{Type: dashboard.KPI, Value: value} }
	text := dashboard.Panel{Type: dashboard.Text, Markdown: "Bis {{d.day}}."}
	v := view("max", table, kpi("day"), kpi("at"), text)
	csv, err := csvOfPanel(v, 0)
	if want := "Name,Day,At,N\n" +
		"Grace,2026-10-02,2026-10-02T12:00:00+02:00,8\n" +
		"Ada,2026-05-09,2026-05-09T12:00:00+02:00,3\nEdsger,,,4\n"; err != nil || string(csv) != want {
		t.Errorf("%v:\n%s", err, csv)
	}
	doc := string(render(t, v))
	for _, want := range []string{
		"Day (zuletzt)", `<p class="big long">2. Okt. 2026`, `<p>Bis 2. Okt. 2026.</p>`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for agg, want := range map[string]string{"": "2. Okt. 2026", "max": "2. Okt. 2026", "min": "4. Jan. 2026"} {
		p := open(view(agg, kpi("day"))).Panel(0)
		if k := p.Content.(*kpiPanel); k.text != want || (agg == "min") != strings.Contains(p.Title, "zuerst") {
			t.Errorf("%q: %q called %q", agg, k.text, p.Title)
		}
	}
	if p := open(view("min", kpi("at"))).Panel(0); !strings.HasSuffix(p.Content.(*kpiPanel).text, "23:59") {
		t.Errorf("not by the clock of the zone: %s", p.Content.(*kpiPanel).text)
	}
	v = view("max", kpi("day"))
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
	v.Query = map[string][]string{"f.name": {"Edsger"}}
	if got := summaries(v)[0].Text; got != "Kein Wert für diese Filter." {
		t.Errorf("without a date: %q", got)
	}
	// A chart, which needs numbers, has no date; the check of the spec refuses it.
	for _, panel := range []dashboard.Panel{
		{Type: dashboard.Bar, X: "name", Y: []string{"day"}},
		{Type: dashboard.Pie, Label: "name", Value: "day"},
		{Type: dashboard.Scatter, X: "day", Y: []string{"n"}},
		{Type: dashboard.Line, X: "name", Y: []string{"at"}},
	} {
		safe(t, render(t, view("max", panel)))
	}
}

// TestDatesAreNotSums: dates are aggregated only to the first and the last.
func TestDatesAreNotSums(t *testing.T) {
	t.Parallel()
	b := cube.NewBuilder([]cube.Column{{Name: "day", Type: cube.Date}})
	for i := range 3 {
		if err := b.Add([]any{day("2026-01-01").AddDate(0, 0, i)}); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	for agg, want := range map[cube.Agg]any{
		cube.Min: day("2026-01-01"), cube.Max: day("2026-01-03"), cube.Sum: nil, cube.Avg: nil,
	} {
		if got := c.Group(c.Select(), cube.Query{Measures: []cube.Measure{{Column: "day", Agg: agg}}}).Exact(0, 0); got != want {
			t.Errorf("%s: %v, want %v", agg, got, want)
		}
	}
}
