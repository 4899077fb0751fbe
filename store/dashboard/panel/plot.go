package panel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
	"service/store/pattern"
)

// Shared parts of charts with an axis.

// plotHeight is the height of lines, areas and columns, in pixels.
const plotHeight = 220

// onAxis splits the panel's rows for a chart with an axis, or returns nil if there is a reason not to draw it.
func (p *Rows) onAxis(l layout) *split {
	s := p.split(l)
	if s != nil && len(s.x) == 0 {
		p.Empty = p.Env.Text("Nothing to draw: no row has a %s.", p.Env.Inside(s.xcol.Label))
		return nil
	}
	return s
}

// tabulate makes the panel's grid, and reports whether it contains a value.
func (p *Panel) tabulate(s *split) bool {
	p.Grid = s.table()
	if !s.any() {
		p.Empty = p.missing()
	}
	return p.Empty == ""
}

// missing returns the message for a figure without a value: that of values none of which has a place, such as those of hidden periods, if
// its rows have some.
func (p *Rows) missing() string {
	of := p.Spec
	for _, name := range slices.Concat(of.Y, of.Bars, []string{of.Value, of.Median, of.High}) {
		c := p.Data.Column(name)
		if c == nil || c.Role != dashboard.Measure && of.Type != dashboard.Box {
			continue
		}
		m := p.Data.Measure(c)
		if m.Agg == cube.None {
			m.Agg = cube.Max
		}
		if g := p.Data.Group(p.ownRows(), cube.Query{Measures: []cube.Measure{m}}); g.Len() > 0 && g.Exact(0, 0) != nil {
			return p.Env.Text("No value is on the axis.")
		}
	}
	return p.Env.missing()
}

// overTime returns the sentence of a chart with an axis of times or categories.
func (p *Panel) overTime(s *split) string {
	name := func(i int) string { return p.Env.Cell(p.Grid.Columns[0].Column, s.grain, s.x[i]) }
	last := len(s.x) - 1
	var b strings.Builder
	if len(s.x) == 1 {
		b.WriteString(p.Env.Text("%s only: ", name(0)))
	} else {
		b.WriteString(p.Env.Count(len(s.points(s.some)), "%d point from %s to %s: ", "%d points from %s to %s: ", name(0), name(last)))
	}
	if len(s.series) == 1 {
		lo, hi, end := -1, -1, -1
		for x := range s.x {
			if !s.has(0, x) {
				continue
			}
			v := s.exact[0][x]
			if lo < 0 || lessNumber(v, s.exact[0][lo]) {
				lo = x
			}
			if hi < 0 || lessNumber(s.exact[0][hi], v) {
				hi = x
			}
			end = x
		}
		v := func(x int) string { return p.Env.Quantity(*s.series[0].col, s.exact[0][x]) }
		text := when(s.time, "latest %s, lowest %s (%s), highest %s (%s).", "last %s, lowest %s (%s), highest %s (%s).")
		b.WriteString(p.Env.Text(text, v(end), v(lo), name(lo), v(hi), name(hi)))
		return b.String()
	}
	for i, se := range s.series {
		if i == 5 {
			n := len(s.series) - i
			b.WriteString(" " + p.Env.Count(n, "and %d more series", "and %d more series"))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		end := last
		for end >= 0 && !s.has(i, end) {
			end--
		}
		if end < 0 {
			b.WriteString(p.Env.Text("%s without values", canvas.Clip(se.name, 40)))
		} else {
			b.WriteString(canvas.Clip(se.name, 40) + " " + p.Env.Quantity(*se.col, s.exact[i][end]))
			if end < last {
				b.WriteString(" (" + name(end) + ")")
			}
		}
	}
	if s.time {
		return p.Env.Text("%s at the latest.", b.String())
	}
	return p.Env.Text("%s at %s.", b.String(), name(last))
}

// ofShares returns the sentence of a chart of shares.
func (p *Panel) ofShares(s *split) string {
	name := func(i int) string { return canvas.Clip(p.Env.Cell(s.xcol, s.grain, s.x[i]), 40) }
	at := func(x int) string {
		var out []string
		for i, se := range s.series {
			if i == 5 {
				n := len(s.series) - i
				return strings.Join(out, ", ") + " " + p.Env.Count(n, "and %d more series", "and %d more series")
			}
			out = append(out, canvas.Clip(se.name, 40)+" "+p.Env.Share(p.Parts[i][x], 1))
		}
		return strings.Join(out, ", ")
	}
	last := len(s.x) - 1
	for s.time && last > 0 && !s.some(last) {
		last--
	}
	if s.time && last > 0 {
		return p.Env.Count(len(s.points(s.some)), "%d point from %s to %s: ", "%d points from %s to %s: ", name(0), name(last)) +
			p.Env.Text("%s at the latest.", at(last))
	}
	var out []string
	for x := range s.x[:min(len(s.x), 3)] {
		out = append(out, name(x)+": "+at(x)+".")
	}
	if left := len(s.x) - 3; left > 0 {
		out = append(out, format.Upper(p.Env.Count(left, "and %d more", "and %d more"))+".")
	}
	return strings.Join(out, " ")
}

// addTotals computes the totals of stacks.
func (p *Panel) addTotals(s *split) {
	p.Totals = make([]string, len(s.x))
	for x := range s.x {
		sum := 0.0
		for i := range s.series {
			if s.has(i, x) {
				sum += s.value[i][x]
			}
		}
		p.Totals[x] = p.Env.Quantity(*s.series[0].col, sum)
	}
}

// axisTexts returns the names of the categories, cut to their space.
func (p *Env) axisTexts(s *split) []string {
	out := make([]string, len(s.x))
	col := s.xcol
	if col.Format == "" && col.Type == cube.Number && !s.ranges {
		col.Format = p.SameDecimals(valuesOf(s.x))
	}
	for i, c := range s.x {
		out[i] = p.Cell(col, s.grain, c)
	}
	return canvas.ClipNames(out, chart.LongestLabel)
}

// valuesOf returns the values of categories.
func valuesOf(categories []cube.Category) []any {
	out := make([]any, len(categories))
	for i, c := range categories {
		out[i] = c.Value
	}
	return out
}

// legend returns the legend of the series; the title names a single one. It also has the lines that have no name on the plot.
func (p *Rows) legend(series []seriesOf, lines ...chart.Reference) *chart.Key {
	if series = inColor(series); len(series) < 2 && p.Spec.Series == "" {
		series = nil
	}
	if len(series)+len(lines) == 0 {
		return nil
	}
	out, ways := &chart.Key{Kind: canvas.LegendList}, p.Ways()
	for i := range series {
		out.Items = append(out.Items, canvas.Item{Color: series[i].color, Name: series[i].name, Way: ways.Of(series[i].mark)})
	}
	for _, l := range lines {
		out.Items = append(out.Items, l.Item(p.Spec.Horizontal))
	}
	return out
}

// references computes the reference lines over the drawn values: those of the series, or their shares.
func (p *Panel) references(s *split) []chart.Reference {
	values, col := s.value, *s.series[0].col
	switch {
	case p.Parts != nil:
		values, col.Format, col.Suffix = p.Parts, "percent1", ""
	case p.Totals != nil: // a stack is read as a whole
		return p.referencesOf(dashboard.AxisY, s.sums(), col)
	}
	drawn := s.drawn(values)
	if p.Parts != nil {
		return p.referencesOf(dashboard.AxisY, drawn, col)
	}
	return p.referencesAbout(dashboard.AxisY, drawn, s.mean(), col)
}

// sums returns the sums of the series at the places that have a value.
func (s *split) sums() []float64 {
	var out []float64
	for x := range s.x {
		sum, some := 0.0, false
		for i := range s.series {
			if s.has(i, x) {
				sum, some = sum+s.value[i][x], true
			}
		}
		if some {
			out = append(out, sum)
		}
	}
	return out
}

// drawn returns the values of the places that have one.
func (s *split) drawn(values [][]float64) []float64 {
	var out []float64
	for i := range s.series {
		for x := range s.x {
			if s.has(i, x) {
				out = append(out, values[i][x])
			}
		}
	}
	return out
}

// referencesOf computes the reference lines of an axis from the drawn values of a column.
func (p *Settings) referencesOf(axis int, drawn []float64, col dashboard.Column) []chart.Reference {
	return p.referencesAbout(axis, drawn, stat.Mean(drawn), col)
}

// referencesAbout is [Panel.referencesOf] for values whose average is a mean that their numbers alone do not determine.
func (p *Settings) referencesAbout(axis int, drawn []float64, mean float64, col dashboard.Column) []chart.Reference {
	var out []chart.Reference
	for _, r := range p.Spec.Reference {
		if r.Axis != axis {
			continue
		}
		if out == nil { // scatters without lines have up to millions of values
			slices.Sort(drawn)
		}
		out = append(out, p.Env.referenceOf(r, drawn, mean, col))
	}
	return out
}

// referenceOf computes a reference line from ascending values of a column and their mean.
func (p *Env) referenceOf(r dashboard.Reference, drawn []float64, mean float64, col dashboard.Column) chart.Reference {
	if r.Shaded() {
		return p.rangeOf(r, col)
	}
	v, name := r.Value, locale.Key("")
	if r.Kind == dashboard.RefTarget {
		name = "Target"
	}
	if len(drawn) > 0 {
		switch r.Kind {
		case "average":
			name, v = "Average", min(max(mean, drawn[0]), drawn[len(drawn)-1]) // rounding can exceed the largest number
		case "median":
			name, v = "Median", drawn[(len(drawn)-1)/2]
			if above := drawn[len(drawn)/2]; above != v {
				v = v/2 + above/2 // the sum could overflow
			}
		case "min":
			name, v = "Lowest", drawn[0]
		case "max":
			name, v = "Highest", drawn[len(drawn)-1]
		}
	}
	return chart.Reference{Value: v, Text: p.named(cmp.Or(r.Label, p.Text(name)), col, v), Tone: r.Tone}
}

// rangeOf returns a reference that is a range of a column's values.
func (p *Env) rangeOf(r dashboard.Reference, col dashboard.Column) chart.Reference {
	out := chart.Reference{Shaded: true, Lo: math.Inf(-1), Hi: math.Inf(1), Tone: r.Tone, Text: r.Label}
	text, known := "", false
	for _, end := range [...]*float64{r.From, r.To} {
		if end != nil {
			known = known || says(r.Label, p.Value(col.Format, *end)) || says(r.Label, p.Short(format.OrInteger(col), *end))
		}
	}
	switch {
	case r.From == nil:
		out.Hi, text = *r.To, "≤ "+p.AsSaid(col, *r.To)
	case r.To == nil:
		out.Lo, text = *r.From, "≥ "+p.AsSaid(col, *r.From)
	default:
		out.Lo, out.Hi = *r.From, *r.To
		text = p.AsSaid(col, out.Lo) + " – " + p.AsSaid(col, out.Hi)
	}
	if !known {
		out.Text = strings.TrimSpace(r.Label + " " + text)
	}
	return out
}

// named adds the value of a line to its name, unless the name contains it already, with any spaces between digits and before the unit.
func (p *Env) named(name string, col dashboard.Column, v float64) string {
	value := p.AsSaid(col, v)
	if hasNumber(name, col, v) {
		return name
	}
	for _, text := range [...]string{value, p.InUnit(col, p.Value(col.Format, v)), p.Brief(col, v)} {
		if says(name, text) {
			return name
		}
	}
	return strings.TrimSpace(name + " " + value)
}

// hasNumber reports whether a text contains a number of the unit of a column, with any separators of thousands and of decimals. Shares and
// durations are written in other numbers.
func hasNumber(text string, col dashboard.Column, v float64) bool {
	if of := format.OrInteger(col); strings.HasPrefix(of, "percent") || format.OneLasts(of) > 0 {
		return false
	}
	for _, at := range writtenNumber.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		s := strings.Replace(text[at[0]:at[1]], "−", "-", 1)
		if unicode.IsLetter(before) {
			continue // such as Q1
		}
		if groupedNumber.MatchString(s) && numberOf(s, "") == v {
			return true
		}
		if k := strings.LastIndexAny(s, ".,"); k >= 0 && len(s)-k != 4 && numberOf(s[:k], s[k+1:]) == v {
			return true
		}
	}
	return false
}

// numberOf returns the number of digits before and after a decimal point, without the separators among them.
func numberOf(whole, decimals string) float64 {
	digits := strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, whole)
	v, err := strconv.ParseFloat(digits+"."+decimals, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

var (
	// writtenNumber is a number in a text, with a sign and with separators between its digits.
	writtenNumber = pattern.New(`[-−]?[0-9]+(?:[.,'’ \x{a0}\x{202f}][0-9]+)*`)
	// groupedNumber is a number whose separators, if it has some, are between groups of three digits.
	groupedNumber = pattern.New(`^-?(?:[0-9]+|[0-9]{1,3}(?:[.,'’ \x{a0}\x{202f}][0-9]{3})+)$`)
)

// says reports whether a text contains a number that is not a part of a longer one.
func says(text, number string) bool {
	close := strings.NewReplacer(" ", "", format.NBSP, "", "\u202f", "")
	number = close.Replace(number)
	var at int
	for rest := close.Replace(text); number != ""; rest = rest[at+len(number):] {
		if at = strings.Index(rest, number); at < 0 {
			break
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:at])
		after := strings.TrimLeft(rest[at+len(number):], ".,")
		if !unicode.IsDigit(before) && before != '.' && before != ',' && (after == "" || !unicode.IsDigit(rune(after[0]))) {
			return true
		}
	}
	return false
}

// when returns a if first, else b.
func when(first bool, a, b locale.Key) locale.Key {
	if first {
		return a
	}
	return b
}
