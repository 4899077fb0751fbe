package datafile

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A settled column has a type and a way to read its cells.
type settled struct {
	kind    cube.Type
	read    func(text string) (any, bool) // of cells that are not null
	missing warehouse.BadCells            // words for "no value", read as null
	notes   []string
}

func (s *settled) value(c cell) any {
	if c.kind == null {
		return nil
	}
	if v, ok := s.read(c.text); ok {
		return v
	}
	return nil // counted in missing: settle has seen every cell
}

func readText(s string) (any, bool) { return s, true }

// A reading is a type that a column may have.
type reading struct {
	kind cube.Type
	what string // the plural, for notes
	read func(text string) (any, bool)
	note string
}

// settle finds the type of a column.
func settle(cells []cell, loose, comma bool) *settled {
	seen := map[kind]bool{}
	for _, c := range cells {
		seen[c.kind] = true
	}
	delete(seen, null)
	text := &settled{kind: cube.Text, read: readText}
	switch {
	case len(seen) == 0:
		text.notes = []string{"it has no values"}
		return text
	case seen[nested]:
		return text
	case !loose && len(seen) > 1:
		text.notes = []string{"it has values of several types and is text"}
		return text
	}
	var readings []reading
	if loose || seen[boolean] {
		readings = append(readings, reading{kind: cube.Boolean, what: "true or false", read: readBool})
	}
	if loose || seen[number] {
		readings = append(readings, numberReadings(comma && loose)...)
	}
	if loose || seen[word] || seen[moment] {
		readings = append(readings, dateReadings()...)
	}
	for _, r := range readings {
		if s := r.try(cells, loose); s != nil {
			return s
		}
	}
	for _, r := range readings {
		if note := r.nearly(cells); note != "" {
			text.notes = append(text.notes, note)
			break
		}
	}
	return text
}

// missing are words that stand for no value among numbers and dates.
var missing = map[string]bool{
	"na": true, "n/a": true, "#n/a": true, "nan": true, "null": true, "none": true, "nil": true,
	"-": true, "--": true, ".": true, "..": true, "?": true, "missing": true,
	"#div/0!": true, "#value!": true, "#ref!": true, "#name?": true, "#num!": true, "#null!": true,
}

// try reads the whole column; nil when a value does not fit. In a file without
// types, words for "no value" do not count.
func (r reading) try(cells []cell, loose bool) *settled {
	s := &settled{kind: r.kind, read: r.read}
	some := false
	for row, c := range cells {
		if c.kind == null {
			continue
		}
		if _, ok := r.read(c.text); ok {
			some = true
			continue
		}
		if !loose || !missing[strings.ToLower(strings.TrimSpace(c.text))] {
			return nil
		}
		if s.missing.Count++; s.missing.Count == 1 {
			s.missing.FirstRow = row + 1
		}
	}
	if !some {
		return nil
	}
	if r.kind == cube.Timestamp && s.midnights(cells) {
		s.kind = cube.Date
	}
	if r.note != "" {
		s.notes = []string{r.note}
	}
	return s
}

// midnights tells whether no moment of the column has a time of day.
func (s *settled) midnights(cells []cell) bool {
	for _, c := range cells {
		if t, ok := s.value(c).(time.Time); ok && !t.Equal(t.Truncate(24*time.Hour)) {
			return false
		}
	}
	return true
}

// nearly notes that almost all values would have fitted, and where the first is
// that does not.
func (r reading) nearly(cells []cell) string {
	fit, all, first := 0, 0, 0
	for row, c := range cells {
		if c.kind == null {
			continue
		}
		all++
		if _, ok := r.read(c.text); ok {
			fit++
		} else if first == 0 {
			first = row + 1
		}
	}
	if fit*10 < all*9 {
		return ""
	}
	return fmt.Sprintf("it is text: %d of %d values are %s, the first that is not is in row %d", fit, all, r.what, first)
}

func readBool(s string) (any, bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return nil, false
}

// numberReadings are the forms of numbers, the plainest first.
func numberReadings(comma bool) []reading {
	out := []reading{
		{cube.Integer, "whole numbers", readInteger, ""},
		{cube.Number, "numbers", readNumber, ""},
		{cube.Integer, "whole numbers", grouped(readInteger), "numbers written like 1,234"},
		{cube.Number, "numbers", grouped(readNumber), "numbers written like 1,234.5"},
	}
	if comma {
		// Without a separator of thousands 1,234 is one and a bit here, so these
		// come before the grouped ones.
		out = append(out[:2], reading{cube.Number, "numbers", european, "numbers written like 1.234,5"})
	}
	return out
}

// plain tells whether s is a decimal number without leading zeros, and whether
// it is a whole one. What has leading zeros or a plus sign is an identifier.
func plain(s string) (whole, ok bool) {
	s = strings.TrimPrefix(s, "-")
	digits := 0
	for digits < len(s) && isDigit(s[digits]) {
		digits++
	}
	if digits > 1 && s[0] == '0' {
		return false, false
	}
	rest := s[digits:]
	if rest == "" {
		return true, digits > 0
	}
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
		if digits+n < 2 {
			return false, false
		}
		rest = rest[n:]
	} else if digits == 0 {
		return false, false
	}
	if rest == "" {
		return false, true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false, false
	}
	rest = strings.TrimLeft(rest[1:], "+-")
	if rest == "" || len(rest) > 3 {
		return false, false
	}
	for i := range len(rest) {
		if !isDigit(rest[i]) {
			return false, false
		}
	}
	return false, true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func readInteger(s string) (any, bool) {
	s = strings.TrimSpace(s)
	if whole, ok := plain(s); !ok || !whole {
		return nil, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// readNumber reads numbers of which some have a fraction. A whole one that is
// too long for 64 bits is an identifier.
func readNumber(s string) (any, bool) {
	s = strings.TrimSpace(s)
	whole, ok := plain(s)
	if !ok || whole && len(s) > 18 {
		return nil, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// grouped reads numbers whose thousands are separated by commas.
func grouped(read func(string) (any, bool)) func(string) (any, bool) {
	return func(s string) (any, bool) {
		s = strings.TrimSpace(s)
		if !strings.Contains(s, ",") {
			return read(s)
		}
		if !groups(s, ',') {
			return nil, false
		}
		return read(strings.ReplaceAll(s, ",", ""))
	}
}

// groups tells whether the whole part of s is digits in groups of three.
func groups(s string, separator byte) bool {
	decimal := "."
	if separator == '.' {
		decimal = ","
	}
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "-"), decimal)
	for i, part := range strings.Split(s, string(separator)) {
		if i == 0 && (len(part) == 0 || len(part) > 3) || i > 0 && len(part) != 3 {
			return false
		}
	}
	return true
}

// european reads 1.234,5.
func european(s string) (any, bool) {
	s = strings.TrimSpace(s)
	if strings.Count(s, ",") > 1 || strings.Contains(s, ".") && !groups(s, '.') {
		return nil, false
	}
	return readNumber(strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1))
}
