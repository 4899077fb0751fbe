package page

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A doc is an HTML document that is being written.
type doc struct{ b []byte }

// h is trusted HTML. A test checks that only constants are converted to it. Everything else is a
// string, and strings are escaped.
type h string

// pct is a fraction, written as a percentage for an SVG attribute.
type pct float64

// add writes parts: an h as it is, a string escaped, numbers as digits.
func (d *doc) add(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case h:
			d.b = append(d.b, p...)
		case string:
			d.esc(p)
		case int:
			d.b = strconv.AppendInt(d.b, int64(p), 10)
		case pct:
			d.pct(float64(p))
		default:
			panic("page: cannot write this type")
		}
	}
}

// around writes a text, with what hole writes in the place of %s.
func (d *doc) around(text string, hole func()) {
	before, after, found := strings.Cut(text, "%s")
	d.esc(before)
	if found {
		hole()
		d.esc(after)
	}
}

// esc writes s as text, which is right between tags and inside a quoted
// attribute. Control characters, which HTML forbids, become spaces.
func (d *doc) esc(s string) {
	from := 0
	for i := 0; i < len(s); {
		var with string
		c := s[i]
		size := 1
		switch {
		case c == '&':
			with = "&amp;"
		case c == '<':
			with = "&lt;"
		case c == '>':
			with = "&gt;"
		case c == '"':
			with = "&#34;"
		case c == '\'':
			with = "&#39;"
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
			with = " "
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				with = "\uFFFD"
			} else if r >= 0x80 && r < 0xa0 {
				with = " "
			}
		}
		if with != "" {
			d.b = append(d.b, s[from:i]...)
			d.b = append(d.b, with...)
			from = i + size
		}
		i += size
	}
	d.b = append(d.b, s[from:]...)
}

// raw writes one h, in less time than [doc.add].
func (d *doc) raw(s h) { d.b = append(d.b, s...) }

// num writes digits.
func (d *doc) num(n int) { d.b = strconv.AppendInt(d.b, int64(n), 10) }

func (d *doc) pct(f float64) {
	d.fixed(f*100, 2)
	d.b = append(d.b, '%')
}

// fixed writes f with at most the given decimals.
func (d *doc) fixed(f float64, decimals int) {
	if n := int(f); float64(n) == f && max(n, -n) < 1e9 { // most are whole, and this is quicker
		d.num(n)
		return
	}
	start := len(d.b)
	d.b = strconv.AppendFloat(d.b, f, 'f', decimals, 64)
	if decimals == 0 {
		return
	}
	for d.b[len(d.b)-1] == '0' {
		d.b = d.b[:len(d.b)-1]
	}
	if d.b[len(d.b)-1] == '.' {
		d.b = d.b[:len(d.b)-1]
	}
	if string(d.b[start:]) == "-0" {
		d.b = append(d.b[:start], '0')
	}
}

// hidden writes what a form sends without that it is seen.
func (d *doc) hidden(fields []field) {
	for _, f := range fields {
		d.add(h(`<input type="hidden" name="`), f.name, h(`" value="`), f.value, h(`">`))
	}
}

// option writes an option of a list.
func (d *doc) option(value, text string, on bool) {
	d.add(h(`<option value="`), value, h(`"`))
	if on {
		d.add(h(` selected`))
	}
	d.add(h(`>`), text, h(`</option>`))
}

// query writes the query of an address in an attribute.
func (d *doc) query(values url.Values) {
	if len(values) > 0 {
		d.add(h(`?`), values.Encode())
	}
}
