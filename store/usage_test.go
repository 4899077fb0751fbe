package store_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"service/store"
	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// counted represents a third-party warehouse that estimates and reports bytes. The arguments of a query are its estimate, or -1, and the
// bytes that it then reads.
type counted struct {
	warehouse.Connector
	most *atomic.Int64 // that the last query was allowed to read
	runs *atomic.Int64
}

func (c counted) Query(ctx context.Context, _ string, args []any, l warehouse.Limits, _ warehouse.Sink) (warehouse.Stats, error) {
	most, err := l.Reserve(ctx, args[0].(int64))
	if err != nil {
		return warehouse.Stats{}, err
	}
	c.most.Store(most)
	c.runs.Add(1)
	return warehouse.Stats{Read: args[1].(int64)}, nil
}

func (counted) Ping(context.Context) error { return nil }

// TestUsage: the bytes of queries count by month, and the limit of a month refuses queries that would exceed it.
func TestUsage(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	var now atomic.Pointer[time.Time]
	now.Store(&at)
	fake := counted{most: &atomic.Int64{}, runs: &atomic.Int64{}}
	b := setup(t, func(o *store.Options) {
		o.Keys = keys(t, key(1))
		o.Now = func() time.Time { return *now.Load() }
		o.Warehouses = map[string]store.Open{"bigquery": func(warehouse.Target) (warehouse.Connector, error) { return fake, nil }}
	})
	ctx := t.Context()
	if err := b.Workspaces.SetPlan(ctx, "acme", "paid"); err != nil {
		t.Fatal(err)
	}
	m, _ := b.Members.Member(ctx, b.owner.Account(), "acme")
	target := warehouse.Target{Host: "bigquery.example", Port: 443, Password: "s3cret", TLS: warehouse.TLSVerify, MaxMonth: 1_000_000}
	c, err := b.Connections.AddWarehouse(ctx, m, "bigquery", "Sales", target)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Connections.TestConnection(ctx, m, c.ID); err != nil {
		t.Fatal(err)
	}
	src, err := b.Connections.Source(ctx, m, c.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	query := func(estimate, reads int64) error {
		_, err := src.For("").Query(ctx, "SELECT 1", []any{estimate, reads}, warehousetest.Wide, nil)
		return err
	}
	if err := query(600_000, 500_000); err != nil || fake.most.Load() != 1_000_000 {
		t.Error(err, fake.most.Load())
	}
	err = query(500_001, 0)
	const want = "A run of the query reads about 500 kB: " +
		"queries over this connection have read 500 kB this month, and it allows 1 MB a month. " +
		"Wait until the next month, read less, or have the connection's owner raise its limit."
	if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Message != want || bad.Class != warehouse.TooLarge {
		t.Error(err)
	}
	if err := query(-1, 100_000); err != nil || fake.most.Load() != 500_000 {
		t.Error(err, fake.most.Load())
	}
	var wg sync.WaitGroup
	fake.runs.Store(0)
	for range 4 { // 400 kB are left
		wg.Go(func() { _ = query(150_000, 150_000) })
	}
	wg.Wait()
	if fake.runs.Load() != 2 {
		t.Errorf("%d queries at once have run", fake.runs.Load())
	}
	if err := query(100_000, 100_000); err != nil {
		t.Error(err)
	}
	const spent = "The query was not run: queries over this connection have read 1 MB"
	if err := query(-1, 1); err == nil || !strings.HasPrefix(err.Error(), spent) {
		t.Error(err)
	}
	if err := query(0, 0); err != nil { // a query that reads nothing may run
		t.Error(err)
	}
	later := at.Add(2 * time.Hour)
	now.Store(&later)
	if err := query(900_000, 900_000); err != nil {
		t.Error("in the next month:", err)
	}
	used, err := b.Usage(ctx, m, c.ID)
	december := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	if err != nil || len(used) != 2 || !used[0].Month.Equal(december) || used[0].Bytes != 900_000 || used[0].Runs != 1 ||
		used[1].Bytes != 1_000_000 || used[1].Runs != 6 {
		t.Error(used, err)
	}
	if err := b.Connections.DeleteConnection(ctx, m, c.ID); err != nil {
		t.Error(err)
	}
}

// TestLimitsOfConnections: limits that make no sense are refused at their field.
func TestLimitsOfConnections(t *testing.T) {
	t.Parallel()
	fine := warehouse.Target{Host: "bigquery.example", Port: 443, TLS: warehouse.TLSVerify, MaxBytes: 10, MaxMonth: 10}
	if err := fine.Check("bigquery"); err != nil {
		t.Error(err)
	}
	less, negative := fine, fine
	less.MaxMonth, negative.MaxMonth = 9, -1
	refusal(t, less.Check("bigquery"), "month must not be less than the limit of a run")
	refusal(t, negative.Check("bigquery"), "month must be a number of gigabytes, or empty for no limit")
}
