package panel

import (
	"net/url"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// A link of the spec takes values of a row or of a mark, by the names of its columns: as
// text, and as the value of a filter under the name that filterOf gives.

// filterOf is the name of a column's value as that of a filter.
func filterOf(column string) string { return "f." + column }

// toDashboard is where a link to a dashboard leads, with the filters that it sets there. It
// is "" when a value is missing, and not ok for another kind of link.
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

// addTo adds what links take of a value to the values by name.
func (m *Mark) addTo(values map[string]string) {
	if m.Other {
		return
	}
	switch v := m.Value.(type) {
	case nil:
		values[filterOf(m.Column)] = nullValue
	case time.Time:
		values[m.Column] = LinkTime(v)
		from := cube.DayOf(v)
		to := from
		if m.grain != cube.Minutely && m.grain != cube.Hourly && m.grain != cube.Exact { // a filter knows no hours
			to = m.grain.Next(from) - 1
		}
		values[filterOf(m.Column)] = period(from, to)
	default:
		label := cube.Label(v)
		if len(label) > format.MaxText { // no address has room for it
			return
		}
		values[filterOf(m.Column)] = encodeValue(label)
		if label != "" {
			values[m.Column] = label
		}
	}
}

// LinkTime returns a time as links have it: as a date at midnight.
func LinkTime(t time.Time) string {
	if t.Hour()|t.Minute()|t.Second()|t.Nanosecond() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999")
}

// drill is where the link of the panel leads from a name or a mark that stands for some
// values; "" when it takes others.
func (p *Panel) drill(of ...*Mark) string {
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
