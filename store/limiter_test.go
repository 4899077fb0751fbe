package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"service/store/limit"
	"service/store/warehouse"
)

// hold represents a warehouse whose queries take as long as their arguments require.
type hold struct {
	warehouse.Connector
	given *time.Duration
}

func (h hold) Query(_ context.Context, _ string, args []any, l warehouse.Limits, _ warehouse.Sink) (warehouse.Stats, error) {
	*h.given = l.Time
	time.Sleep(args[0].(time.Duration))
	return warehouse.Stats{}, nil
}

// TestWaitingLeavesTimeToConnect: a caller that gets a slot at the last moment could not distinguish a busy installation from a warehouse
// that does not answer.
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
				var l limit.Keyed[string]
				var given time.Duration
				tenant := warehouse.Tenant{Account: uuid.New(), Workspace: uuid.New()}
				for range perWorkspace {
					go limitTo(&l, hold{given: new(time.Duration)}, warehouse.Target{}, tenant).
						Query(t.Context(), "", []any{c.taken}, warehouse.Limits{Time: time.Minute}, nil)
				}
				synctest.Wait()
				_, err := limitTo(&l, hold{given: &given}, warehouse.Target{}, tenant).
					Query(t.Context(), "", []any{time.Duration(0)}, warehouse.Limits{Time: c.limit}, nil)
				bad, _ := errors.AsType[*warehouse.Error](err)
				if (bad != nil && bad.Class == warehouse.Busy) != c.busy || !c.busy && err != nil || given != c.given {
					t.Errorf("%v with %s left; want busy %t, %s left", err, given, c.busy, c.given)
				}
				time.Sleep(time.Minute)
				synctest.Wait() // all have left
				c := limitTo(&l, nil, warehouse.Target{}, tenant)
				if n := l.Users(c.workspace) + l.Users(c.account); n != 0 {
					t.Errorf("%d slots are not released", n)
				}
			})
		})
	}
}

// TestAccountsShareNoSlots: one account sends as many queries as it can from five workspaces. No other account has to wait for a warehouse,
// not even the same one, and no workspace exceeds its share of the account's slots.
func TestAccountsShareNoSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l limit.Keyed[string]
		ask := func(tenant warehouse.Tenant, takes time.Duration) (waited time.Duration) {
			start := time.Now()
			_, err := limitTo(&l, hold{given: new(time.Duration)}, warehouse.Target{}, tenant).
				Query(t.Context(), "", []any{takes}, warehouse.Limits{Time: time.Minute}, nil)
			if err != nil {
				t.Error(err)
			}
			return time.Since(start) - takes
		}
		greedy, other := uuid.New(), uuid.New()
		crowd := func() {
			tenant := warehouse.Tenant{Account: greedy, Workspace: uuid.New()}
			for range 8 {
				go ask(tenant, time.Second)
			}
			synctest.Wait()
		}
		crowd()
		if waited := ask(warehouse.Tenant{Account: greedy, Workspace: uuid.New()}, 0); waited != 0 {
			t.Errorf("another workspace of the account waits %v", waited)
		}
		for range 4 {
			crowd()
		}
		if waited := ask(warehouse.Tenant{Account: greedy, Workspace: uuid.New()}, 0); waited == 0 {
			t.Error("an account has more than its share")
		}
		if waited := ask(warehouse.Tenant{Account: other, Workspace: uuid.New()}, 0); waited != 0 {
			t.Errorf("another account waits %v", waited)
		}
		time.Sleep(time.Minute)
		c := limitTo(&l, nil, warehouse.Target{}, warehouse.Tenant{Account: greedy})
		if n := l.Users(c.account); n != 0 {
			t.Errorf("%d slots are not released", n)
		}
	})
}

// TestSlowServerKeepsNoOtherWaiting: a workspace that holds all its slots at one server has those at another.
func TestSlowServerKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l limit.Keyed[string]
		tenant := warehouse.Tenant{Account: uuid.New(), Workspace: uuid.New()}
		ask := func(at warehouse.Target, takes time.Duration) (waited time.Duration) {
			start := time.Now()
			if _, err := limitTo(&l, hold{given: new(time.Duration)}, at, tenant).
				Query(t.Context(), "", []any{takes}, warehouse.Limits{Time: time.Minute}, nil); err != nil {
				t.Error(err)
			}
			return time.Since(start) - takes
		}
		slow := warehouse.Target{Host: "slow.example", Port: 5432}
		for range perWorkspace {
			go ask(slow, time.Second)
		}
		synctest.Wait()
		if waited := ask(warehouse.Target{Host: "quick.example", Port: 5432}, 0); waited != 0 {
			t.Errorf("the other server is waited for %v", waited)
		}
		if waited := ask(warehouse.Target{Host: "SLOW.example", Port: 5432, Database: "other"}, 0); waited != time.Second {
			t.Errorf("the slow server is waited for %v", waited)
		}
	})
}
