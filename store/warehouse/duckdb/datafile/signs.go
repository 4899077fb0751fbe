package datafile

import (
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

// A delimited text has one decimal sign in all its columns, as the program that wrote it has. Only some numbers show which sign it is: 1,5
// and 1.234,5 have a decimal comma, 1.5 and 1,234.5 a decimal dot, and 1.234 may have either.

// signs are the decimal signs with which all numbers of a column can be read.
type signs struct {
	dot, comma       bool
	hasDot, hasComma bool // some number has this sign
}

// unclear reports whether a sign of the column may be decimal or between thousands.
func (s signs) unclear() bool { return s.dot && s.comma && (s.hasDot || s.hasComma) }

// signs returns the decimal signs that are possible in a column of numbers.
func (c column) signs() signs {
	s := signs{dot: true, comma: true}
	c.each(func(_ int, v cell) bool {
		text := strings.TrimSpace(v.text)
		if isMissing(text) {
			return true
		}
		dot, comma := strings.Contains(text, "."), strings.Contains(text, ",")
		s.hasDot, s.hasComma = s.hasDot || dot, s.hasComma || comma
		if p, ok := dissect(text); ok {
			_, byDot := p.normal('.')
			_, byComma := p.normal(',')
			s.dot, s.comma = s.dot && byDot, s.comma && byComma
		} else { // 1. and 1.5e-3
			s.comma = s.comma && !dot
		}
		return true
	})
	return s
}

// settleSigns finds the decimal sign of a delimited text, and reads the columns again that it changes. A sign that some column certainly
// has is that of all columns. If columns with both signs are certain, or none is, a column that may have either has a note.
func (g *grid) settleSigns(types []*inferred) {
	all := make([]signs, len(types))
	dot, comma, read := false, false, false // certain, and assumed because there is no certain one
	for i, s := range types {
		if s.kind != cube.Integer && s.kind != cube.Number {
			continue
		}
		c := column{g, i}.signs()
		all[i] = c
		dot = dot || c.dot && !c.comma && (c.hasDot || c.hasComma)
		comma = comma || c.comma && !c.dot && (c.hasDot || c.hasComma)
		read = read || s.comma
	}
	switch {
	case dot && comma:
	case dot:
		g.decimal = '.'
	case comma, g.comma && read:
		g.decimal = ','
	}
	for i, s := range all {
		number := s.unclear()
		text := types[i].kind == cube.Text && g.decimal == ',' && !g.comma
		if g.decimal != 0 && (number || text) {
			types[i] = column{g, i}.inferType(monthFirst)
		}
		if number {
			types[i].notes = append(types[i].notes, g.signNotes(types[i], s, dot != comma, dot && comma)...)
		}
	}
}

// signNotes returns the note on a column whose sign is unclear: how it is read. The sign is settled if another column decides it, and mixed
// if others differ. In a text with commas between its fields, 1.234 is a decimal number and "1,234" is not, which needs no note.
func (g *grid) signNotes(t *inferred, s signs, settled, mixed bool) []string {
	sign, other := "dot", byte('.')
	if !s.hasDot {
		sign, other = "comma", ','
	}
	decimal := g.decimal
	if decimal == 0 {
		decimal = '.'
		if t.comma {
			decimal = ','
		}
	}
	both := "the " + sign + " is taken to separate thousands; it could be the decimal sign"
	if decimal == other {
		both = "the " + sign + " is taken for the decimal sign; it could separate thousands"
	}
	t.notes = slices.DeleteFunc(t.notes, func(note string) bool { return note == both })
	switch {
	case settled && decimal == other:
		return nil
	case settled:
		return []string{"the " + sign + " is taken to separate thousands, because another column has a decimal " + signName[decimal]}
	case g.comma, mixed, t.amount:
		return []string{both}
	}
	return nil
}

var signName = map[byte]string{'.': "dot", ',': "comma"}
