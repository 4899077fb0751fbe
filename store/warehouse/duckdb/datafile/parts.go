package datafile

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// A Footer is the checked metadata of a Parquet file of which only parts are present. It is not safe for concurrent use.
type Footer struct {
	parquet *parquet
	checked map[int]bool // chunks whose pages were checked
	pages   int          // that were checked
}

// A Range is a part of a file: its bytes from From up to To, which is excluded.
type Range struct{ From, To int64 }

// slack is the number of bytes behind a chunk that are read too: some writers do not count the header of the dictionary (PARQUET-816).
const slack = 128

// ReadFooter reads the footer of a Parquet file of size bytes, whose end must be present, and checks it as [CheckParquet] does.
func ReadFooter(file io.ReaderAt, size int64) (*Footer, error) {
	p, err := readFooter(file, size)
	if err != nil {
		return nil, err
	}
	sorted := slices.Clone(p.chunks)
	slices.SortFunc(sorted, func(a, b chunk) int { return cmp.Compare(a.begin(), b.begin()) })
	end := int64(firstByte)
	for _, c := range sorted {
		if c.values == 0 {
			continue
		}
		if c.begin() < end || c.packed > p.end-c.begin() || c.bloom < 0 || c.bloomSize < 0 || c.bloomSize > p.end-c.bloom {
			return nil, DamagedParquet()
		}
		end = c.begin() + c.packed
	}
	return &Footer{parquet: p, checked: map[int]bool{}}, nil
}

// Groups returns the number of row groups.
func (f *Footer) Groups() int { return f.parquet.groups }

// Columns returns the number of columns that have values.
func (f *Footer) Columns() int { return f.parquet.leaves }

// wanted returns the numbers of the chunks of columns, by name in any case, in the row groups for which in is true. Columns is nil for all.
// If columns of the file have the same name, all are wanted, because the engine renames them.
func (f *Footer) wanted(columns []string, in func(group int) bool) (chunks []int) {
	p := f.parquet
	all, want, has := columns == nil, map[string]bool{}, map[string]bool{}
	for _, name := range columns {
		want[strings.ToLower(name)] = true
	}
	for _, name := range p.names {
		name = strings.ToLower(name)
		all = all || has[name]
		has[name] = true
	}
	for i, c := range p.chunks {
		if c.values > 0 && (all || want[strings.ToLower(p.names[c.root])]) && in(c.group) {
			chunks = append(chunks, i)
		}
	}
	return chunks
}

// Ranges returns the parts that the engine reads of columns in row groups: see wanted.
func (f *Footer) Ranges(columns []string, in func(group int) bool) (out []Range) {
	for _, i := range f.wanted(columns, in) {
		c := f.parquet.chunks[i]
		out = append(out, Range{c.begin(), c.limit(f.parquet.end)})
		if c.bloom > 0 && c.bloomSize > 0 {
			out = append(out, Range{c.bloom, c.bloom + c.bloomSize})
		}
	}
	return out
}

// limit returns the end of the part that is read of a chunk.
func (c chunk) limit(end int64) int64 { return min(end, c.begin()+c.packed+slack) }

// CheckPages checks the headers of the pages of columns in row groups as [CheckParquet] does. Their ranges must be present.
func (f *Footer) CheckPages(file io.ReaderAt, columns []string, in func(group int) bool) error {
	for _, i := range f.wanted(columns, in) {
		if f.checked[i] {
			continue
		}
		c := f.parquet.chunks[i]
		if _, err := c.pages(file, c.limit(f.parquet.end), &f.pages); err != nil {
			return err
		}
		f.checked[i] = true
	}
	return nil
}
