package main

import (
	"service/store"
	"service/store/warehouse"
	"service/store/warehouse/postgres"
)

// warehouses is how each kind of warehouse is reached.
func warehouses(c *config) map[string]store.Open {
	dialer := warehouse.Dialer{AllowPrivate: c.AllowPrivateWarehouses}
	return map[string]store.Open{
		"postgres": func(t warehouse.Target) (warehouse.Connector, error) { return postgres.Open(t, dialer) },
	}
}
