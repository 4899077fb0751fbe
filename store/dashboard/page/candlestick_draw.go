package page

import (
	"slices"
	"strings"

	"service/store/dashboard"
)

// A candlePlot is where candles stand.
type candlePlot struct {
	scale scale
	left  []string // names of the gridlines
	// margin is left with those of the bars below, which stand under the candles
	margin []string
	boxes  []box // from low to high
	names  []namedLine
}

func (b *candlePanel) plot() candlePlot {
	e := noExtremes()
	add := func(v float64) {
		if b.onLog(dashboard.AxisY, v) {
			e.add(v)
		}
	}
	for _, c := range b.candles {
		if c.there {
			add(c.low)
			add(c.high)
		}
	}
	for i := range b.over.series {
		for x, v := range b.over.value[i] {
			if b.over.has(i, x) {
				add(v)
			}
		}
	}
	refs := b.onScale(b.lines(), dashboard.AxisY)
	for _, r := range refs {
		add(r.value)
	}
	format := orInteger(*b.unit())
	out := candlePlot{scale: b.yScale(e.lo, e.hi, false, format)}
	out.left = b.tickTexts(out.scale, format)
	out.margin = out.left
	if b.volume != nil {
		out.margin = slices.Concat(out.left, b.volume.texts)
	}
	fill := 0.7
	switch n := len(b.candles); {
	case n == 1:
		fill = 0.1
	case n <= 3:
		fill = 0.25
	}
	var marks []box
	for x, c := range b.candles {
		at := box{b.middle(x) - fill/2*b.band, b.middle(x) + fill/2*b.band, b.up(out.scale, c.high), b.up(out.scale, c.low)}
		if out.boxes = append(out.boxes, at); c.there {
			marks = append(marks, at)
		}
	}
	out.names = b.nameLines(refs, out.scale, plotHeight, out.left, marks)
	return out
}

// colors are those of rises, of falls, and of candles that close where they open.
func (b *candlePanel) wayColors() [3]color {
	up, down := b.signColors(b.unit())
	return [...]color{up, down, otherColor}
}

// way is the place of a candle's colour.
func (c *candle) way() int { return [...]int{1, 2, 0}[1+c.rises()] }

func (b *candlePanel) draw(c canvas) {
	s, plot := b.split, b.plot()
	b.drawKey(c)
	c.picture(picture{
		title: b.title, says: b.summary, height: plotHeight, left: plot.margin, places: places{columns: len(s.x), bands: true, at: b.at},
	})
	drawY(c, plot.scale, plot.left)
	for x := range b.candles {
		if b.candles[x].there {
			b.drawCandle(c, plot, x)
		}
	}
	b.drawOver(c, plot.scale)
	b.drawEvents(c)
	b.drawReferences(c, plot.names)
	b.nameEvents(c, plot.margin, plot.names)
	b.drawLabels(c, plot.margin)
	c.end()
	b.drawVolume(c, plot)
}

// drawKey says what colours and fills mean.
func (b *candlePanel) drawKey(c canvas) {
	if b.ranges && len(b.over.series) == 0 {
		return
	}
	var has [3]bool
	for i := range b.candles {
		if b.candles[i].there {
			has[b.candles[i].way()] = true
		}
	}
	names := [...]string{b.page.Text("Rise"), b.page.Text("Fall"), b.page.Text("Unchanged")}
	c.list(keyList)
	for i, color := range b.wayColors() {
		if has[i] && !b.ranges {
			c.item(item{color: color, pale: i == 0, name: names[i]})
			c.end()
		}
	}
	for _, se := range b.over.series {
		c.item(item{color: se.color, line: true, name: se.name})
		c.end()
	}
	c.end()
}

// drawCandle draws a candle, as much of it as lies on the axis: a rise is pale inside,
// a fall is not.
func (b *candlePanel) drawCandle(c canvas, plot candlePlot, x int) {
	k, at := &b.candles[x], plot.boxes[x]
	r := b.spec.Range[dashboard.AxisY]
	if r.Min != nil && k.high < *r.Min || r.Max != nil && k.low > *r.Max || !b.onLog(dashboard.AxisY, k.high) {
		return
	}
	body := rect{x: of(at.x1), width: of(at.x2 - at.x1), hatched: b.split.isPartial(x)}
	if b.ranges {
		body.y, body.height, body.color = of(at.y1), of(max(at.y2-at.y1, 0.006)), b.split.series[0].color
		c.rect(body)
		return
	}
	way := k.way()
	body.color, body.outlined = b.wayColors()[way], way == 0
	y1, y2 := b.up(plot.scale, max(k.open, k.close)), b.up(plot.scale, min(k.open, k.close))
	middle := of(b.middle(x))
	for _, wick := range [...][2]float64{{at.y1, y1}, {y2, at.y2}} {
		if wick[0] < wick[1] {
			c.line(line{x1: middle, x2: middle, y1: of(wick[0]), y2: of(wick[1]), stroke: thinLine, color: body.color})
		}
	}
	if r.Min != nil && max(k.open, k.close) < *r.Min || r.Max != nil && min(k.open, k.close) > *r.Max {
		return // the wick alone reaches the axis
	}
	body.y, body.height = of(y1), of(max(y2-y1, 0.006))
	c.rect(body)
}

// sketch draws the candles side by side: ░ a rise, █ a fall or a range, │ how far it goes.
func (b *candlePanel) sketch() []string {
	const high, wide = 8, 46
	sc := b.plot().scale
	var ks []candle
	n := min(len(b.candles), wide) // neighbours are one where there are too many
	for i := range n {
		var k candle
		for _, next := range b.candles[i*len(b.candles)/n : (i+1)*len(b.candles)/n] {
			if next.there {
				k.join(next)
			}
		}
		if b.ranges {
			k.open, k.close = k.low, k.high
		}
		ks = append(ks, k)
	}
	row := func(v float64) int { return min(int(b.up(sc, v)*high), high-1) } // from the top
	grid := make([][]rune, high)
	for y := range grid {
		grid[y] = []rune(strings.Repeat(" ", len(ks)))
	}
	for x, k := range ks {
		if !k.there {
			continue
		}
		mark := '█'
		if !b.ranges && k.rises() > 0 {
			mark = '░'
		}
		for y := row(k.high); y <= row(k.low); y++ {
			grid[y][x] = '│'
		}
		for y := row(max(k.open, k.close)); y <= row(min(k.open, k.close)); y++ {
			grid[y][x] = mark
		}
	}
	format := orInteger(*b.unit())
	top, bottom := oneLine(b.page.short(format, sc.hi)), oneLine(b.page.short(format, sc.lo))
	margin := max(cells(top), cells(bottom))
	var lines []string
	for y, runes := range grid {
		name := map[int]string{0: top, high - 1: bottom}[y]
		lines = append(lines, strings.Repeat(" ", margin-cells(name))+name+" "+string(runes))
	}
	from, to := b.words(0, b.grid.rows[0][0]), b.words(0, b.grid.rows[len(b.grid.rows)-1][0])
	if len(b.grid.rows) == 1 {
		to = ""
	}
	lines = append(lines, strings.Repeat(" ", margin+1)+from+strings.Repeat(" ", max(len(ks)-cells(from)-cells(to), 1))+to)
	if b.ranges {
		return lines
	}
	return append(lines, strings.Repeat(" ", margin+1)+"░ rise  █ fall  │ low to high")
}
