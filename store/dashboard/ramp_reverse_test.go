package dashboard

import (
	"strings"
	"testing"

	"service/store/dashboard/cube"
)

// A ramp from green to red has green for high values where more is good. A reverse on top of that is doubtful.
func TestReversedTwice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		good, ramp string
		want       bool
	}{
		{"up", `{"name": "green_red", "reverse": true}`, true},
		{"up", `{"name": "green_red"}`, false},
		{"down", `{"name": "green_red", "reverse": true}`, false},
		{"up", `{"name": "blue_red", "reverse": true}`, false},
	} {
		for at, panel := range map[string]string{
			"panels[0].ramp.reverse":            `{"type": "heatmap", "x": "a", "y": "b", "value": "n", "ramp": %}`,
			"panels[0].columns[1].ramp.reverse": `{"type": "table", "columns": ["a", {"column": "n", "heat": true, "ramp": %}]}`,
		} {
			s, err := Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT a, b, sum(n) AS n FROM t GROUP BY 1, 2", "columns": {"n": {"good": "` +
				tc.good + `"}}}], "panels": [` + strings.Replace(panel, "%", tc.ramp, 1) + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			columns := []cube.Column{{Name: "a", Type: cube.Text}, {Name: "b", Type: cube.Text}, {Name: "n", Type: cube.Integer}}
			warnings, err := s.Check(map[string][]cube.Column{"d": columns})
			if err != nil {
				t.Fatal(err)
			}
			has := false
			for _, w := range warnings {
				has = has || w.Code == WarnDoubtful && w.Path == at
			}
			if has != tc.want {
				t.Errorf("good %s, %s: %v", tc.good, tc.ramp, warnings)
			}
		}
	}
}
