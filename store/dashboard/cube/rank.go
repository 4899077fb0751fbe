package cube

import "slices"

// A keyed is a key and its position before sorting.
type keyed struct {
	key uint64
	at  uint32
}

// ranks numbers keys by their size, with one number for equal keys, and returns the distinct keys, ascending. Its time is linear in the
// number of keys, for keys of any size; a map would be several times slower.
func ranks(keys []uint64) (codes []uint32, distinct []uint64) {
	codes = make([]uint32, len(keys))
	for i, k := range sortKeys(keys) {
		if i == 0 || k.key != distinct[len(distinct)-1] {
			distinct = append(distinct, k.key)
		}
		codes[k.at] = uint32(len(distinct) - 1)
	}
	return codes, distinct
}

// digitBits is the number of bits of a key that one pass sorts.
const digitBits = 11

// sortKeys sorts keys stably.
func sortKeys(keys []uint64) []keyed {
	out := make([]keyed, len(keys))
	differ := uint64(0) // bits in which some keys differ
	for i, k := range keys {
		out[i] = keyed{k, uint32(i)}
		differ |= k ^ keys[0]
	}
	if len(keys) < 1<<digitBits {
		slices.SortStableFunc(out, func(a, b keyed) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return 0
		})
		return out
	}
	buffer := make([]keyed, len(keys))
	for shift := 0; shift < 64; shift += digitBits {
		if differ>>shift&(1<<digitBits-1) == 0 {
			continue
		}
		var from [1 << digitBits]int32 // the first position of keys with a digit
		for i := range out {
			from[out[i].key>>shift&(1<<digitBits-1)]++
		}
		sum := int32(0)
		for d, n := range from {
			from[d] = sum
			sum += n
		}
		for _, k := range out {
			d := k.key >> shift & (1<<digitBits - 1)
			buffer[from[d]] = k
			from[d]++
		}
		out, buffer = buffer, out
	}
	return out
}
