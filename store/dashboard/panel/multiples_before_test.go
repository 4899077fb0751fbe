package panel

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestOnlyInTheEarlierPeriod: small plots with a comparison name the values of the facet that have rows only in the earlier period, because
// these have no plot. The data are of 20 November 2026.
func TestOnlyInTheEarlierPeriod(t *testing.T) {
	t.Parallel()
	columns := []string{"at date", "shop text", "n integer sum"}
	row := func(at string, shop any) []any { return []any{day(at), shop, int64(5)} }
	gone := [][]any{row("2026-09-03", "Ulm"), row("2026-09-04", "Metz"), row("2026-09-05", nil)}
	shown := [][]any{row("2026-08-30", "Bonn"), row("2026-09-01", "Lyon"), row("2026-10-01", "Lyon"), row("2026-10-02", "Nice")}
	rows := slices.Concat(shown, gone)
	const keys = `"facet": "shop", "compare": "previous_period"`
	for name, tc := range map[string]struct {
		panel, query string
		rows         [][]any
		want         string
	}{
		"a number":      {`"type": "kpi", "value": "n", ` + keys, "f.at=2026-10-01..2026-10-31", rows, "Metz, Ulm, Not set"},
		"a line":        {`"type": "line", "x": "at", "y": "n", ` + keys, "f.at=2026-10-01..2026-10-31", rows, "Metz, Ulm, Not set"},
		"bars":          {`"type": "bar", "x": "at", "y": "n", ` + keys, "f.at=2026-10-01..2026-10-31", rows, "Metz, Ulm, Not set"},
		"other filters": {`"type": "line", "x": "at", "y": "n", ` + keys, "f.at=2026-10-01..2026-10-31&f.shop=Lyon&f.shop=Ulm", rows, "Ulm"},
		"none":          {`"type": "line", "x": "at", "y": "n", ` + keys, "f.at=2026-10-01..2026-10-31", rows[:4], ""},
		"no period":     {`"type": "kpi", "value": "n", "grain": "month", ` + keys, "", rows, ""},
		"not compared":  {`"type": "line", "x": "at", "y": "n", "facet": "shop"`, "f.at=2026-10-01..2026-10-31", rows, ""},
		"not drawn only": {
			`"type": "line", "x": "at", "y": "n", ` + keys, "f.at=2026-10-01..2026-10-31", append(many(), rows...), "Metz, Ulm, Not set",
		},
	} {
		spec, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"}], "filters": [{"column": "at"}, {"column": "shop"}],
			"panels": [{` + tc.panel + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		v := tiny(spec.Panels, columns, tc.rows...)
		v.Spec.Filters = spec.Filters
		v.Query, _ = url.ParseQuery(tc.query)
		p := open(v).Panel(0)
		_, got, _ := strings.Cut(strings.Join(p.Notes, " "), "Only in the earlier period: ")
		got, _, _ = strings.Cut(got, ".")
		if got != tc.want {
			t.Errorf("%s: %q, want %q (%q %s)", name, got, tc.want, p.Notes, p.Problem)
		}
		if warned := strings.Contains(codes(v), "left_out panels[0].facet"); warned != (tc.want != "") {
			t.Errorf("%s: %s", name, codes(v))
		}
	}
}

// many returns rows of more values of a facet than have plots, in both periods.
func many() (rows [][]any) {
	for i := range maxFacets + 5 {
		for _, at := range [...]string{"2026-09-02", "2026-10-02"} {
			rows = append(rows, []any{day(at), fmt.Sprint("s", i), int64(100)})
		}
	}
	return rows
}
