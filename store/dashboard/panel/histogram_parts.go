package panel

import (
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// histogramParts is the maximum number of series of a histogram, besides Other.
const histogramParts = 6

// A histogramPart is the bins of one series.
type histogramPart struct {
	seriesOf
	amount, height []float64
	exact          []any // as in the table
}

// partChannel returns the channel of the series of a histogram, which keeps the largest.
func (p *Settings) partChannel() encode.Channel {
	top := encode.Top{
		Most: histogramParts, Rank: encode.MostRows, Other: true, Advice: "the sql can group the small ones",
	}
	if p.Spec.Weight != "" {
		top.Rank = encode.Largest
	}
	return encode.Channel{Column: p.Spec.Series, Key: "series", Keep: encode.Keep{Names: top}}
}

// fillParts counts the numbers of each series in the bins.
func (p *histogramPanel) fillParts(t *encode.Table, binned *cube.Groups) {
	if p.Spec.Series == "" {
		return
	}
	n := p.bins.len()
	legend, place := p.legendOf(t, 1)
	for _, se := range legend {
		part := histogramPart{seriesOf: se, amount: make([]float64, n), exact: make([]any, n)}
		for i := range part.exact {
			if part.exact[i] = any(int64(0)); p.Spec.Weight != "" {
				part.exact[i] = 0.0
			}
		}
		p.parts = append(p.parts, part)
	}
	for i := range binned.Len() {
		bin := binned.At(i, 0)
		if bin >= n {
			continue
		}
		part := &p.parts[place[binned.At(i, 1)]]
		if p.Spec.Weight == "" {
			part.amount[bin], part.exact[bin] = float64(binned.Rows(i)), int64(binned.Rows(i))
		} else if v := binned.Exact(i, 0); v != nil {
			part.amount[bin], _ = binned.Value(i, 0)
			part.exact[bin] = v
		}
	}
}

// tabulateParts adds a column for each series to the table behind, before the column of all.
func (p *histogramPanel) tabulateParts(shares []float64) {
	for k := range p.parts {
		part := &p.parts[k]
		part.height = make([]float64, len(part.amount))
		for i, v := range part.amount {
			part.height[i] = v * shares[i]
		}
		c := p.by
		c.Label = part.name
		p.Grid.Columns = slices.Insert(p.Grid.Columns, k+1, Column{Column: c, Head: part.mark})
		for i := range p.Grid.Rows {
			p.Grid.Rows[i] = slices.Insert(p.Grid.Rows[i], k+1, part.exact[i])
		}
	}
}

// total returns the amount in a bin, as in the table.
func (p *histogramPanel) total(bin int) any { return p.Grid.Rows[bin][len(p.parts)+1] }

// ofParts returns a text with the median of each series, after a space.
func (p *histogramPanel) ofParts(t *encode.Table, in []any) string {
	if p.parts == nil || p.Spec.Weight != "" {
		return ""
	}
	_, place := p.legendOf(t, 1)
	counts := make([]stat.Counted, len(p.parts))
	for i := range t.Len() {
		v := t.Category(i, 0).Value
		f, ok := cube.Float(v)
		if lo, _ := cube.Compare(v, in[0]); !ok || lo < 0 {
			continue
		}
		if hi, _ := cube.Compare(v, in[len(in)-1]); hi > 0 {
			continue
		}
		of := place[t.At(i, 1)]
		counts[of] = append(counts[of], stat.CountedValue{Value: f, Count: t.Rows(i)})
	}
	var medians []string
	for i, of := range counts {
		if len(of) > 0 {
			slices.SortFunc(of, func(a, b stat.CountedValue) int { return compareSizes(a.Value, b.Value) })
			medians = append(medians, canvas.Clip(p.parts[i].name, 40)+" "+p.Env.Cell(p.col, cube.Exact, of.Quantile(0.5)))
		}
	}
	return " " + p.Env.Text("Medians: %s", p.Env.some(medians)+".")
}

// partKey returns the legend of the series; nil for none.
func (p *histogramPanel) partKey() *chart.Key {
	series := make([]seriesOf, len(p.parts))
	for i := range p.parts {
		series[i] = p.parts[i].seriesOf
	}
	return p.legend(series)
}

// stackedBars returns the bars of the series, on top of each other.
func (p *histogramPanel) stackedBars(at []float64) *chart.Bars {
	bars := &chart.Bars{Least: chart.LeastBar, Touching: true}
	for i := range p.height {
		var st stack
		for k := range p.parts {
			v := p.parts[k].height[i]
			from := st.put(v)
			bars.Bars = append(bars.Bars, chart.Bar{X1: at[i], X2: at[i+1], From: from, To: from + v, Color: p.parts[k].color, None: v == 0})
		}
		if p.labelled() && p.height[i] != 0 {
			bars.Totals = append(bars.Totals, chart.StackTotal{X: (at[i] + at[i+1]) / 2, Value: p.height[i], Texts: *p.countTexts(i)})
		}
	}
	return bars
}

// outlines returns the series over each other: the upper edge of the bars of each, and a pale area under it.
func (p *histogramPanel) outlines(at []float64) *chart.Lines {
	out := &chart.Lines{}
	for k := range p.parts {
		part := &p.parts[k]
		line := chart.Line{Color: part.color, Fill: chart.Pale, Points: []chart.Point{{X: at[0]}}}
		for i, v := range part.height {
			line.Points = append(line.Points, chart.Point{X: at[i], Value: v}, chart.Point{X: at[i+1], Value: v})
		}
		line.Points = append(line.Points, chart.Point{X: at[len(at)-1]})
		out.Lines = append(out.Lines, line)
	}
	return out
}

// countTexts returns the count over a bar, in the format of its column and shorter.
func (p *histogramPanel) countTexts(bin int) *[2]string {
	if p.count == nil {
		p.count = p.Env.atMarks(format.OrInteger(p.by), p.amount)
	}
	texts := p.count(p.total(bin), p.amount[bin])
	return &texts
}

// list returns the bins as a list of horizontal bars.
func (p *histogramPanel) list() *barPanel {
	s := &split{xcol: p.Grid.Columns[0].Column}
	for _, name := range p.names {
		s.x = append(s.x, cube.Category{Value: name})
	}
	add := func(se seriesOf, amount []float64, exact []any) {
		by := p.by
		se.col = &by
		s.series = append(s.series, se)
		s.value, s.exact, s.null = append(s.value, amount), append(s.exact, exact), append(s.null, make([]bool, len(amount)))
	}
	for i := range p.parts {
		add(p.parts[i].seriesOf, p.parts[i].amount, p.parts[i].exact)
	}
	if p.parts == nil {
		exact := make([]any, len(p.names))
		for i := range exact {
			exact[i] = p.total(i)
		}
		add(seriesOf{name: p.by.Label, color: p.markColor(p.by.Name)}, p.amount, exact)
	}
	return &barPanel{Panel: p.Panel, split: s, stacked: p.Spec.Stack && len(s.series) > 1, tones: p.tones, toned: p.toned, ends: p.ends}
}
