package dashboard

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
)

func checkStock(t *testing.T, sql, columns, panel string, cols []cube.Column, rows ...[]any) (warnings []Warning, err error) {
	t.Helper()
	s, err := Parse([]byte(`{"version": 1, "title": "T", "datasets": [{"id": "d", "sql": "` + sql + `", "columns": {` + columns + `}}],
		"panels": [` + panel + `]}`))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return s.Check(map[string][]cube.Column{"d": cols})
	}
	b := cube.NewBuilder(cols)
	for _, row := range rows {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	return s.CheckRows(map[string][]cube.Column{"d": cols}, map[string]*cube.Cube{"d": b.Cube()})
}

// The values of agg last and along, and the panels that accept them.
func TestStockChecks(t *testing.T) {
	t.Parallel()
	col := func(name string, kind cube.Type) cube.Column { return cube.Column{Name: name, Type: kind} }
	month, plan, mrr := col("month", cube.Date), col("plan", cube.Text), col("mrr", cube.Integer)
	one := []cube.Column{month, plan, mrr}
	const sql = "SELECT month, plan, sum(x) AS mrr FROM t GROUP BY 1, 2"
	const last = `"mrr": {"agg": "last"}`
	for _, tc := range []struct {
		name, sql, columns, panel string
		cols                      []cube.Column
		want                      string
	}{
		{"kpi", sql, last, `{"type": "kpi", "value": "mrr"}`, one, ""},
		{"kpi with the time before", sql, last, `{"type": "kpi", "value": "mrr", "compare": "previous_period"}`, one, ""},
		{"kpi with the month before", sql, last, `{"type": "kpi", "value": "mrr", "compare": "previous_period", "grain": "quarter"}`, one, ""},
		{
			"kpi of a ratio", sql, last + `, "n": {"agg": "last"}, "each": {"ratio": ["mrr", "n"]}`,
			`{"type": "kpi", "value": "each", "compare": "previous_year"}`, append(one[:3:3], col("n", cube.Integer)), "",
		},
		{
			"kpi of a ratio with a sum", sql, last + `, "n": {"agg": "sum"}, "each": {"ratio": ["mrr", "n"]}`,
			`{"type": "kpi", "value": "each", "compare": "previous_year"}`, append(one[:3:3], col("n", cube.Integer)), "",
		},
		{"kpi of a sum", sql, `"mrr": {"agg": "sum"}`, `{"type": "kpi", "value": "mrr", "compare": "previous_period"}`, one, ""},
		{"pie", sql, last, `{"type": "pie", "label": "plan", "value": "mrr"}`, one, ""},
		{"pie along", sql, last, `{"type": "pie", "label": "month", "value": "mrr"}`, one, "does not add up to the whole"},
		{"stack", sql, last, `{"type": "bar", "x": "month", "y": "mrr", "series": "plan", "stack": "percent"}`, one, ""},
		{"stack along", sql, last, `{"type": "bar", "x": "plan", "y": "mrr", "series": "month", "stack": true}`, one, "leave stack out"},
		{"share", sql, last, `{"type": "bar", "x": "plan", "y": "mrr", "horizontal": true, "share": "total"}`, one, ""},
		{"other", sql, last, `{"type": "bar", "x": "plan", "y": "mrr", "other": true}`, one, ""},
		{"waterfall", sql, last, `{"type": "waterfall", "label": "plan", "value": "mrr"}`, one, ""},
		{"waterfall along", sql, last, `{"type": "waterfall", "label": "month", "value": "mrr"}`, one, "values of several times do not add up"},
		{
			"weight", "SELECT month, n, sum(x) AS mrr FROM t GROUP BY 1, 2", last + `, "n": {"agg": "none"}`,
			`{"type": "histogram", "value": "n", "weight": "mrr"}`,
			[]cube.Column{month, col("n", cube.Integer), mrr},
			"panels[0].weight",
		},
		{
			"no time", "SELECT plan, sum(x) AS mrr FROM t GROUP BY 1", last, `{"type": "kpi", "value": "mrr"}`,
			[]cube.Column{plan, mrr},
			`datasets[0].columns.mrr.agg: "last" needs a time, and dataset "d" returns none`,
		},
		{
			"two times", "SELECT month, plan, day, sum(x) AS mrr FROM t GROUP BY 1, 2, 3", last, `{"type": "kpi", "value": "mrr"}`,
			[]cube.Column{month, plan, col("day", cube.Timestamp), mrr},
			`datasets[0].columns.mrr.along: is missing: "last" is of one time`,
		},
		{
			"one of two times", "SELECT month, plan, day, sum(x) AS mrr FROM t GROUP BY 1, 2, 3", `"mrr": {"agg": "last", "along": "day"}`,
			`{"type": "kpi", "value": "mrr"}`,
			[]cube.Column{month, plan, col("day", cube.Timestamp), mrr},
			"",
		},
		{
			"a time that is an aggregate", "SELECT month, plan, max(at) AS seen, sum(x) AS mrr FROM t GROUP BY 1, 2", last,
			`{"type": "kpi", "value": "mrr"}`,
			[]cube.Column{month, plan, col("seen", cube.Instant), mrr},
			"",
		},
		{
			"a year", "SELECT year, plan, sum(x) AS mrr FROM t GROUP BY 1, 2", last, `{"type": "kpi", "value": "mrr"}`,
			[]cube.Column{col("year", cube.Integer), plan, mrr},
			"",
		},
		{
			"along a text", sql, `"mrr": {"agg": "last", "along": "plan"}`, `{"type": "kpi", "value": "mrr"}`, one,
			`datasets[0].columns.mrr.along: "plan" is of type text, and this must be a date`,
		},
		{
			"along an id", "SELECT month, plan_id, sum(x) AS mrr FROM t GROUP BY 1, 2", `"mrr": {"agg": "last", "along": "plan_id"}`,
			`{"type": "kpi", "value": "mrr"}`,
			[]cube.Column{month, col("plan_id", cube.Integer), mrr},
			"is a number that names things",
		},
		{"along nothing", sql, `"mrr": {"agg": "last", "along": "mont"}`, `{"type": "kpi", "value": "mrr"}`, one, `did you mean "month"?`},
		{
			"along of a sum", sql, `"mrr": {"agg": "sum", "along": "month"}`, `{"type": "kpi", "value": "mrr"}`, one,
			`datasets[0].columns.mrr.along: is the time of which "last" and "first" take one`,
		},
		{
			"along of a ratio", sql, `"r": {"ratio": ["mrr", "mrr"], "along": "month"}`, `{"type": "kpi", "value": "r"}`,
			one, "does not go with ratio",
		},
		{"last of a date", sql, `"month": {"agg": "last"}`, `{"type": "table"}`, one, `write "min" or "max"`},
		{"latest", sql, `"mrr": {"agg": "latest"}`, `{"type": "table"}`, one, `did you mean "last"?`},
		{"last_value", sql, `"mrr": {"agg": "last_value"}`, `{"type": "table"}`, one, `did you mean "last"?`},
		{"lastNotNull", sql, `"mrr": {"agg": "lastNotNull"}`, `{"type": "table"}`, one, `did you mean "last"?`},
		{"semi_additive", sql, `"mrr": {"agg": "semi_additive"}`, `{"type": "table"}`, one, `did you mean "last"?`},
		{"order_by", sql, `"mrr": {"agg": "last", "order_by": "month"}`, `{"type": "table"}`, one, `did you mean "along"?`},
		{"time_dimension", sql, `"mrr": {"agg": "last", "time_dimension": "month"}`, `{"type": "table"}`, one, `did you mean "along"?`},
	} {
		_, err := checkStock(t, tc.sql, tc.columns, tc.panel, tc.cols)
		if got := ""; err != nil {
			got = err.Error()
			if tc.want == "" || !strings.Contains(got, tc.want) {
				t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
			}
		} else if tc.want != "" {
			t.Errorf("%s: no error, want %s", tc.name, tc.want)
		}
	}
}

// A measure that the SQL takes from one row of each group is refused where groups are merged: the refusal names the function, and what
// "last" would add up.
func TestValuesOfOneRow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ expr, name string }{
		{"first(n)", "first"},
		{"last(n ORDER BY day)", "last"},
		{"arg_max(n, day)", "arg_max"},
		{"any_value(n)", "any_value"},
		{"min_by(n, day)", "min_by"},
		{"round(argMax(n, day), 2)", "argmax"},
		{"CAST(any(n) AS integer)", "any"},
	} {
		for _, panel := range []string{
			`"type": "kpi", "value": "price"`, `"type": "text", "markdown": "{{d.price}}"`,
			`"type": "bar", "x": "plan", "y": "price"`, `"type": "pivot", "rows": ["plan"], "values": ["price"]`,
		} {
			for _, month := range []cube.Column{{Name: "month", Type: cube.Date}, {Name: "shop", Type: cube.Text}} {
				_, err := checkStock(t, "SELECT "+month.Name+", plan, "+tc.expr+" AS price FROM t GROUP BY 1, 2", "", "{"+panel+"}",
					[]cube.Column{month, {Name: "plan", Type: cube.Text}, {Name: "price", Type: cube.Number}})
				if err == nil {
					t.Errorf("%s: {%s} is accepted", tc.expr, panel)
					continue
				}
				want := []string{tc.name + "() returns the value of one row of each group", `"agg" (sum, min, max, avg, median or last) in datasets[0]`}
				if month.Type == cube.Date {
					want[1] = `"agg" ("last" adds up the values of the latest "month"; or sum, min, max, avg, median) in datasets[0]`
				}
				for _, want := range want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%s: {%s}: %s, want %s", tc.expr, panel, err, want)
					}
				}
			}
		}
	}
}

// A measure that is named like a level and added up over time has a warning, once.
func TestStockWarnings(t *testing.T) {
	t.Parallel()
	on := func(month int) time.Time { return time.Date(2026, time.Month(month), 1, 0, 0, 0, 0, time.UTC) }
	const kpi, line = `{"type": "kpi", "value": "%"}`, `{"type": "line", "x": "month", "y": "%"}`
	for _, tc := range []struct {
		name, column, meta, panel string
		want                      bool
	}{
		{"kpi", "mrr", "", `{"type": "kpi", "value": "%", "sparkline": "month"}, {"type": "kpi", "value": "%"}`, true},
		{"a line, of which a reader can see quarters", "mrr", "", line, true},
		{"bar", "open_tickets", "", `{"type": "bar", "x": "plan", "y": "%"}`, true},
		{"text", "Headcount", "", `{"type": "text", "markdown": "{{d.%}}"}`, true},
		{"camel case", "cashBalance", "", kpi, true},
		{"a label", "x", `"label": "Backlog"`, kpi, true},
		{"a total", "inventory", "", `{"type": "table", "total": true}`, true},
		{"pivot", "active", "", `{"type": "pivot", "rows": ["plan"], "columns": ["month"], "values": ["%"]}`, true},
		{"pie", "mrr", "", `{"type": "pie", "label": "plan", "value": "%"}`, true},
		{"a part of a ratio", "mrr", `}, "each": {"ratio": ["mrr", "mrr"]`, `{"type": "bar", "x": "plan", "y": "each"}`, true},
		{"an alert by quarter", "mrr", "", `{"type": "table"}], "alerts": [{"id": "a", "value": "mrr", "x": "month", "grain": "quarter", ` +
			`"if": "<", "than": 1}`, true},
		{"an alert by month", "mrr", "", `{"type": "table"}], "alerts": [{"id": "a", "value": "mrr", "x": "month", "if": "<", "than": 1}`, false},
		{"new", "new_mrr", "", kpi, false},
		{"a table of rows", "mrr", "", `{"type": "table"}`, false},
		{"last", "mrr", `"agg": "last"`, kpi, false},
		{"sum", "mrr", `"agg": "sum"`, kpi, false},
		{"several", "balances", "", kpi, true},
		{"subscribers", "paid_subscribers", "", kpi, true},
		{"a label in German", "x", `"label": "Offene Tickets"`, kpi, true},
		{"a label in French", "x", `"label": "Encours clients"`, kpi, true},
		{"a label in Spanish", "x", `"label": "Existencias (uds.)"`, kpi, true},
		{"a label in Portuguese", "x", `"label": "Estoque"`, kpi, true},
		{"a label in Italian", "x", `"label": "Giacenza media"`, kpi, true},
		{"a label in Dutch", "x", `"label": "Voorraad"`, kpi, true},
		{"a label in Japanese", "x", `"label": "在庫数"`, kpi, true},
		{"a label in Chinese", "x", `"label": "账户余额"`, kpi, true},
		{"a label in Korean", "x", `"label": "재고 수량"`, kpi, true},
		{"a label in Arabic", "x", `"label": "رصيد الحساب"`, kpi, true},
		{"new ones in German", "x", `"label": "Neue Abonnenten"`, kpi, false},
		{"new ones in Chinese", "x", `"label": "新员工"`, kpi, false},
		{"hired", "employees_hired", "", kpi, false},
		{"opened", "opened", "", kpi, false},
		{"revenue", "revenue", "", kpi, false},
		{"price", "price", "", kpi, false},
	} {
		cols := []cube.Column{{Name: "month", Type: cube.Date}, {Name: "plan", Type: cube.Text}, {Name: tc.column, Type: cube.Integer}}
		sql := "SELECT month, plan, sum(seats*price) AS " + tc.column + " FROM t GROUP BY 1, 2"
		rows := [][]any{{on(1), "a", int64(1)}, {on(2), "a", int64(1)}, {on(1), "b", int64(1)}, {on(2), "b", int64(1)}}
		warnings, err := checkStock(t, sql, `"`+tc.column+`": {`+tc.meta+`}`, strings.ReplaceAll(tc.panel, "%", tc.column), cols, rows...)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		n := 0
		for _, w := range warnings {
			if w.Code == WarnStock {
				n++
				if w.Path != "datasets[0].columns."+tc.column || !strings.Contains(w.Message, `"agg": "last"`) {
					t.Errorf("%s: %s", tc.name, w)
				}
			}
		}
		if n != map[bool]int{true: 1}[tc.want] {
			t.Errorf("%s: %d warnings: %v", tc.name, n, warnings)
		}
		now, err := checkStock(t, sql, `"`+tc.column+`": {`+tc.meta+`}`, strings.ReplaceAll(tc.panel, "%", tc.column), cols, rows[0], rows[2])
		for _, w := range now {
			if err != nil || w.Code == WarnStock {
				t.Errorf("%s, of one month: %s, %v", tc.name, w, err)
			}
		}
	}
	cols := []cube.Column{{Name: "month", Type: cube.Date}, {Name: "plan", Type: cube.Text}, {Name: "n", Type: cube.Integer}}
	for n, want := range map[int]bool{1: true, 2: false, 4: false} { // rows of the last month, of four in others
		var rows [][]any
		for m := 1; m <= 4; m++ {
			for i := range 4 {
				if m < 4 || i < n {
					rows = append(rows, []any{on(m), string(rune('a' + i)), int64(1)})
				}
			}
		}
		warnings, err := checkStock(t, "SELECT month, plan, n FROM t", `"n": {"agg": "last"}`, `{"type": "kpi", "value": "n"}`, cols, rows...)
		if found := len(warnings) == 1 && warnings[0].Code == WarnStock; err != nil || found != want {
			t.Errorf("%d rows of the last month: %v, %v", n, warnings, err)
		}
	}
}

// Sums that jump from one day to the next are counts of events, such as tickets by the day on which they were opened that are open still.
// The sum of a level hardly changes.
func TestStockWarningsOfJumps(t *testing.T) {
	t.Parallel()
	cols := []cube.Column{{Name: "day", Type: cube.Date}, {Name: "team", Type: cube.Text}, {Name: "open_tickets", Type: cube.Integer}}
	const sql = "SELECT day, team, count(*) FILTER (WHERE closed_at IS NULL) AS open_tickets FROM t GROUP BY 1, 2"
	const most = 20
	for name, tc := range map[string]struct {
		n      func(day, team int) int
		days   int
		warned bool
	}{
		"counts":                {func(day, team int) int { return (day*7 + team*3) % 5 * (day % 3) }, most, false},
		"a level":               {func(day, team int) int { return 40 + day*7%5 + team }, most, true},
		"a level of many teams": {func(day, team int) int { return (day + team) % 2 * 9 }, most, true}, // that hardly changes as a whole
		"few days":              {func(day, team int) int { return (day*7 + team*3) % 5 * (day % 3) }, 6, true},
	} {
		var rows [][]any
		for d := range tc.days {
			for team := range 4 {
				day := time.Date(2026, 3, 1+d, 0, 0, 0, 0, time.UTC)
				rows = append(rows, []any{day, string(rune('a' + team)), int64(tc.n(d, team))})
			}
		}
		warnings, err := checkStock(t, sql, `"team": {}`, `{"type": "kpi", "value": "open_tickets"}`, cols, rows...)
		if found := len(warnings) == 1 && warnings[0].Code == WarnStock; err != nil || found != tc.warned {
			t.Errorf("%s: %v, %v", name, warnings, err)
		}
	}
}
