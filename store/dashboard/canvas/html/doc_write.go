package html

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"service/store/dashboard/canvas"
)

// A Doc is an HTML document that is being written.
type Doc struct{ B []byte }

// H is trusted HTML. A test checks that only constants are converted to it. Everything else is a
// string, and strings are escaped.
type H string

// Percent is a fraction, written as a percentage for an SVG attribute.
type Percent float64

// Add writes parts: an H unchanged, a string escaped, numbers as digits.
func (d *Doc) Add(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case H:
			d.B = append(d.B, p...)
		case string:
			d.Esc(p)
		case int:
			d.B = strconv.AppendInt(d.B, int64(p), 10)
		case Percent:
			d.pct(float64(p))
		default:
			panic("html: cannot write this type")
		}
	}
}

// Around writes a text, with the output of hole in the place of %s.
func (d *Doc) Around(text string, hole func()) {
	before, after, found := strings.Cut(text, "%s")
	d.Esc(before)
	if found {
		hole()
		d.Esc(after)
	}
}

// Esc writes s as text, escaped for the space between tags and for quoted attributes. Control characters, which HTML forbids, become
// spaces.
func (d *Doc) Esc(s string) {
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
			d.B = append(d.B, s[from:i]...)
			d.B = append(d.B, with...)
			from = i + size
		}
		i += size
	}
	d.B = append(d.B, s[from:]...)
}

// Raw writes one h, faster than [Doc.Add].
func (d *Doc) Raw(s H) { d.B = append(d.B, s...) }

// num writes digits.
func (d *Doc) num(n int) { d.B = strconv.AppendInt(d.B, int64(n), 10) }

func (d *Doc) pct(f float64) {
	d.fixed(f*100, 2)
	d.B = append(d.B, '%')
}

// fixed writes f with at most the given decimals.
func (d *Doc) fixed(f float64, decimals int) {
	if n := int(f); float64(n) == f && max(n, -n) < 1e9 { // most are whole, and this is faster
		d.num(n)
		return
	}
	start := len(d.B)
	d.B = strconv.AppendFloat(d.B, f, 'f', decimals, 64)
	if decimals == 0 {
		return
	}
	for d.B[len(d.B)-1] == '0' {
		d.B = d.B[:len(d.B)-1]
	}
	if d.B[len(d.B)-1] == '.' {
		d.B = d.B[:len(d.B)-1]
	}
	if string(d.B[start:]) == "-0" {
		d.B = append(d.B[:start], '0')
	}
}

// Hidden writes the hidden fields of a form.
func (d *Doc) Hidden(fields []canvas.Field) {
	for _, f := range fields {
		d.Add(H(`<input type="hidden" name="`), f.Name, H(`" value="`), f.Value, H(`">`))
	}
}

// Option writes an option of a list.
func (d *Doc) Option(value, text string, on bool) {
	d.Add(H(`<option value="`), value, H(`"`))
	if on {
		d.Add(H(` selected`))
	}
	d.Add(H(`>`), text, H(`</option>`))
}

// Query writes the query of an address in an attribute.
func (d *Doc) Query(values url.Values) {
	if len(values) > 0 {
		d.Add(H(`?`), values.Encode())
	}
}
