package page

import "service/store/dashboard/geo"

// The pictures of the HTML painter: SVG whose text never stretches.

func (w *htmlPainter) picture(p picture) {
	switch p.kind {
	case plotPicture, halfPicture, fullPicture:
		w.add(h(`<svg class="plot`))
		switch p.kind {
		case halfPicture:
			w.add(h(` half`))
			w.height -= p.height / 2 // they share a row
		case fullPicture:
			w.add(h(` full`))
		}
		if !p.small {
			w.height += p.height + 36
		}
		w.add(margin(p.left), marginRight(p.right), h(`" role="img" aria-label="`), p.title, h(`: `), p.says,
			h(`" width="100%" height="`), p.height, h(`"`))
		w.places(p.places)
		if l := p.list; l.from < l.to { // as the script counts them: the head is row 0
			w.add(h(` data-w="`), l.first+1, h(` `), l.from+1, h(` `), l.to, h(`"`))
		}
		if p.small {
			w.add(h(` data-o="`), p.offset, h(`"`))
		}
		w.add(h(`>`))
	case ringPicture:
		w.height += 200
		w.add(h(`<svg viewBox="0 0 42 42" role="img" aria-label="`), p.title, h(`: `), p.says, h(`">`))
	case sparkPicture:
		w.height += p.height
		w.add(h(`<svg class="spark" viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="`), p.height,
			h(`" aria-hidden="true">`))
	case progressPicture:
		w.height += p.height + 10
		w.add(h(`<svg class="goal" width="100%" height="`), p.height, h(`" aria-hidden="true">`))
	case mapPicture:
		w.height += p.height + 10
		w.add(h(`<svg class="plot map q`), int(p.aspect), h(`" role="img" aria-label="`), p.title, h(`: `), p.says, h(`">`))
	case stripPicture:
		w.height += p.height + 3
		w.add(h(`<svg width="100%" height="`), p.height, h(`" aria-hidden="true">`))
	}
	w.open(h(`</svg>`))
}

// margin returns the class of a left margin that is wide enough for labels.
func margin(labels []string) h {
	class, _ := marginOf(labels)
	return [...]h{` m1`, ` m2`, ` m3`, ` m4`, ` m5`, ` m6`, ` m7`}[class]
}

// marginRight is margin for labels on the right, which most plots lack.
func marginRight(labels []string) h {
	if labels == nil {
		return h(``)
	}
	class, _ := marginOf(labels)
	return [...]h{` k1`, ` k2`, ` k3`, ` k4`, ` k5`, ` k6`, ` k7`}[class]
}

// places tells the script, which finds the numbers for its tooltips in the table
// behind the chart, where its rows lie: at data-p thousandths when they are not
// evenly spaced.
func (w *htmlPainter) places(p places) {
	if p.columns == 0 {
		return
	}
	w.add(h(` data-n="`), p.columns, h(`"`))
	if p.rows > 0 {
		w.add(h(` data-r="`), p.rows, h(`"`))
	}
	if p.bands {
		w.add(h(` data-b`))
	}
	if len(p.at) == 0 || len(p.at) > maxBehind {
		return
	}
	w.add(h(` data-p="`))
	for i, x := range p.at {
		if i > 0 {
			w.add(h(` `))
		}
		w.add(int(x*1000 + 0.5))
	}
	w.add(h(`"`))
}

func (w *htmlPainter) viewport() {
	w.add(h(`<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">`))
	w.open(h(`</svg>`))
}

func (w *htmlPainter) extent(width, height int) {
	w.add(h(`<svg viewBox="0 0 `), width, h(` `), height, h(`" preserveAspectRatio="none" width="100%" height="100%">`))
	w.open(h(`</svg>`))
}

func (w *htmlPainter) group(g group) {
	end := h(`</g>`)
	if g.link != "" {
		w.beginLink(way{to: g.link})
		end = h(`</g></a>`)
	}
	w.add(h(`<g`))
	if g.look != grouped {
		w.add(h(` class="`))
		w.looks(g.look, g.anchor)
		if g.look == cellText {
			w.raw(inkOn(g.on))
		}
		w.add(widthClass(g.widths), turnClass(g.turn), h(`"`))
	} else if g.widths != 0 {
		w.add(h(` class="`), widthClass(g.widths)[1:], h(`"`))
	}
	w.add(h(`>`))
	if g.title != "" {
		w.add(h(`<title>`), g.title, h(`</title>`))
	}
	w.open(end)
}

// inkOn is the class of a text on a colour of a heat map.
func inkOn(c color) h { return [...]h{` n`, ` n4`, ` n5`}[c.depth()] }

// widthClass is the class of what the style shows on some widths only.
func widthClass(on widths) h {
	switch on {
	case phone:
		return h(` x1`)
	case tablet:
		return h(` x2`)
	case desktop:
		return h(` x3`)
	case phone | tablet:
		return h(` x12`)
	case tablet | desktop:
		return h(` x23`)
	case phone | tablet | half:
		return h(` x12h`)
	case desktop | half:
		return h(` x3h`)
	}
	return h(``)
}

func turnClass(t turn) h {
	switch t {
	case twoLines:
		return h(` brk`)
	case aslant:
		return h(` turn`)
	case narrow:
		return h(` turns`)
	case narrowFew:
		return h(` turns few`)
	}
	return h(``)
}

// looks writes the classes of a text.
func (w *htmlPainter) looks(l look, a anchor) {
	switch l {
	case totalText:
		w.raw(`pt`)
		return
	case captionText:
		w.raw(`ps`)
		return
	}
	w.raw(`t`)
	switch a {
	case atMiddle:
		w.raw(` m`)
	case atEnd:
		w.raw(` e`)
	default:
		w.raw(` st`)
	}
	switch l {
	case markedText:
		w.raw(` rt`)
	case valueText:
		w.raw(` rt v`)
	}
}

// attr writes an attribute that is a place or a length, if it is set.
func (w *htmlPainter) attr(name h, c coord) {
	switch c.unit {
	case unset:
		return
	case fraction:
		w.raw(name)
		w.pct(c.v)
	case pixels:
		w.raw(name)
		w.fixed(c.v, 2)
	}
	w.raw(`"`)
}

func (w *htmlPainter) line(l line) {
	switch l.stroke {
	case gridLine:
		w.raw(`<line class="g"`)
	case zeroLine:
		w.raw(`<line class="g0"`)
	case eventLine:
		w.raw(`<line class="ev"`)
	case linkLine:
		w.raw(`<line class="gl"`)
	case referenceLine: // dashes on a line in the colour of the card, to be seen on marks too
		w.raw(`<line class="rh"`)
		w.between(l)
		w.add(h(`<line class="ref`), toneClass(l.tone), h(`"`))
	case markLine:
		w.raw(`<line class="rh"`)
		w.between(l)
		w.add(h(`<line class="ref mk`), toneClass(l.tone), h(`"`))
	case cutLine:
		w.raw(`<line class="rh"`)
	case thinLine, boldLine:
		w.raw(`<line class="p`)
		w.num(int(l.color))
		if l.stroke == boldLine {
			w.raw(` bo"`)
		} else {
			w.raw(` th"`)
		}
	}
	w.between(l)
}

// between writes where a line begins and ends.
func (w *htmlPainter) between(l line) {
	w.attr(` x1="`, l.x1)
	w.attr(` x2="`, l.x2)
	w.attr(` y1="`, l.y1)
	w.attr(` y2="`, l.y2)
	w.raw(`/>`)
}

// hatch writes the pattern of a colour, once a page.
func (w *htmlPainter) hatch(c color) {
	if w.hatched&(1<<c) != 0 {
		return
	}
	w.hatched |= 1 << c
	w.add(h(`<pattern id="z`), int(c), h(`" class="f`), int(c),
		h(`" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path fill-opacity=".25" d="M0 0h6v6H0z"/>`),
		h(`<path d="M0 0h3v6H0z"/></pattern>`))
}

func (w *htmlPainter) rect(r rect) {
	heat := r.color >= heatColor
	switch {
	case r.shade:
		w.add(h(`<rect class="sh`), toneClass(r.tone))
	case r.hatched:
		w.hatch(r.color)
		w.raw(`<rect fill="url(#z`)
		w.num(int(r.color))
		w.raw(`)`)
		if r.outlined {
			w.raw(`" class="th p`)
			w.num(int(r.color))
		}
	case heat:
		w.raw(`<rect class="h`)
		w.num(int(r.color - heatColor))
	default:
		w.raw(`<rect class="f`)
		w.num(int(r.color))
		if r.pale {
			w.raw(` pale`)
		}
		if r.outlined {
			w.raw(` th p`)
			w.num(int(r.color))
		}
		if r.touching {
			w.raw(` tch`)
		}
	}
	w.raw(`"`)
	w.attr(` x="`, r.x)
	if heat { // cells have their place before their size
		w.attr(` y="`, r.y)
		w.attr(` width="`, r.width)
	} else {
		w.attr(` width="`, r.width)
		w.attr(` y="`, r.y)
	}
	w.attr(` height="`, r.height)
	if r.round > 0 {
		w.raw(` rx="`)
		w.num(r.round)
		w.raw(`"`)
	}
	w.row(r.row)
	if len(r.title) == 0 {
		w.raw(`/>`)
		return
	}
	w.raw(`>`)
	w.title(r.title)
	w.raw(`</rect>`)
}

func (w *htmlPainter) circle(c circle) {
	if c.color >= heatColor {
		w.raw(`<circle class="h`)
		w.num(int(c.color - heatColor))
	} else {
		w.raw(`<circle class="f`)
		w.num(int(c.color))
	}
	if c.sheer {
		w.raw(` dot`)
	}
	if c.rimmed {
		w.raw(` rim`)
	}
	w.raw(`"`)
	w.attr(` cx="`, c.x)
	w.attr(` cy="`, c.y)
	w.raw(` r="`)
	w.fixed(c.radius, 1)
	w.raw(`"`)
	w.row(c.row)
	if len(c.title) == 0 {
		w.raw(`/>`)
		return
	}
	w.raw(`>`)
	w.title(c.title)
	w.raw(`</circle>`)
}

// row tells the script in which row of the table behind the link of a mark is.
func (w *htmlPainter) row(n int) {
	if n > 0 && n <= maxBehind {
		w.raw(` data-i="`)
		w.num(n)
		w.raw(`"`)
	}
}

func (w *htmlPainter) title(pieces []string) {
	w.raw(`<title>`)
	for _, s := range pieces {
		w.esc(s)
	}
	w.raw(`</title>`)
}

// arc draws a circle of circumference 100, of which a dash is the arc.
func (w *htmlPainter) arc(a arc) {
	w.raw(`<circle class="p`)
	w.num(int(a.color))
	w.raw(`" cx="21" cy="21" r="15.9155" stroke-dasharray="`)
	dash := max(a.share*100-a.gap, 0.2)
	w.fixed(dash, 2)
	w.raw(` `)
	w.fixed(100-dash, 2)
	w.raw(`" stroke-dashoffset="`)
	w.fixed(25-a.from*100, 2)
	w.raw(`"`)
	w.row(a.row)
	w.raw(`>`)
	w.title(a.title)
	w.raw(`</circle>`)
}

func (w *htmlPainter) curve(c curve) {
	if c.over { // a line in the colour of the card, under it
		w.raw(`<path class="l lh`)
		w.path(c)
	}
	w.raw(`<path class="l l`)
	w.num(int(c.color))
	if c.thin {
		w.raw(` thin`)
	}
	if c.bold {
		w.raw(` bold`)
	}
	if c.trend {
		w.raw(` tr`)
	}
	if c.dashed {
		w.raw(` dash`)
	}
	w.path(c)
}

// path ends the tag of a curve with where it leads.
func (w *htmlPainter) path(c curve) {
	w.raw(`" d="`)
	pen := pen{htmlPainter: w}
	for i, p := range c.points {
		if i == 0 || p.broken {
			pen.move(p.x, p.y)
			if len(c.points) > 1 && (i+1 == len(c.points) || c.points[i+1].broken) {
				pen.line(p.x, p.y) // a point alone
			}
		} else {
			pen.line(p.x, p.y)
		}
	}
	if c.title == "" {
		w.raw(`"/>`)
		return
	}
	w.raw(`"><title>`)
	w.esc(c.title)
	w.raw(`</title></path>`)
}

// A pen draws the steps of a path, which are relative: short, and alike.
type pen struct {
	*htmlPainter
	at    geo.Point
	drawn bool // the last step was a line
}

func (p *pen) move(x, y int) {
	p.at, p.drawn = geo.Point{X: int32(x), Y: int32(y)}, false
	p.raw(`M`)
	p.pair(p.at)
}

func (p *pen) line(x, y int) {
	to := geo.Point{X: int32(x), Y: int32(y)}
	if p.drawn {
		p.raw(` `)
	} else {
		p.raw(`l`)
	}
	p.pair(geo.Point{X: to.X - p.at.X, Y: to.Y - p.at.Y})
	p.at, p.drawn = to, true
}

func (w *htmlPainter) area(a area) {
	w.raw(`<path class="a`)
	w.num(int(a.color))
	if a.solid {
		w.raw(` s`)
	}
	w.raw(`" d="`)
	pen := pen{htmlPainter: w}
	if a.under != nil {
		for i, p := range a.points {
			if i == 0 {
				pen.move(p.x, p.y)
			} else {
				pen.line(p.x, p.y)
			}
		}
		for i := len(a.under) - 1; i >= 0; i-- {
			pen.line(a.under[i].x, a.under[i].y)
		}
		w.raw(`Z"/>`)
		return
	}
	// Every unbroken piece is closed down to the floor.
	for i, p := range a.points {
		if i == 0 || p.broken {
			pen.move(p.x, a.floor)
		}
		pen.line(p.x, p.y)
		if last := i+1 == len(a.points) || a.points[i+1].broken; last {
			pen.line(p.x, a.floor)
			w.raw(`Z`)
		}
	}
	w.raw(`"/>`)
}

func (w *htmlPainter) shape(s shape) {
	switch {
	case len(s.rings) == 0:
		return
	case s.hatched:
		if w.hatched&1 == 0 {
			w.hatched |= 1
			w.raw(`<pattern id="z0" width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
				`<path class="z" d="M0 0h12v12H0z"/><path class="z0" d="M0 0h4v12H0z"/></pattern>`)
		}
		w.raw(`<path fill="url(#z0)" d="`)
	case s.color >= heatColor:
		w.raw(`<path class="h`)
		w.num(int(s.color - heatColor))
		w.raw(`" d="`)
	case s.color > 0:
		w.raw(`<path class="f`)
		w.num(int(s.color))
		w.raw(`" d="`)
	default:
		w.raw(`<path class="land" d="`)
	}
	pen := pen{htmlPainter: w}
	for _, ring := range s.rings {
		pen.move(int(ring[0].X), int(ring[0].Y))
		for _, p := range ring[1:] {
			pen.line(int(p.X), int(p.Y))
		}
		w.raw(`z`)
	}
	w.raw(`"`)
	w.row(s.row)
	if len(s.title) == 0 {
		w.raw(`/>`)
		return
	}
	w.raw(`>`)
	w.title(s.title)
	w.raw(`</path>`)
}

// pair writes two numbers of a path, in as few characters as there can be: a minus parts them as well as a space.
func (w *htmlPainter) pair(p geo.Point) {
	if p.X < 0 && w.b[len(w.b)-1] == ' ' {
		w.b = w.b[:len(w.b)-1]
	}
	w.num(int(p.X))
	if p.Y >= 0 {
		w.raw(` `)
	}
	w.num(int(p.Y))
}

func (w *htmlPainter) label(l label) {
	w.raw(`<text`)
	if l.look != grouped {
		w.raw(` class="`)
		w.looks(l.look, l.anchor)
		w.raw(`"`)
	}
	w.attr(` x="`, l.x)
	w.attr(` y="`, l.y)
	if l.right != 0 {
		w.raw(` dx="`)
		w.num(l.right)
		w.raw(`"`)
	}
	if l.down != 0 {
		w.raw(` dy="`)
		w.num(l.down)
		w.raw(`"`)
	}
	w.raw(`>`)
	w.esc(l.text)
	w.raw(`</text>`)
}
