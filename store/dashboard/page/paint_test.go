package page

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"service/store/dashboard"
)

// A panel whose marks have one colour has that of its color, also next to a panel of the same measure.
func TestColorOfAPanel(t *testing.T) {
	t.Parallel()
	try := newKeyTrial(t)
	for _, kind := range []string{"line", "area", "bar", "scatter", "histogram", "box", "funnel", "kpi", "timeline"} {
		with, _ := try.with(kind, "color")
		plain, _, _ := try.view(with...)
		v, _, ok := try.view(append(with, `"color":"Purple"`)...)
		if !ok {
			t.Errorf("%s: a colour is refused", kind)
			continue
		}
		violet := regexp.MustCompile(`\bcolor 5\b|^item 5\b`)
		if before, after := violet.FindAllString(draws(plain), -1), violet.FindAllString(draws(v), -1); len(after) <= len(before) {
			t.Errorf("%s: %d marks are violet, and without color %d:\n%s", kind, len(after), len(before), draws(v))
		}
	}
}

// A colour that cannot be meant is refused with the form to write.
func TestColorProblems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ panel, want string }{
		{`"type": "line", "x": "day", "y": "n", "color": "#ff88"`, ``},
		{`"type": "line", "x": "day", "y": "n", "color": "#ff880"`, `color: "#ff880" is not a colour; names: blue, orange`},
		{`"type": "bar", "x": "name", "y": "n", "color": "rgb(1,2,3)"`, ``},
		{`"type": "bar", "x": "name", "y": "n", "color": "rgb(1,2)"`, `color: "rgb(1,2)" is not a colour`},
		{`"type": "line", "x": "day", "y": "n", "color": "part"`, `"part" is not a name of one; a dimension is named in series`},
		{`"type": "line", "x": "day", "y": "n", "color": "ornage"`, `did you mean "orange"?`},
		{
			`"type": "line", "x": "day", "y": ["n", "m"], "color": "red"`,
			`color: is one colour, and the panel draws 2 measures: at the top of the spec, write "columns": {"n": {"color": "red"}}`,
		},
		{
			`"type": "line", "x": "day", "y": "n", "series": "part", "color": "red"`,
			`has one for each value: at the top of the spec, write "columns": {"part": {"colors": {"a value": "red"}}}`,
		},
		{`"type": "bar", "x": "name", "y": "n", "color": "m"`, ``},
		{`"type": "bar", "x": "name", "y": "n", "color": "grey"`, ``},
		{`"type": "scatter", "x": "n", "y": "m", "color": "red"`, ``},
		{`"type": "treemap", "label": "name", "value": "n", "colors": {"ax": "gray"}`, `write "columns": {"plan": {"colors": {"Free": "gray"}}}`},
	} {
		_, err := dashboard.Parse([]byte(`{"datasets":[` + keyTrialData + `],"panels":[{` + tc.panel + `}]}`))
		if got := fmt.Sprint(err); (tc.want == "") != (err == nil) || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s, want %s", tc.panel, got, tc.want)
		}
	}
}

// Colours of values are those of the areas of a treemap and of the bars of each step of a sankey, and no warning is given.
func TestColorsOfNodes(t *testing.T) {
	t.Parallel()
	try := newKeyTrial(t)
	for panel, column := range map[string]string{
		`"type":"treemap","label":"name","value":"n"`: "name", `"type":"treemap","label":["part","name"],"value":"n"`: "part",
		`"type":"sankey","steps":["name","part"],"value":"n"`: "part", `"type":"sankey","from":"name","to":"part","value":"n"`: "part",
		`"type":"waterfall","label":"name","value":"n"`: "name",
	} {
		value := map[string]string{"name": "gx", "part": "ay"}[column]
		s, err := dashboard.Parse([]byte(`{"datasets":[` + keyTrialData + `],"columns":{"` + column + `":{"colors":{"` + value + `":"lime"}}},` +
			`"panels":[{` + panel + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := s.Check(try.columns)
		if text, _ := json.Marshal(warnings); err != nil || strings.Contains(string(text), "colors_unused") {
			t.Errorf("%s: %s %v", panel, text, err)
		}
		v := View{Spec: s, Cubes: try.cubes, Now: now, Header: Header{AsOf: now}}
		_, drawn := recorded(t, v, 0)
		if lime := fmt.Sprint("color ", len(dashboard.Palette)); !strings.Contains(drawn.String()+" ", lime) {
			t.Errorf("%s: nothing is lime:\n%s", panel, drawn)
		}
	}
}
