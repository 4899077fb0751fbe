package panel

import (
	"net/url"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// A link of the spec contains values of a row or of a mark, by the names of its columns: as text, and as the value of a filter under the
// name that filterOf returns.

// filterOf returns the name of a column's value in the form of a filter.
func filterOf(column string) string { return "f." + column }

// toDashboard returns the target of a link to a dashboard, with the filters that it sets there. It is "" if a value is missing, and ok is
// false for another kind of link.
func toDashboard(template string, values map[string]string) (to string, ok bool) {
	t, problem, ok := dashboard.ReadTarget(template)
	if !ok || problem != "" {
		return "", ok
	}
	var b strings.Builder
	b.WriteString("/" + t.Slug)
	for i, f := range t.Filters {
		value := f.Value
		if f.From != "" {
			if value, ok = values[filterOf(f.From)]; !ok {
				return "", true
			}
		}
		b.WriteByte("?&"[min(i, 1)])
		b.WriteString(url.QueryEscape("f."+f.Column) + "=" + url.QueryEscape(value))
		if b.Len() > maxAddress {
			return "", true
		}
	}
	return b.String(), true
}

// addTo adds the values that a link needs of the mark, by name.
func (m *Mark) addTo(values map[string]string) {
	if m.Other {
		return
	}
	switch v := m.Value.(type) {
	case nil:
		values[filterOf(m.Column)] = dashboard.AddressNull
	case time.Time:
		values[m.Column] = LinkTime(v)
		from := cube.DayOf(v)
		to := from
		if m.grain != cube.Minutely && m.grain != cube.Hourly && m.grain != cube.Exact { // filters have no hours
			to = m.grain.Next(from) - 1
		}
		values[filterOf(m.Column)] = period(from, to)
	default:
		label := cube.Label(v)
		if len(label) > format.MaxText { // too long for an address
			return
		}
		values[filterOf(m.Column)] = dashboard.AddressValue(label)
		if label != "" {
			values[m.Column] = label
		}
	}
}

// LinkTime returns a time in the form of links: at midnight, as a date.
func LinkTime(t time.Time) string {
	if t.Hour()|t.Minute()|t.Second()|t.Nanosecond() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999")
}

// drill returns the target of the panel's link at a name or a mark with some values; "" if the link needs other values.
func (p *Settings) drill(of ...*Mark) string {
	if p.Spec.Link == "" {
		return ""
	}
	values := map[string]string{}
	for _, m := range of {
		if m != nil {
			m.addTo(values)
		}
	}
	return link(p.Spec.Link, values)
}
