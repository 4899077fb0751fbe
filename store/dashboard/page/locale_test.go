package page

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/geo"
)

// TestFixedTextsAreTranslated: in the pseudo-locale every fixed text is in brackets. Texts of the spec and the data have other letters
// here, so Latin letters outside of brackets are texts that were not translated.
func TestFixedTextsAreTranslated(t *testing.T) {
	t.Parallel()
	for name, v := range cases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			foreign(&v)
			for _, text := range wordsOf(t, render(t, v)) {
				t.Errorf("not from the catalogues: %q", text)
			}
		})
	}
	for name, draw := range map[string]func() ([]byte, error){
		"download": func() ([]byte, error) {
			return RenderDownload(otherLetters(framed().Header), "１.ｃｓｖ", "－", 1<<20)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := draw()
			if err != nil {
				t.Fatal(err)
			}
			if found := wordsOf(t, b); !slices.Contains(found, "Download") {
				t.Errorf("in English, texts outside of brackets are not found: %q", found)
			}
		})
	}
}

var (
	marked = regexp.MustCompile(`\[!![^\[\]]*!!\]|\[!![^\[\]\n]*…`) // or shortened
	latin  = regexp.MustCompile(`[A-Za-z]{2,}`)
	// Words of CLDR: months, weekdays, zones. Names of columns and datasets of the fixtures without a label. Names of file formats.
	written = regexp.MustCompile(`\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun|UTC|E[DS]T|CES?T|GMT)\b|` +
		`\bAED\b|Europe/Berlin|America/New_York|\b(Orders|Amount)\b|↓ (CSV|XLSX|PNG|PDF)`)
)

// wordsOf returns the visible texts of a page that are not in brackets.
func wordsOf(t *testing.T, page []byte) []string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder // a text can contain elements, so all texts are checked together
	look := func(s string) { all.WriteString(s + "\n") }
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && (n.Data == "style" || n.Data == "script") {
			return
		}
		if n.Type == html.TextNode {
			look(n.Data)
		}
		for _, a := range n.Attr {
			if slices.Contains([]string{"aria-label", "title", "placeholder", "alt", "data-stale"}, a.Key) {
				look(a.Val)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	rest := all.String()
	for before := ""; rest != before; {
		before, rest = rest, marked.ReplaceAllString(rest, "")
	}
	var out []string
	for _, g := range []*geo.Gazetteer{geo.Countries(), geo.States()} { // their names on maps
		for _, a := range g.Areas {
			rest = strings.ReplaceAll(rest, a.Name("en"), "")
		}
	}
	for line := range strings.Lines(written.ReplaceAllString(rest, "")) {
		if latin.MatchString(line) && !slices.Contains(out, strings.TrimSpace(line)) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// foreign replaces the letters of all texts of a view, and its locale by the pseudo-locale.
func foreign(v *View) {
	v.Header = otherLetters(v.Header)
	v.Colors = nil
	s := v.Spec
	s.Locale = "en-XA"
	disguise(&s.Title, &s.Description)
	for i := range s.Filters {
		f := &s.Filters[i]
		if f.Label == "" {
			f.Label = f.Column
		}
		disguise(&f.Label)
	}
	for i := range s.Panels {
		p := &s.Panels[i]
		disguise(&p.Title, &p.Subtitle, &p.Description, &p.Markdown)
		for j := range p.Columns {
			disguise(&p.Columns[j].Label)
		}
		for j := range p.Reference {
			disguise(&p.Reference[j].Label)
		}
	}
	for i := range s.Datasets {
		d := &s.Datasets[i]
		for j := range d.Columns {
			m := &d.Columns[j]
			if m.Label == "" {
				m.Label = m.Name
			}
			disguise(&m.Label)
		}
		if c := v.Cubes[d.ID]; c != nil {
			v.Cubes[d.ID] = foreignCube(d, c)
		}
	}
	for key, values := range v.Query {
		for i := range values {
			if strings.HasPrefix(key, "f.country") {
				disguise(&values[i])
			}
		}
	}
}

func foreignCube(d *dashboard.Dataset, c *cube.Cube) *cube.Cube {
	for _, col := range c.Columns() {
		if !slices.ContainsFunc(d.Columns, func(m dashboard.Meta) bool { return m.Name == col.Name }) {
			m := dashboard.Meta{Name: col.Name, Label: col.Name}
			disguise(&m.Label)
			d.Columns = append(d.Columns, m)
		}
	}
	b := cube.NewBuilder(c.Columns())
	for row := range c.Rows() {
		var values []any
		for i := range c.Columns() {
			value := c.Value(row, i)
			if s, ok := value.(string); ok {
				disguise(&s)
				value = s
			}
			values = append(values, value)
		}
		if err := b.Add(values); err != nil {
			panic(err)
		}
	}
	return b.Cube()
}

func otherLetters(h Header) Header {
	disguise(&h.Workspace, &h.Slug, &h.Name)
	errors := map[string]string{}
	for id, text := range h.Errors {
		disguise(&text)
		errors[id] = text
	}
	h.Errors = errors
	return h
}

// disguise replaces Latin letters by full-width ones, except in braces: these contain names of the spec.
func disguise(texts ...*string) {
	for _, s := range texts {
		inside := 0
		*s = strings.Map(func(r rune) rune {
			switch {
			case r == '{':
				inside++
			case r == '}':
				inside--
			case inside == 0 && ('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'):
				return r - '!' + '！'
			}
			return r
		}, *s)
	}
}
