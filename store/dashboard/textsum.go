package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"service/store/dashboard/cube"
)

// Some types of warehouses add up and are texts here, because neither a float64 nor a format of ours represents them: amounts with their
// currency (money of PostgreSQL) and lengths of time (interval).

// castHint describes how to convert the values of such a type to numbers.
const castHint = "cast it in the sql to make it a measure: an amount of money with CAST(… AS numeric), " +
	"a length of time with extract(epoch FROM …), which is seconds"

// textSum reports whether the SQL adds up a column whose values are text, so that they are of such a type.
func (r *resolved) textSum(name string) bool {
	col := find(r.columns, name)
	f := r.function(name)
	return col != nil && col.Type == cube.Text && (f == "sum" || f == "avg")
}

// textAmount reports whether a text column where a measure is expected may be of such a type: the SQL adds it up or takes an extreme of it,
// or its values are written like that.
func (r *resolved) textAmount(name string) bool {
	col := find(r.columns, name)
	if col == nil || col.Type != cube.Text {
		return false
	}
	if r.rows == nil {
		return slices.Contains([]string{"sum", "avg", "min", "max", "median"}, r.function(name))
	}
	values := r.rows.Texts(name)
	return r.textSum(name) || len(values) > 0 && !slices.ContainsFunc(values, func(s string) bool { return !isMoney(s) && !isLength(s) })
}

// textSums warns of such columns of a dataset.
func (c *checker) textSums(set *resolved) {
	for _, col := range set.cols {
		if set.textSum(col.Name) {
			c.warnf(WarnDoubtful, set.at(col.Name), "%s is text, and a dimension, though the sql adds it up; %s.", quote(col.Name), castHint)
		}
	}
}

// WarnTextAmounts warns of text columns of the dataset number set (from 0) whose values are all amounts of money or lengths of time, in the
// forms in which warehouses write these types. It does not warn of their sums, which [Spec.Check] finds in the SQL.
func WarnTextAmounts(d *Dataset, set int, rows *cube.Cube) []Warning {
	var out []Warning
	cols := rows.Columns()
	outputs := matchOutputs(d.selectList(), cols)
	for i, col := range cols {
		if f := outputs[i].function; col.Type != cube.Text || f == "sum" || f == "avg" {
			continue
		}
		values := rows.Texts(col.Name)
		what := ""
		switch {
		case len(values) == 0:
		case !slices.ContainsFunc(values, func(s string) bool { return !isMoney(s) }):
			what = "an amount of money"
		case !slices.ContainsFunc(values, func(s string) bool { return !isLength(s) }) &&
			slices.ContainsFunc(values, func(s string) bool { return !isClock(s) }): // otherwise they are times of a day
			what = "a length of time"
		}
		if what != "" {
			out = append(out, Warnf(WarnDoubtful, fmt.Sprintf("datasets[%d].columns.%s", set, col.Name),
				"%s is text, and a dimension, though each of its values is %s; %s.", quote(col.Name), what, castHint))
		}
	}
	return out
}

// IsAmount reports whether a text is an amount of money or a length of time in the form in which warehouses write these types:
// "-$1,234.50", "-1 days +02:03:04".
func IsAmount(s string) bool { return isMoney(s) || isInterval(s) }

// isMoney reports whether a text consists of digits with one currency sign, with or without a minus.
func isMoney(s string) bool {
	signs, digits, minus := 0, 0, 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Sc, r):
			signs++
		case r >= '0' && r <= '9':
			digits++
		case r == '-' && digits == 0:
			minus++
		case r == '.' || r == ',' || r == '\'' || r == ' ' || r == '\u00a0' || r == '\u202f':
		default:
			return false
		}
	}
	return signs == 1 && digits > 0 && minus <= 1
}

// units are the words of intervals, in the styles of PostgreSQL and DuckDB.
var units = map[string]bool{
	"year": true, "years": true, "mon": true, "mons": true, "month": true, "months": true, "week": true, "weeks": true,
	"day": true, "days": true, "hour": true, "hours": true, "min": true, "mins": true, "minute": true, "minutes": true,
	"sec": true, "secs": true, "second": true, "seconds": true,
}

// isInterval reports whether a text consists of numbers with units, or hours, minutes and seconds with colons, or both in this order.
func isInterval(s string) bool {
	fields := strings.Split(s, " ")
	for len(fields) > 1 && isDecimal(unsigned(fields[0])) && units[fields[1]] {
		if fields = fields[2:]; len(fields) == 0 {
			return true
		}
	}
	if len(fields) != 1 {
		return false
	}
	parts := strings.Split(unsigned(fields[0]), ":")
	return len(parts) == 3 && len(parts[0]) > 1 && len(parts[1]) == 2 && isDecimal(parts[0]+parts[1]) && isDecimal(parts[2])
}

// otherUnits are further words and abbreviations of units of time, in small letters.
var otherUnits = map[string]bool{
	"decade": true, "decades": true, "century": true, "centuries": true, "quarter": true, "quarters": true, "yr": true, "yrs": true,
	"wk": true, "wks": true, "hr": true, "hrs": true, "ms": true, "millisecond": true, "milliseconds": true, "microsecond": true,
	"microseconds": true,
}

// isLength reports whether a text is a length of time: an interval, words and numbers in a similar form ("2 Weeks, 3 days", "@ 1 hour
// ago"),
// an ISO 8601 duration ("P1DT2H"), or days and a clock, with years and months or without ("3 04:05:06", "1-2 3 4:5:6").
func isLength(s string) bool { return isInterval(s) || isWordy(s) || isISODuration(s) || isStandard(s) }

// isWordy reports whether a text consists of numbers with units in any case, with commas or "and" between them.
func isWordy(s string) bool {
	fields := strings.Fields(strings.ReplaceAll(strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(s, "@ "), " ago")), ",", " "))
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == "and" })
	for i, f := range fields {
		if i%2 == 0 && !isDecimal(unsigned(f)) || i%2 == 1 && !units[f] && !otherUnits[f] {
			return false
		}
	}
	return len(fields) > 0 && len(fields)%2 == 0
}

// isISODuration reports whether a text is a duration of ISO 8601: at least one number with a unit, and T before those of a time.
func isISODuration(s string) bool {
	s, found := strings.CutPrefix(unsigned(s), "P")
	date, clock, timed := strings.Cut(s, "T")
	of := func(part, units string) bool {
		for part != "" {
			end := strings.IndexAny(part, units)
			if end < 0 || !isDecimal(unsigned(part[:end])) {
				return false
			}
			units = units[strings.IndexByte(units, part[end])+1:]
			part = part[end+1:]
		}
		return true
	}
	return found && date+clock != "" && timed == (clock != "") && of(date, "YMWD") && of(clock, "HMS")
}

// isStandard reports whether a text has the fields of an interval of the SQL standard, with a clock. Years and months alone ("1-2") may be
// anything else, such as a range.
func isStandard(s string) bool {
	fields := strings.Split(s, " ")
	clock := strings.Split(unsigned(fields[len(fields)-1]), ":")
	if len(fields) < 2 || len(clock) != 3 || !isDecimal(clock[0]+clock[1]) || !isDecimal(clock[2]) {
		return false
	}
	switch fields = fields[:len(fields)-1]; len(fields) {
	case 1:
		return isDecimal(unsigned(fields[0])) && !strings.Contains(fields[0], ".")
	case 2:
		years, months, both := strings.Cut(unsigned(fields[0]), "-")
		return both && isDecimal(years+months) && isDecimal(unsigned(fields[1]))
	}
	return false
}

// isClock reports whether an interval may also be a time of day.
func isClock(s string) bool {
	return len(s) >= 8 && s[2] == ':' && s[:2] < "24" && s[0] != '-' && s[0] != '+'
}

func unsigned(s string) string {
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		return s[1:]
	}
	return s
}

// isDecimal reports whether a text is digits, with or without a point between them.
func isDecimal(s string) bool {
	whole, part, point := strings.Cut(s, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return digits(whole) && (!point || digits(part))
}
