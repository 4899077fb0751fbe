package sqltext

import "strings"

// Mentions reports whether a name, in any case, is in a text and not a part of a longer word. It does not parse the text: strings and
// comments count too.
func Mentions(text, name string) bool {
	text, name = Lower(text), Lower(name)
	for at := 0; name != ""; at++ {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		at += i
		if !wordAt(text, at-1) && !wordAt(text, at+len(name)) {
			return true
		}
	}
	return false
}

// wordAt reports whether the byte at an offset is part of a word.
func wordAt(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c >= 0x80
}
