package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestTonesOfTexts: thresholds of a table set the tones of a dimension's values, and of the rows that have them.
func TestTonesOfTexts(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, Thresholds: []dashboard.Threshold{
		{Column: "state", If: "=", By: "down", Tone: "bad", Row: true},
		{Column: "state", If: ">=", By: "up", Tone: "good"},
		{Column: "open", If: "=", By: "true", Tone: "warn"},
		{Column: "n", If: ">", By: "m", Tone: "info"},
	}}}, []string{"name text", "state text", "open boolean", "n number sum", "m number sum"},
		[]any{"API", "up", false, 1.0, 2.0}, []any{"Search", "down", true, 2.0, 3.0},
		[]any{"Login", "degraded", nil, 4.0, 3.0}, []any{"Mail", nil, nil, 0.0, 0.0})
	_, drawn := recorded(t, v, 0)
	text := drawn.String()
	for row, want := range map[string][]string{
		"API": {`"up" good`}, "Search": {`"down" `, " bad"}, "Login": {`"4" number info`},
	} {
		line := text[strings.Index(text, `"`+row+`"`):]
		line = line[:strings.Index(line, "\n")]
		for _, w := range want {
			if !strings.Contains(line, w) {
				t.Errorf("%s: %s, want %s", row, line, w)
			}
		}
	}
	doc := string(render(t, v))
	if n := strings.Count(doc, `<span class="pill`); n != 4 {
		t.Errorf("%d cells have a tone, want 4", n)
	}
}
