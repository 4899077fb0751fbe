package page

import (
	"time"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/format"
)

// lying reports whether the bars lie, so that each has room for its name.
func (w *waterfallPanel) lying() bool {
	return w.spec.Horizontal || !w.axis.ordered && len(w.bars) > mostStanding
}

func (w *waterfallPanel) Draw(c canvas.Canvas) {
	if w.lying() {
		if w.family == nil {
			w.key().Draw(c)
		}
		w.drawRows(c)
		return
	}
	w.chart().Draw(c)
}

func (w *waterfallPanel) plotted() *chart.Chart {
	if w.lying() {
		return nil
	}
	return w.chart()
}

func (w *waterfallPanel) keyAbove() *chart.Key { return w.key() }

// chart is the bars on one another, with lines from each to the next.
func (w *waterfallPanel) chart() *chart.Chart {
	h := w.newChart(w.col)
	h.Key, h.Y.Zero = w.key(), true
	switch {
	case w.labelled():
		h.Values = chart.AnyValues
	case w.spec.Labels == nil && len(w.bars) <= fewValues:
		h.Values = chart.AllValues
	}
	h.Places = canvas.Places{Columns: len(w.bars), Bands: true}
	w.nameBars(&h.X)
	n, bars, fill := float64(len(w.bars)), &chart.Bars{Least: chart.LeastBar}, chart.ShareOf(len(w.bars), 0.2, 0.5, 0.72, 0.72)
	for i := range w.bars {
		b := &w.bars[i]
		one := chart.Bar{
			X1: (float64(i) + (1-fill)/2) / n, X2: (float64(i) + (1+fill)/2) / n, From: b.from, To: b.to,
			Color: b.color, None: b.exact == nil, At: chart.OverBar,
		}
		if b.exact != nil && h.Values != chart.NoValues {
			one.Texts = &[2]string{b.text(w.env.Amount(format.OrInteger(w.col), b.exact)), b.text(w.env.Short(format.OrInteger(w.col), b.value))}
		}
		bars.Bars = append(bars.Bars, one)
	}
	h.Under = []chart.Layer{bars, &chart.Links{Bars: bars.Bars}}
	return h
}

// key is what the colours mean.
func (w *waterfallPanel) key() *chart.Key {
	colors := w.colors()
	var has [3]bool
	for _, b := range w.bars {
		switch {
		case b.total:
			has[2] = has[2] || b.color == canvas.OtherColor
		case b.value > 0:
			has[0] = has[0] || b.color == colors[0]
		case b.value < 0:
			has[1] = has[1] || b.color == colors[1]
		}
	}
	out := &chart.Key{Kind: canvas.KeyList}
	for i, it := range [...]canvas.Item{
		{Color: colors[0], Name: w.env.Text("Increase")},
		{Color: colors[1], Name: w.env.Text("Decrease")},
		{Color: canvas.OtherColor, Name: w.env.Text("Total")},
	} {
		if has[i] {
			out.Items = append(out.Items, it)
		}
	}
	return out
}

// nameBars names the bars on their axis.
func (w *waterfallPanel) nameBars(a *chart.Axis) {
	full := make([]string, len(w.bars))
	for i, b := range w.bars {
		full[i] = b.name
		if t, ok := b.cat.Value.(time.Time); ok && w.times {
			full[i] = w.env.bandTick(&w.axis, i, t)
		}
		full[i] = canvas.ClipLabel(full[i], 3*chart.LongestLabel)
	}
	if a.Bands = w.axis.bandNames(full); len(w.bars) > 40 {
		cut := a.Bands.Cut
		a.Bands, a.Labels = nil, func(width float64) []chart.Label { return chart.EveryNth(cut, chart.Bands(len(cut)), width) }
	}
}

// drawRows draws the bars as a list: name, value, and where the bar begins and ends.
func (w *waterfallPanel) drawRows(c canvas.Canvas) {
	lo, hi := w.lo, w.hi
	if stat.Flat(lo, hi) {
		lo, hi = 0, 1
	}
	at := func(v float64) float64 { return min(max(chart.Within(v, lo, hi), 0), 1) }
	c.List(canvas.BarList)
	ways := w.ways()
	for i := range w.bars {
		b := &w.bars[i]
		c.Item(canvas.Item{Name: b.name, Value: b.text(w.amount(b.exact)), Way: ways.of(w.grid.cols[0].mark(w.grid.rows[i][0]))})
		c.Picture(canvas.Picture{Kind: canvas.StripPicture, Height: 10})
		if lo < 0 && hi > 0 {
			c.Rect(canvas.Rect{X: canvas.Of(at(0)), Width: canvas.Px(1), Height: canvas.Px(10), Color: canvas.OtherColor})
		}
		from, to := at(min(b.from, b.to)), at(max(b.from, b.to))
		if b.exact != nil {
			c.Rect(canvas.Rect{
				X: canvas.Of(min(from, 0.996)), Width: canvas.Of(max(to-from, 0.004)), Height: canvas.Px(10), Round: 2, Color: b.color,
			})
		}
		c.End()
		c.End()
	}
	c.End()
}
