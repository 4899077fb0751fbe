package encode

import (
	"service/store/dashboard"
	"service/store/dashboard/locale"
)

// An Issue reports rows that are treated in a way that people may not expect: to the readers of a panel in a note, to its author in a
// warning, or both.
type Issue struct {
	Note locale.Key // to readers; "" for none
	Args []any      // of the note: a string, an int that is written as a number, an [Inline], or a text as a [locale.Key]

	Code   string // of the warning, one of [dashboard.WarningCodes]; "" for none
	Key    string // the key of the panel by which the author can change it
	Advice string // the warning, in English

	Count *int       // of a note on a number of things
	One   locale.Key // the English form of such a note for one thing
}

// An Inline is a label inside a sentence.
type Inline string

// Noted returns an issue with a note to readers.
func Noted(note locale.Key, args ...any) Issue { return Issue{Note: note, Args: args} }

// NotedCount is [Noted] of n things: see [locale.Locale.Count].
func NotedCount(n int, one, other locale.Key, args ...any) Issue {
	return Issue{Note: other, Args: args, Count: &n, One: one}
}

// Warned returns an issue with a warning for the author only.
func Warned(code, key, format string, args ...any) Issue {
	return Issue{}.Warned(code, key, format, args...)
}

// Warned returns the issue with a warning for its author.
func (i Issue) Warned(code, key, format string, args ...any) Issue {
	i.Code, i.Key, i.Advice = code, key, dashboard.Sentence(format, args...)
	return i
}

// Cut returns the issue with a warning that only some of all values of a column are drawn, and with advice.
func (i Issue) Cut(key string, drawn, all int, column, advice string) Issue {
	return i.Warned(dashboard.WarnCut, key, `%d of %d values of "%s" {is|are} drawn; %s.`, drawn, all, column, advice)
}

// Merged is [Issue.Cut] of values of which the rest is drawn together, by a name.
func (i Issue) Merged(key string, drawn, all int, column, rest, advice string) Issue {
	return i.Warned(dashboard.WarnMerged, key, `%d of %d values of "%s" {is|are} drawn, the rest as "%s"; %s.`,
		drawn, all, column, rest, advice)
}

// NotDrawn is the note on values that are not drawn: the number that is drawn, the number of all, and the column.
const NotDrawn locale.Key = "The %s largest of %s values of %s; the rest is not drawn."

// WithoutTime is the issue of rows that lack the time at which they would be drawn.
func WithoutTime(c *dashboard.Column) Issue {
	return Noted("Rows without %s are left out.", Inline(c.Label)).
		Warned(dashboard.WarnLeftOut, "x", `rows without "%s" are left out; the sql can give them a time, or leave them out too.`, c.Name)
}

// WithoutValue is the issue of n rows that lack the number that the panel shows.
func WithoutValue(n int, c *dashboard.Column) Issue {
	return NotedCount(n, "%d row without a value is left out.", "%d rows without a value are left out.").
		Warned(dashboard.WarnLeftOut, "value", `%d {row|rows} without "%s" {is|are} left out; the sql can leave {it|them} out, `+
			`or COALESCE {it|them}.`, n, c.Name)
}

// NotStacked is the issue of areas that are not stacked.
func NotStacked() Issue {
	return Noted("Not stacked, because some values are negative.").
		Warned(dashboard.WarnKeyIgnored, "stack", "the areas are not stacked, because some values are below zero; a bar stacks such.")
}

// NoShares is the issue of a stack whose shares are not drawn.
func NoShares() Issue {
	return Noted("No shares, because some values are negative.").
		Warned(dashboard.WarnKeyIgnored, "stack", "the values themselves are drawn, because some are below zero, and have no share of a whole.")
}
