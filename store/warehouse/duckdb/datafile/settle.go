package datafile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A settled column has a type and a way to read its cells.
type settled struct {
	kind    cube.Type
	read    func(text string) (any, bool) // of cells that are not null
	normal  func(string) (string, bool)   // of numbers: their plain form
	missing warehouse.BadCells            // words for "no value" and failed cells, read as null
	words   []string                      // those words
	failed  int                           // failed cells among them
	notes   []string
	comma   bool  // numbers with a decimal comma
	order   order // of dates
	unsure  bool  // the other order fits too
}

func (s *settled) value(c cell) any {
	if c.kind == null || c.kind == failed {
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
	kind   cube.Type
	what   string // the plural, for notes
	read   func(text string) (any, bool)
	normal func(string) (string, bool) // of numbers
	note   string
	comma  bool
	order  order
}

// settle finds the type of a column. Of two orders in which day and month may
// stand, the preferred one is tried first.
func (c column) settle(prefer order) *settled {
	seen := map[kind]bool{}
	blank := true
	c.each(func(_ int, v cell) bool {
		blank = false
		if v.kind != failed && (v.kind != word || !isMissing(v.text)) {
			seen[v.kind] = true
		}
		return true
	})
	switch {
	case blank:
		return c.text("it has no values")
	case seen[nested] && len(seen) == 1:
		return c.text("arrays and objects are kept as JSON text")
	case seen[nested], !c.loose && len(seen) > 1:
		return c.text("it has values of several types and is text")
	case len(seen) == 0:
		return c.text("")
	}
	readings := c.readings(seen, prefer)
	for _, r := range readings {
		s := r.try(c)
		if s == nil {
			continue
		}
		if c.loose && (s.kind == cube.Integer || s.kind == cube.Number) {
			if why := c.identifies(s.kind); why != "" {
				return c.text(why)
			}
		}
		c.finish(s, r)
		return s
	}
	if c.loose || seen[word] {
		s, why := c.amounts()
		if s == nil {
			s = c.yesOrNo()
		}
		if s != nil {
			c.finish(s, reading{})
			return s
		}
		if why != "" {
			return c.text(why)
		}
	}
	if why := c.digits(); why != "" {
		return c.text(why)
	}
	if (c.loose || seen[word]) && c.bothOrders() {
		return c.text("it is text: its dates have day and month in both orders")
	}
	for _, r := range readings {
		if note := r.nearly(c); note != "" {
			return c.text(note)
		}
	}
	return c.text("")
}

// readings are what a column with cells of these kinds may be.
func (c column) readings(seen map[kind]bool, prefer order) (out []reading) {
	if c.loose || seen[boolean] {
		out = append(out, reading{kind: cube.Boolean, what: "true or false", read: readBool})
	}
	if c.loose || seen[number] {
		out = append(out, numberReadings(c.comma && c.loose)...)
	}
	if c.loose || seen[word] || seen[moment] {
		dates := dateReadings()
		if prefer == dayFirst {
			slices.Reverse(dates[1:])
		}
		out = append(out, dates...)
	}
	return out
}

// text settles a column as text, with a note when there is one.
func (c column) text(note string) *settled {
	s := &settled{kind: cube.Text, read: readText}
	c.each(func(row int, v cell) bool {
		if v.kind == failed {
			s.miss(row, v)
		}
		return true
	})
	if note != "" {
		s.notes = []string{note}
	}
	c.finish(s, reading{})
	return s
}

// missing are words that stand for no value among numbers, dates and booleans.
var missing = map[string]bool{
	"na": true, "n/a": true, "n.a.": true, "n-a": true, "#n/a": true, "nan": true, "null": true, "none": true, "nil": true, `\n`: true,
	"-": true, "--": true, "–": true, "—": true, ".": true, "..": true, "...": true, "?": true, "missing": true, "empty": true, "(blank)": true,
	"#div/0!": true, "#value!": true, "#ref!": true, "#name?": true, "#num!": true, "#null!": true,
}

func isMissing(s string) bool {
	if len(s) > 40 {
		return false
	}
	return missing[strings.ToLower(strings.TrimSpace(s))]
}

// isMissing tells whether a cell stands for no value.
func (s *settled) isMissing(c cell) bool { return c.kind == failed || isMissing(c.text) }

// misses counts a cell that stands for no value.
func (s *settled) misses(row int, c cell) bool {
	if !s.isMissing(c) {
		return false
	}
	s.miss(row, c)
	return true
}

func (s *settled) miss(row int, c cell) {
	if s.missing.Count++; s.missing.Count == 1 {
		s.missing.FirstRow = row
	}
	if c.kind == failed {
		s.failed++
	} else if w := strings.TrimSpace(c.text); len(s.words) < 10 && !slices.Contains(s.words, w) {
		s.words = append(s.words, w)
	}
}

// try reads the whole column; nil when a value does not fit.
func (r reading) try(c column) *settled {
	s := &settled{kind: r.kind, read: r.read, normal: r.normal, comma: r.comma, order: r.order}
	some, ok := false, true
	c.each(func(row int, v cell) bool {
		if v.kind != failed {
			if _, fits := r.read(v.text); fits {
				some = true
				return true
			}
		}
		ok = s.misses(row, v)
		return ok
	})
	if !some || !ok {
		return nil
	}
	if r.note != "" {
		s.notes = []string{r.note}
	}
	return s
}

// finish notes what a reading changes in the values.
func (c column) finish(s *settled, r reading) {
	switch {
	case s.kind == cube.Timestamp:
		c.clocks(s)
		if r.order != clearly {
			s.unsure = dateReadings()[otherwise[r.order]].try(c) != nil
		}
	case s.kind == cube.Number:
		var lost places
		c.each(func(row int, v cell) bool {
			if len(v.text) > 15 {
				if d, ok := s.normal(v.text); ok {
					if f, ok := parseNumber(d); ok && rounded(d, f.(float64)) {
						lost.add(row)
					}
				}
			}
			return true
		})
		if lost.count > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s rounded to the 15 to 17 digits that a number keeps: %s",
				counted(lost.count, "value was", "values were"), lost.list("row")))
		}
	}
	if len(s.words) > 0 {
		list := make([]string, len(s.words))
		for i, w := range s.words {
			list[i] = "\"" + w + "\""
		}
		s.notes = append(s.notes, "read as no value: "+strings.Join(list, ", "))
	}
	if s.failed > 0 {
		s.notes = append(s.notes, counted(s.failed, "formula failed or was never calculated", "formulas failed or were never calculated")+", so there is no value")
	}
}

// nearly notes that almost all values would have fitted, and where the first is
// that does not.
func (r reading) nearly(c column) string {
	all := 0
	c.each(func(int, cell) bool { all++; return true })
	fit, misfit, first := 0, 0, 0
	c.each(func(row int, v cell) bool {
		if _, ok := r.read(v.text); ok {
			fit++
			return true
		}
		if first == 0 {
			first = row
		}
		misfit++
		return misfit*10 <= all
	})
	if fit*10 < all*9 {
		return ""
	}
	return fmt.Sprintf("it is text: %d of %d values are %s, the first that is not is in row %d", fit, all, r.what, first)
}

// digits tells why a column of digits is text; "" for all others.
func (c column) digits() string {
	zeros, long := false, false
	c.each(func(_ int, v cell) bool {
		s := strings.TrimPrefix(strings.TrimSpace(v.text), "-")
		if _, number := parseNumber(s); allDigits(s) {
			zeros = zeros || len(s) > 1 && s[0] == '0'
			long = long || !number
			return true
		} else if number || isMissing(s) {
			return true
		}
		zeros, long = false, false
		return false
	})
	switch {
	case zeros:
		return "it is text: some values begin with a zero, as codes do"
	case long:
		return "it is text: some whole numbers have more digits than a number keeps"
	}
	return ""
}

// bothOrders tells whether all values are dates, of which some can only be read
// with the month first and some only with the day first.
func (c column) bothOrders() bool {
	ok := true
	c.each(func(_ int, v cell) bool {
		if ok = isMissing(v.text); ok {
			return true
		}
		for _, r := range dateReadings()[1:] {
			_, fits := r.read(v.text)
			ok = ok || fits
		}
		return ok
	})
	return ok
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

// answers are pairs of words for true and false.
var answers = [][2]string{
	{"yes", "no"},
	{"y", "n"},
	{"t", "f"},
	{"ja", "nein"},
	{"j", "n"},
	{"ja", "nee"},
	{"ja", "nej"},
	{"oui", "non"},
	{"o", "n"},
	{"sí", "no"},
	{"si", "no"},
	{"sì", "no"},
	{"sim", "não"},
	{"tak", "nie"},
	{"wahr", "falsch"},
	{"vrai", "faux"},
	{"verdadero", "falso"},
	{"vero", "falso"},
}

// yesOrNo settles a column of which each value is one of a pair of answers. It
// is nil when there are others, or when one of the pair never occurs: a column
// of N alone may mean north.
func (c column) yesOrNo() *settled {
	for _, pair := range answers {
		read := func(s string) (any, bool) {
			switch s = strings.ToLower(strings.TrimSpace(s)); s {
			case pair[0], pair[1]:
				return s == pair[0], true
			}
			return nil, false
		}
		s := reading{kind: cube.Boolean, read: read, note: fmt.Sprintf("\"%s\" and \"%s\" read as true and false", pair[0], pair[1])}.try(c)
		if s == nil {
			continue
		}
		seen := map[any]bool{}
		c.each(func(_ int, v cell) bool { seen[s.value(v)] = true; return true })
		if seen[true] && seen[false] {
			return s
		}
	}
	return nil
}

// clocks notes what becomes of the times of a column of moments, and makes it
// one of dates when all of them are midnight.
func (c column) clocks(s *settled) {
	var bare, fine places
	zoned, local, midnight, all := 0, 0, true, 0
	moved := false
	c.each(func(row int, v cell) bool {
		t, ok := s.value(v).(time.Time)
		if !ok {
			return true
		}
		all++
		midnight = midnight && t.Equal(t.Truncate(24*time.Hour))
		k := clockOf(v.text)
		if k.zone == "" {
			bare.add(row)
		} else {
			zoned++
			moved = moved || k.moves()
			if k.midnight() {
				local++
			}
		}
		if t.Nanosecond()%1000 != 0 {
			fine.add(row)
		}
		return true
	})
	switch {
	case zoned > 0 && local == all && moved:
		read := s.read
		s.kind = cube.Date
		s.read = func(text string) (any, bool) {
			if !strings.Contains(text, ":") {
				return read(text)
			}
			k := clockOf(text)
			return read(strings.TrimSuffix(strings.TrimRight(text, " "), k.zone))
		}
		s.notes = append(s.notes, "all times are midnight of their zone, so they are read as dates")
	case midnight:
		s.kind = cube.Date
	case moved:
		s.notes = append(s.notes, "times with an offset are turned into UTC")
	}
	if s.kind == cube.Timestamp && zoned > 0 && bare.count > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s no offset, which is taken for UTC, the first in row %d",
			counted(bare.count, "value has", "values have"), bare.first[0]))
	}
	if fine.count > 0 {
		s.notes = append(s.notes, "seconds are cut to microseconds, the first in row "+fmt.Sprint(fine.first[0]))
	}
}
