package datafile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"service/store/warehouse"
)

// A writer writes Thrift's compact protocol.
type writer struct{ b []byte }

func (w *writer) num(n int64) { w.b = binary.AppendVarint(w.b, n) }

func (w *writer) list(n int, of byte) {
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|of)
		return
	}
	w.b = binary.AppendUvarint(append(w.b, 0xf0|of), uint64(n))
}

// field begins a field, whose number is by step greater than that of the one before.
func (w *writer) field(step, kind byte) { w.b = append(w.b, step<<4|kind) }

func (w *writer) text(s string) { w.b = append(binary.AppendUvarint(w.b, uint64(len(s))), s...) }

// A made file has chunks of one page, one after the other.
type made struct {
	codec, values, rows, first, dictionary int64
	page                                   []byte // instead of a right one
	columns, groups                        int    // in place of 1
	overlap                                int    // bytes of each chunk that are the first of the next one too
	before                                 func(w *writer)
	kind                                   int64
}

// v2 is a DATA_PAGE_V2 header.
func v2(size, packed, values, nulls, rows, definition, repetition int64) []byte {
	w := &writer{}
	for _, n := range []int64{3, size, packed} {
		w.field(1, typeI32)
		w.num(n)
	}
	w.field(5, typeStruct)
	for _, n := range []int64{values, nulls, rows, 0, definition, repetition} {
		w.field(1, typeI32)
		w.num(n)
	}
	w.b = append(w.b, 0, 0)
	return w.b
}

// v1 is a DATA_PAGE header.
func v1(size, packed, values, encoding int64) []byte {
	w := &writer{}
	for _, n := range []int64{0, size, packed} {
		w.field(1, typeI32)
		w.num(n)
	}
	w.field(2, typeStruct)
	for _, n := range []int64{values, encoding, 3, 3} {
		w.field(1, typeI32)
		w.num(n)
	}
	w.b = append(w.b, 0, 0)
	return w.b
}

func (m made) file() []byte {
	chunk := append(slices.Clone(m.page), make([]byte, 32)...)
	step := int64(len(chunk) - m.overlap)
	data := append([]byte("PAR1"), bytes.Repeat(chunk[:step], m.columns*m.groups)...)
	data = append(data, chunk[step:]...)
	data = append(data, make([]byte, 32)...)
	begins := func(first int64, n int) int64 { // in the chunk of a number
		if first <= 0 {
			return first
		}
		return first + int64(n)*step
	}
	number := 0
	w := &writer{}
	w.field(1, typeI32)
	w.num(1)
	w.field(1, typeList)
	w.list(1+m.columns, typeStruct)
	w.field(4, typeBinary)
	w.text("root")
	w.field(1, typeI32)
	w.num(int64(m.columns))
	w.b = append(w.b, 0)
	for range m.columns {
		w.field(1, typeI32)
		w.num(m.kind)
		w.field(3, typeBinary)
		w.text("a")
		w.b = append(w.b, 0)
	}
	w.field(1, typeI64)
	w.num(m.rows * int64(m.groups))
	w.field(1, typeList)
	w.list(m.groups, typeStruct)
	for range m.groups {
		w.field(1, typeList)
		w.list(m.columns, typeStruct)
		for range m.columns {
			w.field(2, typeI64)
			w.num(0)
			w.field(1, typeStruct)
			w.field(1, typeI32)
			w.num(m.kind)
			w.field(1, typeList)
			w.list(1, typeI32)
			w.num(0)
			w.field(1, typeList)
			w.list(1, typeBinary)
			w.text("a")
			w.field(1, typeI32)
			w.num(m.codec)
			for _, n := range []int64{m.values, 64, 64} {
				w.field(1, typeI64)
				w.num(n)
			}
			w.field(2, typeI64)
			w.num(begins(m.first, number))
			w.field(2, typeI64)
			w.num(begins(m.dictionary, number))
			w.b = append(w.b, 0, 0)
			number++
		}
		w.field(1, typeI64)
		w.num(64)
		w.field(1, typeI64)
		w.num(m.rows)
		w.b = append(w.b, 0)
	}
	if m.before != nil {
		m.before(w)
	}
	w.b = append(w.b, 0)
	data = append(data, w.b...)
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(w.b))), "PAR1"...)
}

// right is a file that passes.
func right() made {
	return made{codec: 6, values: 8, rows: 8, first: 4, page: v1(64, 32, 8, 0), columns: 1, groups: 1, kind: 1}
}

// TestCheckParquet: the metadata of a Parquet file is checked before the engine reads it, and the check costs little.
func TestCheckParquet(t *testing.T) { // alone: it measures memory
	change := func(f func(m *made)) []byte {
		m := right()
		f(&m)
		return m.file()
	}
	for name, try := range map[string]struct {
		data []byte
		want string // of the error; empty for none
	}{
		"right":                 {right().file(), ""},
		"right, V2":             {change(func(m *made) { m.page = v2(64, 32, 8, 1, 8, 4, 0) }), ""},
		"no rows":               {change(func(m *made) { m.rows, m.values, m.first = 0, 0, 0 }), ""},
		"BROTLI":                {change(func(m *made) { m.codec = 4 }), "compressed with BROTLI"},
		"LZO":                   {change(func(m *made) { m.codec = 3 }), "compressed with LZO"},
		"old LZ4":               {change(func(m *made) { m.codec = 5 }), "compressed with LZ4"},
		"no such codec":         {change(func(m *made) { m.codec = 8 }), "cannot be read"},
		"a codec below zero":    {change(func(m *made) { m.codec = -1 }), "cannot be read"},
		"a codec beyond":        {change(func(m *made) { m.codec = 4 + 1<<32 }), "cannot be read"},
		"no such type":          {change(func(m *made) { m.kind = 9 }), "cannot be read"},
		"a type without length": {change(func(m *made) { m.kind = 7 }), "cannot be read"},
		"no such encoding":      {change(func(m *made) { m.page = v1(64, 32, 8, 1) }), "cannot be read"},
		"a page below zero":     {change(func(m *made) { m.page = v1(-1, 32, 8, 0) }), "cannot be read"},
		"a page beyond":         {change(func(m *made) { m.page = v1(64, 1<<30, 8, 0) }), "cannot be read"},
		"a page of 2 GB":        {change(func(m *made) { m.page = v1(1<<31-1, 32, 8, 0) }), "more memory"},
		"values below zero":     {change(func(m *made) { m.page = v1(64, 32, -8, 0) }), "cannot be read"},
		"too few values":        {change(func(m *made) { m.page = v1(64, 32, 1, 0) }), "cannot be read"},
		"more rows":             {change(func(m *made) { m.rows = 9 }), "cannot be read"},
		"a plain page, packed":  {change(func(m *made) { m.codec = 0 }), "cannot be read"},
		"V2: levels of 1 GB":    {change(func(m *made) { m.page = v2(64, 32, 8, 1, 8, 1<<30, 0) }), "cannot be read"},
		"V2: levels below zero": {change(func(m *made) { m.page = v2(64, 32, 8, 1, 8, -4, 0) }), "cannot be read"},
		"V2: both levels":       {change(func(m *made) { m.page = v2(64, 32, 8, 1, 8, 20, 20) }), "cannot be read"},
		"V2: levels over size":  {change(func(m *made) { m.page = v2(8, 32, 8, 1, 8, 16, 0) }), "cannot be read"},
		"V2: more nulls":        {change(func(m *made) { m.page = v2(64, 32, 8, 9, 8, 4, 0) }), "cannot be read"},
		"V2: more rows":         {change(func(m *made) { m.page = v2(64, 32, 8, 0, 9, 4, 0) }), "cannot be read"},
		"a place in the footer": {change(func(m *made) { m.first = 1 << 20 }), "cannot be read"},
		"a place below zero":    {change(func(m *made) { m.first = -4 }), "cannot be read"},
		"a dictionary behind":   {change(func(m *made) { m.dictionary = 40 }), "cannot be read"},
		"a field twice": {change(func(m *made) {
			m.before = func(w *writer) { w.b = append(w.b, typeList, 8, 0x0c) } // row groups again
		}), "cannot be read"},
		"a field twice, by a number that wraps": {change(func(m *made) {
			m.before = func(w *writer) {
				w.field(0, typeTrue)
				w.num(1<<15 - 1)
				w.b = append(w.b, bytes.Repeat([]byte{15<<4 | typeTrue}, (1<<15+4)/15)...)
				w.b = append(w.b, (1<<15+5-(1<<15+4)/15*15)<<4|typeList, 0x0c) // row groups again
			}
		}), "cannot be read"},
		"chunks that share their pages": {change(func(m *made) {
			m.page = append(bytes.Repeat(append(v1(1, 1, 1, 0), 0), 2000), v1(64, 32, 8, 0)...)
			m.values, m.rows, m.columns, m.groups, m.overlap = 2008, 2008, 100, 5, len(m.page)+32
		}), "cannot be read"},
		"a chunk that ends in another": {change(func(m *made) {
			m.page = slices.Concat(m.page, make([]byte, 32), m.page)
			m.values, m.rows, m.columns, m.overlap = 16, 16, 3, len(right().page)+32
		}), "cannot be read"},
		"three chunks of two pages": {change(func(m *made) {
			m.page = slices.Concat(m.page, make([]byte, 32), m.page)
			m.values, m.rows, m.columns = 16, 16, 3
		}), ""},
		"two million pages": {change(func(m *made) {
			m.page = append(bytes.Repeat(append(v1(1, 1, 1, 0), 0), 2_000_000), v1(64, 32, 8, 0)...)
			m.values, m.rows = 2_000_008, 2_000_008
		}), "more than 500000 pages"},
		"encrypted": {change(func(m *made) {
			m.before = func(w *writer) { w.field(4, typeStruct); w.b = append(w.b, 0) }
		}), "is encrypted"},
		"500 columns":          {change(func(m *made) { m.columns = 500 }), ""},
		"501 columns":          {change(func(m *made) { m.columns = 501 }), "501 columns"},
		"a million row groups": {change(func(m *made) { m.groups = 100_000 }), "too many row groups"},
		"a million texts": {change(func(m *made) {
			m.before = func(w *writer) {
				w.field(1, typeList)
				w.list(4_000_000, typeStruct)
				w.b = append(w.b, make([]byte, 4_000_000)...)
			}
		}), "too many"},
		"a list of 2 billion": {change(func(m *made) {
			m.before = func(w *writer) { w.field(1, typeList); w.list(1<<31-1, typeStruct) }
		}), "cannot be read"},
		"deep": {change(func(m *made) {
			m.before = func(w *writer) {
				for range 1000 {
					w.field(1, typeStruct)
				}
			}
		}), "cannot be read"},
		"only magic": {[]byte("PAR1PAR1PAR1"), "cannot be read"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := CheckParquet(try.data)
		runtime.ReadMemStats(&after)
		bad, ok := errors.AsType[*warehouse.Error](err)
		if try.want == "" && err != nil || try.want != "" && (!ok || !strings.Contains(bad.Message, try.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.Mallocs - before.Mallocs; after.TotalAlloc-before.TotalAlloc > 64<<20 {
			t.Errorf("%s: %d bytes in %d pieces", name, after.TotalAlloc-before.TotalAlloc, took)
		}
	}
}

// FuzzParquet: no file makes the check panic, and each byte of a right one that is changed is judged.
func FuzzParquet(f *testing.F) {
	f.Add(right().file())
	for _, name := range []string{"foreign", "norows"} {
		file, err := os.Open("testdata/" + name + ".parquet.gz")
		if err != nil {
			f.Fatal(err)
		}
		z, err := gzip.NewReader(file)
		if err != nil {
			f.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			f.Fatal(err)
		}
		if err := CheckParquet(data); err != nil {
			f.Errorf("%s: %v", name, err)
		}
		f.Add(data)
		file.Close()
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := CheckParquet(data); err != nil {
			if _, ok := errors.AsType[*warehouse.Error](err); !ok {
				t.Error(err)
			}
		}
	})
}
