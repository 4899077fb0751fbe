package refresh_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// billed represents a warehouse that bills 12 GB for each query. It refuses a query that would read more than its own limit, as connectors
// do.
type billed struct {
	slow
	most *atomic.Int64
}

func (f billed) Query(ctx context.Context, _ string, _ []any, l warehouse.Limits, sink warehouse.Sink) (warehouse.Stats, error) {
	const bytes = 12_000_000_000
	if most := f.most.Load(); most < bytes {
		return warehouse.Stats{}, warehouse.Errorf(warehouse.TooLarge, warehouse.SayCost, warehouse.Size(bytes), warehouse.Size(most))
	}
	if _, err := l.Reserve(ctx, bytes); err != nil {
		return warehouse.Stats{}, err
	}
	return warehouse.Stats{Rows: 1, Read: bytes},
		errors.Join(sink.Columns([]cube.Column{{Name: "n", Type: cube.Integer}}), sink.Row([]any{int64(1)}))
}

// TestOverItsCap: a dataset over the cap of a run or a month fails with its bytes and the cap, and keeps its rows. The connection stays
// active.
func TestOverItsCap(t *testing.T) {
	t.Parallel()
	far := billed{most: &atomic.Int64{}}
	far.most.Store(math.MaxInt64)
	b := setup(t, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"bigquery": func(warehouse.Target) (warehouse.Connector, error) { return far, nil }}
	})
	if err := b.Workspaces.SetPlan(t.Context(), "acme", "paid"); err != nil {
		t.Fatal(err)
	}
	b.member, _ = b.Members.Member(t.Context(), b.member.Account(), "acme")
	c, err := b.Connections.AddWarehouse(t.Context(), b.member, "bigquery", "Sales", warehouse.Target{
		Host: "bigquery.example", Port: 443, Password: "s3cret", TLS: warehouse.TLSVerify, MaxMonth: 30_000_000_000,
	})
	if err == nil {
		c, err = b.Connections.TestConnection(t.Context(), b.member, c.ID)
	}
	if err != nil || c.Status != store.StatusActive {
		t.Fatal(c, err)
	}
	b.publish(t, b.member, "s", one, c.ID, uuid.Nil)
	b.start(t)
	if got := b.wait(t); got != store.RunSucceeded {
		t.Fatalf("the first refresh: %s, %+v", got, b.status(t, b.member, "s").Run)
	}
	if got := b.status(t, b.member, "s").Run.Datasets[0].Read; got != 12_000_000_000 {
		t.Errorf("the refresh has recorded %d bytes", got)
	}
	again := func() (state, text string) {
		t.Helper()
		if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "s"); err != nil {
			t.Fatal(err)
		}
		state = b.wait(t)
		status := b.status(t, b.member, "s")
		if len(status.Results) != 1 || status.Results[0].Rows != 1 {
			t.Errorf("its rows are %+v", status.Results)
		}
		return state, status.Run.Datasets[0].Error
	}
	far.most.Store(10_000_000_000)
	if state, text := again(); state != store.RunFailed ||
		!strings.HasPrefix(text, "A run of the query reads about 12 GB, and this connection allows 10 GB.") {
		t.Errorf("over the cap of a run: %s, %s", state, text)
	}
	far.most.Store(math.MaxInt64)
	if state, _ := again(); state != store.RunSucceeded {
		t.Error("the second refresh fails")
	}
	if state, text := again(); state != store.RunFailed || !strings.HasPrefix(text, "A run of the query reads about 12 GB: queries over "+
		"this connection have read 24 GB this month, and it allows 30 GB a month.") {
		t.Errorf("over the cap of a month: %s, %s", state, text)
	}
	if c, err := b.Connections.OwnConnection(t.Context(), b.member, c.ID); err != nil || c.Status != store.StatusActive {
		t.Errorf("the connection is %s: %v", c.Status, err)
	}
}
