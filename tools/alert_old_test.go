package tools

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/alert"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
)

// The last complete period with rows is checked, however old it is. A dry run reports of data that ended long ago what the first refresh
// does.
func TestAlertOverOldData(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	last := time.Date(2025, 6, 9, 0, 0, 0, 0, time.UTC) // a Monday
	b := cube.NewBuilder([]cube.Column{{Name: "week", Type: cube.Date}, {Name: "team", Type: cube.Text}, {Name: "h", Type: cube.Integer}})
	for i := range 9 {
		for j, team := range []string{"a", "b"} {
			if err := b.Add([]any{last.AddDate(0, 0, -7*i), team, int64(22 - i - 10*j)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	cubes := map[string]*cube.Cube{"d": b.Cube()}
	for _, tc := range []struct{ alert, would, warning string }{
		{
			`"if": ">", "than": 30`, "the week of 9 Jun 2025, is checked: the condition holds there, so it fires at the first refresh",
			"[doubtful] alerts[0]: it fires at the first refresh, because of the week of 9 Jun 2025: the last complete period with rows is " +
				"checked, and the rows end there.",
		},
		{
			`"if": ">", "than": 20, "by": "team", "for": 3`, "the condition holds there for 1 value, so it fires after 3 refreshes",
			"[doubtful] alerts[0]: it fires after 3 refreshes, because of the week of 9 Jun 2025: the last complete period with rows is " +
				"checked, and the rows end there.",
		},
		{`"if": ">", "than": 40`, "the week of 9 Jun 2025, is checked: the condition does not hold there", ""},
	} {
		s, err := dashboard.Parse(fmt.Appendf(nil, `{"datasets": [{"id": "d", "sql": "SELECT week, team, sum(h) AS h FROM t GROUP BY 1, 2"}],
			"panels": [{"type": "kpi", "value": "h"}],
			"alerts": [{"id": "slow", "value": "h", "x": "week", "grain": "week", %s}]}`, tc.alert))
		if err != nil {
			t.Fatal(err)
		}
		tried, warnings := tryAlerts(context.Background(), slog.New(slog.DiscardHandler), page.View{Spec: s, Cubes: cubes, Now: now})
		if len(tried) != 1 || !strings.HasSuffix(tried[0].Would, tc.would) {
			t.Errorf("%s: %+v", tc.alert, tried)
		}
		got := ""
		for _, w := range warnings {
			got += w.String()
		}
		if got != tc.warning {
			t.Errorf("%s: warnings %s", tc.alert, got)
		}
		fires := false // at the refresh of the publication
		for _, f := range alert.Judge(alert.Input{Spec: s, Cubes: cubes, AsOf: now, LastGood: now}, &s.Alerts[0]).Findings {
			fires = fires || f.Holds
		}
		if fires != (tc.warning != "") {
			t.Errorf("%s: holds: %t", tc.alert, fires)
		}
	}
}
