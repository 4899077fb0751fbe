package page

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A recorder is a canvas that writes down each call as a line of text, and keeps the marks that
// tests measure. A line names what its call sets: what is zero is left out.
type recorder struct {
	strings.Builder
	depth, most int
	drawn       int // marks and blocks

	drawnMarks
	plots []recordedPlot
	items []item
	names []string // of axes
	open  []group  // what has begun; the zero group for all but groups
}

// drawnMarks are the marks that were drawn, in their order.
type drawnMarks struct {
	lines   []line
	rects   []rect
	circles []circle
	curves  []curve
	areas   []area
	labels  []recordedLabel
}

// A recordedPlot is a picture with the marks on it.
type recordedPlot struct {
	picture
	drawnMarks
}

// A recordedLabel has the look, the anchor and the widths of its group.
type recordedLabel struct {
	label
	on widths
}

var _ canvas = (*recorder)(nil)

// keep adds a mark to those of the recorder, and to those of the picture that was begun last.
func (r *recorder) keep(add func(*drawnMarks)) {
	add(&r.drawnMarks)
	if n := len(r.plots); n > 0 {
		add(&r.plots[n-1].drawnMarks)
	}
}

func (r *recorder) write(words ...string) {
	r.drawn++
	r.WriteString(strings.Repeat("  ", r.depth) + sentence(words...) + "\n")
}

// sentence is words, without those that are empty.
func sentence(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}

func (r *recorder) begin(words ...string) { r.beginGroup(group{}, words...) }

func (r *recorder) beginGroup(g group, words ...string) {
	r.write(words...)
	r.open = append(r.open, g)
	r.depth++
	r.most = max(r.most, r.depth)
}

func (r *recorder) end() {
	r.depth--
	r.open = r.open[:r.depth]
}

// unless is a word, but for its zero value.
func unless(v any, format string) string {
	if reflect.ValueOf(v).IsZero() {
		return ""
	}
	if strings.Contains(format, "%") {
		return fmt.Sprintf(format, v)
	}
	return format
}

// tokenName is the name of a token; that of zero is the default one, and is left out.
func tokenName[T ~uint8](v T, names ...string) string {
	if v == 0 {
		return ""
	}
	return names[v-1]
}

func (c coord) String() string {
	switch c.unit {
	case fraction:
		return strconv.FormatFloat(c.v*100, 'f', 1, 64) + "%"
	case pixels:
		return strconv.FormatFloat(c.v, 'f', -1, 64) + "px"
	}
	return "-"
}

func (c color) String() string {
	switch {
	case c == otherColor:
		return "gray"
	case c >= heatColor:
		return fmt.Sprint("heat", int(c-heatColor))
	}
	return fmt.Sprint(int(c))
}

func (w widths) String() string {
	var names []string
	for i, name := range [...]string{"phone", "tablet", "desktop", "half"} {
		if w&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

func (p point) String() string {
	return unless(p.broken, "| ") + fmt.Sprint(p.x, ",", p.y) + unless(p.partial, "?")
}

func (p places) String() string {
	if p.columns == 0 {
		return ""
	}
	at := ""
	if p.at != nil {
		at = fmt.Sprintf("at %.3f", p.at)
	}
	return sentence(fmt.Sprint("of ", p.columns), unless(p.rows, "by %d"), unless(p.bands, "bands"), at)
}

// linked is where a mark leads, if it leads anywhere.
func linked(w way) string {
	if w.to == "" {
		return ""
	}
	return fmt.Sprintf("to %s%s", w.to, unless(w.on, " on"))
}

func quoted(s string) string { return unless(s, "%q") }

func (r *recorder) section(title, text string) { r.write("section", quoted(title), quoted(text)) }
func (r *recorder) number(text, tone string)   { r.write("number", quoted(text), tone) }
func (r *recorder) delta(d delta) {
	r.write("delta", unless(d.way, "%+d"), d.change, unless(d.was, "was %q"), unless(d.versus, "versus %q"), quoted(d.missing), d.tone)
}
func (r *recorder) ramp(k ramp) { r.write("ramp", fmt.Sprintf("%q of %v", k.texts, k.colors)) }

func (r *recorder) axisName(text string, a side) {
	r.names = append(r.names, text)
	r.write("axis", fmt.Sprintf("%q", text), [...]string{"y", "x"}[a])
}

func (r *recorder) axisNames(left, right string) {
	r.names = append(r.names, left, right)
	r.write("axes", fmt.Sprintf("%q and %q", left, right))
}

func (r *recorder) richText(t formatted) { r.write("text", fmt.Sprintf("%q", t.markup())) }
func (r *recorder) note(text string)     { r.write("note", fmt.Sprintf("%q", text)) }
func (r *recorder) message(text string, bad bool) {
	r.write("message", unless(bad, "bad"), fmt.Sprintf("%q", text))
}
func (r *recorder) facet(name string) { r.begin("facet", fmt.Sprintf("%q", name)) }
func (r *recorder) beside()           { r.begin("beside") }
func (r *recorder) halves()           { r.begin("halves") }
func (r *recorder) viewport()         { r.begin("viewport") }
func (r *recorder) extent(width, height int) {
	r.begin("extent", fmt.Sprintf("%d by %d", width, height))
}

func (r *recorder) facets(p smallPlots) {
	r.begin("facets", fmt.Sprintf("%d in %d columns, %d high, left %q", p.count, p.columns, p.height, p.left))
}

func (r *recorder) list(k listKind) {
	r.begin("list", [...]string{"legend", "of a ring", "of bars", "of colours"}[k])
}

func (r *recorder) item(i item) {
	r.items = append(r.items, i)
	r.begin("item", i.color.String(),
		unless(i.line, "line"), unless(i.dashed, "dashed"), unless(i.pale, "pale"), unless(i.mark, "mark"),
		unless(i.flat, "flat"), unless(i.shade, "shade"), i.tone,
		fmt.Sprintf("%q", i.name), i.value, i.share, i.more, linked(i.way))
}

func (r *recorder) table(t table) {
	r.begin("table", quoted(t.title), quoted(t.none))
	for _, h := range t.heads {
		r.write("head", fmt.Sprintf("%q", h.text), unless(h.group, "in %q"), unless(h.number, "number"),
			unless(h.barred, "barred"), unless(h.lined, "lined"),
			unless(h.sorted, "sorted %+d"), unless(h.link, "to %s"), quoted(h.says))
	}
	if s := t.search; s != nil {
		r.write("search", fmt.Sprintf("%+v", *s))
	}
	if p := t.pages; p != nil {
		r.write("pages", fmt.Sprintf("%+v", *p))
	}
	for i := range t.rows {
		var cells []string
		for j := range t.heads {
			cells = append(cells, cellWords(t.cell(i, j)))
		}
		r.write("row", strings.Join(cells, " | "))
	}
	if t.foot != nil {
		var cells []string
		for _, c := range t.foot {
			cells = append(cells, cellWords(c))
		}
		r.write("foot", strings.Join(cells, " | "))
	}
	r.end()
}

func cellWords(c cell) string {
	words := []string{
		fmt.Sprintf("%q", c.text), unless(c.name, "name"), unless(c.number, "number"), unless(c.missing, "missing"), c.tone,
		unless(c.heat, "color %v"), linked(c.way),
	}
	if c.barred {
		words = append(words, fmt.Sprintf("bar %.3f", c.bar), unless(c.below, "below"))
	}
	if c.lined {
		words = append(words, fmt.Sprintf("line %v %v %q", c.line.color, c.line.points, c.line.says))
	}
	return sentence(words...)
}

func (r *recorder) crossTable(t crossTable) {
	r.begin("cross table", quoted(t.title), quoted(t.corner))
	for _, row := range t.heads {
		var heads []string
		for _, h := range row {
			heads = append(heads, sentence(fmt.Sprintf("%q %d by %d", h.text, h.span, h.deep), unless(h.total, "total"), linked(h.way)))
		}
		r.write("heads", strings.Join(heads, " | "))
	}
	for i := range t.lines {
		l := t.line(i)
		var cells []string
		for _, c := range l.cells {
			cells = append(cells, sentence(fmt.Sprintf("%q", c.text), unless(c.color, "color %v"), unless(c.total, "total"),
				unless(c.missing, "missing"), linked(c.way)))
		}
		r.write("line", fmt.Sprintf("%q", l.name), unless(l.level, "level %d"), unless(l.group, "group"), unless(l.total, "total"), linked(l.way),
			strings.Join(cells, " | "))
	}
	r.end()
}

func (r *recorder) picture(p picture) {
	r.plots = append(r.plots, recordedPlot{picture: p})
	right := ""
	if p.right != nil {
		right = fmt.Sprintf("right %q", p.right)
	}
	r.begin("picture", [...]string{"plot", "ring", "spark", "strip", "progress", "map", "half", "full"}[p.kind], fmt.Sprint(p.height),
		unless(p.aspect, "aspect %v"), unless(p.small, "small"), unless(p.offset, "offset %d"), p.places.String(), unless(p.list, "rows %v"),
		quoted(p.title), quoted(p.says), fmt.Sprintf("left %q", p.left), right)
}

func (r *recorder) group(g group) {
	r.beginGroup(g, "group", g.look.name(), g.anchor.name(), unless(g.widths, "on %v"),
		tokenName(g.turn, "in two lines", "aslant", "aslant on a phone", "aslant on a phone, few"), unless(g.on, "over %v"), quoted(g.title),
		unless(g.link, "to %s"))
}

func (l look) name() string {
	return tokenName(l, "axis", "marked", "total", "caption", "cell", "value")
}

func (a anchor) name() string { return [...]string{"start", "middle", "end"}[a] }

func (r *recorder) shape(s shape) {
	points := 0
	for _, ring := range s.rings {
		points += len(ring)
	}
	r.write("shape", fmt.Sprintf("of %d rings, %d points", len(s.rings), points), "color "+s.color.String(), unless(s.hatched, "hatched"),
		unless(s.row, "row %d"), quoted(strings.Join(s.title, "")))
}

func (r *recorder) line(l line) {
	r.keep(func(m *drawnMarks) { m.lines = append(m.lines, l) })
	r.write(l.stroke.name(), "line", fmt.Sprintf("%v,%v to %v,%v", l.x1, l.y1, l.x2, l.y2), unless(l.color, "color %v"), l.tone)
}

func (s stroke) name() string {
	return [...]string{"grid", "zero", "reference", "link", "mark", "cut", "thin", "bold", "event"}[s]
}

func (r *recorder) rect(o rect) {
	r.keep(func(m *drawnMarks) { m.rects = append(m.rects, o) })
	if o.shade {
		r.write("shade", fmt.Sprintf("%v,%v %v by %v", o.x, o.y, o.width, o.height), o.tone)
		return
	}
	r.write("rect", fmt.Sprintf("%v,%v %v by %v", o.x, o.y, o.width, o.height), "color "+o.color.String(), unless(o.round, "round %d"),
		unless(o.pale, "pale"), unless(o.outlined, "outlined"), unless(o.hatched, "hatched"), unless(o.touching, "touching"),
		unless(o.row, "row %d"), quoted(strings.Join(o.title, "")))
}

func (r *recorder) circle(c circle) {
	r.keep(func(m *drawnMarks) { m.circles = append(m.circles, c) })
	r.write("circle", fmt.Sprintf("%v,%v radius %.1f", c.x, c.y, c.radius), "color "+c.color.String(), unless(c.sheer, "sheer"),
		unless(c.rimmed, "rimmed"), unless(c.row, "row %d"), quoted(strings.Join(c.title, "")))
}

func (r *recorder) arc(a arc) {
	r.write("arc", fmt.Sprintf("from %.3f share %.3f gap %.1f", a.from, a.share, a.gap), "color "+a.color.String(), unless(a.row, "row %d"),
		quoted(strings.Join(a.title, "")))
}

func (r *recorder) curve(c curve) {
	c.points = slices.Clone(c.points)
	r.keep(func(m *drawnMarks) { m.curves = append(m.curves, c) })
	r.write("curve", "color "+c.color.String(), unless(c.thin, "thin"), unless(c.dashed, "dashed"), unless(c.over, "over"),
		unless(c.bold, "bold"), unless(c.trend, "trend"), quoted(c.title), fmt.Sprint(c.points))
}

func (r *recorder) area(a area) {
	a.points, a.under = slices.Clone(a.points), slices.Clone(a.under)
	r.keep(func(m *drawnMarks) { m.areas = append(m.areas, a) })
	down := fmt.Sprintf("to %d", a.floor)
	if a.under != nil {
		down = fmt.Sprintf("to %v", a.under)
	}
	r.write("area", "color "+a.color.String(), unless(a.solid, "solid"), fmt.Sprint(a.points), down)
}

func (r *recorder) label(l label) {
	look, end := "", ""
	if l.look != grouped {
		look, end = l.look.name(), l.anchor.name()
	}
	r.write("label", fmt.Sprintf("%v,%v", l.x, l.y), unless(l.right, "right %d"), unless(l.down, "down %d"), look, end,
		fmt.Sprintf("%q", l.text))
	kept := recordedLabel{label: l}
	if r.depth > 0 {
		g := r.open[r.depth-1]
		if kept.on = g.widths; l.look == grouped {
			kept.look, kept.anchor = g.look, g.anchor
		}
	}
	r.keep(func(m *drawnMarks) { m.labels = append(m.labels, kept) })
}

// texts are the labels of a look that are written on a width, sorted: 0 is that of a phone, 1 of a tablet, 2 of a desktop.
func (m *drawnMarks) texts(of look, size int) (out []string) {
	for _, l := range m.labels {
		if l.look == of && (l.on == 0 || l.on&(1<<size) != 0) {
			out = append(out, l.text)
		}
	}
	slices.Sort(out)
	return out
}

// values are the texts at marks on a width.
func (m *drawnMarks) values(size int) []string { return m.texts(valueText, size) }

// points are those of all curves of a color, as one line.
func (m *drawnMarks) points(of color) (out []point) {
	for _, c := range m.curves {
		switch {
		case c.color != of || c.thin || c.bold || c.trend:
		case len(out) > 0 && len(c.points) > 0 && out[len(out)-1].x == c.points[0].x && out[len(out)-1].y == c.points[0].y:
			out = append(out, c.points[1:]...) // its last piece goes on
		default:
			out = append(out, c.points...)
		}
	}
	return out
}

// strokes are the lines of a stroke.
func (m *drawnMarks) strokes(of stroke) (out []line) {
	for _, l := range m.lines {
		if l.stroke == of {
			out = append(out, l)
		}
	}
	return out
}
