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
		return func() { _, _ = b.ListDashboards(t.Context(), []store.Member{b.owner}, q) } // it is refused
	})
}
