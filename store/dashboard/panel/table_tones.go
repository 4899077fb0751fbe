package panel

import (
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// tableTones are the tones of the cells and rows of a table. Thresholds can compare columns that the table does not show: measures, which
// the toner adds to the queries of the table, and dimensions. A line whose rows differ in such a dimension has no value of it.
type tableTones struct {
	limited *cube.Groups // the drawn lines, with the measures of the toner

	texts map[string][]any // by dimension that the table does not show, then drawn line: its value; nil for none or several
	items []canvas.Item    // the listed thresholds, in words
	words string           // the numbers of lines with their tones, in words
}

// findTones reads the tones of all lines, and what the drawn ones compare.
func (t *tablePanel) findTones(drawn []int) {
	t.toned.limited = t.own.Lines(drawn, t.toneMeasures())
	t.toned.texts = map[string][]any{}
	if t.tones == nil {
		return
	}
	for i := range t.Spec.Thresholds {
		h := &t.Spec.Thresholds[i]
		if t.tonedBy(h) && t.ofTexts(h) {
			t.toned.texts[h.Column] = t.onlyTexts(h.Column, drawn)
		}
	}
	t.countTones()
}

// toneMeasures returns the measures that thresholds need. A measure that does not add up has the value that all rows of a line have.
func (t *tablePanel) toneMeasures() []cube.Measure {
	out := t.tones.measures()
	for i := range out {
		m := &out[i]
		if n, _ := t.own.Unclear(*m); n > 0 && m.Agg == cube.None && m.Over == nil && t.Data.Cube.Constant(t.Data.Rows, t.by, m.Column) {
			m.Agg = cube.Min
		}
	}
	return out
}

// onlyTexts returns the value of a dimension by line, nil for a line whose rows have several.
func (t *tablePanel) onlyTexts(column string, lines []int) []any {
	out := make([]any, len(lines))
	seen := make([]int, len(lines))
	g := t.own.Split(lines, cube.Dim{Column: column, Zone: t.Env.Zone}, nil)
	for i := range g.Len() {
		line := g.At(i, 0)
		if seen[line]++; seen[line] == 1 {
			out[line] = g.Category(i, 1)
		} else {
			out[line] = nil
		}
	}
	return out
}

// countTones counts the lines that have the tones of the thresholds that it lists, so that readers learn why lines have tones.
func (t *tablePanel) countTones() {
	if !slices.ContainsFunc(t.Spec.Thresholds, func(h dashboard.Threshold) bool { return t.listsTone(&h) }) {
		return
	}
	values, all := t.own.Values(t.toneMeasures()...), make([]int, t.lines.Len())
	for i := range all {
		all[i] = i
	}
	for k := range t.Spec.Thresholds {
		h := &t.Spec.Thresholds[k]
		if !t.listsTone(h) {
			continue
		}
		count := 0
		if t.ofTexts(h) {
			for _, v := range t.onlyTexts(h.Column, all) {
				if textMet(h, v) {
					count++
				}
			}
		} else {
			for i := range all {
				of := t.tones.limits(values, i, 0)
				if met(t.Spec.Thresholds, of, func(o *dashboard.Threshold) (float64, bool) {
					v, ok := of(h.Column)
					return v, ok && o.Column == h.Column && toneTarget(o) == toneTarget(h) && o.Row == h.Row
				}) == h {
					count++
				}
			}
		}
		text := t.tones.condition(h)
		t.toned.words += " " + t.Env.Text("%s: %s of %s.", text, t.Env.Number(float64(count), 0), t.Env.Number(float64(len(all)), 0))
		if count > 0 {
			t.toned.items = append(t.toned.items, canvas.Item{Color: canvas.ToneColor(h.Tone), Name: text})
		}
	}
}

// drawToneKey draws the listed thresholds.
func (t *tablePanel) drawToneKey(c canvas.Canvas) {
	if len(t.toned.items) > 0 {
		(&chart.Key{Kind: canvas.LegendList, Items: t.toned.items}).Draw(c)
	}
}

// A lineOf has the values of a line, or of the row of totals, that thresholds compare.
type lineOf struct {
	shown func(column int) any
	texts func(dimension string) any // of a dimension that the table does not show
	limit limit
}

// line returns the values of a drawn line.
func (t *tablePanel) line(row int) lineOf {
	return lineOf{
		shown: func(j int) any { return t.Grid.Rows[row][j] },
		texts: func(name string) any {
			if of := t.toned.texts[name]; of != nil {
				return of[row]
			}
			return nil
		},
		limit: t.tones.limits(t.toned.limited, row, 0),
	}
}

// value returns the value of a column that a threshold compares: one that the table shows, or another.
func (t *tablePanel) value(l lineOf, h *dashboard.Threshold) any {
	if j := t.index(h.Column); j >= 0 {
		return l.shown(j)
	}
	if t.ofTexts(h) {
		return l.texts(h.Column)
	}
	if v, ok := l.limit(h.Column); ok {
		return v
	}
	return nil
}

// toneTarget returns the column whose cells have the tone of a threshold.
func toneTarget(h *dashboard.Threshold) string {
	if h.Cell != "" {
		return h.Cell
	}
	return h.Column
}

// cellTone returns the tone of a cell: that of the number which meets a condition most closely, or of the first value of a dimension; ""
// for none.
func (t *tablePanel) cellTone(l lineOf, column string) string {
	tone := toneOf(t.Spec.Thresholds, l.limit, func(h *dashboard.Threshold) (float64, bool) {
		if toneTarget(h) != column || t.ofTexts(h) {
			return 0, false
		}
		return cube.Float(t.value(l, h))
	})
	for i := range t.Spec.Thresholds {
		h := &t.Spec.Thresholds[i]
		if tone == "" && toneTarget(h) == column && t.ofTexts(h) && textMet(h, t.value(l, h)) {
			return h.Tone
		}
	}
	return tone
}

// rowTone returns the tone of a whole row: that of the first column whose thresholds for rows set one; "" for none.
func (t *tablePanel) rowTone(l lineOf) string {
	for i := range t.Spec.Thresholds {
		of := &t.Spec.Thresholds[i]
		switch {
		case !of.Row:
		case t.ofTexts(of):
			if textMet(of, t.value(l, of)) {
				return of.Tone
			}
		default:
			tone := toneOf(t.Spec.Thresholds, l.limit, func(h *dashboard.Threshold) (float64, bool) {
				if !h.Row || h.Column != of.Column {
					return math.NaN(), false
				}
				return cube.Float(t.value(l, h))
			})
			if tone != "" {
				return tone
			}
		}
	}
	return ""
}
