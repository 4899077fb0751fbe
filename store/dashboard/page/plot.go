package page

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// Parts that charts with an axis have in common.

// plotHeight is how high lines, areas and columns are drawn, in pixels.
const plotHeight = 220

// onAxis splits the panel's rows for a chart with an axis, or returns nil when
// there is a reason not to draw it.
func (p *panel) onAxis(l layout) *split {
	s := p.split(l)
	if s != nil && len(s.x) == 0 {
		p.empty = p.page.Text("Nothing to draw: no row has a %s.", p.page.Inside(s.xcol.Label))
		return nil
	}
	return s
}

// tabulate gives the panel its grid, and reports whether there is a value in it.
func (p *panel) tabulate(s *split) bool {
	p.grid = s.table()
	if !s.any() {
		p.empty = p.page.missing()
	}
	return p.empty == ""
}

// overTime is the sentence of a chart with an axis of times or categories.
func (p *panel) overTime(s *split) string {
	name := func(i int) string { return p.page.Cell(p.grid.cols[0].Column, s.grain, s.x[i]) }
	last := len(s.x) - 1
	var b strings.Builder
	if len(s.x) == 1 {
		b.WriteString(p.page.Text("%s only: ", name(0)))
	} else {
		b.WriteString(p.page.Count(len(s.x), "%d point from %s to %s: ", "%d points from %s to %s: ", name(0), name(last)))
	}
	if len(s.series) == 1 {
		lo, hi, end := -1, -1, -1
		for x := range s.x {
			if !s.has(0, x) {
				continue
			}
			v := s.value[0][x]
			if lo < 0 || v < s.value[0][lo] {
				lo = x
			}
			if hi < 0 || v > s.value[0][hi] {
				hi = x
			}
			end = x
		}
		v := func(x int) string { return p.page.Quantity(*s.series[0].col, s.exact[0][x]) }
		text := when(s.time, "latest %s, lowest %s (%s), highest %s (%s).", "last %s, lowest %s (%s), highest %s (%s).")
		b.WriteString(p.page.Text(text, v(end), v(lo), name(lo), v(hi), name(hi)))
		return b.String()
	}
	for i, se := range s.series {
		if i == 5 {
			n := len(s.series) - i
			b.WriteString(" " + p.page.Count(n, "and %d more series", "and %d more series"))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		end := last
		for end >= 0 && !s.has(i, end) {
			end--
		}
		if end < 0 {
			b.WriteString(p.page.Text("%s without values", canvas.Clip(se.name, 40)))
		} else {
			b.WriteString(canvas.Clip(se.name, 40) + " " + p.page.Quantity(*se.col, s.exact[i][end]))
			if end < last {
				b.WriteString(" (" + name(end) + ")")
			}
		}
	}
	if s.time {
		return p.page.Text("%s at the latest.", b.String())
	}
	return p.page.Text("%s at %s.", b.String(), name(last))
}

// ofShares is the sentence of a chart of shares.
func (p *panel) ofShares(s *split) string {
	name := func(i int) string { return canvas.Clip(p.page.Cell(s.xcol, s.grain, s.x[i]), 40) }
	at := func(x int) string {
		var out []string
		for i, se := range s.series {
			if i == 5 {
				n := len(s.series) - i
				return strings.Join(out, ", ") + " " + p.page.Count(n, "and %d more series", "and %d more series")
			}
			out = append(out, canvas.Clip(se.name, 40)+" "+p.page.Share(p.parts[i][x], 1))
		}
		return strings.Join(out, ", ")
	}
	last := len(s.x) - 1
	if s.time && last > 0 {
		return p.page.Count(len(s.x), "%d point from %s to %s: ", "%d points from %s to %s: ", name(0), name(last)) +
			p.page.Text("%s at the latest.", at(last))
	}
	var out []string
	for x := range s.x[:min(len(s.x), 3)] {
		out = append(out, name(x)+": "+at(x)+".")
	}
	if left := len(s.x) - 3; left > 0 {
		out = append(out, format.Upper(p.page.Count(left, "and %d more", "and %d more"))+".")
	}
	return strings.Join(out, " ")
}

// addTotals works out the totals of what is stacked.
func (p *panel) addTotals(s *split) {
	p.totals = make([]string, len(s.x))
	for x := range s.x {
		sum := 0.0
		for i := range s.series {
			if s.has(i, x) {
				sum += s.value[i][x]
			}
		}
		p.totals[x] = p.page.Quantity(*s.series[0].col, sum)
	}
}

// axisTexts are the names of the categories, cut to their place.
func (p *panel) axisTexts(s *split) []string {
	out := make([]string, len(s.x))
	for i, c := range s.x {
		out[i] = p.page.Cell(s.xcol, s.grain, c)
	}
	return canvas.ClipNames(out, longestLabel)
}

// legend names the series; a single one is named by the title. Lines are named
// here that have no name on the plot.
func (p *panel) legend(series []seriesOf, lines ...reference) *key {
	if len(series) < 2 && p.spec.Series == "" {
		series = nil
	}
	if len(series)+len(lines) == 0 {
		return nil
	}
	out, ways := &key{kind: canvas.LegendList}, p.ways()
	for i := range series {
		out.items = append(out.items, canvas.Item{Color: series[i].color, Name: series[i].name, Way: ways.of(series[i].mark)})
	}
	for _, l := range lines {
		out.items = append(out.items, l.item(p.spec.Horizontal))
	}
	return out
}

// A reference is a line across the plot, with its value worked out.
type reference struct {
	value  float64
	text   string
	tone   string
	target bool         // it names the marks of targets, which have values of their own
	band   canvas.Color // of the band that it names; 0 for none

	shaded bool // it is a range
	lo, hi float64
}

// ends are the values at which the line, or the range, begins and ends; infinite at the edge of the axis.
func (r *reference) ends() (lo, hi float64) {
	if r.shaded {
		return r.lo, r.hi
	}
	return r.value, r.value
}

// item is the line in the legend of a chart whose marks are upright, or lie.
func (r *reference) item(lying bool) canvas.Item {
	if r.band != 0 {
		return canvas.Item{Color: r.band, Pale: true, Name: r.text}
	}
	if r.shaded {
		return canvas.Item{Shade: true, Tone: r.tone, Name: r.text}
	}
	return canvas.Item{Mark: true, Flat: r.target && !lying, Tone: r.tone, Name: r.text}
}

// references works out the reference lines over the values that are drawn: those of the
// series, or shares of them.
func (p *panel) references(s *split) []reference {
	if p.family != nil {
		return p.family.refs
	}
	values, col := s.value, *s.series[0].col
	if p.parts != nil {
		values, col.Format, col.Suffix = p.parts, "percent1", ""
	}
	var drawn []float64
	for i := range s.series {
		for x := range s.x {
			if s.has(i, x) {
				drawn = append(drawn, values[i][x])
			}
		}
	}
	return p.referencesOf(dashboard.AxisY, drawn, col)
}

// referencesOf works out the reference lines of an axis, on which some values of a
// column are drawn.
func (p *panel) referencesOf(axis int, drawn []float64, col dashboard.Column) []reference {
	var out []reference
	slices.Sort(drawn)
	for _, r := range p.spec.Reference {
		if r.Axis != axis {
			continue
		}
		if r.Shaded() {
			out = append(out, p.rangeOf(r, col))
			continue
		}
		v, name := r.Value, locale.Key("")
		if r.Kind == dashboard.RefTarget {
			name = "Target"
		}
		if len(drawn) > 0 {
			switch r.Kind {
			case "average":
				name, v = "Average", 0
				for _, x := range drawn {
					v += x / float64(len(drawn))
				}
				v = min(max(v, drawn[0]), drawn[len(drawn)-1]) // rounding can lead beyond the largest number
			case "median":
				name, v = "Median", drawn[(len(drawn)-1)/2]
				if above := drawn[len(drawn)/2]; above != v {
					v = v/2 + above/2 // the sum could overflow
				}
			case "min":
				name, v = "Lowest", drawn[0]
			case "max":
				name, v = "Highest", drawn[len(drawn)-1]
			}
		}
		out = append(out, reference{value: v, text: p.named(cmp.Or(r.Label, p.page.Text(name)), col, v), tone: r.Tone})
	}
	return out
}

// rangeOf is a reference that is a range of a column's values.
func (p *panel) rangeOf(r dashboard.Reference, col dashboard.Column) reference {
	out := reference{shaded: true, lo: math.Inf(-1), hi: math.Inf(1), tone: r.Tone, text: r.Label}
	text, known := "", false
	for _, end := range [...]*float64{r.From, r.To} {
		if end != nil {
			known = known || says(r.Label, p.page.Value(col.Format, *end)) || says(r.Label, p.page.Short(format.OrInteger(col), *end))
		}
	}
	switch {
	case r.From == nil:
		out.hi, text = *r.To, "≤ "+p.page.AsSaid(col, *r.To)
	case r.To == nil:
		out.lo, text = *r.From, "≥ "+p.page.AsSaid(col, *r.From)
	default:
		out.lo, out.hi = *r.From, *r.To
		text = p.page.AsSaid(col, out.lo) + " – " + p.page.AsSaid(col, out.hi)
	}
	if !known {
		out.text = strings.TrimSpace(r.Label + " " + text)
	}
	return out
}

// named puts the value of a line behind its name, unless the name has it already,
// however its figures and its unit are spaced.
func (p *panel) named(name string, col dashboard.Column, v float64) string {
	value := p.page.AsSaid(col, v)
	for _, text := range [...]string{value, p.page.InUnit(col, p.page.Value(col.Format, v)), p.page.Brief(col, v)} {
		if says(name, text) {
			return name
		}
	}
	return strings.TrimSpace(name + " " + value)
}

// says reports whether a text has a number in it, and not as a part of a longer one.
func says(text, number string) bool {
	close := strings.NewReplacer(" ", "", format.NBSP, "", "\u202f", "")
	number = close.Replace(number)
	var at int
	for rest := close.Replace(text); number != ""; rest = rest[at+len(number):] {
		if at = strings.Index(rest, number); at < 0 {
			break
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:at])
		after := strings.TrimLeft(rest[at+len(number):], ".,")
		if !unicode.IsDigit(before) && before != '.' && before != ',' && (after == "" || !unicode.IsDigit(rune(after[0]))) {
			return true
		}
	}
	return false
}

// A box is a place on a plot, in fractions of its width and height.
type box struct{ x1, x2, y1, y2 float64 }

func (b box) touches(o box) bool { return b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2 }

// A namedLine is a reference line with its name, where that lies.
type namedLine struct {
	reference
	at      float64 // the line's place, in fractions of the height or, upright, of the width; of a range, where it begins
	end     float64 // of a range, where it ends
	upright bool
	name    canvas.Label
}

// A namePlace is where the name of a line may be: the height of its line or of an end of its range, and how far under it, in pixels.
type namePlace struct {
	at   float64
	down int
}

// nameLines finds a place for the name of each line that is on none of the marks: above or below
// the line, at its end or where it begins. height is that of the plot, plots its widths.
func nameLines(refs []reference, sc scale, height float64, plots [3]float64, marks []box) []namedLine {
	out := make([]namedLine, len(refs))
	var names []box // on the narrowest plot
	longest := 0.0
	for i, r := range refs {
		at, until := r.placed(sc)
		places := []namePlace{{at, aboveLine}, {at, belowLine}}
		if r.shaded {
			places = []namePlace{{at, belowLine}, {until, aboveLine}, {at, aboveLine}, {until, belowLine}}
		}
		text := canvas.ClipWidth(r.text, plots[0])
		beside := canvas.ClipWidth(text, max(plots[0]-longest-8, 0))
		l := canvas.Label{X: canvas.Of(1), Y: canvas.Of(at), Down: places[0].down, Look: canvas.MarkedText, Anchor: canvas.AtEnd, Text: text}
		if at*height < canvas.LabelSize+8 {
			l.Down = belowLine
		}
		find := func(text string, marks []box) bool {
			for _, width := range plots {
				for _, end := range [...]canvas.Anchor{canvas.AtEnd, canvas.AtStart} {
					for _, on := range places {
						b := labelBox(text, on.at, end, on.down, width, height)
						narrow := labelBox(text, on.at, end, on.down, plots[0], height)
						if b.y1 < 0 || b.y2 > 1 || slices.ContainsFunc(marks, b.touches) || slices.ContainsFunc(names, narrow.touches) {
							continue
						}
						if l.Anchor, l.Y, l.Down, l.Text = end, canvas.Of(on.at), on.down, text; end == canvas.AtStart {
							l.X = canvas.Of(0)
						}
						return true
					}
				}
			}
			return false
		}
		// On a mark a name can be read, on another name it cannot.
		_ = find(text, marks) || find(text, nil) || find(beside, nil)
		out[i] = namedLine{reference: r, at: at, end: until, name: l}
		names = append(names, labelBox(l.Text, l.Y.V, l.Anchor, l.Down, plots[0], height))
		longest = max(longest, canvas.LabelWidth(l.Text))
	}
	return out
}

// placed is where a line is on a scale of y, or where a range begins and ends there, from the top.
func (r *reference) placed(sc scale) (at, end float64) {
	lo, hi := r.ends()
	on := func(v, edge float64) float64 {
		if math.IsInf(v, 0) || v <= 0 && sc.log {
			return edge
		}
		return min(max(sc.at(v), 0), 1)
	}
	if !r.shaded {
		return sc.at(r.value), 0
	}
	return on(hi, 0), on(lo, 1)
}

// placedUpright is placed on a scale of x, from the left.
func (r *reference) placedUpright(sc scale) (at, end float64) {
	at, end = r.placed(sc)
	if r.shaded {
		return 1 - end, 1 - at
	}
	return 1 - at, 0
}

// nameUprights is [nameLines] for lines at values of x, which are named where they begin and end,
// on either side. Some lines are named already.
func nameUprights(
	refs []reference, sc scale, height float64, plots [3]float64, marks func(width float64) []box, named []namedLine,
) []namedLine {
	out := slices.Clip(named)
	for _, r := range refs {
		at, until := r.placedUpright(sc)
		room := max(at, 1-at)*plots[0] - 10
		l := canvas.Label{
			X: canvas.Of(at), Y: canvas.Of(0), Right: clearOf(at < 0.5), Down: 11, Look: canvas.MarkedText, Anchor: sideOf(at < 0.5),
		}
		l.Text = canvas.ClipWidth(r.text, room)
		free := func(try canvas.Label, onMarks bool) bool {
			for _, width := range plots {
				b := boxOf(&try, width, height)
				if b.x1 < 0 || b.x2 > 1 || !onMarks && slices.ContainsFunc(marks(width), b.touches) ||
					slices.ContainsFunc(out, func(n namedLine) bool { return n.touches(b, width, height) }) {
					return false
				}
			}
			return true
		}
		find := func(onMarks bool) bool {
			inside := at < 0.5 || r.shaded && (1-at)*plots[0] > canvas.LabelWidth(l.Text)+10
			for _, right := range [...]bool{inside, !inside} {
				for _, down := range [...]int{11, int(height) - 6, 26, int(height) - 21, 41} {
					try := l
					if try.Right, try.Down, try.Anchor = clearOf(right), down, sideOf(right); free(try, onMarks) {
						l = try
						return true
					}
				}
			}
			return false
		}
		_ = find(false) || find(true)
		out = append(out, namedLine{reference: r, at: at, end: until, upright: true, name: l})
	}
	return out
}

// clearOf is how far from an upright line its name begins or ends, in pixels.
func clearOf(right bool) int {
	if right {
		return 5
	}
	return -5
}

func sideOf(right bool) canvas.Anchor {
	if right {
		return canvas.AtStart
	}
	return canvas.AtEnd
}

// boxOf is where a label lies on a plot of a size in pixels.
func boxOf(l *canvas.Label, width, height float64) box {
	w := canvas.LabelWidth(l.Text)
	x, y := l.X.V*width+float64(l.Right), l.Y.V*height+float64(l.Down)
	switch l.Anchor {
	case canvas.AtMiddle:
		x -= w / 2
	case canvas.AtEnd:
		x -= w
	}
	return box{(x - 2) / width, (x + w + 2) / width, (y - 9) / height, (y + 3) / height}
}

// drawShades draws the ranges among reference lines, which are under the marks.
func drawShades(c canvas.Canvas, lines []namedLine) {
	for _, l := range lines {
		switch {
		case !l.shaded:
		case l.upright:
			c.Rect(canvas.Rect{X: canvas.Of(l.at), Width: canvas.Of(l.end - l.at), Height: canvas.Of(1), Shade: true, Tone: l.tone})
		default:
			c.Rect(canvas.Rect{Width: canvas.Of(1), Y: canvas.Of(l.at), Height: canvas.Of(l.end - l.at), Shade: true, Tone: l.tone})
		}
	}
}

// drawReferences draws lines across a plot: over bars and areas, which hide them, and under lines and points, which they would hide where
// both have one value.
func drawReferences(c canvas.Canvas, lines []namedLine) {
	for _, l := range lines {
		if l.shaded {
			continue // it is under the marks
		}
		if l.upright {
			c.Line(canvas.Line{X1: canvas.Of(l.at), X2: canvas.Of(l.at), Y2: canvas.Of(1), Stroke: canvas.ReferenceLine, Tone: l.tone})
			continue
		}
		c.Line(canvas.Line{X2: canvas.Of(1), Y1: canvas.Of(l.at), Y2: canvas.Of(l.at), Stroke: canvas.ReferenceLine, Tone: l.tone})
	}
}

func drawReferenceNames(c canvas.Canvas, lines []namedLine) {
	for _, l := range lines {
		if l.name.Text != "" {
			c.Label(l.name)
		}
	}
}

// boxes are where a line and its name lie on a plot of a size in pixels.
func (l *namedLine) boxes(width, height float64) [2]box {
	if l.shaded { // values can be read on it
		name := labelBox(l.name.Text, l.name.Y.V, l.name.Anchor, l.name.Down, width, height)
		if l.upright {
			name = boxOf(&l.name, width, height)
		}
		return [...]box{name, name}
	}
	if l.upright {
		return [...]box{{l.at - 2/width, l.at + 2/width, 0, 1}, boxOf(&l.name, width, height)}
	}
	return [...]box{
		{0, 1, l.at - 2/height, l.at + 2/height},
		labelBox(l.name.Text, l.at, l.name.Anchor, l.name.Down, width, height),
	}
}

// touches reports whether a name would lie on the line's name.
func (l *namedLine) touches(b box, width, height float64) bool {
	own := l.boxes(width, height)
	return own[1].touches(b)
}

// How far under its line the foot of a name stands, in pixels.
const (
	aboveLine = -6
	belowLine = 15
)

// labelBox is where the name of a line at a height lies on a plot of a size in pixels.
func labelBox(text string, at float64, end canvas.Anchor, down int, width, height float64) box {
	share := (canvas.LabelWidth(text) + 4) / width
	b := box{x2: share, y1: at + (float64(down)-canvas.LabelSize+1)/height, y2: at + float64(down+3)/height}
	if end == canvas.AtEnd {
		b.x1, b.x2 = 1-share, 1
	}
	return b
}
