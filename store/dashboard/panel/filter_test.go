package panel

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// TestMostFrequent: of many values the chosen ones are offered, and then those with the most rows. Each value is visited at most twice,
// independent of their number.
func TestMostFrequent(t *testing.T) {
	t.Parallel()
	const many = 10_000
	var found []stored
	for i := range many {
		found = append(found, stored{cube.Category{Value: int64(i)}, (i * 7919) % 1000})
	}
	for _, picked := range [][]int64{nil, {3, 9_999}, make([]int64, 300)} {
		for i := range picked {
			if len(picked) == 300 {
				picked[i] = int64(i * 30)
			}
		}
		asked := 0
		got := mostFrequent(found, func(v any) bool {
			asked++
			return slices.Contains(picked, v.(int64))
		})
		want := slices.Clone(found)
		slices.SortStableFunc(want, func(a, b stored) int {
			x, y := slices.Contains(picked, a.Value.(int64)), slices.Contains(picked, b.Value.(int64))
			return cmp.Or(cmp.Compare(stat.One(y), stat.One(x)), cmp.Compare(b.rows, a.rows))
		})
		if want = want[:max(maxOptions, len(picked))]; !slices.Equal(got, want) {
			t.Errorf("%d chosen: %v, want %v", len(picked), got, want)
		}
		if asked > 2*many {
			t.Errorf("%d chosen: each of %d values is looked at %d times", len(picked), many, asked/many)
		}
	}
}

// TestPanelsNameFiltersThatTheyDoNotFollow: each panel of a dataset without the column of a chosen filter, or for which the filter is not,
// notes that it is not filtered by it, in every type of panel. Panels that follow the filter have no note, nor have those of filters that
// choose nothing.
func TestPanelsNameFiltersThatTheyDoNotFollow(t *testing.T) {
	t.Parallel()
	others := []dashboard.Panel{
		{Type: dashboard.KPI, Value: "w"},
		{Type: dashboard.Line, X: "at", Y: []string{"w"}},
		{Type: dashboard.Bar, X: "cat", Y: []string{"w"}},
		{Type: dashboard.Pie, Label: "cat", Value: "w"},
		{Type: dashboard.Table},
		{Type: dashboard.Bar, X: "at", Y: []string{"w"}, Facet: "cat"},
		{Type: dashboard.Pivot, Rows: []string{"cat"}, Values: []string{"w"}},
		{Type: dashboard.Heatmap, X: "at", Y: []string{"cat"}, Value: "w"},
	}
	for i := range others {
		others[i].Data = "e"
	}
	v := tiny(append([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Data: "d"}}, others...), []string{"name text", "n number sum"},
		[]any{"a", 3.0}, []any{"b", 4.0})
	e := tiny(nil, []string{"cat text", "at date", "w number sum"}, []any{"x", day("2026-01-01"), 9.0}, []any{"y", day("2026-01-02"), 1.0})
	set := e.Spec.Datasets[0]
	set.ID = "e"
	v.Spec.Datasets = append(v.Spec.Datasets, set)
	v.Cubes["e"] = e.Cubes[e.Spec.Datasets[0].ID]
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}, {Column: "cat", Data: []string{"d"}}}
	const note = "Not filtered by Name."
	for query, want := range map[string]bool{"": false, "f.name=a": true, "f.name=zzz": true} {
		v.Query, _ = url.ParseQuery(query)
		for i := range v.Spec.Panels {
			p := open(v).Panel(i)
			if got := strings.Contains(strings.Join(p.Notes, " "), note); got != (want && i > 0) && p.Content != nil {
				t.Errorf("%q, panel %d of type %s: %q", query, i, p.Spec.Type, p.Notes)
			}
			if text := summaries(v)[i].Text; i > 0 && want && !strings.Contains(text, note) {
				t.Errorf("%q, panel %d of type %s: the sentence is %q", query, i, p.Spec.Type, text)
			}
		}
	}
}

// TestAdviceOnCutLists: the warning of a filter that does not list all values names the column of the same rows whose values all fit, or
// how the SQL returns one.
func TestAdviceOnCutLists(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		columns []string
		filters []string
		want    string
	}{
		"another column": {
			[]string{"name text", "region text", "team text", "code text", "n integer sum"},
			[]string{"name"},
			`write {"column": "team"}, which has 20 values, or return a group of the values in the sql.`,
		},
		"one that has a filter": {
			[]string{"name text", "region text", "team text", "code text", "n integer sum"},
			[]string{"name", "team"},
			`write {"column": "region"}, which has 4 values, or return a group of the values in the sql.`,
		},
		"one that does not group the values": { // each name is in several teams
			[]string{"name text", "region text", "team text", "code text", "n integer sum"},
			[]string{"name"},
			"return a column with fewer values in the sql, such as a group of them, and name it in the filter.",
		},
		"none": {
			[]string{"name text", "region date", "team integer sum", "code text", "n integer sum"},
			[]string{"name"},
			"return a column with fewer values in the sql, such as a group of them, and name it in the filter.",
		},
	} {
		var rows [][]any
		for i := range 150 {
			row := []any{fmt.Sprint("n", i), fmt.Sprint("r", i%4), fmt.Sprint("t", i%20), fmt.Sprint("c", i), int64(i)}
			if name == "none" {
				row[1], row[2] = day("2026-11-01").AddDate(0, 0, i%4), int64(i%20)
			}
			if rows = append(rows, row); name == "one that does not group the values" {
				rows = append(rows, []any{row[0], "r9", "t9", row[3], int64(1)})
			}
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n"}}, tc.columns, rows...)
		for _, f := range tc.filters {
			v.Spec.Filters = append(v.Spec.Filters, dashboard.Filter{Column: f})
		}
		got := ""
		for _, w := range warnings(v) {
			got += w.Code + " " + w.Path + " " + w.Message + "\n"
		}
		want := `cut filters[0].column the 100 most frequent of 150 values of "name" are listed, and readers find the others by typing, ` +
			"so the filter can stay as it is; to list all, " + tc.want
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
