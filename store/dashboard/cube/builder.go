package cube

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Builder makes a [Cube], row by row. It is not safe for concurrent use.
type Builder struct {
	cols  []column
	seen  []map[string]uint32 // of text columns: value to code, in order of appearance
	exact []map[int]Decimal   // of numbers: row to value, if the column's own type would round it
	nulls []int
	rows  int
	bytes int // see [Builder.Bytes]

	memory int // approximately the later [Cube.Size]
}

// NewBuilder returns a builder of rows with the given columns.
func NewBuilder(cols []Column) *Builder {
	b := &Builder{
		cols:   make([]column, len(cols)),
		seen:   make([]map[string]uint32, len(cols)),
		exact:  make([]map[int]Decimal, len(cols)),
		nulls:  make([]int, len(cols)),
		memory: 64,
	}
	for i, c := range cols {
		b.cols[i].Column = c
		b.bytes += len(c.Name) + 8
		b.memory += 256
		if c.Type == Text {
			b.seen[i] = map[string]uint32{}
		}
	}
	return b
}

// Rows returns how many rows have been added.
func (b *Builder) Rows() int { return b.rows }

// Bytes returns approximately the length of [Cube.Encode].
func (b *Builder) Bytes() int { return b.bytes }

// Add appends a row: a value for each column, of the Go type that its [Type] names, nil for NULL, or [Lost]. A Number column also accepts
// an int64. NaN and the infinities are kept as NULL, because they cannot be drawn, and so are times outside the years 1 to 9999 (a Date as
// given, the others in UTC), which do not fit into four digits: [Cube.Lost] counts them. An error leaves the builder unchanged.
func (b *Builder) Add(row []any) error {
	if len(row) != len(b.cols) {
		return fmt.Errorf("cube: row of %d values for %d columns", len(row), len(b.cols))
	}
	for i, v := range row {
		if !fits(b.cols[i].Type, v) {
			return fmt.Errorf("cube: column %q of type %s cannot hold a %T", b.cols[i].Name, b.cols[i].Type, v)
		}
	}
	for i, v := range row {
		b.put(i, v)
	}
	b.rows++
	return nil
}

func fits(t Type, v any) bool {
	switch v.(type) {
	case nil, lost:
		return true
	case string:
		return t == Text
	case bool:
		return t == Boolean
	case int64:
		return t == Integer || t == Number
	case float64:
		return t == Number
	case Decimal:
		return t == Integer || t == Number
	case time.Time:
		return t.IsTime()
	}
	return false
}

func (b *Builder) put(i int, v any) {
	k := &b.cols[i]
	if IsLost(k.Type, v) {
		v = nil
		k.lost++
	}
	if b.rows&63 == 0 { // a new word of the bitmaps
		k.valid = append(k.valid, 0)
		b.memory += 8
		if k.Type == Boolean {
			k.bits = append(k.bits, 0)
			b.memory += 8
		}
	}
	if v == nil {
		b.nulls[i]++
	} else {
		setBit(k.valid, b.rows)
	}
	switch k.Type {
	case Text:
		b.bytes += 2
		b.memory += 4
		k.codes = append(k.codes, b.code(i, v))
	case Boolean:
		if v == true {
			setBit(k.bits, b.rows)
		}
		b.bytes++
	case Number:
		var f float64
		switch v := v.(type) {
		case float64:
			f = v
		case int64:
			if f = float64(v); v > certain || v < -certain {
				b.keep(i, Decimal(strconv.FormatInt(v, 10)))
			}
		case Decimal:
			f = v.Float()
			b.keep(i, v)
		}
		k.floats = append(k.floats, f)
		b.bytes += 8
		b.memory += 8
	default:
		var n int64
		switch v := v.(type) {
		case int64:
			n = v
		case Decimal:
			b.keep(i, v)
		case time.Time:
			n = v.UnixMicro()
			if k.Type == Date {
				n = int64(DayOf(v))
			}
		default: // NULL repeats the row before, which encodes to nothing
			if b.rows > 0 {
				n = k.ints[b.rows-1]
			}
		}
		k.ints = append(k.ints, n)
		b.bytes += 4
		b.memory += 8
	}
}

// keep stores the exact value of a row in column i.
func (b *Builder) keep(i int, v Decimal) {
	if b.exact[i] == nil {
		b.exact[i] = map[int]Decimal{}
	}
	b.exact[i][b.rows] = v
	b.bytes += len(v) + wideBytes
	b.memory += len(v) + 48
}

// textBytes is the memory of a text value besides its bytes: its entries in the dictionary, in the order of appearance, and in the map of
// values seen.
const textBytes = 64

// wideBytes is the counted size of an exact number: more than its encoding takes, because it takes more in memory.
const wideBytes = 24

// code returns the code of a text value, and adds a new one for a new value. NULL has code 0, which its cleared bit hides.
func (b *Builder) code(i int, v any) uint32 {
	s, ok := v.(string)
	if !ok {
		return 0
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	code, ok := b.seen[i][s]
	if !ok {
		code = uint32(len(b.seen[i]))
		b.seen[i][strings.Clone(s)] = code
		b.bytes += len(s) + 2
		b.memory += len(s) + textBytes
	}
	return code
}

// Cube returns a cube of the rows that have been added. The builder must not be used afterwards.
func (b *Builder) Cube() *Cube {
	for i := range b.cols {
		k := &b.cols[i]
		if b.nulls[i] == 0 {
			k.valid = nil
		}
		switch k.Type {
		case Text:
			sortDict(k, b.seen[i])
			k.index()
		case Integer, Number:
			k.inferForm(b.exact[i])
		}
	}
	return &Cube{cols: b.cols, rows: b.rows}
}

// inferForm chooses the form of a column of numbers: the narrowest that represents all of them.
func (k *column) inferForm(exact map[int]Decimal) {
	if len(exact) > 0 {
		k.widen(exact)
		return
	}
	for d := 0; k.Type == Number && d <= maxDecimals; d++ {
		if ints, ok := scale(k.floats, math.Pow10(d)); ok {
			k.ints, k.decimals, k.floats = ints, d, nil
			break
		}
	}
}

// scale returns the floats times s, if these are whole numbers from which every float can be
// restored exactly.
func scale(floats []float64, s float64) ([]int64, bool) {
	for _, f := range floats {
		n := math.Round(f * s)
		if !(math.Abs(n) <= certain) || math.Float64bits(float64(int64(n))/s) != math.Float64bits(f) {
			return nil, false
		}
	}
	ints := make([]int64, len(floats))
	for i, f := range floats {
		ints[i] = int64(math.Round(f * s))
	}
	return ints, true
}

// widen puts the exact values into the column, all with the largest number of decimals among them.
func (k *column) widen(exact map[int]Decimal) {
	values := make([]scaled, max(len(k.ints), len(k.floats)))
	narrow := true
	for row := range values {
		if !k.has(row) {
			continue
		}
		if v, ok := exact[row]; ok {
			values[row] = exactly(v)
		} else if k.floats != nil {
			values[row] = exactly(k.floats[row])
		} else {
			values[row] = exactly(k.ints[row])
		}
		k.decimals = max(k.decimals, values[row].decimals)
	}
	k.wide = make([]*big.Int, len(values))
	for row, v := range values {
		if k.wide[row] = new(big.Int); v.n != nil {
			k.wide[row] = v.at(k.decimals)
			narrow = narrow && k.wide[row].IsInt64()
		}
	}
	k.ints, k.floats = nil, nil
	if !narrow || k.decimals > maxScale {
		return
	}
	k.ints = make([]int64, len(values))
	for row, n := range k.wide {
		k.ints[row] = n.Int64()
	}
	k.wide = nil
}

// sortDict puts the dictionary in ascending order and renumbers the rows, so
// that equal rows have one encoding and codes compare as their values do.
func sortDict(k *column, seen map[string]uint32) {
	k.dict = slices.Sorted(maps.Keys(seen))
	renumbered := make([]uint32, len(k.dict))
	for code, s := range k.dict {
		renumbered[seen[s]] = uint32(code)
	}
	for row := range k.codes {
		if k.has(row) {
			k.codes[row] = renumbered[k.codes[row]]
		}
	}
}
