package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/picture"
	"service/store/dashboard/locale"
	"service/store/dashboard/scene"
)

// sceneOf returns the scene of a page.
func sceneOf(t testing.TB, v View, shot Shot, paper bool) *pagePainter {
	t.Helper()
	w, err := painterOf(v, shot)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Letters.Free)
	if err := w.lay(context.Background(), shot, paper); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestEachFigureIsPainted: in a picture, each type of panel draws more than its title.
func TestEachFigureIsPainted(t *testing.T) {
	t.Parallel()
	for _, kind := range dashboard.PanelTypes() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(filepath.Join("testdata", "panels", kind+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			v := View{Header: Header{Workspace: "Acme", Slug: "panel", Name: "Panel", State: "static"}, Now: now}
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "report.json" })
			if v.Spec, v.Cubes, err = dashboard.ParseReport(archive.Files[i].Data); err != nil {
				t.Fatal(err)
			}
			w := newPagePainter(locale.For(""))
			defer w.Letters.Free()
			w.Width = pictureWidth
			p := open(v).Panel(0)
			w.X, w.Wide, w.Inside, w.Compact = 0, 900, 900, p.Small
			watched := &watcher{Painter: w.Painter, t: t}
			p.Content.Draw(watched)
			if watched.calls == 0 || len(w.Items) == 0 {
				t.Errorf("%d calls drew %d items", watched.calls, len(w.Items))
			}
			if len(w.Ends) > 0 || w.Mute != 0 || len(w.Plots) > 0 {
				t.Errorf("%d parts are not ended, %d of them hidden", len(w.Ends), w.Mute)
			}
			if w.Y < 20 {
				t.Errorf("it is %g pixels high", w.Y)
			}
		})
	}
}

// TestPicturesSayWhatIsWrong: a picture shows above the panels the failures of the last refresh and the firing alerts, and marks their
// panel.
func TestPicturesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	read := func(v View) string {
		var texts []string
		for _, item := range sceneOf(t, v, Shot{}, false).Items {
			if text, ok := item.(*scene.Text); ok {
				texts = append(texts, text.Text)
			}
		}
		return strings.Join(texts, "\n")
	}
	fires := read(firing(t))
	for what, times := range map[string]int{
		"Critical: Revenue below $1,000": 2, "Warning: Revenue <b>unusual</b>": 2, "Nobody is notified: it is muted.": 1,
		"<script>alert(1)</script>": 1, "and 3 more": 1,
	} {
		if got := strings.Count(fires, what); got != times {
			t.Errorf("%q is said %d times, want %d:\n%s", what, got, times, fires)
		}
	}
	fails := read(cases(t)["failing"])
	for _, what := range []string{"Failing since Nov 20, 2026, 04:30 UTC.", `column "amount" does not exist`, "Refresh failing"} {
		if !strings.Contains(fails, what) {
			t.Errorf("it does not say %q:\n%s", what, fails)
		}
	}
}

// A watcher is a painter of which each mark and block must be visible.
type watcher struct {
	*picture.Painter
	t     *testing.T
	calls int
}

func (w *watcher) seen(what string, draw func()) {
	w.t.Helper()
	w.calls++
	before := len(w.Items)
	draw()
	if len(w.Items) == before && w.Mute == 0 {
		w.t.Errorf("%s draws nothing", what)
	}
}

func (w *watcher) Section(title, text string) {
	w.seen("a section", func() { w.Painter.Section(title, text) })
}

func (w *watcher) Number(text, tone string) {
	w.seen("a number", func() { w.Painter.Number(text, tone) })
}
func (w *watcher) Delta(d canvas.Delta) { w.seen("a delta", func() { w.Painter.Delta(d) }) }
func (w *watcher) Ramp(r canvas.Ramp)   { w.seen("a ramp", func() { w.Painter.Ramp(r) }) }

func (w *watcher) AxisName(text string, a canvas.Side) {
	w.seen("a name of an axis", func() { w.Painter.AxisName(text, a) })
}

func (w *watcher) AxisNames(left string, of canvas.Side, right string) {
	w.seen("names of axes", func() { w.Painter.AxisNames(left, of, right) })
}
func (w *watcher) Table(t canvas.Table) { w.seen("a table", func() { w.Painter.Table(t) }) }
func (w *watcher) CrossTable(t canvas.CrossTable) {
	w.seen("a cross table", func() { w.Painter.CrossTable(t) })
}

func (w *watcher) RichText(t canvas.Formatted) { w.seen("a text", func() { w.Painter.RichText(t) }) }

func (w *watcher) Facet(name string)      { w.seen("a small plot", func() { w.Painter.Facet(name) }) }
func (w *watcher) Item(i canvas.Item)     { w.seen("an item", func() { w.Painter.Item(i) }) }
func (w *watcher) Line(l canvas.Line)     { w.seen("a line", func() { w.Painter.Line(l) }) }
func (w *watcher) Circle(c canvas.Circle) { w.seen("a circle", func() { w.Painter.Circle(c) }) }
func (w *watcher) Arc(a canvas.Arc)       { w.seen("an arc", func() { w.Painter.Arc(a) }) }
func (w *watcher) Curve(c canvas.Curve)   { w.seen("a curve", func() { w.Painter.Curve(c) }) }
func (w *watcher) Area(a canvas.Area)     { w.seen("an area", func() { w.Painter.Area(a) }) }
func (w *watcher) Label(l canvas.Label)   { w.seen("a label", func() { w.Painter.Label(l) }) }
func (w *watcher) Rect(r canvas.Rect) {
	if r.Width.Unit != canvas.Fraction || r.Width.V > 0 {
		w.seen("a rectangle", func() { w.Painter.Rect(r) })
	}
}

func (w *watcher) Shape(s canvas.Shape) {
	if len(s.Rings) > 0 {
		w.seen("a shape", func() { w.Painter.Shape(s) })
	}
}

// TestGoldenPictures compares pictures of pages with golden ones, which have one pixel for one of CSS.
func TestGoldenPictures(t *testing.T) {
	t.Parallel()
	all := cases(t)
	for _, name := range []string{"weather", "maps", "article", "candles", "negative"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := all[name]
			if name == "negative" { // of these, one panel of each type that the other pages lack
				v.Spec.Panels = slices.DeleteFunc(v.Spec.Panels, func(p dashboard.Panel) bool {
					return !slices.Contains([]string{
						dashboard.Combo, dashboard.Histogram, dashboard.Box, dashboard.Scatter, dashboard.Waterfall, dashboard.Funnel,
						dashboard.Calendar, dashboard.Pivot,
					}, p.Type)
				})
			}
			got, err := PNG(t.Context(), v, Shot{Scale: 1})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "pictures", name+".png")
			if *update {
				if err := os.WriteFile(file, got.Bytes, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if text := differ(t, want, got.Bytes); text != "" {
				kept := filepath.Join(t.ArtifactDir(), name+".png")
				if err := os.WriteFile(kept, got.Bytes, 0o644); err != nil {
					t.Fatal(err)
				}
				t.Errorf("%s; run with -artifacts to keep it, with -update to make it the golden one", text)
			}
		})
	}
}

// differ describes the difference of two pictures, or returns "": small differences in some pixels are allowed, since processors round in
// different ways.
func differ(t *testing.T, a, b []byte) string {
	t.Helper()
	var pictures [2]image.Image
	for i, file := range [][]byte{a, b} {
		p, _, err := image.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		pictures[i] = p
	}
	p, q := pictures[0], pictures[1]
	if p.Bounds() != q.Bounds() {
		return fmt.Sprintf("it was %v, and is %v", p.Bounds(), q.Bounds())
	}
	far, size := 0, p.Bounds().Size()
	first := image.Point{}
	for y := range size.Y {
		for x := range size.X {
			r1, g1, b1, _ := p.At(x, y).RGBA()
			r2, g2, b2, _ := q.At(x, y).RGBA()
			if d := max(r1, r2) - min(r1, r2) + max(g1, g2) - min(g1, g2) + max(b1, b2) - min(b1, b2); d > 60<<8 {
				if far == 0 {
					first = image.Pt(x, y)
				}
				far++
			}
		}
	}
	if far > size.X*size.Y/20000 {
		return fmt.Sprintf("%d of %d pixels differ, the first at %v", far, size.X*size.Y, first)
	}
	return ""
}

// TestDocumentsHaveTheTexts: the document of a page has its texts, as text.
func TestDocumentsHaveTheTexts(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no pdftotext: install poppler-utils")
		}
		t.Skip("there is no pdftotext: install poppler-utils")
	}
	views := cases(t)
	for name, want := range map[string][]string{
		"commerce": {
			"Commerce performance", "€596K", "Average order value", "Average €6.6K", "Week of Aug 17, 2026", "United Kingdom", "€59,893", "52.5%",
			"Times in UTC", "Northwind · Commerce performance", "1/3", "3/3",
		},
		"article":       {"They have $890.00 together, as of Mar 6, 2026.", "Who has the most", "Highest $301.25"},
		"german-panels": {"Gesamt", "Nicht alle Zeilen"},
		"names":         {"שלום עולם", "日本語のとても", "<b>&amp;</b>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := PDF(t.Context(), views[name])
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "page.pdf")
			if err := os.WriteFile(file, doc.Bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", file, "-").CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			text := strings.Join(strings.Fields(string(out)), " ")
			for _, s := range want {
				if strings.ContainsAny(s, doc.Missing) {
					continue // no font of this machine has it
				}
				if !strings.Contains(text, s) && !strings.Contains(text, reversed(s)) {
					t.Errorf("there is no %q in\n%s", s, out)
				}
			}
		})
	}
}

// reversed returns a text of a right-to-left script in its visual order.
func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// TestTextsOfPicturesDoNotOverlap: the texts of a page do not overlap, in any language.
func TestTextsOfPicturesDoNotOverlap(t *testing.T) {
	t.Parallel()
	views := cases(t)
	views["firing"] = firing(t)
	for _, lang := range languages {
		views["in "+lang] = inLanguage(lang, "EUR")
	}
	for name, v := range views {
		for _, width := range []int{0, MailWidth} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				t.Parallel()
				w := sceneOf(t, v, Shot{Width: width}, false)
				overlaps(t, w)
			})
		}
	}
}

// overlaps reports texts that overlap others or leave the page.
func overlaps(t *testing.T, w *pagePainter) {
	t.Helper()
	var texts []*scene.Text
	for _, item := range w.Items {
		if text, ok := item.(*scene.Text); ok && strings.TrimSpace(text.Text) != "" {
			texts = append(texts, text)
		}
	}
	slices.SortFunc(texts, func(a, b *scene.Text) int { return int(a.Box().Y - b.Box().Y) })
	reported := 0
	for i, a := range texts {
		box := a.Box()
		if box.X < -1 || box.X+box.W > w.Width+1 || box.Y < 0 || box.Y+box.H > w.Height {
			t.Errorf("%q leaves the page: %+v", a.Text, box)
		}
		for _, b := range texts[i+1:] {
			if b.Box().Y > box.Y+box.H+1 { // so are those after it
				break
			}
			if touch(a, b) {
				if reported++; reported < 6 {
					t.Errorf("%q overlaps %q: %+v, %+v", a.Text, b.Text, box, b.Box())
				}
			}
		}
	}
}

// touch reports whether two texts overlap by more than the space between letters and the edges of their rectangle.
func touch(a, b *scene.Text) bool {
	const slack = 0.8 // pixels
	p, q := a.Box().Inset(slack/2), b.Box().Inset(slack/2)
	return p.X < q.X+q.W && q.X < p.X+p.W && p.Y < q.Y+q.H && q.Y < p.Y+p.H
}

// TestPicturesAreTheSame: equal views return equal pictures, of at most 256 colours.
func TestPicturesAreTheSame(t *testing.T) {
	t.Parallel()
	draw := func() (png, pdf []byte) {
		v := weather(t)
		a, err := PNG(t.Context(), v, Shot{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := PDF(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		return a.Bytes, b.Bytes
	}
	png, pdf := draw()
	png2, pdf2 := draw()
	if !bytes.Equal(png, png2) {
		t.Error("two pictures of a page differ")
	}
	if !bytes.Equal(pdf, pdf2) {
		t.Error("two documents of a page differ")
	}
	p, _, err := image.Decode(bytes.NewReader(png))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.(*image.Paletted); !ok || p.Bounds().Dx() != 2400 {
		t.Errorf("a %T of %v", p, p.Bounds())
	}
	if len(png) > 250<<10 || len(pdf) > 300<<10 {
		t.Errorf("a picture of %d and a document of %d bytes", len(png), len(pdf))
	}
}

// TestTallPictures: a tall page has fewer pixels for one of the screen, so that a picture does not take much more memory and time than
// others.
func TestTallPictures(t *testing.T) {
	t.Parallel()
	v := weather(t)
	tall := *v.Spec
	tall.Panels = slices.Repeat(tall.Panels, 5)
	v.Spec = &tall
	p, err := PNG(t.Context(), v, Shot{})
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(p.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	css := float64(c.Height) / float64(c.Width) * pictureWidth
	if pixels := c.Width * c.Height; pixels > 16_100_000 || pixels < 15_900_000 || css < maxPicture-500 || css > maxPicture+1000 {
		t.Errorf("%d × %d pixels, of a page %.0f high", c.Width, c.Height, css)
	}
}

// TestPictureEnds: a drawing ends with its context, and a panel that does not exist is an error.
func TestPictureEnds(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := PNG(gone, weather(t), Shot{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a picture: %v", err)
	}
	if _, err := PDF(gone, weather(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("a document: %v", err)
	}
	for _, panel := range []int{-1, 11} {
		if _, err := PNG(t.Context(), weather(t), Shot{Panel: panel}); !errors.Is(err, ErrNoFigure) {
			t.Errorf("panel %d: %v", panel, err)
		}
	}
}

func BenchmarkPicture(b *testing.B) {
	v := commerce(4000)
	b.Run("png", func(b *testing.B) {
		for b.Loop() {
			p, err := PNG(b.Context(), v, Shot{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(p.Bytes))/1024, "KiB")
		}
	})
	b.Run("mail", func(b *testing.B) {
		for b.Loop() {
			p, err := PNG(b.Context(), v, Shot{Width: MailWidth})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(p.Bytes))/1024, "KiB")
		}
	})
	b.Run("pdf", func(b *testing.B) {
		for b.Loop() {
			p, err := PDF(b.Context(), v)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(p.Bytes))/1024, "KiB")
		}
	})
}

// TestPictureOfOnePanelIsOfItAlone: a picture of one panel computes that panel alone: on a page that is full, each panel is drawn as if it
// were the only one.
func TestPictureOfOnePanelIsOfItAlone(t *testing.T) {
	t.Parallel()
	panel := manyGroupsPivot
	panel.Width = 12
	alone, among := manyGroups(dashboard.MaxRows, panel), manyGroups(dashboard.MaxRows, times(dashboard.MaxPanels, panel)...)
	want, err := PNG(t.Context(), alone, Shot{Panel: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := PNG(t.Context(), among, Shot{Panel: dashboard.MaxPanels})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes, want.Bytes) {
		t.Error("the panels before it were worked out, so that there was no room for it")
	}
}
