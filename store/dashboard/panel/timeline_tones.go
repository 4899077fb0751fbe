package panel

import (
	"math"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// findTones gives spans the tones of the thresholds that they meet. Each threshold applies to its own column. If a span meets several, the
// threshold with the nearest number applies or, for dimensions, the first one with their value. The sentence has the number of spans that
// meet each threshold.
func (m *timelinePanel) findTones() {
	if len(m.Spec.Thresholds) == 0 {
		return
	}
	keys := m.markColumns()
	by := make([]cube.Dim, keys)
	for i := range by {
		by[i] = m.Data.Dim(m.Grid.Columns[i].Name, m.Grid.Columns[i].Grain)
	}
	values := map[string]map[markKey]any{}
	read := func(name string) {
		if name == "" || values[name] != nil {
			return
		}
		c := m.Panel.col(name)
		switch {
		case m.Problem != "":
		case c.Role == dashboard.Measure:
			values[name] = m.measuresOf(by, c)
		default:
			values[name] = m.onlyValues(by, c)
		}
	}
	for i := range m.Spec.Thresholds {
		h := &m.Spec.Thresholds[i]
		if read(h.Column); !m.ofTexts(h) {
			read(h.By)
		}
	}
	if m.Problem != "" {
		return
	}
	m.toned = make([]canvas.Color, len(m.spans))
	count := make([]int, len(m.Spec.Thresholds))
	for i := range m.spans {
		key, ok := m.keyOf(m.Grid.Rows[i], keys)
		if !ok {
			continue
		}
		if best := m.toneOf(key, values); best >= 0 {
			count[best]++
			m.toned[i] = canvas.ToneColor(m.Spec.Thresholds[best].Tone)
		}
	}
	for i := range m.Spec.Thresholds {
		h := &m.Spec.Thresholds[i]
		text := m.condition(h)
		m.Summary += " " + m.Env.Text("%s: %s of %s.", text, m.Env.Number(float64(count[i]), 0), m.Env.Number(float64(len(m.spans)), 0))
		if count[i] > 0 {
			m.tones = append(m.tones, canvas.Item{Color: canvas.ToneColor(h.Tone), Name: text})
		}
	}
}

// toneOf returns the index of the threshold that a span meets most closely, or -1.
func (m *timelinePanel) toneOf(key markKey, values map[string]map[markKey]any) int {
	best, nearest := -1, math.Inf(1)
	for i := range m.Spec.Thresholds {
		h := &m.Spec.Thresholds[i]
		if m.ofTexts(h) {
			if cat, ok := values[h.Column][key].(cube.Category); ok && cat.Value != nil && dashboard.ValueKey(cat.Value) == valueOf(h) && best < 0 {
				best = i
			}
			continue
		}
		v, ok := cube.Float(values[h.Column][key])
		if !ok {
			continue
		}
		limit := func(measure string) (float64, bool) { return cube.Float(values[measure][key]) }
		if met([]dashboard.Threshold{*h}, limit, func(*dashboard.Threshold) (float64, bool) { return v, true }) == nil {
			continue
		}
		to := h.Value
		if h.By != "" {
			to, _ = limit(h.By)
		}
		if far := math.Abs(v - to); best < 0 || far < nearest {
			best, nearest = i, far
		}
	}
	return best
}

// valueOf returns the value of a dimension that a threshold names.
func valueOf(h *dashboard.Threshold) string {
	if h.By != "" {
		return h.By
	}
	return cube.Label(h.Value)
}

// condition returns the name of a threshold or, without one, its condition in words: "Progress < 50%".
func (m *timelinePanel) condition(h *dashboard.Threshold) string {
	if h.Label != "" {
		return h.Label
	}
	c := m.Data.Column(h.Column)
	sign := map[string]string{">=": "≥", "<=": "≤"}[h.If]
	switch {
	case m.ofTexts(h):
		return strings.Join([]string{c.Label, "=", valueOf(h)}, " ")
	case sign == "":
		sign = h.If
	}
	value := ""
	if h.By != "" {
		value = m.Data.Column(h.By).Label
	} else {
		value = m.Env.Brief(*c, h.Value)
	}
	return strings.Join([]string{c.Label, sign, value}, " ")
}
