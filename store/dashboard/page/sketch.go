package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// sketch draws the figure in text, for those who see no picture but can read
// one: at most [sketchLines] lines of [sketchWidth] characters. It is "" where
// there is nothing to draw. Values appear as they are on the page, without
// control characters and cut to their place.
func (f *figure) sketch() string {
	if f.grid == nil || f.problem != "" || f.empty != "" {
		return ""
	}
	var lines []string
	switch f.panel.Type {
	case dashboard.KPI:
		lines = f.sketchKPI()
	case dashboard.Line, dashboard.Area:
		lines = f.sketchSeries()
	case dashboard.Bar:
		if c := f.grid.cols[0]; len(f.grid.cols) > 2 || len(f.grid.rows) > 2*sketchRow || c.Type == cube.Date || c.Type == cube.Timestamp {
			lines = f.sketchSeries()
		} else {
			lines = f.sketchBars(false)
		}
	case dashboard.Pie:
		lines = f.sketchBars(true)
	case dashboard.Heatmap:
		lines = f.sketchHeat()
	case dashboard.Scatter:
		lines = f.sketchDots()
	case dashboard.Table:
		lines = f.sketchRows()
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(cut(line, sketchWidth), " ")
	}
	return strings.Join(lines[:min(len(lines), sketchLines)], "\n")
}

// words is a cell of the grid on one line.
func (f *figure) words(col int, v any) string {
	c := f.grid.cols[col]
	return oneLine(f.page.cell(c.Column, c.grain, v))
}

// sketchKPI is the number and its sparkline; without one the summary says all.
func (f *figure) sketchKPI() []string {
	if len(f.sparkline) < 2 {
		return nil
	}
	vs := make([]float64, len(f.sparkline))
	for i, p := range f.sparkline {
		vs[i] = float64(-p.y) // y grows downwards
	}
	return []string{f.words(0, f.grid.rows[0][0]) + "  " + spark(vs, 40, slices.Min(vs), slices.Max(vs))}
}

// sketchSeries is a small line for each series, all on one scale, and its last
// value.
func (f *figure) sketchSeries() []string {
	g := f.grid
	lo, hi := math.Inf(1), math.Inf(-1)
	if f.panel.Type != dashboard.Line {
		lo, hi = 0, 0
	}
	series := make([][]float64, len(g.cols)-1)
	names := make([]string, len(series))
	for i := range series {
		series[i] = column(g, i+1)
		names[i] = oneLine(g.cols[i+1].Label)
		for _, v := range series[i] {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	var lines []string
	wide := widest(names)
	points := 0
	for i, vs := range series {
		drawn := spark(vs, 60-wide-16, lo, hi)
		points = utf8.RuneCountInString(drawn)
		last := ""
		if k := lastValue(vs); k >= 0 {
			last = f.words(i+1, g.rows[k][i+1])
		}
		lines = append(lines, pad(names[i], wide)+" "+drawn+" "+last)
	}
	lines = most(lines, sketchRow, "series")
	from, to := f.words(0, g.rows[0][0]), f.words(0, g.rows[len(g.rows)-1][0])
	if len(g.rows) == 1 {
		return append(lines, pad("", wide)+" "+from)
	}
	between := max(points-cells(from)-cells(to), 1)
	return append(lines, pad("", wide)+" "+from+strings.Repeat(" ", between)+to)
}

// sketchBars is a bar for each row, with its value, and its share when asked.
func (f *figure) sketchBars(share bool) []string {
	g := f.grid
	vs := column(g, 1)
	names := make([]string, len(vs))
	top, total := 0.0, 0.0
	for i, v := range vs {
		names[i] = f.words(0, g.rows[i][0])
		if !math.IsNaN(v) {
			top, total = max(top, math.Abs(v)), total+v
		}
	}
	wide := widest(names)
	var lines []string
	for i, v := range vs {
		text := f.words(1, g.rows[i][1])
		if share && total > 0 && !math.IsInf(total, 0) {
			text += " " + f.page.percent(v/total, 1)
		}
		lines = append(lines, pad(names[i], wide)+" "+pad(bar(v, top, 22), 22)+" "+text)
	}
	return most(lines, sketchRow, "rows")
}

// sketchHeat shades the cells of a heat map from · to █; a cell without a value
// stays empty.
func (f *figure) sketchHeat() []string {
	g := f.grid
	lo, hi := math.Inf(1), math.Inf(-1)
	names := make([]string, len(g.rows))
	for i, row := range g.rows {
		names[i] = f.words(0, row[0])
		for _, v := range row[1:] {
			if v, ok := cube.Float(v); ok {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	wide := widest(names)
	var lines []string
	shades := []rune("·░▒▓█")
	points := 0
	for i, row := range g.rows {
		vs := make([]float64, len(row)-1)
		for j := range vs {
			vs[j] = number(row[j+1])
		}
		var b strings.Builder
		vs = squash(vs, sketchWidth-wide-1)
		points = len(vs)
		for _, v := range vs {
			if math.IsNaN(v) {
				b.WriteByte(' ')
			} else {
				b.WriteRune(shades[step(v, lo, hi, len(shades))])
			}
		}
		lines = append(lines, pad(names[i], wide)+" "+b.String())
	}
	lines = most(lines, sketchRow-1, "rows")
	from, to := oneLine(g.cols[1].Label), ""
	if n := len(g.cols); n > 2 {
		to = oneLine(g.cols[n-1].Label)
	}
	between := max(points-cells(from)-cells(to), 1)
	return append(lines, pad("", wide)+" "+from+strings.Repeat(" ", between)+to,
		pad("", wide)+" "+"· "+oneLine(f.page.short(orInteger(g.cols[1].Column), lo))+"  █ "+oneLine(f.page.short(orInteger(g.cols[1].Column), hi)))
}

// sketchDots is a scatter chart: · for a point, • for some, ● for many.
func (f *figure) sketchDots() []string {
	const w, height = 44, 8
	g := f.grid
	at := slices.IndexFunc(g.cols, func(c gridColumn) bool { return c.Role == dashboard.Measure })
	if at < 0 || at+1 >= len(g.cols) {
		return nil
	}
	xs, ys := column(g, at), column(g, at+1)
	xlo, xhi, ylo, yhi := slices.Min(xs), slices.Max(xs), slices.Min(ys), slices.Max(ys)
	var count [height][w]int
	for i := range xs {
		count[height-1-step(ys[i], ylo, yhi, height)][step(xs[i], xlo, xhi, w)]++
	}
	short := func(col int, v float64) string { return oneLine(f.page.short(orInteger(g.cols[col].Column), v)) }
	labels := []string{short(at+1, yhi), short(at+1, ylo)}
	wide := widest(labels)
	lines := []string{pad("", wide) + " ↑ " + oneLine(g.cols[at+1].Label)}
	for i, row := range count {
		var b strings.Builder
		for _, n := range row {
			switch {
			case n == 0:
				b.WriteByte(' ')
			case n == 1:
				b.WriteRune('·')
			case n < 5:
				b.WriteRune('•')
			default:
				b.WriteRune('●')
			}
		}
		label := ""
		switch i {
		case 0:
			label = labels[0]
		case height - 1:
			label = labels[1]
		}
		lines = append(lines, pad(label, wide)+" "+b.String())
	}
	from, to := short(at, xlo), short(at, xhi)
	return append(lines, pad("", wide)+" "+from+strings.Repeat(" ", max(w-cells(from)-cells(to), 1))+to,
		pad("", wide)+" → "+oneLine(g.cols[at].Label))
}

// sketchRows is the head of a table, with the columns that fit.
func (f *figure) sketchRows() []string {
	g := f.grid
	rows := g.rows[:min(len(g.rows), sketchTable)]
	lines := make([]string, len(rows)+1)
	used := 0
	for j, c := range g.cols {
		texts := []string{oneLine(c.Label)}
		for _, row := range rows {
			texts = append(texts, f.words(j, row[j]))
		}
		wide := widest(texts)
		if used += wide + 2; j > 0 && used-2 > sketchWidth-2 {
			lines[0] = strings.TrimRight(lines[0], " ") + " …"
			break
		}
		for i, s := range texts {
			s = cut(s, wide)
			if space := strings.Repeat(" ", wide-cells(s)); c.Role == dashboard.Measure {
				lines[i] += space + s + "  "
			} else {
				lines[i] += s + space + "  "
			}
		}
	}
	if left := len(g.rows) - len(rows); left > 0 {
		lines = append(lines, "… "+plural(f.page, left, "more row"))
	}
	return lines
}

// column returns the numbers of a column of g, NaN where there is none.
func column(g *grid, col int) []float64 {
	out := make([]float64, len(g.rows))
	for i, row := range g.rows {
		out[i] = number(row[col])
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
	span := hi/2 - lo/2
	if !(span > negligible) {
		return 0
	}
	return min(max(int((v/2-lo/2)/span*float64(n)), 0), n-1)
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
func cut(s string, w int) string {
	if cells(s) <= w {
		return s
	}
	used := 0
	for i, r := range s {
		if used += runeCells(r); used > w-1 {
			return s[:i] + ellipse
		}
	}
	return s
}

// cells is the width of s on a terminal.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

// runeCells is 0 for marks that join the character before, 2 for wide
// characters, such as those of Chinese and emoji, and 1 for all others.
func runeCells(r rune) int {
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
	return cmp.Or(strings.TrimSpace(s), empty)
}
