package dashboard_test

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard"
)

// Gaps is one of four words. The words of other tools are answered with these, and where they do not
// fit the panel is refused.
func TestGapsKey(t *testing.T) {
	t.Parallel()
	const line, words = `{"type": "line", "data": "orders", "x": "day", "y": "revenue", `, "auto, break, join, zero"
	for _, tc := range []struct{ panel, want string }{
		{line + `"gaps": "auto"}`, ""},
		{line + `"gaps": "break"}`, ""},
		{line + `"gaps": "join"}`, ""},
		{line + `"gaps": "zero"}`, ""},
		{line + `"gaps": true}`, "panels[0].gaps: must be a word, not a boolean; possible values: " + words},
		{line + `"gaps": false}`, "panels[0].gaps: must be a word, not a boolean; possible values: " + words},
		{line + `"gaps": "connect"}`, `possible values: ` + words + `; did you mean "join"?`},
		{line + `"gaps": "null"}`, `did you mean "break"?`},
		{line + `"gaps": "zeros"}`, `did you mean "zero"?`},
		{line + `"gaps": 0}`, "panels[0].gaps: must be a string, not a number"},
		{line + `"spanGaps": true}`, `did you mean "gaps"?`},
		{line + `"spanNulls": true}`, `did you mean "gaps"?`},
		{line + `"connectNulls": true}`, `did you mean "gaps"?`},
		{line + `"missing": "zero"}`, `did you mean "gaps"?`},
		{`{"type": "area", "data": "orders", "x": "day", "y": "revenue", "gaps": "zero"}`, ""},
		{`{"type": "combo", "data": "orders", "x": "day", "bars": "revenue", "lines": "orders", "gaps": "zero"}`, ""},
		{
			`{"type": "combo", "data": "orders", "x": "day", "bars": "revenue", "lines": "aov", "gaps": "zero"}`,
			`panels[0].gaps: "zero" is for sums, and "aov" is a ratio, which is not 0 where there are no rows; possible values: auto, break, join`,
		},
		{`{"type": "combo", "data": "orders", "x": "day", "bars": "revenue", "lines": "aov", "gaps": "break"}`, ""},
		{
			`{"type": "line", "data": "orders", "x": "day", "y": "best", "gaps": "zero"}`,
			`panels[0].gaps: "zero" is for sums, and "best" is of agg "max", which is not 0 where there are no rows`,
		},
		{
			`{"type": "line", "data": "orders", "x": "country", "y": "revenue", "gaps": "break"}`,
			`[key_ignored] panels[0].gaps: gaps is about times without rows, and "country" is of type text, so it changes nothing.`,
		},
		{`{"type": "line", "data": "orders", "x": "shop_id", "y": "revenue", "gaps": "break"}`, ""}, // it may have years
		{`{"type": "bar", "data": "orders", "x": "day", "y": "revenue", "gaps": "break"}`, `"break" is for lines`},
		{`{"type": "bar", "data": "orders", "x": "day", "y": "revenue", "gaps": "zero"}`, ""},
		{`{"type": "bar", "data": "orders", "x": "day", "y": "aov", "gaps": "zero"}`, `panels[0].gaps: "zero" is for sums`},
		{`{"type": "bar", "data": "orders", "x": "country", "y": "revenue", "gaps": "zero"}`, "[key_ignored] panels[0].gaps: gaps is about"},
	} {
		s, err := dashboard.Parse(document("", tc.panel, ""))
		var warnings []dashboard.Warning
		if err == nil {
			warnings, err = s.Check(checkColumns)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		for _, w := range warnings {
			if w.Code == dashboard.WarnKeyIgnored {
				got += w.String()
			}
		}
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s:\n%s\nwant\n%s", tc.panel, got, tc.want)
		}
	}
}

// A number that is of all rows has those of the running period too, as "partial": "show" asks: a note to the author, and no refusal.
func TestPartialOfAllRows(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{"", `{"column": "day"}`} {
		s, err := dashboard.Parse(document(filter, `{"type": "kpi", "data": "orders", "value": "orders", "partial": "show"}`, ""))
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := s.Check(checkColumns)
		if got := fmt.Sprint(warnings); err != nil || !strings.Contains(got, "[key_ignored] panels[0].partial: the number is of all rows") {
			t.Errorf("%v: %s", err, got)
		}
	}
}
