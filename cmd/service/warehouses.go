package main

import (
	"service/store"
	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/mysql"
	"service/store/warehouse/postgres"
)

// warehouses is how each kind of warehouse is reached.
func warehouses(c *config) map[string]store.Open {
	dialer := warehouse.Dialer{AllowPrivate: c.AllowPrivateWarehouses}
	return map[string]store.Open{
		"postgres":   func(t warehouse.Target) (warehouse.Connector, error) { return postgres.Open(t, dialer) },
		"mysql":      func(t warehouse.Target) (warehouse.Connector, error) { return mysql.Open(t, dialer) },
		"clickhouse": func(t warehouse.Target) (warehouse.Connector, error) { return clickhouse.Open(t, dialer) },
	}
}
