package panel

import (
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/format"
)

// horizontal reports whether the bars are horizontal, so that each name fits.
func (w *waterfallPanel) horizontal() bool {
	return w.Spec.Horizontal || !w.axis.ordered && len(w.bars) > mostStanding
}

func (w *waterfallPanel) Draw(c canvas.Canvas) {
	if w.horizontal() {
		if w.family == nil {
			w.key().Draw(c)
		}
		w.drawRows(c)
		return
	}
	w.chart().Draw(c)
}

func (w *waterfallPanel) plotted() *chart.Chart {
	if w.horizontal() {
		return nil
	}
	return w.chart()
}

func (w *waterfallPanel) keyAbove() *chart.Key { return w.key() }

// chart returns the chart of the bars, with lines from each to the next.
func (w *waterfallPanel) chart() *chart.Chart {
	h := w.newChart(w.col)
	h.Key, h.Y.Zero, h.Refs, h.Events = w.key(), true, w.lines(), w.chartEvents()
	if h.Y.Min, h.Y.Max = w.bounds(); h.Y.Min != nil && *h.Y.Min > 0 {
		h.Y.Zero = false
	}
	switch {
	case w.labelled():
		h.Values = chart.AnyValues
	case w.Spec.Labels == nil && len(w.bars) <= fewValues:
		h.Values = chart.AllValues
	}
	h.Places = canvas.Places{Columns: len(w.bars), Bands: true}
	w.nameBars(&h.X)
	if !w.Spec.Upright {
		h.Row = plainRow
	}
	n, bars, fill := float64(len(w.bars)), &chart.Bars{Least: chart.LeastBar}, chart.ShareOf(len(w.bars), 0.2, 0.5, 0.72, 0.72)
	of := format.OrInteger(w.col)
	var values [2][]float64 // of the changes, which have a sign, and of the totals
	for i := range w.bars {
		k := stat.One(w.bars[i].total)
		values[k] = append(values[k], w.bars[i].value)
	}
	write := [...]writer{w.Env.atMarks(of, values[0]), w.Env.atMarks(of, values[1])}
	for i := range w.bars {
		b := &w.bars[i]
		one := chart.Bar{
			X1: (float64(i) + (1-fill)/2) / n, X2: (float64(i) + (1+fill)/2) / n, From: b.from, To: b.to,
			Color: b.color, None: b.exact == nil, At: chart.OverBar, Bare: b.color >= canvas.HeatColor,
		}
		if b.exact != nil && h.Values != chart.NoValues {
			amount := func(number string) string { return b.text(format.Accounts(w.col, number)) }
			texts := write[stat.One(b.total)](b.exact, b.value)
			one.Texts = &[2]string{amount(texts[0]), amount(texts[1])}
		}
		bars.Bars = append(bars.Bars, one)
	}
	h.Under = []chart.Layer{bars, &chart.Links{Bars: bars.Bars}}
	return h
}

// key returns the legend of the colours.
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
		{Color: colors[0], Name: w.Env.Text("Increase")},
		{Color: colors[1], Name: w.Env.Text("Decrease")},
		{Color: canvas.OtherColor, Name: w.Env.Text("Total")},
	} {
		if has[i] {
			out.Items = append(out.Items, it)
		}
	}
	if w.horizontal() {
		for _, r := range w.onScale(w.lines(), dashboard.AxisY) {
			out.Items = append(out.Items, r.Item(true))
		}
	}
	return w.tones.addTo(out)
}

// nameBars sets the names of the bars on their axis.
func (w *waterfallPanel) nameBars(a *chart.Axis) {
	full := make([]string, len(w.bars))
	for i, b := range w.bars {
		full[i] = b.name
		if t, ok := b.cat.Value.(time.Time); ok && w.times {
			full[i] = w.Env.bandTick(&w.axis, i, t)
		}
		full[i] = canvas.ClipLabel(full[i], 3*chart.LongestLabel)
	}
	if a.Bands = w.axis.bandNames(full); len(w.bars) > 40 {
		cut := canvas.ClipNames(full, chart.LongestLabel)
		a.Bands, a.Labels = nil, func(width float64) []chart.Label { return chart.EveryNth(cut, chart.Bands(len(cut)), width) }
	}
}

// drawRows draws the bars as a list: name, value, and the bar with its ends.
func (w *waterfallPanel) drawRows(c canvas.Canvas) {
	refs := w.onScale(w.lines(), dashboard.AxisY)
	at := w.rowScale(refs)
	c.List(canvas.BarList)
	ways := w.Ways()
	for i := range w.bars {
		b := &w.bars[i]
		c.Item(canvas.Item{Name: b.name, Value: b.text(w.amount(b.exact)), Way: ways.Of(w.Grid.Columns[0].Mark(w.Grid.Rows[i][0]))})
		c.Picture(canvas.Picture{Kind: canvas.StripPicture, Height: 10})
		for _, r := range refs {
			if from, to := r.Ends(); r.Shaded {
				c.Rect(canvas.Rect{X: canvas.Of(at(from)), Width: canvas.Of(at(to) - at(from)), Height: canvas.Of(1), Shade: true, Tone: r.Tone})
			}
		}
		if w.lo < 0 && w.hi > 0 {
			c.Rect(canvas.Rect{X: canvas.Of(at(0)), Width: canvas.Px(1), Height: canvas.Px(10), Color: canvas.OtherColor})
		}
		from, to := at(min(b.from, b.to)), at(max(b.from, b.to))
		if b.exact != nil {
			c.Rect(canvas.Rect{
				X: canvas.Of(min(from, 0.996)), Width: canvas.Of(max(to-from, 0.004)), Height: canvas.Px(10), Round: 2, Color: b.color,
				Bare: b.color >= canvas.HeatColor,
			})
			w.drawRowCuts(c, b)
		}
		for _, r := range refs {
			if !r.Shaded {
				c.Line(canvas.Line{X1: canvas.Of(at(r.Value)), X2: canvas.Of(at(r.Value)), Y2: canvas.Of(1), Stroke: canvas.MarkLine, Tone: r.Tone})
			}
		}
		c.End()
		c.End()
	}
	c.End()
}
