package panel

import (
	"slices"
	"strings"
	"time"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// nameSlots names the places of an axis: dates where they fit, and every category, as much of it as
// there is room for on each width.
func (p *Panel) nameSlots(a *chart.Axis, s *split, at *chart.Slots) {
	n := len(s.x)
	if s.time && !coarser(s.xcol.Format) {
		if axis := p.Env.timeAxis(s.x, s.grain, s.span, at.Middles()); axis != nil {
			a.Labels = axis.labels
			return
		}
	}
	full := make([]string, n)
	for i, x := range s.x {
		if s.time {
			full[i] = p.Env.bandTick(s, i, x.Value.(time.Time))
		} else {
			full[i] = canvas.ClipLabel(p.Env.Cell(s.xcol, s.grain, x), 3*chart.LongestLabel)
		}
	}
	switch {
	case at.At != nil && s.years:
		a.Labels = func(w float64) []chart.Label { return s.steps(full, at.At, w) }
	case at.At != nil:
		a.Labels = func(w float64) []chart.Label { return chart.Thinned(full, at.At, w) }
	case s.time:
		a.Labels = func(w float64) []chart.Label { return chart.EveryNth(full, chart.Bands(n), w) }
	case n > 40: // more have no room, whichever way they are written
		cut := canvas.ClipNames(full, chart.LongestLabel)
		a.Labels = func(w float64) []chart.Label { return s.steps(cut, chart.Bands(n), w) }
	default:
		a.Bands = s.bandNames(full)
	}
}

// coarser reports whether a format of times leaves out the day, so that the names of an axis are written by it.
func coarser(format string) bool {
	return slices.Contains([]string{"month", "quarter", "year", "week"}, format)
}

// bandNames are names of places that may be turned.
func (s *split) bandNames(full []string) *chart.BandNames {
	out := &chart.BandNames{Full: full, Cut: canvas.ClipNames(full, chart.LongestLabel)}
	if s.ordered {
		out.Thin = func(w float64) []chart.Label { return s.steps(out.Cut, chart.Bands(len(full)), w) }
	}
	return out
}

// bandTick names a column of a time axis, with the year where it changes.
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

// withYear writes a day or month of t with a short year behind it, or whole where the
// locale writes years first.
func (p *Env) withYear(short, whole string, t time.Time) string {
	if strings.HasPrefix(whole, t.Format("2006")) {
		return whole
	}
	return short + t.Format(" ’06")
}
