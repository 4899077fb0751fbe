package panel

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestTimesAreCombinedAsInSQL: if rows of several groups are merged, times are combined by the function in the SQL, in numbers, texts,
// totals and orders; so are numbers.
func TestTimesAreCombinedAsInSQL(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ function, want, words, first string }{
		{"min", "Jan 5, 2026", "earliest", "Old"},
		{"first", "Jan 5, 2026", "earliest", "Old"},
		{"max", "Mar 9, 2026", "latest", "New"},
		{"last", "Mar 9, 2026", "latest", "New"},
		{"any_value", "Mar 9, 2026", "latest", "Old"},
	} {
		spec, err := dashboard.Parse([]byte(`{"version": 1, "title": "T", "datasets": [{"id": "d",
			"sql": "SELECT plan, month, ` + tc.function + `(day) AS seen, min(n) AS least, max(n) AS most FROM t GROUP BY 1, 2"}],
			"columns": {"plan": {"order": "seen"}},
			"panels": [{"type": "kpi", "value": "seen"}, {"type": "text", "markdown": "It was {{d.seen}}, {{d.least}} to {{d.most}}."},
				{"type": "table", "columns": ["plan", "seen", "least", "most"], "total": true},
				{"type": "bar", "x": "plan", "y": "most"}, {"type": "kpi", "value": "least"}, {"type": "kpi", "value": "most"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		v := Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": timesByGroup(t, false)}, Now: now}
		p := open(v)
		p.workOut()
		if got := p.panels[0].Summary; got != tc.want+"." {
			t.Errorf("%s: kpi: %s, want %s", tc.function, got, tc.want)
		}
		if got := p.panels[0].Title; got != "Seen ("+tc.words+")" {
			t.Errorf("%s: title: %s, want %s", tc.function, got, tc.words)
		}
		if got, want := p.panels[1].Summary, "It was "+tc.want+", 3 to 9."; got != want {
			t.Errorf("%s: text: %s, want %s", tc.function, got, want)
		}
		want := []string{"Total", tc.want, "3", "9"}
		if tc.function == "any_value" {
			want[1] = ""
		}
		if got := footOf(t, v); !slices.Equal(got, want) {
			t.Errorf("%s: total: %q, want %q", tc.function, got, want)
		}
		if got := p.panels[3].words(0, p.panels[3].Grid.Rows[0][0]); got != tc.first {
			t.Errorf("%s: the order begins with %s, want %s", tc.function, got, tc.first)
		}
		if got := p.panels[4].Summary + p.panels[5].Summary; got != "3.9." {
			t.Errorf("%s: numbers: %s, want 3 and 9", tc.function, got)
		}
		if !strings.Contains(string(render(t, v)), tc.want) {
			t.Errorf("%s: the page has no %s", tc.function, tc.want)
		}
	}
}

// timesByGroup returns rows of two plans and months, each with a time, and on request those of a plan with one time in both months.
func timesByGroup(t *testing.T, same bool) *cube.Cube {
	t.Helper()
	b := cube.NewBuilder([]cube.Column{
		{Name: "plan", Type: cube.Text},
		{Name: "month", Type: cube.Integer},
		{Name: "seen", Type: cube.Date},
		{Name: "least", Type: cube.Integer},
		{Name: "most", Type: cube.Integer},
	})
	rows := [][]any{
		{"New", int64(1), day("2026-02-01"), int64(4), int64(8)},
		{"New", int64(2), day("2026-02-02"), int64(3), int64(9)},
		{"Old", int64(1), day("2026-01-05"), int64(5), int64(7)},
		{"Old", int64(2), day("2026-03-09"), int64(6), int64(6)},
	}
	if same {
		rows = append(rows, []any{"Same", int64(1), day("2026-04-04"), int64(1), int64(1)}, []any{"Same", int64(2), day("2026-04-04"), nil, nil})
	}
	for _, row := range rows {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	return b.Cube()
}

// TestTimesChosenByAnotherColumn: of several times that the SQL chooses by something else, neither the earliest nor the latest is shown.
// Readers get the reason, and the author the remedies. A time that all rows have, and one whose end the spec declares, are shown.
func TestTimesChosenByAnotherColumn(t *testing.T) {
	t.Parallel()
	const why = "No value for seen: it has several, and nothing says which one is meant."
	for _, tc := range []struct{ expr, columns, plan, kpi, title, text, total string }{
		{"arg_min(day, n)", "", "", "", "Seen", "–", "–"},
		{"last(day ORDER BY n)", "", "", "", "Seen", "–", "–"},
		{"median(day)", "", "", "", "Seen", "–", "–"},
		{"coalesce(min(day), max(day))", "", "", "", "Seen", "–", "–"},
		{"arg_min(day, n)", "", "Same", "Apr 4, 2026.", "Seen", "Apr 4, 2026", "Apr 4, 2026"},
		{"arg_min(day, n)", `"seen": {"agg": "min"}`, "", "Jan 5, 2026.", "Seen (earliest)", "Jan 5, 2026", "Jan 5, 2026"},
		{"arg_min(day, n)", `"seen": {"agg": "max"}`, "", "Apr 4, 2026.", "Seen (latest)", "Apr 4, 2026", "Apr 4, 2026"},
	} {
		spec, err := dashboard.Parse([]byte(`{"version": 1, "title": "T", "datasets": [{"id": "d", "columns": {` + tc.columns + `},
			"sql": "SELECT plan, month, ` + tc.expr + ` AS seen, min(n) AS least, max(n) AS most FROM t GROUP BY 1, 2"}],
			"filters": [{"column": "plan"}],
			"panels": [{"type": "kpi", "value": "seen"}, {"type": "text", "markdown": "It was {{d.seen}}."},
				{"type": "table", "columns": ["plan", "seen", "most"], "total": true}]}`))
		if err != nil {
			t.Fatal(err)
		}
		v := Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": timesByGroup(t, true)}, Now: now}
		if tc.plan != "" {
			v.Query = url.Values{"f.plan": {tc.plan}}
		}
		p := open(v)
		p.workOut()
		kpi, text, table := p.panels[0], p.panels[1], p.panels[2]
		if kpi.Summary != tc.kpi || kpi.Title != tc.title || (kpi.Problem == why) != (tc.kpi == "") {
			t.Errorf("%s: kpi: %s: %s %s", tc.expr, kpi.Title, kpi.Summary, kpi.Problem)
		}
		if want := "It was " + tc.text + "."; text.Summary != want {
			t.Errorf("%s: text: %s, want %s", tc.expr, text.Summary, want)
		}
		if got := footOf(t, v); len(got) != 3 || got[1] != tc.total {
			t.Errorf("%s: total: %s, want %s", tc.expr, got, tc.total)
		}
		for i, key := range []string{"value", "markdown", "total"} {
			one := p.panels[i]
			told := slices.ContainsFunc(one.Warnings, func(w dashboard.Warning) bool {
				return w.Code == dashboard.WarnLeftOut && w.Path == fmt.Sprintf("panels[%d].%s", i, key) &&
					strings.Contains(w.Message, `"agg": "min"`)
			})
			if told != (tc.kpi == "") {
				t.Errorf("%s: warnings of %s: %v", tc.expr, one.Title, one.Warnings)
			}
		}
		for _, one := range []*Panel{text, table} {
			if slices.Contains(one.Notes, why) != (tc.kpi == "") {
				t.Errorf("%s: notes of %s: %s", tc.expr, one.Title, one.Notes)
			}
		}
	}
}
