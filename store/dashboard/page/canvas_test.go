package page

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A recorder is a canvas that writes down what is drawn on it, one call a line.
type recorder struct {
	strings.Builder
	depth, most int
	drawn       int // marks and blocks
}

var _ canvas = (*recorder)(nil)

func (r *recorder) write(format string, args ...any) {
	r.drawn++
	fmt.Fprintf(r, "%s%s\n", strings.Repeat("  ", r.depth), strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (r *recorder) begin(format string, args ...any) {
	r.write(format, args...)
	r.depth++
	r.most = max(r.most, r.depth)
}

func (r *recorder) end() { r.depth-- }

func (c coord) String() string {
	switch c.unit {
	case fraction:
		return strconv.FormatFloat(c.v*100, 'f', 1, 64) + "%"
	case pixels:
		return strconv.FormatFloat(c.v, 'f', -1, 64) + "px"
	}
	return "-"
}

func (r *recorder) section(title, text string) { r.write("section %q %q", title, text) }
func (r *recorder) number(text, tone string)   { r.write("number %q %s", text, tone) }
func (r *recorder) delta(d delta) {
	r.write("delta %+d %s %q was %q versus %q %s", d.way, d.change, d.was, d.versus, d.missing, d.tone)
}
func (r *recorder) ramp(k ramp) { r.write("ramp %q of %d", k.texts, k.colors) }
func (r *recorder) axisName(text string, a axis) {
	r.write("axis %q %s", text, [...]string{"y", "x"}[a])
}
func (r *recorder) axisNames(left, right string) { r.write("axes %q and %q", left, right) }
func (r *recorder) richText(t *richText)         { r.write("text %q %q", t.markdown, t.values) }
func (r *recorder) note(text string)             { r.write("note %q", text) }
func (r *recorder) message(text string, _ bool)  { r.write("message %q", text) }
func (r *recorder) facets(f *family, rows int, _ []string) {
	r.begin("facets %d by %d", f.columns, rows)
}
func (r *recorder) facet(name string) { r.begin("facet %q", name) }
func (r *recorder) beside()           { r.begin("beside") }
func (r *recorder) halves()           { r.begin("halves") }
func (r *recorder) list(k listKind) {
	r.begin("list %s", [...]string{"legend", "of a ring", "of bars", "of colours"}[k])
}
func (r *recorder) viewport() { r.begin("viewport") }
func (r *recorder) item(i item) {
	line := ""
	if i.line {
		line = " of a line"
	}
	if i.mark {
		line = " mark " + i.tone
	}
	if i.pale {
		line += " pale"
	}
	r.begin("item %d%s %q %s %s %s%s", i.color, line, i.name, i.value, i.share, i.more, r.way(i.way))
}

// way is a link, if there is one.
func (r *recorder) way(w way) string {
	if w.to == "" {
		return ""
	}
	return fmt.Sprintf(" to %s %v", w.to, w.on)
}

func (r *recorder) table(t table) {
	heads := make([]string, len(t.heads))
	for i, h := range t.heads {
		heads[i] = fmt.Sprintf("%q number %t barred %t sorted %d to %s, %s", h.text, h.number, h.barred, h.sorted, h.link, h.says)
	}
	r.begin("table %q %s", t.title, strings.Join(heads, "; "))
	if t.search != nil {
		r.write("search %+v", *t.search)
	}
	if t.pages != nil {
		r.write("pages %+v", *t.pages)
	}
	for i := range t.rows {
		for j := range t.heads {
			r.write("cell %+v", t.cell(i, j))
		}
	}
	r.end()
}

func (r *recorder) crossTable(t crossTable) {
	r.begin("cross table %q %q", t.title, t.corner)
	for _, row := range t.heads {
		r.write("heads %+v", row)
	}
	for i := range t.lines {
		r.write("line %+v", t.line(i))
	}
	r.end()
}

func (r *recorder) picture(p picture) {
	right := ""
	if p.right != nil {
		right = fmt.Sprintf(" right %q", p.right)
	}
	r.begin("picture %s %d %q %q %q%s %+v", [...]string{"plot", "ring", "spark", "strip", "progress", "map", "half"}[p.kind],
		p.height, p.title, p.says, p.left, right,
		p.places)
	if p.list != (rowList{}) {
		r.write("rows %+v", p.list)
	}
}

func (r *recorder) group(g group) {
	r.begin("group look %d anchor %d widths %d turn %d", g.look, g.anchor, g.widths, g.turn)
}

func (r *recorder) extent(width, height int) { r.begin("extent %d by %d", width, height) }

func (r *recorder) shape(s shape) {
	points := 0
	for _, ring := range s.rings {
		points += len(ring)
	}
	r.write("shape of %d rings, %d points color %d %v %q", len(s.rings), points, s.color, s.hatched, strings.Join(s.title, ""))
}

func (r *recorder) line(l line) {
	color := ""
	if l.color > 0 {
		color = fmt.Sprintf("color %d", l.color)
	}
	r.write("line %v,%v to %v,%v %d %s%s", l.x1, l.y1, l.x2, l.y2, l.stroke, l.tone, color)
}

func (r *recorder) rect(o rect) {
	pale := ""
	if o.pale {
		pale = "pale"
	}
	if o.outlined {
		pale += " outlined"
	}
	if o.hatched && o.outlined {
		pale += " hatched"
	}
	r.write("rect %v,%v %v by %v round %d color %d %s", o.x, o.y, o.width, o.height, o.round, o.color, pale)
}

func (r *recorder) circle(c circle) {
	r.write("circle %v,%v radius %.1f color %d %q", c.x, c.y, c.radius, c.color, strings.Join(c.title, ""))
}

func (r *recorder) arc(a arc) {
	r.write("arc from %.3f share %.3f color %d %q", a.from, a.share, a.color, strings.Join(a.title, ""))
}

func (r *recorder) curve(c curve) {
	over := ""
	if c.over {
		over = " over bars"
	}
	r.write("curve color %d%s %v", c.color, over, c.points)
}

func (r *recorder) area(a area) {
	r.write("area color %d %v over %v or %d", a.color, a.points, a.under, a.floor)
}

func (r *recorder) label(l label) {
	r.write("label %v,%v down %d look %d anchor %d %q", l.x, l.y, l.down, l.look, l.anchor, l.text)
}

// writers are the files that write markup: the painter and what it writes with, and
// the frame of the page around its figures.
var writers = []string{
	"alert_line.go", "card.go", "document.go", "form.go", "html.go", "markdown.go", "paint_html.go", "paint_pivot.go", "paint_svg.go",
	"paint_table.go", "render.go", "richtext.go",
}

// TestFiguresWriteNoMarkup reads the package's own source: no file but those of
// writers knows of HTML.
func TestFiguresWriteNoMarkup(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		name := file.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, where := range markup(t, name, source) {
			found[name] = true
			if !strings.Contains(" "+strings.Join(writers, " ")+" ", " "+name+" ") {
				t.Errorf("%s: markup", where)
			}
		}
	}
	for _, name := range writers {
		if !found[name] {
			t.Errorf("%s writes no markup, and need not be in the list", name)
		}
	}
	for source, want := range map[string]int{
		"package page; var a = `<p>`":                        1,
		"package page; var a = \"x &amp; y\"":                1,
		"package page; func f(d *doc) {}":                    1,
		"package page; func f(w *htmlPainter) {}":            1,
		"package page; var a = h(\"x\")":                     1,
		"package page; var a = \"a < b && c > d\"":           0,
		"package page; type doc2 struct{ h int }; var b = 1": 0,
	} {
		if got := markup(t, "x.go", []byte(source)); len(got) != want {
			t.Errorf("%s: found %v", source, got)
		}
	}
}

var tag = regexp.MustCompile(`</?[a-zA-Z!]|&#?\w+;`)

// markup finds the places where a file writes markup, or could.
func markup(t *testing.T, name string, source []byte) []string {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && tag.MatchString(text) {
				out = append(out, set.Position(n.Pos()).String())
			}
		case *ast.Ident:
			if n.Name == "doc" || n.Name == "htmlPainter" {
				out = append(out, set.Position(n.Pos()).String())
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "h" {
				out = append(out, set.Position(n.Pos()).String())
			}
		}
		return true
	})
	return out
}

// TestHTMLPainter draws what no figure draws yet: a group that leads somewhere.
func TestHTMLPainter(t *testing.T) {
	t.Parallel()
	w := &htmlPainter{doc: &doc{}}
	w.group(group{link: "https://example.com/?a=1&b=2", title: "<Ada>"})
	w.line(line{x1: of(0.25), x2: px(3), y1: of(0), y2: of(1), stroke: referenceLine, tone: "good"})
	w.end()
	want := `<a href="https://example.com/?a=1&amp;b=2" rel="noopener noreferrer nofollow"><g><title>&lt;Ada&gt;</title>` +
		`<line class="rh" x1="25%" x2="3" y1="0%" y2="100%"/><line class="ref good" x1="25%" x2="3" y1="0%" y2="100%"/></g></a>`
	if got := string(w.b); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
