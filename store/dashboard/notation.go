package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"service/store/suggest"
)

// Limits of a column's notation.
const (
	MaxDecimals = 6
	MaxUnit     = 12 // characters of a unit
)

// inBrackets is the notation of negative numbers in accounts: (1,234).
const inBrackets = "brackets"

// decimalFormats are the formats whose number of decimals can be set; compact ones, and bytes, have it after their division.
var decimalFormats = []string{"number", "compact", "percent", "currency", "currency_compact", "bytes"}

// SplitFormat returns a format of numbers without its number of decimals, and that number, or -1 if the format has none: "number2" is
// number with 2.
func SplitFormat(format string) (name string, decimals int) {
	format, _ = SplitCurrency(format)
	name = strings.TrimRight(format, "0123456789")
	if name == format { // an error of Atoi would cost more than all else here
		return format, -1
	}
	n, err := strconv.Atoi(format[len(name):])
	if err != nil {
		return format, -1
	}
	return name, n
}

// SplitCurrency returns a format without the currency of money from another spec, and that currency or "": "currency2@EUR" is currency2 in
// EUR. A spec cannot name such a format.
func SplitCurrency(format string) (plain, code string) {
	plain, code, _ = strings.Cut(format, "@")
	return plain, code
}

// format returns the format of the column with its decimals, and with its currency if that is from another spec.
func (m Meta) format() string {
	format := WithDecimals(m.Format, m.Decimals)
	if m.Currency != "" && strings.HasPrefix(format, "currency") {
		format += "@" + m.Currency
	}
	return format
}

// WithDecimals returns a format with a number of decimals, such as "percent3". Whole numbers, and numbers without a format, become
// "number"; if decimals is nil, the format is returned unchanged.
func WithDecimals(format string, decimals *int) string {
	if decimals == nil {
		return format
	}
	name, _ := SplitFormat(format)
	if name == "" || name == "integer" {
		name = "number"
	}
	return name + strconv.Itoa(*decimals)
}

// readDecimals reads the number of decimals of a format, which may be "".
func readDecimals(o *object, format string) *int {
	if !o.has("decimals") {
		return nil
	}
	problems := len(*o.problems)
	n := o.integer("decimals", 0, MaxDecimals, 0)
	name, digits := SplitFormat(format)
	switch {
	case digits >= 0:
		o.problems.addf(o.at("decimals"), `%s has %d; write "format": "%s" beside "decimals"`, quote(format), digits, name)
	case name == "integer":
		o.problems.addf(o.at("decimals"), `"integer" has none; write "format": "number" beside "decimals"`)
	case slices.Contains(dateFormats, name):
		o.problems.addf(o.at("decimals"), "is for numbers, and %s is a format of dates", quote(format))
	case name != "" && !slices.Contains(decimalFormats, name):
		o.problems.addf(o.at("decimals"), "%s has units in place of decimals; leave decimals out", quote(format))
	}
	if len(*o.problems) > problems {
		return nil
	}
	return &n
}

// readUnit reads the unit of a column: a short text on one line; "" for none.
func readUnit(o *object) string {
	unit := strings.TrimSpace(o.text("unit", MaxUnit))
	if strings.ContainsAny(unit, "\t\r\n") {
		o.problems.addf(o.at("unit"), "must be on one line")
		return ""
	}
	return unit
}

// Explanations of keys that are often tried.
const (
	prefixHint     = "a currency is a format, and unit is written after the number"
	unitHint       = `"unit" and "decimals" are set once per column, under "columns" of the dataset`
	hideColumnHint = `leave the column out of columns, or write "hidden": true under columns of the dataset, so that no panel shows it`
)

// notation checks the format, the decimals and the unit of a column at a path.
func (c *checker) notation(path string, col *Column, format string, decimals *int, unit string) {
	c.format(path+".format", col, format)
	numeric := isNumeric(*col)
	switch name, _ := SplitFormat(WithDecimals(col.Format, decimals)); {
	case decimals == nil || format != "" && !slices.Contains(numberFormats, format):
	case !numeric:
		c.problems.addf(path+".decimals", "is for numbers, and %s is of type %s", quote(col.Name), col.Type)
	case !slices.Contains(decimalFormats, name):
		c.problems.addf(path+".decimals", "%s has units in place of decimals; leave decimals out", quote(name))
	}
	if unit != "" && !numeric {
		c.problems.addf(path+".unit", "is for numbers, and %s is of type %s", quote(col.Name), col.Type)
	}
}

// noDecimals is the message for a format such as "number3", of which only some have a name.
func noDecimals(format string) string {
	name, n := SplitFormat(format)
	if n < 0 || n > MaxDecimals || !slices.Contains(decimalFormats, name) {
		return ""
	}
	return fmt.Sprintf(`%s has no name of its own; write "format": "%s", "decimals": %d`, quote(format), name, n)
}

// accounting explains the formats of other tools that have negative numbers in brackets.
const accounting = `%s is not a format: write "negative": "brackets" beside the "format" of the column, such as "currency"`

// scaleWords are formats of other tools that shorten numbers, as in [suggest.Plain].
var scaleWords = strings.Fields("thousand thousands k kilo million millions m mm mio billion billions b bn abbreviated abbreviate si scale")

// foreignFormat returns what to write in place of a format of other tools that the formats have in another form; "" for all other texts.
func foreignFormat(said string) string {
	plain := suggest.Plain(said)
	switch {
	case slices.Contains(formats, said), noDecimals(said) != "", otherName(said, otherFormats, formats) != "":
		return ""
	case slices.Contains(scaleWords, plain):
		return `is not a format; write "format": "compact", which writes 12345678 as 12.3M, or divide in the sql and write "unit": "K"`
	}
	if rest, ok := strings.CutPrefix(said, "+"); ok && slices.Contains(formats, rest) {
		return `has a plus sign; write "format": "` + rest + `", "sign": true`
	}
	if name, _ := patternFormat(said); name != "" {
		return "is a pattern; write " + formatMember(said)
	}
	return ""
}

// readFormat reads a format.
func readFormat(o *object) string {
	var said string
	if json.Unmarshal(o.values["format"], &said) == nil && strings.Contains(suggest.Plain(said), "account") {
		o.problems.addf(o.at("format"), accounting, quote(said))
		return ""
	}
	if why := foreignFormat(said); why != "" {
		o.problems.add(Problem{Path: o.at("format"), Message: quote(said) + " " + why, Allowed: formats})
		return ""
	}
	if raw, ok := o.values["format"]; ok && kindOf(raw) == "a string" {
		format, _ := o.problems.text(o.at("format"), raw, maxName)
		if message := noDecimals(format); message != "" && !slices.Contains(formats, format) {
			o.problems.addf(o.at("format"), "%s", message)
			return ""
		}
	}
	return o.enum("format", formats, otherFormats)
}
