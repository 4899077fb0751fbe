package canvas

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Recorder is a canvas that writes each call as a line of text, and keeps the marks that tests measure. A line has the fields of the call
// that are not zero.
type Recorder struct {
	strings.Builder
	Depth, Most int
	Drawn       int // marks and blocks

	drawnMarks
	Plots []recordedPlot
	Items []Item
	Names []string // of axes
	open  []Group  // what has begun; the zero group for everything except groups
}

// drawnMarks are the marks that were drawn, in their order.
type drawnMarks struct {
	Lines   []Line
	Rects   []Rect
	Circles []Circle
	Curves  []Curve
	Areas   []Area
	Ribbons []Ribbon
	Labels  []RecordedLabel
}

// A recordedPlot is a picture with the marks on it.
type recordedPlot struct {
	Picture
	drawnMarks
}

// A RecordedLabel has the look, the anchor and the widths of its group.
type RecordedLabel struct {
	Label
	On Widths
}

var _ Canvas = (*Recorder)(nil)

// keep adds a mark to the recorder, and to the picture that was begun last.
func (r *Recorder) keep(add func(*drawnMarks)) {
	add(&r.drawnMarks)
	if n := len(r.Plots); n > 0 {
		add(&r.Plots[n-1].drawnMarks)
	}
}

func (r *Recorder) write(words ...string) {
	r.Drawn++
	r.WriteString(strings.Repeat("  ", r.Depth) + sentence(words...) + "\n")
}

// sentence is words, without those that are empty.
func sentence(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}

func (r *Recorder) begin(words ...string) { r.beginGroup(Group{}, words...) }

func (r *Recorder) beginGroup(g Group, words ...string) {
	r.write(words...)
	r.open = append(r.open, g)
	r.Depth++
	r.Most = max(r.Most, r.Depth)
}

func (r *Recorder) End() {
	r.Depth--
	r.open = r.open[:r.Depth]
}

// Unless formats a value, and returns "" for its zero value.
func Unless(v any, format string) string {
	if reflect.ValueOf(v).IsZero() {
		return ""
	}
	if strings.Contains(format, "%") {
		return fmt.Sprintf(format, v)
	}
	return format
}

// tokenName returns the name of a token; zero is the default, and its name is left out.
func tokenName[T ~uint8](v T, names ...string) string {
	if v == 0 {
		return ""
	}
	return names[v-1]
}

func (c Coord) String() string {
	switch c.Unit {
	case Fraction:
		return strconv.FormatFloat(c.V*100, 'f', 1, 64) + "%"
	case Pixels:
		return strconv.FormatFloat(c.V, 'f', -1, 64) + "px"
	}
	return "-"
}

func (c Color) String() string {
	switch {
	case c == OtherColor:
		return "gray"
	case c >= HeatColor:
		return fmt.Sprint("heat", int(c-HeatColor))
	}
	return fmt.Sprint(int(c))
}

func (w Widths) String() string {
	var names []string
	for i, name := range [...]string{"phone", "tablet", "desktop", "half"} {
		if w&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

func (p Point) String() string {
	return Unless(p.Broken, "| ") + fmt.Sprint(p.X, ",", p.Y) + Unless(p.Partial, "?")
}

func (p Places) String() string {
	if p.Columns == 0 {
		return ""
	}
	at := ""
	if p.At != nil {
		at = fmt.Sprintf("at %.3f", p.At)
	}
	return sentence(fmt.Sprint("of ", p.Columns), Unless(p.Rows, "by %d"), Unless(p.Bands, "bands"), at)
}

// linked returns the target of a link, or "".
func linked(w Way) string {
	if w.To == "" {
		return ""
	}
	return fmt.Sprintf("to %s%s", w.To, Unless(w.On, " on"))
}

func quoted(s string) string { return Unless(s, "%q") }

func (r *Recorder) Section(title, text string) { r.write("section", quoted(title), quoted(text)) }
func (r *Recorder) Number(text, tone string)   { r.write("number", quoted(text), tone) }
func (r *Recorder) Words(text, tone string)    { r.write("words", quoted(text), tone) }
func (r *Recorder) Delta(d Delta) {
	r.write("delta", Unless(d.Way, "%+d"), d.Change, Unless(d.Was, "was %q"), Unless(d.Versus, "versus %q"), quoted(d.Missing), d.Tone)
}
func (r *Recorder) Ramp(k Ramp) { r.write("ramp", fmt.Sprintf("%q of %v", k.Texts, k.Colors)) }

func (r *Recorder) AxisName(text string, a Side) {
	r.Names = append(r.Names, text)
	r.write("axis", fmt.Sprintf("%q", text), [...]string{"y", "x", "top", "y down"}[a])
}

func (r *Recorder) AxisNames(left string, of Side, right string) {
	r.Names = append(r.Names, left, right)
	r.write("axes", fmt.Sprintf("%q and %q", left, right), Unless(of, "y down"))
}

func (r *Recorder) RichText(t Formatted) { r.write("text", fmt.Sprintf("%q", t.Markup())) }
func (r *Recorder) Note(text string)     { r.write("note", fmt.Sprintf("%q", text)) }
func (r *Recorder) Message(text string, bad bool) {
	r.write("message", Unless(bad, "bad"), fmt.Sprintf("%q", text))
}
func (r *Recorder) Facet(name string) { r.begin("facet", fmt.Sprintf("%q", name)) }
func (r *Recorder) Only(on Widths)    { r.begin("only", fmt.Sprintf("on %v", on)) }
func (r *Recorder) Beside()           { r.begin("beside") }
func (r *Recorder) Halves()           { r.begin("halves") }
func (r *Recorder) Viewport()         { r.begin("viewport") }
func (r *Recorder) Extent(width, height int) {
	r.begin("extent", fmt.Sprintf("%d by %d", width, height))
}

func (r *Recorder) Facets(p SmallPlots) {
	r.begin("facets", fmt.Sprintf("%d in %d columns, %d high, left %q", len(p.Names), p.Columns, p.Height, p.Left),
		Unless(p.Own, "own labels"), Unless(p.Tiles, "tiles"))
}

func (r *Recorder) List(k ListKind) {
	r.begin("list", [...]string{"legend", "of a ring", "of bars", "of colours"}[k])
}

func (r *Recorder) Item(i Item) {
	r.Items = append(r.Items, i)
	r.begin("item", i.Color.String(),
		Unless(i.Line, "line"), Unless(i.Dashed, "dashed"), Unless(i.Pale, "pale"), Unless(i.Mark, "mark"),
		Unless(i.Flat, "flat"), Unless(i.Shade, "shade"), i.Tone,
		fmt.Sprintf("%q", i.Name), i.Value, i.Share, i.More, linked(i.Way))
}

func (r *Recorder) Table(t Table) {
	r.begin("table", quoted(t.Title), quoted(t.None))
	for _, h := range t.Heads {
		r.write("head", fmt.Sprintf("%q", h.Text), Unless(h.Group, "in %q"), Unless(h.Number, "number"),
			Unless(h.Barred, "barred"), Unless(h.Lined, "lined"),
			Unless(h.Sorted, "sorted %+d"), Unless(h.Link, "to %s"), quoted(h.Says))
	}
	if t.Pin > 0 {
		r.write("pin", fmt.Sprint(t.Pin))
	}
	if s := t.Search; s != nil {
		r.write("search", fmt.Sprintf("%+v", *s))
	}
	if p := t.Pages; p != nil {
		r.write("pages", fmt.Sprintf("%+v", *p))
	}
	for i := range t.Rows {
		var cells []string
		for j := range t.Heads {
			cells = append(cells, cellWords(t.Cell(i, j)))
		}
		r.write("row", strings.Join(cells, " | "))
	}
	if t.Foot != nil {
		var cells []string
		for _, c := range t.Foot {
			cells = append(cells, cellWords(c))
		}
		r.write("foot", strings.Join(cells, " | "))
	}
	r.End()
}

func cellWords(c Cell) string {
	words := []string{
		fmt.Sprintf("%q", c.Text), Unless(c.Name, "name"), Unless(c.Number, "number"), Unless(c.Missing, "missing"), c.Tone,
		Unless(c.Heat, "color %v"), linked(c.Way),
	}
	if c.Barred {
		words = append(words, fmt.Sprintf("bar %.3f", c.Bar), Unless(c.Below, "below"))
	}
	if c.Lined {
		words = append(words, fmt.Sprintf("line %v %v %q", c.Line.Color, c.Line.Points, c.Line.Says))
	}
	return sentence(words...)
}

func (r *Recorder) CrossTable(t CrossTable) {
	r.begin("cross table", quoted(t.Title), quoted(t.Corner))
	for _, row := range t.Heads {
		var heads []string
		for _, h := range row {
			heads = append(heads, sentence(fmt.Sprintf("%q %d by %d", h.Text, h.Span, h.Deep), Unless(h.Total, "total"), linked(h.Way)))
		}
		r.write("heads", strings.Join(heads, " | "))
	}
	for i := range t.Lines {
		l := t.Line(i)
		var cells []string
		for _, c := range l.Cells {
			cells = append(cells, sentence(fmt.Sprintf("%q", c.Text), Unless(c.Color, "color %v"), Unless(c.Total, "total"),
				Unless(c.Missing, "missing"), linked(c.Way)))
		}
		r.write("line", fmt.Sprintf("%q", l.Name), Unless(l.Level, "level %d"), Unless(l.Group, "group"), Unless(l.Total, "total"), linked(l.Way),
			strings.Join(cells, " | "))
	}
	r.End()
}

func (r *Recorder) Picture(p Picture) {
	r.Plots = append(r.Plots, recordedPlot{Picture: p})
	right := ""
	if p.Right != nil {
		right = fmt.Sprintf("right %q", p.Right)
	}
	kinds := [...]string{"plot", "ring", "spark", "strip", "progress", "map", "half", "full", "months"}
	r.begin("picture", kinds[p.Kind], fmt.Sprint(p.Height),
		Unless(p.Aspect, "aspect %v"), Unless(p.Small, "small"), Unless(p.Flush, "flush"), Unless(p.Top, "top"), Unless(p.Offset, "offset %d"),
		p.Places.String(), Unless(p.List, "rows %v"),
		quoted(p.Title), quoted(p.Says), fmt.Sprintf("left %q", p.Left), right)
}

func (r *Recorder) Group(g Group) {
	r.beginGroup(g, "group", g.Look.name(), g.Anchor.name(), Unless(g.Widths, "on %v"),
		Unless(g.TwoLines, "in two lines"), Unless(g.On, "over %v"), quoted(g.Title),
		Unless(g.Link, "to %s"))
}

func (l Look) name() string {
	return tokenName(l, "axis", "marked", "total", "caption", "cell", "value")
}

func (a Anchor) name() string { return [...]string{"start", "middle", "end"}[a] }

func (r *Recorder) Shape(s Shape) {
	points := 0
	for _, ring := range s.Rings {
		points += len(ring)
	}
	r.write("shape", fmt.Sprintf("of %d rings, %d points", len(s.Rings), points), "color "+s.Color.String(), Unless(s.Hatched, "hatched"),
		Unless(s.Row, "row %d"), quoted(strings.Join(s.Title, "")))
}

func (r *Recorder) Ribbon(b Ribbon) {
	r.keep(func(m *drawnMarks) { m.Ribbons = append(m.Ribbons, b) })
	way := ""
	if b.Way != [2]int{} {
		way = fmt.Sprintf("by %v", b.Way)
	}
	r.write("ribbon", fmt.Sprintf("%d %v to %d %v", b.X1, b.From, b.X2, b.To), way, "color "+b.Color.String(), Unless(b.Row, "row %d"),
		Unless(b.Cell, "cell %d"), quoted(strings.Join(b.Title, "")))
}

func (r *Recorder) Line(l Line) {
	r.keep(func(m *drawnMarks) { m.Lines = append(m.Lines, l) })
	r.write(l.Stroke.name(), "line", fmt.Sprintf("%v,%v to %v,%v", l.X1, l.Y1, l.X2, l.Y2), Unless(l.Color, "color %v"), l.Tone)
}

func (s Stroke) name() string {
	return [...]string{"grid", "zero", "reference", "link", "mark", "cut", "thin", "bold", "event"}[s]
}

func (r *Recorder) Rect(o Rect) {
	if o.Veil { // over other marks
		r.write("veil", fmt.Sprintf("%v,%v %v by %v", o.X, o.Y, o.Width, o.Height), "over "+o.Color.String())
		return
	}
	r.keep(func(m *drawnMarks) { m.Rects = append(m.Rects, o) })
	if o.Shade {
		r.write("shade", fmt.Sprintf("%v,%v %v by %v", o.X, o.Y, o.Width, o.Height), o.Tone)
		return
	}
	r.write("rect", fmt.Sprintf("%v,%v %v by %v", o.X, o.Y, o.Width, o.Height), "color "+o.Color.String(), Unless(o.Round, "round %d"),
		Unless(o.Pale, "pale"), tokenName(o.Fade, "fades left", "fades right"),
		Unless(o.Outlined, "outlined"), Unless(o.Hatched, "hatched"), Unless(o.Touching, "touching"),
		Unless(o.Row, "row %d"), Unless(o.Cell, "cell %d"), quoted(strings.Join(o.Title, "")))
}

func (r *Recorder) Circle(c Circle) {
	r.keep(func(m *drawnMarks) { m.Circles = append(m.Circles, c) })
	r.write("circle", fmt.Sprintf("%v,%v radius %.1f", c.X, c.Y, c.Radius), "color "+c.Color.String(), Unless(c.Sheer, "sheer"),
		Unless(c.Rimmed, "rimmed"), Unless(c.Row, "row %d"), quoted(strings.Join(c.Title, "")))
}

func (r *Recorder) Arc(a Arc) {
	r.write("arc", fmt.Sprintf("from %.3f share %.3f gap %.1f", a.From, a.Share, a.Gap), "color "+a.Color.String(), Unless(a.Row, "row %d"),
		quoted(strings.Join(a.Title, "")))
}

func (r *Recorder) Curve(c Curve) {
	c.Points = slices.Clone(c.Points)
	r.keep(func(m *drawnMarks) { m.Curves = append(m.Curves, c) })
	r.write("curve", "color "+c.Color.String(), Unless(c.Thin, "thin"), Unless(c.Dashed, "dashed"), Unless(c.Over, "over"),
		Unless(c.Bold, "bold"), Unless(c.Trend, "trend"), quoted(c.Title), fmt.Sprint(c.Points))
}

func (r *Recorder) Area(a Area) {
	a.Points, a.Under = slices.Clone(a.Points), slices.Clone(a.Under)
	r.keep(func(m *drawnMarks) { m.Areas = append(m.Areas, a) })
	down := fmt.Sprintf("to %d", a.Floor)
	if a.Under != nil {
		down = fmt.Sprintf("to %v", a.Under)
	}
	r.write("area", "color "+a.Color.String(), Unless(a.Solid, "solid"), fmt.Sprint(a.Points), down)
}

func (r *Recorder) Label(l Label) {
	look, end := "", ""
	if l.Look != Grouped {
		look, end = l.Look.name(), l.Anchor.name()
	}
	r.write("label", fmt.Sprintf("%v,%v", l.X, l.Y), Unless(l.Right, "right %d"), Unless(l.Down, "down %d"), look, end,
		fmt.Sprintf("%q", l.Text))
	kept := RecordedLabel{Label: l}
	if r.Depth > 0 {
		g := r.open[r.Depth-1]
		if kept.On = g.Widths; l.Look == Grouped {
			kept.Look, kept.Anchor = g.Look, g.Anchor
		}
	}
	r.keep(func(m *drawnMarks) { m.Labels = append(m.Labels, kept) })
}

// Texts returns the labels of a look that are written on a width, sorted: 0 is a phone, 1 a tablet, 2 a desktop.
func (m *drawnMarks) Texts(of Look, size int) (out []string) {
	for _, l := range m.Labels {
		if l.Look == of && (l.On == 0 || l.On&(1<<size) != 0) {
			out = append(out, l.Text)
		}
	}
	slices.Sort(out)
	return out
}

// Values are the texts at marks on a width.
func (m *drawnMarks) Values(size int) []string { return m.Texts(ValueText, size) }

// Points returns the points of all curves of a color, as one line.
func (m *drawnMarks) Points(of Color) (out []Point) {
	for _, c := range m.Curves {
		switch {
		case c.Color != of || c.Thin || c.Bold || c.Trend:
		case len(out) > 0 && len(c.Points) > 0 && out[len(out)-1].X == c.Points[0].X && out[len(out)-1].Y == c.Points[0].Y:
			out = append(out, c.Points[1:]...) // it continues the piece before
		default:
			out = append(out, c.Points...)
		}
	}
	return out
}

// Strokes are the lines of a stroke.
func (m *drawnMarks) Strokes(of Stroke) (out []Line) {
	for _, l := range m.Lines {
		if l.Stroke == of {
			out = append(out, l)
		}
	}
	return out
}
