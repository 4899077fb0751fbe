package page

import (
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/locale"
	"service/store/dashboard/panel"
)

// A Digest is the text of a page, in its own language, for mail.
type Digest struct {
	Locale  *locale.Locale
	Name    string
	AsOf    string        // when the data was read, in words
	Filters []string      // those that exclude something: "Country: DE"
	Ignored []string      // filters of the query that the page no longer has
	Numbers []Number      // its KPIs
	Notes   []string      // facts that a reader needs to read the numbers correctly
	Panels  []DigestPanel // the other panels that show something
	Failing bool          // the last refresh did not succeed
}

// A DigestPanel is the text of a panel.
type DigestPanel struct {
	Index int // in the spec, from 0
	Title string
	Lines []string
	Grid  bool // it has numbers that can be downloaded
}

// Digested returns the digest of a view. Its texts may quote values from a warehouse.
func Digested(v View) Digest {
	if v.Spec == nil {
		return Digest{Locale: locale.For("en"), Name: v.Header.Name}
	}
	left := ignored(v.Spec, v.Query) // reported once, and not at each panel
	v.Query = ParamsOf(v.Spec).Read(v.Query)
	p := open(v)
	p.workOut()
	out := Digest{Locale: p.Locale, Name: p.heading(), Ignored: left}
	out.Failing = !p.Header.FailingSince.IsZero() || p.Header.State == "failed" || p.Header.State == "partial"
	if at := p.Header.AsOf; !at.IsZero() {
		out.AsOf = p.Text("Data as of %s", momentText(at, p.Zone, p.Formatter))
	}
	for i := range p.Choices {
		out.Filters = append(out.Filters, p.Choices[i].Says())
	}
	for i := range p.Filters {
		if f := &p.Filters[i]; f.From != nil || !f.Date && !f.All {
			out.Filters = append(out.Filters, f.Name+": "+f.Says(p.Env))
		}
	}
	sources := func(s *dashboard.Source) {
		if s == nil {
			return
		}
		if text := panel.CreditOf(p.Locale, s); !slices.Contains(out.Notes, text) {
			out.Notes = append(out.Notes, text)
		}
	}
	sources(p.Spec.Source)
	var kpis []*panel.Panel
	for _, one := range p.panels {
		var numbers []Number
		var rows []string
		one.Guard("digest", func() {
			numbers = one.Numbers()
			if one.Spec.Type == dashboard.Table && one.Grid != nil && one.Problem == "" && one.Empty == "" {
				rows = firstRows(one)
			}
		})
		if len(numbers) > 0 {
			out.Numbers = append(out.Numbers, numbers...)
			kpis = append(kpis, one)
			sources(one.Spec.Source)
			continue
		}
		words := DigestPanel{Index: one.Index, Title: canvas.Clip(one.Title, 200), Grid: one.Grid != nil}
		switch {
		case one.Spec.Type == dashboard.Section:
			continue
		case one.Problem != "":
			words.Lines = append(words.Lines, one.Problem)
		case one.Empty != "":
			words.Lines = append(words.Lines, one.Empty)
		case one.Spec.Type == dashboard.Table && one.Grid != nil:
			words.Lines = append(words.Lines, rows...)
		case one.Summary != "":
			words.Lines = append(words.Lines, one.Summary)
		}
		words.Lines = append(words.Lines, one.Notes...)
		if one.Spec.Source != nil {
			words.Lines = append(words.Lines, panel.CreditOf(p.Locale, one.Spec.Source))
		}
		if len(words.Lines) > 0 {
			out.Panels = append(out.Panels, words)
		}
	}
	out.Notes = append(out.Notes, notesOf(kpis)...)
	return out
}

// notesOf returns the notes of the KPIs, each once. A note that only some of them have begins with their titles, because a mail has the
// notes of all numbers below these.
func notesOf(kpis []*panel.Panel) []string {
	var notes []string
	of := map[string][]string{} // titles by note
	for _, one := range kpis {
		for _, note := range one.Notes {
			if of[note] == nil {
				notes = append(notes, note)
			}
			of[note] = append(of[note], canvas.Clip(one.Title, 100))
		}
	}
	for i, note := range notes {
		if titles := of[note]; len(titles) < len(kpis) {
			notes[i] = strings.Join(titles, ", ") + ": " + note
		}
	}
	return notes
}

// digestRows is the number of rows of a table in a digest.
const digestRows = 5

// firstRows returns the first rows of a table as texts, and then the number of rows.
func firstRows(p *panel.Panel) []string {
	var out []string
	n := 0
	for row := range p.Grid.Each() {
		if n++; n > digestRows {
			continue
		}
		out = append(out, p.LineOf(row))
	}
	if left := n - digestRows; left > 0 {
		out = append(out, p.Env.Count(left, "and %d more", "and %d more"))
	}
	return out
}

// ignored returns the filters of a query that the page of a spec does not have.
func ignored(s *dashboard.Spec, query url.Values) []string {
	var out []string
	for name := range query {
		column, ok := strings.CutPrefix(name, "f.")
		if !ok {
			continue
		}
		if !slices.ContainsFunc(s.Filters, func(f dashboard.Filter) bool { return slices.Contains(panel.FilterParams(f.Column), name) }) {
			column = strings.TrimSuffix(strings.TrimSuffix(column, ".from"), ".to")
			out = append(out, dashboard.Label(column))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
