package panel

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// hourly is a view with a row for each hour of some days from 1 May 2026, whose n counts up.
func hourly(panel dashboard.Panel, days int) Input {
	var rows [][]any
	for i := range 24 * days {
		rows = append(rows, []any{day("2026-05-01").Add(time.Duration(i) * time.Hour), []any{"a", "b", "c"}[i%3], int64(i)})
	}
	return tiny([]dashboard.Panel{panel}, []string{"at timestamp", "name text", "n integer sum"}, rows...)
}

// daily is a view with a row for each day from 1 January 2026, whose n counts up.
func daily(panel dashboard.Panel, days int, agg string) Input {
	var rows [][]any
	for i := range days {
		rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), []any{"a", "b", "c"}[i%3], int64(i)})
	}
	return tiny([]dashboard.Panel{panel}, []string{"at date", "name text", "n integer " + agg}, rows...)
}

// monthly is a view with a row on one day of each of 24 months.
func monthly(panel dashboard.Panel, on int) Input {
	if panel.Grain == "" {
		panel.Grain = "month"
	}
	var rows [][]any
	for i := range 24 {
		rows = append(rows, []any{day("2025-01-01").AddDate(0, i, on-1), []any{"a", "b", "c"}[i%3], int64(i)})
	}
	return tiny([]dashboard.Panel{panel}, []string{"at date", "name text", "n integer sum"}, rows...)
}

// An axis begins with the first period that has a value, and ends with the last that has rows; its sentence counts the values.
func TestAxisBeginsWithValues(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{dashboard.Line, dashboard.Area, dashboard.Bar} {
		v := monthly(dashboard.Panel{Type: kind, X: "at", Y: []string{"n"}}, 1)
		values := []any{nil, nil, nil, int64(3), nil, int64(5), nil}
		var rows [][]any
		for i, n := range values {
			rows = append(rows, []any{day("2026-01-01").AddDate(0, i, 0), "a", n})
		}
		v = tiny(v.Spec.Panels, []string{"at date", "name text", "n integer sum"}, rows...)
		got := summaries(v)[0].Text
		if want := "2 points from Apr 2026 to Jul 2026: latest 5, lowest 3 (Apr 2026), highest 5 (Jun 2026)."; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
		v.Spec.Panels[0].Gaps = dashboard.GapsZero
		if kind != dashboard.Bar {
			if got := summaries(v)[0].Text; !strings.Contains(got, "points from Jan 2026 to Jul 2026") {
				t.Errorf("%s with zeros: %s", kind, got)
			}
		}
	}
}

// offered returns the grains that a panel offers, with a star after its own.
func offered(p *Rows) string {
	var out []string
	if p.grains == nil {
		return ""
	}
	for _, g := range p.grains.grains {
		name := string(g)
		if g == cube.Exact {
			name = "exact"
		}
		if g == p.grains.now {
			name += "*"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// TestGrainsOffered: a panel offers the grains that its data have, that fit and that make several points.
func TestGrainsOffered(t *testing.T) {
	t.Parallel()
	line := dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"n"}}
	with := func(change func(*dashboard.Panel)) dashboard.Panel {
		p := line
		change(&p)
		return p
	}
	grain := func(g string) dashboard.Panel { return with(func(p *dashboard.Panel) { p.Grain = g }) }
	bar := with(func(p *dashboard.Panel) { p.Type = dashboard.Bar })
	grouped := with(func(p *dashboard.Panel) { p.Type, p.Series = dashboard.Bar, "name" })
	combo := dashboard.Panel{Type: dashboard.Combo, X: "at", Bars: []string{"n"}, Lines: []string{"n"}}
	heat := dashboard.Panel{Type: dashboard.Heatmap, X: "at", Y: []string{"name"}, Value: "n"}
	for name, tc := range map[string]struct {
		v     Input
		asked string
		want  string
	}{
		"days":                {daily(line, 365, "sum"), "", "day* week month quarter"},
		"days by month":       {daily(grain("month"), 365, "sum"), "", "day week month* quarter"},
		"asked":               {daily(line, 365, "sum"), "month", "day week month* quarter"},
		"too fine":            {daily(line, 365, "sum"), "hour", "day* week month quarter"},
		"one point":           {daily(line, 365, "sum"), "year", "day* week month quarter"},
		"nonsense":            {daily(line, 365, "sum"), `<b>"`, "day* week month quarter"},
		"a year more":         {daily(line, 366, "sum"), "", "day* week month quarter year"},
		"days that are many":  {daily(line, 500, "sum"), "", "week* month quarter year"},
		"and said":            {daily(grain("day"), 500, "sum"), "", "day* week month quarter year"},
		"days in a month":     {daily(line, 31, "sum"), "", "day* week"},
		"a few days":          {daily(line, 3, "sum"), "", ""},
		"a few days of weeks": {daily(line, 5, "sum"), "", "day* week"},
		"one day":             {daily(line, 1, "sum"), "", ""},
		"ends of months":      {monthly(line, 28), "", "month* quarter year"},
		"seconds of months":   {monthly(grouped, 2), "", "month* quarter year"},
		"nothing adds up":     {daily(line, 365, "none"), "month", ""},
		"though it is said":   {daily(grain("day"), 365, "none"), "month", ""},
		"hours":               {hourly(line, 4), "", "hour* day week"},
		"many hours":          {hourly(line, 40), "", "day* week month"},
		"hours of a day":      {hourly(line, 1), "", ""},
		"columns":             {daily(bar, 100, "sum"), "", "day* week month quarter"},
		"many columns":        {daily(bar, 365, "sum"), "", "week* month quarter"},
		"three columns":       {daily(grouped, 100, "sum"), "", "week* month quarter"},
		"combo":               {daily(combo, 100, "sum"), "week", "day week* month quarter"},
		"heat map":            {daily(heat, 100, "sum"), "month", "week month* quarter"},
		"a heat map's grain": {daily(dashboard.Panel{
			Type: dashboard.Heatmap, X: "at", Y: []string{"name"}, Value: "n", Grain: "day",
		}, 100, "sum"), "", "week* month quarter"},
		"two times": {daily(dashboard.Panel{Type: dashboard.Heatmap, X: "at", Y: []string{"at"}, Value: "n"}, 100, "sum"), "", ""},
		"no times":  {daily(dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}}, 100, "sum"), "month", ""},
		"a number":  {daily(dashboard.Panel{Type: dashboard.KPI, Value: "n", Sparkline: "at"}, 365, "sum"), "month", ""},
	} {
		if tc.asked != "" {
			tc.v.Query = url.Values{"p0.grain": {tc.asked}}
		}
		p := open(tc.v).Panel(0)
		if got := offered(&p.Rows); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		if p.Problem != "" || p.Content == nil {
			t.Errorf("%s: %s %s", name, p.Problem, p.Empty)
		}
	}
}

// TestGrainsFollowed: the values of a panel by a grain are the sums of the rows, and the links lead to each grain and back.
func TestGrainsFollowed(t *testing.T) {
	t.Parallel()
	v := daily(dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"n"}}, 365, "sum")
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
	v.Query = url.Values{"f.name": {"a", "b"}}
	want := map[string]map[time.Time]float64{}
	for i := range 365 {
		at := day("2026-01-01").AddDate(0, 0, i)
		for name, begun := range map[string]time.Time{
			"Day": at, "Week": at.AddDate(0, 0, -(int(at.Weekday())+6)%7), "Month": at.AddDate(0, 0, 1-at.Day()),
			"Quarter": time.Date(at.Year(), (at.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC),
		} {
			if want[name] == nil {
				want[name] = map[time.Time]float64{}
			}
			if i%3 < 2 {
				want[name][begun] += float64(i)
			}
		}
	}
	first := links(t, render(t, v), "gr")
	second := links(t, render(t, at(v, first["Quarter"])), "gr")
	for from, links := range map[string]map[string]string{"at first": first, "by quarter": second} {
		if len(links) != len(want) {
			t.Fatalf("%s: %v", from, links)
		}
		for name, to := range links {
			there := at(v, to)
			if !slices.Equal(there.Query["f.name"], []string{"a", "b"}) {
				t.Errorf("%s: %s loses the filter: %s", from, name, to)
			}
			if there.Query.Has("p0.grain") == (name == "Day") {
				t.Errorf("%s: %s leads to %s", from, name, to)
			}
			p := open(there).Panel(0)
			if len(p.Grid.Rows) != len(want[name]) {
				t.Errorf("%s: %s: %d rows, want %d", from, name, len(p.Grid.Rows), len(want[name]))
			}
			for _, row := range p.Grid.Rows {
				begun := row[0].(cube.Category).Value.(time.Time)
				if got, is := number(row[1]), want[name][begun]; math.Abs(got-is) > 1e-9 {
					t.Errorf("%s: %s of %s: %v, want %v", from, name, begun, got, is)
				}
			}
			if doc := string(render(t, there)); strings.Count(doc, `aria-current="page">`+name+`</a>`) != 1 {
				t.Errorf("%s: %s is not marked where it leads", from, name)
			}
			csv, err := csvOfPanel(there, 0)
			if err != nil || strings.Count(string(csv), "\n") != len(want[name])+1 {
				t.Errorf("%s: the CSV by %s has %d lines, %v", from, name, strings.Count(string(csv), "\n"), err)
			}
			if !strings.Contains(string(render(t, there)), "panel=0&amp;format=csv&amp;"+strings.ReplaceAll(there.Query.Encode(), "&", "&amp;")) {
				t.Errorf("%s: the CSV by %s is not linked", from, name)
			}
		}
	}
}

// TestGrainsRead: the page ignores invalid grains, so they do not make further pages.
func TestGrainsRead(t *testing.T) {
	t.Parallel()
	s := daily(dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"n"}}, 9, "sum").Spec
	for query, want := range map[string]string{
		"p0.grain=month": "p0.grain=month", "p0.grain=months": "", "p0.grain=": "", "p0.grain=auto": "", "p1.grain=month": "",
		"p0.grain=month&p0.grain=year&p0.grain=%3Cb%3E": "p0.grain=month&p0.grain=year", "p0.sort=n": "",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := ParamsOf(s).Read(q).Encode(); got != want {
			t.Errorf("%s is read as %q, want %q", query, got, want)
		}
	}
}

// at returns a view with the query of a link.
func at(v Input, link string) Input {
	link, _, _ = strings.Cut(strings.TrimPrefix(link, "?"), "#")
	v.Query, _ = url.ParseQuery(link)
	return v
}

// links returns the links in the first element of a class, by their texts.
func links(t *testing.T, doc []byte, class string) map[string]string {
	t.Helper()
	_, rest, ok := strings.Cut(string(doc), ` `+class+`"`)
	if !ok {
		t.Fatalf("there is no %q", class)
	}
	rest, _, _ = strings.Cut(rest, "</div>")
	out := map[string]string{}
	for _, a := range strings.Split(rest, `<a href="`)[1:] {
		to, text, _ := strings.Cut(a, `"`)
		_, text, _ = strings.Cut(text, `>`)
		text, _, _ = strings.Cut(text, `</a>`)
		out[text] = strings.ReplaceAll(to, "&amp;", "&")
	}
	return out
}
