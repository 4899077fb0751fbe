package panel

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/format"
)

// TestShortLabelsDiffer: if the spec chooses a format that shortens numbers, labels of different values are different, by decimals of the
// same notation. A number of decimals that the spec chooses stays, and so does the format in a table.
func TestShortLabelsDiffer(t *testing.T) {
	t.Parallel()
	panels := map[string]dashboard.Panel{
		"bar":     {Type: dashboard.Bar, X: "name", Y: []string{"n"}, Labels: new(true), Width: 12},
		"list":    {Type: dashboard.Bar, X: "name", Y: []string{"n"}, Horizontal: true, Share: "none"},
		"beside":  {Type: dashboard.Bar, X: "name", Y: []string{"n", "m"}, Horizontal: true, Labels: new(true)},
		"stack":   {Type: dashboard.Bar, X: "name", Y: []string{"n"}, Series: "kind", Stack: true, Horizontal: true},
		"line":    {Type: dashboard.Line, X: "name", Y: []string{"n"}, Labels: new(true), Width: 12},
		"combo":   {Type: dashboard.Combo, X: "name", Bars: []string{"n"}, Lines: []string{"m"}, Labels: new(true), Width: 12},
		"pie":     {Type: dashboard.Pie, Label: "name", Value: "n"},
		"funnel":  {Type: dashboard.Funnel, Label: "name", Value: "n"},
		"fall":    {Type: dashboard.Waterfall, Label: "name", Value: "n", Labels: new(true), Width: 12},
		"heatmap": {Type: dashboard.Heatmap, X: "name", Y: []string{"kind"}, Value: "n", Labels: new(true), Width: 12},
		"treemap": {Type: dashboard.Treemap, Labels: new(true), Value: "n", Levels: []string{"name"}},
		"slope":   {Type: dashboard.Slope, X: "kind", Label: "name", Value: "n"},
	}
	text := regexp.MustCompile(`>([^<>]+)<`)
	number := regexp.MustCompile(`^[(−]?[$]?\d[\d.,]* ?(K|M|B|T|KB|MB|GB)?\)?( €)?$`)
	for _, tc := range []struct {
		format string
		values [4]float64
		want   []string
	}{
		{"compact", [4]float64{2612, 2634, 2651, 2700}, []string{"2.61K", "2.63K", "2.65K", "2.70K"}},
		{"currency_compact", [4]float64{5_000_100, 5_000_200, 5_000_300, 950}, []string{"$5.0001M", "$5.0002M", "$5.0003M", "$950"}},
		{"bytes", [4]float64{2_612_345, 2_612_346, 812, 3e9}, []string{"2.612345 MB", "2.612346 MB", "812 B", "3.000000 GB"}},
		{"compact", [4]float64{12.34, 12.31, 950, 2612}, []string{"12.34", "12.31", "950", "2.61K"}},
		{"compact", [4]float64{2600, 2700, 1e6, 12}, []string{"2.6K", "2.7K", "1.0M", "12"}},
		{"compact", [4]float64{2600, 2600, 2700, 2700}, []string{"2.6K", "2.7K"}},
		{"compact2", [4]float64{2612, 2613, 2634, 12}, []string{"2.61K", "2.63K", "12.00"}},
	} {
		for name, one := range panels {
			// Small areas and changes, and points near each other, have no labels.
			if slices.Contains([]string{"fall", "line", "treemap"}, name) && slices.Max(tc.values[:]) > 2*slices.Min(tc.values[:]) {
				continue
			}
			columns := []string{"name text", "kind text", "n number sum " + tc.format, "m number sum " + tc.format}
			var rows [][]any
			for i, v := range tc.values {
				kind := "x"
				if name == "slope" {
					rows = append(rows, []any{fmt.Sprint("name ", i), "y", tc.values[i], 1.0})
				}
				rows = append(rows, []any{fmt.Sprint("name ", i), kind, v, v})
			}
			v := tiny([]dashboard.Panel{one}, columns, rows...)
			found := map[string]bool{}
			for _, m := range text.FindAllStringSubmatch(string(render(t, v)), -1) {
				for _, part := range strings.Split(m[1], " · ") {
					if part = strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(part), format.NBSP, " "), "+"); number.MatchString(part) {
						found[part] = true
					}
				}
			}
			for _, label := range tc.want {
				if !found[label] {
					t.Errorf("%s of %s: no label %s, but %q", name, tc.format, label, slices.Sorted(maps.Keys(found)))
				}
			}
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}}}},
		[]string{"name text", "n integer sum compact"}, []any{"a", int64(2_000_100)}, []any{"b", int64(2_000_200)})
	if doc := string(render(t, v)); strings.Count(doc, ">2M<") != 2 {
		t.Error("a table does not keep the format of its column")
	}
}

// TestLonePartsAreLabelledOnce: a stack with one part has its value once, above it.
func TestLonePartsAreLabelledOnce(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "c", Y: []string{"n"}, Series: "k", Stack: true, Labels: new(true)}},
		[]string{"c text", "k text", "n integer sum"},
		[]any{"x", "a", int64(50)}, []any{"x", "b", int64(30)}, []any{"y", "a", int64(40)}, []any{"y", "b", int64(0)})
	_, drawn := recorded(t, v, 0)
	count := map[string]int{}
	for _, l := range drawn.Labels {
		if l.Look != canvas.AxisText {
			count[l.Text]++
		}
	}
	if want := map[string]int{"50": 1, "30": 1, "80": 1, "40": 1}; !maps.Equal(count, want) {
		t.Errorf("labels: %v", count)
	}
}
