package worker

import (
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

func (w *worker) ingest(call wire.Call) (wire.Result, error) {
	return wire.Result{}, warehouse.Errorf(warehouse.Failed, "not yet")
}
