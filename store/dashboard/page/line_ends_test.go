package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestNamesAtEndsHaveAMargin: a page whose lines have names at their ends has the style of the margin in which they are written.
func TestNamesAtEndsHaveAMargin(t *testing.T) {
	t.Parallel()
	v := View{Now: now, Header: Header{AsOf: now}}
	var err error
	if v.Spec, v.Cubes, err = dashboard.ParseReport([]byte(`{"datasets": [{"id": "d", "rows": [
		{"day": "2026-01-01", "a": 1, "b": 2}, {"day": "2026-01-02", "a": 3, "b": 1}, {"day": "2026-01-03", "a": 3, "b": 5}]}],
		"panels": [{"type": "line", "x": "day", "y": ["a", "b"], "legend": "ends"}]}`)); err != nil {
		t.Fatal(err)
	}
	drawn := string(render(t, v))
	for _, want := range []string{` k1"`, ".k1{--k:36px}", ">A</text>"} {
		if strings.Count(drawn, want) != 1 {
			t.Errorf("%d times %q", strings.Count(drawn, want), want)
		}
	}
}
