package cube

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"strings"
)

// The encoding: magic, version, rows and columns as unsigned varints; then for each column its name, a byte for its type, how many values
// were lost, a byte for whether a bitmap of valid rows follows, the bitmap, and the values:
//
//	text       the ascending dictionary, then a code a row in 1, 2 or 4 bytes
//	boolean    a bit a row
//	date, timestamp, instant
//	           the difference to the row before, as a signed varint
//	integer    a byte: 0, then as for a date; or wide, then as for a number
//	number     a byte: 0 to 18, the number of decimals, then the scaled integer
//	           as a signed varint a row; or raw, then 8 bytes a row; or wide, then
//	           the number of decimals and, for each row, the length of the scaled
//	           integer in bytes, twice, plus 1 for a negative one, and the bytes
//
// The encoding is made for later compression.
const (
	magic       = "CUBE\x03"
	magic2      = "CUBE\x02" // of 0.6.0, which had no instants: its timestamps were shown as such
	rawNumbers  = 0xff
	wideNumbers = 0xfe
	maxDecimals = 6   // that are tried for floats
	maxScale    = 18  // decimals of numbers in an int64
	maxWide     = 400 // decimals, and bytes, of larger numbers: more than any float64 has
	maxColumns  = 4096
)

var typeCodes = [...]Type{Text, Boolean, Integer, Number, Date, Timestamp, Instant}

// typeCodes2 are the types of magic2.
var typeCodes2 = []Type{Text, Boolean, Integer, Number, Date, Instant}

// errCorrupt is the error of [Decode] for bytes that [Cube.Encode] did not make.
var errCorrupt = errors.New("cube: corrupt encoding")

// Encode returns the cube as bytes: equal rows give equal bytes.
func (c *Cube) Encode() []byte {
	b := make([]byte, 0, 64+c.Size()/2)
	b = append(b, magic...)
	b = binary.AppendUvarint(b, uint64(c.rows))
	b = binary.AppendUvarint(b, uint64(len(c.cols)))
	for i := range c.cols {
		b = c.cols[i].encode(b, c.rows)
	}
	return b
}

func (k *column) encode(b []byte, rows int) []byte {
	b = appendString(b, k.Name)
	for code, t := range typeCodes {
		if t == k.Type {
			b = append(b, byte(code))
		}
	}
	b = binary.AppendUvarint(b, uint64(k.lost))
	if k.valid == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1)
		b = appendBits(b, k.valid, rows)
	}
	switch k.Type {
	case Text:
		b = binary.AppendUvarint(b, uint64(len(k.dict)))
		for _, s := range k.dict {
			b = appendString(b, s)
		}
		width := codeWidth(len(k.dict))
		for _, code := range k.codes {
			for shift := range width {
				b = append(b, byte(code>>(8*shift)))
			}
		}
	case Boolean:
		b = appendBits(b, k.bits, rows)
	case Integer, Number:
		b = k.encodeNumbers(b)
	default:
		b = appendDifferences(b, k.ints)
	}
	return b
}

func (k *column) encodeNumbers(b []byte) []byte {
	switch {
	case k.wide != nil:
		b = append(b, wideNumbers)
		b = binary.AppendUvarint(b, uint64(k.decimals))
		for _, n := range k.wide {
			bytes := n.Bytes()
			length := uint64(len(bytes)) << 1
			if n.Sign() < 0 {
				length |= 1
			}
			b = append(binary.AppendUvarint(b, length), bytes...)
		}
	case k.floats != nil:
		b = append(b, rawNumbers)
		for _, f := range k.floats {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
		}
	case k.Type == Integer:
		b = appendDifferences(append(b, 0), k.ints)
	default:
		b = append(b, byte(k.decimals))
		for _, n := range k.ints {
			b = binary.AppendVarint(b, n)
		}
	}
	return b
}

func appendDifferences(b []byte, ints []int64) []byte {
	var last int64
	for _, n := range ints {
		b = binary.AppendVarint(b, n-last) // may wrap; so does the sum
		last = n
	}
	return b
}

func codeWidth(values int) int {
	switch {
	case values <= 1<<8:
		return 1
	case values <= 1<<16:
		return 2
	}
	return 4
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendBits(b []byte, bits []uint64, rows int) []byte {
	for i := range (rows + 7) / 8 {
		b = append(b, byte(bits[i>>3]>>(8*(i&7))))
	}
	return b
}

// Decode reads what [Cube.Encode] wrote. It is safe for any bytes: it allocates at most about thirty times their length, and returns an
// error for bytes that are not a cube.
func Decode(data []byte) (*Cube, error) {
	rest, ok := strings.CutPrefix(string(data), magic)
	types := typeCodes[:]
	if !ok {
		rest, ok = strings.CutPrefix(string(data), magic2)
		types = typeCodes2
	}
	if !ok {
		return nil, errCorrupt
	}
	d := &decoder{rest: rest, types: types}
	rows, cols := d.uvarint(math.MaxInt32), d.uvarint(maxColumns)
	if cols == 0 && rows > 0 && d.err == nil {
		d.err = errCorrupt // the number of rows would be unbounded
	}
	c := &Cube{rows: rows}
	for range cols {
		if d.err != nil {
			break
		}
		c.cols = append(c.cols, d.column(rows))
	}
	if d.err == nil && d.rest != "" {
		d.err = errCorrupt
	}
	if d.err != nil {
		return nil, d.err
	}
	return c, nil
}

// A decoder reads from the front of rest. After the first error it returns zero values.
type decoder struct {
	rest  string
	types []Type // by their codes
	err   error
}

func (d *decoder) take(n int) string {
	if d.err != nil || n < 0 || n > len(d.rest) {
		d.err = errCorrupt
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) byte() byte {
	if s := d.take(1); s != "" {
		return s[0]
	}
	return 0
}

func (d *decoder) uvarint(limit int) int {
	n, ok := d.varint64()
	if !ok || n > uint64(limit) {
		d.err = errCorrupt
		return 0
	}
	return int(n)
}

func (d *decoder) varint() int64 {
	n, _ := d.varint64()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) varint64() (uint64, bool) {
	var n uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		b := d.rest[i]
		if i == binary.MaxVarintLen64-1 && b > 1 {
			break
		}
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.rest = d.rest[i+1:]
			return n, d.err == nil
		}
	}
	d.err = errCorrupt
	return 0, false
}

func (d *decoder) column(rows int) column {
	var k column
	k.Name = d.take(d.uvarint(len(d.rest)))
	code := int(d.byte())
	if code >= len(d.types) {
		d.err = errCorrupt
		return k
	}
	k.Type = d.types[code]
	if len(d.types) == len(typeCodes) { // version 2 has no count
		k.lost = d.uvarint(rows)
	}
	switch d.byte() {
	case 0:
	case 1:
		k.valid = d.bits(rows)
	default:
		d.err = errCorrupt
	}
	switch k.Type {
	case Text:
		d.text(&k, rows)
		if d.err == nil {
			k.index()
		}
	case Boolean:
		k.bits = d.bits(rows)
	case Integer, Number:
		d.numbers(&k, rows)
	default:
		k.ints = d.ints(rows)
	}
	return k
}

// bits reads a bitmap; bits past the last row must be clear.
func (d *decoder) bits(rows int) []uint64 {
	s := d.take((rows + 7) / 8)
	if d.err != nil {
		return nil
	}
	out := make([]uint64, words(rows))
	for i := range len(s) {
		out[i>>3] |= uint64(s[i]) << (8 * (i & 7))
	}
	if rows&63 != 0 && out[len(out)-1]>>(rows&63) != 0 {
		d.err = errCorrupt
	}
	return out
}

func (d *decoder) text(k *column, rows int) {
	n := d.uvarint(len(d.rest))
	for i := range n {
		s := d.take(d.uvarint(len(d.rest)))
		if d.err != nil || i > 0 && s <= k.dict[i-1] {
			d.err = errCorrupt
			return
		}
		k.dict = append(k.dict, s)
	}
	width := codeWidth(n)
	s := d.take(rows * width)
	if d.err != nil {
		return
	}
	k.codes = make([]uint32, rows)
	for row := range k.codes {
		var code uint32
		for shift := range width {
			code |= uint32(s[row*width+shift]) << (8 * shift)
		}
		if !k.has(row) {
			continue
		}
		if int(code) >= n {
			d.err = errCorrupt
			return
		}
		k.codes[row] = code
	}
}

// numbers reads a column of type Integer or Number in the form that its first
// byte names.
func (d *decoder) numbers(k *column, rows int) {
	switch form := d.byte(); {
	case form == wideNumbers:
		k.decimals = d.uvarint(maxWide)
		k.wide = d.wide(rows)
		if k.Type == Integer && k.decimals > 0 {
			d.err = errCorrupt
		}
	case form == 0 && k.Type == Integer:
		k.ints = d.ints(rows)
	case form == rawNumbers && k.Type == Number:
		k.floats = d.floats(rows)
	case form <= maxScale && k.Type == Number && rows <= len(d.rest):
		k.decimals = int(form)
		k.ints = make([]int64, rows)
		for row := range k.ints {
			k.ints[row] = d.varint()
		}
	default:
		d.err = errCorrupt
	}
}

func (d *decoder) wide(rows int) []*big.Int {
	if rows > len(d.rest) {
		d.err = errCorrupt
		return nil
	}
	zero := new(big.Int)
	out := make([]*big.Int, rows)
	for row := range out {
		length := d.uvarint(2*maxWide + 1)
		out[row] = zero
		if bytes := d.take(length >> 1); bytes != "" {
			out[row] = new(big.Int).SetBytes([]byte(bytes))
			if length&1 == 1 {
				out[row].Neg(out[row])
			}
		}
	}
	return out
}

func (d *decoder) floats(rows int) []float64 {
	s := d.take(8 * rows)
	if d.err != nil {
		return nil
	}
	out := make([]float64, rows)
	for row := range out {
		out[row] = math.Float64frombits(binary.LittleEndian.Uint64([]byte(s[8*row : 8*row+8])))
		if math.IsNaN(out[row]) || math.IsInf(out[row], 0) {
			d.err = errCorrupt
			return nil
		}
	}
	return out
}

func (d *decoder) ints(rows int) []int64 {
	if rows > len(d.rest) { // a value takes at least a byte
		d.err = errCorrupt
		return nil
	}
	out := make([]int64, rows)
	var last int64
	for row := range out {
		last += d.varint()
		out[row] = last
	}
	return out
}
