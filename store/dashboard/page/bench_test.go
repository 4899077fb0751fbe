package page

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// BenchmarkMaps draws pages of one map: of all countries, of Europe and of 2,000 points.
func BenchmarkMaps(b *testing.B) {
	europe := worldMap()
	europe.Spec.Panels = []dashboard.Panel{{Type: dashboard.Map, Area: "country", Value: "v", Region: "europe"}}
	around := manyPoints()
	around.Spec.Panels = []dashboard.Panel{{Type: dashboard.Map, Lat: "v", Lon: "lat", Label: "name"}}
	for name, v := range map[string]View{"world": worldMap(), "europe": europe, "points": manyPoints(), "around": around} {
		b.Run(name, func(b *testing.B) {
			render(b, v)
			b.ReportAllocs()
			for b.Loop() {
				render(b, v)
			}
		})
	}
}

// BenchmarkPanels draws pages of one panel each.
func BenchmarkPanels(b *testing.B) {
	panels := append(commerce(10).Spec.Panels[3:],
		dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"revenue"}, Series: "channel"},
		dashboard.Panel{Type: dashboard.Area, X: "day", Y: []string{"revenue"}, Series: "channel", Stack: true},
		dashboard.Panel{Type: dashboard.Bar, X: "country", Y: []string{"orders"}, Series: "channel", Horizontal: true},
		dashboard.Panel{Type: dashboard.Scatter, X: "revenue", Y: []string{"orders"}, Series: "channel"},
		dashboard.Panel{Type: dashboard.Slope, Label: "country", X: "day", Grain: "month", Value: "revenue"},
		dashboard.Panel{Type: dashboard.Treemap, Levels: []string{"country", "channel"}, Value: "revenue"},
		dashboard.Panel{Type: dashboard.Sankey, Steps: []string{"country", "channel", "day"}, Value: "revenue"},
		dashboard.Panel{Type: dashboard.Timeline, Label: "country", Series: "channel", Start: "day", End: "day"},
		dashboard.Panel{Type: dashboard.Table},
		dashboard.Panel{Type: dashboard.Text, Markdown: "Total **{{orders.revenue}}** of {{orders.country}}."},
		dashboard.Panel{Type: dashboard.Section, Title: "Part"},
	)
	for i, p := range panels {
		v := commerce(4000)
		v.Spec.Panels = []dashboard.Panel{p}
		b.Run(fmt.Sprintf("%d-%s", i, p.Type), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				render(b, v)
			}
		})
	}
}

// BenchmarkFilters opens a page with twenty filters over columns of 200,000 distinct values each.
func BenchmarkFilters(b *testing.B) {
	v := manyValues(200_000)
	for b.Loop() {
		open(v)
	}
}

// manyValues is a page with twenty filters over columns of n distinct values each, half of them texts.
func manyValues(n int) View {
	var cols []cube.Column
	for i := range dashboard.MaxFilters {
		cols = append(cols, cube.Column{Name: fmt.Sprint("c", i), Type: []cube.Type{cube.Text, cube.Integer}[i%2]})
	}
	b := cube.NewBuilder(cols)
	row := make([]any, len(cols))
	for i := range n {
		for k := range row {
			if row[k] = any(int64(i * (k + 1))); k%2 == 0 {
				row[k] = fmt.Sprint("v", i)
			}
		}
		if err := b.Add(row); err != nil {
			panic(err)
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "c1"}}, nil)
	v.Cubes["d"] = b.Cube()
	for _, c := range cols {
		v.Spec.Filters = append(v.Spec.Filters, dashboard.Filter{Column: c.Name})
	}
	return v
}

// BenchmarkCharts draws the largest page of charts, sixty scatters of 2,000 points with names: as HTML, PNG and PDF.
func BenchmarkCharts(b *testing.B) {
	rows := cube.NewBuilder([]cube.Column{
		{Name: "name", Type: cube.Text}, {Name: "series", Type: cube.Text}, {Name: "x", Type: cube.Integer}, {Name: "y", Type: cube.Integer},
	})
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		if err := rows.Add([]any{fmt.Sprint("name ", i), fmt.Sprint("s", i%10), r.Int64N(1000), r.Int64N(1000)}); err != nil {
			b.Fatal(err)
		}
	}
	v := tiny(times(60, dashboard.Panel{Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Label: "name", Series: "series"}), nil)
	v.Cubes["d"] = rows.Cube()
	for name, draw := range map[string]func() error{
		"html": func() error { _, err := Render(b.Context(), v); return err },
		"png":  func() error { _, err := PNG(b.Context(), v, Shot{}); return err },
		"pdf":  func() error { _, err := PDF(b.Context(), v); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := draw(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
