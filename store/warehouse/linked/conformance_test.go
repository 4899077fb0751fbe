package linked_test

import (
	"bytes"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/duckdbtest"
	"service/store/warehouse/linked"
	"service/store/warehouse/warehousetest"
)

// TestConformance runs the suite of every warehouse over a CSV file at a web address and a Parquet file in a bucket.
func TestConformance(t *testing.T) {
	t.Run("csv", func(t *testing.T) {
		host := newStandIn(t, false, map[string]content{"exports/orders.csv": bytes.NewReader(duckdbtest.Orders())})
		conform(t, host, host.target("exports/orders.csv"))
	})
	t.Run("parquet", func(t *testing.T) {
		in, err := newEngine(t).Ingest(t.Context(), warehouse.Tenant{}, warehouse.DataFile{Name: "orders.csv", Data: duckdbtest.Orders()})
		if err != nil {
			t.Fatal(err)
		}
		host := newStandIn(t, true, map[string]content{"exports/orders.parquet": bytes.NewReader(in.Parquet)})
		conform(t, host, host.target("orders = exports/orders.parquet"))
	})
}

func conform(t *testing.T, host *standIn, target warehouse.Target) {
	e := newEngine(t)
	f := linked.New(e, warehouse.Dialer{AllowPrivate: true}, linked.DefaultMost)
	t.Cleanup(func() { f.Close() })
	s := duckdbtest.Source(t, func(testing.TB) warehouse.Connector { return open(t, f, target) })
	s.Runaways = s.Runaways[:1] // they read no table, so the tests of package duckdb are enough
	s.Running = func(testing.TB) int { return e.Stats().Busy }
	s.Secrets = append(s.Secrets, keyID, secret, host.http.URL, "exports")
	warehousetest.Run(t, s)
}
