package datafile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"service/store/warehouse"
)

// Bounds of the metadata of a Parquet file, which keep the engine's copy of it below 64 MB.
const (
	maxFooter  = 8 << 20         // bytes
	maxCost    = 48 << 20        // bytes that the engine allocates, by the costs of parts
	maxPage    = 256 << 20       // bytes of a page, without compression
	maxFields  = 10 * MaxColumns // columns, those in columns too
	maxNesting = 64              // levels of columns
	maxPages   = 500_000         // of all columns
	costColumn = 250
	costGroup  = 200
	costChunk  = 600
)

// DamagedParquet is the error of a Parquet file that cannot be read.
func DamagedParquet() *warehouse.Error {
	return warehouse.Errorf(warehouse.Syntax, "the Parquet file cannot be read; it may be damaged, encrypted, or compressed in an unusual way")
}

// firstByte is the first possible offset of a page, after the magic number.
const firstByte = 4

// CheckParquet checks the metadata of a Parquet file, its footer and the header of each page, before the engine reads it, because the
// engine trusts more of it than is safe: codecs, encodings, sizes and offsets must be possible, and supported by the engine. The values in
// the pages are not checked. Its errors are [*warehouse.Error].
//
// It follows parquet.thrift of https://github.com/apache/parquet-format.
func CheckParquet(data []byte) error {
	file := bytes.NewReader(data)
	p, err := readFooter(file, file.Size())
	if err != nil {
		return err
	}
	return p.pages(file)
}

// tail is the length of the end of a file: the length of its footer, and the magic number.
const tail = 8

// readFooter reads and checks the footer of a file of size bytes.
func readFooter(file io.ReaderAt, size int64) (*parquet, error) {
	if size < firstByte+tail {
		return nil, DamagedParquet()
	}
	var last [tail]byte
	if _, err := file.ReadAt(last[:], size-tail); err != nil {
		return nil, DamagedParquet()
	}
	length, end := int64(binary.LittleEndian.Uint32(last[:])), size-tail
	switch {
	case length > end-firstByte:
		return nil, DamagedParquet()
	case length > maxFooter:
		return nil, warehouse.Errorf(warehouse.TooLarge,
			"the footer of the Parquet file has %d bytes; at most %d are possible: save it with larger row groups, or fewer columns",
			length, maxFooter)
	}
	footer := make([]byte, length)
	if _, err := file.ReadAt(footer, end-length); err != nil {
		return nil, DamagedParquet()
	}
	p := &parquet{thrift: thrift{data: footer}, end: end - length}
	p.footer()
	if p.failure != nil {
		return nil, p.failure
	}
	if p.bad {
		return nil, DamagedParquet()
	}
	return p, nil
}

// pages checks the headers of all pages. Chunks must not share pages, or a small footer could have the same pages read again and again.
func (p *parquet) pages(file io.ReaderAt) error {
	slices.SortFunc(p.chunks, func(a, b chunk) int { return cmp.Compare(a.begin(), b.begin()) })
	count, end := 0, int64(0)
	for _, c := range p.chunks {
		if c.values == 0 {
			continue
		}
		if c.begin() < end {
			return DamagedParquet()
		}
		var err error
		if end, err = c.pages(file, p.end, &count); err != nil {
			return err
		}
	}
	return nil
}

// A parquet is the state of reading a footer.
type parquet struct {
	thrift
	end     int64 // where it begins in the file
	chunks  []chunk
	leaves  int      // columns with values
	roots   []int    // of these, by number: that of the column of the first level
	names   []string // of the columns of the first level
	groups  int
	failure error
}

// A chunk is the part of a column in a row group.
type chunk struct {
	codec, values, dictionary, first int64
	packed                           int64 // bytes, with the headers of pages
	bloom, bloomSize                 int64 // where its Bloom filter is; 0 for none
	group, root                      int
}

// fail stops the reading with an error.
func (p *parquet) fail(class warehouse.Class, format string, args ...any) {
	if p.bad = true; p.failure == nil {
		p.failure = warehouse.Errorf(class, format, args...)
	}
}

// afford stops the reading if the engine would need too much memory.
func (p *parquet) afford() {
	if p.cost > maxCost && !p.bad {
		p.fail(warehouse.TooLarge, "the Parquet file has too many row groups and columns; save it with larger row groups, or fewer columns")
	}
}

// footer reads FileMetaData.
func (p *parquet) footer() {
	rows, groups, columns := int64(-1), int64(0), false
	p.fields(func(id int16, kind byte) bool {
		p.afford()
		switch id {
		case 2:
			columns = true
			p.schema(kind)
		case 3:
			rows = p.integer(kind, typeI64)
		case 4:
			p.list(kind, typeStruct, costGroup, func(int) { groups += p.group() })
		case 8, 9:
			p.encrypted()
		default:
			return false
		}
		return true
	})
	p.afford()
	p.bad = p.bad || !columns || rows != groups
}

func (p *parquet) encrypted() {
	p.fail(warehouse.Refused, "the Parquet file is encrypted; save it without a password")
}

// schema reads one SchemaElement after the other: each has the number of its children, which follow it.
func (p *parquet) schema(list byte) {
	var open []int64 // columns not read yet, by level
	count := 0
	p.list(list, typeStruct, costColumn, func(i int) {
		if count = i; i > maxFields {
			return
		}
		children, sort, length, name := int64(0), int64(-1), int64(0), ""
		p.fields(func(id int16, kind byte) bool {
			switch id {
			case 1:
				sort = p.integer(kind, typeI32)
			case 2:
				length = p.integer(kind, typeI32)
			case 4:
				name = p.text(kind)
			case 5:
				children = p.integer(kind, typeI32)
			default:
				return false
			}
			return true
		})
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if i > 0 && len(open) == 0 || children < 0 || len(open) > maxNesting {
			p.bad = true
			return
		}
		if len(open) == 1 {
			p.names = append(p.names, name)
		}
		if i > 0 {
			open[len(open)-1]--
		} else if children > MaxColumns {
			p.fail(warehouse.TooLarge, "the file has %d columns; at most %d are possible", children, MaxColumns)
		}
		const last, fixed, longest = 7, 7, 1 << 20 // FIXED_LEN_BYTE_ARRAY is the last type
		if children > 0 || i == 0 {
			open = append(open, children)
			return
		}
		p.leaves++
		p.roots = append(p.roots, len(p.names)-1)
		p.bad = p.bad || sort < 0 || sort > last || sort == fixed && (length < 1 || length > longest)
	})
	if count > maxFields {
		p.failure = nil
		p.fail(warehouse.TooLarge, "the columns of the file have more than %d fields", maxFields)
	}
	for _, left := range open {
		p.bad = p.bad || left != 0
	}
	p.bad = p.bad || p.leaves == 0
}

// group reads RowGroup and returns its number of rows.
func (p *parquet) group() (rows int64) {
	from := len(p.chunks)
	rows = -1
	p.fields(func(id int16, kind byte) bool {
		p.afford()
		switch id {
		case 1:
			p.list(kind, typeStruct, costChunk, func(int) { p.column() })
		case 3:
			rows = p.integer(kind, typeI64)
		default:
			return false
		}
		return true
	})
	p.bad = p.bad || rows < 0 || rows > 1<<40 || len(p.chunks)-from != p.leaves
	if p.bad {
		return rows
	}
	for i := range p.chunks[from:] {
		c := &p.chunks[from+i]
		c.group, c.root = p.groups, p.roots[i]
		p.bad = p.bad || c.values < rows // or the engine would look for more pages than are checked
	}
	p.groups++
	return rows
}

// column reads ColumnChunk.
func (p *parquet) column() {
	found := false
	p.fields(func(id int16, kind byte) bool {
		p.afford()
		switch id {
		case 1:
			p.fail(warehouse.Refused, "the Parquet file keeps columns in other files; save it as one file")
		case 3:
			found = true
			if p.bad = p.bad || kind != typeStruct; !p.bad {
				p.metadata()
			}
		case 8, 9:
			p.encrypted()
		default:
			return false
		}
		return true
	})
	p.bad = p.bad || !found
}

// codecs are the names of the codecs that are refused. The engine's decoder of BROTLI has been reported to write out of bounds.
var codecs = map[int64]string{3: "LZO", 4: "BROTLI", 5: "LZ4 in its old form"}

// metadata reads ColumnMetaData.
func (p *parquet) metadata() {
	c := chunk{codec: -1, values: -1, first: -1}
	sort := int64(-1)
	c.packed = -1
	p.fields(func(id int16, kind byte) bool {
		switch id {
		case 1:
			sort = p.integer(kind, typeI32)
		case 2:
			p.list(kind, typeI32, costNumber, func(int) { p.bad = !encoding(p.integer(typeI32, typeI32)) })
		case 4:
			c.codec = p.integer(kind, typeI32)
			if name := codecs[c.codec]; name != "" {
				p.fail(warehouse.Refused, "the Parquet file is compressed with %s, which is not read here; save it with SNAPPY, ZSTD or GZIP", name)
			}
		case 5:
			c.values = p.integer(kind, typeI64)
		case 7:
			c.packed = p.integer(kind, typeI64)
		case 9:
			c.first = p.integer(kind, typeI64)
		case 11:
			c.dictionary = p.integer(kind, typeI64)
		case 14:
			c.bloom = p.integer(kind, typeI64)
		case 15:
			c.bloomSize = p.integer(kind, typeI32)
		default:
			return false
		}
		return true
	})
	p.bad = p.bad || c.codec < 0 || c.codec > 7 || c.values < 0 || c.packed < 0 || c.packed > p.end || sort < 0 || sort > 7
	p.chunks = append(p.chunks, c)
}

// encoding reports whether n is the number of an encoding.
func encoding(n int64) bool { return n >= 0 && n <= 9 && n != 1 }

// begin returns the offset at which the engine begins to read: that of the dictionary, if there is one.
func (c chunk) begin() int64 {
	if c.dictionary >= firstByte {
		return c.dictionary
	}
	return c.first
}

// pages checks the headers of a chunk's pages up to its last value, before limit, and returns the offset of their end. It adds their number
// to count.
func (c chunk) pages(file io.ReaderAt, limit int64, count *int) (end int64, err error) {
	at, met := c.begin(), false
	var some []byte
	if at < firstByte || c.first < at {
		return 0, DamagedParquet()
	}
	for left := c.values; left > 0; {
		if at >= limit {
			return 0, DamagedParquet()
		}
		if *count++; *count > maxPages {
			return 0, warehouse.Errorf(warehouse.TooLarge,
				"the Parquet file has more than %d pages; save it with larger pages and row groups", maxPages)
		}
		met = met || at == c.first
		r, err := headerAt(file, at, limit, &some)
		if err != nil {
			return 0, err
		}
		at += int64(r.at) + r.packed
		if !r.bad && r.size > maxPage {
			return 0, warehouse.Errorf(warehouse.TooLarge,
				"a page of the Parquet file needs more memory than is allowed; save it with smaller pages")
		}
		if r.bad || !r.possible(c.codec) || at > limit {
			return 0, DamagedParquet()
		}
		if r.sort != pageIndex && r.sort != pageDictionary {
			left -= r.values
		}
	}
	if !met {
		return 0, DamagedParquet()
	}
	return at, nil
}

// The bytes that are read of a page for its header, at first and at most: it may contain long statistics.
const (
	fewBytes  = 512
	mostBytes = 16 << 20
)

// headerAt reads the header of a page at an offset, before limit. buffer keeps the memory for the next one.
func headerAt(file io.ReaderAt, at, limit int64, buffer *[]byte) (page, error) {
	for size := int64(fewBytes); ; size *= 32 {
		n := int(min(size, limit-at))
		*buffer = slices.Grow((*buffer)[:0], n)[:n]
		if _, err := file.ReadAt(*buffer, at); err != nil {
			return page{}, DamagedParquet()
		}
		r := page{thrift: thrift{data: *buffer}, sort: -1, size: -1, packed: -1, encoded: true}
		r.header()
		if !r.bad || int64(n) == limit-at || size >= mostBytes {
			return r, nil
		}
	}
}

// A page is a PageHeader.
type page struct {
	thrift
	sort, size, packed  int64
	values, nulls, rows int64
	levels              [2]int64 // bytes of definition and repetition levels
	raw                 bool     // the values of a DATA_PAGE_V2 are not compressed
	bodies              int      // the sum of 1 << id of the bodies that are present
	encoded             bool     // in known encodings
}

const (
	pageData = iota
	pageIndex
	pageDictionary
	pageDataV2
)

// header reads a PageHeader.
func (h *page) header() {
	h.fields(func(id int16, kind byte) bool {
		switch id {
		case 1:
			h.sort = h.integer(kind, typeI32)
		case 2:
			h.size = h.integer(kind, typeI32)
		case 3:
			h.packed = h.integer(kind, typeI32)
		case 5, 7, 8:
			h.bodies += 1 << id
			if h.bad = h.bad || kind != typeStruct; !h.bad {
				h.body(id)
			}
		default:
			return false
		}
		return true
	})
}

// body reads a DataPageHeader (5), DictionaryPageHeader (7) or DataPageHeaderV2 (8).
func (h *page) body(of int16) {
	v2 := of == 8
	h.values, h.nulls, h.rows, h.levels = -1, -1, -1, [2]int64{-1, -1}
	h.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1:
			h.values = h.integer(kind, typeI32)
		case v2 && id == 2:
			h.nulls = h.integer(kind, typeI32)
		case v2 && id == 3:
			h.rows = h.integer(kind, typeI32)
		case v2 && (id == 5 || id == 6):
			h.levels[id-5] = h.integer(kind, typeI32)
		case v2 && id == 7:
			h.raw = kind == typeFalse
			h.bad = h.bad || kind != typeFalse && kind != typeTrue
		case id == 2, v2 && id == 4, of == 5 && (id == 3 || id == 4):
			h.encoded = encoding(h.integer(kind, typeI32)) && h.encoded
		default:
			return false
		}
		return true
	})
}

// possible reports whether the header is possible for a page of a chunk with that codec.
func (h *page) possible(codec int64) bool {
	body := map[int64]int{pageData: 1 << 5, pageIndex: 0, pageDictionary: 1 << 7, pageDataV2: 1 << 8}
	want, known := body[h.sort]
	switch {
	case !known, h.bodies != want, h.size < 0, h.packed < 0, !h.encoded, codec == 0 && h.packed != h.size:
		return false
	case h.sort == pageIndex:
		return true
	case h.values < 0, h.sort != pageDictionary && h.values == 0 && h.packed == 0: // the latter would not end
		return false
	case h.sort == pageDictionary:
		return h.values <= h.size
	case h.sort == pageDataV2:
		levels := h.levels[0] + h.levels[1]
		return h.levels[0] >= 0 && h.levels[1] >= 0 && levels <= h.packed && levels <= h.size && h.nulls >= 0 && h.nulls <= h.values &&
			h.rows >= 0 && h.rows <= h.values && !(h.raw && h.packed != h.size)
	}
	return true
}
