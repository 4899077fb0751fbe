package store_test

import (
	"strings"
	"testing"
	"time"

	"service/store"
	"service/store/growthtest"
)

// A cursor is read in time that grows no faster than n log n.
func TestCursorsGrowSlowly(t *testing.T) {
	b := setup(t)
	growthtest.Check(t, 1<<18, time.Millisecond, func(n int) (run func()) {
		q := store.DashboardQuery{Cursor: strings.Repeat("A", n)}
		return func() { _, _ = b.Dashboards.ListDashboards(t.Context(), []store.Member{b.owner}, q) } // it is refused
	})
}

// TestSchedulesCostLittle: each of these schedules took gronx's search at least a second, the worst 40. They take 10 to 60 ms now; the
// bound is well above that, because processors differ.
func TestSchedulesCostLittle(t *testing.T) {
	full := func(begin, piece, end string) string {
		return begin + strings.Repeat(piece, (store.MaxSchedule-len(begin)-len(end))/len(piece)) + end
	}
	for _, expression := range []string{
		strings.Repeat("0,", 31_000) + "0 * * * *", // refused
		full("", "0,", "0 * * * *"),
		full("0 0 ", "29,", "29 2 *"), full("0 0 ", "29,", "29 2 */6"), full("0 0 29 2 ", "6#5,", "6#5"),
		full("0 0 ? 2 ", "5#5,", "5#5"), full("0 0 29 2 ", "6L,", "6L"), full("0 0 29 * ", "6L,", "6L"), full("0 0 29 * ", "6#5,", "6#5"),
		full("0 0 ", "31W,", "31W 2 *"), full("59 23 ", "30W,", "30W 2 *"),
		full("0 0 ", "L,", "31 2 *"), full("0 0 ", "30-30/9,", "30-30/9 2 *"),
	} {
		for _, zone := range []string{"UTC", "America/Sao_Paulo"} {
			growthtest.Within(t, 300*time.Millisecond, func() {
				if c, err := store.ParseSchedule(expression, zone); err == nil { // as a page does
					c.Next(time.Now(), 3)
					c.Last(time.Now())
				}
			})
		}
	}
}
