package panel

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// Thresholds set the tones of values. Tones override the colours of ramps.

// A limit returns the value of a measure with which thresholds compare a value: that of the same cell. ok is false for a cell without it.
type limit func(measure string) (v float64, ok bool)

// noLimit is for thresholds that are all numbers.
func noLimit(string) (float64, bool) { return 0, false }

// A valueFor returns the value that a threshold compares for a mark, a cell or a row. ok is false if the threshold is not about it, or if
// there is no value.
type valueFor func(h *dashboard.Threshold) (v float64, ok bool)

// met returns the threshold whose condition holds most closely, or nil.
func met(ts []dashboard.Threshold, of limit, compares valueFor) *dashboard.Threshold {
	var out *dashboard.Threshold
	nearest := math.Inf(1)
	for i := range ts {
		t := &ts[i]
		v, ok := compares(t)
		if !ok {
			continue
		}
		value := t.Value
		if t.By != "" {
			limit, ok := of(t.By)
			if !ok {
				continue
			}
			value = limit
		}
		holds := false
		switch t.If {
		case ">=":
			holds = v >= value
		case ">":
			holds = v > value
		case "<=":
			holds = v <= value
		case "<":
			holds = v < value
		case "=":
			holds = v == value
		}
		if far := math.Abs(v - value); holds && (out == nil || far < nearest) {
			out, nearest = t, far
		}
	}
	return out
}

// toneOf returns the tone of the threshold whose condition holds most closely; "" for none.
func toneOf(ts []dashboard.Threshold, of limit, compares valueFor) string {
	if t := met(ts, of, compares); t != nil {
		return t.Tone
	}
	return ""
}

// comparing returns what thresholds compare for a value of a column: the value or, of thresholds that compare another measure, that of the
// same mark.
func (p *Settings) comparing(v float64, of limit, column string) valueFor {
	return func(h *dashboard.Threshold) (float64, bool) {
		if p.Spec.TonedBy(h) {
			return of(h.Column)
		}
		return v, h.Column == "" || h.Column == column
	}
}

// A toner sets the tones of the values of a panel by its thresholds.
type toner struct {
	*Rows
	names []string // the measures that are limits, or that set the tones of another one
	count []int    // by threshold: the number of values that meet it most closely
	about []int    // by threshold: the number of values of its column
	all   int      // number of values
}

// toner returns nil for a panel without thresholds.
func (p *Rows) toner() *toner {
	if len(p.Spec.Thresholds) == 0 {
		return nil
	}
	t := &toner{Rows: p, count: make([]int, len(p.Spec.Thresholds)), about: make([]int, len(p.Spec.Thresholds))}
	for i := range p.Spec.Thresholds {
		h := &p.Spec.Thresholds[i]
		if p.ofTexts(h) {
			continue
		}
		for name, needed := range map[string]bool{h.By: h.By != "", h.Column: p.tonedBy(h) || p.listsTone(h)} {
			if needed && !slices.Contains(t.names, name) {
				p.col(name)
				t.names = append(t.names, name)
			}
		}
	}
	slices.Sort(t.names)
	return t
}

// ofText returns the threshold of a value of a dimension: one of the value itself or, without one, that which a measure of its rows meets
// most closely. It is nil for none.
func (t *toner) ofText(dim cube.Dim, is cube.Category) *dashboard.Threshold {
	if t == nil {
		return nil
	}
	for i := range t.Spec.Thresholds {
		if h := &t.Spec.Thresholds[i]; t.ofTexts(h) && textMet(h, is) {
			return h
		}
	}
	if len(t.names) == 0 {
		return nil
	}
	rows := t.Data.Cube.Where(t.Data.Rows, dim, func(c cube.Category) bool {
		return c.Value != nil && dashboard.ValueKey(c.Value) == dashboard.ValueKey(is.Value)
	})
	of := t.limits(t.Data.Group(rows, cube.Query{Measures: t.measures()}), 0, 0)
	return met(t.Spec.Thresholds, of, func(h *dashboard.Threshold) (float64, bool) {
		if t.ofTexts(h) {
			return 0, false
		}
		return of(h.Column)
	})
}

// tonedBy reports whether a threshold compares another column than the one whose values it gives a tone. A table of all columns does not
// show hidden ones.
func (p *Rows) tonedBy(h *dashboard.Threshold) bool {
	c := p.Data.Column(h.Column)
	return p.Spec.TonedBy(h) || p.Spec.Type == dashboard.Table && c != nil && c.Hidden
}

// listsTone reports whether a table lists a threshold above its rows: one of a column that it does not show, or one with a name.
func (p *Rows) listsTone(h *dashboard.Threshold) bool {
	return p.Spec.Type == dashboard.Table && (p.tonedBy(h) || h.Label != "")
}

// ofTexts reports whether a threshold is about one value of a dimension, which is its column or the value of the panel.
func (p *Rows) ofTexts(h *dashboard.Threshold) bool {
	c := p.Data.Column(cmp.Or(h.Column, p.Spec.Value))
	return c != nil && c.Role == dashboard.Dimension
}

// textMet reports whether a value of a dimension is the one of a threshold.
func textMet(h *dashboard.Threshold, v any) bool {
	if cat, is := v.(cube.Category); is {
		v = cat.Value
	}
	return v != nil && dashboard.ValueKey(v) == valueOf(h)
}

// measures returns the measures of names, for a query in addition to those of the panel.
func (t *toner) measures() []cube.Measure {
	if t == nil || t.Problem != "" {
		return nil
	}
	out := make([]cube.Measure, len(t.names))
	for i, name := range t.names {
		out[i] = t.Data.Measure(t.Data.Column(name))
	}
	return out
}

// limits returns the values of the limits of a group, from a query whose measures have them from index first on.
func (t *toner) limits(g *cube.Groups, group, first int) limit {
	if t == nil || len(t.names) == 0 {
		return noLimit
	}
	return func(measure string) (float64, bool) {
		return g.Value(group, first+slices.Index(t.names, measure))
	}
}

// color returns the colour of the tone of a column's value, or other if it has none. It counts the value.
func (t *toner) color(v float64, of limit, column string, other canvas.Color) canvas.Color {
	if t == nil {
		return other
	}
	if h := t.add(v, 1, of, column); h != nil {
		return canvas.ToneColor(h.Tone)
	}
	return other
}

// add counts a value of a column in a number of rows, and returns the threshold that it meets most closely, or nil.
func (t *toner) add(v float64, rows int, of limit, column string) *dashboard.Threshold {
	return t.addWhere(rows, of, t.comparing(v, of, column))
}

// addWhere is [toner.add] for the thresholds that compares accepts.
func (t *toner) addWhere(rows int, of limit, compares valueFor) *dashboard.Threshold {
	t.all += rows
	h := met(t.Spec.Thresholds, of, compares)
	for i := range t.Spec.Thresholds {
		one := &t.Spec.Thresholds[i]
		if _, has := compares(one); has {
			t.about[i] += rows
		}
		if h == one {
			t.count[i] += rows
		}
	}
	return h
}

// condition returns the name of a threshold or, without one, its condition in words: "≥ 1,000".
func (t *toner) condition(h *dashboard.Threshold) string {
	if h.Label != "" {
		return h.Label
	}
	name := h.Column
	if name == "" {
		if name = t.Spec.Value; name == "" { // of a pivot, or of a chart of one measure
			name = slices.Concat(t.Spec.Values, t.Spec.Y, t.Spec.Compared())[0]
		}
	}
	sign := map[string]string{">=": "≥", "<=": "≤"}[h.If]
	if sign == "" {
		sign = h.If
	}
	value := ""
	switch {
	case t.ofTexts(h):
		sign, value = "=", valueOf(h)
	case h.By != "":
		value = t.Data.Column(h.By).Label
	case t.Spec.Type == dashboard.Funnel: // of conversion
		value = t.Env.Value("percent", h.Value)
	default:
		value = t.Env.Brief(*t.Data.Column(name), h.Value)
	}
	out := sign + " " + value
	if h.Column != "" && (len(t.Spec.Values) > 1 || t.tonedBy(h)) {
		out = t.Data.Column(name).Label + " " + out
	}
	return out
}

// items returns the conditions that values meet, for a legend.
func (t *toner) items() []canvas.Item {
	if t == nil {
		return nil
	}
	var out []canvas.Item
	for i := range t.Spec.Thresholds {
		if t.count[i] > 0 {
			h := &t.Spec.Thresholds[i]
			out = append(out, canvas.Item{Color: canvas.ToneColor(h.Tone), Name: t.condition(h)})
		}
	}
	return out
}

// covers reports whether all values meet a threshold, so that colours of a ramp are not drawn.
func (t *toner) covers() bool {
	if t == nil {
		return false
	}
	n := 0
	for _, c := range t.count {
		n += c
	}
	return n == t.all
}

// drawKey draws the legend of a ramp and that of tones.
func (t *toner) drawKey(c canvas.Canvas, r canvas.Ramp) {
	k := t.key(r)
	k.Draw(c)
}

// key returns the legend of a ramp and that of tones.
func (t *toner) key(r canvas.Ramp) *chart.Key {
	k := &chart.Key{Kind: canvas.LegendList, Items: t.items()}
	if !t.covers() {
		k.Ramp = &r
	}
	return k
}

// says returns how many values of its column meet each condition, after a space: " ≥ 1,000: 3 of 70."
func (t *toner) says() string {
	if t == nil {
		return ""
	}
	var b strings.Builder
	for i := range t.Spec.Thresholds {
		b.WriteString(" " + t.Env.Text("%s: %s of %s.", t.condition(&t.Spec.Thresholds[i]),
			t.Env.Number(float64(t.count[i]), 0), t.Env.Number(float64(t.about[i]), 0)))
	}
	return b.String()
}

// limitNames returns the measures of names.
func (t *toner) limitNames() []string {
	if t == nil {
		return nil
	}
	return t.names
}

// ofSplit returns the colours of the tones of the only series of a split, at each place of the axis: 0 for none. The value of an incomplete
// period is not final, so only a sum above a limit has a tone there: it stays above. It is nil without thresholds.
func (t *toner) ofSplit(s *split) []canvas.Color {
	if t == nil || len(s.series) != 1 {
		return nil
	}
	asides := s.asides[max(len(s.asides)-len(t.names), 0):]
	out := make([]canvas.Color, len(s.x))
	for x := range s.x {
		if !s.has(0, x) {
			continue
		}
		of := func(measure string) (float64, bool) {
			a := &asides[slices.Index(t.names, measure)]
			return a.value[x], a.has(x)
		}
		col := s.series[0].col
		if !s.isPartial(x) {
			out[x] = t.color(s.value[0][x], of, col.Name, 0)
			continue
		}
		all := t.comparing(s.value[0][x], of, col.Name)
		final := func(h *dashboard.Threshold) (float64, bool) {
			if h.If != ">" && h.If != ">=" || t.Spec.TonedBy(h) || !t.isSum(col) {
				return 0, false
			}
			return all(h)
		}
		if met(t.Spec.Thresholds, of, final) != nil {
			out[x] = canvas.ToneColor(t.addWhere(1, of, final).Tone)
		}
	}
	return out
}

// toneDots returns dots in the colours of tones at values, which are at fractions of the width and on the axis on the right or on the left.
// It returns nil if no value has a tone.
func toneDots(toned []canvas.Color, at, value []float64, right bool) []chart.Layer {
	dots := &chart.Tones{}
	if right {
		dots.On = chart.AxisRight
	}
	for x, of := range toned {
		if of > 0 {
			dots.Dots = append(dots.Dots, chart.ToneDot{X: at[x], Value: value[x], Color: of})
		}
	}
	if dots.Dots == nil {
		return nil
	}
	return []chart.Layer{dots}
}

// addTo adds the conditions to the legend of a chart, which can be nil, and returns it.
func (t *toner) addTo(k *chart.Key) *chart.Key {
	items := t.items()
	if len(items) == 0 {
		return k
	}
	if k == nil {
		k = &chart.Key{Kind: canvas.LegendList}
	}
	k.Items = append(k.Items, items...)
	return k
}
