package panel

import (
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// compared is a view of 800 days until now, some of them without rows, whose panel is compared with the period before.
func compared(panel dashboard.Panel, query string) (v Input, values map[cube.Day]float64) {
	values = map[cube.Day]float64{}
	var rows [][]any
	last := cube.DayOf(now)
	for i := range 800 {
		d := last - 799 + cube.Day(i)
		if i%11 == 0 {
			continue
		}
		values[d] = float64(i%17 + i/9)
		rows = append(rows, []any{d.Time(), int64(values[d])})
	}
	panel.X, panel.Y = "at", []string{"n"}
	v = tiny([]dashboard.Panel{panel}, []string{"at date", "n integer sum"}, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "at", Default: []string{"last_30_days"}}}
	v.Query, _ = url.ParseQuery(query)
	return v, values
}

// TestBefore: the earlier period has at each place the sum of its rows at the same distance from its beginning, and each of its rows is at
// a place.
func TestBefore(t *testing.T) {
	t.Parallel()
	floors := map[string]func(time.Time) time.Time{
		"day":  func(t time.Time) time.Time { return t },
		"week": func(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) },
		"month": func(t time.Time) time.Time {
			return t.AddDate(0, 0, 1-t.Day())
		},
		"quarter": func(t time.Time) time.Time { return time.Date(t.Year(), (t.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC) },
	}
	for _, tc := range []struct {
		filter, grain      string
		from, to           string // of the earlier period
		days, months, rows int
	}{
		{"last_30_days", "day", "2026-09-22", "2026-10-21", 30, 0, 30},
		{"last_90_days", "day", "2026-05-25", "2026-08-22", 90, 0, 90},
		{"last_90_days", "week", "2026-05-24", "2026-08-21", 91, 0, 14},
		{"last_90_days", "month", "2026-05-23", "2026-08-20", 0, 3, 4},
		{"last_12_months", "month", "2024-11-21", "2025-11-20", 0, 12, 13},
		{"last_12_months", "quarter", "2024-11-21", "2025-11-20", 0, 12, 5},
		{"this_year", "month", "2025-01-01", "2025-11-20", 0, 12, 11},
		{"this_month", "day", "2026-10-01", "2026-10-20", 0, 1, 20},
		{"last_month", "day", "2026-09-01", "2026-09-30", 0, 1, 31},
		{"last_quarter", "month", "2026-04-01", "2026-06-30", 0, 3, 3},
		{"2026-04-01..2026-06-30", "month", "2026-01-01", "2026-03-31", 0, 3, 3},
		{"2026-06-01..2026-06-30", "month", "2026-05-01", "2026-05-31", 0, 1, 1},
		{"this_month", "week", "2026-10-11", "2026-10-30", 21, 0, 4},
		{"this_month", "quarter", "2026-08-01", "2026-08-20", 0, 3, 1},
		{"this_quarter", "month", "2026-07-01", "2026-08-20", 0, 3, 2},
		{"this_quarter", "day", "2026-08-11", "2026-09-30", 51, 0, 51},
		{"2026-03-31", "day", "2026-03-30", "2026-03-30", 1, 0, 1},
		{"2026-02-01..2026-03-31", "month", "2025-12-01", "2026-01-31", 0, 2, 2},
	} {
		for _, kind := range []string{dashboard.Line, dashboard.Bar} {
			v, values := compared(dashboard.Panel{Type: kind, Grain: tc.grain, Partial: "show"}, "p0.before=1&f.at="+tc.filter)
			p := open(v).Panel(0)
			name := tc.filter + " by " + tc.grain + " of a " + kind
			b := p.before
			if b == nil || b.split == nil {
				t.Fatalf("%s: nothing before: %s", name, p.Problem)
			}
			if b.from.Time().Format(time.DateOnly) != tc.from || b.to.Time().Format(time.DateOnly) != tc.to {
				t.Errorf("%s: before are %s to %s, want %s to %s", name, b.from.Time(), b.to.Time(), tc.from, tc.to)
			}
			want := map[time.Time]float64{} // by the place in the period
			total := 0.0
			for d, n := range values {
				if d >= b.from && d <= b.to {
					want[floors[tc.grain](d.Time()).AddDate(0, tc.months, tc.days)] += n
					total += n
				}
			}
			if got := len(p.Grid.Rows); got < tc.rows-tc.days/11-1 || got > tc.rows || kind == dashboard.Bar && got < tc.rows-1 {
				t.Errorf("%s: %d rows, want about %d", name, got, tc.rows)
			}
			for _, row := range p.Grid.Rows {
				at := row[0].(cube.Category).Value.(time.Time)
				n, ok := want[at]
				if got := number(row[2]); ok != !math.IsNaN(got) || ok && got != n {
					t.Errorf("%s: beside %s is %v, want %v", name, at.Format(time.DateOnly), got, n)
				}
				total -= n
			}
			if total != 0 {
				t.Errorf("%s: rows of %v are missing", name, total)
			}
			doc := string(render(t, v))
			for _, text := range []string{
				"The period before is ", ">Period before</th>", `aria-current="true">Period before</a>`, `class="l l11 thin`,
			} {
				if !strings.Contains(doc, text) && tc.days != 1 {
					t.Errorf("%s: no %s", name, text)
				}
			}
			if text := summaries(v)[0].Text; !strings.Contains(text, "Period before: latest ") {
				t.Errorf("%s: %s", name, text)
			}
			if csv, err := csvOfPanel(v, 0); err != nil || !strings.HasPrefix(string(csv), "At,N,Period before\n") {
				t.Errorf("%s: the CSV begins with %.60s, %v", name, csv, err)
			}
		}
	}
}

// TestBeforeOffered: an impossible comparison is not offered, and nothing of it is drawn.
func TestBeforeOffered(t *testing.T) {
	t.Parallel()
	line := dashboard.Panel{Type: dashboard.Line}
	for name, tc := range map[string]struct {
		panel   dashboard.Panel
		query   string
		change  func(*Input)
		offered bool
	}{
		"a line":       {line, "", nil, true},
		"a bar":        {dashboard.Panel{Type: dashboard.Bar}, "", nil, true},
		"horizontal":   {dashboard.Panel{Type: dashboard.Bar, Horizontal: true}, "", nil, false},
		"an area":      {dashboard.Panel{Type: dashboard.Area}, "", nil, false},
		"all":          {line, "f.at=all", nil, false},
		"open":         {line, "f.at=custom&f.at.from=2026-03-01", nil, false},
		"before all":   {line, "f.at=2024-09-12..2026-11-20", nil, false},
		"a part of it": {line, "f.at=2025-09-12..2026-11-20", nil, true},
		"two":          {line, "", func(v *Input) { v.Spec.Panels[0].Y = []string{"n", "n"} }, false},
		"a series":     {line, "", func(v *Input) { v.Spec.Panels[0].Series = "at" }, false},
		"no filter":    {line, "", func(v *Input) { v.Spec.Filters = nil }, false},
		"of others":    {line, "", func(v *Input) { v.Spec.Filters[0].Data = []string{"e"} }, false},
	} {
		v, _ := compared(tc.panel, tc.query)
		if tc.change != nil {
			tc.change(&v)
		}
		for _, asked := range []bool{false, true} {
			if v.Query.Del("p0.before"); asked {
				v.Query.Set("p0.before", "1")
			}
			doc := string(render(t, v))
			if got := strings.Contains(doc, ">Period before</a>"); got != tc.offered {
				t.Errorf("%s, asked %v: offered %v", name, asked, got)
			}
			if drawn := strings.Contains(doc, "l11 thin"); drawn != (asked && tc.offered) {
				t.Errorf("%s, asked %v: drawn %v", name, asked, drawn)
			}
		}
	}
	v, _ := compared(line, "f.at=2025-09-12..2026-11-20&p0.before=1")
	if notes := strings.Join(open(v).Panel(0).Notes, " "); !strings.Contains(notes, "; the data begin Sep 13, 2024.") {
		t.Errorf("where the data begin is not said: %s", notes)
	}
	for value, want := range map[string]string{"1": "p0.before=1", "0": "", "yes": "", "": ""} {
		if got := ParamsOf(v.Spec).Read(url.Values{"p0.before": {value}}).Encode(); got != want {
			t.Errorf("%q is read as %q", value, got)
		}
	}
	v.Spec.Panels[0].Series = "at"
	if got := ParamsOf(v.Spec).Read(url.Values{"p0.before": {"1"}}).Encode(); got != "" {
		t.Errorf("a panel with a series reads %s", got)
	}
}

// TestBeforeEmpty: a period without rows is reported, and readers can return to the panel without it.
func TestBeforeEmpty(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}}}, []string{"at date", "name text", "n integer sum"},
		[]any{day("2026-10-20"), "b", int64(1)}, []any{day("2026-11-10"), "a", int64(2)}, []any{day("2026-11-12"), "a", nil})
	v.Spec.Filters = []dashboard.Filter{{Column: "at", Default: []string{"last_30_days"}}, {Column: "name", Default: []string{"a"}}}
	v.Query = url.Values{"p0.before": {"1"}}
	doc := string(render(t, v))
	if !strings.Contains(doc, "No data in the period before, Sep 22, 2026 – Oct 21, 2026.") ||
		!strings.Contains(doc, `aria-current="true">Period before</a>`) {
		t.Error("that there is nothing is not said, or not to be taken away")
	}
	v.Query.Set("f.name", "b")
	if doc := string(render(t, v)); !strings.Contains(doc, "No data for these filters.") {
		t.Error("a panel without rows of its own is drawn")
	}
}
