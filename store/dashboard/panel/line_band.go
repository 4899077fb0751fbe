package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/encode"
)

// findBand takes the ends of the band from the split, adds them to the table behind, and adds the sentence about them. The band has gaps
// where one of its ends is missing, and where periods without rows break lines.
func (p *linePanel) findBand() {
	s := p.split
	lower, upper, ok := p.bandEnds()
	if !ok {
		return
	}
	low, high := *lower, *upper
	b := *s
	b.series, b.value, b.exact, b.null, b.broken = nil, nil, nil, nil, nil
	for _, a := range [...]aside{low, high} {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *a.col})
		exact, null := make([]any, len(s.x)), make([]bool, len(s.x))
		for x := range s.x {
			p.Grid.Rows[x] = append(p.Grid.Rows[x], a.exact[x])
			on := p.onLog(dashboard.AxisY, low.value[x]) && p.onLog(dashboard.AxisY, high.value[x])
			if exact[x] = a.exact[x]; !low.has(x) || !high.has(x) || !on {
				exact[x], null[x] = nil, s.has(0, x) || low.has(x) || high.has(x)
			}
		}
		b.series = append(b.series, seriesOf{name: a.col.Label, color: p.bandColor(), col: a.col})
		b.value, b.exact, b.null = append(b.value, a.value), append(b.exact, exact), append(b.null, null)
	}
	p.band = &b
	p.gapsOf(&b).findGaps(&b, false)
	p.sayBand(low, high)
}

// sayBand reports how many values of the line are outside of the band, and at how many places its ends are swapped.
func (p *linePanel) sayBand(low, high aside) {
	s := p.split
	outside, of, reversed, both, half := 0, 0, 0, 0, 0
	for x := range s.x {
		if !low.has(x) || !high.has(x) {
			half += stat.One(low.has(x) || high.has(x))
			continue
		}
		both++
		lo, hi := low.value[x], high.value[x]
		if lo > hi {
			reversed++
			lo, hi = hi, lo
		}
		if s.has(0, x) {
			if of++; s.value[0][x] < lo || s.value[0][x] > hi {
				outside++
			}
		}
	}
	switch {
	case both == 0:
		p.bandless = true
		p.sayNoBand(low, high)
	case half > 0:
		p.report(encode.NotedCount(half, "At %d place only one end of the band has a value; the band is not drawn there.",
			"At %d places only one end of the band has a value; the band is not drawn there.").
			Warned(dashboard.WarnLeftOut, "band", `places where only one of "%s" and "%s" has a value, so that the band is not drawn: %d of %d.`,
				low.col.Name, high.col.Name, half, len(s.x)))
	}
	if of > 0 {
		p.Summary += " " + p.Env.Text("%s: %s of %s values outside.", p.bandLines()[0].Text,
			p.Env.Number(float64(outside), 0), p.Env.Number(float64(of), 0))
	}
	if reversed > 0 {
		p.report(encode.NotedCount(reversed, "At %d place the low end of the band is above the high one.",
			"At %d places the low end of the band is above the high one.").
			Warned(dashboard.WarnDoubtful, "band", `places where "%s" is above "%s": %d; the ends of the band may be the wrong way round.`,
				low.col.Name, high.col.Name, reversed))
	}
}

// sayNoBand reports that the band is not drawn at all, and how many places have a value of each end.
func (p *linePanel) sayNoBand(low, high aside) {
	count := func(a aside) (n int) {
		for x := range p.split.x {
			n += stat.One(a.has(x))
		}
		return n
	}
	p.report(encode.Noted("The band is not drawn: no place has both %s and %s.", low.col.Label, high.col.Label).
		Warned(dashboard.WarnLeftOut, "band", `the band is not drawn: of %d places, "%s" has a value at %d and "%s" at %d, and none has both.`,
			len(p.split.x), low.col.Name, count(low), high.col.Name, count(high)))
}

// bandLines returns the band's item of a legend; nil for none.
func (p *linePanel) bandLines() []chart.Reference {
	low, high, ok := p.bandEnds()
	if !ok || p.bandless {
		return nil
	}
	text := canvas.Clip(p.Spec.Band.Label, 60)
	if text == "" {
		text = canvas.Clip(low.col.Label, 40) + " – " + canvas.Clip(high.col.Label, 40)
	}
	return []chart.Reference{{Text: text, Band: p.bandColor()}}
}

// bandColor returns the colour of the band: the one that the spec gives to the measure of its low end or else of its high end, or else that
// of the line.
func (p *linePanel) bandColor() canvas.Color {
	low, high, _ := p.bandEnds()
	for _, a := range [...]*aside{low, high} {
		if look := p.Env.Spec.Appearance(a.col.Name); look != nil && look.Color != "" {
			return namedColor(look.Color)
		}
	}
	return p.split.series[0].color
}

// eachEnd calls f for each end of the band, 0 for the low and 1 for the high one, at each place that has both.
func (p *linePanel) eachEnd(f func(end, x int, v float64)) {
	if p.band == nil {
		return
	}
	for end, values := range p.band.value {
		for x, v := range values {
			if p.band.has(end, x) {
				f(end, x, v)
			}
		}
	}
}

// bandLayer returns the band through places of the axis; nil for none.
func (p *linePanel) bandLayer(at []float64) []chart.Layer {
	if p.band == nil {
		return nil
	}
	ends := p.band.lines(at)
	return []chart.Layer{&chart.Ribbon{Low: ends[0], High: ends[1]}}
}
