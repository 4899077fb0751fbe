package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestLongValuesOfTexts: a text has the whole of a sentence that the SQL writes. A warning reports a value that is cut.
func TestLongValuesOfTexts(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 200, 201, 1000, 1001, 3000} {
		value := strings.Repeat("é", n)
		v := tiny([]dashboard.Panel{{Type: dashboard.Text, Markdown: "It is {{d.said}}."}}, []string{"said text"}, []any{value})
		p := open(v).Panel(0)
		got, warned := p.Content.(*textPanel).text.Markup(), codes(v)
		if cut := !strings.Contains(got, value); cut != (n > 1000) {
			t.Errorf("%d characters: cut %t", n, cut)
		}
		if (warned == "left_out panels[0].markdown") != (n > 1000) {
			t.Errorf("%d characters: warnings %s", n, warned)
		}
	}
}

// TestFormatsOfTexts: a value in a text can have another format than its column, and a plus sign.
func TestFormatsOfTexts(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"n": "12,345,678", "n | compact": "12.3M", "n|currency_compact": "$12.3M", "n | sign": "+12,345,678", "n | compact, sign": "+12.3M",
		"n | sign compact": "+12.3M", "g": "4%", "g | percent1": "4.2%", "g | percent1, sign": "+4.2%", "g | sign": "+4%", "less | sign": "−3%",
		"none | sign": "0%", "day | month": "Nov 2026", "day": "Nov 19, 2026", "kind": "a", "odd|name": "7",
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Text, Markdown: "|x|y|\n|-|-|\n|It is|{{d." + field + "}}|"}},
			[]string{
				"n integer sum", "g number sum percent", "less number sum percent", "none number sum percent", "day date", "kind text",
				"odd|name integer sum",
			},
			[]any{int64(12345678), 0.042, -0.03, 0.0, day("2026-11-19"), "a", int64(7)})
		if got := open(v).Panel(0).Content.(*textPanel).text.Markup(); !strings.Contains(got, ">"+want+"<") {
			t.Errorf("{{d.%s}}: %s, want %s", field, got, want)
		}
	}
}
