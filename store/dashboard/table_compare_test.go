package dashboard

import (
	"strings"
	"testing"

	"service/store/dashboard/cube"
)

// The key compare of a table: a table of measures takes it, with or without a filter on a date, and every refusal names what helps.
func TestCompareKeysOfTables(t *testing.T) {
	t.Parallel()
	const onDay, onDue, none = `[{"column": "day", "default": "this_quarter"}]`, `[{"column": "due"}]`, `[]`
	const one = `"data": "orders", "columns": ["channel", "revenue"], `
	for _, tc := range [][3]string{
		{onDay, one + `"compare": "previous_period"`, ""},
		{none, one + `"compare": "previous_period"`, ""},
		{none, one + `"compare": ["previous_year"], "grain": "quarter", "partial": "show", "total": true`, ""},
		{none, one + `"compare": "previous_year", "sort": "-revenue.change"`, ""},
		{onDay, one + `"compare": "previous_year", "sort": "revenue.before"`, ""},
		{onDay, `"data": "orders", "columns": ["channel", {"column": "revenue", "sparkline": "day"}], "compare": "previous_period"`, ""},
		{onDue, `"data": "two", "columns": ["day", "revenue"], "compare": "previous_period"`, ""},
		{
			none, `"data": "two", "columns": [{"column": "revenue", "sparkline": "due"}], "compare": "previous_period", "grain": "month"`, "",
		},
		{
			none, `"data": "two", "columns": ["channel", "revenue"], "compare": "previous_period"`,
			`panels[0].compare: "previous_period" needs the date whose last complete period counts; name it in sparkline of a column, or add ` +
				"a filter on it; dates: day, due",
		},
		{
			onDay, `"data": "plain", "columns": ["channel", "revenue"], "compare": "previous_year"`,
			`panels[0].compare: "previous_year" needs a date, and dataset "plain" returns none; group its SQL by a date too, or return the ` +
				"values of the other period as a column",
		},
		{
			onDay, `"data": "orders", "columns": ["day", "channel", "revenue"], "compare": "previous_period"`,
			`panels[0].columns[0]: "day" is the date of the periods, so no row of a table with it is in both; leave it out, or draw a line or ` +
				"bars along it, which compare their periods",
		},
		{
			none, `"data": "orders", "compare": "previous_period"`,
			`panels[0].compare: "day" is the date of the periods, so no row of a table with it is in both; write "columns": ["channel", "revenue"]`,
		},
		{
			none, `"data": "orders", "columns": [{"column": "channel", "link": "https://example.com/{{day}}"}, "revenue"],
				"compare": "previous_period"`,
			`panels[0].columns[0].link: "day" is the date of the periods, so no row of a table with it is in both; leave it out of the link`,
		},
		{
			onDay, `"data": "orders", "columns": ["channel"], "compare": "previous_period"`,
			"panels[0].compare: compares measures, and the table shows none; name one in columns; measures: revenue",
		},
		{
			onDay, one + `"compare": ["previous_period", "previous_year"]`,
			`panels[0].compare: has 2 comparisons, and a table has room for one; name "previous_year" or "previous_period"`,
		},
		{
			onDay, one + `"compare": "paid"`,
			`panels[0].compare: "paid" is not an earlier period; another measure is a column by its name in columns`,
		},
		{onDay, one + `"compare": "yoy"`, `did you mean "previous_year"`},
		{onDay, one + `"compare": true`, `panels[0].compare: must be a word, not a boolean; write "previous_year" or "previous_period"`},
		{
			onDay, one + `"sort": "-revenue.change"`,
			`panels[0].sort: is by the comparison of "revenue" with an earlier period; write "compare": "previous_period" too`,
		},
		{
			onDay, one + `"compare": "previous_year", "sort": "-other.change"`,
			`panels[0].sort: column "other.change" is not returned by dataset "orders"`,
		},
		{onDay, one + `"compare": "previous_year", "grain": "week"`, "panels[0].grain: is about the sparkline, and the panel has none"},
		{
			onDay, `"type": "pivot", "data": "orders", "rows": ["channel"], "values": ["revenue"], "compare": "previous_period"`,
			"columns with a date of the dataset and grain has a column for each period",
		},
	} {
		filters, panel, want := tc[0], tc[1], tc[2]
		if !strings.Contains(panel, `"type":`) {
			panel = `"type": "table", ` + panel
		}
		s, err := Parse([]byte(`{"datasets": [
			{"id": "orders", "sql": "SELECT day, channel, sum(amount) AS revenue FROM sales GROUP BY ALL"},
			{"id": "two", "sql": "SELECT day, due, channel, sum(amount) AS revenue FROM sales GROUP BY ALL"},
			{"id": "plain", "sql": "SELECT channel, sum(amount) AS revenue FROM sales GROUP BY ALL"}],
			"filters": ` + filters + `, "panels": [{` + panel + `}]}`))
		if err == nil {
			day, due := cube.Column{Name: "day", Type: cube.Date}, cube.Column{Name: "due", Type: cube.Date}
			channel, revenue := cube.Column{Name: "channel", Type: cube.Text}, cube.Column{Name: "revenue", Type: cube.Number}
			_, err = s.Check(map[string][]cube.Column{
				"orders": {day, channel, revenue}, "two": {day, due, channel, revenue}, "plain": {channel, revenue},
			})
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s with filters %s\ngot  %s\nwant %s", panel, filters, got, want)
		}
	}
}
