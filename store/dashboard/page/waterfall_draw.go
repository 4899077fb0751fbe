package page

import (
	"strings"
	"time"
)

// lying reports whether the bars lie, so that each has room for its name.
func (w *waterfallPanel) lying() bool {
	return w.spec.Horizontal || !w.axis.ordered && len(w.bars) > mostStanding
}

func (w *waterfallPanel) draw(c canvas) {
	w.drawKey(c)
	if w.lying() {
		w.drawRows(c)
		return
	}
	plot := w.plot()
	c.picture(picture{
		title: w.title, says: w.summary, height: plotHeight, left: plot.left, places: places{columns: len(w.bars), bands: true},
	})
	drawY(c, plot.scale, plot.left)
	for i, b := range plot.boxes {
		if w.bars[i].exact == nil {
			continue
		}
		c.rect(rect{x: of(b.x1), width: of(b.x2 - b.x1), y: of(b.y1), height: of(max(b.y2-b.y1, 0.003)), color: w.bars[i].color})
	}
	for _, l := range plot.links {
		c.line(line{x1: of(l.x1), x2: of(l.x2), y1: of(l.y1), y2: of(l.y2), stroke: linkLine})
	}
	drawValues(c, w.values(plot))
	w.drawNames(c, plot.left)
	c.end()
}

// drawKey says what the colours mean.
func (w *waterfallPanel) drawKey(c canvas) {
	colors := w.colors()
	var has [3]bool
	for _, b := range w.bars {
		switch {
		case b.total:
			has[2] = has[2] || b.color == otherColor
		case b.value > 0:
			has[0] = has[0] || b.color == colors[0]
		case b.value < 0:
			has[1] = has[1] || b.color == colors[1]
		}
	}
	c.list(keyList)
	for i, it := range [...]item{
		{color: colors[0], name: w.page.Text("Increase")},
		{color: colors[1], name: w.page.Text("Decrease")},
		{color: otherColor, name: w.page.Text("Total")},
	} {
		if has[i] {
			c.item(it)
			c.end()
		}
	}
	c.end()
}

// A fallPlot is where the bars stand.
type fallPlot struct {
	scale scale
	left  []string // names of the gridlines
	boxes []box
	links []segment // between the end of a bar and the next
}

func (w *waterfallPanel) plot() fallPlot {
	format := orInteger(w.col)
	out := fallPlot{scale: newScale(w.lo, w.hi, true, format)}
	out.left = w.tickTexts(out.scale, format)
	n := float64(len(w.bars))
	fill := 0.72
	switch len(w.bars) {
	case 1:
		fill = 0.2
	case 2, 3:
		fill = 0.5
	}
	for i, b := range w.bars {
		y1, y2 := out.scale.at(max(b.from, b.to)), out.scale.at(min(b.from, b.to))
		at := box{(float64(i) + (1-fill)/2) / n, (float64(i) + (1+fill)/2) / n, y1, y2}
		if i > 0 {
			y := out.scale.at(w.bars[i-1].to)
			out.links = append(out.links, segment{out.boxes[i-1].x2, y, at.x1, y})
		}
		if b.exact == nil { // nothing stands there, and the line goes on
			y := out.scale.at(b.to)
			out.links = append(out.links, segment{at.x1, y, at.x2, y})
		}
		out.boxes = append(out.boxes, at)
	}
	return out
}

// drawNames names the bars.
func (w *waterfallPanel) drawNames(c canvas, left []string) {
	full := make([]string, len(w.bars))
	for i, b := range w.bars {
		full[i] = b.name
		if t, ok := b.cat.Value.(time.Time); ok && w.times {
			full[i] = w.page.bandTick(&w.axis, i, t)
		}
		full[i] = clipLabel(full[i], 3*longestLabel)
	}
	cut := clipNames(full, longestLabel)
	b := &barPanel{panel: w.panel, split: &w.axis}
	if len(w.bars) > 40 {
		drawX(c, w.tiersOf(left, func(width float64) []xLabel { return everyNth(cut, bands(len(cut)), width) }))
		return
	}
	b.drawNames(c, left, full, cut)
}

// values are what is written above the bars.
func (w *waterfallPanel) values(plot fallPlot) placedValues {
	if !w.labelled() && (w.spec.Labels != nil || len(w.bars) > fewValues) {
		return placedValues{}
	}
	c := crowd{marks: plot.boxes, lines: plot.links}
	var values []markValue
	for i := range w.bars {
		b, at := &w.bars[i], plot.boxes[i]
		if b.exact == nil {
			continue
		}
		texts := [2]string{b.text(w.amount(b.exact)), b.text(w.page.short(orInteger(w.col), b.value))}
		values = append(values, markValue{x: (at.x1 + at.x2) / 2, y: at.y1, texts: texts, ways: aboveBar})
	}
	return w.placeValues(values, c, plot.left, plotHeight)
}

// drawRows draws the bars as a list: name, value, and where the bar begins and ends.
func (w *waterfallPanel) drawRows(c canvas) {
	lo, hi := w.lo, w.hi
	if flat(lo, hi) {
		lo, hi = 0, 1
	}
	at := func(v float64) float64 { return min(max(within(v, lo, hi), 0), 1) }
	c.list(barList)
	ways := w.ways()
	for i := range w.bars {
		b := &w.bars[i]
		c.item(item{name: b.name, value: b.text(w.amount(b.exact)), way: ways.of(w.grid.cols[0].mark(w.grid.rows[i][0]))})
		c.picture(picture{kind: stripPicture, height: 10})
		if lo < 0 && hi > 0 {
			c.rect(rect{x: of(at(0)), width: px(1), height: px(10), color: otherColor})
		}
		from, to := at(min(b.from, b.to)), at(max(b.from, b.to))
		if b.exact != nil {
			c.rect(rect{x: of(min(from, 0.996)), width: of(max(to-from, 0.004)), height: px(10), round: 2, color: b.color})
		}
		c.end()
		c.end()
	}
	c.end()
}

// sketch draws the bars one under another: █ up, ░ down, ▓ a total.
func (w *waterfallPanel) sketch() []string {
	const wide = 26
	names, values := make([]string, len(w.bars)), make([]string, len(w.bars))
	for i := range w.bars {
		names[i], values[i] = oneLine(w.bars[i].name), oneLine(w.bars[i].text(w.amount(w.bars[i].exact)))
	}
	room := widest(names)
	var lines []string
	for i, b := range w.bars {
		from, to := step(min(b.from, b.to), w.lo, w.hi, wide), step(max(b.from, b.to), w.lo, w.hi, wide)
		mark := "█"
		switch {
		case b.total:
			mark = "▓"
		case b.value < 0:
			mark = "░"
		}
		drawn := strings.Repeat(" ", from) + strings.Repeat(mark, to-from+1)
		switch {
		case b.exact == nil:
			drawn = ""
		case b.value == 0:
			drawn = strings.Repeat(" ", from) + "│"
		}
		lines = append(lines, pad(names[i], room)+" "+pad(drawn, wide)+" "+values[i])
	}
	if n := len(lines); n > sketchRow { // what it comes to is worth more than one more change
		lines = append(most(lines[:n-1], sketchRow, "rows"), lines[n-1])
	}
	return lines
}
