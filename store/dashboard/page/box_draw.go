package page

import (
	"strings"

	"service/store/dashboard"
)

// A boxPlot is where boxes stand.
type boxPlot struct {
	scale scale
	left  []string // names of the gridlines
	boxes []box    // from the ends of the whiskers
	names []namedLine
}

func (b *boxPanel) plot() boxPlot {
	e := noExtremes()
	add := func(v float64) {
		if b.onLog(dashboard.AxisY, v) {
			e.add(v)
		}
	}
	for _, f := range b.boxes {
		if f.there {
			add(f.low)
			add(f.high)
			add(f.median)
		}
	}
	for _, o := range b.far {
		add(o.value)
	}
	refs := b.onScale(b.lines(), dashboard.AxisY)
	for _, r := range refs {
		add(r.value)
	}
	format := orInteger(b.col)
	out := boxPlot{scale: b.yScale(e.lo, e.hi, false, format)}
	out.left = b.tickTexts(out.scale, format)
	fill := 0.5
	switch n := len(b.boxes); {
	case n == 1:
		fill = 0.16
	case n <= 3:
		fill = 0.32
	case n > 31: // on a phone there is little between them
		fill = 0.68
	}
	var marks []box
	for x, f := range b.boxes {
		at := box{b.middle(x) - fill/2*b.band, b.middle(x) + fill/2*b.band, b.up(out.scale, f.high), b.up(out.scale, f.low)}
		if out.boxes = append(out.boxes, at); f.there {
			marks = append(marks, at)
		}
	}
	out.names = b.nameLines(refs, out.scale, plotHeight, out.left, marks)
	return out
}

// up is where a value lies on a scale, from 0 at the top. What a logarithmic one has no
// place for lies below all others.
func (p *panel) up(s scale, v float64) float64 {
	if !p.onLog(dashboard.AxisY, v) {
		return 1
	}
	return s.at(v)
}

func (b *boxPanel) draw(c canvas) {
	s, plot := b.split, b.plot()
	c.axisName(b.col.Label, yAxis)
	c.picture(picture{
		title: b.title, says: b.summary, height: plotHeight, left: plot.left, places: places{columns: len(s.x), bands: true, at: b.at},
	})
	drawY(c, plot.scale, plot.left)
	for x, f := range b.boxes {
		if f.there {
			b.drawBox(c, plot, x)
		}
	}
	for _, o := range b.far {
		if b.drawn(dashboard.AxisY, o.value) {
			c.circle(circle{x: of(b.middle(o.at)), y: of(plot.scale.at(o.value)), radius: 2.5, color: b.color(0, o.at)})
		}
	}
	b.drawReferences(c, plot.names)
	b.drawLabels(c, plot.left)
	c.end()
}

// drawBox draws a box, as much of it as lies on the axis.
func (b *boxPanel) drawBox(c canvas, plot boxPlot, x int) {
	f, at, color := b.boxes[x], plot.boxes[x], b.color(0, x)
	r := b.spec.Range[dashboard.AxisY]
	if r.Min != nil && f.high < *r.Min || r.Max != nil && f.low > *r.Max || !b.onLog(dashboard.AxisY, f.high) {
		return
	}
	y1, y3 := b.up(plot.scale, f.q3), b.up(plot.scale, f.q1)
	middle := of(b.middle(x))
	for _, whisker := range [...][2]float64{{at.y1, y1}, {y3, at.y2}} {
		if whisker[0] < whisker[1] {
			c.line(line{x1: middle, x2: middle, y1: of(whisker[0]), y2: of(whisker[1]), stroke: thinLine, color: color})
		}
	}
	if y1 < y3 || f.q1 == f.q3 {
		c.rect(rect{
			x: of(at.x1), width: of(at.x2 - at.x1), y: of(y1), height: of(max(y3-y1, 0.003)),
			color: color, outlined: true, hatched: b.split.isPartial(x),
		})
	}
	if b.drawn(dashboard.AxisY, f.median) {
		y := of(plot.scale.at(f.median))
		c.line(line{x1: of(at.x1), x2: of(at.x2), y1: y, y2: y, stroke: boldLine, color: color})
	}
}

// sketch draws the boxes lying, one under another: ─ whiskers, ▒ the box, ┃ its median,
// · outliers.
func (b *boxPanel) sketch() []string {
	const wide = 32
	sc := b.plot().scale
	at := func(v float64) int { return min(int((1-b.up(sc, v))*wide), wide-1) }
	var names, lines []string
	for i := range b.boxes {
		names = append(names, b.words(0, b.grid.rows[i][0]))
	}
	room := widest(names)
	for i, f := range b.boxes {
		if !f.there {
			lines = append(lines, pad(names[i], room)+" "+strings.Repeat(" ", wide)+" "+string(none))
			continue
		}
		row := []rune(strings.Repeat(" ", wide))
		put := func(from, to float64, mark rune) {
			for k := at(from); k <= at(to); k++ {
				row[k] = mark
			}
		}
		for _, o := range b.far {
			if o.at == i && b.drawn(dashboard.AxisY, o.value) {
				row[at(o.value)] = '·'
			}
		}
		put(f.low, f.high, '─')
		put(f.q1, f.q3, '▒')
		put(f.median, f.median, '┃')
		lines = append(lines, pad(names[i], room)+" "+string(row)+" "+oneLine(b.page.amount(b.split.series[0].col.Format, f.exact[2])))
	}
	lines = most(lines, sketchRow, "rows")
	from, to := oneLine(b.page.short(orInteger(b.col), sc.lo)), oneLine(b.page.short(orInteger(b.col), sc.hi))
	return append(lines, pad("", room)+" "+from+strings.Repeat(" ", max(wide-cells(from)-cells(to), 1))+to)
}
