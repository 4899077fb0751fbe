package worker

import (
	"database/sql/driver"
	"fmt"
	"math/big"
	"os"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// maxWidth is the greatest number of digits of a decimal of the engine.
const maxWidth = 38

// loadRows creates a table from an encoded cube.
func (db *database) loadRows(t wire.Table) error {
	data, err := os.ReadFile(t.Path)
	if err != nil {
		return fmt.Errorf("rows of a table: %w", err)
	}
	c, err := cube.Decode(data)
	if err != nil {
		return fmt.Errorf("rows of a table: %w", err)
	}
	columns := make([]rowColumn, len(c.Columns()))
	defined := make([]string, len(columns))
	for i, col := range c.Columns() {
		columns[i] = newRowColumn(c, i)
		defined[i] = identifier(col.Name) + " " + columns[i].sqlType
	}
	if err := db.exec("CREATE TABLE " + identifier(t.Name) + " (" + strings.Join(defined, ", ") + ")"); err != nil {
		return translateError(err, "", 0)
	}
	a, err := duckdb.NewAppenderFromConn(db.conn, "", t.Name)
	if err != nil {
		return translateError(err, "", 0)
	}
	values := make([]driver.Value, len(columns))
	for row := range c.Rows() {
		for i, k := range columns {
			if values[i], err = k.value(c.Value(row, i)); err != nil {
				a.Close()
				return err
			}
		}
		if err := a.AppendRow(values...); err != nil {
			a.Close()
			return translateError(err, "", 0)
		}
	}
	if err := a.Close(); err != nil {
		return translateError(err, "", 0)
	}
	return nil
}

// A rowColumn is the conversion of a column of a cube to one of the engine.
type rowColumn struct {
	sqlType string
	decimal bool // of the width and scale; otherwise values are as the cube has them
	width   uint8
	scale   int
	rounded bool // to floats: some numbers have more digits than any type of the engine
}

// newRowColumn chooses the type of a column. Numbers are floats, as in uploaded files, unless some have more digits than a float holds.
func newRowColumn(c *cube.Cube, at int) rowColumn {
	k := rowColumn{sqlType: sqlType(c.Columns()[at].Type)}
	if t := c.Columns()[at].Type; t != cube.Integer && t != cube.Number {
		return k
	}
	whole, fraction, wide := 0, 0, false
	for row := range c.Rows() {
		v := c.Value(row, at)
		_, long := v.(cube.Decimal)
		wide = wide || long
		if digits, ok := cube.Digits(v); ok {
			before, after, _ := strings.Cut(strings.TrimPrefix(digits, "-"), ".")
			whole, fraction = max(whole, len(before)), max(fraction, len(after))
		}
	}
	switch {
	case !wide:
	case whole+fraction <= maxWidth:
		k.decimal, k.width, k.scale = true, maxWidth, fraction
		k.sqlType = fmt.Sprintf("DECIMAL(%d,%d)", maxWidth, fraction)
	default: // of more digits than the engine computes with
		k.sqlType, k.rounded = "DOUBLE", true
	}
	return k
}

// value converts a value of the cube.
func (k rowColumn) value(v any) (driver.Value, error) {
	switch {
	case v == nil:
		return nil, nil
	case k.rounded:
		f, _ := cube.Float(v)
		return f, nil
	case !k.decimal:
		if f, ok := v.(int64); ok && k.sqlType == "DOUBLE" {
			return float64(f), nil
		}
		return v, nil
	}
	digits, _ := cube.Digits(v)
	before, after, _ := strings.Cut(digits, ".")
	n, ok := new(big.Int).SetString(before+after+strings.Repeat("0", k.scale-len(after)), 10)
	if !ok {
		return nil, warehouse.Errorf(warehouse.Failed, "a number of the rows could not be read")
	}
	return duckdb.Decimal{Width: k.width, Scale: uint8(k.scale), Value: n}, nil
}
