package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestSignsInWords: the sentence and the sketch of a table have the signs of its cells, and the name of its totals in the page's language.
func TestSignsInWords(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{
		Type: dashboard.Table, TotalRow: true, Total: []string{"Summe"},
		Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "change", Sign: true}},
	}}, []string{"name text", "change integer sum"}, []any{"a", int64(5)}, []any{"b", int64(-2)})
	v.Spec.Locale = "de-DE"
	says := Summaries(v)[0]
	for _, want := range []string{"change +5", "Summe change +3"} {
		if !strings.Contains(strings.ToLower(says.Text), strings.ToLower(want)) {
			t.Errorf("%q, want %q in it", says.Text, want)
		}
	}
	if !strings.Contains(says.Text, "Summe ") {
		t.Errorf("%q, want Summe as it is written", says.Text)
	}
	if !strings.Contains(says.Sketch, "+5") || !strings.Contains(says.Sketch, "+3") {
		t.Errorf("the sketch has no signs:\n%s", says.Sketch)
	}
}
