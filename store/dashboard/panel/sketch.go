package panel

import (
	"math"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

const (
	sketchLines = 24 // of a sketch

	sketchName  = 24 // at most, of a row
	sketchRow   = 16 // rows of a sketch at most, before "and n more"
	sketchBar   = 40 // of a bar, at most
	sketchTable = 8
)

// sketchText returns a drawing of the panel in text: at most [sketchLines] lines of [text.LineWidth] cells, "" if it is empty. Values
// appear as on the page, without control characters and cut to their space.
func (p *Panel) sketchText() string {
	if p.Grid == nil || p.Content == nil {
		return ""
	}
	var lines []string
	p.Guard("sketch", func() {
		if s, ok := p.Content.(sketcher); ok {
			lines = s.sketch()
			return
		}
		painted, names := p.painted(p.Content.Draw, sketchLines-1)
		lines = append(painted, p.largest(names)...)
	})
	for i, line := range lines {
		lines[i] = strings.TrimRight(text.Cut(line, text.LineWidth), " ")
	}
	return strings.Join(lines[:min(len(lines), sketchLines)], "\n")
}

// painted returns a drawing in text of at most limit lines, and the names in its key.
func (p *Panel) painted(draw func(canvas.Canvas), limit int) (lines []string, names map[string]bool) {
	return text.Paint(draw, limit, p.Env.Locale)
}

func (p *Env) moreRows(left int) string { return p.Count(left, "%d more row", "%d more rows") }

func (p *Env) morePlots(left int) string { return p.Count(left, "%d more plot", "%d more plots") }

// words returns a cell of the grid on one line.
func (p *Panel) words(col int, v any) string {
	c := p.Grid.Columns[col]
	return text.OneLine(p.Env.Cell(c.Column, c.Grain, v))
}

// withHoles returns the values of a series, with NaN where missing periods break the line.
func (p *Panel) withHoles(vs []float64) []float64 {
	if len(p.holes) != len(vs) {
		return vs
	}
	out := make([]float64, 0, len(vs))
	for x, v := range vs {
		for range min(p.holes[x], len(vs)) {
			out = append(out, math.NaN())
		}
		out = append(out, v)
	}
	return out
}

// sketchBars returns a bar for each row, with its value, and with its share if asked.
func (p *Panel) sketchBars(share bool) []string {
	g := p.Grid
	vs := column(g, 1)
	names := make([]string, len(vs))
	top, total := 0.0, 0.0
	for i, v := range vs {
		names[i] = p.words(0, g.Rows[i][0])
		if !math.IsNaN(v) {
			top, total = max(top, math.Abs(v)), total+v
		}
	}
	wide := widest(names)
	var lines []string
	for i, v := range vs {
		value := p.words(1, g.Rows[i][1])
		if share && total > 0 && !math.IsInf(total, 0) {
			value += " " + p.Env.Share(v/total, 1)
		}
		lines = append(lines, text.Pad(names[i], wide)+" "+text.Pad(bar(v, top, sketchBar), sketchBar)+" "+value)
	}
	return text.Most(lines, sketchRow, p.Env.moreRows)
}

// sketchedSeries returns the values of a series as they are drawn.
func (p *Panel) sketchedSeries(i int) []float64 {
	if p.Parts != nil {
		return p.Parts[i]
	}
	return p.sketched(dashboard.AxisY, column(p.Grid, i+1))
}

// sketched returns values at their places in a sketch: those beyond an axis at its end, NaN if a logarithmic axis cannot show them.
func (p *Settings) sketched(axis int, vs []float64) []float64 {
	r := p.Spec.Range[axis]
	for i, v := range vs {
		if r.Min != nil {
			v = max(v, *r.Min)
		}
		if r.Max != nil {
			v = min(v, *r.Max)
		}
		switch vs[i] = v; {
		case !p.onLog(axis, v):
			vs[i] = math.NaN()
		case p.Spec.Log(axis):
			vs[i] = math.Log10(v)
		}
	}
	return vs
}

// column returns the numbers of a column of g, NaN for missing ones.
func column(g *Grid, col int) []float64 {
	out := make([]float64, 0, len(g.Rows))
	for row := range g.Each() {
		out = append(out, number(row[col]))
	}
	return out
}

func number(v any) float64 {
	if v, ok := cube.Float(v); ok {
		return v
	}
	return math.NaN()
}

func lastValue(vs []float64) int {
	for i := len(vs) - 1; i >= 0; i-- {
		if !math.IsNaN(vs[i]) {
			return i
		}
	}
	return -1
}

// spark returns values as a line of at most w block characters; a gap is a space.
func spark(vs []float64, w int, lo, hi float64) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range squash(vs, w) {
		if math.IsNaN(v) {
			b.WriteByte(' ')
		} else {
			b.WriteRune(blocks[step(v, lo, hi, len(blocks))])
		}
	}
	return b.String()
}

// squash reduces values to n, each the mean of those in its part.
func squash(vs []float64, n int) []float64 {
	if len(vs) <= n {
		return vs
	}
	out := make([]float64, n)
	for i := range out {
		sum, count := 0.0, 0.0
		for _, v := range vs[i*len(vs)/n : (i+1)*len(vs)/n] {
			if !math.IsNaN(v) {
				count++
				sum += (v - sum) / count // a mean that cannot overflow before its values do
			}
		}
		if out[i] = sum; count == 0 {
			out[i] = math.NaN()
		}
	}
	return out
}

// step returns the index of v among n steps from lo to hi.
func step(v, lo, hi float64, n int) int {
	if stat.Flat(lo, hi) {
		return 0
	}
	return min(max(int(chart.Within(v, lo, hi)*float64(n)), 0), n-1)
}

// bar returns v as a bar of at most w characters, dotted if it is negative.
func bar(v, top float64, w int) string {
	if math.IsNaN(v) || v == 0 || top == 0 {
		return ""
	}
	eighths := max(int(math.Abs(v)/top*float64(w)*8+0.5), 1)
	if v < 0 {
		return strings.Repeat("░", max(eighths/8, 1))
	}
	s := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return s
}

func widest(texts []string) int {
	w := 0
	for _, s := range texts {
		w = max(w, text.Cells(s))
	}
	return min(w, sketchName)
}
