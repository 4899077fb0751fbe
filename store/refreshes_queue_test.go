package store_test

import (
	"testing"
	"time"

	"service/store"
)

// TestQueueState counts refreshes from their trigger to their end.
func TestQueueState(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	want := func(when string, want store.QueueState) {
		t.Helper()
		if got, err := b.Refreshes.QueueState(t.Context()); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", when, got, err, want)
		}
	}
	want("at first", store.QueueState{})
	first := b.spec(t, b.owner, "first", `{}`)
	now = now.Add(time.Minute)
	second := b.spec(t, b.owner, "second", `{}`)
	now = now.Add(time.Second)
	want("two wait", store.QueueState{Waiting: 2, Oldest: 61 * time.Second})
	if _, err := b.pool.Exec(t.Context(), `
			UPDATE refresh_run SET state = 'running', started_at = queued_at WHERE id = $1`, first.Run.ID); err != nil {
		t.Fatal(err)
	}
	want("one is under way", store.QueueState{Waiting: 1, Running: 1, Oldest: time.Second})
	now = now.Add(-time.Hour)
	want("clocks differ", store.QueueState{Waiting: 1, Running: 1})
	now = now.Add(time.Hour)
	b.finish(t, second, 1)
	want("one has ended", store.QueueState{Running: 1})
	c, err := store.ParseSchedule("daily 13:00", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refreshes.SetSchedule(t.Context(), b.owner, "first", c); err != nil {
		t.Fatal(err)
	}
	want("nothing is due", store.QueueState{Running: 1})
	now = now.Truncate(time.Hour).Add(65 * time.Minute)
	want("a schedule is late", store.QueueState{Running: 1, Late: 5 * time.Minute})
}
