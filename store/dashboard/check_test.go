package dashboard_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

var testNow = time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC)

// accepted checks what holds of every spec that Parse accepts.
func accepted(t *testing.T, s *dashboard.Spec) {
	t.Helper()
	if s.Version != 1 || s.Timezone == "" || s.Currency == "" || s.Locale == "" || s.Location() == nil {
		t.Errorf("no defaults: %+v", s)
	}
	if n := len(s.Datasets); n < 1 || n > dashboard.MaxDatasets || len(s.Panels) < 1 || len(s.Panels) > dashboard.MaxPanels ||
		len(s.Filters) > dashboard.MaxFilters {
		t.Errorf("%d datasets, %d panels, %d filters", n, len(s.Panels), len(s.Filters))
	}
	for _, d := range s.Datasets {
		if d.ID == "" || d.Rows < 1 || d.Rows > dashboard.MaxRows || s.Dataset(d.ID) == nil {
			t.Errorf("dataset %+v", d)
		}
	}
	for _, p := range s.Params {
		if p.ID == "" || p.Type == "" || len(p.Default) == 0 {
			t.Errorf("parameter %+v", p)
		}
	}
	for _, p := range s.Panels {
		shows := p.Type != dashboard.Text && p.Type != dashboard.Section
		if p.Type == "" || p.Width < 2 || p.Width > 12 || shows != (s.Dataset(p.Data) != nil) {
			t.Errorf("panel %+v", p)
		}
	}
}

// columnsOf makes up columns for all datasets of a spec.
func columnsOf(s *dashboard.Spec) map[string][]cube.Column {
	out := map[string][]cube.Column{}
	for _, d := range s.Datasets {
		out[d.ID] = []cube.Column{{Name: "day", Type: cube.Date}, {Name: "a", Type: cube.Number}, {Name: "b", Type: cube.Text}}
	}
	return out
}

var checkColumns = map[string][]cube.Column{
	"orders": {
		{Name: "day", Type: cube.Date},
		{Name: "country", Type: cube.Text},
		{Name: "shop_id", Type: cube.Integer},
		{Name: "revenue", Type: cube.Number},
		{Name: "orders", Type: cube.Integer},
		{Name: "customers", Type: cube.Integer},
		{Name: "best", Type: cube.Number},
	},
	"totals": {{Name: "stock", Type: cube.Number}},
	"rows":   {{Name: "country", Type: cube.Text}, {Name: "price", Type: cube.Number}},
	"days":   {{Name: "day", Type: cube.Date}, {Name: "price", Type: cube.Number}},
	"prices": {
		{Name: "day", Type: cube.Date},
		{Name: "o", Type: cube.Number},
		{Name: "h", Type: cube.Number},
		{Name: "l", Type: cube.Number},
		{Name: "c", Type: cube.Number},
		{Name: "v", Type: cube.Integer},
	},
	"five": {
		{Name: "team", Type: cube.Text},
		{Name: "a", Type: cube.Number},
		{Name: "b", Type: cube.Number},
		{Name: "c", Type: cube.Number},
		{Name: "d", Type: cube.Number},
		{Name: "e", Type: cube.Number},
	},
	"teams": {{Name: "team", Type: cube.Text}, {Name: "lead", Type: cube.Text}, {Name: "median", Type: cube.Number}},
}

// document is a spec of three datasets with the given filters, panels and
// columns of the first.
func document(filters, panels, columns string) []byte {
	return []byte(`{"datasets": [
		{"id": "orders", "sql": "SELECT day, country, shop_id, sum(a) AS revenue, count(*) AS orders, ` +
		`count(DISTINCT b) AS customers, max(a) AS best FROM t GROUP BY 1, 2, 3",
		 "columns": {"aov": {"ratio": ["revenue", "orders"]}, "per_head": {"ratio": ["revenue", "customers"]}` + columns + `}},
		{"id": "totals", "sql": "SELECT sum(a) AS stock FROM t"},
		{"id": "teams", "sql": "SELECT team, any_value(lead) AS lead, median(a) AS median FROM t GROUP BY 1"},
		{"id": "rows", "sql": "SELECT country, price FROM t"}, {"id": "days", "sql": "SELECT day, price FROM t"},
		{"id": "prices", "sql": "SELECT day, o, h, l, c, v FROM t"},
		{"id": "five", "sql": "SELECT team, min(x) AS a, quantile_cont(x, 0.25) AS b, median(x) AS c, quantile_cont(x, 0.75) AS d, ` +
		`max(x) AS e FROM t GROUP BY 1"}],
		"filters": [` + filters + `], "panels": [` + panels + `]}`)
}

func TestCheckProblems(t *testing.T) {
	t.Parallel()
	const all = "day, country, shop_id, revenue, orders, customers, best, aov, per_head"
	const measures = "revenue, orders, customers, best, aov, per_head"
	const waysOut = `: it is not known how its values add up. ` +
		`Either declare "agg" (sum, min, max, avg, median or last) in datasets[0].columns.customers, ` +
		`or show a "ratio" of two measures that add up`
	for _, tc := range []struct{ name, filters, panel, columns, want string }{
		{
			"all is well", `{"column": "day", "default": "last_7_days"}, {"column": "shop_id", "default": [7]}`,
			`{"type": "kpi", "data": "orders", "value": "aov", "compare": "previous_year", "sparkline": "day"}`, ``, ``,
		},
		{
			"unknown column", ``, `{"type": "line", "data": "orders", "x": "day", "y": "revenu"}`, ``,
			`panels[0].y: column "revenu" is not returned by dataset "orders"; columns: ` + all + `; did you mean "revenue"?`,
		},
		{
			"unknown column of several", ``, `{"type": "line", "data": "orders", "x": "day", "y": ["revenue", "Orders"]}`,
			``,
			`panels[0].y[1]: column "Orders" is not returned by dataset "orders"; columns: ` + all + `; did you mean "orders"?`,
		},
		{
			"dimension for measure", ``, `{"type": "kpi", "data": "orders", "value": "country"}`, ``,
			`panels[0].value: "country" is a dimension (text) of several values: write "sort": "-revenue" beside it to show the one with ` +
				`the largest "revenue", or name a measure; measures: ` + measures,
		},
		{"text of the largest", ``, `{"type": "kpi", "data": "orders", "value": "country", "sort": "-revenue"}`, ``, ``},
		{"text of the latest", ``, `{"type": "kpi", "data": "orders", "value": "country", "sort": "-day", "facet": "shop_id"}`, ``, ``},
		{"number of the largest", ``, `{"type": "kpi", "data": "orders", "value": "shop_id", "sort": "-revenue"}`, ``, ``},
		{
			"text by a column that there is not", ``, `{"type": "kpi", "data": "orders", "value": "country", "sort": "-revenu"}`, ``,
			`panels[0].sort: column "revenu" is not returned by dataset "orders"; columns: ` + all + `; did you mean "revenue"?`,
		},
		{
			"keys of numbers on a text", ``,
			`{"type": "kpi", "data": "orders", "value": "country", "sort": "-revenue", "target": 5, "sparkline": "day", "compare": "orders",
			"color": "red", "grain": "month", "partial": "hide"}`, ``,
			`panels[0].compare: is for numbers, and "country" is of type text; leave it out` + "\n" +
				`panels[0].target: is for numbers, and "country" is of type text; leave it out` + "\n" +
				`panels[0].sparkline: is for numbers, and "country" is of type text; leave it out` + "\n" +
				`panels[0].grain: is for numbers, and "country" is of type text; leave it out` + "\n" +
				`panels[0].partial: is for numbers, and "country" is of type text; leave it out` + "\n" +
				`panels[0].color: is for numbers, and "country" is of type text; thresholds give a text a tone`,
		},
		{
			"tones of a text", ``, `{"type": "kpi", "data": "orders", "value": "country", "sort": "-revenue", "thresholds":
			[{"value": "DE", "tone": "good"}, {"if": "<", "value": "FR", "tone": "bad"}, {"column": "day", "value": "FR", "tone": "bad"}]}`, ``,
			`panels[0].thresholds[1].if: compares numbers, and "country" is a dimension (text); write "="; a number is that of a measure, ` +
				`named in column` + "\n" + `panels[0].thresholds[2].column: must be "country", the column of value, or left out; a number is ` +
				`that of a measure, named in column`,
		},
		{
			"tones of a text by a measure", ``, `{"type": "kpi", "data": "orders", "value": "country", "sort": "-revenue", "thresholds":
			[{"column": "revenue", "if": "<", "value": 5, "tone": "bad"}, {"column": "orders", "value": 9, "tone": "good"},
			{"column": "revenue", "value": "revenue", "tone": "warn"}]}`, ``,
			`panels[0].thresholds[2].value: compares "revenue" with itself; write a number, or name another measure`,
		},
		{
			"integer dimension for measure", ``, `{"type": "kpi", "data": "orders", "value": "shop_id"}`, ``,
			`panels[0].value: "shop_id" is a dimension (integer), and this must be a measure; if it is one, ` +
				`write "role": "measure" in datasets[0].columns.shop_id; measures: ` + measures,
		},
		{
			"measure for dimension", ``, `{"type": "bar", "data": "orders", "x": "orders", "y": "revenue"}`, ``,
			`panels[0].x: "orders" is a measure, and this must be a dimension; if it is one, write "role": "dimension" in ` +
				`datasets[0].columns.orders; dimensions: day, country, shop_id`,
		},
		{
			"ratio for dimension", ``,
			`{"type": "bar", "data": "orders", "x": "country", "y": "revenue", "series": "aov"}`, ``,
			`panels[0].series: "aov" is a measure, and this must be a dimension; dimensions: day, country, shop_id`,
		},
		{
			"role that overrides", ``, `{"type": "kpi", "data": "orders", "value": "shop_id"}`,
			`, "shop_id": {"role": "measure", "agg": "max"}`, ``,
		},
		{
			"sparkline without date", ``, `{"type": "kpi", "data": "orders", "value": "orders", "sparkline": "country"}`,
			``, `panels[0].sparkline: "country" is not a date; dates: day`,
		},
		{
			"comparison with nothing", ``,
			`{"type": "kpi", "data": "orders", "value": "orders", "compare": "previous_yaer"}`, ``,
			`panels[0].compare: "previous_yaer" is neither an earlier period nor a measure of dataset "orders"; ` +
				`possible values: previous_period, previous_year, ` + measures + `; did you mean "previous_year"?`,
		},
		{
			"comparison with itself", ``, `{"type": "kpi", "data": "orders", "value": "orders", "compare": "orders"}`, ``,
			`panels[0].compare: compares "orders" with itself`,
		},
		{"comparison with a measure", ``, `{"type": "kpi", "data": "orders", "value": "orders", "compare": "revenue"}`, ``, ``},
		{
			"earlier period without date filter", `{"column": "country"}`,
			`{"type": "line", "data": "orders", "x": "day", "y": "orders", "compare": "previous_period"}`, ``,
			`panels[0].compare: "previous_period" needs a filter on a date of dataset "orders", which defines the period; dates: day`,
		},
		{
			"earlier period of a number without date filter", `{"column": "country"}`,
			`{"type": "kpi", "data": "orders", "value": "orders", "compare": "previous_period", "grain": "month"}`, ``, ``,
		},
		{
			"numbers for times", ``, `{"type": "kpi", "data": "orders", "value": "orders", "facet": "day"}`, ``,
			`panels[0].facet: "day" is of type date, and a number for each time is a line or bars with "x": "day"; ` +
				`sparkline draws them small below one number`,
		},
		{
			"earlier period without date", `{"column": "team"}`,
			`{"type": "kpi", "data": "totals", "value": "stock", "compare": "previous_period"}`, ``,
			`panels[0].compare: "previous_period" needs a date, and dataset "totals" returns none; ` +
				`group its SQL by a date too, or compare with another measure`,
		},

		{
			"merged kpi", ``, `{"type": "kpi", "data": "orders", "value": "customers"}`, ``,
			`panels[0].value: "customers" cannot be merged over "day", "country", "shop_id", which this panel leaves out` + waysOut,
		},
		{
			"merged line", ``, `{"type": "line", "data": "orders", "x": "day", "y": "customers", "series": "country"}`,
			``, `panels[0].y: "customers" cannot be merged over "shop_id", which this panel leaves out` + waysOut,
		},
		{
			"merged ratio", ``, `{"type": "bar", "data": "orders", "x": "day", "y": "per_head"}`, ``,
			`panels[0].y: "customers", a part of "per_head", cannot be merged over "country", "shop_id", which this panel leaves out` + waysOut,
		},
		{
			"merged table", ``, `{"type": "table", "data": "orders", "columns": ["day", "country", "customers"]}`, ``,
			`panels[0].columns[2]: "customers" cannot be merged over "shop_id", which this panel leaves out` + waysOut,
		},
		{
			"merged text", ``, `{"type": "text", "markdown": "{{orders.customers}}"}`, ``,
			`panels[0].markdown: "customers" cannot be merged over "day", "country", "shop_id", which this panel leaves out` + waysOut,
		},
		{
			"pie of a median", ``, `{"type": "pie", "data": "teams", "label": "team", "value": "median"}`, ``,
			`panels[0].value: "median" does not add up to the whole that a pie shows; use a bar, or a measure whose "agg" is "sum"`,
		},
		{
			"pie of a maximum", ``, `{"type": "pie", "data": "orders", "label": "country", "value": "best"}`, ``,
			`panels[0].value: "best" does not add up to the whole that a pie shows; use a bar, or a measure whose "agg" is "sum"`,
		},
		{
			"pie of a ratio", ``, `{"type": "pie", "data": "orders", "label": "country", "value": "aov"}`, ``,
			`panels[0].value: "aov" does not add up to the whole that a pie shows; use a bar, or a measure whose "agg" is "sum"`,
		},
		{
			"merged into Other", ``,
			`{"type": "bar", "data": "teams", "x": "team", "y": "median", "limit": 3, "other": true}`, ``,
			`panels[0].y: "median" cannot be merged into "Other": the median() of groups is not that of their rows; return single rows, of ` +
				`which "agg": "median", "p90", "p95" or "p99" is computed and "box" draws quartiles; or the sql returns it, in a dataset of ` +
				`its own with a row for each value that is shown`,
		},
		{"not merged: own grain", ``, `{"type": "table", "data": "orders"}`, ``, ``},
		{"not merged: all dimensions shown", ``, `{"type": "line", "data": "teams", "x": "team", "y": "median"}`, ``, ``},
		{"not merged: a point for each row", ``, `{"type": "scatter", "data": "orders", "x": "orders", "y": "customers"}`, ``, ``},
		{"not merged: one row", ``, `{"type": "kpi", "data": "totals", "value": "stock"}`, ``, ``},
		{"not merged: agg declared", ``, `{"type": "kpi", "data": "orders", "value": "customers"}`, `, "customers": {"agg": "max"}`, ``},
		{"not merged: agg min or max", ``, `{"type": "kpi", "data": "orders", "value": "best"}`, ``, ``},
		{
			"merged: agg none declared", ``,
			`{"type": "kpi", "data": "totals", "value": "stock"}, {"type": "heatmap", "data": "orders", "x": "day", "y": "country", ` +
				`"value": "orders"}`,
			`, "orders": {"agg": "none"}`,
			`panels[1].value: "orders" cannot be merged over "shop_id", which this panel leaves out: it is not known how its values ` +
				`add up. Either declare "agg" (sum, min, max, avg, median or last) in datasets[0].columns.orders, or show a "ratio" of two ` +
				`measures that add up`,
		},

		{"histogram of rows", ``, `{"type": "histogram", "data": "rows", "value": "price", "bins": 7}`, ``, ``},
		{"histogram of keys", ``, `{"type": "histogram", "data": "orders", "value": "shop_id", "weight": "orders"}`, ``, ``},
		{
			"histogram of groups that are meant", ``, `{"type": "histogram", "data": "orders", "value": "customers"}`,
			`, "customers": {"agg": "none"}`, ``,
		},
		{
			"histogram of sums", ``, `{"type": "histogram", "data": "orders", "value": "revenue"}`, ``,
			`panels[0].value: "revenue" is one number for all rows of a group of the query, and a histogram of it would count groups. ` +
				`Return the rows themselves, without GROUP BY; or count in SQL, with a column for the bin and one for the count, and draw a bar. ` +
				`If each group is a thing to be counted, write "agg": "none" in datasets[0].columns.revenue`,
		},
		{
			"histogram of averages of groups", ``, `{"type": "histogram", "data": "teams", "value": "median"}`, ``,
			`panels[0].value: "median" is one number for all rows of a group of the query, and a histogram of it would count groups. ` +
				`Return the rows themselves, without GROUP BY; or count in SQL, with a column for the bin and one for the count, and draw a bar. ` +
				`If each group is a thing to be counted, write "agg": "none" in datasets[2].columns.median`,
		},
		{
			"histogram of keys without a weight", ``, `{"type": "histogram", "data": "orders", "value": "shop_id"}`, ``,
			`panels[0].weight: is missing: the query groups its rows, so that each has the values of several; name the measure that counts them`,
		},
		{
			"histogram of a ratio", ``, `{"type": "histogram", "data": "orders", "value": "aov"}`, ``,
			`panels[0].value: "aov" is a ratio of what is added up, so no row has one; return it as a column of the query, and of rows that ` +
				`are not grouped`,
		},
		{
			"histogram of dates", ``, `{"type": "histogram", "data": "orders", "value": "day", "weight": "orders"}`, ``,
			`panels[0].value: "day" is of type date, and this must be a column of numbers; columns of numbers: shop_id, revenue, orders, ` +
				`customers, best`,
		},
		{
			"histogram weighted by what does not add up", ``,
			`{"type": "histogram", "data": "orders", "value": "shop_id", "weight": "best"}`, ``,
			`panels[0].weight: "best" does not add up, as a count does; name a measure whose "agg" is "sum"`,
		},
		{"box of rows", ``, `{"type": "box", "data": "rows", "x": "country", "value": "price", "sort": "-price"}`, ``, ``},
		{"one box of rows", ``, `{"type": "box", "data": "rows", "value": "price"}`, ``, ``},
		{
			"box of five numbers", ``,
			`{"type": "box", "data": "five", "x": "team", "low": "a", "q1": "b", "median": "c", "q3": "d", "high": "e"}`, ``, ``,
		},
		{
			"box of five numbers without what tells their rows apart", ``,
			`{"type": "box", "data": "five", "low": "a", "q1": "b", "median": "c", "q3": "d", "high": "e"}`, ``,
			`panels[0].low: a box is of one row, and there are several, which "team" tells apart; let the sql return one`,
		},
		{
			"box of five numbers of several units", ``,
			`{"type": "box", "data": "orders", "x": "country", "low": "revenue", "q1": "orders", "median": "customers", "q3": "best", ` +
				`"high": "aov"}`,
			`, "revenue": {"format": "currency"}, "best": {"format": "percent"}`,
			`panels[0].q3: "best" is a percentage and "revenue" is money; a box has one axis` + "\n" +
				`panels[0].low: a box is of one row, and "country" has several for a value, which "day", "shop_id" tells apart; ` +
				`let the sql return one`,
		},
		{
			"candles", ``,
			`{"type": "candlestick", "data": "prices", "x": "day", "open": "o", "high": "h", "low": "l", "close": "c", "grain": "week"}`, ``, ``,
		},
		{"ranges", ``, `{"type": "candlestick", "data": "prices", "x": "day", "high": "h", "low": "l"}`, ``, ``},
		{
			"bars below candles", ``,
			`{"type": "candlestick", "data": "prices", "x": "day", "high": "h", "low": "l", "bars": "v", "lines": "c"}`, ``, ``,
		},
		{
			"bars and lines of candles", ``,
			`{"type": "candlestick", "data": "prices", "x": "day", "high": "h", "low": "l", "bars": "w", "lines": ["c", "text"]}`,
			``, `panels[0].lines[1]: column "text" is not returned by dataset "prices"; columns: day, o, h, l, c, v` + "\n" +
				`panels[0].bars: column "w" is not returned by dataset "prices"; columns: day, o, h, l, c, v`,
		},
		{
			"candles of several things", ``,
			`{"type": "candlestick", "data": "orders", "x": "day", "low": "revenue", "high": "best"}`, `, "best": {"format": "percent"}, ` +
				`"revenue": {"format": "bytes"}`,
			`panels[0].low: "revenue" is a size in bytes and "best" is a percentage; a candle has one axis` + "\n" +
				`panels[0].x: a candle is of one row, and "day" has several for a value, which "country", "shop_id" tells apart; ` +
				`let the sql return one`,
		},
		{
			"candles along names", ``, `{"type": "candlestick", "data": "rows", "x": "country", "low": "price", "high": "price2"}`, ``,
			`panels[0].x: "country" is of type text, and candles stand along times` + "\n" +
				`panels[0].high: column "price2" is not returned by dataset "rows"; columns: country, price; did you mean "price"?`,
		},
		{
			"box of averages of groups", ``, `{"type": "box", "data": "teams", "value": "median"}`, ``,
			`panels[0].value: "median" is one number for all rows of a group of the query, and a box of it would count groups. ` +
				`Return the rows themselves, without GROUP BY; or compute low, q1, median, q3 and high in SQL and name these. ` +
				`If each group is a thing to be counted, write "agg": "none" in datasets[2].columns.median`,
		},
		{
			"box of what rows are grouped by", ``, `{"type": "box", "data": "orders", "x": "country", "value": "shop_id"}`, ``,
			`panels[0].value: the query groups its rows, so that each stands for several, and quartiles would be those of groups. ` +
				`Return the rows themselves, without GROUP BY; or compute low, q1, median, q3 and high in SQL and name these. ` +
				`If each group is a thing of its own, write "agg": "none" in datasets[0].columns.shop_id`,
		},
		{
			"box of a text", ``, `{"type": "box", "data": "rows", "value": "country"}`, ``,
			`panels[0].value: "country" is of type text, and this must be a column of numbers; columns of numbers: price`,
		},
		{
			"boxes along times sorted by another column", ``, `{"type": "box", "data": "days", "x": "day", "value": "price", "sort": "-price"}`, ``,
			`panels[0].sort: a box along times follows them; leave sort out`,
		},
		{
			"combo of two units", ``,
			`{"type": "combo", "data": "orders", "x": "country", "bars": "revenue", "lines": ["orders", "best"], "sort": "-revenue"}`,
			`, "revenue": {"format": "currency"}, "best": {"format": "currency2"}`, ``,
		},
		{
			"combo of three units", ``,
			`{"type": "combo", "data": "orders", "x": "country", "bars": ["revenue"], "lines": ["orders", "aov"]}`,
			`, "revenue": {"format": "percent"}, "orders": {"format": "duration"}`,
			`panels[0].lines[1]: "aov" is a plain number and "orders" is a duration, and there is one axis beside that of the bars; ` +
				`draw it in another panel`,
		},
		{
			"combo with bars of two units", ``,
			`{"type": "combo", "data": "orders", "x": "country", "bars": ["revenue", "orders"], "lines": ["aov"]}`,
			`, "revenue": {"format": "currency"}`,
			`panels[0].bars[1]: "orders" is a plain number and "revenue" is money, and the bars have one axis; draw one as a line, or in ` +
				`another panel`,
		},
		{
			"combo that stacks a ratio", ``,
			`{"type": "combo", "data": "orders", "x": "country", "bars": ["revenue", "aov"], "lines": ["orders"], "stack": true}`, ``,
			`panels[0].stack: "aov" does not add up with others; leave stack out, or its "agg" is "sum"`,
		},
		{
			"combo that merges", ``, `{"type": "combo", "data": "orders", "x": "day", "bars": "revenue", "lines": "customers"}`, ``,
			`panels[0].lines: "customers" cannot be merged over "country", "shop_id", which this panel leaves out` + waysOut,
		},
		{
			"combo of times by a measure", ``,
			`{"type": "combo", "data": "orders", "x": "day", "bars": "revenue", "lines": "orders", "sort": "-revenue"}`, ``,
			`panels[0].sort: a line along times follows them; leave sort out`,
		},
		{
			"combo of a dimension", ``, `{"type": "combo", "data": "orders", "x": "day", "bars": "country", "lines": "orders"}`, ``,
			`panels[0].bars: "country" is a dimension (text), and this must be a measure; measures: ` + measures,
		},

		{
			"sort by what is not shown", ``,
			`{"type": "table", "data": "orders", "columns": ["day", "orders"], "sort": "-revenue"}, ` +
				`{"type": "bar", "data": "orders", "x": "country", "y": "orders", "sort": "-revenue"}`, ``, ``,
		},
		{
			"sort by nothing", ``, `{"type": "table", "data": "orders", "sort": "-revenu"}`, ``,
			`panels[0].sort: column "revenu" is not returned by dataset "orders"; columns: ` + all + `; did you mean "revenue"?`,
		},
		{"sort of a bar chart", ``, `{"type": "bar", "data": "orders", "x": "country", "y": "revenue", "sort": "-country"}`, ``, ``},
		{
			"threshold of a column not shown", ``,
			`{"type": "table", "data": "orders", "columns": ["day", "orders"], "thresholds": [{"column": "revenue", "value": 1, "tone": "good"}]}`,
			``, `panels[0].thresholds[0].column: "revenue" is not a column of this table, so it has no cell: write "row": true, ` +
				`and whole rows have the tone, or "cell": the column whose cells have it; columns shown: day, orders`,
		},
		{
			"bar of a dimension", ``, `{"type": "table", "data": "orders", "columns": [{"column": "day", "bar": true}]}`,
			``, `panels[0].columns[0].bar: is for measures, and "day" is a dimension`,
		},
		{
			"heat of a dimension", ``, `{"type": "table", "data": "orders", "columns": [{"column": "day", "heat": true}]}`,
			``, `panels[0].columns[0].heat: is for measures, and "day" is a dimension`,
		},
		{
			"small line over a column shown", ``,
			`{"type": "table", "data": "orders", "columns": ["day", {"column": "orders", "sparkline": "day"}]}`, ``,
			`panels[0].columns[1].sparkline: "day" tells the rows of this table apart, so each has one point; leave it out of columns and links`,
		},
		{
			"small line over no date", ``,
			`{"type": "table", "data": "orders", "columns": ["day", {"column": "orders", "sparkline": "country"}]}`, ``,
			`panels[0].columns[1].sparkline: "country" is not a date; dates: day`,
		},
		{
			"grain of a number without a small line", ``, `{"type": "kpi", "data": "orders", "value": "orders", "grain": "month"}`, ``,
			`panels[0].grain: is about the sparkline, and the panel has none; name a date in sparkline. For the number of the latest complete ` +
				`month, a filter {"column": "day", "grain": "month", "multiple": false} opens the page at it, or write ` +
				`"partial": "hide" beside grain; "show" has that of the running month`,
		},
		{
			"running period of a number", ``, `{"type": "kpi", "data": "orders", "value": "orders", "grain": "month", "partial": "show"},
			{"type": "kpi", "data": "orders", "value": "orders", "grain": "auto", "partial": "hide", "compare": "revenue"}`, ``, ``,
		},
		{
			"cells filled with zero", ``, `{"type": "heatmap", "data": "orders", "x": "country", "y": "day", "value": "revenue", "gaps": "zero"}`,
			``, ``,
		},
		{
			"cells of a ratio filled with zero", ``,
			`{"type": "heatmap", "data": "orders", "x": "country", "y": "day", "value": "aov", "gaps": "zero"}`, ``,
			`panels[0].gaps: "zero" is for sums, and "aov" is a ratio, which is not 0 where there are no rows; leave it out`,
		},
		{
			"running period without grain", ``, `{"type": "kpi", "data": "orders", "value": "orders", "partial": "show"}`, ``, ``,
		},
		{
			"complete period without grain", ``, `{"type": "kpi", "data": "orders", "value": "orders", "partial": "hide"}`, ``,
			`panels[0].partial: is for a period, and the number is of all rows, also of those of a period that is not over; leave it out, or ` +
				`write "grain": "month" beside it for the number of the last complete month`,
		},
		{
			"complete period of the filter", `{"column": "day"}`, `{"type": "kpi", "data": "orders", "value": "orders", "partial": "hide"}`, ``,
			`panels[0].partial: is for a period, and a filter on a date selects that of the number, whose rows are all shown; leave it out`,
		},
		{
			"running hour of a date", ``, `{"type": "kpi", "data": "orders", "value": "orders", "grain": "hour", "partial": "show"}`, ``,
			`panels[0].grain: is the period of the number, which is a day or longer; possible values: auto, day, week, month, quarter, year`,
		},
		{
			"partial of a table without dates", ``,
			`{"type": "table", "data": "orders", "columns": ["country", "orders"], "partial": "mark"}`, ``,
			`panels[0].partial: is about the sparkline, and the panel has none; name a date in sparkline, or show the date "day" in columns`,
		},
		{
			"minutes of a table", ``, `{"type": "table", "data": "orders", "columns": ["day", "orders"], "grain": "minute"}`, ``,
			`panels[0].grain: "day" is a date, which has no minute; possible values: auto, day, week, month, quarter, year`,
		},
		{
			"grain of a table without small lines", ``, `{"type": "table", "data": "orders", "columns": ["country", "orders"], "grain": "month"}`,
			``, `panels[0].grain: is about the sparkline, and the panel has none; name a date in sparkline, or show the date "day" in columns`,
		},
		{
			"link with a measure", ``,
			`{"type": "table", "data": "orders", "columns": [{"column": "day", "link": "https://example.com/{{orders}}"}]}`,
			``,
			`panels[0].columns[0].link: "orders" is a measure, and this must be a dimension; if it is one, ` +
				`write "role": "dimension" in datasets[0].columns.orders; dimensions: day, country, shop_id`,
		},
		{
			"link that tells rows apart", ``,
			`{"type": "table", "data": "orders", "columns": ["day", {"column": "customers", "link": ` +
				`"https://example.com/{{shop_id}}/{{country}}"}]}`,
			``, ``,
		},
		{"text with a dimension", ``, `{"type": "text", "markdown": "Until {{orders.day}}"}`, ``, ``},
		{
			"link to no column", ``,
			`{"type": "table", "data": "orders", "columns": [{"column": "day", "link": "https://example.com/{{shop}}"}]}`,
			``,
			`panels[0].columns[0].link: column "shop" is not returned by dataset "orders"; columns: ` + all + `; did you mean "shop_id"?`,
		},
		{
			"text with an unknown column", ``, `{"type": "text", "markdown": "{{orders.revenu}}"}`, ``,
			`panels[0].markdown: column "revenu" is not returned by dataset "orders"; columns: ` + all + `; did you mean "revenue"?`,
		},
		{
			"format of a table column", ``,
			`{"type": "table", "data": "orders", "columns": [{"column": "day", "format": "currency"}]}`, ``,
			`panels[0].columns[0].format: "currency" is for numbers, and "day" is of type date; possible values: date, datetime, minute, ` +
				`time, week, month, quarter, year`,
		},

		{
			"meta of no column", ``, `{"type": "table", "data": "orders"}`, `, "revenu": {"label": "R"}`,
			`datasets[0].columns.revenu: column "revenu" is not returned by dataset "orders"; columns: ` + all + `; did you mean "revenue"?`,
		},
		{
			"ratio of no column", ``, `{"type": "table", "data": "orders"}`, `, "r": {"ratio": ["revenu", "orders"]}`,
			`datasets[0].columns.r.ratio[0]: column "revenu" is not returned by dataset "orders"; columns: ` + all + `, r; did you mean "revenue"?`,
		},
		{
			"ratio of a dimension", ``, `{"type": "table", "data": "orders"}`, `, "r": {"ratio": ["revenue", "day"]}`,
			`datasets[0].columns.r.ratio[1]: "day" is a dimension (date), and this must be a measure; measures: ` + measures + `, r`,
		},
		{
			"ratio of a ratio", ``, `{"type": "table", "data": "orders"}`, `, "r": {"ratio": ["revenue", "aov"]}`,
			`datasets[0].columns.r.ratio[1]: "aov" is a ratio itself; name two measures that the dataset returns`,
		},
		{
			"ratio with the name of a column", ``, `{"type": "table", "data": "orders"}`,
			`, "best": {"ratio": ["revenue", "orders"]}`,
			`datasets[0].columns.best: the dataset returns a column of this name; give the ratio another`,
		},
		{
			"text as measure", ``, `{"type": "table", "data": "orders"}`, `, "country": {"role": "measure"}`,
			`datasets[0].columns.country.role: a measure must be a number, and "country" is of type text`,
		},
		{
			"agg of a number that is named like one of an order", ``, `{"type": "kpi", "data": "orders", "value": "shop_id"}`,
			`, "shop_id": {"agg": "sum"}`, ``,
		},
		{
			"agg of a dimension", ``, `{"type": "table", "data": "orders"}`, `, "country": {"agg": "max"}`,
			`datasets[0].columns.country.agg: "country" is a dimension (text), and only measures add up`,
		},
		{
			"a date as a measure", ``, `{"type": "table", "data": "orders", "columns": ["country", "day", "revenue"], "sort": "-day"},
				{"type": "kpi", "data": "orders", "value": "day"}, {"type": "text", "markdown": "{{orders.day}}"}`, `, "day": {"agg": "max"}`, ``,
		},
		{
			"sum of dates", ``, `{"type": "table", "data": "orders"}`, `, "day": {"agg": "sum"}`,
			`datasets[0].columns.day.agg: "day" is of type date: write "min" or "max" to make it a measure, or leave role and agg out`,
		},
		{
			"a date that is a measure in a chart", ``, `{"type": "bar", "data": "orders", "x": "country", "y": "day"}`, `, "day": {"agg": "max"}`,
			`panels[0].y: "day" is of type date, and this must be a number; tables, texts and a kpi show it; measures: ` + measures,
		},
		{
			"a date that is a measure in a filter", `{"column": "day"}`, `{"type": "table", "data": "orders"}`, `, "day": {"agg": "max"}`,
			`filters[0].column: "day" is a measure, and this must be a dimension; if it is one, write "role": "dimension" in ` +
				`datasets[0].columns.day; dimensions: country, shop_id`,
		},
		{
			"bars of dates", ``, `{"type": "table", "data": "orders", "columns": ["country", {"column": "day", "bar": true}]}`,
			`, "day": {"agg": "max"}`,
			`panels[0].columns[1].bar: is for numbers, and "day" is of type date`,
		},
		{
			"a merged measure beside a date", ``, `{"type": "table", "data": "orders", "columns": ["country", "shop_id", "day", "customers"]}`,
			`, "day": {"agg": "max"}`,
			`panels[0].columns[3]: "customers" cannot be merged over "day", which this panel leaves out` + waysOut,
		},
		{
			"keys of numbers on a date", ``, `{"type": "kpi", "data": "orders", "value": "day", "target": 5, "sparkline": "day"}`, ``,
			`panels[0].target: is for numbers, and "day" is of type date; leave it out` + "\n" +
				`panels[0].sparkline: is for numbers, and "day" is of type date; leave it out`,
		},
		{"target", ``, `{"type": "kpi", "data": "orders", "value": "revenue", "target": "best"}`, ``, ``},
		{
			"target is itself", ``, `{"type": "kpi", "data": "orders", "value": "revenue", "target": "revenue"}`, ``,
			`panels[0].target: is "revenue" itself; name another measure, or a number`,
		},
		{
			"target of another unit", ``, `{"type": "kpi", "data": "orders", "value": "revenue", "target": "orders"}`,
			`, "revenue": {"format": "currency"}, "orders": {"format": "integer"}`,
			`panels[0].target: "orders" is a plain number and "revenue" is money, so their ratio is not a share`,
		},
		{
			"format for dates on a number", ``, `{"type": "table", "data": "orders"}`, `, "revenue": {"format": "month"}`,
			`datasets[0].columns.revenue.format: "month" is for dates, and "revenue" is of type number; ` +
				`possible values: integer, number, number1, number2, compact, compact2, percent, percent1, percent2, currency, currency2, ` +
				`currency_compact, currency_compact2, duration, hours_minutes, minutes_seconds, bytes`,
		},
		{
			"format of a text", ``, `{"type": "table", "data": "orders"}`, `, "country": {"format": "number"}`,
			`datasets[0].columns.country.format: "country" is of type text, which is shown as it is; leave the format out`,
		},

		{
			"filter on no column", `{"column": "contry"}`, `{"type": "table", "data": "orders"}`, ``,
			`filters[0].column: no dataset returns a column "contry"; dimensions: day, country, shop_id, team, lead; did you mean "country"?`,
		},
		{
			"filter on a measure", `{"column": "revenue"}`, `{"type": "table", "data": "orders"}`, ``,
			`filters[0].column: "revenue" is a measure, and this must be a dimension; if it is one, ` +
				`write "role": "dimension" in datasets[0].columns.revenue; dimensions: day, country, shop_id`,
		},
		{
			"date filter with a value", `{"column": "day", "default": "tomorrow"}`,
			`{"type": "table", "data": "orders"}`, ``,
			`filters[0].default: "tomorrow" is not a date range; ` + rangeChoice,
		},
		{
			"text filter with a range", `{"column": "country", "default": "last_7_days"}`,
			`{"type": "table", "data": "orders"}`, ``,
			`filters[0].default: "last_7_days" is a date range, and "country" is of type text`,
		},
		{
			"text filter with all", `{"column": "country", "default": "all"}`, `{"type": "table", "data": "orders"}`, ``,
			`filters[0].default: "all" is a date range, and "country" is of type text; leave the default out to select everything`,
		},
		{
			"one of the dates without periods", `{"column": "day", "multiple": false}`, `{"type": "table", "data": "orders"}`, ``,
			`filters[0].grain: is missing: "day" is of type date, and "multiple": false is a choice of one period of it; ` +
				`possible values: day, week, month, quarter, year`,
		},
		{
			"a range that is not one month", `{"column": "day", "multiple": false, "grain": "month", "default": "last_90_days"}`,
			`{"type": "table", "data": "orders"}`, ``,
			`filters[0].default: is not one month; write "last_month" or "this_month", or the first and the last day of one`,
		},
		{
			"one month that is part of one", `{"column": "day", "multiple": false, "grain": "month", "default": ["2026-01-01", "2026-01-30"]}`,
			`{"type": "table", "data": "orders"}`, ``,
			`filters[0].default: is not one month; write "last_month" or "this_month", or the first and the last day of one`,
		},
		{
			"one month", `{"column": "day", "multiple": false, "grain": "month", "default": ["2026-01-01", "2026-01-31"]}`,
			`{"type": "table", "data": "orders"}`, ``, ``,
		},
		{
			"one quarter that is not over", `{"column": "day", "multiple": false, "grain": "quarter", "default": "this_quarter"}`,
			`{"type": "table", "data": "orders"}`, ``, ``,
		},
		{
			"periods of a text", `{"column": "country", "grain": "month"}`, `{"type": "table", "data": "orders"}`, ``,
			`filters[0].grain: is about dates, and "country" is of type text; leave it out`,
		},
		{
			"merged over what a filter does not fix", `{"column": "team"}`, `{"type": "kpi", "data": "teams", "value": "median"}`, ``,
			`panels[0].value: "median" cannot be merged over "team", which this panel leaves out: the median() of groups is not that of their ` +
				`rows; return single rows, of which "agg": "median", "p90", "p95" or "p99" is computed and "box" draws quartiles; or the sql ` +
				`returns it, in a dataset of its own with a row for each value that is shown`,
		},
		{
			"of one value", `{"column": "team", "multiple": false}`,
			`{"type": "kpi", "data": "teams", "value": "median"}, {"type": "text", "markdown": "{{teams.median}}"}`, ``, ``,
		},
		{
			"date filter with two dates", `{"column": "day", "default": ["2026-01-01", "2026-01-31"]}`,
			`{"type": "table", "data": "orders"}`, ``, ``,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := dashboard.Parse(document(tc.filters, tc.panel, tc.columns))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if _, err := s.Check(checkColumns); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := s.Check(nil); err != nil {
				t.Errorf("without columns: %v", err)
			}
		})
	}
}

// A mistake in one panel hides none in another, be it of either kind, and not
// even those of the same panel.
func TestCheckBesideParse(t *testing.T) {
	t.Parallel()
	s, structure := dashboard.Parse(document(``, `
		{"type": "hbar", "data": "orders"},
		{"type": "line", "data": "orders", "x": "day", "y": "revenu"},
		{"type": "line", "data": "orders", "x": 7, "y": "orderz"},
		"nothing",
		{"type": "kpi", "data": "orders", "value": "customer"}`, ``))
	if s == nil || structure == nil {
		t.Fatalf("got %v, %v", s, structure)
	}
	_, columns := s.Check(checkColumns)
	var paths []string
	for line := range strings.Lines(dashboard.Join(structure, nil, columns).Error()) {
		path, _, _ := strings.Cut(line, ":")
		paths = append(paths, path)
	}
	want := []string{
		"panels[0].type", "panels[0].x", "panels[0].y", "panels[1].y", "panels[2].x", "panels[2].y", "panels[3]", "panels[4].value",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := dashboard.Join(structure, structure); again.Error() != structure.Error() {
		t.Errorf("told twice: %v", again)
	}
	if other := errors.New("lost"); dashboard.Join(structure, other) != other {
		t.Error("an error of another kind is lost")
	}
	if err := dashboard.Join(nil, nil); err != nil {
		t.Errorf("joined nothing to %v", err)
	}
}

func TestCheckWarnings(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{
		"params": [{"id": "since", "type": "date_range", "default": "all"}, {"id": "until", "type": "date_range", "default": "all"},
  {"id": "n", "type": "number", "default": 3, "label": "N"}],
		"datasets": [
			{"id": "a", "sql": "SELECT day, sum(x) AS x FROM t WHERE day >= {{since.start}} AND day <= {{since.end}} GROUP BY 1"},
			{"id": "b", "sql": "SELECT count(*) AS n FROM t WHERE a >= 1 AND day BETWEEN {{since.start}} AND {{since.end}}"},
			{"id": "c", "sql": "SELECT day, 1 AS one FROM t WHERE day < {{since.end}} AND {{since.end}} <= now()"}],
		"filters": [{"column": "day"}],
		"panels": [{"type": "table", "data": "a"}, {"type": "text", "markdown": "{{b.n}}"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	warnings, err := s.Check(map[string][]cube.Column{
		"a": {{Name: "day", Type: cube.Date}, {Name: "x", Type: cube.Number}},
		"b": {{Name: "n", Type: cube.Integer}},
		"c": {{Name: "day", Type: cube.Date}, {Name: "one", Type: cube.Integer}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`[range_end] datasets[0].sql: {{since.end}} is the day after the last one of the range, so compare with "< {{since.end}}"; ` +
			`here that day is included.`,
		`[range_end] datasets[1].sql: {{since.end}} is the day after the last one of the range, so compare with "< {{since.end}}"; ` +
			`here that day is included.`,
		`[filter_skips] filters[0]: dataset "b" has no column "day", so its panels do not follow this filter; its sql can return the ` +
			`column, or "data" of the filter names the datasets that it is for.`,
		`[dataset_unused] datasets[2]: no panel shows dataset "c".`,
		`[param_unused] params[1]: no SQL uses parameter "until"; write {{until.start}} and {{until.end}} where its value belongs.`,
		`[key_ignored] params[2].label: viewers do not see it: only a parameter with options has a control; list options, or leave it out.`,
		`[param_unused] params[2]: no SQL uses parameter "n"; write {{n}} where its value belongs.`,
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Intended settings cause no warning: a filter that names its datasets, rows that are one, an order that no panel draws. If rows are known,
// only they decide whether values are merged.
func TestCheckIsQuiet(t *testing.T) {
	t.Parallel()
	const datasets = `"datasets": [{"id": "a", "sql": "SELECT k, no, n FROM t"}, {"id": "b", "sql": "SELECT k, n FROM u"},
		{"id": "one", "sql": "SELECT n FROM v"}]`
	cols := map[string][]cube.Column{
		"a":   {{Name: "k", Type: cube.Text}, {Name: "no", Type: cube.Integer}, {Name: "n", Type: cube.Integer}},
		"b":   {{Name: "k", Type: cube.Text}, {Name: "n", Type: cube.Integer}},
		"one": {{Name: "n", Type: cube.Integer}},
	}
	rows := map[string][][]any{
		"a":   {{"x", int64(1), int64(5)}, {"x", int64(2), int64(5)}, {"y", int64(3), int64(7)}},
		"b":   {{"x", int64(1)}},
		"one": {{int64(1)}},
	}
	for _, tc := range []struct{ spec, warnings, err string }{
		{`"panels": [{"type": "kpi", "data": "one", "value": "n"}, {"type": "kpi", "data": "b", "value": "n"},
			{"type": "text", "markdown": "{{b.n}} {{one.n}} {{a.k}}"}]`, "", ""},
		{`"filters": [{"column": "k", "data": ["a", "b"]}], "panels": [{"type": "kpi", "data": "one", "value": "n"},
			{"type": "text", "markdown": "{{b.n}} {{a.k}}"}]`, "", ""},
		{
			`"filters": [{"column": "k"}], "panels": [{"type": "kpi", "data": "one", "value": "n"}, ` +
				`{"type": "text", "markdown": "{{b.n}} {{a.k}}"}]`,
			"filter_skips filters[0]", "",
		},
		{
			`"filters": [{"column": "k", "data": ["one"]}], "panels": [{"type": "text", "markdown": "{{b.n}} {{one.n}} {{a.k}}"}]`,
			"", `filters[0].column: column "k" is not returned by dataset "one"`,
		},
		{
			`"filters": [{"column": "k", "data": ["c"]}], "panels": [{"type": "text", "markdown": "{{b.n}} {{one.n}} {{a.k}}"}]`,
			"", `filters[0].data[0]: "c" is not the id of a dataset`,
		},
		{
			`"columns": {"k": {"order": "no"}}, "panels": [{"type": "kpi", "data": "b", "value": "n"}, ` +
				`{"type": "text", "markdown": "{{one.n}} {{a.k}}"}]`,
			"", "",
		},
		{`"columns": {"k": {"order": "no"}}, "panels": [{"type": "bar", "data": "b", "x": "k", "y": "n"},
			{"type": "text", "markdown": "{{one.n}} {{a.k}}"}]`, "order_skips columns.k.order", ""},
		{`"panels": [{"type": "table", "data": "a", "columns": ["k", "n"]}, {"type": "text", "markdown": "{{one.n}} {{b.n}}"}]`, "", ""},
		{
			`"panels": [{"type": "bar", "data": "a", "x": "k", "y": "n"}, {"type": "text", "markdown": "{{one.n}} {{b.n}}"}]`,
			"", `panels[0].y: "n" cannot be merged over "no"`,
		},
		{`"panels": [{"type": "text", "markdown": "{{a.n}} {{one.n}} {{b.n}}"}]`, "", `panels[0].markdown: "n" cannot be merged over "k", "no"`},
	} {
		described := strings.ReplaceAll(datasets, `FROM t"}`, `FROM t", "columns": {"no": {"role": "dimension"}}}`)
		spec := "{" + described + ", " + tc.spec + "}"
		s, err := dashboard.Parse([]byte(spec))
		cubes := map[string]*cube.Cube{}
		for id, list := range rows {
			b := cube.NewBuilder(cols[id])
			for _, row := range list {
				if err := b.Add(row); err != nil {
					t.Fatal(err)
				}
			}
			cubes[id] = b.Cube()
		}
		warnings, checkErr := s.CheckRows(cols, cubes)
		var got []string
		for _, w := range warnings {
			got = append(got, w.Code+" "+w.Path)
		}
		said := ""
		if err := dashboard.Join(err, checkErr); err != nil {
			said = err.Error()
		}
		if strings.Join(got, ", ") != tc.warnings && tc.err == "" || !strings.HasPrefix(said, tc.err) || tc.err == "" && said != "" {
			t.Errorf("%s\nwarnings %q, error %q", tc.spec, got, said)
		}
		if err := s.CheckColumns(cols); strings.Contains(tc.err, "merged") && err != nil {
			t.Errorf("%s\nof stored rows: %v", tc.spec, err)
		}
	}
}

func TestCheckColumnTypesAcrossDatasets(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{"datasets": [` +
		`{"id": "a", "sql": "SELECT day, 1 AS x"}, {"id": "b", "sql": "SELECT day, day FROM t"}], "filters": [{"column": "day"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Check(map[string][]cube.Column{
		"a": {{Name: "day", Type: cube.Date}},
		"b": {{Name: "day", Type: cube.Text}, {Name: "day", Type: cube.Text}},
	})
	want := `datasets[1].sql: returns two columns called "day"; give one another name with AS
filters[0].column: "day" is of type date in dataset "a" and of type text in dataset "b"; cast one of them`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	// A filter may be about a dataset whose columns are not known.
	if _, err := s.Check(map[string][]cube.Column{"a": {{Name: "x", Type: cube.Integer}}}); err != nil {
		t.Errorf("with one dataset unknown: %v", err)
	}
}

func TestCheckIsRepeatable(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse(document(`{"column": "day"}`, `{"type": "kpi", "data": "orders", "value": "customers"}`, ``))
	if err != nil {
		t.Fatal(err)
	}
	w1, e1 := s.Check(checkColumns)
	w2, e2 := s.Check(checkColumns)
	if !slices.Equal(w1, w2) || e1.Error() != e2.Error() {
		t.Errorf("first %v %v, then %v %v", w1, e1, w2, e2)
	}
}

// Values of rows are allowed in the content of text panels; in a title their placeholder would be read by people.
func TestPlaceholdersInTitles(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{"description": "Up to {{d.day}}", "datasets": [{"id": "d",
		"sql": "SELECT day, sum(n) AS n FROM t GROUP BY 1"}], "panels": [
		{"type": "kpi", "value": "n", "title": "Sold: {{d.n}}"}, {"type": "line", "x": "day", "y": "n", "subtitle": "a {b} c"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	warnings, err := s.Check(map[string][]cube.Column{"d": {{Name: "day", Type: cube.Date}, {Name: "n", Type: cube.Integer}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.String())
	}
	want := `[key_ignored] panels[0].title: "{{d.n}}" is written unchanged: only the content of text panels can have values of rows.` +
		"\n" +
		`[key_ignored] description: "{{d.day}}" is written unchanged: only the content of text panels can have values of rows.`
	if strings.Join(got, "\n") != want {
		t.Errorf("warnings\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestOneColorOfSeries: an author is told that the series of a panel have one colour. Values that are not series, such as those of bars,
// may have one.
func TestOneColorOfSeries(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		panel, colors string
		warned        bool
	}{
		{`"type": "line", "x": "day", "y": "n", "series": "k"`, `"x": "green", "y": "green"`, true},
		{`"type": "area", "x": "day", "y": "n", "series": "k", "stack": true`, `"x": "blue", "y": "blue", "z": "blue"`, true},
		{`"type": "line", "x": "day", "y": "n", "series": "k"`, `"x": "green", "y": "blue"`, false},
		{`"type": "line", "x": "day", "y": "n", "series": "k"`, `"x": "green"`, false},
		{`"type": "bar", "x": "k", "y": "n"`, `"x": "green", "y": "green"`, false},
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "a", "sql": "SELECT day, k, sum(n) AS n FROM t GROUP BY 1, 2"}],
			"columns": {"k": {"colors": {` + tc.colors + `}}}, "panels": [{` + tc.panel + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := s.Check(map[string][]cube.Column{
			"a": {{Name: "day", Type: cube.Date}, {Name: "k", Type: cube.Text}, {Name: "n", Type: cube.Integer}},
		})
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(warnings, func(w dashboard.Warning) bool {
			return w.Code == dashboard.WarnColorsShared && w.Path == "columns.k.colors" && strings.Contains(w.Message, "values are ")
		})
		if warned != tc.warned {
			t.Errorf("{%s} in {%s}: %v", tc.panel, tc.colors, warnings)
		}
	}
}

// TestLockedFilterSkips: the warning of a dataset that does not follow a filter says what a locked filter promises.
func TestLockedFilterSkips(t *testing.T) {
	t.Parallel()
	for _, locked := range []bool{false, true} {
		s, err := dashboard.Parse(fmt.Appendf(nil, `{"datasets": [{"id": "a", "sql": "SELECT k, sum(n) AS n FROM t GROUP BY 1"},
			{"id": "b", "sql": "SELECT count(*) AS m FROM t"}], "filters": [{"column": "k", "default": "x", "locked": %v}],
			"panels": [{"type": "kpi", "data": "a", "value": "n"}, {"type": "kpi", "data": "b", "value": "m"}]}`, locked))
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := s.Check(map[string][]cube.Column{
			"a": {{Name: "k", Type: cube.Text}, {Name: "n", Type: cube.Integer}}, "b": {{Name: "m", Type: cube.Integer}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(warnings, func(w dashboard.Warning) bool { return w.Code == dashboard.WarnFilterSkips }); i < 0 ||
			strings.HasSuffix(warnings[i].Message, "that no panel shows other rows.") != locked {
			t.Errorf("locked %v: %v", locked, warnings)
		}
	}
}
