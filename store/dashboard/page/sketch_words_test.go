package page

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"service/store/dashboard"
	"service/store/dashboard/geo"
)

// otherLanguages are languages whose texts have no Latin letters, and the pseudo-locale, whose fixed texts are in brackets.
var otherLanguages = []string{"en-XA", "ar-EG", "ja-JP"}

var (
	// Words of translations and of the data of the tests. A cut text in brackets goes to the end of its line.
	continued  = regexp.MustCompile(`\n  (\S)`) // a sentence on several lines
	inBrackets = regexp.MustCompile(`\[!![^\[\]\n]*(!!\]|$)|\[!{0,2}…?$|\S*!!\]`)
	alsoLatin  = regexp.MustCompile(`(?i)\b(expected|pt|text|Natural Earth|census bureau|bureau|france|mon|tue|wed|launch|end|` +
		`UTC|CSV|SQL|Y2|day|name|part|until|[a-z][xy]|q[13]|e|census|https?:\S*|axis|kg|EUR|USD|AED|US|JP)\b`)
)

// TestSketchesAreTranslated: the text of a panel that a tool returns, its drawing and its summary, is in the language of the page: all
// that is not from the spec or the data.
func TestSketchesAreTranslated(t *testing.T) {
	t.Parallel()
	found := map[string]string{} // the places of English texts
	look := func(name string, v View) {
		for _, language := range otherLanguages {
			v.Spec.Locale = language
			for _, s := range Summaries(v) {
				for _, line := range strings.Split(continued.ReplaceAllString(s.Text+"\n"+s.Sketch, " $1"), "\n") {
					if rest := leftInEnglish(line, language); latin.MatchString(rest) {
						found[rest] = name + " in " + language + ", " + s.Type + ": " + line
					}
				}
			}
		}
	}
	for name, v := range cases(t) {
		foreign(&v)
		look(name, v)
	}
	for _, folder := range []string{"panels", "facets"} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatal(err, files)
		}
		for _, file := range files {
			v := reportOf(t, file)
			foreign(&v)
			look(file, v)
		}
	}
	try := newKeyTrial(t)
	for _, kind := range dashboard.PanelTypes() {
		for _, key := range try.keys {
			with, value := try.with(kind, key)
			for _, facet := range []string{"", `"facet":"part"`} {
				if v, _, ok := try.view(append(slices.Clone(with), `"`+key+`":`+value, facet)...); ok {
					v.Spec.Panels[0].Title, v.Spec.Panels[0].Subtitle, v.Spec.Panels[0].Description = "", "", ""
					look(key+" "+facet, v)
				}
			}
		}
	}
	for _, rest := range slices.Sorted(maps.Keys(found)) {
		t.Errorf("%q, of %s", strings.TrimSpace(rest), found[rest])
	}
}

// leftInEnglish returns a line without texts in brackets, names on maps, and words that are the same in every language.
func leftInEnglish(line, language string) string {
	if language == "en-XA" {
		for before := ""; line != before; {
			before, line = line, inBrackets.ReplaceAllString(line, "")
		}
		for _, a := range geo.Countries().Areas {
			line = strings.ReplaceAll(line, a.Name("en"), "")
		}
		line = written.ReplaceAllString(line, "")
	}
	for _, a := range geo.States().Areas { // which have no other names
		line = strings.ReplaceAll(line, a.Name("en"), "")
	}
	return alsoLatin.ReplaceAllString(line, "")
}

// reportOf returns the page of the report in a fixture.
func reportOf(t *testing.T, file string) View {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v := View{Header: Header{Workspace: "Acme", Slug: "panel", Name: "Panel", State: "static"}, Now: now}
	for _, f := range txtar.Parse(b).Files {
		if f.Name == "report.json" {
			if v.Spec, v.Cubes, err = dashboard.ParseReport(f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return v
}

// TestProblemsAreInEnglish: the author reads a problem in English, and a reader in the language of the page.
func TestProblemsAreInEnglish(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Pie, Label: "name", Value: "rate"}}, []string{"name text", "rate number avg"},
		[]any{"a", 1.0}, []any{"b", 2.0})
	v.Spec.Locale = "de-DE"
	want := `A pie shows parts of a whole, and "rate" does not add up to one.`
	if got := Summaries(v)[0].Problem; !strings.HasPrefix(got, want) {
		t.Errorf("for the author: %q, want %q", got, want)
	}
	if got := open(v).Panel(0).Problem; got == "" || strings.Contains(got, "parts of a whole") {
		t.Errorf("for a reader: %q", got)
	}
}
