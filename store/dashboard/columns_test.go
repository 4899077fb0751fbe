package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard/cube"
)

// columnsSpec is a spec of one dataset with settings of its columns, and panels.
func columnsSpec(columns, panels string) string {
	return `{"datasets": [{"id": "d",
		"sql": "SELECT day, at, name, sum(m) AS minutes, sum(w) AS weight, count(*) AS n FROM t GROUP BY 1, 2, 3",
		"columns": {` + columns + `}}], "panels": [` + panels + `]}`
}

var columnsOf = map[string][]cube.Column{"d": {
	{Name: "day", Type: cube.Date},
	{Name: "at", Type: cube.Timestamp},
	{Name: "name", Type: cube.Text},
	{Name: "minutes", Type: cube.Number},
	{Name: "weight", Type: cube.Number},
	{Name: "n", Type: cube.Integer},
}}

func TestColumnNotation(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(columnsSpec(`"minutes": {"format": "hours_minutes"}, "at": {"format": "minute"},
		"weight": {"decimals": 3, "unit": " kg "}, "n": {"format": "percent", "decimals": 0, "hidden": true},
		"per": {"ratio": ["weight", "n"], "format": "currency", "decimals": 4, "unit": "/day"}`,
		`{"type": "table", "columns": [{"column": "weight", "decimals": 0, "group": "Load"}]}`)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(columnsOf); err != nil {
		t.Fatal(err)
	}
	type notation struct {
		format, unit string
		hidden       bool
		kind         Unit
	}
	want := map[string]notation{
		"minutes": {format: "hours_minutes", kind: UnitMinutes}, "at": {format: "minute", kind: UnitPlain},
		"weight": {format: "number3", unit: "kg", kind: `in "kg"`}, "n": {format: "percent0", hidden: true, kind: UnitShare},
		"per": {format: "currency4", unit: "/day", kind: `money in "/day"`},
	}
	for _, c := range s.Datasets[0].Resolve(columnsOf["d"]) {
		if w, ok := want[c.Name]; ok && (notation{c.Format, c.Suffix, c.Hidden, c.Unit()}) != w {
			t.Errorf("%s: %+v, want %+v", c.Name, notation{c.Format, c.Suffix, c.Hidden, c.Unit()}, w)
		}
	}
	if c := s.Panels[0].Columns[0]; WithDecimals("number3", c.Decimals) != "number0" || c.Group != "Load" {
		t.Errorf("the table's column: %+v", c)
	}
}

// A blank unit is no unit.
func TestBlankUnit(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"", "  "} {
		s, _, err := ParseReport(fmt.Appendf(nil, `{"datasets": [{"id": "d", "rows": [{"n": 1}], "columns": {"n": {"unit": %q}}}],
			"panels": [{"type": "table"}]}`, unit))
		if err != nil || s.Datasets[0].Columns[0].Unit != "" {
			t.Errorf("%q: %+v, %v", unit, s, err)
		}
	}
}

func TestColumnProblems(t *testing.T) {
	t.Parallel()
	const table = `{"type": "table"}`
	for _, tc := range []struct{ columns, panels, want string }{
		{`"n": {"format": "number2", "decimals": 3}`, table, `.decimals: "number2" has 2; write "format": "number" beside "decimals"`},
		{`"n": {"format": "integer", "decimals": 3}`, table, `.decimals: "integer" has none; write "format": "number" beside "decimals"`},
		{`"n": {"format": "duration", "decimals": 3}`, table, `.decimals: "duration" has units in place of decimals; leave decimals out`},
		{`"day": {"format": "month", "decimals": 3}`, table, `.decimals: is for numbers, and "month" is a format of dates`},
		{`"day": {"decimals": 3}`, table, `datasets[0].columns.day.decimals: is for numbers, and "day" is of type date`},
		{`"n": {"decimals": 7}`, table, `.decimals: must be a whole number from 0 to 6`},
		{`"n": {"format": "percent3"}`, table, `"percent3" has no name of its own; write "format": "percent", "decimals": 3`},
		{`"n": {"unit": "a unit of many letters"}`, table, `.unit: has 22 characters, over the limit of 12`},
		{`"n": {"unit": "a\nb"}`, table, `.unit: must be on one line`},
		{`"name": {"unit": "kg"}`, table, `datasets[0].columns.name.unit: is for numbers, and "name" is of type text`},
		{`"n": {"negative": "red"}`, table, `possible values: minus, brackets`},
		{`"n": {"negative": "parentheses"}`, table, `did you mean "brackets"?`},
		{`"n": {"parentheses": true}`, table, `did you mean "negative"?`},
		{`"n": {"format": "accounting"}`, table, `"accounting" is not a format: write "negative": "brackets" beside the "format" of the column`},
		{`"name": {"negative": "brackets"}`, table, `datasets[0].columns.name.negative: is for numbers, and "name" is of type text`},
		{`"name": {"sign": true}`, table, `datasets[0].columns.name.sign: is for numbers, and "name" is of type text`},
		{`"n": {"sign": "plus"}`, table, `.sign: must be true or false`},
		{`"n": {"show_sign": true}`, table, `did you mean "sign"?`},
		{`"n": {"format": "+number1"}`, table, `"+number1" has a plus sign; write "format": "number1", "sign": true`},
		{`"n": {"suffix": "kg"}`, table, `did you mean "unit"?`},
		{`"n": {"prefix": "~"}`, table, `a currency is a format, and unit is written after the number`},
		{`"n": {"precision": 2}`, table, `did you mean "decimals"?`},
		{`"n": {"hide": true}`, table, `did you mean "hidden"?`},
		{`"n": {"visible": false}`, table, `write "hidden": true`},
		{`"day": {"format": "time"}`, table, `.format: "time" is for times of the day, and "day" is a date; write "date"`},
		{`"name": {"format": "hours_minutes"}`, table, `a length of time is cast in the sql, with extract(epoch FROM …) / 60`},
		{`"n": {"hidden": true}`, `{"type": "kpi", "value": "n"}`, `panels[0].value: "n" is hidden, so nothing shows it; leave "hidden" out of ` +
			`datasets[0].columns.n, or name another column; columns: day, at, name, minutes, weight`},
		{`"n": {"hidden": true}`, `{"type": "table", "columns": ["day", "n"]}`, `panels[0].columns[1]: "n" is hidden`},
		{
			`"name": {"hidden": true}`, `{"type": "bar", "x": "day", "y": ["n", "weight"], "tooltip": "name"}`,
			`panels[0].tooltip: "name" is hidden`,
		},
		{`"n": {"hidden": true}`, `{"type": "text", "markdown": "{{d.n}}"}`, `panels[0].markdown: "n" is hidden`},
		{`"day": {"hidden": true}, "at": {"hidden": true}, "name": {"hidden": true}, "minutes": {"hidden": true}, "weight": {"hidden": true},
			"n": {"hidden": true}`, table, `panels[0]: shows all columns of dataset "d", and all of these are hidden`},
		{``, `{"type": "table", "columns": [{"column": "n", "hidden": true}]}`, `leave the column out of columns, or write "hidden": true`},
		{``, `{"type": "table", "columns": [{"column": "n", "header_group": "A"}]}`, `did you mean "group"?`},
		{
			`"minutes": {"format": "duration"}`, `{"type": "table", "columns": [{"column": "minutes", "decimals": 1}]}`,
			`panels[0].columns[0].decimals: "duration" has units in place of decimals`,
		},
		{
			``, `{"type": "bar", "x": "name", "y": "n", "tooltip": ["day", "n"]}`,
			`panels[0].tooltip[1]: "n" is y of the panel, which tooltips have anyway; leave it out`,
		},
		{``, `{"type": "bar", "x": "name", "y": "n", "tooltip": ["day", "day"]}`, `panels[0].tooltip[1]: "day" is there twice; keep one`},
		{
			`"weight": {"agg": "none"}`, `{"type": "bar", "x": "name", "y": "n", "tooltip": "weight"}`,
			`panels[0].tooltip: "weight" cannot be merged`,
		},
		{
			`"minutes": {"unit": "min"}, "weight": {"unit": "kg"}`, `{"type": "combo", "x": "name", "bars": ["minutes", "weight"], "lines": "n"}`,
			`"weight" is in "kg" and "minutes" is in "min", and the bars have one axis`,
		},
		{
			`"minutes": {"unit": "min"}, "weight": {"unit": "kg"}`, `{"type": "kpi", "value": "minutes", "target": "weight"}`,
			`"weight" is in "kg" and "minutes" is in "min", so their ratio is not a share`,
		},
	} {
		s, err := Parse([]byte(columnsSpec(tc.columns, tc.panels)))
		if err == nil {
			_, err = s.Check(columnsOf)
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s:\n%v\nwant %s", tc.columns, tc.panels, err, tc.want)
		}
	}
}

// A hidden column can sort a panel, fill in its links, filter the page, order a column and be a part of a ratio.
func TestHiddenColumnsHaveUses(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(strings.Replace(columnsSpec(`"n": {"hidden": true}, "at": {"hidden": true}, "per": {"ratio": ["weight", "n"]}`,
		`{"type": "bar", "x": "name", "y": "weight", "sort": "-n"},
		 {"type": "table", "columns": ["name", {"column": "per", "link": "https://example.com/{{at}}"}]}, {"type": "table"}`),
		`"panels"`, `"filters": [{"column": "at"}], "columns": {"name": {"order": "-n"}}, "panels"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(columnsOf); err != nil {
		t.Error(err)
	}
}
