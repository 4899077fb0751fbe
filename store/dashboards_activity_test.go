package store_test

import (
	"context"
	"testing"
	"time"
)

// TestViewsAreKept: views that could not be written are written by the next flush, together with the views since then, and once.
func TestViewsAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.note(t, "note", "# Note").Dashboard.ID
	view := func() { b.Dashboards.CountView(b.owner, d, 3*time.Millisecond, 10) }
	view()
	view()
	away, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Dashboards.FlushViews(away); err == nil {
		t.Fatal("views were written with a context that had ended")
	}
	view()
	for range 2 {
		if err := b.Dashboards.FlushViews(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var count, took, bytes, inBuckets int
	if err := b.pool.QueryRow(t.Context(), `
		SELECT count, duration_ms, bytes, (SELECT sum(n) FROM unnest(buckets) n) FROM activity WHERE dashboard_id = $1 AND event = 'view'`, d).
		Scan(&count, &took, &bytes, &inBuckets); err != nil {
		t.Fatal(err)
	}
	if count != 3 || took != 9 || bytes != 30 || inBuckets != 3 {
		t.Errorf("%d views of %d ms and %d bytes, %d in buckets; want 3, 9, 30, 3", count, took, bytes, inBuckets)
	}
}
