package export

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"

	"service/store/pattern"
)

// XML cannot contain control characters, so workbooks write them as _x000B_ (ECMA-376 part 1, 22.9.2.19). The library writes a text of that
// form as _x005F_x000B_, as it should, but cannot write the character itself. So until the library has written a text, each control
// character is replaced by one that XML permits: one of the 32 noncharacters from U+FDD0.
const (
	heldFirst = '\ufdd0'
	heldLast  = '\ufdef'
	heldScore = heldFirst + '\t' // an underscore; the place of a tab is free, because a tab is written unchanged
	heldBytes = "\xef\xb7"       // the first bytes of each of them
)

// likeEscape matches a text that a following control character, written as _x000B_, would turn into an escape.
var likeEscape = pattern.New(`_(x[0-9A-Fa-f]{4}[\x01-\x08\x0b\x0c\x0e-\x1f])`)

// holdControls replaces the control characters of a text, except tabs and line ends.
func holdControls(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return held(r) || r >= heldFirst && r <= heldLast }) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if r >= heldFirst && r <= heldLast {
			return '\ufffd'
		}
		return r
	}, s)
	s = likeEscape.ReplaceAllString(s, string(heldScore)+"$1")
	return strings.Map(func(r rune) rune {
		if held(r) {
			return heldFirst + r
		}
		return r
	}, s)
}

// held reports whether a character is replaced. NUL is not, because it ends texts in some programs.
func held(r rune) bool { return r > 0 && r < ' ' && r != '\t' && r != '\n' && r != '\r' }

// A controlZip writes a workbook, with the control characters in place of their replacements.
type controlZip struct {
	*zip.Writer
	part *controlWriter
}

func newControlZip(w io.Writer) excelize.ZipWriter { return &controlZip{Writer: zip.NewWriter(w)} }

// Create begins the next part.
func (z *controlZip) Create(name string) (io.Writer, error) {
	if err := z.part.end(); err != nil {
		return nil, err
	}
	w, err := z.Writer.Create(name)
	z.part = &controlWriter{w: w}
	return z.part, err
}

// Close ends the workbook.
func (z *controlZip) Close() error {
	if err := z.part.end(); err != nil {
		return err
	}
	return z.Writer.Close()
}

// A controlWriter writes the replaced characters of a part as _x000B_.
type controlWriter struct {
	w    io.Writer
	left []byte // the first bytes of a character that may be a replaced one
}

// Write converts the replaced characters in p. It keeps an incomplete character for the next call.
func (c *controlWriter) Write(p []byte) (int, error) {
	text := p
	if len(c.left) > 0 {
		text = append(c.left, p...)
		c.left = nil
	}
	for {
		at := bytes.IndexByte(text, heldBytes[0])
		if at < 0 {
			_, err := c.w.Write(text)
			return len(p), err
		}
		if _, err := c.w.Write(text[:at]); err != nil {
			return 0, err
		}
		text = text[at:]
		switch {
		case len(text) < 3 && strings.HasPrefix(heldBytes, string(text[:min(len(text), 2)])):
			c.left = bytes.Clone(text)
			return len(p), nil
		case len(text) < 3 || text[1] != heldBytes[1] || text[2] < 0x90 || text[2] > 0xaf:
			if _, err := c.w.Write(text[:1]); err != nil {
				return 0, err
			}
			text = text[1:]
			continue
		}
		code := rune(text[2] - 0x90)
		if code == heldScore-heldFirst {
			code = '_'
		}
		if _, err := fmt.Fprintf(c.w, "_x%04X_", code); err != nil {
			return 0, err
		}
		text = text[3:]
	}
}

// end writes the rest of the part.
func (c *controlWriter) end() error {
	if c == nil || len(c.left) == 0 {
		return nil
	}
	_, err := c.w.Write(c.left)
	c.left = nil
	return err
}
