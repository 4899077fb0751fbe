package page

import (
	"service/store/dashboard/canvas"
)

// chart is the candles, of which a rise is pale inside and a fall is not, with lines over them.
func (b *candlePanel) chart() *chart {
	h := b.newChart(*b.unit())
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
func (b *candlePanel) wayColors() [3]canvas.Color {
	up, down := b.signColors(b.unit())
	return [...]canvas.Color{up, down, canvas.OtherColor}
}

// way is the place of a candle's colour.
func (c *candle) way() int { return [...]int{1, 2, 0}[1+c.rises()] }

func (b *candlePanel) draw(c canvas.Canvas) { b.chart().draw(c) }

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
	out := &key{kind: canvas.KeyList}
	for i, color := range b.wayColors() {
		if has[i] && !b.ranges {
			out.items = append(out.items, canvas.Item{Color: color, Pale: i == 0, Name: names[i]})
		}
	}
	for _, se := range b.over.series {
		out.items = append(out.items, canvas.Item{Color: se.color, Line: true, Name: se.name})
	}
	return out
}
