package rawjson

// maxDepth is how deep values may be nested, as in encoding/json.
const maxDepth = 10_000

// Valid is [encoding/json.Valid].
func Valid(raw []byte) bool {
	var open []byte // the open brackets
	i := space(raw, 0)
	for {
		// A value begins at i.
		if i == len(raw) {
			return false
		}
		switch c := raw[i]; c {
		case '{', '[':
			if len(open) == maxDepth {
				return false
			}
			open = append(open, c)
			if i = space(raw, i+1); i == len(raw) {
				return false
			}
			if raw[i] != c+2 { // } is two after {, as ] is after [
				if c == '{' {
					if i = name(raw, i); i < 0 {
						return false
					}
				}
				continue
			}
			open = open[:len(open)-1]
			i++
		case '"':
			i = text(raw, i)
		case 't':
			i = word(raw, i, "true")
		case 'f':
			i = word(raw, i, "false")
		case 'n':
			i = word(raw, i, "null")
		default:
			i = number(raw, i)
		}
		if i < 0 {
			return false
		}
		// A value has ended before i, and possibly the values that contain it.
		for {
			i = space(raw, i)
			if len(open) == 0 {
				return i == len(raw)
			}
			if i == len(raw) {
				return false
			}
			in := open[len(open)-1]
			if raw[i] == ',' {
				if i = space(raw, i+1); in == '{' {
					if i = name(raw, i); i < 0 {
						return false
					}
				}
				break
			}
			if raw[i] != in+2 {
				return false
			}
			open = open[:len(open)-1]
			i++
		}
	}
}

// space returns the position of the first byte from i on that is not white space.
func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// name returns the beginning of the value whose name begins at i, or -1.
func name(raw []byte, i int) int {
	if i == len(raw) || raw[i] != '"' {
		return -1
	}
	if i = text(raw, i); i < 0 {
		return -1
	}
	if i = space(raw, i); i == len(raw) || raw[i] != ':' {
		return -1
	}
	return space(raw, i+1)
}

// text returns the end of the string that begins at i, or -1.
func text(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		c := raw[i]
		if !special[c] {
			continue
		}
		switch {
		case c == '"':
			return i + 1
		case c != '\\': // a control character
			return -1
		}
		if i++; i == len(raw) {
			return -1
		}
		switch raw[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if i+4 >= len(raw) {
				return -1
			}
			for range 4 {
				if i++; hex(raw[i]) < 0 {
					return -1
				}
			}
		default:
			return -1
		}
	}
	return -1
}

// special are the bytes that do not represent themselves in a string.
var special = func() (is [256]bool) {
	for c := range ' ' {
		is[c] = true
	}
	is['"'], is['\\'] = true, true
	return is
}()

func hex(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

func word(raw []byte, i int, want string) int {
	if end := i + len(want); end <= len(raw) && string(raw[i:end]) == want {
		return end
	}
	return -1
}

// number returns the end of the number that begins at i, or -1.
func number(raw []byte, i int) int {
	if raw[i] == '-' {
		i++
	}
	end := digits(raw, i)
	if end == i || raw[i] == '0' && end > i+1 {
		return -1
	}
	if end < len(raw) && raw[end] == '.' {
		i = end + 1
		if end = digits(raw, i); end == i {
			return -1
		}
	}
	if end < len(raw) && (raw[end] == 'e' || raw[end] == 'E') {
		i = end + 1
		if i < len(raw) && (raw[i] == '+' || raw[i] == '-') {
			i++
		}
		if end = digits(raw, i); end == i {
			return -1
		}
	}
	return end
}

func digits(raw []byte, i int) int {
	for i < len(raw) && raw[i] >= '0' && raw[i] <= '9' {
		i++
	}
	return i
}
