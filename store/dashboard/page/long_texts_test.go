package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/growthtest"
)

// TestLongTextsAreSortedInTime: texts of thousands of bytes that begin alike, as much as a dataset holds, are sorted in little time, and a
// page sorts only some of them: its other panels report that there is too much data.
func TestLongTextsAreSortedInTime(t *testing.T) {
	const n, alike = 20_000, 3900
	b := cube.NewBuilder([]cube.Column{{Name: "a", Type: cube.Text}, {Name: "n", Type: cube.Integer}})
	for i := range n {
		if err := b.Add([]any{fmt.Sprintf("%s%0100d", strings.Repeat("x", alike), i*7919%n), int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	for name, panel := range map[string]dashboard.Panel{
		"rows of a pivot":    {Type: dashboard.Pivot, Rows: []string{"a"}, Values: []string{"n"}},
		"columns of a pivot": {Type: dashboard.Pivot, Rows: []string{"n"}, Columns: across("a"), Values: []string{"n"}},
		"sorted table":       {Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "n"}, {Column: "a"}}, Sort: "a"},
		"series of lines":    {Type: dashboard.Line, X: "n", Y: []string{"n"}, Series: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			v := tiny(times(dashboard.MaxPanels, panel), nil)
			v.Cubes["d"] = c
			drawn := 0
			growthtest.Within(t, 4*time.Second, func() {
				p := open(v)
				p.workOut()
				drawn = 0
				for _, one := range p.panels {
					if one.Problem == "" {
						drawn++
					}
				}
			})
			if drawn < 1 || drawn > 10 {
				t.Errorf("%d panels are drawn", drawn)
			}
		})
	}
}
