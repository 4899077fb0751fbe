package page

import "strings"

// chart is the candles, of which a rise is pale inside and a fall is not, with lines over them.
func (b *candlePanel) chart() *chart {
	h := b.newChart(orInteger(*b.unit()))
	h.key, h.refs, h.events, h.below = b.key(), b.lines(), b.chartEvents(), b.volumeChart()
	b.overSlots(h, b.split, &b.slots)
	candles, colors := &spanLayer{least: 0.006}, b.wayColors()
	for x := range b.candles {
		k := &b.candles[x]
		if !k.there {
			continue
		}
		s := spanMark{
			middle: b.slots.middle(x), width: b.wide(), low: k.low, from: min(k.open, k.close), to: max(k.open, k.close), high: k.high,
			color: colors[k.way()], outlined: k.way() == 0, hatched: b.split.isPartial(x),
		}
		if b.ranges {
			s.from, s.to, s.color, s.outlined = k.low, k.high, b.split.series[0].color, false
		}
		candles.spans = append(candles.spans, s)
	}
	h.under = []layer{candles, &lineLayer{lines: b.over.lines(b.slots.middles()), over: true, light: true}}
	return h
}

// wide is how wide a candle is.
func (b *candlePanel) wide() float64 {
	return shareOf(len(b.candles), 0.1, 0.25, 0.7, 0.7) * b.slots.band
}

// colors are those of rises, of falls, and of candles that close where they open.
func (b *candlePanel) wayColors() [3]color {
	up, down := b.signColors(b.unit())
	return [...]color{up, down, otherColor}
}

// way is the place of a candle's colour.
func (c *candle) way() int { return [...]int{1, 2, 0}[1+c.rises()] }

func (b *candlePanel) draw(c canvas) { b.chart().draw(c) }

// key is what colours and fills mean.
func (b *candlePanel) key() *key {
	if b.ranges && len(b.over.series) == 0 {
		return nil
	}
	var has [3]bool
	for i := range b.candles {
		if b.candles[i].there {
			has[b.candles[i].way()] = true
		}
	}
	names := [...]string{b.page.Text("Rise"), b.page.Text("Fall"), b.page.Text("Unchanged")}
	out := &key{kind: keyList}
	for i, color := range b.wayColors() {
		if has[i] && !b.ranges {
			out.items = append(out.items, item{color: color, pale: i == 0, name: names[i]})
		}
	}
	for _, se := range b.over.series {
		out.items = append(out.items, item{color: se.color, line: true, name: se.name})
	}
	return out
}

// sketch draws the candles side by side: ░ a rise, █ a fall or a range, │ how far it goes.
func (b *candlePanel) sketch() []string {
	const high, wide = 8, 46
	sc := b.chart().lay().axes[axisY]
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
	row := func(v float64) int { return min(int(sc.up(v)*high), high-1) } // from the top
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
