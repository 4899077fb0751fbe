package page

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// manyGroups is a page of panels over n rows, nearly all of them in different groups.
func manyGroups(n int, panels ...dashboard.Panel) View {
	r := rand.New(rand.NewPCG(3, 5))
	b := cube.NewBuilder([]cube.Column{
		{Name: "a", Type: cube.Integer}, {Name: "b", Type: cube.Integer}, {Name: "c", Type: cube.Integer}, {Name: "v", Type: cube.Integer},
	})
	for range n {
		if err := b.Add([]any{int64(r.IntN(n / 2)), int64(r.IntN(n / 2)), int64(r.IntN(n / 2)), int64(r.IntN(1000))}); err != nil {
			panic(err)
		}
	}
	v := tiny(panels, nil)
	for _, name := range []string{"a", "b", "c"} {
		v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: name, Role: dashboard.Dimension})
	}
	v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: "v", Role: dashboard.Measure, Agg: dashboard.Sum})
	v.Cubes["d"] = b.Cube()
	return v
}

func times(n int, p dashboard.Panel) []dashboard.Panel {
	out := make([]dashboard.Panel, n)
	for i := range out {
		out[i] = p
	}
	return out
}

var manyGroupsPivot = dashboard.Panel{
	Type: dashboard.Pivot, Rows: []string{"a", "b"}, Columns: across("c"), Values: []string{"v"}, Sort: "-v",
}

// TestPageIsFull: a page computes panels until it is full, and reports that in place of the others: on the page, in summaries and in
// warnings. It keeps only that much in memory, which is measured while no other test runs.
func TestPageIsFull(t *testing.T) {
	const refused = "Not drawn: there is too much data on this page."
	for name, panel := range map[string]dashboard.Panel{
		"pivots":   manyGroupsPivot,
		"scatters": {Type: dashboard.Scatter, X: "v", Y: []string{"v"}},
		"tables":   {Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "a"}, {Column: "b"}, {Column: "v"}}},
	} {
		t.Run(name, func(t *testing.T) {
			v := manyGroups(dashboard.MaxRows, times(dashboard.MaxPanels, panel)...)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			p := open(v)
			p.workOut()
			runtime.GC()
			runtime.ReadMemStats(&after)
			if kept := int(after.HeapAlloc) - int(before.HeapAlloc); kept > 128<<20 {
				t.Errorf("a page keeps %d MiB", kept>>20)
			}
			drawn := 0
			for i, one := range p.panels {
				if one.Content != nil {
					drawn++
				}
				if full := one.Problem == refused; full == (one.Content != nil) || i > 0 && !full && p.panels[i-1].Problem != "" {
					t.Fatalf("panel %d: %q with content %v", i, one.Problem, one.Content != nil)
				}
			}
			if drawn < 2 || drawn > 20 {
				t.Errorf("%d panels are drawn", drawn)
			}
			if name == "pivots" { // as files, they have no more
				files, left, err := CSVs(t.Context(), v, 1<<30)
				if err != nil || len(files) != drawn || left != len(p.panels)-drawn {
					t.Errorf("%d files, %d left: %v; %d panels are drawn", len(files), left, err, drawn)
				}
			}
			runtime.KeepAlive(p)
			if n := strings.Count(string(render(t, v)), refused); n != len(p.panels)-drawn {
				t.Errorf("the page says it %d times, of %d panels that are not drawn", n, len(p.panels)-drawn)
			}
			summaries, warnings := Examine(v)
			if s := summaries[drawn]; s.Problem != refused || s.Text != "" || s.Title == "" || summaries[drawn-1].Problem != "" {
				t.Errorf("the summary is %+v", s)
			}
			at := fmt.Sprintf("panels[%d].type", drawn)
			found := 0
			for _, w := range warnings {
				if strings.HasPrefix(w.Path, at) && w.Code == dashboard.WarnCut {
					found++
				}
			}
			if found != 1 {
				t.Errorf("%d warnings for %s: %v", found, at, warnings)
			}
			if b, err := CSV(v, len(v.Spec.Panels)-1); err != nil || strings.Count(string(b), "\n") < 10 {
				t.Errorf("the CSV of the last panel alone: %v, %d bytes", err, len(b))
			}
		})
	}
}

// BenchmarkFullPage computes a page that exceeds the limit, as publishing does.
func BenchmarkFullPage(b *testing.B) {
	v := manyGroups(dashboard.MaxRows, times(dashboard.MaxPanels, manyGroupsPivot)...)
	b.ReportAllocs()
	for b.Loop() {
		Warnings(v)
	}
}

// TestLongTextsAreCut: a text of megabytes is cut to a length wherever it is shown, and is complete in files.
func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("&", 1<<20)
	one := []dashboard.Panel{
		{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name", Link: "https://example.com/{{name}}"}, {Column: "n"}}},
		{Type: dashboard.Pivot, Rows: []string{"name"}, Values: []string{"n"}},
		{Type: dashboard.Pivot, Rows: []string{"n"}, Columns: across("name"), Values: []string{"n"}},
		{Type: dashboard.Bar, X: "name", Y: []string{"n"}},
		{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Horizontal: true},
		{Type: dashboard.Line, X: "name", Y: []string{"n"}},
		{Type: dashboard.Line, X: "n", Y: []string{"n"}, Series: "name"},
		{Type: dashboard.Pie, Label: "name", Value: "n"},
		{Type: dashboard.Funnel, Label: "name", Value: "n"},
		{Type: dashboard.Scatter, X: "n", Y: []string{"n"}, Label: "name"},
		{Type: dashboard.Text, Markdown: "{{d.name}}"},
	}
	for _, panel := range one {
		v := tiny([]dashboard.Panel{panel}, []string{"name text", "n integer sum"}, []any{long, int64(1)}, []any{"short", int64(2)})
		v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
		doc := string(render(t, v))
		if n := strings.Count(doc, "&amp;"); n > 12*format.MaxText {
			t.Errorf("%s: %d letters are drawn", panel.Type, n)
		}
		if f := open(v).Filters[0]; len(f.Listed) != 1 || f.Listed[0].Value != "short" || f.More != 1 {
			t.Errorf("%s: the filter has %d options and %d more", panel.Type, len(f.Listed), f.More)
		}
		if panel.Type != dashboard.Table && panel.Type != dashboard.Bar {
			continue
		}
		if b, err := CSV(v, 0); err != nil || !strings.Contains(string(b), long) {
			t.Errorf("%s: the CSV has %d bytes, %v", panel.Type, len(b), err)
		}
	}
}

// TestPageEnds: the HTML of a page has a maximum size. Panels beyond it have their names, and the reason why they are not drawn.
func TestPageEnds(t *testing.T) {
	t.Parallel()
	const refused = "Not drawn: there is too much data on this page."
	var rows [][]any
	for i := range 1500 {
		rows = append(rows, []any{fmt.Sprint(i, strings.Repeat("&", format.MaxText-100)), int64(i)})
	}
	panels := times(4, dashboard.Panel{Type: dashboard.Table, Title: "Rows", PageSize: 1500})
	panels = append(panels, dashboard.Panel{Type: dashboard.KPI, Title: "Sum", Value: "n"})
	panels = append(panels, dashboard.Panel{Type: dashboard.Text, Markdown: "The end."})
	doc := string(render(t, tiny(panels, []string{"name text", "n integer sum"}, rows...)))
	if len(doc) > html.MaxDrawn+1<<20 || len(doc) < html.MaxDrawn/4 {
		t.Errorf("the page has %d bytes", len(doc))
	}
	if n := strings.Count(doc, refused); n < 2 || n > 4 || !strings.Contains(doc, "The end.") {
		t.Errorf("%d panels say that they are not drawn", n)
	}
	if last := doc[strings.LastIndex(doc, `id="p4"`):]; !strings.Contains(last, refused) {
		t.Errorf("the sum is drawn: %.300s", last)
	}
	if n := strings.Count(doc, "<table"); n != strings.Count(doc, "</table>") || n < 1 {
		t.Errorf("%d tables, of which %d end", n, strings.Count(doc, "</table>"))
	}
}
