package page

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// The size of a sketch, in characters of a terminal.
const (
	sketchWidth = 60
	sketchLines = 12

	sketchName  = 16 // at most, of a row
	sketchRow   = 10 // rows of a sketch at most, before "and n more"
	sketchTable = 5
)

// sketchText is the panel drawn in text: at most [sketchLines] lines of [sketchWidth] characters. It is "" where
// there is nothing to draw. Values appear as they are on the page, without
// control characters and cut to their place.
func (p *panel) sketchText() string {
	if p.grid == nil || p.content == nil {
		return ""
	}
	var lines []string
	p.guard("sketch", func() { lines = p.content.sketch() })
	for i, line := range lines {
		lines[i] = strings.TrimRight(cut(line, sketchWidth), " ")
	}
	return strings.Join(lines[:min(len(lines), sketchLines)], "\n")
}

// words is a cell of the grid on one line.
func (p *panel) words(col int, v any) string {
	c := p.grid.cols[col]
	return oneLine(p.page.cell(c.Column, c.grain, v))
}

// sketchSeries is a small line for each series, all on one scale, which has 0 when
// zero says so, and its last value.
func (p *panel) sketchSeries(zero bool) []string {
	lo, hi := math.Inf(1), math.Inf(-1)
	if zero {
		lo, hi = 0, 0
	}
	for i := range p.grid.cols[1:] {
		for _, v := range p.sketchedSeries(i) {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	return p.sketchOn(func(int) (float64, float64) { return lo, hi }, func(int) string { return "" })
}

// sketchOn is a small line for each series on a scale from lo to hi, with a sign before
// its name.
func (p *panel) sketchOn(scale func(series int) (lo, hi float64), sign func(series int) string) []string {
	g := p.grid
	series := make([][]float64, len(g.cols)-1)
	names := make([]string, len(series))
	for i := range series {
		series[i] = p.sketchedSeries(i)
		names[i] = sign(i) + oneLine(g.cols[i+1].Label)
	}
	var lines []string
	wide := widest(names)
	points := 0
	for i, vs := range series {
		lo, hi := scale(i)
		drawn := spark(p.withHoles(vs), 60-wide-16, lo, hi)
		points = utf8.RuneCountInString(drawn)
		last := ""
		if k := lastValue(vs); k >= 0 {
			last = p.words(i+1, g.rows[k][i+1])
			if p.parts != nil {
				last = p.page.percent(vs[k], 1)
			}
		}
		lines = append(lines, pad(names[i], wide)+" "+drawn+" "+last)
	}
	lines = most(lines, sketchRow, "series")
	from, to := p.words(0, g.rows[0][0]), p.words(0, g.rows[len(g.rows)-1][0])
	if len(g.rows) == 1 {
		return append(lines, pad("", wide)+" "+from)
	}
	between := max(points-cells(from)-cells(to), 1)
	return append(lines, pad("", wide)+" "+from+strings.Repeat(" ", between)+to)
}

// withHoles are the values of a series with none where periods are missing and lines are broken.
func (p *panel) withHoles(vs []float64) []float64 {
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

// sketchBars is a bar for each row, with its value, and its share when asked.
func (p *panel) sketchBars(share bool) []string {
	g := p.grid
	vs := column(g, 1)
	names := make([]string, len(vs))
	top, total := 0.0, 0.0
	for i, v := range vs {
		names[i] = p.words(0, g.rows[i][0])
		if !math.IsNaN(v) {
			top, total = max(top, math.Abs(v)), total+v
		}
	}
	wide := widest(names)
	var lines []string
	for i, v := range vs {
		text := p.words(1, g.rows[i][1])
		if share && total > 0 && !math.IsInf(total, 0) {
			text += " " + p.page.percent(v/total, 1)
		}
		lines = append(lines, pad(names[i], wide)+" "+pad(bar(v, top, 22), 22)+" "+text)
	}
	return most(lines, sketchRow, "rows")
}

// sketchedSeries are the values of a series as they are drawn.
func (p *panel) sketchedSeries(i int) []float64 {
	if p.parts != nil {
		return p.parts[i]
	}
	return p.sketched(dashboard.AxisY, column(p.grid, i+1))
}

// sketched are values where a sketch draws them: those beyond an axis at its end, NaN
// where a logarithmic one has no place.
func (p *panel) sketched(axis int, vs []float64) []float64 {
	r := p.spec.Range[axis]
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
		case p.spec.Log(axis):
			vs[i] = math.Log10(v)
		}
	}
	return vs
}

// column returns the numbers of a column of g, NaN where there is none.
func column(g *grid, col int) []float64 {
	out := make([]float64, 0, len(g.rows))
	for row := range g.all() {
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

// spark draws values as a line of blocks, at most w of them; a gap is a space.
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

// squash brings values down to n, each the mean of those in its place.
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

// step is the place of v among n steps from lo to hi.
func step(v, lo, hi float64, n int) int {
	if flat(lo, hi) {
		return 0
	}
	return min(max(int(within(v, lo, hi)*float64(n)), 0), n-1)
}

// bar draws v as a bar of at most w characters, dotted when it is negative.
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

// most keeps n lines and says how many it leaves out.
func most(lines []string, n int, of string) []string {
	if len(lines) <= n {
		return lines
	}
	return append(lines[:n-1:n-1], fmt.Sprintf("… %d more %s", len(lines)-n+1, of))
}

func widest(texts []string) int {
	w := 0
	for _, s := range texts {
		w = max(w, cells(s))
	}
	return min(w, sketchName)
}

// pad brings s to a width, cutting what is over.
func pad(s string, w int) string {
	s = cut(s, w)
	return s + strings.Repeat(" ", w-cells(s))
}

// cut shortens s to a width.
func cut(s string, w int) string { return shorten(s, w, cellsOf, "") }

// cells is the width of s on a terminal.
func cells(s string) int { return widthOf(s, cellsOf) }

// cellsOf is 0 for marks that join the character before, 2 for wide characters,
// such as those of Chinese and emoji, and 1 for all others.
func cellsOf(_, r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, 0x2e80 <= r && r <= 0xa4cf, 0xac00 <= r && r <= 0xd7a3, 0xf900 <= r && r <= 0xfaff, 0xfe30 <= r && r <= 0xfe6f,
		0xff00 <= r && r <= 0xff60, 0xffe0 <= r && r <= 0xffe6, 0x1f1e6 <= r && r <= 0x1faff, 0x20000 <= r && r <= 0x3fffd:
		return 2
	}
	return 1
}

// oneLine is s without what would break a line or turn it around.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), r == utf8.RuneError:
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Co):
			return -1
		}
		return r
	}, clip(s, 4*sketchWidth))
	return cmp.Or(strings.TrimSpace(s), string(empty))
}
