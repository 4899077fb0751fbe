package datafile

import "service/store/warehouse"

// readFirst returns the table of a file.
func readFirst(format Format, data []byte) (*Table, error) {
	var out *Table
	err := Read(format, data, warehouse.DatesAuto, func(s Sheet) error {
		if out == nil {
			out = s.Table
		}
		return nil
	})
	return out, err
}
