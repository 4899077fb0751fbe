package page

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/export"
	"service/store/dashboard/panel"
)

// TestFigures: each type of panel has a figure and a fixture, testdata/panels/<type>.txtar: a report with one panel of the type. The panel
// must be drawn, summarised, sketched, tabled and exported as in the file.
func TestFigures(t *testing.T) {
	t.Parallel()
	panelTypes := dashboard.PanelTypes()
	if diff := cmp.Diff(slices.Sorted(slices.Values(panelTypes)), slices.Sorted(maps.Keys(panel.Figures))); diff != "" {
		t.Errorf("types of panels, and figures (-types +figures):\n%s", diff)
	}
	files, err := filepath.Glob("testdata/panels/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if kind := strings.TrimSuffix(filepath.Base(name), ".txtar"); !slices.Contains(panelTypes, kind) {
			t.Errorf("%s: there is no such type", name)
		}
	}
	for _, kind := range panelTypes {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			testFigure(t, "panels", kind)
		})
	}
}

// TestFacetsOfFigures: each type that has small plots has a fixture of them, testdata/facets/<type>.txtar.
func TestFacetsOfFigures(t *testing.T) {
	t.Parallel()
	for _, kind := range dashboard.PanelTypes() {
		if !dashboard.HasFacet(kind) {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			testFigure(t, "facets", kind)
		})
	}
}

func testFigure(t *testing.T, folder, kind string) {
	name := filepath.Join("testdata", folder, kind+".txtar")
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	v := View{Header: Header{Workspace: "Acme", Slug: "panel", Name: "Panel", State: "static"}, Now: now}
	if v.Spec, v.Cubes, err = dashboard.ParseReport([]byte(want["report.json"])); err != nil {
		t.Fatal(err)
	}
	if len(v.Spec.Panels) != 1 || v.Spec.Panels[0].Type != kind {
		t.Fatalf("%s needs one panel of type %s", name, kind)
	}

	got := map[string]string{"report.json": want["report.json"]}
	s := Summaries(v)[0]
	if s.Problem != "" || s.Empty || s.Text == "" || s.Title == "" && kind != dashboard.Text {
		t.Errorf("summarised as %+v", s)
	}
	got["summary"] = s.Title + "\n" + s.Text + "\n"
	p := open(v).Panel(0)
	if p.Content == nil {
		t.Fatal("it has no content")
	}
	r := &canvas.Recorder{}
	p.Content.Draw(r)
	if r.Drawn == 0 || r.Depth != 0 || r.Most > len(html.Painter{}.Ends) {
		t.Errorf("drawn with %d calls, %d deep, of which %d were not ended", r.Drawn, r.Most, r.Depth)
	}
	got["drawn"] = r.String()
	safe(t, render(t, v))

	// Panels with a dataset show their numbers to readers who cannot see the figure.
	csv, err := CSV(v, 0)
	switch {
	case p.Data == nil && errors.Is(err, export.ErrNoPanel) && s.Sketch == "":
	case p.Data == nil:
		t.Errorf("a panel without a dataset has the CSV %s (%v) and the sketch %q", csv, err, s.Sketch)
	case err != nil:
		t.Errorf("no CSV: %v", err)
	case s.Sketch == "":
		t.Error("no sketch")
	case p.Behind != panel.CSVBehind && p.Behind != panel.NothingBehind && !strings.Contains(string(render(t, v)), "<summary>View as table"):
		t.Error("no table behind it")
	}
	if p.Data != nil {
		got["sketch"], got["table.csv"] = s.Sketch+"\n", string(csv)
	}

	if *update {
		out := &txtar.Archive{Comment: archive.Comment}
		for _, name := range []string{"report.json", "summary", "sketch", "table.csv", "drawn"} {
			if got[name] != "" {
				out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(got[name])})
			}
		}
		if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" && !*update {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
