package datafile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A candidate is a type that a column may have, and the way to read its cells.
type candidate struct {
	kind   cube.Type
	what   string                        // the plural, for notes
	read   func(text string) (any, bool) // a cell that is not null
	normal func(string) (string, bool)   // the plain form of a number
	note   string                        // the note in the report on such a column
	comma  bool                          // numbers have a decimal comma
	order  order                         // of day and month
}

// An inferred column has the first candidate that reads all of its cells.
type inferred struct {
	candidate
	missing warehouse.BadCells // cells that are read as null: words for "no value" and failed formulas
	words   []string           // the first of those words
	failed  int                // the failed formulas
	notes   []string
	unsure  bool   // the other order of day and month fits too
	amount  bool   // read by column.amounts
	unit    string // that numbers were written with, or ""
}

// value reads a cell. It returns nil for a cell that is null or counted in missing.
func (s *inferred) value(c cell) any {
	if c.kind == null || c.kind == failed {
		return nil
	}
	if v, ok := s.read(c.text); ok {
		return v
	}
	return nil
}

func readText(s string) (any, bool) { return s, true }

// inferType finds the type of a column. It tries the preferred order of day and
// month first.
func (c column) inferType(prefer order) *inferred {
	seen := map[kind]bool{}
	blank := true
	c.each(func(_ int, v cell) bool {
		blank = false
		if v.kind != failed && (v.kind != plainText || !isMissing(v.text)) {
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
	candidates := c.candidates(seen, prefer)
	for _, r := range candidates {
		s := r.try(c)
		switch {
		case s == nil:
			continue
		case c.loose && s.kind == cube.Number && c.holdsVersions():
			return c.text("it is text, because of its name: as numbers, versions 1.1 and 1.10 would be the same")
		}
		c.finish(s)
		return s
	}
	words := c.loose || seen[plainText]
	if words {
		s, why := c.amounts()
		if s == nil {
			s = c.yesOrNo()
		}
		switch {
		case s != nil:
			c.finish(s)
			return s
		case why == "":
			why = c.foreignAnswers()
		}
		switch {
		case why != "":
			return c.text(why)
		case c.trailingMinus():
			return c.text("it is text: a minus behind a number is not read; write it before the number")
		case c.hasUnits():
			return c.text("it is text: its numbers have something beside them; amounts may have one of " + currencyList + ", or %")
		}
	}
	if why := c.digits(); why != "" {
		return c.text(why)
	}
	if words {
		if why := c.times(); why != "" {
			return c.text(why)
		}
		if why := c.bothOrders(); why != "" {
			return c.text(why)
		}
		candidates = append(candidates, yesOrNoCandidates...)
	}
	for _, r := range candidates {
		if note := r.nearly(c); note != "" {
			return c.text(note)
		}
	}
	return c.text("")
}

// candidates are the types that a column with cells of these kinds may have.
func (c column) candidates(seen map[kind]bool, prefer order) (out []candidate) {
	if c.loose || seen[boolean] {
		out = append(out, candidate{kind: cube.Boolean, what: "true or false", read: readBool})
	}
	if c.loose || seen[number] {
		out = append(out, c.numberCandidates()...)
	}
	if c.loose || seen[plainText] || seen[dateTime] {
		dates := slices.Clone(dateCandidates)
		if prefer == dayFirst {
			slices.Reverse(dates[1:])
		}
		out = append(out, dates...)
	}
	return out
}

// text makes a column text, with a note unless that is empty.
func (c column) text(note string) *inferred {
	s := &inferred{candidate: candidate{kind: cube.Text, read: readText}}
	c.each(func(row int, v cell) bool {
		if v.kind == failed {
			s.miss(row, v)
		}
		return true
	})
	if note != "" {
		s.notes = []string{note}
	}
	c.finish(s)
	return s
}

// missing are words that mean "no value" among numbers, dates and booleans.
var missing = map[string]bool{
	"na": true, "n/a": true, "n.a.": true, "n-a": true, "#n/a": true, "nan": true, "null": true, "none": true, "nil": true, `\n`: true,
	"-": true, "--": true, "–": true, "—": true, ".": true, "..": true, "...": true, "?": true,
	"missing": true, "empty": true, "(blank)": true,
	"#div/0!": true, "#value!": true, "#ref!": true, "#name?": true, "#num!": true, "#null!": true,
}

func isMissing(s string) bool {
	if len(s) > 40 {
		return false
	}
	return missing[strings.ToLower(strings.TrimSpace(s))]
}

// isMissing reports whether a cell means "no value".
func (s *inferred) isMissing(c cell) bool { return c.kind == failed || isMissing(c.text) }

// misses counts a cell that means "no value". It returns false for all others.
func (s *inferred) misses(row int, c cell) bool {
	if !s.isMissing(c) {
		return false
	}
	s.miss(row, c)
	return true
}

func (s *inferred) miss(row int, c cell) {
	if s.missing.Count++; s.missing.Count == 1 {
		s.missing.FirstRow = row
	}
	if c.kind == failed {
		s.failed++
	} else if w := strings.TrimSpace(c.text); len(s.words) < 10 && !slices.Contains(s.words, w) {
		s.words = append(s.words, w)
	}
}

// try reads the whole column. It returns nil if a value does not fit.
func (r candidate) try(c column) *inferred {
	s := &inferred{candidate: r}
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

// finish notes how the values of a column differ from those in the file.
func (c column) finish(s *inferred) {
	switch s.kind {
	case cube.Timestamp:
		c.clocks(s)
		if s.order != unambiguous {
			s.unsure = dateCandidates[otherOrder[s.order]].try(c) != nil
		}
	case cube.Integer, cube.Number:
		c.days(s)
		var lost examples
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
		s.notes = append(s.notes, "read as no value: \""+strings.Join(s.words, `", "`)+"\"")
	}
	if s.failed > 0 {
		s.notes = append(s.notes, counted(s.failed, "formula failed or was", "formulas failed or were")+" never calculated, so there is no value")
	}
}

// mostly reports whether so many of all values fit that probably all were meant to fit.
func mostly(fit, all int) bool { return fit*4 >= all*3 && fit > 1 }

// nearly returns a note that most values fit, with the row of the first that does not. It returns "" if fewer fit.
func (r candidate) nearly(c column) string {
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
		return mostly(all-misfit, all)
	})
	if misfit == 0 || !mostly(fit, all) {
		return ""
	}
	return fmt.Sprintf("it is text: %d of %d values are %s, the first that is not is in row %d", fit, all, r.what, first)
}

// holdsVersions reports whether the name of a column suggests that it contains versions.
func (c column) holdsVersions() bool {
	words := strings.FieldsFunc(strings.ToLower(c.name()), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.Contains(words, "version")
}

// digits returns the reason why a column of digits is text. It returns "" for all other columns.
func (c column) digits() string {
	zeros, long, letter := false, false, false
	c.each(func(_ int, v cell) bool {
		s := strings.TrimPrefix(strings.TrimSpace(v.text), "-")
		if _, number := parseNumber(s); allDigits(s) {
			zeros = zeros || len(s) > 1 && s[0] == '0'
			long = long || !number
			return true
		} else if number || isMissing(v.text) {
			return true
		}
		if before, after, ok := strings.Cut(strings.ToUpper(s), "E"); ok && allDigits(before) && allDigits(after) {
			letter = true
			return true
		}
		zeros, long, letter = false, false, false
		return false
	})
	switch {
	case zeros:
		return "it is text: some values begin with a zero, as codes do"
	case letter:
		return "it is text: some values have an E between digits, as codes do"
	case long:
		return "it is text: some whole numbers have more digits than a number keeps"
	}
	return ""
}

// days notes that a column has durations.
func (c column) days(s *inferred) {
	c.each(func(_ int, v cell) bool {
		if v.kind != duration {
			return true
		}
		s.notes = append(s.notes, "durations are numbers of days; times 1440 they are the minutes that the format hours_minutes shows")
		return false
	})
}

// times returns the reason why a column of times without a date is text. It returns "" for all other columns.
func (c column) times() string {
	some, ok, long := false, true, false
	c.each(func(_ int, v cell) bool {
		if v.kind == failed || isMissing(v.text) {
			return true
		}
		hours, rest, _ := strings.Cut(strings.TrimSpace(v.text), ":")
		n, err := strconv.Atoi(hours)
		some, long = true, long || n >= 24
		_, minutes := timeOfDay("00:" + rest)
		ok = err == nil && n >= 0 && minutes
		return ok
	})
	switch {
	case !some || !ok:
		return ""
	case long:
		return "it is text: its times have no date, and those of a day or more are in hours, as in 30:00:00"
	}
	return "it is text: its times have no date"
}

// bothOrders returns the reason why a column of dates is text: some can only be read with the month first and some only with the day first.
// It returns "" for all other columns.
func (c column) bothOrders() string {
	all, fit, other := 0, 0, 0
	only := [2]int{} // the first row that fits only with the month first, and the first that fits only with the day first
	c.each(func(row int, v cell) bool {
		all++
		_, month := dateCandidates[1].read(v.text)
		_, day := dateCandidates[2].read(v.text)
		switch {
		case month || day:
			fit++
		case isMissing(v.text):
			all--
		case other == 0:
			other = row
		}
		if month && !day && only[0] == 0 {
			only[0] = row
		}
		if day && !month && only[1] == 0 {
			only[1] = row
		}
		return true
	})
	if only[0] == 0 || only[1] == 0 || !mostly(fit, all) {
		return ""
	}
	why := fmt.Sprintf("it is text: its dates have day and month in both orders, the month first in row %d and the day first in row %d",
		only[0], only[1])
	if other > 0 {
		why += fmt.Sprintf("; %d of %d values are dates, the first that is not is in row %d", fit, all, other)
	}
	return why
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

// answers are the pairs of words for true and false other than these two words: the English ones, and those that PostgreSQL exports.
var answers = [][2]string{{"yes", "no"}, {"y", "n"}, {"t", "f"}}

// yesOrNoCandidates read one pair of answers each.
var yesOrNoCandidates = func() (out []candidate) {
	for _, pair := range answers {
		out = append(out, candidate{
			kind: cube.Boolean,
			what: fmt.Sprintf("\"%s\" or \"%s\"", pair[0], pair[1]),
			note: fmt.Sprintf("\"%s\" and \"%s\" read as true and false", pair[0], pair[1]),
			read: func(s string) (any, bool) {
				s = strings.ToLower(strings.TrimSpace(s))
				return s == pair[0], s == pair[0] || s == pair[1]
			},
		})
	}
	return out
}()

// yesOrNo makes a column boolean when all its values are of one pair of answers. It returns nil if there are other values, and if one word
// of the pair never occurs: a column of only N may mean north.
func (c column) yesOrNo() *inferred {
	for _, r := range yesOrNoCandidates {
		s := r.try(c)
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

// foreign are pairs of words for true and false that stay text.
var foreign = [][2]string{
	{"on", "off"},
	{"wahr", "falsch"},
	{"vrai", "faux"},
	{"verdadero", "falso"},
	{"verdadeiro", "falso"},
	{"vero", "falso"},
	{"waar", "onwaar"},
	{"ja", "nein"},
	{"ja", "nee"},
	{"oui", "non"},
	{"sí", "no"},
	{"si", "no"},
	{"sì", "no"},
	{"sim", "não"},
	{"はい", "いいえ"},
	{"是", "否"},
	{"예", "아니요"},
	{"نعم", "لا"},
	{"да", "нет"},
}

// foreignAnswers returns the reason why a column of words for true and false is text. It returns "" for any other column.
func (c column) foreignAnswers() string {
	for _, pair := range foreign {
		var seen [2]bool
		ok := true
		c.each(func(_ int, v cell) bool {
			switch s := strings.ToLower(strings.TrimSpace(v.text)); {
			case s == pair[0]:
				seen[0] = true
			case s == pair[1]:
				seen[1] = true
			default:
				ok = v.kind == failed || isMissing(s)
			}
			return ok
		})
		if ok && seen[0] && seen[1] {
			return fmt.Sprintf("it is text: \"%s\" and \"%s\" are not read as true and false", pair[0], pair[1])
		}
	}
	return ""
}

// clocks notes how the times of a column of timestamps are changed. If all are midnight, it makes the column one of dates.
func (c column) clocks(s *inferred) {
	var bare, fine examples
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
		if zoned > 0 {
			s.notes = append(s.notes, "all times are midnight in UTC, so they are read as dates")
		}
	case zoned > 0:
		s.kind = cube.Instant
		if moved {
			s.notes = append(s.notes, "times with an offset are turned into UTC")
		}
	}
	if s.kind == cube.Instant && bare.count > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s no offset, which is taken for UTC, the first in row %d",
			counted(bare.count, "value has", "values have"), bare.first[0]))
	}
	if fine.count > 0 {
		s.notes = append(s.notes, fmt.Sprintf("seconds are cut to microseconds, the first in row %d", fine.first[0]))
	}
}
