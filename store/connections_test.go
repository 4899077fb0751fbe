package store_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/warehouse"
)

// asked represents a warehouse that calls back when it is asked.
type asked struct {
	warehouse.Connector
	ping func(warehouse.Target) error
	to   warehouse.Target
}

func (a asked) Ping(context.Context) error { return a.ping(a.to) }

var somewhere = warehouse.Target{
	Host: "db.example", Port: 5432, Database: "sales", User: "reader", Password: "s3cret-word", TLS: warehouse.TLSVerify,
}

// askedBench has an active connection to a warehouse that answers with ping.
func askedBench(t *testing.T, ping func(warehouse.Target) error) (bench, store.Connection) {
	b := setup(t, func(o *store.Options) {
		o.DefaultPlan = "paid"
		o.Warehouses = map[string]store.Open{
			"postgres": func(to warehouse.Target) (warehouse.Connector, error) { return asked{ping: ping, to: to}, nil },
		}
	})
	c, err := b.Connections.AddWarehouse(t.Context(), b.owner, "postgres", "Sales", somewhere)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = b.Connections.TestConnection(t.Context(), b.owner, c.ID); err != nil || c.Status != store.StatusActive {
		t.Fatal(c, err)
	}
	return b, c
}

func (b bench) status(t *testing.T, id uuid.UUID) string {
	t.Helper()
	c, err := b.Connections.Connection(t.Context(), b.owner, id)
	if err != nil {
		t.Fatal(err)
	}
	return c.Status + ": " + c.StatusReason
}

// unreached ends a refresh of a dashboard on c that did not reach its warehouse.
func (b bench) unreached(t *testing.T, c store.Connection, slug string) {
	t.Helper()
	p, err := b.Dashboards.Publish(t.Context(), b.owner, store.Publication{
		Slug: slug, Filename: "index.html", DefaultName: "n", DefaultChart: "c", Spec: &dashboard.Spec{},
		ContentType: "application/json", Content: []byte("{}"), Connection: c.ID, Definitions: map[string][]byte{"d": []byte("same")},
	})
	if err != nil {
		t.Fatal(err)
	}
	j, err := b.Refreshes.StartRun(t.Context(), store.RefreshArgs{Workspace: p.Dashboard.WorkspaceID, Run: p.Run.ID}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refreshes.FinishRun(t.Context(), j, store.Outcome{
		Error: "no", Unreached: "The warehouse refused the user or the password.",
	}); err != nil {
		t.Fatal(err)
	}
}

// TestTestOfWhatIsNoMore: a test does not report on a target that has replaced the tested one, and does not switch on a connection that was
// switched off meanwhile.
func TestTestOfWhatIsNoMore(t *testing.T) {
	t.Parallel()
	var during func()
	b, c := askedBench(t, func(warehouse.Target) error {
		if during != nil {
			during()
		}
		return nil
	})
	ctx := t.Context()
	moved := somewhere
	moved.Host, moved.Password = "elsewhere.example", "other-word"
	during = func() {
		if _, err := b.Connections.UpdateWarehouse(ctx, b.owner, c.ID, "Sales", moved); err != nil {
			t.Error(err)
		}
	}
	_, err := b.Connections.TestConnection(ctx, b.owner, c.ID)
	refusal(t, err, "The connection was changed while it was tested. Test it again.")
	if got := b.status(t, c.ID); got != "untested: " {
		t.Error("a new target is", got)
	}
	during = func() {
		if err := b.Connections.DisableConnection(ctx, b.owner, c.ID); err != nil {
			t.Error(err)
		}
	}
	_, err = b.Connections.TestConnection(ctx, b.owner, c.ID)
	refusal(t, err, "The connection was changed while it was tested. Test it again.")
	if got := b.status(t, c.ID); got != "disabled: Switched off by its owner." {
		t.Error("what was switched off is", got)
	}
	during = nil // a test that begins afterwards switches it on
	if _, err := b.Connections.TestConnection(ctx, b.owner, c.ID); err != nil || b.status(t, c.ID) != "active: " {
		t.Error(b.status(t, c.ID), err)
	}
}

// TestFailingConnectionsAreLookedAtAgain: those that refreshes made failing, every
// few minutes, by one process each, until the warehouse answers.
func TestFailingConnectionsAreLookedAtAgain(t *testing.T) {
	t.Parallel()
	var pings atomic.Int32
	var answer atomic.Pointer[warehouse.Error]
	b, c := askedBench(t, func(warehouse.Target) error {
		pings.Add(1)
		if err := answer.Load(); err != nil {
			return err
		}
		return nil
	})
	ctx := t.Context()
	pings.Store(0)
	// look lets time pass and has two processes look at once.
	look := func(passed time.Duration, want int32) {
		t.Helper()
		if _, err := b.pool.Exec(ctx, `
				UPDATE connection SET status_at = status_at - $1::interval, looked_at = looked_at - $1::interval`, passed); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if err := b.Connections.LookAgain(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := pings.Swap(0); got != want {
			t.Errorf("asked %d times, want %d", got, want)
		}
	}
	for _, slug := range []string{"a", "b", "c"} {
		look(time.Hour, 0) // it is active
		b.unreached(t, c, slug)
	}
	const failed = "failing: The warehouse refused the user or the password."
	if got := b.status(t, c.ID); got != failed {
		t.Fatal(got)
	}
	answer.Store(warehouse.Errorf(warehouse.Connect, "Nothing answers."))
	look(time.Minute, 0) // it failed just now
	look(5*time.Minute, 1)
	look(time.Minute, 0)
	if got := b.status(t, c.ID); got != failed {
		t.Error(got)
	}
	// The longer it fails, the less often it is asked, and once an hour at least.
	look(5*time.Minute, 1)
	look(29*time.Minute, 1)
	look(9*time.Minute, 0)
	look(9*time.Minute, 1)
	look(100*time.Hour, 1)
	look(59*time.Minute, 0)
	answer.Store(nil)
	look(2*time.Minute, 1)
	if got := b.status(t, c.ID); got != "active: The warehouse answers again." {
		t.Error(got)
	}
	// The result of the owner's test stays until the owner tests again.
	answer.Store(warehouse.Errorf(warehouse.Auth, "The warehouse refused the user or the password."))
	if _, err := b.Connections.TestConnection(ctx, b.owner, c.ID); err != nil || b.status(t, c.ID) != failed {
		t.Fatal(b.status(t, c.ID), err)
	}
	pings.Store(0)
	answer.Store(nil)
	look(time.Hour, 0)
	b.unreached(t, c, "d") // nothing was asked of it then, were it not under way already
	look(time.Hour, 0)
	if got := b.status(t, c.ID); got != failed {
		t.Error(got)
	}
}

// TestLookDoesNotUndoTheOwner: the check of a failing connection does not undo what its owner changed meanwhile.
func TestLookDoesNotUndoTheOwner(t *testing.T) {
	t.Parallel()
	var during func()
	b, c := askedBench(t, func(warehouse.Target) error {
		if during != nil {
			during()
		}
		return nil
	})
	ctx := t.Context()
	for _, slug := range []string{"a", "b", "c"} {
		b.unreached(t, c, slug)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE connection SET status_at = status_at - interval '1 hour'`); err != nil {
		t.Fatal(err)
	}
	looked := errors.New("it was not looked at")
	during = func() { looked = b.Connections.DisableConnection(ctx, b.owner, c.ID) }
	if err := errors.Join(b.Connections.LookAgain(ctx), looked); err != nil {
		t.Fatal(err)
	}
	if got := b.status(t, c.ID); got != "disabled: Switched off by its owner." {
		t.Error(got)
	}
}
