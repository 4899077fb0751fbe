package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestTargetsOfLines: a target that is a number is a line across the plot, with the word for target in the page's language, also in small
// plots and beside references.
func TestTargetsOfLines(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 30 {
		rows = append(rows, []any{day("2026-05-01").AddDate(0, 0, i), string(rune('a' + i%2)), float64(i), float64(40 + i)})
	}
	of := tiny(nil, []string{"day date", "k text", "n number sum", "m number sum"}, rows...)
	for _, keys := range []string{
		`"type":"line","y":"n"`, `"type":"area","y":["n","m"],"stack":true`, `"type":"bar","y":"n"`, `"type":"combo","bars":"n","lines":"m"`,
		`"type":"line","y":"n","facet":"k"`, `"type":"line","y":"n","reference":[{"value":50,"label":"Grenze"}]`,
	} {
		s, err := dashboard.Parse([]byte(`{"locale":"de","datasets":[{"id":"d","sql":"SELECT day, k, n, m FROM t"}],` +
			`"panels":[{"x":"day","target":100,` + keys + `}]}`))
		if err != nil {
			t.Fatal(keys, err)
		}
		v := of
		v.Spec, v.Cubes = s, map[string]*cube.Cube{}
		for _, c := range of.Cubes {
			v.Cubes["d"] = c
		}
		drawn := record(open(v).Panel(0)).String()
		if !strings.Contains(drawn, `"Ziel 100"`) || strings.Contains(keys, "Grenze") != strings.Contains(drawn, "Grenze 50") {
			t.Errorf("%s: %s", keys, drawn)
		}
	}
}
