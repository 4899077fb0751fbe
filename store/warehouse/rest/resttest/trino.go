package resttest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A TrinoSQL reads SQL as it is sent to servers of Trino's dialect: arguments are literals, a described query is a subquery with a limit of
// no rows, and a query with instants is a subquery whose instants are converted.
type TrinoSQL[C any] struct {
	t        testing.TB
	recorded map[string]Recorded[C]
	column   func(c C) (name string, instant bool)
	forms    map[string]*regexp.Regexp // of the statements with parameters or a time zone
}

// literal matches the literals that may replace a parameter: "Data types" of Trino.
const literal = `(NULL|true|false|BIGINT '-?[0-9]+'|DOUBLE '[0-9.eE+-]+'|DATE '[0-9]{4}-[0-9]{2}-[0-9]{2}'|` +
	`TIMESTAMP '[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}(?:\.[0-9]{1,6})? UTC'|(?:U&)?'(?:[^'\x00-\x1f]|'')*')`

// NewTrinoSQL returns a reader of the recorded statements. column returns the name of a column, and whether it is one of instants. zoned is
// whether current_timezone() is sent as a literal.
func NewTrinoSQL[C any](t testing.TB, recorded map[string]Recorded[C], zoned bool, column func(c C) (string, bool)) TrinoSQL[C] {
	x := TrinoSQL[C]{t, recorded, column, map[string]*regexp.Regexp{}}
	for sql := range recorded {
		form := strings.ReplaceAll(regexp.QuoteMeta(sql), `\?`, literal)
		if zoned {
			form = strings.ReplaceAll(form, `current_timezone\(\)`, `'(?P<zone>[A-Za-z_/]+)'`)
		}
		if form != regexp.QuoteMeta(sql) {
			x.forms[sql] = regexp.MustCompile("^" + form + "$")
		}
	}
	return x
}

// A Sent is SQL that was read.
type Sent[C any] struct {
	Recorded[C]
	Params
	Known     bool
	Text      string // its own SQL, as it was sent
	Lines     int    // lines of the client before it
	Unset     bool   // a parameter has no value
	Described bool   // it has no rows
}

// wrapped matches a query whose instants are converted.
var wrapped = regexp.MustCompile(`(?s)^SELECT (c1.*)\nFROM \(\n(.*)\n\) AS t \((c1[c0-9, ]*)\)$`)

// Read reads SQL.
func (x TrinoSQL[C]) Read(sql string) (s Sent[C]) {
	s.Text, s.Zone = sql, "UTC"
	inner, described := strings.CutPrefix(sql, "SELECT * FROM (\n")
	if described {
		inner, s.Described = strings.CutSuffix(inner, "\n) LIMIT 0")
	}
	w := wrapped.FindStringSubmatch(sql)
	switch {
	case s.Described:
		s.Text, s.Lines = inner, 1
	case w != nil:
		s.Text, s.Lines = w[2], 2
	}
	s.Recorded, s.Known = x.recorded[s.Text]
	if s.Known && strings.Contains(s.Text, "?") && x.forms[s.Text] != nil {
		s.Unset = true
		return s
	}
	for text, form := range x.forms {
		if m := form.FindStringSubmatch(s.Text); m != nil {
			s.Recorded, s.Known, s.Args = x.recorded[text], true, nil
			for i, name := range form.SubexpNames() {
				switch {
				case i > 0 && name == "zone":
					s.Zone = m[i]
				case i > 0:
					s.Args = append(s.Args, value(m[i]))
				}
			}
		}
	}
	switch {
	case s.Described:
		s.Slow, s.Breaks, s.Rows, s.Bytes = false, Fault{}, Fixed[C](nil).Rows, 0
	case w != nil:
		s.Rows = x.inUTC(s.Recorded, w[1], w[3])
	}
	return s
}

// inUTC returns the rows of a wrapped statement, which must read each of its columns once, in order, and convert the instants alone.
func (x TrinoSQL[C]) inUTC(known Recorded[C], list, names string) func(p Params) (int, func(i int) []any) {
	var want, called []string
	for i, c := range known.Cols {
		as := "c" + strconv.Itoa(i+1)
		called = append(called, as)
		name, instant := x.column(c)
		if instant {
			as += " AT TIME ZONE 'UTC'"
		}
		want = append(want, as+` AS "`+name+`"`)
	}
	if list != strings.Join(want, ", ") || names != strings.Join(called, ", ") {
		x.t.Errorf("it reads %s of %s", list, names)
	}
	return func(p Params) (int, func(i int) []any) {
		n, row := known.Rows(p)
		return n, func(i int) []any {
			cells := slices.Clone(row(i))
			for i := range cells {
				if at, ok := cells[i].(time.Time); ok {
					cells[i] = at.UTC()
				}
			}
			return cells
		}
	}
}

// escape matches a character in U&'…'.
var escape = regexp.MustCompile(`\\([0-9a-f]{4}|\\)`)

// value reads a literal.
func value(text string) any {
	kind, quoted, _ := strings.Cut(text, "'")
	quoted = strings.ReplaceAll(strings.TrimSuffix(quoted, "'"), "''", "'")
	var v any
	var err error
	switch kind {
	case "NULL":
	case "true", "false":
		v = text == "true"
	case "BIGINT ":
		v, err = strconv.ParseInt(quoted, 10, 64)
	case "DOUBLE ":
		v, err = strconv.ParseFloat(quoted, 64)
	case "DATE ":
		v, err = time.Parse(time.DateOnly, quoted)
	case "TIMESTAMP ":
		v, err = time.Parse("2006-01-02 15:04:05.999999 UTC", quoted)
	case "U&":
		v = escape.ReplaceAllStringFunc(quoted, func(e string) string {
			if e == `\\` {
				return `\`
			}
			n, _ := strconv.ParseUint(e[1:], 16, 32)
			return string(rune(n))
		})
	case "":
		v = quoted
	}
	if err != nil {
		panic(err) // literal has matched
	}
	return v
}

// TrinoInstant writes an instant as servers of Trino write it: on the clock of its zone, with a number of digits after the second.
func TrinoInstant(at time.Time, digits int) string {
	layout := "2006-01-02 15:04:05"
	if digits > 0 {
		layout += "." + strings.Repeat("0", digits)
	}
	return at.Format(layout) + " " + at.Location().String()
}
