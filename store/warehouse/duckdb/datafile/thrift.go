package datafile

import (
	"encoding/binary"
	"math"
)

// The types of Thrift's compact protocol.
const (
	typeStop, typeTrue, typeFalse, typeByte, typeI16, typeI32, typeI64, typeDouble = 0, 1, 2, 3, 4, 5, 6, 7
	typeBinary, typeList, typeSet, typeMap, typeStruct                             = 8, 9, 10, 11, 12
)

// A thrift reads Thrift's compact protocol. At the first value that it cannot read, it sets bad and stops. A value that another reader
// could interpret differently is bad too: a repeated field, a field of an unexpected type, or a value out of the range of its type.
type thrift struct {
	data []byte
	at   int
	cost int // bytes that another reader would allocate
	bad  bool
}

// The approximate memory of parts of a footer in the engine, in bytes.
const (
	costPart   = 64 // a structure or a text
	costNumber = 8
)

func (r *thrift) byte() byte {
	if r.bad || r.at >= len(r.data) {
		r.bad = true
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *thrift) uvarint() uint64 {
	if r.bad {
		return 0
	}
	v, n := binary.Uvarint(r.data[r.at:min(len(r.data), r.at+binary.MaxVarintLen64)])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.at += n
	return v
}

// integer reads a number if kind is the type that is wanted, and returns -1 otherwise.
func (r *thrift) integer(kind, want byte) int64 {
	u := r.uvarint()
	v := int64(u>>1) ^ -int64(u&1)
	if kind != want || want == typeI32 && v != int64(int32(v)) || want == typeI16 && v != int64(int16(v)) {
		r.bad = true
	}
	if r.bad {
		return -1
	}
	return v
}

// text reads a text.
func (r *thrift) text(kind byte) string {
	if r.bad = r.bad || kind != typeBinary; r.bad {
		return ""
	}
	r.cost += costPart / 2
	n := r.uvarint()
	from := r.at
	if r.take(n); r.bad {
		return ""
	}
	return string(r.data[from:r.at])
}

// fields calls known for the fields of a structure, and skips those for which that returns false without reading them.
func (r *thrift) fields(known func(id int16, kind byte) bool) {
	id, seen := int64(0), map[int64]bool{}
	for !r.bad {
		head := r.byte()
		kind := head & 0xf
		if head == typeStop || r.bad {
			return
		}
		if id += int64(head >> 4); head>>4 == 0 {
			id = r.integer(typeI16, typeI16)
		}
		if kind == typeStop || kind > typeStruct || id < 0 || id > math.MaxInt16 || seen[id] {
			r.bad = true
			return
		}
		seen[id] = true
		if !known(int16(id), kind) && kind != typeTrue && kind != typeFalse {
			r.skip(kind, 0)
		}
	}
}

// list reads a list whose elements must be of type of, and take at least a byte each.
func (r *thrift) list(kind, of byte, cost int, element func(i int)) {
	if kind != typeList {
		r.bad = true
	}
	n, elements := r.header()
	if r.cost += n * cost; n > 0 && elements != of {
		r.bad = true
	}
	for i := 0; i < n && !r.bad; i++ {
		element(i)
	}
}

func (r *thrift) header() (n int, of byte) {
	head := r.byte()
	length := uint64(head >> 4)
	if length == 15 {
		length = r.uvarint()
	}
	if r.bad || length > uint64(len(r.data)-r.at) {
		r.bad = true
		return 0, 0
	}
	return int(length), head & 0xf
}

// skip reads a value and discards it.
func (r *thrift) skip(kind byte, depth int) {
	const deepest = 16
	if depth > deepest {
		r.bad = true
	}
	if r.bad {
		return
	}
	switch kind {
	case typeTrue, typeFalse, typeByte: // an element; of a field of truth, the type is the value
		r.byte()
	case typeI16, typeI32, typeI64:
		r.uvarint()
	case typeDouble:
		r.take(8)
	case typeBinary:
		r.cost += costPart / 2
		r.take(r.uvarint())
	case typeList, typeSet:
		n, of := r.header()
		r.cost += n * costNumber
		for i := 0; i < n && !r.bad; i++ {
			r.skip(of, depth+1)
		}
	case typeMap:
		n := r.uvarint()
		if n == 0 {
			return
		}
		kinds := r.byte()
		for i := uint64(0); i < n && !r.bad; i++ {
			r.cost += costPart
			r.skip(kinds>>4, depth+1)
			r.skip(kinds&0xf, depth+1)
		}
	case typeStruct:
		r.cost += costPart
		r.fields(func(_ int16, kind byte) bool {
			if kind != typeTrue && kind != typeFalse {
				r.skip(kind, depth+1)
			}
			return true
		})
	default:
		r.bad = true
	}
}

func (r *thrift) take(n uint64) {
	if r.bad || n > uint64(len(r.data)-r.at) {
		r.bad = true
		return
	}
	r.at += int(n)
}
