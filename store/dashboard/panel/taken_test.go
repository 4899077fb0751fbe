package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// TestNamesInsteadOfValues: rows without a value, empty texts and merged values have names that no value has, in all languages: on axes, in
// legends, in tables and in the lists of filters.
func TestNamesInsteadOfValues(t *testing.T) {
	t.Parallel()
	for _, language := range strings.Fields("en ar de es fr it ja ko nl pt zh") {
		text := func(s locale.Key) string { return locale.For(language).Text(s) }
		names := []any{
			nil, "", text("Not set"), "(" + text("Not set") + ") ", strings.ToUpper(text("Other")), text("All others"), text("(empty)"),
		}
		for i := range 20 {
			names = append(names, fmt.Sprintf("Name %02d", i))
		}
		var rows [][]any
		for i, name := range names {
			for d := range 2 {
				rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, d), name, int64(100 - i)})
			}
		}
		v := tiny([]dashboard.Panel{
			{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Limit: 8, Other: true},
			{Type: dashboard.Pie, Label: "name", Value: "n", Limit: 8, Other: true},
			{Type: dashboard.Area, X: "day", Y: []string{"n"}, Series: "name", Stack: true},
			{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}}},
		}, []string{"day date", "name text", "n integer sum"}, rows...)
		v.Spec.Locale = language
		v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
		p := open(v)
		col := *p.Data[0].Column("name")
		called := map[string]any{}
		for _, c := range append(names, cube.Category{Other: true}) {
			name := p.Cell(col, cube.Exact, c)
			folded := strings.ToLower(strings.TrimSpace(name))
			if before, twice := called[folded]; twice {
				t.Errorf("%s: %v and %v are both called %s", language, before, c, name)
			}
			called[folded] = c
		}
		for i, want := range []string{"bar", "pie", "area", "table"} {
			one := p.Panel(i)
			if one.Problem != "" {
				t.Fatalf("%s: %s: %s", language, want, one.Problem)
			}
			of := slices.IndexFunc(one.Grid.Columns, func(c Column) bool { return c.Name == "name" })
			if s, ok := one.Content.(*linePanel); ok {
				distinct(t, language+": legend", func(yield func(string) bool) {
					for _, se := range s.split.series {
						if !yield(se.name) {
							return
						}
					}
				})
				continue
			}
			distinct(t, language+": "+want, func(yield func(string) bool) {
				for _, row := range one.Grid.Rows {
					if !yield(one.words(of, row[of])) {
						return
					}
				}
			})
		}
	}
}

// distinct checks that all names read differently.
func distinct(t *testing.T, where string, names func(yield func(string) bool)) {
	t.Helper()
	seen := map[string]bool{}
	for name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		if seen[name] {
			t.Errorf("%s: two are called %s", where, name)
		}
		seen[name] = true
	}
	if len(seen) < 5 {
		t.Errorf("%s: only %d names", where, len(seen))
	}
}
