package html

import "service/store/dashboard/canvas"

// The pictures of the HTML painter: SVG whose text never stretches.

func (w *Painter) Picture(p canvas.Picture) {
	w.Reach += p.Reach()
	switch p.Kind {
	case canvas.PlotPicture, canvas.HalfPicture, canvas.FullPicture, canvas.MonthsPicture:
		w.Add(H(`<svg class="plot`))
		switch p.Kind {
		case canvas.HalfPicture:
			w.Add(H(` days half`))
			w.Height -= p.Height / 2 // they share a row
		case canvas.FullPicture:
			w.Add(H(` full`))
		case canvas.MonthsPicture:
			w.Add(H(` days`))
		}
		if p.Top {
			w.Add(H(` top`))
		}
		if !p.Small {
			w.Height += p.Height + 36
		}
		if p.Flush {
			w.Add(H(` m0`))
		} else {
			w.Add(margin(p.Left))
		}
		w.Add(marginRight(p.Right), H(`" role="img" aria-label="`), p.Title, H(`: `), p.Says,
			H(`" width="100%" height="`), p.Height, H(`"`))
		w.places(p.Places)
		if l := p.List; l.From < l.To { // the script counts the head as row 0
			w.Add(H(` data-w="`), l.First+1, H(` `), l.From+1, H(` `), l.To, H(`"`))
		}
		if p.Small {
			w.Add(H(` data-o="`), p.Offset, H(`"`))
		}
		w.Add(H(`>`))
	case canvas.RingPicture:
		w.Height += 200
		w.Add(H(`<svg viewBox="0 0 42 42" role="img" aria-label="`), p.Title, H(`: `), p.Says, H(`">`))
	case canvas.SparkPicture:
		w.Height += p.Height
		w.Add(H(`<svg class="spark" viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="`), p.Height,
			H(`" aria-hidden="true">`))
	case canvas.ProgressPicture:
		w.Height += p.Height + 10
		w.Add(H(`<svg class="goal" width="100%" height="`), p.Height, H(`" aria-hidden="true">`))
	case canvas.MapPicture:
		w.Height += p.Height + 10
		w.Add(H(`<svg class="plot map q`), int(p.Aspect), H(`" role="img" aria-label="`), p.Title, H(`: `), p.Says, H(`">`))
	case canvas.StripPicture:
		w.Height += p.Height + 3
		w.Add(H(`<svg width="100%" height="`), p.Height, H(`" aria-hidden="true">`))
	}
	w.open(H(`</svg>`))
}

// margin returns the class of a left margin that is wide enough for labels.
func margin(labels []string) H {
	class, _ := canvas.MarginOf(labels)
	return [...]H{` m1`, ` m2`, ` m3`, ` m4`, ` m5`, ` m6`, ` m7`}[class]
}

// marginRight is margin for labels on the right, which most plots lack.
func marginRight(labels []string) H {
	if labels == nil {
		return H(``)
	}
	class, _ := canvas.MarginOf(labels)
	return [...]H{` k1`, ` k2`, ` k3`, ` k4`, ` k5`, ` k6`, ` k7`}[class]
}

// places writes the positions of the rows of the table behind a chart, in which the script finds the numbers for its tooltips: at data-p
// thousandths if they are not evenly spaced.
func (w *Painter) places(p canvas.Places) {
	if p.Columns == 0 {
		return
	}
	w.Add(H(` data-n="`), p.Columns, H(`"`))
	if p.Rows > 0 {
		w.Add(H(` data-r="`), p.Rows, H(`"`))
	}
	if p.Turned {
		w.Add(H(` data-t`))
	}
	if p.Bands {
		w.Add(H(` data-b`))
	}
	if len(p.At) == 0 || len(p.At) > canvas.MaxBehind {
		return
	}
	w.Add(H(` data-p="`))
	for i, x := range p.At {
		if i > 0 {
			w.Add(H(` `))
		}
		w.Add(int(x*1000 + 0.5))
	}
	w.Add(H(`"`))
}

func (w *Painter) Viewport() {
	w.Add(H(`<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">`))
	w.open(H(`</svg>`))
}

func (w *Painter) Extent(width, height int) {
	w.Add(H(`<svg viewBox="0 0 `), width, H(` `), height, H(`" preserveAspectRatio="none" width="100%" height="100%">`))
	w.open(H(`</svg>`))
}

func (w *Painter) Group(g canvas.Group) {
	end := H(`</g>`)
	if g.Link != "" {
		w.BeginLink(canvas.Way{To: g.Link})
		end = H(`</g></a>`)
	}
	w.Add(H(`<g`))
	if g.Look != canvas.Grouped {
		w.Add(H(` class="`))
		w.looks(g.Look, g.Anchor)
		if g.Look == canvas.CellText {
			w.Raw(InkOn(g.On))
		}
		w.Add(widthClass(g.Widths))
		if g.TwoLines {
			w.Add(H(` brk`))
		}
		w.Add(H(`"`))
	} else if g.Widths != 0 {
		w.Add(H(` class="`), widthClass(g.Widths)[1:], H(`"`))
	}
	w.Add(H(`>`))
	if g.Title != "" {
		w.Add(H(`<title>`), g.Title, H(`</title>`))
	}
	w.open(end)
}

// InkOn returns the class of a text on a colour of a heat map.
func InkOn(c canvas.Color) H { return [...]H{` n`, ` n4`, ` n5`, ` n6`}[c.Depth()] }

// widthClass returns the class of elements that the style shows on some widths only.
func widthClass(on canvas.Widths) H {
	switch on {
	case canvas.Phone:
		return H(` x1`)
	case canvas.Tablet:
		return H(` x2`)
	case canvas.Desktop:
		return H(` x3`)
	case canvas.Phone | canvas.Tablet:
		return H(` x12`)
	case canvas.Tablet | canvas.Desktop:
		return H(` x23`)
	case canvas.Phone | canvas.Tablet | canvas.Half:
		return H(` x12h`)
	case canvas.Tablet | canvas.Half:
		return H(` x2h`)
	case canvas.Desktop | canvas.Half:
		return H(` x3h`)
	}
	return H(``)
}

// looks writes the classes of a text.
func (w *Painter) looks(l canvas.Look, a canvas.Anchor) {
	switch l {
	case canvas.TotalText:
		w.Raw(`pt`)
		return
	case canvas.CaptionText:
		w.Raw(`ps`)
		return
	}
	w.Raw(`t`)
	switch a {
	case canvas.AtMiddle:
		w.Raw(` m`)
	case canvas.AtEnd:
		w.Raw(` e`)
	default:
		w.Raw(` st`)
	}
	switch l {
	case canvas.MarkedText:
		w.Raw(` rt`)
	case canvas.ValueText:
		w.Raw(` rt v`)
	}
}

// attr writes an attribute that is a place or a length, if it is set.
func (w *Painter) attr(name H, c canvas.Coord) {
	switch c.Unit {
	case canvas.Unset:
		return
	case canvas.Fraction:
		w.Raw(name)
		w.pct(c.V)
	case canvas.Pixels:
		w.Raw(name)
		w.fixed(c.V, 2)
	}
	w.Raw(`"`)
}

func (w *Painter) Line(l canvas.Line) {
	switch l.Stroke {
	case canvas.GridLine:
		w.Raw(`<line class="g"`)
	case canvas.ZeroLine:
		w.Raw(`<line class="g0"`)
	case canvas.EventLine:
		w.Raw(`<line class="ev"`)
	case canvas.LinkLine:
		w.Raw(`<line class="gl"`)
	case canvas.ReferenceLine: // dashes on a line in the colour of the card, to be visible on marks too
		w.Raw(`<line class="rh"`)
		w.between(l)
		w.Add(H(`<line class="ref`), toneClass(l.Tone), H(`"`))
	case canvas.MarkLine:
		w.Raw(`<line class="rh"`)
		w.between(l)
		w.Add(H(`<line class="ref mk`), toneClass(l.Tone), H(`"`))
	case canvas.CutLine:
		w.Raw(`<line class="rh"`)
	case canvas.ThinLine, canvas.BoldLine:
		w.Raw(`<line class="`)
		w.stroke("p", l.Color)
		if l.Stroke == canvas.BoldLine {
			w.Raw(` bo"`)
		} else {
			w.Raw(` th"`)
		}
	}
	w.between(l)
}

// between writes the ends of a line.
func (w *Painter) between(l canvas.Line) {
	w.attr(` x1="`, l.X1)
	w.attr(` x2="`, l.X2)
	w.attr(` y1="`, l.Y1)
	w.attr(` y2="`, l.Y2)
	w.Raw(`/>`)
}

// A Patterns is a set of the patterns and masks that a page has: a bit for each colour, that of no colour for areas without a value, and
// bits for veils and fades.
type Patterns [2]uint64

// The bits after those of colours.
const (
	veilBits = 120 // the first, for a depth of the color under a veil
	fadeBits = 124 // the first, for a [canvas.Fade]
)

// add adds a pattern. It returns false if the page has it already.
func (p *Patterns) add(bit int) bool {
	of, mask := &p[bit/64], uint64(1)<<(bit%64)
	had := *of&mask != 0
	*of |= mask
	return !had
}

// hatch writes the pattern of a colour, once a page.
func (w *Painter) hatch(c canvas.Color) {
	if !w.Hatched.add(int(c)) {
		return
	}
	class, of := H("f"), c
	if c >= canvas.HeatColor {
		class, of = "h", c-canvas.HeatColor
	}
	w.Add(H(`<pattern id="z`), int(c))
	w.drawnIn()
	w.Add(H(`" class="`), class, int(of),
		H(`" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path fill-opacity=".25" d="M0 0h6v6H0z"/>`),
		H(`<path d="M0 0h3v6H0z"/></pattern>`))
}

// fadeNames are the ids of the masks of marks that fade.
var fadeNames = [...]H{canvas.FadesLeft: "fl", canvas.FadesRight: "fr"}

// fade writes the mask of a side, once a page.
func (w *Painter) fade(to canvas.Fade) {
	if !w.Hatched.add(fadeBits + int(to)) {
		return
	}
	name := fadeNames[to]
	left, right := H(`1`), H(`0`)
	if to == canvas.FadesLeft {
		left, right = right, left
	}
	w.Add(H(`<linearGradient id="`), name, H(`g`))
	w.drawnIn()
	w.Add(H(`"><stop stop-color="#fff" stop-opacity="`), left,
		H(`"/><stop offset="1" stop-color="#fff" stop-opacity="`), right, H(`"/></linearGradient><mask id="`), name)
	w.drawnIn()
	w.Add(H(`" maskContentUnits="objectBoundingBox"><path fill="url(#`), name, H(`g`))
	w.drawnIn()
	w.Add(H(`)" d="M0 0h1v1H0z"/></mask>`))
}

// veils are the stripes of veils, by the depth of the color under them: away from the ink of texts on it.
var veils = [...]H{
	`fill="var(--card)" fill-opacity=".5"`, `fill="var(--card)" fill-opacity=".5"`, `fill="var(--ink)" fill-opacity=".3"`,
	`fill="#fff" fill-opacity=".5"`,
}

// veil writes the pattern of the veils over colors of a depth, once a page.
func (w *Painter) veil(depth int) {
	if w.Hatched.add(veilBits + depth) {
		w.Add(H(`<pattern id="v`), depth)
		w.drawnIn()
		w.Add(H(`" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">`),
			H(`<rect width="2" height="7" `), veils[depth], H(`/></pattern>`))
	}
}

func (w *Painter) Rect(r canvas.Rect) {
	heat := r.Color >= canvas.HeatColor
	switch {
	case r.Veil:
		depth := r.Color.Depth()
		w.veil(depth)
		w.Raw(`<rect class="hv" pointer-events="none" fill="url(#v`) // with the edge of a cell
		w.num(depth)
		w.drawnIn()
		w.Raw(`)`)
	case r.Shade:
		w.Add(H(`<rect class="sh`), toneClass(r.Tone))
	case r.Fade != canvas.NoFade:
		w.fade(r.Fade)
		w.Raw(`<rect class="`)
		w.stroke("f", r.Color)
		if r.Bare {
			w.Raw(` mk`)
		}
		w.Raw(`" mask="url(#`)
		w.Raw(fadeNames[r.Fade])
		w.drawnIn()
		w.Raw(`)`)
	case r.Hatched:
		w.hatch(r.Color)
		w.Raw(`<rect fill="url(#z`)
		w.num(int(r.Color))
		w.drawnIn()
		w.Raw(`)`)
		if r.Outlined {
			w.Raw(`" class="th p`)
			w.num(int(r.Color))
		}
	case heat:
		w.Raw(`<rect class="h`)
		w.num(int(r.Color - canvas.HeatColor))
		if r.Bare {
			w.Raw(` mk`)
		}
	default:
		w.Raw(`<rect class="f`)
		w.num(int(r.Color))
		if r.Pale {
			w.Raw(` pale`)
		}
		if r.Outlined {
			w.Raw(` th p`)
			w.num(int(r.Color))
		}
		if r.Touching {
			w.Raw(` tch`)
		}
	}
	w.Raw(`"`)
	w.attr(` x="`, r.X)
	if heat { // cells write their place before their size
		w.attr(` y="`, r.Y)
		w.attr(` width="`, r.Width)
	} else {
		w.attr(` width="`, r.Width)
		w.attr(` y="`, r.Y)
	}
	w.attr(` height="`, r.Height)
	if r.Round > 0 {
		w.Raw(` rx="`)
		w.num(r.Round)
		w.Raw(`"`)
	}
	w.row(r.Row)
	w.rowCell(r.Cell)
	if len(r.Title) == 0 {
		w.Raw(`/>`)
		return
	}
	w.Raw(`>`)
	w.title(r.Title)
	w.Raw(`</rect>`)
}

func (w *Painter) Circle(c canvas.Circle) {
	if c.Color >= canvas.HeatColor {
		w.Raw(`<circle class="h`)
		w.num(int(c.Color - canvas.HeatColor))
	} else {
		w.Raw(`<circle class="f`)
		w.num(int(c.Color))
	}
	if c.Sheer {
		w.Raw(` dot`)
	}
	if c.Rimmed {
		w.Raw(` rim`)
	}
	w.Raw(`"`)
	w.attr(` cx="`, c.X)
	w.attr(` cy="`, c.Y)
	w.Raw(` r="`)
	w.fixed(c.Radius, 1)
	w.Raw(`"`)
	w.row(c.Row)
	if len(c.Title) == 0 {
		w.Raw(`/>`)
		return
	}
	w.Raw(`>`)
	w.title(c.Title)
	w.Raw(`</circle>`)
}

// row writes the number of the row of the table behind that has the link of a mark, for the script.
func (w *Painter) row(n int) {
	if n > 0 && n <= canvas.MaxBehind {
		w.Raw(` data-i="`)
		w.num(n)
		w.Raw(`"`)
	}
}

// rowCell writes the cell of the row that has the link of a mark, unless it is the first.
func (w *Painter) rowCell(n int) {
	if n > 0 {
		w.Raw(` data-j="`)
		w.num(n)
		w.Raw(`"`)
	}
}

func (w *Painter) title(pieces []string) {
	w.Raw(`<title>`)
	for _, s := range pieces {
		w.Esc(s)
	}
	w.Raw(`</title>`)
}

// Arc draws a circle of circumference 100, with the arc as its only dash.
func (w *Painter) Arc(a canvas.Arc) {
	w.Raw(`<circle class="`)
	w.stroke("p", a.Color)
	w.Raw(`" cx="21" cy="21" r="15.9155" stroke-dasharray="`)
	dash := max(a.Share*100-a.Gap, 0.2)
	w.fixed(dash, 2)
	w.Raw(` `)
	w.fixed(100-dash, 2)
	w.Raw(`" stroke-dashoffset="`)
	w.fixed(25-a.From*100, 2)
	w.Raw(`"`)
	w.row(a.Row)
	w.Raw(`>`)
	w.title(a.Title)
	w.Raw(`</circle>`)
}

func (w *Painter) Label(l canvas.Label) {
	w.Raw(`<text`)
	if l.Look != canvas.Grouped {
		w.Raw(` class="`)
		w.looks(l.Look, l.Anchor)
		w.Raw(`"`)
	}
	w.attr(` x="`, l.X)
	w.attr(` y="`, l.Y)
	if l.Right != 0 {
		w.Raw(` dx="`)
		w.num(l.Right)
		w.Raw(`"`)
	}
	if l.Down != 0 {
		w.Raw(` dy="`)
		w.num(l.Down)
		w.Raw(`"`)
	}
	w.Raw(`>`)
	w.Esc(l.Text)
	w.Raw(`</text>`)
}
