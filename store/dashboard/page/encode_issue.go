package page

import (
	"fmt"

	"service/store/dashboard"
	"service/store/dashboard/locale"
)

// An Issue is what becomes of rows that people may not expect: the readers of a panel are told of it in a note, its author
// in a warning, or both.
type Issue struct {
	Note locale.Key // to readers; "" for none
	Args []any      // of the note: a string, an int that is written as a number, an [Inline], or a text as a [locale.Key]

	Code   string // of the warning, one of [dashboard.WarningCodes]; "" for none
	Key    string // of the panel: what it names changes what the warning says
	Advice string // the warning, in English

	count *int       // of a note about so many things
	one   locale.Key // the English form of such a note about one of them
}

// An Inline is a label as it is written inside of a sentence.
type Inline string

// noted is an issue of which readers are told.
func noted(note locale.Key, args ...any) Issue { return Issue{Note: note, Args: args} }

// notedCount is [noted] of n things: see [locale.Locale.Count].
func notedCount(n int, one, other locale.Key, args ...any) Issue {
	return Issue{Note: other, Args: args, count: &n, one: one}
}

// warned is an issue of which the author alone is warned.
func warned(code, key, format string, args ...any) Issue {
	return Issue{}.warned(code, key, format, args...)
}

// warned is the issue with a warning of its author.
func (i Issue) warned(code, key, format string, args ...any) Issue {
	i.Code, i.Key, i.Advice = code, key, fmt.Sprintf(format, args...)
	return i
}

// cut is the issue with a warning that of all values of a column so many are drawn, and what changes that. It is for what
// the page chose: what the spec says is no surprise.
func (i Issue) cut(code, key string, drawn, all int, column, advice string) Issue {
	rest := "are drawn"
	if code == dashboard.WarnMerged {
		rest += `, the rest as "Other"`
	}
	return i.warned(code, key, `%d of %d values of "%s" %s; %s.`, drawn, all, column, rest, advice)
}

const notDrawn locale.Key = "The %s largest of %s values of %s; the rest is not drawn."

// withoutTime is the issue of rows that lack the time at which they would be drawn.
func withoutTime(c *dashboard.Column) Issue {
	return noted("Rows without %s are left out.", Inline(c.Label)).
		warned(dashboard.WarnLeftOut, "x", `rows without "%s" are left out; the sql can give them a time, or leave them out too.`, c.Name)
}

// withoutValue is the issue of n rows that lack the number that the panel is about.
func withoutValue(n int, c *dashboard.Column) Issue {
	return notedCount(n, "%d row without a value is left out.", "%d rows without a value are left out.").
		warned(dashboard.WarnLeftOut, "value", `%d rows without "%s" are left out; the sql can leave them out, or COALESCE them.`, n, c.Name)
}

// notStacked is the issue of areas that are not stacked.
func notStacked() Issue {
	return noted("Not stacked, because some values are negative.").
		warned(dashboard.WarnKeyIgnored, "stack", "the areas are not stacked, because some values are below zero; a bar stacks such.")
}

// noShares is the issue of a stack whose shares are not drawn.
func noShares() Issue {
	return noted("No shares, because some values are negative.").
		warned(dashboard.WarnKeyIgnored, "stack", "the values themselves are drawn, because some are below zero, and have no share of a whole.")
}
