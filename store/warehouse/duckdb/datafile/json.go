package datafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"service/store/warehouse"
)

// readJSON reads an array of objects, or objects one after the other. A column
// is a key of any of them, in the order of their first appearance.
func readJSON(format Format, data []byte) (*grid, error) {
	g := &grid{}
	text, err := g.decode(data)
	if err != nil {
		return nil, err
	}
	o := &objects{grid: g, index: map[string]int{}, dec: json.NewDecoder(bytes.NewReader([]byte(text)))}
	o.dec.UseNumber()
	array := format == JSON && bytes.HasPrefix(bytes.TrimSpace([]byte(text)), []byte("["))
	if array {
		if _, err := o.dec.Token(); err != nil {
			return nil, o.bad()
		}
	}
	for o.dec.More() {
		if err := o.row(); err != nil {
			return nil, err
		}
	}
	if array {
		if _, err := o.dec.Token(); err != nil {
			return nil, o.bad()
		}
	}
	if _, err := o.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, warehouse.Errorf(warehouse.Syntax, "there is something after row %d that is not an object", g.rows)
	}
	return g, o.finish()
}

type objects struct {
	*grid
	dec   *json.Decoder
	index map[string]int
	keys  []string
}

// bad says where the file stops being JSON.
func (o *objects) bad() error {
	return warehouse.Errorf(warehouse.Syntax, "row %d is not valid JSON, after byte %d of the file", o.rows+1, o.dec.InputOffset())
}

// row reads one object.
func (o *objects) row() error {
	open, err := o.dec.Token()
	if err != nil {
		return o.bad()
	}
	if open != json.Delim('{') {
		return warehouse.Errorf(warehouse.Syntax, "row %d is not an object; the file must be an array of objects, or one object a line", o.rows+1)
	}
	o.rows++
	for o.dec.More() {
		token, err := o.dec.Token()
		if err != nil {
			return o.badRow()
		}
		key, _ := token.(string)
		var raw json.RawMessage
		if err := o.dec.Decode(&raw); err != nil {
			return o.badRow()
		}
		if err := o.set(key, raw); err != nil {
			return err
		}
	}
	if _, err := o.dec.Token(); err != nil {
		return o.badRow()
	}
	return nil
}

func (o *objects) badRow() error {
	o.rows--
	return o.bad()
}

// set puts a value of the current row into its column.
func (o *objects) set(key string, raw json.RawMessage) error {
	i, ok := o.index[key]
	if !ok {
		if len(o.keys) == MaxColumns {
			return warehouse.Errorf(warehouse.TooLarge, "row %d brings more than %d columns", o.rows, MaxColumns)
		}
		i = len(o.keys)
		o.index[key] = i
		o.keys = append(o.keys, key)
		o.columns = append(o.columns, nil)
	}
	if len(o.columns[i]) == o.rows {
		return warehouse.Errorf(warehouse.Syntax, "row %d has the key of column %d twice", o.rows, i+1)
	}
	pad := o.rows - 1 - len(o.columns[i])
	if err := o.add(pad + 1); err != nil {
		return err
	}
	o.columns[i] = append(append(o.columns[i], make([]cell, pad)...), jsonCell(raw))
	return nil
}

func jsonCell(raw json.RawMessage) cell {
	switch raw[0] {
	case 'n':
		return cell{}
	case 't', 'f':
		return cell{boolean, string(raw)}
	case '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		return cell{word, s}
	case '{', '[':
		var b bytes.Buffer
		if json.Compact(&b, raw) != nil {
			return cell{nested, string(raw)}
		}
		return cell{nested, b.String()}
	default:
		return cell{number, string(raw)}
	}
}

// finish names the columns.
func (o *objects) finish() error {
	columns := o.columns
	if err := o.header(o.keys); err != nil {
		return err
	}
	o.columns = columns
	return nil
}
