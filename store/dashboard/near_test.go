package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/image/colornames"
)

// Each name and number of a colour means the colour that people call so.
func TestNearestColors(t *testing.T) {
	t.Parallel()
	for want, names := range map[string]string{
		"blue":   "blue Blue BLUE navy dark_blue DarkBlue royalblue #1f77b4 #00F steelblue slateblue #4269d0 rgb(31,119,180) hsl(220,80%,50%)",
		"orange": "orange amber #ff8800 darkorange coral #FF7F0E peach rgba(255,136,0,0.5) hsl(30deg,100%,50%)",
		"green":  "green teal darkgreen forestgreen #2ca02c emerald seagreen #0f0 hsl(-240,60%,40%)",
		"pink":   "pink hotpink magenta rose light-red deeppink #ff9da6 #e377c2",
		"violet": "violet purple indigo rebeccapurple #9467bd lavender lilac",
		"cyan":   "cyan aqua turquoise lightblue sky-blue #17becf petrol",
		"yellow": "yellow gold #ff0 khaki mustard olive",
		"brown":  "brown chocolate tan beige #8c564b saddlebrown copper",
		"red":    "red crimson dark_red #d62728 firebrick maroon tomato #f00f #ff0000ff",
		"lime":   "lime lightgreen greenyellow #9acd32",
		Gray:     "gray grey black white dark light silver #000 #FFF dimgray darkslategray charcoal #7f7f7f whitesmoke",
	} {
		for name := range strings.FieldsSeq(names) {
			if got, _ := colorNamed(name); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
	}
	for name := range colornames.Map {
		if got, _ := colorNamed(name); got == "" {
			t.Errorf("%s means no colour", name)
		}
	}
	for _, name := range []string{"", "#", "#12345", "#ggg", "rgb(1)", "rgb(a,b,c)", "hsl()", "revenue", "ornage", "rgb(1.2.3, 1, 1)"} {
		if got, _ := colorNamed(name); got != "" {
			t.Errorf("%q is %s", name, got)
		}
	}
}

// A colour that a page lacks is taken wherever colours are, with a warning; one that a page has under another case or spelling is taken
// without one.
func TestNearColorsAreReported(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ column, panel, want string }{
		{
			`"name": {"colors": {"x": "Navy", "y": "#ff8800", "z": "BLUE"}}`, `{"type": "bar", "x": "day", "y": "n", "series": "name"}`,
			`[colors_near] columns.name: "Navy" is drawn in blue, "#ff8800" is drawn in orange: each colour of a page has a shade`,
		},
		{`"n": {"color": "black"}`, `{"type": "line", "x": "day", "y": "n"}`, `[colors_near] columns.n: "black" is drawn in gray`},
		{`"n": {"color": "Purple"}`, `{"type": "line", "x": "day", "y": "n"}`, ``},
		{``, `{"type": "line", "x": "day", "y": "n", "color": "rgb(0, 0, 128)"}`, `[colors_near] panels[0].color: "rgb(0, 0, 128)" is drawn in`},
		{``, `{"type": "scatter", "x": "n", "y": "m", "color": "dark"}`, `[colors_near] panels[0].color: "dark" is drawn in gray`},
		{``, `{"type": "line", "x": "day", "y": "n", "color": "grey"}`, ``},
	} {
		raw := strings.Replace(string(rampSpec(tc.panel)), `{`, fmt.Sprintf(`{"columns": {%s}, `, tc.column), 1)
		s, err := Parse([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		warnings, err := s.Check(exampleColumns(s))
		found := false
		for _, w := range warnings {
			if w.Code == WarnColorsNear {
				found = true
				if tc.want == "" || !strings.HasPrefix(w.String(), tc.want) {
					t.Errorf("%s: %s, want %s", raw, w, tc.want)
				}
			}
		}
		if err != nil || found != (tc.want != "") {
			t.Errorf("%s: %v %v", raw, warnings, err)
		}
	}
}
