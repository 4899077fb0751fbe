package panel

import (
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/encode"
	"service/store/dashboard/locale"
)

// limited returns the advice of a warning on values that the limit of the spec leaves out: without it, a dry run does not show that days of
// an axis of texts are missing. It is "" if sort names a measure to choose by, because such a ranking is wished. merges is for types with
// the key other. In the advice, %s is replaced by the word of the ranking.
func (p *Rows) limited(merges bool) string {
	by, _ := sortKey(p.Spec.Sort)
	if c := p.Data.Column(by); p.Spec.Limit == 0 || c != nil && c.Role == dashboard.Measure {
		return ""
	}
	advice := "limit keeps the %s ones; without it more are drawn, and sort chooses by a measure"
	if merges {
		advice = "limit keeps the %s ones; without it more are drawn, sort chooses by a measure, and other merges the rest"
	}
	return advice
}

// rankings are the words of the rankings of notes on values that are left out.
var rankings = map[locale.Key]string{
	encode.NotDrawn: "largest", "The %s smallest of %s values of %s; the rest is not drawn.": "smallest", encode.FirstDrawn: "first",
	encode.LastDrawn: "last",
}

// limitedTo returns a note on values of a column that limit leaves out, with the warning of [Rows.limited] if there is one.
func (p *Rows) limitedTo(note encode.Issue, drawn, all int, column string) encode.Issue {
	if advice := p.limited(false); advice != "" {
		return note.Cut("limit", drawn, all, column, strings.ReplaceAll(advice, "%s", rankings[note.Note]))
	}
	return note
}

// limitKey returns the key of a warning on values that limit leaves out, and "", which is that of the channel, if the page has fewer.
func limitKey(limit, most int) string {
	if limit > 0 && limit <= most {
		return "limit"
	}
	return ""
}
