package page

import (
	"testing"

	"service/store/dashboard"
)

// TestBarsFromTheNewestOn: bars of times that are sorted from the newest on keep their values, and days without rows keep their places.
func TestBarsFromTheNewestOn(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "day", Y: []string{"n"}, Sort: "-day"}}, []string{"day date", "n integer sum"},
		[]any{day("2026-03-01"), int64(1)}, []any{day("2026-03-02"), int64(2)}, []any{day("2026-03-04"), int64(4)})
	p := open(v).Panel(0)
	if p.Empty != "" || len(p.Grid.Rows) != 4 {
		t.Fatalf("%q, %v", p.Empty, p.Grid.Rows)
	}
	for x, want := range []any{4.0, nil, 2.0, 1.0} {
		if got := p.Grid.Rows[x][1]; got != want {
			t.Errorf("bar %d is %v, want %v", x, got, want)
		}
	}
}
