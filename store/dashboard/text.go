package dashboard

import (
	"net/url"
	"slices"
	"strings"

	"service/store/pattern"
)

// hole matches a placeholder in a text or a link.
var hole = pattern.New(`\{\{\s*([^{}\n]*?)\s*\}\}`)

// A field is a {{dataset.column}} in the Markdown of a text panel. One without
// a dot has no column.
type field struct{ dataset, column string }

// fields returns the fields in a text, each once, at most maxUses.
func fields(markdown string) []field {
	var out []field
	seen := map[field]bool{}
	for at := 0; len(out) < maxUses; {
		m := hole.FindStringSubmatchIndex(markdown[at:])
		if m == nil {
			break
		}
		dataset, column, _ := strings.Cut(markdown[at+m[2]:at+m[3]], ".")
		if f := (field{dataset, column}); !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
		at += m[1]
	}
	return out
}

// A Placeholder is the part of a field behind its dataset: a column and how its value is written, such as "growth | percent1, sign".
type Placeholder struct {
	Column string
	Format string // "" for that of the column
	Sign   bool   // a positive number has a plus sign
	other  string // a word that is neither a format nor "sign"; "" for none
}

// ReadPlaceholder reads the part of a field behind its dataset.
func ReadPlaceholder(text string) Placeholder {
	column, how, _ := strings.Cut(text, "|")
	out := Placeholder{Column: strings.TrimSpace(column)}
	for word := range strings.FieldsFuncSeq(how, func(r rune) bool { return r == '|' || r == ',' || r == ' ' }) {
		switch {
		case word == "sign":
			out.Sign = true
		case out.Format == "" && slices.Contains(formats, word):
			out.Format = word
		case out.other == "":
			out.other = word
		}
	}
	return out
}

// placeholder returns the column that a field shows, and how. A column whose own name has a bar is shown as it is.
func (r *resolved) placeholder(text string) Placeholder {
	if find(r.columns, text) != nil {
		return Placeholder{Column: text}
	}
	return ReadPlaceholder(text)
}

// checkLink returns the fault of the link of a table column or of a panel's marks, or "". A link is an https:// address, of which only path
// and query can depend on the row, or another dashboard, whose filters it may set, or entirely a value of the row.
func checkLink(link string) string {
	const want = `write an address that begins with https://, the slug of a dashboard with filters or without, ` +
		`or one {{column}} that holds such`
	for _, m := range hole.FindAllStringSubmatch(link, -1) {
		if m[1] == "" {
			return "has a placeholder without the name of a column; " + want
		}
	}
	if m := hole.FindString(link); m != "" && m == link {
		return ""
	}
	if _, problem, ok := ReadTarget(link); ok {
		return problem
	}
	if strings.ContainsAny(hole.ReplaceAllString(link, ""), " \t\r\n\\\"<>{}") {
		return "has a character that links cannot have; " + want
	}
	rest, ok := strings.CutPrefix(link, "https://")
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	switch {
	case !ok:
		return quote(link) + " is not a link; " + want
	case hole.MatchString(host):
		return "may depend on the row only in its path or query; " + want
	}
	u, err := url.Parse("https://" + host + hole.ReplaceAllString(tail, "x"))
	if err != nil || u.Hostname() == "" || u.User != nil {
		return quote(link) + " is not a link; " + want
	}
	return ""
}
