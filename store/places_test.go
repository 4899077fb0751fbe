package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
)

// hold is a warehouse whose queries take as long as their arguments say.
type hold struct {
	warehouse.Connector
	given *time.Duration
}

func (h hold) Query(_ context.Context, _ string, args []any, l warehouse.Limits, _ warehouse.Sink) (warehouse.Stats, error) {
	*h.given = l.Time
	time.Sleep(args[0].(time.Duration))
	return warehouse.Stats{}, nil
}

// TestWaitingLeavesTimeToConnect: who gets a place in the last moment could not
// tell a busy installation from a warehouse that does not answer.
func TestWaitingLeavesTimeToConnect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		taken, limit, given time.Duration
		busy                bool
	}{
		{"in time", 24 * time.Second, 30 * time.Second, 6 * time.Second, false},
		{"a few seconds too late", 26 * time.Second, 30 * time.Second, 0, true},
		{"a short limit, in time", 2 * time.Second, 5 * time.Second, 3 * time.Second, false},
		{"a short limit, too late", 3 * time.Second, 5 * time.Second, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var p places
				var given time.Duration
				workspace := uuid.New()
				for range placesPerWorkspace {
					go placedAt(hold{given: new(time.Duration)}, &p, workspace, "db.example").
						Query(t.Context(), "", []any{c.taken}, warehouse.Limits{Time: time.Minute}, nil)
				}
				synctest.Wait()
				_, err := placedAt(hold{given: &given}, &p, workspace, "db.example").
					Query(t.Context(), "", []any{time.Duration(0)}, warehouse.Limits{Time: c.limit}, nil)
				bad, _ := errors.AsType[*warehouse.Error](err)
				if (bad != nil && bad.Class == warehouse.Busy) != c.busy || !c.busy && err != nil || given != c.given {
					t.Errorf("%v with %s left; want busy %t, %s left", err, given, c.busy, c.given)
				}
				time.Sleep(time.Minute)
				synctest.Wait() // all have left
				if len(p.by) != 0 {
					t.Errorf("%d names of places are not forgotten", len(p.by))
				}
			})
		})
	}
}
