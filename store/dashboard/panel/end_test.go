package panel

import (
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
		b := cube.NewBuilder([]cube.Column{
			{Name: "plan", Type: cube.Text},
			{Name: "month", Type: cube.Integer},
			{Name: "seen", Type: cube.Date},
			{Name: "least", Type: cube.Integer},
			{Name: "most", Type: cube.Integer},
		})
		for _, row := range [][]any{
			{"New", int64(1), day("2026-02-01"), int64(4), int64(8)},
			{"New", int64(2), day("2026-02-02"), int64(3), int64(9)},
			{"Old", int64(1), day("2026-01-05"), int64(5), int64(7)},
			{"Old", int64(2), day("2026-03-09"), int64(6), int64(6)},
		} {
			if err := b.Add(row); err != nil {
				t.Fatal(err)
			}
		}
		v := Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Now: now}
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
