package page

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	out    = flag.String("out", "", "write whole pages into this directory, to be looked at")
)

func render(t testing.TB, v View) []byte {
	t.Helper()
	b, err := Render(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wholePages are the cases of which the whole document is kept: those that are about the page itself, and those that draw each type of
// panel.
var wholePages = []string{"frame", "article", "ordinary", "arabic", "maps", "ugly"}

// TestGolden compares every kind of page with the last one that was approved: the words and the drawing of each panel, in a file of its
// own, and the whole document of some pages.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, v := range cases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := render(t, v)
			if *out != "" {
				write(t, name+".html", got)
			}
			if again := render(t, v); !bytes.Equal(got, again) {
				t.Error("two drawings of one view differ")
			}
			if slices.Contains(wholePages, name) {
				golden(t, name+".html", readable(got))
			}
			goldenPanels(t, filepath.Join("testdata", "drawn", name), v)
		})
	}
}

// goldenPanels compares the panels of a page with the files of a directory: one for each, named by its type and its number among panels of
// that type.
func goldenPanels(t *testing.T, dir string, v View) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		want[filepath.Base(file)] = true
	}
	count := map[string]int{}
	summaries := Summaries(v)
	p := open(v)
	p.workOut()
	widenLast(p.panels)
	widths := p.widths()
	for i, panel := range p.panels {
		panel.Columns = widths[i]
		says := summaries[i]
		text := fmt.Sprintf("-- summary --\n%s\n%s\n%s%d rows%s%s\n-- sketch --\n%s\n-- drawn --\n", says.Title, says.Text,
			canvas.Unless(says.Problem, "%s\n"), says.Rows, canvas.Unless(says.Truncated, ", truncated"),
			canvas.Unless(says.Empty, ", empty"), says.Sketch)
		if panel.Content != nil {
			text += record(panel).String()
		}
		file := panel.Spec.Type
		if count[file]++; count[file] > 1 {
			file += fmt.Sprint("-", count[file])
		}
		file += ".txt"
		delete(want, file)
		goldenFile(t, filepath.Join(dir, file), []byte(text))
	}
	for file := range want {
		t.Errorf("there is no panel of %s", filepath.Join(dir, file))
	}
}

func write(t *testing.T, name string, page []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(*out, name), page, 0o644); err != nil {
		t.Fatal(err)
	}
}

// readable removes the style, and puts elements on lines of their own.
func readable(b []byte) []byte {
	s := string(b)
	for i, style := range html.Styles {
		with := ""
		if i == 0 {
			with = "<style>…</style>"
		}
		s = strings.Replace(s, "<style>"+style.CSS+"</style>", with, 1)
	}
	s = strings.ReplaceAll(s, ScriptName, "page.js")
	for tag := range strings.FieldsSeq(`<article <section <div <p <svg <table <tr <details <ul <li <ol <rect <g <text
		<header <main <footer <form <label <path <line <circle`) {
		s = strings.ReplaceAll(s, tag, "\n"+tag)
	}
	return []byte(s + "\n")
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	goldenFile(t, filepath.Join("testdata", "golden", name), got)
}

func goldenFile(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, canvas.Clip(diff, 4000))
	}
}

// TestSize limits the size of a page of ten panels.
func TestSize(t *testing.T) {
	t.Parallel()
	page := render(t, commerce(4000))
	size, script := gzipped(t, page), gzipped(t, Script)
	t.Logf("%d bytes, %d gzipped; script %d gzipped", len(page), size, script)
	if size > 17_000 {
		t.Errorf("%d bytes gzipped, more than 17 KB", size)
	}
	if script > 6<<10 {
		t.Errorf("the script has %d bytes gzipped, more than 6 KiB", script)
	}
}

// gzipped returns the compressed size of b in bytes.
func gzipped(t testing.TB, b []byte) int {
	t.Helper()
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return z.Len()
}

// TestStyles: a page has exactly the styles that its spec needs, independent of the values shown at the moment.
func TestStyles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"commerce": ".pie .ramp", "article": ".article .md>", "arabic": ".md> .pie .ramp [dir=rtl]", "markdown": ".md> .paper",
	} {
		views := cases(t)
		page, _ := documents(t)
		if v, ok := views[name]; ok {
			page = render(t, v)
		}
		var got []string
		for _, mark := range []string{".article{", ".md>", ".paper{", ".pie{", ".ramp{", "[dir=rtl] :is"} {
			if bytes.Contains(page, []byte(mark)) {
				got = append(got, strings.TrimSuffix(strings.Fields(mark)[0], "{"))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s has %s, want %s", name, s, want)
		}
	}
}

// TestStylesDoNotClash: a rule of one type of panel about a class alone would also apply to panels of another type with that class.
func TestStylesDoNotClash(t *testing.T) {
	t.Parallel()
	alone := regexp.MustCompile(`(?:^|[},{])\s*\.([a-z]+[0-9]*)\{([^}]*)\}`)
	said := map[string]string{}
	for _, style := range html.Styles[1:] {
		own := map[string]string{}
		for _, m := range alone.FindAllStringSubmatch(style.CSS, -1) {
			own[m[1]] = m[2]
		}
		for class, rule := range own {
			if other, ok := said[class]; ok {
				t.Errorf(".%s is {%s} in one part of page.css and {%s} in another", class, other, rule)
			}
			said[class] = rule
		}
	}
	if len(said) < 20 {
		t.Errorf("only %d classes are found: %v", len(said), said)
	}
}

// BenchmarkRender draws ten panels: the target is 2 ms from a decoded cube of 4,000 rows. It also measures the arithmetic alone, without
// any HTML.
func BenchmarkRender(b *testing.B) {
	for _, rows := range []int{1_000, 4_000, 10_000, 200_000} {
		v := commerce(rows)
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				render(b, v)
			}
		})
		b.Run(fmt.Sprint(rows, " figures alone"), func(b *testing.B) {
			for b.Loop() {
				open(v).workOut()
			}
		})
	}
}
