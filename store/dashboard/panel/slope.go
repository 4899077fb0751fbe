package panel

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

const (
	slopeLines = 20 // lines by default
	slopeMost  = 30 // the maximum: names below each other that people still read
)

var slopeFigure = Figure{
	Summarise: summariseSlope,
}

// A slopePanel shows the values of a label at two values of another dimension.
type slopePanel struct {
	*Panel
	col   dashboard.Column
	shown dashboard.Column // col, with the format in which different values at the ends differ
	ends  [2]string        // names of the two values
	lines []slopeRow
	tones *toner
}

// A slopeRow is a line between two values, or one of them alone.
type slopeRow struct {
	cat   cube.Category
	name  string
	value [2]float64
	exact [2]any       // nil for none
	toned canvas.Color // of the tone of its value at the second end; 0 for none
}

// both reports whether the line has both ends.
func (s *slopeRow) both() bool { return s.exact[0] != nil && s.exact[1] != nil }

func (s *slopeRow) change() float64 { return s.value[1] - s.value[0] }

func summariseSlope(p *Panel) Content {
	spec, d := p.Spec, p.Data
	dim, xcol, col := p.col(spec.Label), p.col(spec.X), p.col(spec.Value)
	if p.Problem != "" {
		return nil
	}
	m, tones := d.Measure(col), p.toner()
	x := encode.Channel{Column: spec.X, Key: "x", First: true, Keep: encode.Keep{Names: encode.Top{
		Most: 2, Rank: bothEnds, Note: "%s of %s values of %s are drawn: the first and the last.",
		Advice: "they are the first and the last one; sql, a grain or a filter that leaves two chooses others",
	}}}
	var span cube.Span
	if xcol.Type.IsTime() && spec.Grain != "" && spec.Grain != "auto" {
		x.Grain, span = p.grain(spec.X, maxSlopeTimes, encode.Additive(m))
	}
	names := encode.Top{
		Most: min(cmp.Or(spec.Limit, slopeLines), slopeMost), Slack: spec.Limit == 0, Rank: encode.Farthest, Adds: true, Key: "limit",
	}
	if spec.Reverse { // of ranks, the first matter
		names.Rank = encode.Smallest
	}
	if names.Always = p.alwaysDrawn(spec.Label); names.Most != spec.Limit {
		names.Advice = "limit is another number, at most " + strconv.Itoa(slopeMost)
	} else {
		names.Advice = p.limited(false)
	}
	t := p.run(encode.Query{
		By:       []encode.Channel{{Column: spec.Label, Key: "label", Keep: encode.Keep{Names: names}, Order: encode.Order{Largest: true}}, x},
		Measures: append([]cube.Measure{m}, tones.measures()...),
	})
	if t == nil {
		return nil
	}
	out := &slopePanel{Panel: p, col: *col, tones: tones}
	ends := t.Axis(1)
	if ends = slices.DeleteFunc(ends, func(c cube.Category) bool { return c.Value == nil && xcol.Type.IsTime() }); len(ends) < len(t.Axes[1]) {
		p.report(encode.WithoutTime(xcol))
	}
	if len(ends) < 2 {
		p.Empty = p.Env.Text("A slope has two ends, and these rows have one value of %s.", p.Env.Inside(xcol.Label))
		return nil
	}
	out.fill(t, ends)
	if !out.noteRange() {
		return nil
	}
	for i, c := range ends {
		out.ends[i] = p.Env.Cell(*xcol, x.Grain, c)
	}
	if x.Grain != cube.Exact {
		out.noteOpen(xcol, x.Grain, span, ends)
	}
	out.tabulate(dim)
	if len(out.lines) == 0 {
		p.Empty = p.missing()
		return nil
	}
	var values []any
	for i := range out.lines {
		values = append(values, out.lines[i].exact[:]...)
	}
	out.shown = *col
	out.shown.Format = p.Env.Apart(*col, slices.Values(values))
	p.Summary = out.say() + tones.says()
	return out
}

// maxSlopeTimes limits the number of periods, only the first and the last of which are drawn, so there may be many.
const maxSlopeTimes = 10_000

// bothEnds ranks the first and the last value before all others.
func bothEnds(t *encode.Table, dim, _ int) (order []int, which string) {
	order = t.Sorted(dim)
	if last := len(order) - 1; last > 1 {
		if t.Column(dim).Type.IsTime() && t.Axes[dim][order[last]].Value == nil { // rows without a time are not at an end
			last--
		}
		order[1], order[last] = order[last], order[1]
	}
	return order, "first"
}

// noteOpen reports that an end is an incomplete period, which is compared with a complete one.
func (s *slopePanel) noteOpen(xcol *dashboard.Column, grain cube.Grain, span cube.Span, ends []cube.Category) {
	axis := split{xcol: *xcol, grain: grain, step: grain, span: span, time: true, x: ends}
	axis.findPartial(&s.Rows, true)
}

// fill reads the lines, from the top of the second end.
func (s *slopePanel) fill(t *encode.Table, ends []cube.Category) {
	place := t.Places(0)
	all := make([]slopeRow, len(place))
	for at, c := range t.Axes[0] {
		all[place[at]].cat, all[place[at]].name = c, s.Env.Cell(*t.Column(0), cube.Exact, c)
	}
	for i := range t.Len() {
		end := slices.Index(ends, t.Category(i, 1))
		if v, ok := t.Value(i, 0); ok && end >= 0 {
			l := &all[place[t.At(i, 0)]]
			l.value[end], l.exact[end] = v, t.Exact(i, 0)
			if end == 1 {
				l.toned = s.tones.color(v, s.tones.limits(t.Groups, i, 1), s.col.Name, 0)
			}
		}
	}
	for _, l := range all {
		if l.exact[0] != nil || l.exact[1] != nil {
			s.lines = append(s.lines, l)
		}
	}
	if n := len(all) - len(s.lines); n > 0 && len(s.lines) > 0 && s.family == nil { // other small plots may have them
		s.report(encode.NotedCount(n, "%d value of %s is at neither end, and is left out.",
			"%d values of %s are at neither end, and are left out.",
			encode.Inline(t.Column(0).Label)).
			Warned(dashboard.WarnLeftOut, "x", `%d {value|values} of "%s" {has|have} no value at the first and the last "%s", `+
				`and {is|are} left out; `+
				"a grain, a filter or sql chooses ends that more of them have.", n, s.Spec.Label, s.Spec.X))
	}
	slices.SortStableFunc(s.lines, func(a, b slopeRow) int {
		order := compareNumbers(b.exact[1], a.exact[1])
		if s.Spec.Reverse {
			order = -order
		}
		return cmp.Or(cmp.Compare(stat.One(a.exact[1] == nil), stat.One(b.exact[1] == nil)), order)
	})
}

func (s *slopePanel) tabulate(dim *dashboard.Column) {
	s.Grid = &Grid{Columns: []Column{{Column: *dim}}}
	s.Grid.Columns[0].Role = dashboard.Dimension
	for _, name := range s.ends {
		c := s.col
		c.Label = name
		s.Grid.Columns = append(s.Grid.Columns, Column{Column: c})
	}
	change := s.col
	change.Name, change.Label = "", s.Env.Text("Change")
	s.Grid.Columns = append(s.Grid.Columns, Column{Column: change})
	for i := range s.lines {
		l := &s.lines[i]
		row := []any{l.cat, l.exact[0], l.exact[1], nil}
		if l.both() {
			row[3] = exactly(l.exact[1], l.exact[0], (*big.Rat).Sub)
		}
		s.Grid.Rows = append(s.Grid.Rows, row)
	}
}

// say returns the sentence of a slope: how many lines rise and fall, which of them the most, and which is at the top.
func (s *slopePanel) say() string {
	var up, down int
	most, least, top := -1, -1, 0
	for i := range s.lines {
		l := &s.lines[i]
		if !l.both() {
			continue
		}
		d := l.change()
		up, down = up+stat.One(d > 0), down+stat.One(d < 0)
		if d > 0 && (most < 0 || d > s.lines[most].change()) {
			most = i
		}
		if d < 0 && (least < 0 || d < s.lines[least].change()) {
			least = i
		}
	}
	rise, first := locale.Key("From %s to %s: %s up, %s down."), locale.Key("Highest in %s: %s (%s).")
	if s.Spec.Reverse { // a line that rises on the plot falls in value
		rise, first = "From %s to %s: %s with higher values, %s with lower ones.", "Lowest in %s: %s (%s)."
	}
	out := []string{s.Env.Text(rise, s.ends[0], s.ends[1], s.Env.Number(float64(up), 0), s.Env.Number(float64(down), 0))}
	named := func(i int) string {
		l := &s.lines[i]
		return canvas.Clip(l.name, 40) + " " + s.changeText(l) + " (" + s.amount(l.exact[1]) + ")"
	}
	if most >= 0 {
		out = append(out, s.Env.Text("Largest increase: %s.", named(most)))
	}
	if least >= 0 {
		out = append(out, s.Env.Text("Largest decrease: %s.", named(least)))
	}
	if l := &s.lines[top]; l.exact[1] != nil {
		out = append(out, s.Env.Text(first, s.ends[1], canvas.Clip(l.name, 40), s.amount(l.exact[1])))
	}
	return strings.Join(out, " ")
}

// references returns the reference lines over the values of both ends.
func (s *slopePanel) references() []chart.Reference {
	var drawn []float64
	for i := range s.lines {
		for end, v := range s.lines[i].exact {
			if v != nil {
				drawn = append(drawn, s.lines[i].value[end])
			}
		}
	}
	return s.referencesOf(dashboard.AxisY, drawn, s.col)
}

// logEnds returns the smallest and the largest value of the lines and of the reference lines, which are the ends of a logarithmic axis; nil
// if all are equal.
func (s *slopePanel) logEnds(refs []chart.Reference) (lo, hi *float64) {
	e := chart.NoExtremes()
	add := func(v float64) {
		if v > 0 && !math.IsInf(v, 0) {
			e.Add(v)
		}
	}
	for i := range s.lines {
		for end, v := range s.lines[i].exact {
			if v != nil {
				add(s.lines[i].value[end])
			}
		}
	}
	for _, r := range refs {
		from, to := r.Ends()
		add(from)
		add(to)
	}
	if stat.Flat(e.Lo, e.Hi) || e.Lo > e.Hi {
		return nil, nil
	}
	return &e.Lo, &e.Hi
}

// noteRange removes the values that the axis cannot show, and reports them. It returns false if no value is left.
func (s *slopePanel) noteRange() bool {
	var c census
	for i := range s.lines {
		l := &s.lines[i]
		for end, v := range l.exact {
			if v == nil {
				continue
			}
			if c.count(&s.Settings, dashboard.AxisY, l.value[end]); !s.drawn(dashboard.AxisY, l.value[end]) {
				l.exact[end] = nil
			}
		}
	}
	s.lines = slices.DeleteFunc(s.lines, func(l slopeRow) bool { return l.exact == [2]any{} })
	s.noteReferences(s.references(), dashboard.AxisY)
	return s.noteHidden(c)
}

// changeText returns the change of a line, with the decimals of its values unless they write it as 0; on a logarithmic axis, its factor.
func (s *slopePanel) changeText(l *slopeRow) string {
	if s.Spec.Log(dashboard.AxisY) {
		return s.changeOf(math.Log10(l.value[1])-math.Log10(l.value[0]), s.col)
	}
	change := exactly(l.exact[1], l.exact[0], (*big.Rat).Sub)
	text := s.Env.Quantity(s.col, change)
	if name, decimals := dashboard.SplitFormat(s.col.Format); name == "percent" {
		text = s.Env.WithUnit("%s pp", s.Env.Hundredths(l.change(), max(decimals, 0)))
	}
	if l.change() != 0 && locale.WritesZero(text) {
		return s.changeOf(l.change(), s.col)
	}
	return format.Signed(text, l.change())
}

// amount returns a value as text.
func (s *slopePanel) amount(v any) string { return s.Env.Cell(s.shown, cube.Exact, v) }

// lineColor returns the colour of a line: that of its value, if the spec sets one, or else that of its direction.
func (s *slopePanel) lineColor(l *slopeRow) canvas.Color {
	up, down := s.Env.signColors(&s.col)
	switch d := l.change(); {
	case s.isPale(s.Spec.Label, l.cat):
		return canvas.PaleColor
	case s.Env.names(s.Spec.Label, l.cat):
		return s.Env.valueColor(s.Spec.Label, l.cat)
	case !l.both() || d == 0:
		return canvas.OtherColor
	case d > 0:
		return up
	default:
		return down
	}
}

func (s *slopePanel) plotted() *chart.Chart { return s.chart() }

func (s *slopePanel) Draw(c canvas.Canvas) { s.chart().Draw(c) }

// chart returns the chart of the lines, with a legend of their colours.
func (s *slopePanel) chart() *chart.Chart {
	h := s.newChart(s.col)
	if !s.unlabelled() {
		h.Y.Name = "" // the values at both ends include their unit
	}
	h.Height = max(plotHeight, int(chart.SlopeLine)*len(s.lines)+12)
	h.Sketch = canvas.Tablet // characters are as wide there as among marks
	h.Refs, h.Y.Sparse, h.Y.Round = s.references(), true, exactScale
	h.Y.Write = func(sc chart.Scale) []string { return make([]string, len(sc.Ticks())) }
	if h.Y.Log {
		lo, hi := s.logEnds(h.Refs)
		h.Y.Min, h.Y.Max = cmp.Or(h.Y.Min, lo), cmp.Or(h.Y.Max, hi)
	}
	up, down := s.Env.signColors(&s.col)
	var has [3]bool
	ways, marks := s.Ways(), make(chart.Slopes, len(s.lines))
	for i := range s.lines {
		l := &s.lines[i]
		mark := chart.SlopeMark{Color: s.lineColor(l), Toned: l.toned, Name: l.name, Row: row(s.offset+i, ways.Of(s.Grid.Columns[0].Mark(l.cat)))}
		mark.Title = []string{canvas.Clip(l.name, 60)}
		for end, v := range l.exact {
			if v != nil {
				mark.Ends[end] = chart.SlopeEnd{Value: l.value[end], Text: s.amount(v), Unwritten: s.unlabelled()}
			}
			mark.Title = append(mark.Title, "\n", s.ends[end], ": ", cmp.Or(mark.Ends[end].Text, "–"))
		}
		if l.both() {
			mark.Title = append(mark.Title, "\n", s.Env.Text("Change"), ": ", s.changeText(l))
		}
		mark.Title = append(mark.Title, s.extraTitle(i)...)
		marks[i] = mark
		if l.both() && !s.Env.names(s.Spec.Label, l.cat) && !s.isPale(s.Spec.Label, l.cat) {
			has[1-sign(l.change())] = true
		}
	}
	h.Key = &chart.Key{Kind: canvas.KeyList}
	for i, it := range [...]canvas.Item{
		{Color: up, Line: true, Name: s.Env.Text("Increase")},
		{Color: canvas.OtherColor, Line: true, Name: s.Env.Text("Unchanged")},
		{Color: down, Line: true, Name: s.Env.Text("Decrease")},
	} {
		if has[i] {
			h.Key.Items = append(h.Key.Items, it)
		}
	}
	h.Key = s.tones.addTo(h.Key)
	h.X.Labels = marks.Labels(s.ends, h)
	h.Over = []chart.Layer{marks}
	return h
}

// sign returns 1, 0 or -1.
func sign(v float64) int { return stat.One(v > 0) - stat.One(v < 0) }

// exactScale returns a scale with these ends.
func exactScale(lo, hi float64) chart.Scale {
	if stat.Flat(lo, hi) {
		return chart.NewScale(lo, hi, false, chart.Plain)
	}
	return chart.Scale{Lo: lo, Hi: hi, Step: hi/2 - lo/2}
}
