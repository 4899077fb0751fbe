package panel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// textCells are the texts of the cells of a heat map whose value is a dimension: the cell of a text has its index, and severalTexts is for
// a cell with several.
type textCells struct {
	cats   []cube.Category // in the order of the legend
	names  []string
	signs  []string // short forms, for narrow cells
	colors []canvas.Color
	key    *chart.Key
}

const (
	severalTexts = -1.0
	severalSign  = "…"
)

// color returns the colour of a cell.
func (t *textCells) color(v float64) canvas.Color {
	if v == severalTexts {
		return canvas.OtherColor
	}
	return t.colors[int(v)]
}

// written returns what is written in a cell, if it is wide, and if it is narrow.
func (t *textCells) written(v float64) (text, sign string) {
	if v == severalTexts {
		return severalSign, severalSign
	}
	return canvas.Clip(t.names[int(v)], 20), t.signs[int(v)]
}

// heatmapOfTexts returns a heat map of a dimension, whose values are the colours of the cells.
func (p *Panel) heatmapOfTexts(xcol, ycol, col *dashboard.Column) Content {
	most := p.mostCells()
	var q encode.Query
	for dim, c := range [...]*dashboard.Column{xcol, ycol} {
		by := heatChannel(dim, c, most[dim])
		if g := cube.Grain(p.Spec.Grain); c.Type.IsTime() && g != "auto" {
			by.Grain = g
		}
		q.By = append(q.By, by)
	}
	p.chooseRows(&q)
	for dim := range q.By {
		q.By[dim].Keep.Names.Rank, q.By[dim].Keep.Names.Adds = encode.InOrder, false // there is no measure
	}
	q.By = append(q.By, encode.Channel{Column: col.Name, Key: "value"})
	if p.Problem != "" {
		return nil
	}
	t := p.run(q)
	if t == nil {
		return nil
	}
	g := p.heatAxes(t, xcol, ycol, most)
	if p.Empty != "" {
		return nil
	}
	own := *col
	own.Role = dashboard.Measure // a cell has one value
	out := &heatmapPanel{Panel: p, axes: g.axes, col: own, open: g.open, grain: cmp.Or(g.dims[0].Grain, g.dims[1].Grain), steps: g.steps}
	exact := out.readTexts(t, g, col)
	p.heatGrid(g.dims, own, g.places, g.names[0], exact)
	if !slices.ContainsFunc(out.cells, func(v float64) bool { return !math.IsNaN(v) }) {
		p.Empty = p.missing()
		return nil
	}
	out.times = p.heatTimes(&g.dims[0], g.places[0])
	out.findTitles(t, g.at, g.dims, g.names, exact)
	out.markTimes(&g.dims[0], g.places[0])
	if p.labelled() {
		h := out.chart()
		out.noteLabels(h.Under[0].(*chart.Cells).Left(h.Lay()))
	}
	return out
}

// readTexts sets the texts of the cells, and the sentence. It returns the values of the cells: nil for a cell without a text.
func (p *heatmapPanel) readTexts(t *encode.Table, g *heatAxes, col *dashboard.Column) []any {
	w, height := len(g.axes[0]), len(g.axes[1])
	found := make([][]int, w*height) // by cell: the indexes of its texts
	for i := range t.Len() {
		x, y, v := g.at[0][t.At(i, 0)], g.at[1][t.At(i, 1)], t.At(i, 2)
		if k := y*w + x; x >= 0 && y >= 0 && t.Axes[2][v].Value != nil && !slices.Contains(found[k], v) {
			found[k] = append(found[k], v)
		}
	}
	p.nameTexts(t, col)
	place := make([]int, len(t.Axes[2]))
	for i, c := range t.Axes[2] {
		place[i] = slices.Index(p.texts.cats, c)
	}
	p.cells, p.toned = make([]float64, w*height), make([]canvas.Color, w*height)
	exact, count, several := make([]any, w*height), make([]int, len(p.texts.cats)), 0
	for k, texts := range found {
		for i := range texts {
			texts[i] = place[texts[i]]
		}
		slices.Sort(texts)
		switch len(texts) {
		case 0:
			p.cells[k] = math.NaN()
		case 1:
			p.cells[k], exact[k] = float64(texts[0]), p.texts.cats[texts[0]]
			count[texts[0]]++
		default:
			var names []string
			for _, i := range texts {
				names = append(names, p.texts.names[i])
			}
			p.cells[k], exact[k] = severalTexts, strings.Join(names, ", ")
			several++
		}
	}
	p.keyTexts(col, count)
	p.sayTexts(count)
	if several > 0 {
		p.report(encode.NotedCount(several, "%d cell has several values, and is gray.", "%d cells have several values, and are gray.").
			Warned(dashboard.WarnLeftOut, "value", `%d {cell|cells} of %d {has|have} rows with several values of "%s", and {is|are} gray; `+
				"sql with one row for each cell chooses one, such as the worst.", several, several+sumOf(count), col.Name))
	}
	return exact
}

func sumOf(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// nameTexts sets the names, signs and colours of all texts, in their order. Thresholds set some colours. Small plots have the same.
func (p *heatmapPanel) nameTexts(t *encode.Table, col *dashboard.Column) {
	all := t
	if p.family != nil {
		all = p.family.table
	}
	o, rows := p.Data.Ordering(col.Name), map[cube.Category]float64{}
	for i := range all.Len() {
		rows[all.Category(i, 2)] += float64(all.Rows(i))
	}
	of := &textCells{}
	for _, c := range all.Axes[2] {
		if c.Value != nil {
			of.cats = append(of.cats, c)
		}
	}
	slices.SortStableFunc(of.cats, o.Compare)
	for _, c := range of.cats {
		of.names = append(of.names, p.Panel.Env.Cell(*col, cube.Exact, c))
	}
	of.signs = signsOf(of.names)
	colors, _ := p.fewColors(col, slices.Clone(of.cats), func(c cube.Category) float64 { return rows[c] }, "value")
	for _, c := range of.cats {
		color := cmp.Or(colors[c], canvas.OtherColor)
		for i := range p.Spec.Thresholds {
			if h := &p.Spec.Thresholds[i]; textMet(h, c) {
				color = canvas.ToneColor(h.Tone)
				break
			}
		}
		of.colors = append(of.colors, color)
	}
	p.texts = of
}

// keyTexts makes the legend of the drawn texts. The name of a text whose sign is a number begins with that.
func (p *heatmapPanel) keyTexts(col *dashboard.Column, count []int) {
	of, ways := p.texts, p.Ways()
	of.key = &chart.Key{Kind: canvas.LegendList}
	for i, c := range of.cats {
		if count[i] == 0 {
			continue
		}
		name := of.names[i]
		if !strings.HasPrefix(name, of.signs[i]) {
			name = of.signs[i] + " · " + name
		}
		of.key.Items = append(of.key.Items, canvas.Item{Color: of.colors[i], Name: name, Way: ways.Of(&Mark{Column: col.Name, Category: c})})
	}
}

// sayTexts writes the sentence: how many cells have each text, in the order of the legend.
func (p *heatmapPanel) sayTexts(count []int) {
	env := p.Panel.Env
	var said []string
	for i, n := range count {
		if n > 0 {
			said = append(said, canvas.Clip(p.texts.names[i], 40)+" "+env.Number(float64(n), 0))
		}
	}
	p.Summary = env.Text("%s by %s: %s.", env.Count(len(p.axes[0]), "%d column", "%d columns"),
		env.Count(len(p.axes[1]), "%d row", "%d rows"), strings.Join(said, ", "))
}

// signsOf returns short forms of names: their first letters, as many as all need to differ from each other, at most three. If these do not
// differ, the signs are numbers.
func signsOf(names []string) []string {
	out := make([]string, len(names))
	for n := 1; n <= 3; n++ {
		seen := map[string]bool{}
		for i, name := range names {
			out[i] = strings.TrimSpace(cutLetters(name, n))
			seen[out[i]] = true
		}
		if len(seen) == len(names) && !seen[""] {
			return out
		}
	}
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}
