package panel

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// largestValues is the number of values that a sketch names.
const largestValues = 3

// A namedValue is a value of the table behind.
type namedValue struct {
	row, col int
	cells    []any
	value    float64
}

// largest names the largest values of the table behind and the rows of these, in one line, or the smallest if the panel has these first; it
// returns nil if the table has no numbers. The values are those of the panel's first measure and of the series in the legend: other columns
// may have another unit.
func (p *Panel) largest(series map[string]bool) []string {
	g := p.Grid
	var names, values []int
	measure := cmp.Or(p.Spec.Value, cmp.Or(append(slices.Clone(p.Spec.Y), p.Spec.Bars...)...), p.Spec.Close, p.Spec.High)
	first := slices.IndexFunc(g.Columns, func(c Column) bool { return numeric(c) && c.Name == measure })
	if p.Spec.Type == dashboard.Box { // the value that a box has before others
		first = slices.IndexFunc(g.Columns, func(c Column) bool {
			return c.Label == p.Env.Text("Median") || c.Name == p.Spec.Median && c.Name != ""
		})
	}
	if first < 0 {
		first = p.firstNumbers()
	}
	for i, c := range g.Columns {
		switch {
		case i == 0 || !numeric(c):
			names = append(names, i)
		// A heat map has a column of its measure for each x.
		case i == first || series[c.Label] || c.Name != "" && c.Name == g.Columns[first].Name && c.Label != g.Columns[first].Label:
			values = append(values, i)
		}
	}
	order, word := 1.0, locale.Key("largest: %s")
	if p.smallestFirst(measure) {
		order, word = -1, "smallest: %s"
	}
	var top []namedValue
	row := 0
	for cells := range g.Each() {
		for _, col := range values {
			v := number(cells[col])
			if math.IsNaN(v) || len(top) == largestValues && order*v <= order*top[largestValues-1].value {
				continue
			}
			at := len(top)
			for at > 0 && order*top[at-1].value < order*v {
				at--
			}
			top = slices.Insert(top, at, namedValue{row, col, slices.Clone(cells), v})
			top = top[:min(len(top), largestValues)]
		}
		row++
	}
	if len(top) == 0 {
		return nil
	}
	texts := make([]string, len(top))
	line := ""
	for most := 16; most >= 6; most -= 2 { // the values are complete, even if names are cut
		for i, v := range top {
			var words []string
			for _, n := range names {
				words = append(words, text.Cut(p.words(n, v.cells[n]), most))
			}
			if len(values) > 1 || len(values)+len(names) < len(g.Columns) {
				words = append(words, text.Cut(text.OneLine(g.Columns[v.col].Label), min(most, 12)))
			}
			texts[i] = strings.Join(words, " ") + " " + p.words(v.col, v.cells[v.col])
		}
		if line = p.Env.Text(word, strings.Join(texts, "; ")); text.Cells(line) <= text.LineWidth {
			break
		}
	}
	return []string{line}
}

// smallestFirst reports whether the panel has its smallest values first: by its sort or, of ranks, by a reversed axis. The steps of a
// waterfall are a sequence, not a ranking.
func (p *Panel) smallestFirst(measure string) bool {
	if by, descending := sortKey(p.Spec.Sort); by != "" && by == measure && p.Spec.Type != dashboard.Waterfall {
		return !descending
	}
	return p.Spec.Reverse
}

// firstNumbers returns the first column of the table behind with numbers of the dataset, or else with any numbers; 0 without such a column.
func (p *Panel) firstNumbers() int {
	g := p.Grid
	first := slices.IndexFunc(g.Columns, func(c Column) bool { return numeric(c) && c.Name != "" && c.Name != g.Columns[0].Name })
	if first < 0 { // counts are integers, and less important than other numbers
		first = slices.IndexFunc(g.Columns[1:], func(c Column) bool { return c.Type == cube.Number }) + 1
	}
	if first == 0 {
		first = slices.IndexFunc(g.Columns[1:], numeric) + 1
	}
	return first
}

func numeric(c Column) bool { return c.Type == cube.Integer || c.Type == cube.Number }
