package dashboard

import (
	"slices"
	"strings"
	"testing"

	"service/store/suggest"
)

// TestRefusedTypes: types of other tools are refused with a type to use instead, which exists; no refused type exists.
func TestRefusedTypes(t *testing.T) {
	t.Parallel()
	refuse := func(name string) string {
		_, err := Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"}], "panels": [{"type": "` + name + `"}]}`))
		if err == nil {
			t.Fatalf("%s is not refused", name)
		}
		return err.Error()
	}
	for _, name := range []string{
		"network", "gauge", "radar", "word_cloud", "3d", "gantt", "bullet", "sunburst", "force-directed", "Violin", "waffle chart",
	} {
		want := `panels[0].type: "` + name + `" is not a type of panel: `
		if got := refuse(name); !strings.HasPrefix(got, want) || strings.Contains(got, "possible values") {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, want := range map[string]string{
		"gauge": `panels[0].type: "gauge" is not a type of panel: a kpi with "target" shows how much of a goal is reached, ` +
			`and its "thresholds" give it a tone; did you mean "kpi"?`,
		"gantt": `panels[0].type: "gantt" is not a type of panel: a timeline shows spans on rows: "label" names the rows, ` +
			`"start" and "end" are their times, and "series" colours them; did you mean "timeline"?`,
		"barrels": `"barrels" is not one of the possible values`,
	} {
		if got := refuse(name); !strings.Contains(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, want)
		}
	}
	seen := map[string]bool{}
	for _, r := range refusedTypes {
		if !slices.Contains(panelTypes, r.use) {
			t.Errorf("%s: there is no type %s to use", r.names[0], r.use)
		}
		for _, name := range r.names {
			switch {
			case seen[name]:
				t.Errorf("%s is there twice", name)
			case name != suggest.Plain(name):
				t.Errorf("%s is never found", name)
			case otherPanelTypes[name] != "" || slices.Contains(panelTypes, name):
				t.Errorf("%s is another name of a type", name)
			}
			seen[name] = true
		}
	}
}
