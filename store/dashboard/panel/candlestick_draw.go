package panel

import (
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/format"
)

// chart returns the chart of the candles, with lines over them. Rises are pale inside, falls are filled.
func (b *candlePanel) chart() *chart.Chart {
	h := b.newChart(*b.unit())
	h.Key, h.Refs, h.Events, h.Below = b.key(), b.lines(), b.chartEvents(), b.volumeChart()
	b.Env.overSlots(h, b.split, &b.slots)
	candles, colors := &chart.Spans{Least: 0.006}, b.wayColors()
	for x := range b.candles {
		k := &b.candles[x]
		if !k.there {
			continue
		}
		s := chart.Span{
			Middle: b.slots.Middle(x), Width: b.wide(), Low: k.low, From: min(k.open, k.close), To: max(k.open, k.close), High: k.high,
			Color: colors[k.way()], Outlined: k.way() == 0, Hatched: b.split.isPartial(x),
		}
		if b.ranges {
			s.From, s.To, s.Color, s.Outlined = k.low, k.high, b.split.series[0].color, false
		}
		candles.Spans = append(candles.Spans, s)
	}
	middles := b.slots.Middles()
	h.Under = []chart.Layer{candles, &chart.Lines{Lines: b.over.lines(middles), Over: true, Light: true}}
	h.Over = slices.Concat(b.beforeLayer(middles, true), b.fitted.layer())
	if b.toned != nil {
		h.Over = append(h.Over, toneDots(b.toned, middles, b.closes().value[0], false)...)
	}
	if b.labelled() {
		if h.Values, h.Over = chart.AnyValues, append(h.Over, b.lastValue()); !h.Y.Log {
			h.Y.Pad = chart.ValueRoom / b.plotHeight()
		}
	}
	return h
}

// lastValue returns the mark with the last candle's close, or the upper end of the last range, above it.
func (b *candlePanel) lastValue() chart.ValueMarks {
	for x := range slices.Backward(b.candles) {
		if k := &b.candles[x]; k.there {
			format, v := format.OrInteger(*b.unit()), k.exact[candleClose]
			if b.ranges {
				v = k.exact[candleHigh]
			}
			texts := [2]string{b.Env.Amount(format, v), b.Env.Short(format, k.close)}
			return chart.ValueMarks{{X: b.slots.Middle(x), Value: k.high, Texts: texts}}
		}
	}
	return nil
}

// wide returns the width of a candle as a fraction of the width of the plot.
func (b *candlePanel) wide() float64 {
	return chart.ShareOf(len(b.candles), 0.1, 0.25, 0.7, 0.7) * b.slots.Band
}

// wayColors returns the colours of rises, of falls, and of candles that close at their open.
func (b *candlePanel) wayColors() [3]canvas.Color {
	up, down := b.Env.signColors(b.unit())
	return [...]canvas.Color{up, down, canvas.OtherColor}
}

// way returns the index of a candle's colour.
func (c *candle) way() int { return [...]int{1, 2, 0}[1+c.rises()] }

func (b *candlePanel) plotted() *chart.Chart { return b.chart() }

func (b *candlePanel) Draw(c canvas.Canvas) { b.chart().Draw(c) }

// key returns the legend of colours and fills.
func (b *candlePanel) key() *chart.Key {
	var has [3]bool
	for i := range b.candles {
		if b.candles[i].there {
			has[b.candles[i].way()] = true
		}
	}
	names := [...]string{b.Env.Text("Rise"), b.Env.Text("Fall"), b.Env.Text("Unchanged")}
	var out *chart.Key
	add := func(it canvas.Item) {
		if out == nil {
			out = &chart.Key{Kind: canvas.KeyList}
		}
		out.Items = append(out.Items, it)
	}
	for i, color := range b.wayColors() {
		if has[i] && !b.ranges {
			add(canvas.Item{Color: color, Pale: i == 0, Name: names[i]})
		}
	}
	for _, se := range b.over.series {
		add(canvas.Item{Color: se.color, Line: true, Name: se.name})
	}
	return b.tones.addTo(b.fitted.addTo(b.before.addTo(out)))
}
