package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// maxFacets is the maximum number of small plots of a panel. If there are more values, the largest are drawn.
const maxFacets = 24

// The heights of small plots, in pixels. Plots of points need as much height as width.
const (
	facetHeight     = 120
	facetSpots      = 150
	facetSpotsOfFew = 200 // if at most three are next to each other
)

// A family is the state that small plots share: their axes, and the lines across all of them.
type family struct {
	columns int            // number of plots next to each other on a desktop
	chosen  bool           // the spec sets the number
	height  int            // of a plot, in pixels
	reach   chart.Extremes // of all drawn values
	across  chart.Extremes // of all values on the axis of x, if that is a scale
	right   chart.Extremes // of all values on the axis on the right
	below   chart.Extremes // of all values in the plots below the main ones
	own     bool           // the axes of each plot have labels
	free    bool           // each plot has its own scales
	uneven  bool           // the height of each plot depends on its rows
	of      *Panel         // the panel of the small plots
	allRows bool           // no filter excludes rows
	table   *encode.Table  // of all plots; nil before it is needed
	earlier *cube.Groups   // the earlier period of all plots; nil before it is needed
	period  *ownPeriod     // of all numbers; nil before it is sought, and if no period is complete
	sought  bool           // the period was sought
}

// A facetPanel is small plots, one for each value of a dimension.
type facetPanel struct {
	*Panel
	family *family
	plots  []facetPlot
}

// A facetPlot is one of the small plots. Its panel has the title and notes, and the reason if it is empty.
type facetPlot struct {
	*Panel
	plot Content // nil if the plot is empty
}

// newFamily returns the shared state of n small plots.
func (p *Panel) newFamily(n int) *family {
	free, none := p.Spec.FacetScale == dashboard.FacetFree, chart.NoExtremes()
	f := &family{of: p, height: facetHeight, reach: none, across: none, right: none, below: none, free: free, own: free}
	f.uneven = p.Spec.Type == dashboard.Timeline
	f.columns, f.chosen = p.facetColumns(n), p.Spec.FacetCols > 0
	switch {
	case p.Spec.Type != dashboard.Scatter:
	case f.columns <= 3:
		f.height = facetSpotsOfFew
	default:
		f.height = facetSpots
	}
	return f
}

// listsFacets are the types whose small plots have names next to their marks. At most three of these plots are next to each other.
var listsFacets = []string{dashboard.Heatmap, dashboard.Pie, dashboard.Funnel, dashboard.Slope, dashboard.Treemap}

// facetColumns returns the number of small plots next to each other on a desktop, if there are n.
func (p *Settings) facetColumns(n int) int {
	of := p.Spec
	switch {
	case of.FacetCols > 0:
		return of.FacetCols
	case of.Type == dashboard.KPI:
		return tileColumns(n, mostTiles)
	case of.Type == dashboard.Calendar || of.Type == dashboard.Timeline:
		return 1
	case slices.Contains(listsFacets, of.Type) || of.Horizontal || len(of.Y2) > 0:
		if n == 4 {
			return 2
		}
		return min(n, 3)
	case n <= 3 || n == 5 || n == 6 || n == 9:
		return min(n, 3)
	}
	return 4
}

// mostTiles is the maximum of numbers next to each other, unless the spec has another one.
const mostTiles = 6

// tileColumns returns how many of n numbers are next to each other, if fit of them have room: as many as leave the fewest places of the
// last row empty, but not so few that there are many rows.
func tileColumns(n, fit int) int {
	best := min(n, max(fit, 1))
	for columns := best - 1; columns >= max(best/2, 2) && n > best; columns-- {
		if (columns-n%columns)%columns < (best-n%best)%best {
			best = columns
		}
	}
	return best
}

// plotHeight returns the height of lines, areas and columns of the panel, in pixels.
func (p *Rows) plotHeight() float64 {
	if p.family != nil {
		return float64(p.family.height)
	}
	return plotHeight
}

// smallPanel returns the panel of one small plot.
func (p *Panel) smallPanel(f *family, cat cube.Category) *Panel {
	own := *p
	own.family, own.Notes, own.counted, own.Warnings, own.Summary = f, nil, nil, nil, ""
	own.Title, own.value = p.Env.Cell(*p.Data.Column(p.Spec.Facet), cube.Exact, cat), cat
	return &own
}

// without changes the panel's copy of its spec.
func (p *Settings) without(change func(*dashboard.Panel)) {
	own := *p.Spec
	change(&own)
	p.Spec = &own
}

// tableOf sets the table behind all small plots: a row for each place on each of their axes, and the columns that any of them has.
func (p *facetPanel) tableOf(order []cube.Category) {
	var g *Grid
	var totals []string
	for i := range p.plots {
		plot := &p.plots[i]
		part := plot.Grid
		if part == nil {
			continue
		}
		place := stat.One(part.Columns[0].Role == dashboard.Dimension) // of the facet
		if g == nil {
			g = &Grid{Columns: slices.Insert(slices.Clone(part.Columns), place, Column{Column: *p.Data.Column(p.Spec.Facet)})}
		}
		to := slices.Concat(stat.Indices(place), g.takeIn(part.Columns[place:], place+1))
		plot.offset = len(g.Rows)
		for _, row := range part.Rows {
			all := make([]any, len(g.Columns))
			all[place] = order[i]
			for k, at := range to {
				all[at] = row[k]
			}
			g.Rows = append(g.Rows, all)
		}
		for row, text := range plot.Beside {
			if p.Beside == nil {
				p.Beside = map[int]string{}
			}
			p.Beside[plot.offset+row] = text
		}
		totals = append(totals, plot.Totals...)
		if p.Parts == nil && plot.Parts != nil {
			p.Parts = make([][]float64, len(plot.Parts))
		}
		for i := range plot.Parts {
			p.Parts[i] = append(p.Parts[i], plot.Parts[i]...)
		}
	}
	if p.Grid = g; g != nil && len(totals) == len(g.Rows) {
		p.Totals = totals
	}
}

// takeIn adds the columns that the grid lacks, not before index from and each after the column that precedes it, and returns the indexes of
// all columns.
func (g *Grid) takeIn(columns []Column, from int) []int {
	to, at := make([]int, len(columns)), from
	for k := range columns {
		c := &columns[k]
		had := slices.IndexFunc(g.Columns[at:], func(o Column) bool { return o.Name == c.Name && o.Heading() == c.Heading() })
		if had < 0 {
			had = 0
			g.Columns = slices.Insert(g.Columns, at, *c)
			for r := range g.Rows {
				g.Rows[r] = slices.Insert(g.Rows[r], at, any(nil))
			}
		}
		to[k] = at + had
		at = to[k] + 1
	}
	return to
}

// sumNotes replaces the notes of plots that count the same things by one of the panel, with their sum.
func (p *facetPanel) sumNotes() {
	var keys []string
	all := map[string][]encode.Issue{}
	key := func(i encode.Issue) string { return string(i.Note) + fmt.Sprint(i.Args...) }
	for _, plot := range p.plots {
		for at := range plot.Notes {
			if i, ok := plot.counted[at]; ok {
				if all[key(i)] == nil {
					keys = append(keys, key(i))
				}
				all[key(i)] = append(all[key(i)], i)
			}
		}
	}
	for _, k := range keys {
		if n := 0; len(all[k]) > 1 {
			for _, i := range all[k] {
				n += *i.Count
			}
			p.report(encode.NotedCount(n, all[k][0].One, all[k][0].Note, all[k][0].Args...))
		}
	}
	for _, plot := range p.plots {
		at := -1
		plot.Notes = slices.DeleteFunc(plot.Notes, func(string) bool {
			at++
			i, ok := plot.counted[at]
			return ok && len(all[key(i)]) > 1
		})
	}
}

// gather writes the notes, the warnings and the sentence of the panel. A note of some of the plots begins with their names.
func (p *facetPanel) gather() {
	p.sumNotes()
	var texts []string
	of := map[string][]string{}
	for _, plot := range p.plots {
		for _, note := range plot.Notes {
			if of[note] == nil {
				texts = append(texts, note)
			}
			of[note] = append(of[note], canvas.Clip(plot.Title, 40))
		}
		for _, w := range plot.Warnings {
			if !slices.Contains(p.Warnings, w) {
				p.Warnings = append(p.Warnings, w)
			}
		}
	}
	for _, text := range texts {
		if names := of[text]; len(names) < len(p.plots) {
			if n := len(names) - 3; n > 0 {
				names = append(slices.Clone(names[:3]), p.Env.Count(n, "and %d more", "and %d more"))
			}
			text = strings.Join(names, ", ") + ": " + text
		}
		p.Notes = append(p.Notes, text)
	}
	by := p.Env.Inside(p.label(p.Spec.Facet))
	parts := []string{p.Env.Count(len(p.plots), "%d plot by %s.", "%d plots with the same axes by %s.", by)}
	switch {
	case p.Spec.Type == dashboard.KPI:
		parts = nil
	case p.family.free || p.family.of != nil && p.family.reach.Lo > p.family.reach.Hi:
		parts[0] = p.Env.Count(len(p.plots), "%d plot by %s.", "%d plots by %s.", by)
	}
	for i, plot := range p.plots {
		if i == 4 && len(p.plots) > 5 {
			n := len(p.plots) - i
			parts = append(parts, format.Upper(p.Env.Count(n, "and %d more", "and %d more"))+".")
			break
		}
		says := plot.Summary
		if plot.plot == nil {
			says = plot.Empty
		}
		parts = append(parts, canvas.Clip(plot.Title, 40)+": "+says)
	}
	p.Summary = strings.Join(parts, " ")
}

// sketch returns a small line for each series of each plot, all on one scale; for types without such lines, the plots in characters, or the
// sentence of each plot.
func (p *facetPanel) sketch() []string {
	for _, plot := range p.plots {
		_, small := plot.plot.(profiled)
		_, chart := plot.plot.(charted)
		if _, days := plot.plot.(*calendarPanel); days || chart && !small {
			return p.sketchPlots()
		}
	}
	var lines, names, last []string
	var signs toneSigns
	var series [][]float64
	ends := chart.NoExtremes()
	if p.Spec.Type == dashboard.Funnel {
		ends.Add(0)
	}
	for _, plot := range p.plots {
		title := text.OneLine(plot.Title)
		of, ok := plot.plot.(profiled)
		switch {
		case ok:
			for _, profile := range of.profile() {
				name := title
				if profile.name != "" {
					name = text.Cut(title, sketchName/2) + " " + text.OneLine(profile.name)
				}
				names, series, last = append(names, name), append(series, profile.values), append(last, text.OneLine(profile.last))
				for _, v := range profile.values {
					if !math.IsNaN(v) {
						ends.Add(v)
					}
				}
			}
		case plot.plot == nil && series != nil:
			names, series, last = append(names, title), append(series, nil), append(last, format.None)
		default:
			sign := ""
			if k, ok := plot.plot.(*kpiPanel); ok {
				sign = signs.of(k.tone)
			}
			lines = append(lines, plot.sentence()+sign)
		}
	}
	lines = wrapped(lines, sketchRow+1)
	if r := p.family.reach; !p.family.free && r.Lo <= r.Hi {
		ends.Lo, ends.Hi = p.straight(dashboard.AxisY, r.Lo), p.straight(dashboard.AxisY, r.Hi)
	}
	if p.Spec.Reverse {
		ends.Lo, ends.Hi = -ends.Hi, -ends.Lo
		for i, vs := range series {
			series[i] = negated(vs)
		}
	}
	wide := widest(names)
	for i, vs := range series {
		lines = append(lines, text.Pad(names[i], wide)+" "+spark(vs, text.LineWidth-wide-10, ends.Lo, ends.Hi)+" "+last[i])
	}
	return append(text.Most(lines, sketchRow+1, p.Env.morePlots), signs.words(p.Env)...)
}

// sketchPlots returns small plots in characters; for those for which there are no lines left, their sentences.
func (p *facetPanel) sketchPlots() []string {
	var lines []string
	full, keyed := false, false
	for i, plot := range p.plots {
		title := text.OneLine(plot.Title)
		b, _ := plot.plot.(*boxPanel)
		var h *chart.Chart // nil for rows of bars
		if c, ok := plot.plot.(charted); ok && !full {
			h = c.plotted()
		}
		days, _ := plot.plot.(*calendarPanel)
		if h != nil || days != nil && !full {
			var key *chart.Key
			var draw func(canvas.Canvas)
			switch {
			case days != nil:
				key, draw = days.keyAbove(), days.Draw
			case b != nil:
				key, draw = b.key(), b.laid(b.chartOf(true)).Draw
			default:
				key, draw = h.Key, h.Draw
				h.Key = nil
			}
			painted, _ := p.painted(func(c canvas.Canvas) { // the signs of marks depend on the key
				key.Draw(c)
				draw(c)
			}, sketchLines)
			above, _ := p.painted(key.Draw, sketchLines)
			if p.Spec.Type != dashboard.Scatter { // whose key has the trend of one plot
				if !keyed {
					lines, keyed = append(painted[:len(above):len(above)], lines...), true
				}
				painted = painted[len(above):]
			}
			if full = len(lines)+1+len(painted)+len(p.plots)-i > sketchLines; !full {
				lines = append(append(lines, title), painted...)
				continue
			}
		}
		lines = append(lines, plot.sentence())
	}
	return text.Most(wrapped(lines, sketchLines), sketchLines, p.Env.morePlots)
}

// sentence returns the name of the plot, with its sentence.
func (p *facetPlot) sentence() string {
	return text.OneLine(p.Title) + ": " + text.OneLine(cmp.Or(p.Summary, p.Empty))
}

// wrapped wraps lines that are too long, if all parts are at most n lines.
func wrapped(lines []string, n int) []string {
	var out []string
	for _, line := range lines {
		for text.Cells(line) > text.LineWidth {
			part := text.Cut(line, text.LineWidth)
			at := strings.LastIndexByte(strings.TrimSuffix(part, "…"), ' ')
			if at <= 2 {
				break
			}
			out, line = append(out, line[:at]), "  "+line[at+1:]
		}
		out = append(out, line)
	}
	if len(out) > n {
		return lines
	}
	return out
}

// negated returns the values of a series upside down; NaN stays.
func negated(vs []float64) []float64 {
	out := make([]float64, len(vs))
	for i, v := range vs {
		out[i] = -v
	}
	return out
}

// A profile is a series of a small plot, in the form of a sketch.
type profile struct {
	name   string // "" if the plot has only one series
	values []float64
	last   string // the text of the last value
}

// A profiled content is drawn in a sketch as a small line for each series.
type profiled interface {
	profile() []profile
}

func (p *barPanel) profile() []profile { return p.profileOf(p.split) }

func (p *linePanel) profile() []profile {
	out := p.profileOf(p.split)
	for i := range out {
		out[i].values = p.withHoles(out[i].values)
	}
	return out
}

// profileOf returns the series of a split, which are the first columns of the grid after that of the places.
func (p *Panel) profileOf(s *split) []profile {
	out := make([]profile, len(s.series))
	for i, se := range s.series {
		one := profile{values: p.sketchedSeries(i), last: format.None}
		if len(s.series) > 1 {
			one.name = se.name
		}
		if k := lastValue(one.values); k >= 0 {
			if one.last = p.Env.AsSaid(*se.col, number(p.Grid.Rows[k][i+1])); p.Parts != nil { // the place of a value can be the end of the axis
				one.last = p.Env.Share(one.values[k], 1)
			}
		}
		out[i] = one
	}
	return out
}
