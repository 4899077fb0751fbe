package panel

import (
	"math"
	"net/url"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestDrillRows: a link with filters to a dashboard of the same rows shows the rows of the mark there.
func TestDrillRows(t *testing.T) {
	t.Parallel()
	v := commerce(3000)
	v.Spec.Filters = []dashboard.Filter{{Column: "day"}, {Column: "country"}, {Column: "channel"}}
	v.Spec.Panels = []dashboard.Panel{
		{Type: dashboard.KPI, Value: "orders"},
		{Type: dashboard.Bar, X: "day", Y: []string{"orders"}, Series: "channel", Grain: "quarter", Link: "x?day={{day}}&channel={{channel}}"},
		{Type: dashboard.Heatmap, X: "day", Y: []string{"country"}, Value: "orders", Grain: "month", Link: "x?day={{day}}&country={{country}}"},
	}
	followed := 0
	for i := 1; i < len(v.Spec.Panels); i++ {
		p := open(v).Panel(i)
		ways := p.Ways()
		for _, row := range p.Grid.Rows {
			for j := 1; j < len(row); j++ {
				if row[j] == nil {
					continue
				}
				to := ways.At(p.Grid.Marks(row), p.Grid.Columns[j].Head)
				raw, _ := strings.CutPrefix(to.To, "/x?")
				there := v
				there.Query, _ = url.ParseQuery(raw)
				if got := number(open(there).Panel(0).Grid.Rows[0][0]); math.Abs(got-number(row[j])) > 1e-9 {
					t.Errorf("%s: %v, want %v", to.To, got, row[j])
				}
				followed++
			}
		}
	}
	if followed < 100 {
		t.Errorf("%d links were followed", followed)
	}
}
