package datafile

import "service/store/warehouse"

func readWorkbook([]byte) (*grid, error) {
	return nil, warehouse.Errorf(warehouse.Failed, "not yet")
}
