package panel

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// stocks is a page of two plans, one of which has ended, read in July 2026.
func stocks(t *testing.T, agg, query string, panels ...string) *opened {
	t.Helper()
	spec, err := dashboard.Parse([]byte(`{"version": 1, "title": "T", "datasets": [{"id": "d",
		"sql": "SELECT month, plan, sum(seats*price) AS mrr, sum(seats) AS seats FROM t GROUP BY 1, 2",
		"columns": {"mrr": {` + agg + `}, "seats": {"agg": "last"}, "each": {"ratio": ["mrr", "seats"]}}}],
		"filters": [{"column": "month"}, {"column": "plan"}], "panels": [` + strings.Join(panels, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{
		{Name: "month", Type: cube.Date},
		{Name: "plan", Type: cube.Text},
		{Name: "mrr", Type: cube.Integer},
		{Name: "seats", Type: cube.Integer},
	})
	for _, row := range [][]any{
		{day("2026-01-01"), "Pro", int64(100), int64(10)},
		{day("2026-01-01"), "Old", int64(40), int64(4)},
		{day("2026-03-01"), "Pro", int64(110), int64(11)},
		{day("2026-03-01"), "Old", int64(30), int64(3)},
		{day("2026-04-01"), "Pro", int64(120), int64(12)},
		{day("2026-06-01"), "Pro", int64(150), int64(15)},
	} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 7, 15, 9, 0, 0, 0, time.UTC)
	v := Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Query: values, Now: at, AsOf: at}
	p := open(v)
	p.workOut()
	return p
}

// gridOf returns the numbers of a panel, row by row.
func gridOf(p *Panel) string {
	if p.Problem != "" || p.Grid == nil {
		return "nothing: " + p.Problem + p.Empty
	}
	var rows []string
	for row := range p.Grid.Each() {
		var cells []string
		for j, v := range row {
			text := p.Env.Cell(p.Grid.Columns[j].Column, p.Grid.Columns[j].Grain, v)
			if v == nil {
				text = format.None
			}
			cells = append(cells, text)
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return strings.Join(rows, "; ")
}

func TestStocksOnPages(t *testing.T) {
	t.Parallel()
	const last = `"agg": "last"`
	for _, tc := range []struct {
		name, agg, query, panel string
		want, says              string // the numbers, and a part of the summary or the notes
	}{
		{"kpi", last, "", `{"type": "kpi", "value": "mrr"}`, "150", "150, as of Jun 2026."},
		{"kpi that names its time", last + `, "along": "month"`, "", `{"type": "kpi", "value": "mrr"}`, "150", "150, as of Jun 2026."},
		{"first", `"agg": "first"`, "", `{"type": "kpi", "value": "mrr"}`, "140", "140, as of Jan 2026."},
		{"by quarter", last, "", `{"type": "line", "x": "month", "y": "mrr", "grain": "quarter"}`, "Q1 2026 140; Q2 2026 150", ""},
		{"a reader asks for quarters", last, "p0.grain=quarter", `{"type": "bar", "x": "month", "y": "mrr"}`, "Q1 2026 140; Q2 2026 150", ""},
		{
			"by quarter and plan", last, "", `{"type": "line", "x": "month", "y": "mrr", "series": "plan", "grain": "quarter"}`,
			"Q1 2026 30 110; Q2 2026 – 150", "",
		},
		{"by plan", last, "", `{"type": "bar", "x": "plan", "y": "mrr"}`, "Pro 150; Old –", "MRR: as of Jun 2026. No rows in Jun 2026: Old."},
		{"pie", last, "", `{"type": "pie", "label": "plan", "value": "mrr"}`, "Pro 150; Old –", "No rows in Jun 2026: Old."},
		{
			"stack", last, "", `{"type": "bar", "x": "month", "y": "mrr", "series": "plan", "stack": true, "grain": "quarter"}`,
			"Q1 2026 30 110; Q2 2026 – 150", "",
		},
		{
			"table", last, "", `{"type": "table", "columns": ["plan", "mrr", "each"], "total": true}`, "Pro 150 10; Old – –",
			"total MRR 150",
		},
		{
			"table by month", last, "", `{"type": "table", "columns": ["month", "mrr"], "total": true}`,
			"Jan 1, 2026 140; Mar 1, 2026 140; Apr 1, 2026 120; Jun 1, 2026 150", "Totals of MRR: as of Jun 2026.",
		},
		{
			"pivot", last, "", `{"type": "pivot", "rows": ["plan"], "columns": ["month"], "values": ["mrr"], "grain": "quarter"}`,
			"Old 30 – –; Pro 110 150 150; Total 140 150 150", "Totals of MRR: as of Jun 2026.",
		},
		{"heatmap", last, "", `{"type": "heatmap", "x": "month", "y": "plan", "value": "mrr", "grain": "quarter"}`, "Old 30 –; Pro 110 150", ""},
		{"ratio", last, "", `{"type": "kpi", "value": "each"}`, "10", "10, as of Jun 2026."},
		{
			"second quarter", last, "f.month=2026-04-01..2026-06-30", `{"type": "kpi", "value": "mrr", "compare": "previous_period"}`,
			"150 140", "up 7.1% from 140 (Q1 2026)",
		},
		{
			"this month", last, "f.month=2026-06-01..2026-07-31",
			`{"type": "kpi", "value": "mrr", "compare": "previous_period"}`,
			"150 120", "up 25.0%",
		},
		{
			"the data begin in the period before", last, "f.month=2026-02-01..2026-03-31",
			`{"type": "kpi", "value": "mrr", "compare": "previous_period"}`,
			"140 140", "unchanged from 140",
		},
		{"only Old", last, "f.plan=Old", `{"type": "kpi", "value": "mrr"}`, format.None, "–, no rows in Jun 2026."},
		{
			"only Old, as a line", last, "f.plan=Old",
			`{"type": "line", "x": "month", "y": "mrr", "grain": "month"}`,
			"Jan 2026 40; Mar 2026 30", "",
		},
		{
			"only Old, until March", last, "f.plan=Old&f.month=2026-01-01..2026-03-31",
			`{"type": "kpi", "value": "mrr"}`,
			"30", "30, as of Mar 2026.",
		},
		{"a sum is none", `"agg": "sum"`, "", `{"type": "kpi", "value": "mrr"}`, "550", "550."},
	} {
		p := stocks(t, tc.agg, tc.query, tc.panel).panels[0]
		if got := gridOf(p); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
		if said := p.Summary + " " + strings.Join(p.Notes, " "); !strings.Contains(said, tc.says) {
			t.Errorf("%s: it says %s, want %s", tc.name, said, tc.says)
		}
	}
}

// TestStocksInWords: a text, the row of totals, the mean of a line, the words on the page and the periods of a sparkline.
func TestStocksInWords(t *testing.T) {
	t.Parallel()
	p := stocks(t, `"agg": "last"`, "", `{"type": "text", "markdown": "It is {{d.mrr}}."}`,
		`{"type": "table", "columns": ["plan", "mrr"], "total": true}`,
		`{"type": "line", "x": "month", "y": "mrr", "grain": "quarter", "reference": [{"kind": "average"}]}`,
		`{"type": "kpi", "value": "mrr", "sparkline": "month"}`,
		`{"type": "bar", "x": "month", "y": "mrr", "grain": "month"}`)
	if got := p.panels[0].Summary; got != "It is 150." {
		t.Errorf("text: %s", got)
	}
	if got := footOf(t, viewOf(p.Env)); !slices.Equal(got, []string{"Total", "150"}) {
		t.Errorf("total: %q", got)
	}
	html := string(render(t, viewOf(p.Env)))
	for _, want := range []string{"As of Jun 2026", "Average 145"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	k := p.panels[3].Content.(*kpiPanel)
	var line []string
	for _, at := range k.line {
		line = append(line, fmt.Sprint(at.Y))
	}
	if got := strings.Join(line, " "); got != "350 350 950 50" { // of 140, 140, 120 and 150
		t.Errorf("sparkline: %s", got)
	}
	if got := gridOf(p.panels[4]); !strings.Contains(got, "Jan 2026 140") || !strings.Contains(got, "Apr 2026 120") {
		t.Errorf("by month: %s", got)
	}
	ar := *p.Spec
	ar.Locale = "de-DE"
	v := viewOf(p.Env)
	v.Spec = &ar
	if html := string(render(t, v)); !strings.Contains(html, "Stand: Juni 2026") {
		t.Error("the German page does not say as of when")
	}
}

// TestNotesOfStocksNameShownColumns: a table notes the time of the stocks that it shows, by the names in its head, and of no other column
// that its order, its tones or its small lines need.
func TestNotesOfStocksNameShownColumns(t *testing.T) {
	t.Parallel()
	const tone = `, "thresholds": [{"column": "mrr", "if": ">", "value": 120, "tone": "good", "row": true}]`
	for panel, want := range map[string]string{
		`"columns": ["month", "mrr"], "total": true`:                                     "Totals of MRR: as of Jun 2026.",
		`"columns": ["month", {"column": "mrr", "label": "Income"}], "total": true`:      "Totals of income: as of Jun 2026.",
		`"columns": ["month", "seats"], "total": true, "sort": "-mrr"`:                   "Totals of seats: as of Jun 2026.",
		`"columns": ["month", "seats"], "total": true` + tone:                            "Totals of seats: as of Jun 2026.",
		`"columns": ["month", "plan"], "sort": "-mrr"`:                                   "",
		`"columns": ["month", "plan"], "total": true` + tone:                             "",
		`"columns": ["plan", "seats"], "sort": "-mrr"`:                                   "Seats: as of Jun 2026.",
		`"columns": ["plan", "seats"]` + tone:                                            "Seats: as of Jun 2026.",
		`"columns": ["plan", {"column": "seats", "label": "Places"}]`:                    "Places: as of Jun 2026.",
		`"columns": ["plan", {"column": "seats", "sparkline": "month"}], "sort": "-mrr"`: "Seats: as of Jun 2026.",
		`"columns": ["plan", {"column": "seats", "sparkline": "month"}], "total": true`:  "Seats: as of Jun 2026.",
	} {
		p := stocks(t, `"agg": "last", "label": "MRR"`, "", `{"type": "table", `+panel+`}`).panels[0]
		var got []string
		for _, n := range p.Notes {
			if strings.Contains(strings.ToLower(n), "as of") {
				got = append(got, n)
			}
		}
		if strings.Join(got, " ") != want || p.Problem != "" {
			t.Errorf("%s: %q, want %q %s", panel, got, want, p.Problem)
		}
	}
}

// TestNotesOfStocksInPivots: a pivot notes the time of a stock in its totals only if these are over the times of the stock.
func TestNotesOfStocksInPivots(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]bool{
		`"rows": ["plan"], "columns": ["month"]`:                      true,
		`"rows": ["plan"], "columns": ["month"], "totals": "rows"`:    true,
		`"rows": ["plan"], "columns": ["month"], "totals": "columns"`: false,
		`"rows": ["month"], "columns": ["plan"]`:                      true,
		`"rows": ["month"], "columns": ["plan"], "totals": "rows"`:    false,
		`"rows": ["month"], "columns": ["plan"], "totals": "columns"`: true,
		`"rows": ["plan", "month"], "totals": "columns"`:              true,
		`"rows": ["plan", "month"], "totals": false`:                  false,
		`"rows": ["plan"], "columns": ["month"], "totals": false`:     false,
	} {
		p := stocks(t, `"agg": "last", "label": "MRR"`, "", `{"type": "pivot", "values": ["mrr"], `+keys+`}`).panels[0]
		if got := strings.Contains(strings.Join(p.Notes, " "), "Totals of MRR: as of Jun 2026."); got != want || p.Problem != "" {
			t.Errorf("%s: noted %v, notes %q %s", keys, got, p.Notes, p.Problem)
		}
	}
}
