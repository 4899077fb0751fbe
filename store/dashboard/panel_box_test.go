package dashboard_test

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// The rows of the dry run decide whether a candle or a box is of one row: several rows of a day are refused, even without a dimension that
// distinguishes them, and a further dimension is accepted if each day has one row.
func TestOneRowEach(t *testing.T) {
	t.Parallel()
	columns := []cube.Column{
		{Name: "day", Type: cube.Date}, {Name: "share", Type: cube.Text}, {Name: "low", Type: cube.Number}, {Name: "high", Type: cube.Number},
	}
	for _, tc := range []struct {
		sql, panel string
		days       []int
		want       string
	}{
		{"SELECT day, share, low, high FROM t", `{"type": "candlestick", "x": "day", "low": "low", "high": "high"}`, []int{1, 2, 3}, ""},
		{
			"SELECT day, share, low, high FROM t", `{"type": "candlestick", "x": "day", "low": "low", "high": "high"}`,
			[]int{1, 1, 2},
			`panels[0].x: a candle is of one row, and "day" has several for a value, which "share" tells apart; let the sql return one`,
		},
		{
			"SELECT day, any_value(share) AS share, low, high FROM t GROUP BY day, low, high",
			`{"type": "candlestick", "x": "day", "low": "low", "high": "high"}`,
			[]int{1, 1, 2},
			`panels[0].x: a candle is of one row, and "day" has several for a value; let the sql return one`,
		},
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "` + tc.sql + `"}], "panels": [` + tc.panel + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		b := cube.NewBuilder(columns)
		for i, d := range tc.days {
			if err := b.Add([]any{time.Date(2026, 3, d, 0, 0, 0, 0, time.UTC), string(rune('a' + i)), 1.0, 2.0 + float64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		_, err = s.CheckRows(map[string][]cube.Column{"d": columns}, map[string]*cube.Cube{"d": b.Cube()})
		if got := strings.TrimSpace(errorText(err)); got != tc.want {
			t.Errorf("%s of days %v:\n%s\nwant %s", tc.sql, tc.days, got, tc.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
