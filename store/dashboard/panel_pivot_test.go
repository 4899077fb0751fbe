package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// Data that a pivot cannot show is refused with a message that names the fix.
func TestPivotKeys(t *testing.T) {
	t.Parallel()
	for panel, want := range map[string]string{
		`"rows": ["c"], "values": ["v"]`:                                              "",
		`"rows": "c", "values": "v", "columns": ["d"]`:                                "",
		`"rows": ["c"], "values": ["v"], "columns": [{"column": "d"}], "heat": "row"`: "",
		`"rows": ["c", "k"], "values": ["v"], "sort": "-v", "totals": false`:          "",
		`"rows": ["c"], "columns": ["k"], "values": ["v"], "totals": "rows"`:          "",
		`"rows": ["c"], "values": ["v"], "totals": "columns"`:                         "",
		`"rows": ["c"], "values": ["v"], "totals": "rows"`:                            `totals: "rows" adds a total to each row`,
		`"rows": ["c"], "columns": ["k"], "values": ["v"], "totals": "row"`:           `, "rows" or "columns"; did you mean "rows"?`,
		`"rows": ["c"], "columns": ["k"], "values": ["v"], "totals": "both"`:          `, "rows" or "columns"; write true`,
		`"rows": ["c"], "columns": ["k"], "values": ["v"], "totals": ["rows"]`:        `, "rows" or "columns"; did you mean "rows"?`,
		`"rows": ["c", "k"], "values": ["v"], "sort": "-k"`:                           "",
		`"rows": ["c", "d", "k"], "values": ["q"]`:                                    "",
		`"rows": ["c", "d", "k"], "values": ["q"], "sort": "q"`:                       `panels[0].sort: "q" has no totals to sort by`,
		`"values": ["v"]`:                                            "panels[0].rows: is missing",
		`"rows": [], "values": ["v"]`:                                "panels[0].rows: is empty",
		`"rows": ["c"]`:                                              "panels[0].values: is missing",
		`"rows": ["v"], "values": ["v"]`:                             `"v" is a measure, and this must be a dimension`,
		`"rows": ["c"], "values": ["k"]`:                             `"k" is a dimension (text), and this must be a measure`,
		`"rows": ["c", "c"], "values": ["v"]`:                        `panels[0].rows[1]: "c" is there twice`,
		`"rows": ["c"], "values": ["v"], "columns": ["c"]`:           `panels[0].columns[0]: "c" is one of rows too`,
		`"rows": ["c"], "values": ["v"], "columns": ["d", "k", "e"]`: "panels[0].columns[2]: is one too many",
		`"rows": ["c"], "values": ["v"], "columns": [{"column": "d", "label": "Day"}]`:      `of a pivot takes "column" alone`,
		`"rows": ["c"], "values": ["v"], "heat": "row"`:                                     `heat: "row" compares the columns`,
		`"rows": ["c"], "values": ["v"], "heat": "line"`:                                    `panels[0].heat: "line"`,
		`"rows": ["c"], "values": ["v"], "sort": "w"`:                                       `sort: "w" is neither one of values`,
		`"rows": ["c"], "values": ["v"], "grain": "month"`:                                  `is about times, and "c" is of type text`,
		`"rows": ["c"], "values": ["v"], "link": "https://example.com/{{d}}"`:               "{{d}} is no dimension of this panel's marks",
		`"rows": ["c", "d", "k", "e"], "values": ["v"]`:                                     "panels[0].rows",
		`"rows": ["c"], "columns": ["d"], "values": ["v"], "link": "sales?c={{c}}&d={{d}}"`: "",
	} {
		_, _, err := ParseReport(fmt.Appendf(nil, `{"datasets": [{"id": "d", "columns": {"v": {"agg": "sum"}, "q": {"agg": "none"}}, "rows": [
			{"c": "France", "d": "2026-01-01", "k": "x", "e": "y", "v": 1.5, "w": 2.5, "q": 3.5}]}], "panels": [{"type": "pivot", %s}]}`, panel))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", panel, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", panel, err, want)
		}
	}
}
