package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// This file writes values next to the marks of a plot. They must not overlap a mark, a line or another text; a value that does not fit is
// omitted.

// labelled reports whether the spec asks for values.
func (p *Settings) labelled() bool { return p.Spec.Labels != nil && *p.Spec.Labels }

// unlabelled reports whether the spec switches values off.
func (p *Settings) unlabelled() bool { return p.Spec.Labels != nil && !*p.Spec.Labels }

// noteLabels reports (a note, and if it happens on a desktop, a warning) that some of the values requested by the spec do not fit.
func (p *Settings) noteLabels(t chart.PlacedValues) {
	if t.Left == [3]int{} {
		return
	}
	p.report(encode.Noted("Values are written where there is room."))
	wide := 0 // index in t.Left of the panel's width on a desktop
	switch w := p.inside(); {
	case w > canvas.DesktopInside:
		wide = 2
	case w > canvas.TabletInside:
		wide = 1
	}
	if n := t.Left[wide]; n > 0 {
		remedy := "a wider panel, or fewer marks, have room for more."
		if p.Spec.Width == 12 {
			remedy = "fewer marks have room for more."
		}
		p.report(encode.Warned(dashboard.WarnLeftOut, "labels",
			"%d of %d values {has|have} no room at {its mark|their marks}; "+remedy, n, t.All))
	}
}

// fewValues is the largest number of values that are written by default (without "labels" in the spec).
const fewValues = 16

// mayWrite reports whether values are written at vertical bars, as far as they fit.
func (p *barPanel) mayWrite() bool {
	s := p.split
	n := len(s.x)
	if !p.stacked || p.Parts != nil {
		n *= len(s.series)
	}
	return p.labelled() || p.Spec.Labels == nil && n <= fewValues
}

// noteValues reports how many of the values requested by the spec do not fit.
func (p *barPanel) noteValues() {
	switch {
	case !p.Spec.Horizontal:
		p.noteLabels(p.laid(p.chart()).PlaceValues())
	case len(p.split.series) > 1 && !p.stacked:
		t := chart.PlacedValues{}
		for x := range p.split.x {
			if t.All++; p.valuesOf(x) == "" {
				t.Left = [3]int{t.Left[0] + 1, t.Left[1] + 1, t.Left[2] + 1}
			}
		}
		p.noteLabels(t)
	case p.before.drawnBySpec():
		t, even := chart.PlacedValues{}, p.evenOf(p.split)
		for x := range p.split.x {
			if _, fits := p.bothValues(even, x); !fits {
				t.Left = [3]int{t.Left[0] + 1, t.Left[1] + 1, t.Left[2] + 1}
			}
			t.All++
		}
		p.noteLabels(t)
	}
}

// The heights of rows of marks that lie because their names do not fit side by side, in pixels.
const (
	plainRow  = 30
	besideRow = 14 // for each further bar of a group
)

// rowHeight returns the height of a row of bars that lie because their names do not fit side by side, or 0 if the spec wants them upright.
func (p *barPanel) rowHeight(beside bool, bars int) int {
	switch {
	case p.Spec.Upright:
		return 0
	case beside:
		return plainRow + besideRow*(bars-1)
	}
	return plainRow
}

// stackTotals returns the totals to write on top of stacks. It returns nil if a value is negative, because the height of a stack then
// differs from its total.
func (p *barPanel) stackTotals() []chart.StackTotal {
	s := p.split
	if lo, _ := s.extent(false); lo < 0 {
		return nil
	}
	var out []chart.StackTotal
	var sums []float64
	for x := range s.x {
		sum, some := 0.0, false
		for i := range s.series {
			sum, some = sum+s.value[i][x], some || s.has(i, x)
		}
		if some {
			sums = append(sums, sum)
			out = append(out, chart.StackTotal{X: p.slots.Middle(x), Value: sum})
		}
	}
	col := *s.series[0].col
	write := p.Env.atMarks(format.OrInteger(col), sums)
	for i, sum := range sums {
		out[i].Texts = write.of(col, sum, sum)
	}
	return out
}

// loneParts returns for each place whether its stack has at most one part, of which the total above has the value too.
func (p *barPanel) loneParts() []bool {
	s := p.split
	out := make([]bool, len(s.x))
	lo, _ := s.extent(false)
	for x := range s.x {
		parts := 0
		for i := range s.series {
			if s.value[i][x] != 0 {
				parts++
			}
		}
		out[x] = parts <= 1 && lo >= 0
	}
	return out
}

// valueTexts returns a value in the format of its column, and in a shorter form. In a chart of shares, both are the share.
func (p *barPanel) valueTexts(series, x int) [2]string {
	s, col := p.split, *p.split.series[series].col
	of := format.OrInteger(col)
	if p.Parts != nil {
		share := p.Env.Share(p.Parts[series][x], 0)
		return [...]string{share, share}
	}
	if p.write == nil {
		p.write = map[string]writer{}
	}
	if p.write[of] == nil {
		p.write[of] = s.writer(p.Env, of)
	}
	return p.write[of].of(col, s.exact[series][x], s.value[series][x])
}

// A writer writes a value for its mark, in full and in short.
type writer func(exact any, v float64) [2]string

// of writes a value of a column, with its plus or its brackets.
func (w writer) of(col dashboard.Column, exact any, v float64) [2]string {
	texts := w(exact, v)
	return [2]string{format.Accounts(col, texts[0]), format.Accounts(col, texts[1])}
}

// atMarks returns the writer of the values of a panel that have a format. Values that shortened would be equal have more decimals.
func (p *Env) atMarks(of string, values []float64) writer {
	short, of := p.Shorts(of, values)
	return func(exact any, v float64) [2]string { return [2]string{p.Amount(of, exact), short(v)} }
}

// writer returns the writer of the values of the series with a format.
func (s *split) writer(p *Env, of string) writer {
	var values []float64
	for i, se := range s.series {
		if format.OrInteger(*se.col) != of {
			continue
		}
		for x := range s.x {
			if s.has(i, x) {
				values = append(values, s.value[i][x])
			}
		}
	}
	return p.atMarks(of, values)
}
