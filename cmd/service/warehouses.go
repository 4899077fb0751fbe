package main

import (
	"service/store"
	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/isolate"
	"service/store/warehouse/linked"
	"service/store/warehouse/mysql"
	"service/store/warehouse/postgres"
	"service/store/warehouse/rest/athena"
	"service/store/warehouse/rest/bigquery"
	"service/store/warehouse/rest/databricks"
	"service/store/warehouse/rest/snowflake"
	"service/store/warehouse/rest/trino"
)

// isolatedKinds are the kinds of warehouses whose drivers trust a server's claim about the size of its answer. Each of their calls
// has its own process.
var isolatedKinds = map[string]isolate.Open{
	"mysql": func(t warehouse.Target, d warehouse.Dialer) (warehouse.Connector, error) { return mysql.Open(t, d) },
	"clickhouse": func(t warehouse.Target, d warehouse.Dialer) (warehouse.Connector, error) {
		return clickhouse.Open(t, d)
	},
}

// warehouses returns the functions that open each kind of warehouse. executable is the
// path of this program, and files reads linked files.
func warehouses(c *config, executable string, files *linked.Files) map[string]store.Open {
	dialer := warehouse.Dialer{AllowPrivate: c.AllowPrivateWarehouses}
	processes := isolate.New(isolate.Config{
		Argv: []string{executable, isolate.Command}, Kinds: isolatedKinds, AllowPrivate: c.AllowPrivateWarehouses,
	})
	kinds := map[string]store.Open{
		"postgres":   func(t warehouse.Target) (warehouse.Connector, error) { return postgres.Open(t, dialer) },
		"redshift":   func(t warehouse.Target) (warehouse.Connector, error) { return postgres.OpenRedshift(t, dialer) },
		"bigquery":   func(t warehouse.Target) (warehouse.Connector, error) { return bigquery.Open(t, dialer) },
		"snowflake":  func(t warehouse.Target) (warehouse.Connector, error) { return snowflake.Open(t, dialer) },
		"athena":     func(t warehouse.Target) (warehouse.Connector, error) { return athena.Open(t, dialer) },
		"databricks": func(t warehouse.Target) (warehouse.Connector, error) { return databricks.Open(t, dialer) },
		"trino":      func(t warehouse.Target) (warehouse.Connector, error) { return trino.Open(t, dialer) },
	}
	if c.LinkedMax > 0 {
		kinds["files"] = files.Open
	}
	for kind := range isolatedKinds {
		kinds[kind] = func(t warehouse.Target) (warehouse.Connector, error) { return processes.Open(kind, t) }
	}
	return kinds
}
