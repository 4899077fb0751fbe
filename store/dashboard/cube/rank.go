package cube

import "slices"

// A keyed place is a key, and where it stood before it was sorted.
type keyed struct {
	key uint64
	at  uint32
}

// ranks numbers keys by their size, equal ones alike, and returns one key of each
// number, ascending. It takes time that grows with the number of keys, however large
// they are: a map would do the same several times slower.
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

// digitBits is how much of a key is sorted at once.
const digitBits = 11

// sortKeys sorts keys; equal ones stay in their order.
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
		var from [1 << digitBits]int32 // where the keys with a digit begin
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
