package linked_test

import (
	"encoding/binary"
	"hash/fnv"
	"strconv"
)

// A wide is a Parquet file of columns c0, c1, … of BIGINT, whose values are computed when they are read. Column c0 counts rows; the others
// have values of a hash. It follows parquet.thrift and Encodings.md of https://github.com/apache/parquet-format: one uncompressed page of
// plain values for each column and row group.
type wide struct {
	columns, groups, rows int  // rows of a group
	seed                  byte // of the values, which do not change the size
	header                []byte
	footer                []byte
}

func newWide(columns, groups, rows int) *wide {
	w := &wide{columns: columns, groups: groups, rows: rows}
	var h thrift // PageHeader
	h.number(1, 5, 0).number(2, 5, int64(8*rows)).number(3, 5, int64(8*rows)).open(5)
	h.number(1, 5, int64(rows)).number(2, 5, 0).number(3, 5, 3).number(4, 5, 3).close().close()
	w.header = h.bytes
	var f thrift // FileMetaData
	f.number(1, 5, 1).list(2, 12, columns+1)
	f.begin().text(4, "root").number(5, 5, int64(columns)).close()
	for c := range columns {
		f.begin().number(1, 5, 2).number(3, 5, 0).text(4, "c"+strconv.Itoa(c)).close()
	}
	f.number(3, 6, int64(groups*rows)).list(4, 12, groups)
	for g := range groups {
		f.begin().list(1, 12, columns)
		for c := range columns {
			at := w.offset(g, c)
			f.begin().number(2, 6, at).open(3)
			f.number(1, 5, 2).list(2, 5, 1).varint(0).list(3, 8, 1).raw("c"+strconv.Itoa(c)).number(4, 5, 0).number(5, 6, int64(rows))
			f.number(6, 6, w.chunk()).number(7, 6, w.chunk()).number(9, 6, at)
			if c == 0 {
				f.open(12).text(5, eight(int64((g+1)*rows-1))).text(6, eight(int64(g*rows))).close()
			}
			f.close().close()
		}
		f.number(2, 6, int64(columns)*w.chunk()).number(3, 6, int64(rows)).close()
	}
	f.close()
	w.footer = append(f.bytes, binary.LittleEndian.AppendUint32(nil, uint32(len(f.bytes)))...)
	w.footer = append(w.footer, "PAR1"...)
	return w
}

func eight(n int64) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

func (w *wide) chunk() int64                   { return int64(len(w.header) + 8*w.rows) }
func (w *wide) offset(group, column int) int64 { return 4 + int64(group*w.columns+column)*w.chunk() }

func (w *wide) Size() int64 { return w.offset(w.groups, 0) + int64(len(w.footer)) }

// value is that of a column in a row.
func (w *wide) value(row, column int) int64 {
	if column == 0 {
		return int64(row)
	}
	h := fnv.New32a()
	h.Write([]byte{byte(row), byte(row >> 8), byte(row >> 16), byte(row >> 24), byte(column), w.seed})
	return int64(h.Sum32() % 1000)
}

func (w *wide) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) && at+int64(n) < w.Size() {
		n += w.copy(b[n:], at+int64(n))
	}
	return n, nil
}

// copy copies bytes from an offset, at least one.
func (w *wide) copy(b []byte, at int64) int {
	end := w.offset(w.groups, 0)
	switch {
	case at < 4:
		return copy(b, "PAR1"[at:])
	case at >= end:
		return copy(b, w.footer[at-end:])
	}
	number, in := (at-4)/w.chunk(), (at-4)%w.chunk()
	if in < int64(len(w.header)) {
		return copy(b, w.header[in:])
	}
	in -= int64(len(w.header))
	group, column, n := int(number)/w.columns, int(number)%w.columns, 0
	for row := int(in / 8); row < w.rows && n < len(b); row++ {
		value := binary.LittleEndian.AppendUint64(nil, uint64(w.value(group*w.rows+row, column)))
		n += copy(b[n:], value[(in+int64(n))%8:])
	}
	return n
}

// sum returns the sum of a column over rows.
func (w *wide) sum(column, from, to int) (sum int64) {
	for row := from; row < to; row++ {
		sum += w.value(row, column)
	}
	return sum
}

// A thrift writes Thrift's compact protocol.
type thrift struct {
	bytes []byte
	last  []int16 // ids of fields of the structures that are open
}

func (t *thrift) field(id int16, kind byte) *thrift {
	if len(t.last) == 0 {
		t.last = []int16{0}
	}
	n := len(t.last) - 1
	t.bytes = append(t.bytes, byte(id-t.last[n])<<4|kind)
	t.last[n] = id
	return t
}

func (t *thrift) number(id int16, kind byte, v int64) *thrift { return t.field(id, kind).varint(v) }

func (t *thrift) varint(v int64) *thrift {
	t.bytes = binary.AppendUvarint(t.bytes, uint64(v<<1)^uint64(v>>63))
	return t
}

func (t *thrift) text(id int16, s string) *thrift { return t.field(id, 8).raw(s) }

func (t *thrift) raw(s string) *thrift {
	t.bytes = append(binary.AppendUvarint(t.bytes, uint64(len(s))), s...)
	return t
}

func (t *thrift) list(id int16, of byte, n int) *thrift {
	t.field(id, 9)
	t.bytes = binary.AppendUvarint(append(t.bytes, 0xf0|of), uint64(n))
	return t
}

// open begins a structure in a field, begin one in a list.
func (t *thrift) open(id int16) *thrift { return t.field(id, 12).begin() }

func (t *thrift) begin() *thrift {
	if len(t.last) == 0 {
		t.last = []int16{0}
	}
	t.last = append(t.last, 0)
	return t
}

func (t *thrift) close() *thrift {
	t.bytes = append(t.bytes, 0)
	if len(t.last) > 0 {
		t.last = t.last[:len(t.last)-1]
	}
	return t
}
