package datafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"service/store/warehouse"
)

// readJSON reads an array of objects, an array of arrays, or objects or arrays one after the other. The columns of objects are their keys,
// in the order of their first appearance. The first of several arrays may be the names. A single object that contains one array of objects
// is read as that array.
func readJSON(format Format, data []byte) (*grid, error) {
	g := &grid{line: "row"}
	text, err := g.decode(data)
	if err != nil {
		return nil, err
	}
	o := &objects{grid: g, text: text, index: map[string]int{}}
	body := text
	if format == JSON {
		if at, n := g.unwrap(text); n > 0 {
			o.base, body = at, text[at:at+n]
		}
	}
	o.dec = json.NewDecoder(strings.NewReader(body))
	o.dec.UseNumber()
	array := format == JSON && strings.HasPrefix(strings.TrimSpace(body), "[")
	if array {
		if _, err := o.dec.Token(); err != nil {
			return nil, o.bad()
		}
	}
	for o.dec.More() {
		if err := o.read(); err != nil {
			return nil, err
		}
	}
	if array {
		if _, err := o.dec.Token(); err != nil {
			return nil, o.bad()
		}
	}
	if _, err := o.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, warehouse.Errorf(warehouse.Syntax, "there is something after row %d that is not an object", len(o.rows))
	}
	return g, o.finish()
}

// wrappers are the usual keys of the rows in an answer.
var wrappers = map[string]bool{
	"data": true, "rows": true, "records": true, "items": true, "results": true,
	"result": true, "values": true, "value": true, "entries": true,
}

// unwrap finds the array of objects within a text of a single object: the only value of the object, or the value of a key in wrappers. It
// returns the array's offset in the text and its length, or 0 if there is no such array.
func (g *grid) unwrap(text string) (at, n int) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return 0, 0
	}
	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil {
		return 0, 0 // the error is reported when the rows are read
	}
	found, first := "", true
	var others []string
	for d.More() {
		token, err := d.Token()
		key, _ := token.(string)
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			return 0, 0
		}
		list, ok := bytes.CutPrefix(raw, []byte("["))
		if ok && n == 0 && (first || wrappers[key]) && bytes.HasPrefix(bytes.TrimLeft(list, " \t\r\n"), []byte("{")) {
			found, n = key, len(raw)
			at = int(d.InputOffset()) - n
		} else {
			others = append(others, key)
		}
		first = false
	}
	if _, err := d.Token(); err != nil || n == 0 || len(others) > 0 && !wrappers[found] {
		return 0, 0
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return 0, 0 // objects one after the other
	}
	if len(others) > 0 {
		g.note("the rows are those of \"%s\"; left out: %s", clean(found), list(others))
	}
	return at, n
}

// list joins names, or the first few of many.
func list(names []string) string { return listOf(names, len(names)) }

// listOf is list for names that are the first of all names.
func listOf(names []string, all int) string {
	var b strings.Builder
	for i, name := range names {
		if i == 10 {
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if name = clean(name); len(name) > 60 {
			name = strings.ToValidUTF8(name[:60], "") + "…"
		}
		b.WriteString("\"" + name + "\"")
	}
	if all > 10 {
		fmt.Fprintf(&b, " and %d more", all-10)
	}
	return b.String()
}

type objects struct {
	*grid
	text  string // of the file
	base  int    // the offset in text at which dec began
	dec   *json.Decoder
	index map[string]int
	keys  []string
	last  []int  // by key: the last row with that key, from 1
	lists bool   // rows are arrays
	row   []cell // the current one
}

// bad returns the error of a file that is not JSON, with the place.
func (o *objects) bad() error {
	at := min(o.base+int(o.dec.InputOffset()), len(o.text))
	for at < len(o.text) && strings.IndexByte(" \t\r\n,:", o.text[at]) >= 0 {
		at++
	}
	before := o.text[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	line, column := strings.Count(before, "\n")+1, utf8.RuneCountInString(before[start:])+1
	e := warehouse.Errorf(warehouse.Syntax, "row %d is not valid JSON, at or after line %d, character %d of the file",
		len(o.rows)+1, line, column)
	e.Line, e.Column = line, column
	return e
}

func (o *objects) notRow() error {
	return warehouse.Errorf(warehouse.Syntax, "row %d is not an object; the file must be an array of objects, or one object a line",
		len(o.rows)+1)
}

// read reads one object or array.
func (o *objects) read() error {
	open, err := o.dec.Token()
	if err != nil {
		return o.bad()
	}
	clear(o.row)
	o.row = o.row[:0]
	switch {
	case open == json.Delim('{') && !o.lists:
		err = o.object()
	case open == json.Delim('[') && (o.lists || len(o.rows) == 0):
		o.lists = true
		err = o.list()
	default:
		return o.notRow()
	}
	if err != nil {
		return err
	}
	if _, err := o.dec.Token(); err != nil {
		return o.bad()
	}
	r := row{cells: o.row, line: len(o.rows) + 1}
	if o.lists {
		r.width = len(o.row)
	}
	return o.add(r)
}

func (o *objects) object() error {
	for o.dec.More() {
		token, err := o.dec.Token()
		if err != nil {
			return o.bad()
		}
		key, _ := token.(string)
		var raw json.RawMessage
		if err := o.dec.Decode(&raw); err != nil {
			return o.bad()
		}
		if err := o.set(key, raw); err != nil {
			return err
		}
	}
	return nil
}

func (o *objects) list() error {
	for o.dec.More() {
		var raw json.RawMessage
		if err := o.dec.Decode(&raw); err != nil {
			return o.bad()
		}
		if len(o.rows) == 0 && len(o.row) == 0 && raw[0] == '{' {
			return o.notRow()
		}
		if len(o.row) == MaxColumns {
			return o.wide()
		}
		o.row = append(o.row, jsonCell(raw))
	}
	return nil
}

func (o *objects) wide() error {
	return warehouse.Errorf(warehouse.TooLarge, "row %d brings more than %d columns", len(o.rows)+1, MaxColumns)
}

// set puts a value of the current row into its column.
func (o *objects) set(key string, raw json.RawMessage) error {
	i, ok := o.index[key]
	if !ok {
		if len(o.keys) == MaxColumns {
			return o.wide()
		}
		i = len(o.keys)
		o.index[key] = i
		o.keys = append(o.keys, key)
		o.last = append(o.last, 0)
	}
	row := len(o.rows) + 1
	if o.last[i] == row {
		return warehouse.Errorf(warehouse.Syntax, "row %d has the key of column %d twice", row, i+1)
	}
	o.last[i] = row
	for len(o.row) <= i {
		o.row = append(o.row, cell{})
	}
	o.row[i] = jsonCell(raw)
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
		return cell{plainText, s}
	case '{', '[':
		var b bytes.Buffer
		if json.Compact(&b, raw) != nil {
			return cell{nested, string(raw)}
		}
		return cell{nested, b.String()}
	default:
		return cell{number, signed(string(raw))}
	}
}

// finish sets the names of the columns.
func (o *objects) finish() error {
	if !o.lists {
		return o.header(o.keys)
	}
	names := make([]string, 0, MaxColumns)
	named := len(o.rows) > 1
	used := map[string]bool{}
	first := o.grid.row(0)
	for i := range first.width {
		c := first.at(i)
		named = named && c.kind == plainText && clean(c.text) != "" && !used[c.text]
		used[c.text] = true
		names = append(names, c.text)
	}
	if named && !o.headless() {
		o.rows = o.rows[1:]
	} else {
		names = names[:0]
		for _, r := range o.all() {
			for len(names) < r.width {
				names = append(names, fmt.Sprintf("column%d", len(names)+1))
			}
		}
		o.note("the first array holds values, not names; the columns are called column1, column2 and so on")
	}
	if err := o.header(names); err != nil {
		return err
	}
	return o.ragged(false)
}
