package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// A key of a column, such as format, is refused in a panel of one measure with what to write in its dataset, and an end of an axis of times
// with how the axis gets it.
func TestKeysOfColumnsInPanels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ panel, want string }{
		{`"type": "kpi", "value": "n", "format": "percent"`, `under columns of the dataset; write "columns": {"n": {"format": "percent"}} there`},
		{`"type": "kpi", "value": "n", "suffix": "kg"`, `under "columns" of the dataset; write "columns": {"n": {"unit": "kg"}} there`},
		{`"type": "bar", "x": "name", "y": ["n"], "precision": 1`, `write "columns": {"n": {"decimals": 1}} there`},
		{`"type": "pivot", "rows": ["name"], "values": ["n"], "agg": "sum"`, `write "columns": {"n": {"agg": "sum"}} there`},
		{`"type": "line", "x": "day", "y": "n", "x_max": "2027-01-01"`, `a later date and NULL in its measure extends it`},
		{`"type": "combo", "x": "day", "bars": "n", "lines": "m", "xMin": "2027-01-01"`, `an axis of times has the dates of the rows`},
		{`"type": "pie", "label": "name", "value": "n", "x_max": 3`, `leave it out; types that have it: histogram, scatter`},
	} {
		_, err := Parse(rampSpec("{" + tc.panel + "}"))
		if got := fmt.Sprint(err); !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s, want %s", tc.panel, got, tc.want)
		}
	}
	_, err := Parse(rampSpec(`{"type": "line", "x": "day", "y": ["n", "m"], "format": "percent"}`))
	if got := fmt.Sprint(err); strings.Contains(got, "there") {
		t.Errorf("of two measures: %s", got)
	}
}
