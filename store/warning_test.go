package store_test

import (
	"context"
	"testing"

	"service/store"
	"service/store/warehouse"
)

// warner is a warehouse that reports the rights of its user.
type warner struct {
	far
	warning string
}

func (w warner) Warning(context.Context) string { return w.warning }

// TestConnectionWarns: an active connection has the warning about its user until the next test.
func TestConnectionWarns(t *testing.T) {
	t.Parallel()
	var answer warner
	b := setup(t, func(o *store.Options) {
		o.Keys = keys(t, key(1))
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return answer, nil }}
	})
	ctx := t.Context()
	if err := b.Workspaces.SetPlan(ctx, "acme", "paid"); err != nil {
		t.Fatal(err)
	}
	m, err := b.Members.Member(ctx, b.owner.Account(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Connections.AddWarehouse(ctx, m, "postgres", "Sales", warehouse.Target{
		Host: "db.example", Port: 5432, Database: "sales", User: "reader", Password: "s3cret-word", TLS: warehouse.TLSVerify,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct {
		answer         warner
		status, reason string
	}{
		{warner{warning: "It may write."}, store.StatusActive, "It may write."},
		{
			warner{warning: "It may write.", far: far{err: warehouse.Errorf(warehouse.Auth, warehouse.SayAuth)}},
			store.StatusFailing, warehouse.SayAuth,
		},
		{warner{}, store.StatusActive, ""},
	} {
		answer = try.answer
		if c, err := b.Connections.TestConnection(ctx, m, c.ID); err != nil || c.Status != try.status || c.StatusReason != try.reason {
			t.Errorf("%+v: %+v, %v", try, c, err)
		}
	}
}
