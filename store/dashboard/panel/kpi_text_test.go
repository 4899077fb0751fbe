package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// TestKPIOfText: a kpi of a dimension shows the value that is first by sort, with what makes it the first, and notes others that are equal.
func TestKPIOfText(t *testing.T) {
	t.Parallel()
	columns := []string{"day date", "city text", "state text", "n integer sum currency"}
	rows := [][]any{
		{day("2026-10-01"), "Lyon", "open", int64(5)},
		{day("2026-10-02"), "Nice", "failed", int64(7)},
		{day("2026-10-03"), "Lyon", "done", int64(6)},
		{day("2026-10-03"), "Metz", "open", int64(11)},
		{day("2026-09-30"), nil, nil, int64(90)},
	}
	for _, tc := range []struct {
		panel   dashboard.Panel
		summary string
		notes   string
		drawn   string
	}{
		{
			dashboard.Panel{Value: "city", Sort: "-n"},
			"Lyon, n: $11.", "Also first, with the same value: Metz.",
			"words \"Lyon\"\ndelta \"N: $11\"",
		},
		{dashboard.Panel{Value: "city", Sort: "n"}, "Nice, n: $7.", "", ""},
		{dashboard.Panel{Value: "state", Sort: "-day"}, "done, day: Oct 3, 2026.", "Also first, with the same value: open.", ""},
		{dashboard.Panel{Value: "state", Sort: "day"}, "open, day: Oct 1, 2026.", "", ""},
		{dashboard.Panel{Value: "city", Sort: "-city"}, "Nice.", "", ""},
		{dashboard.Panel{Value: "city", Sort: "city"}, "Lyon.", "", ""},
		{dashboard.Panel{Value: "city"}, "Lyon.", "The first of 3 values, in the order of the rows.", ""},
		{
			dashboard.Panel{Value: "state", Sort: "-n", Thresholds: []dashboard.Threshold{
				{If: ">=", By: "failed", Tone: "bad"}, {If: ">=", By: "open", Tone: "warn"},
			}}, "open, n: $16.", "", `words "open" warn`,
		},
		{
			dashboard.Panel{Value: "city", Sort: "day", Thresholds: []dashboard.Threshold{
				{Column: "n", If: ">", Value: 10, Tone: "good"}, {Column: "n", If: "<", Value: 10, Tone: "bad"},
			}}, "Lyon, day: Oct 1, 2026.", "", `words "Lyon" good`, // 11 in two rows
		},
		{
			dashboard.Panel{Value: "city", Sort: "n", Thresholds: []dashboard.Threshold{
				{Column: "n", If: "<", Value: 10, Tone: "bad"}, {Column: "city", If: "=", By: "Nice", Tone: "warn"},
			}}, "Nice, n: $7.", "", `words "Nice" warn`, // the text itself is closer
		},
	} {
		tc.panel.Type = dashboard.KPI
		p := open(tiny([]dashboard.Panel{tc.panel}, columns, rows...)).Panel(0)
		if notes := strings.Join(p.Notes, " "); p.Summary != tc.summary || notes != tc.notes {
			t.Errorf("%s by %s:\n%s\n%s %s", tc.panel.Value, tc.panel.Sort, p.Summary, notes, p.Problem)
		}
		var r canvas.Recorder
		p.Content.Draw(&r)
		if !strings.Contains(r.String(), tc.drawn) {
			t.Errorf("%s by %s:\n%s", tc.panel.Value, tc.panel.Sort, r.String())
		}
		if p.Long() {
			t.Errorf("%s: the numbers beside it would get smaller", tc.panel.Value)
		}
	}
}

// TestLongTextOfKPIIsNotCutInSilence: a text of more than a cell is cut with a note.
func TestLongTextOfKPIIsNotCutInSilence(t *testing.T) {
	t.Parallel()
	for n, note := range map[int]bool{150: false, 350: true} {
		p := open(tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "city", Sort: "-n"}}, []string{"city text", "n integer sum"},
			[]any{strings.Repeat("abcd ", n/5), int64(1)})).Panel(0)
		if got := strings.Contains(strings.Join(p.Notes, " "), "The text is cut here"); got != note {
			t.Errorf("%d letters: %q", n, p.Notes)
		}
	}
}

// TestKPIOfTextWithoutRows: without a value to sort by, there is no first text.
func TestKPIOfTextWithoutRows(t *testing.T) {
	t.Parallel()
	p := open(tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "city", Sort: "-n"}}, []string{"city text", "n integer sum"},
		[]any{"Lyon", nil}, []any{nil, int64(3)})).Panel(0)
	if p.Summary != "No value for these filters." {
		t.Error(p.Summary)
	}
}

// TestKPIOfTextByFacet: each value of the facet has its own first text.
func TestKPIOfTextByFacet(t *testing.T) {
	t.Parallel()
	p := open(tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "city", Facet: "land", Sort: "-n"}},
		[]string{"land text", "city text", "n integer sum"},
		[]any{"FR", "Lyon", int64(1)}, []any{"FR", "Nice", int64(4)}, []any{"DE", "Ulm", int64(2)})).Panel(0)
	var got []string
	for _, n := range p.Numbers() {
		got = append(got, n.Title+" "+n.Value+" "+n.Change)
	}
	if all := strings.Join(got, "; "); all != "City by land · DE Ulm N: 2; City by land · FR Nice N: 4" {
		t.Error(all, p.Problem)
	}
}

// TestKPIOfSortedDate: a kpi of a date with sort shows the date that is first by it, as that of a text does; with a facet, each value of
// the facet has its own. The order of the tiles by the facet stays.
func TestKPIOfSortedDate(t *testing.T) {
	t.Parallel()
	columns := []string{"at date", "city text", "n integer sum"}
	rows := [][]any{
		{day("2026-10-02"), "Nice", int64(7)},
		{day("2026-10-03"), "Lyon", int64(6)},
		{day("2026-10-03"), "Nice", int64(3)},
		{day("2026-10-01"), "Lyon", int64(9)},
		{nil, "Lyon", int64(90)},
	}
	for _, tc := range []struct{ keys, want, notes string }{
		{`"sort": "at"`, "At (earliest): Oct 1, 2026.", ""},
		{`"sort": "-at"`, "At (latest): Oct 3, 2026.", ""},
		{`"sort": "-n"`, "At: Oct 1, 2026, n: 9.", "Also first, with the same value: Oct 3, 2026."},
		{`"sort": "n"`, "At: Oct 2, 2026, n: 7.", ""},
		{`"sort": "-city"`, "At: Oct 2, 2026, city: Nice.", "Also first, with the same value: Oct 3, 2026."},
		{`"sort": "-n", "facet": "city"`, "At by city: Lyon: Oct 1, 2026, n: 9. Nice: Oct 2, 2026, n: 7.", ""},
		{`"sort": "-city", "facet": "city"`, "At by city: Nice: Oct 3, 2026. Lyon: Oct 3, 2026.", ""},
		{`"sort": "at", "facet": "city"`, "At by city: Lyon: Oct 1, 2026. Nice: Oct 2, 2026.", ""},
	} {
		v := tinySpec(t, `{"type": "kpi", "value": "at", `+tc.keys+`}`, columns, rows...)
		if _, err := v.Spec.Check(map[string][]cube.Column{"d": v.Cubes["d"].Columns()}); err != nil {
			t.Errorf("%s: %v", tc.keys, err)
		}
		p := open(v).Panel(0)
		if got, notes := p.Title+": "+p.Summary, strings.Join(p.Notes, " "); got != tc.want || notes != tc.notes {
			t.Errorf("%s: %s, want %s; %s %s", tc.keys, got, tc.want, notes, p.Problem)
		}
	}
}
