package page

import (
	"strings"
	"time"

	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// longestLabel is how many letters stand under a column or a point.
const longestLabel = 14

// nameSlots names the places of an axis: dates where they fit, and every category, as much of it as
// there is room for on each width.
func (p *panel) nameSlots(a *axis, s *split, at *slots) {
	n := len(s.x)
	full := make([]string, n)
	for i, x := range s.x {
		if s.time {
			full[i] = p.page.bandTick(s, i, x.Value.(time.Time))
		} else {
			full[i] = canvas.ClipLabel(p.page.Cell(s.xcol, s.grain, x), 3*longestLabel)
		}
	}
	switch {
	case at.at != nil && s.years:
		a.labels = func(w float64) []xLabel { return s.steps(full, at.at, w) }
	case at.at != nil:
		a.labels = func(w float64) []xLabel { return thinned(full, at.at, w) }
	case s.time:
		a.labels = func(w float64) []xLabel { return everyNth(full, bands(n), w) }
	case n > 40: // more have no room, whichever way they are written
		cut := canvas.ClipNames(full, longestLabel)
		a.labels = func(w float64) []xLabel { return s.steps(cut, bands(n), w) }
	default:
		a.bands = s.bandNames(full)
	}
}

// bandNames are names of places that may be turned.
func (s *split) bandNames(full []string) *bandNames {
	out := &bandNames{full: full, cut: canvas.ClipNames(full, longestLabel)}
	if s.ordered {
		out.thin = func(w float64) []xLabel { return s.steps(out.cut, bands(len(full)), w) }
	}
	return out
}

// bandTick names a column of a time axis, with the year where it changes.
func (p *page) bandTick(s *split, i int, t time.Time) string {
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
func (p *page) withYear(short, whole string, t time.Time) string {
	if strings.HasPrefix(whole, t.Format("2006")) {
		return whole
	}
	return short + t.Format(" ’06")
}
