package page

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/picture"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/export"
	"service/store/dashboard/panel"
	"service/store/dashboard/scene"
)

// A broken is a figure that panics at one of its steps.
type broken struct {
	panel.Content
	step string
}

const secretOfRows = "secret value 4711"

func (b *broken) Draw(c canvas.Canvas) {
	if b.step == "draw" { // in the middle of the drawing
		c.Picture(canvas.Picture{Kind: canvas.PlotPicture, Says: "half drawn", Height: 40})
		panic(secretOfRows)
	}
	if _, ok := c.(*text.Painter); ok && b.step == "sketch" {
		var vs []float64
		_ = vs[4711]
	}
	if w, ok := c.(*picture.Painter); ok && b.step == "write" {
		w.Add(noLetter(w.Mirror(w.X, 10), w.Y+5))
	}
	b.Content.Draw(c)
}

// noLetter is a text at which each writer of a scene panics.
func noLetter(x, y float64) *scene.Text {
	return &scene.Text{X: x, Y: y, Width: 10, Text: secretOfRows, Style: scene.Style{Face: 99, Size: 12}, Color: picture.Ink("ink")}
}

// brokenAt returns the figures of all pages, with one type replaced by a [broken] that panics at a step.
func brokenAt(kind, step string) map[string]panel.Figure {
	f := panel.Figures[kind]
	work := f.Summarise
	f.Summarise = func(p *panel.Panel) panel.Content {
		if step == "work out" {
			panic(fmt.Errorf("%s", secretOfRows))
		}
		out := work(p)
		if out == nil {
			return nil // it is empty
		}
		if step == "rows" && p.Grid != nil {
			rows := p.Grid.Rows
			p.Grid.Every = func(yield func([]any) bool) {
				yield(rows[0])
				panic(secretOfRows)
			}
		}
		return &broken{out, step}
	}
	return map[string]panel.Figure{kind: f}
}

// isDrawn reports whether a figure of a type is drawn.
func isDrawn(of []Summary, kind string) bool {
	return slices.ContainsFunc(of, func(s Summary) bool { return s.Type == kind && !s.Empty && s.Problem == "" })
}

// TestFaultsCostOnePanel: if a figure panics, only its own panel is lost, in every form of the page. The log has the place of the panic,
// without values of the rows.
func TestFaultsCostOnePanel(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const said = "This panel cannot be drawn because of a fault in the service. The rest of the page is not affected."
	for _, kind := range dashboard.PanelTypes() {
		for _, step := range []string{"work out", "draw", "sketch", "rows"} {
			t.Run(kind+" "+step, func(t *testing.T) {
				t.Parallel()
				var log bytes.Buffer
				v := zooView(ordinary()...)
				for i := range v.Spec.Panels {
					v.Spec.Panels[i].Title = fmt.Sprintf("Panel number %d", i)
				}
				at := slices.IndexFunc(v.Spec.Panels, func(p dashboard.Panel) bool { return p.Type == kind })
				others := len(v.Spec.Panels)
				for _, p := range v.Spec.Panels {
					others -= stat.One(p.Type == kind)
				}
				sound := zooView(ordinary()...)
				sound.Spec.Panels = v.Spec.Panels
				v.figures, v.Log = brokenAt(kind, step), slog.New(slog.NewTextHandler(&log, nil))
				needsData := dashboard.NeedsData(kind)

				doc := string(render(t, v))
				for i := range v.Spec.Panels {
					if title := fmt.Sprintf("Panel number %d", i); !strings.Contains(doc, title) && v.Spec.Panels[i].Type != kind {
						t.Errorf("the page lacks %s", title)
					}
				}
				whole, _ := Examine(sound)
				drawn := isDrawn(whole, kind)
				cannot := step == "work out" || drawn && step == "draw"
				if strings.Contains(doc, said) != cannot || strings.Contains(doc, "half drawn") {
					t.Errorf("the page says that it cannot be drawn: %v; half of a figure is left: %v",
						strings.Contains(doc, said), strings.Contains(doc, "half drawn"))
				}
				if step == "draw" {
					if _, err := PNG(ctx, v, Shot{Panel: at + 1, Scale: 0.5}); err != nil {
						t.Error(err)
					}
					if _, err := PDF(ctx, v); err != nil {
						t.Error(err)
					}
					if _, err := Thumbnail(ctx, v, false); err != nil {
						t.Error(err)
					}
				}
				summaries, _ := Examine(v)
				for i, s := range summaries {
					if v.Spec.Panels[i].Type == kind {
						if must := step == "work out" || step == "sketch" && whole[i].Sketch != ""; must && s.Problem != said {
							t.Errorf("panel %d: problem %q", i, s.Problem)
						}
					} else if s != whole[i] {
						t.Errorf("panel %d is %+v, and %+v beside sound ones", i, s, whole[i])
					}
				}
				digest := Digested(v)
				if n := len(digest.Numbers) + len(digest.Panels); n < others-3 { // texts, sections and empty panels have no words
					t.Errorf("the digest has %d of %d other panels", n, others)
				}
				files, _, err := CSVs(ctx, v, math.MaxInt)
				if err != nil {
					t.Fatal(err)
				}
				want, _, _ := CSVs(ctx, sound, math.MaxInt)
				for _, f := range want {
					i := slices.IndexFunc(files, func(o export.File) bool { return o.Panel == f.Panel })
					if v.Spec.Panels[f.Panel].Type == kind {
						if broke := step == "work out" || drawn && step == "rows"; broke == (i >= 0) {
							t.Errorf("panel %d has a CSV: %v", f.Panel, i >= 0)
						}
					} else if i < 0 || !bytes.Equal(files[i].Body, f.Body) {
						t.Errorf("the CSV of panel %d is not as it is beside sound ones", f.Panel)
					}
				}
				book, err := Workbook(ctx, v)
				if err != nil {
					t.Fatal(err)
				}
				read, err := excelize.OpenReader(bytes.NewReader(book))
				if err != nil {
					t.Fatal(err)
				}
				defer read.Close()
				for _, name := range read.GetSheetList() {
					if rows, err := read.GetRows(name); err != nil || len(rows) == 0 {
						t.Errorf("sheet %s: %d rows, %v", name, len(rows), err)
					}
				}
				if log.Len() == 0 && drawn && (needsData || step == "work out" || step == "draw") && (step != "sketch" || whole[at].Sketch != "") {
					t.Error("the log has nothing")
				}
				if text := log.String(); strings.Contains(text, "secret") || strings.Contains(text, "4711") {
					t.Errorf("the log has a value: %s", text)
				} else if text != "" && (!strings.Contains(text, "fault_test.go:") || !strings.Contains(text, "panel="+fmt.Sprint(at))) {
					t.Errorf("the log does not say where: %s", text)
				}
			})
		}
	}
}

// textsIn returns the texts of a scene.
func textsIn(w *pagePainter) string {
	var b strings.Builder
	for _, i := range w.Items {
		if text, ok := i.(*scene.Text); ok {
			b.WriteString(text.Text + " ")
		}
	}
	return b.String()
}

// TestFaultsOfWritersCostOnePanel: a panic while a picture or a document is written costs the panel of the item; at an item of no panel, it
// costs that item.
func TestFaultsOfWritersCostOnePanel(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const said = "fault in the service"
	for _, kind := range []string{dashboard.KPI, dashboard.Line, dashboard.Table, dashboard.Pivot, dashboard.Text, dashboard.Section} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			v := zooView(ordinary()...)
			for i := range v.Spec.Panels {
				v.Spec.Panels[i].Title = fmt.Sprintf("Panel%d.", i)
			}
			at := slices.IndexFunc(v.Spec.Panels, func(p dashboard.Panel) bool { return p.Type == kind })
			v.Spec.Panels = slices.Concat(v.Spec.Panels[at:at+1], v.Spec.Panels[:at], v.Spec.Panels[at+1:])
			v.figures, v.Log = brokenAt(kind, "write"), slog.New(slog.NewTextHandler(&log, nil))
			for _, paper := range []bool{false, true} {
				w, err := painterOf(v, Shot{})
				if err != nil {
					t.Fatal(err)
				}
				out, err := w.paint(func() error { return w.lay(ctx, Shot{}, paper) }, func() (*Picture, error) {
					if paper {
						return w.pdf(ctx, v.Header, false)
					}
					return w.png(ctx, Shot{Scale: 0.5})
				})
				if err != nil || len(out.Bytes) < 1000 {
					t.Fatalf("paper %v: %v", paper, err)
				}
				texts := textsIn(w)
				broken := 0
				for i, p := range v.Spec.Panels {
					broken += stat.One(p.Type == kind)
					if title := p.Title + " "; paper && !strings.Contains(texts, title) && p.Type != dashboard.Section {
						t.Errorf("there is no panel %d in %s", i, texts)
					}
				}
				if n := strings.Count(texts, said); paper && n != broken || n < 1 || strings.Contains(texts, "secret") {
					t.Errorf("paper %v: %d panels of %d say that they cannot be drawn", paper, n, broken)
				}
			}
			if _, err := PNG(ctx, v, Shot{Panel: 1, Scale: 0.5}); err != nil {
				t.Error(err)
			}
			if _, err := Thumbnail(ctx, v, false); err != nil {
				t.Error(err)
			}
			text := log.String()
			if strings.Contains(text, "secret") || !strings.Contains(text, "scene/font.go:") || !strings.Contains(text, "panel=") {
				t.Errorf("the log: %.500s", text)
			}
		})
	}
	t.Run("no panel", func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		v := zooView(ordinary()...)
		v.Log = slog.New(slog.NewTextHandler(&log, nil))
		w, err := painterOf(v, Shot{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.paint(func() error {
			err := w.lay(ctx, Shot{}, false)
			w.Items = append(w.Items, noLetter(10, 10), noLetter(10, 20))
			return err
		}, func() (*Picture, error) { return w.png(ctx, Shot{Scale: 0.5}) })
		if err != nil || strings.Contains(textsIn(w), said) || strings.Count(log.String(), "panicked") != 2 {
			t.Errorf("%v: %.500s", err, log.String())
		}
		_, err = w.paint(func() error { return nil }, func() (*Picture, error) { panic(secretOfRows) })
		if !errors.Is(err, errFault) || strings.Contains(log.String(), "secret") {
			t.Errorf("a writer that panics at no item: %v", err)
		}
	})
}

// TestRefusedPanelsAreNotDrawn: a panel that Parse or Check refuses is drawn nowhere, and its author reads the reason.
func TestRefusedPanelsAreNotDrawn(t *testing.T) {
	t.Parallel()
	for _, panel := range []string{
		`{"type": "pivot", "data": "d", "values": ["size"]}`,
		`{"type": "pivot", "data": "d", "rows": [], "values": ["size"]}`,
		`{"type": "pivot", "data": "d", "rows": "name"}`,
		`{"type": "bar", "data": "d", "x": "name"}`,
		`{"type": "line", "data": "d", "x": "day", "y": []}`,
		`{"type": "line", "data": "d", "x": "day", "y": "size", "facet": 7}`,
		`{"type": "combo", "data": "d", "x": "day", "bars": [], "lines": ["size"]}`,
		`{"type": "box", "data": "d", "low": "low", "q1": "low"}`,
		`{"type": "candlestick", "data": "days", "x": "day"}`,
		`{"type": "histogram", "data": "d", "value": "peak", "bins": [3]}`,
		`{"type": "histogram", "data": "d", "value": "peak", "bins": [3, 1]}`,
		`{"type": "histogram", "data": "d"}`,
		`{"type": "kpi", "data": "d"}`,
		`{"type": "kpi", "data": "d", "value": "name"}`,
		`{"type": "map", "data": "d", "lat": "low"}`,
		`{"type": "heatmap", "data": "d", "x": "day", "y": "name", "value": "name"}`,
		`{"type": "calendar", "data": "d", "x": "name", "value": "size"}`,
		`{"type": "scatter", "data": "d", "x": "size", "y": "nothing"}`,
		`{"type": "table", "data": "d", "columns": [{"bar": true}]}`,
		`{"type": "waterfall", "data": "d", "label": "name", "value": "mean"}`,
		`{"type": "funnel", "data": "d", "label": "name"}`,
		`{"type": "pie", "data": "d", "value": "size"}`,
		`{"type": "pie", "data": "d", "label": "size", "value": "size"}`,
		`{"type": "text"}`,
		`{"type": "section"}`,
		`{"type": "nothing", "data": "d"}`,
		`{"data": "d"}`,
		`7`,
	} {
		t.Run(panel, func(t *testing.T) {
			t.Parallel()
			c := chooser{rand.New(rand.NewPCG(1, 1))}
			s, parseErr := dashboard.Parse([]byte(`{"title": "T", "datasets": ` + randomDatasets + `, "panels": [` + panel +
				`, {"type": "kpi", "data": "d", "value": "size"}]}`))
			if s == nil {
				t.Fatal(parseErr)
			}
			if parseErr == nil && s.CheckColumns(randomSets) == nil {
				t.Fatal("the checks refuse nothing")
			}
			var log bytes.Buffer
			v := View{
				Spec: s, Now: now, Log: slog.New(slog.NewTextHandler(&log, nil)), Header: Header{Slug: "x", Name: "X", State: "succeeded"},
			}
			v.Cubes = map[string]*cube.Cube{"d": c.rows(t), "days": c.candles(t, randomSets["days"])}
			for v.Cubes["d"].Rows() == 0 {
				v.Cubes["d"] = c.rows(t)
			}
			summaries, _ := Examine(v)
			if s := summaries[0]; s.Problem == "" || s.Text != "" || s.Sketch != "" {
				t.Errorf("it is drawn: %+v", s)
			}
			if s := summaries[1]; s.Problem != "" {
				t.Errorf("the sound panel beside it says %s", s.Problem)
			}
			doc := render(t, v)
			if n := bytes.Count(doc, []byte("<figure>")); n != 0 {
				t.Errorf("%d figures are drawn", n)
			}
			if files, _, err := CSVs(context.Background(), v, math.MaxInt); err != nil || len(files) != 1 {
				t.Errorf("%d CSVs, %v", len(files), err)
			}
			if log.Len() > 0 {
				t.Errorf("it panicked: %s", log.String())
			}
		})
	}
}

// TestCellsOfCSVAreNoFormulas: no cell of a CSV is a formula, and a negative amount stays a number.
func TestCellsOfCSVAreNoFormulas(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, Data: "d"}}, []string{"name text", "n integer sum"},
		[]any{" =1+1", int64(-5)}, []any{"\u00a0@x", int64(7)})
	v.Spec.Datasets[0].Columns[0].Label = "\u200b+head"
	b, err := CSV(v, 0)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"'\u200b+head", "N"}, {"' =1+1", "-5"}, {"'\u00a0@x", "7"}}
	slices.SortFunc(records[1:], func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	slices.SortFunc(want[1:], func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	if fmt.Sprint(records) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", records, want)
	}
}
