package panel

import (
	"slices"
	"strings"
	"time"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// nameSlots sets the names of the places of an axis: dates as closely as they fit, and all other categories, cut to the space that each
// width has.
func (p *Env) nameSlots(a *chart.Axis, s *split, at *chart.Slots) {
	n := len(s.x)
	if s.time && !coarser(s.xcol.Format) {
		if axis := p.timeAxis(s.x, s.grain, s.span, at.Middles()); axis != nil {
			a.Labels = axis.labels
			return
		}
	}
	full := make([]string, n)
	for i, x := range s.x {
		if s.time {
			full[i] = p.bandTick(s, i, x.Value.(time.Time))
		} else {
			full[i] = canvas.ClipLabel(p.Cell(s.xcol, s.grain, x), 3*chart.LongestLabel)
		}
	}
	switch {
	case at.At != nil && s.years:
		a.Labels = func(w float64) []chart.Label { return s.steps(full, at.At, w) }
	case at.At != nil:
		a.Labels = func(w float64) []chart.Label { return chart.Thinned(full, at.At, w) }
	case s.time:
		a.Labels = func(w float64) []chart.Label { return chart.EveryNth(full, chart.Bands(n), w) }
	case n > 40: // more names do not fit in any form
		cut := canvas.ClipNames(full, chart.LongestLabel)
		a.Labels = func(w float64) []chart.Label { return s.steps(cut, chart.Bands(n), w) }
	default:
		a.Bands = s.bandNames(full)
	}
}

// coarser reports whether a format of times omits the day. The names of an axis then have that format.
func coarser(format string) bool {
	return slices.Contains([]string{"month", "quarter", "year", "week"}, format)
}

// bandNames returns the names of places.
func (s *split) bandNames(full []string) *chart.BandNames {
	out := &chart.BandNames{Full: full}
	if s.ordered {
		cut := canvas.ClipNames(full, chart.LongestLabel)
		out.Thin = func(w float64) []chart.Label { return s.steps(cut, chart.Bands(len(full)), w) }
	}
	return out
}

// bandTick returns the name of a column of a time axis. It includes the year at each change of year.
func (p *Env) bandTick(s *split, i int, t time.Time) string {
	newYear := i == 0 || s.x[i-1].Value.(time.Time).Year() != t.Year()
	many := s.x[0].Value.(time.Time).Year() != s.x[len(s.x)-1].Value.(time.Time).Year()
	switch s.grain {
	case cube.Yearly:
		return p.Year(t)
	case cube.Quarterly:
		return p.Quarter(t)
	case cube.Monthly:
		if newYear && many {
			return p.withYear(p.MonthAlone(t), p.Month(t), t)
		}
		return p.MonthAlone(t)
	case cube.Hourly:
		if beginsDay(t) || i == 0 {
			return p.DayMonth(t)
		}
		return p.Clock(t)
	}
	if s.xcol.Format != "" && s.xcol.Format != "date" {
		return p.Time(s.xcol.Format, s.grain, t)
	}
	if newYear && many {
		return p.withYear(p.DayMonth(t), p.Date(t), t)
	}
	return p.DayMonth(t)
}

// withYear returns a day or month of t followed by a short year; in locales that write years first, it returns whole.
func (p *Env) withYear(short, whole string, t time.Time) string {
	if strings.HasPrefix(whole, t.Format("2006")) {
		return whole
	}
	return short + t.Format(" ’06")
}
