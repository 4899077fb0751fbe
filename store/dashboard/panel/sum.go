package panel

import (
	"strconv"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// isSum reports whether a measure is a sum. A sum does not become less while its period goes on, unless it has negative parts, and a total
// of sums is larger than each of them.
func (p *Rows) isSum(col *dashboard.Column) bool {
	m := p.Data.Measure(col)
	return m.Over == nil && m.Agg == cube.Sum
}

// checkSum warns if a total of a column that adds up meets a condition which is a number for its cells, such as "> 30": a sum of many meets
// it sooner than each. The number 0 is a limit of sums too, and so is another measure, which adds up as well. It reports whether it warned.
func (p *Rows) checkSum(col *dashboard.Column, total any, key string) bool {
	v, isNum := cube.Float(total)
	if !isNum || !p.isSum(col) {
		return false
	}
	h := met(p.Spec.Thresholds, noLimit, func(h *dashboard.Threshold) (float64, bool) {
		return v, h.By == "" && h.Value != 0 && (h.Column == "" || h.Column == col.Name) && (h.Cell == "" || h.Cell == col.Name) && !p.ofTexts(h)
	})
	if h == nil {
		return false
	}
	p.report(encode.Warned(dashboard.WarnDoubtful, key,
		`a total of "%s" is a sum, and the threshold %s %s colours it by the limit of one cell; leave the totals out, or write the threshold `+
			`for a ratio, or with a measure as its "value".`, col.Name, h.If, strconv.FormatFloat(h.Value, 'g', -1, 64)))
	return true
}
