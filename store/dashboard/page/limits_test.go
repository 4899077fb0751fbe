package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/export"
	"service/store/dashboard/format"
	"service/store/dashboard/markdown"
	"service/store/dashboard/scene"
	"service/store/growthtest"
)

// mostTime is the maximum processor time of one request.
const mostTime = 2 * time.Second

// sheetsOf returns the number of sheets of a document.
func sheetsOf(doc []byte) int { return bytes.Count(doc, []byte("<</Type /Page\n")) }

// TestDocumentsOfLongTextsEnd: a document of Markdown takes a limited time even with the maximum number of lines, and ends at a limit with
// a sheet that says so.
func TestDocumentsOfLongTextsEnd(t *testing.T) {
	many := func(unit string) []byte { return []byte(strings.Repeat(unit, (markdown.MaxPage-100)/len(unit))) }
	for name, text := range map[string][]byte{
		"paragraphs": many("a\n\n"), "rules": many("- - -\n"), "list": many("- a\n"), "code": append([]byte("```\n"), many("a\n")...),
		"quotes": many("> a\n\n"), "ideographs": many("語"), "Arabic": many("مرحبا "), "words": many("word "),
		"breaks": many("a\\\n"), "headings": many("# a\n"), "letters": many("l"),
	} {
		t.Run(name, func(t *testing.T) {
			if err := markdown.Check(text); err != nil {
				t.Fatal(err)
			}
			hd := Header{Name: strings.Repeat("A long name. ", 20), Workspace: "Acme", Slug: "doc"}
			var doc *Picture
			growthtest.Within(t, mostTime, func() {
				var err error
				if doc, err = MarkdownPDF(context.Background(), hd, text); err != nil {
					t.Fatal(err)
				}
			})
			n := sheetsOf(doc.Bytes)
			t.Logf("%d sheets, %d KB", n, len(doc.Bytes)>>10)
			if n < 1 || n > scene.MaxSheets+1 || len(doc.Bytes) > 32<<20 {
				t.Errorf("%d sheets of %d bytes", n, len(doc.Bytes))
			}
			long := slices.Contains([]string{"paragraphs", "list", "code", "quotes", "breaks", "headings"}, name)
			if ends := n == scene.MaxSheets+1; ends != long {
				t.Errorf("it ends after %d sheets", n)
			}
			growthtest.Within(t, mostTime, func() {
				if _, err := MarkdownPNG(context.Background(), hd, text, Shot{}); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// longOnce returns rows that all have the same long text, which is stored once.
func longOnce(t *testing.T, rows, length int, columns ...string) *cube.Cube {
	t.Helper()
	cols := make([]cube.Column, len(columns))
	row := make([]any, len(columns)+1)
	for i, name := range columns {
		cols[i], row[i] = cube.Column{Name: name, Type: cube.Text}, strings.Repeat("=&", length/2)
	}
	b := cube.NewBuilder(append(cols, cube.Column{Name: "n", Type: cube.Integer}))
	for i := range rows {
		row[len(columns)] = int64(i)
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if b.Bytes() > dashboard.MaxResultBytes {
		t.Fatalf("the rows take %d bytes", b.Bytes())
	}
	return b.Cube()
}

// TestFilesEnd: a CSV or a workbook of rows that repeat a long text ends at a limit, with an error, and takes no more memory or time until
// then than a file just within the limit.
func TestFilesEnd(t *testing.T) {
	v := tiny([]dashboard.Panel{{Type: dashboard.Table}}, nil)
	v.Cubes["d"] = longOnce(t, 2000, 100_000, "a", "b", "c")
	growthtest.Within(t, mostTime, func() {
		if b, err := CSV(v, 0); !errors.Is(err, export.ErrTooLarge) {
			t.Errorf("a CSV of %d bytes: %v", len(b), err)
		}
	})
	growthtest.Within(t, mostTime, func() {
		if b, err := XLSX(v, 0); !errors.Is(err, export.ErrTooLarge) {
			t.Errorf("a workbook of %d bytes: %v", len(b), err)
		}
	})
	for _, rows := range []int{1000, 100_000} { // within the limits it is complete, in one pass or two
		const length = 400
		v.Cubes["d"] = longOnce(t, rows, length, "a")
		b, err := CSV(v, 0)
		if want := rows * length; err != nil || len(b) < want || len(b) > want+want/20+1000 || bytes.Count(b, []byte("\n")) != rows+1 {
			t.Errorf("a CSV of %d bytes in %d lines: %v", len(b), bytes.Count(b, []byte("\n")), err)
		}
		if cap(b) > len(b)*5/4+8<<20 {
			t.Errorf("%d bytes take %d of memory", len(b), cap(b))
		}
	}
	files, left, err := CSVs(context.Background(), v, 10<<20)
	if len(files) != 0 || left != 1 || err != nil {
		t.Errorf("%d files, %d left: %v", len(files), left, err)
	}
}

// TestFilesOfFacetsEnd: a long name is in each row of small plots: their CSV ends at the limit, too.
func TestFilesOfFacetsEnd(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "n", Y: []string{"v"}, Facet: "name"}}, nil)
	b := cube.NewBuilder([]cube.Column{{Name: "name", Type: cube.Text}, {Name: "n", Type: cube.Text}, {Name: "v", Type: cube.Integer}})
	for i := range 400 {
		name := "short"
		if i == 0 {
			name = strings.Repeat("x", 1<<20)
		}
		if err := b.Add([]any{name, fmt.Sprintf("at %03d", i), int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	v.Spec.Datasets[0].Columns = []dashboard.Meta{{Name: "v", Agg: dashboard.Sum, Role: dashboard.Measure}}
	v.Cubes["d"] = b.Cube()
	if csv, err := CSV(v, 0); err == nil && len(csv) > 48<<20 || err != nil && !errors.Is(err, export.ErrTooLarge) {
		t.Errorf("%d bytes: %v", len(csv), err)
	}
}

// TestFiltersEnd: the number of check boxes of all filters of a page is limited; values without one can be typed.
func TestFiltersEnd(t *testing.T) {
	t.Parallel()
	var columns []string
	var filters []dashboard.Filter
	var rows [][]any
	for i := range dashboard.MaxFilters {
		columns = append(columns, fmt.Sprintf("c%d text", i))
		filters = append(filters, dashboard.Filter{Column: fmt.Sprintf("c%d", i)})
	}
	for i := range 100 {
		var row []any
		for k := range columns {
			row = append(row, fmt.Sprint(100+i, k, strings.Repeat("&", format.MaxText-10)))
		}
		rows = append(rows, append(row, int64(1)))
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n"}}, append(columns, "n integer sum"), rows...)
	v.Spec.Filters = filters
	doc := render(t, v)
	if len(doc) > 16<<20 {
		t.Errorf("a page of %d bytes", len(doc))
	}
	p := open(v)
	for i := range p.Filters {
		if f := &p.Filters[i]; len(f.Listed)+f.More != 100 || i == 0 && f.More > 0 {
			t.Errorf("filter %d has %d values to choose, and %d more", i, len(f.Listed), f.More)
		}
	}
	if last := p.Filters[len(filters)-1]; last.More == 0 || !bytes.Contains(doc, []byte("100 more: type a value")) {
		t.Errorf("the last filter has %d values to choose", len(last.Listed))
	}
}

// TestSortingEnds: the heads of tables repeat the reader's choices, up to a limit of the page's size.
func TestSortingEnds(t *testing.T) {
	t.Parallel()
	var columns []string
	row := []any{"a"}
	for i := range 190 {
		columns = append(columns, fmt.Sprintf("n%d integer sum", i))
		row = append(row, int64(i))
	}
	v := tiny(times(20, dashboard.Panel{Type: dashboard.Table}), append([]string{"name text"}, columns...),
		row, append([]any{"b"}, row[1:]...))
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
	chosen := make([]string, 900)
	for i := range chosen {
		chosen[i] = fmt.Sprint("a", strings.Repeat("x", 40), i)
	}
	v.Query = map[string][]string{"f.name": append(chosen, "a", "b")}
	if doc := render(t, v); len(doc) > 16<<20 || len(doc) < 1<<20 {
		t.Errorf("a page of %d bytes", len(doc))
	}
}

// TestPicturesOfLongTextsEnd: a picture has a maximum height, which a long description, or one panel with a long text, does not exceed. A
// document has a maximum number of sheets.
func TestPicturesOfLongTextsEnd(t *testing.T) {
	text := dashboard.Panel{Type: dashboard.Text, Markdown: strings.Repeat("a\n\n", markdown.MaxPanel/3-1)}
	for name, v := range map[string]View{
		"description": tiny([]dashboard.Panel{{Type: dashboard.Text, Markdown: "The end."}}, nil),
		"text":        tiny([]dashboard.Panel{text}, nil),
		"texts":       tiny(times(10, text), nil),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "description" {
				v.Spec.Description = strings.Repeat("Many words. ", 4<<20/12)
			}
			for panel := range 2 {
				if panel == 1 && name == "description" {
					continue
				}
				w := sceneOf(t, v, Shot{Panel: panel}, false)
				if w.Height > 2*maxPicture || len(w.Items) > 20_000 {
					t.Errorf("panel %d: a picture %g high of %d items", panel, w.Height, len(w.Items))
				}
				if !anyText(w, "…") {
					t.Errorf("panel %d: it does not say that it is cut", panel)
				}
			}
			growthtest.Within(t, mostTime, func() {
				doc, err := PDF(context.Background(), v)
				if err != nil {
					t.Fatal(err)
				}
				if n := sheetsOf(doc.Bytes); n > scene.MaxSheets+1 || n < 50 {
					t.Errorf("%d sheets", n)
				}
			})
		})
	}
}

// anyText reports whether a text of a scene has an ending.
func anyText(w *pagePainter, end string) bool {
	for _, i := range w.Items {
		if text, ok := i.(*scene.Text); ok && strings.HasSuffix(text.Text, end) {
			return true
		}
	}
	return false
}

// TestTablesOfDocumentsAreWhole: the document of a Markdown table has all its rows, and reports how many columns are missing.
func TestTablesOfDocumentsAreWhole(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("|a|b|\n|-|-|\n")
	for i := range 300 {
		fmt.Fprintf(&b, "|row %d|b|\n", i)
	}
	wide := "|" + strings.Repeat("head|", 20) + "\n|" + strings.Repeat("-|", 20) + "\n|" + strings.Repeat("cell|", 20) + "\n"
	for text, want := range map[string]string{b.String(): "row 299", wide: "more columns on the page."} {
		w := newPagePainter(format.New(&dashboard.Spec{}).Locale)
		defer w.Letters.Free()
		if err := w.document(Header{Name: "Doc"}, []byte(text), true); err != nil {
			t.Fatal(err)
		}
		if !anyText(w, want) {
			t.Errorf("it has no %s", want)
		}
	}
}
