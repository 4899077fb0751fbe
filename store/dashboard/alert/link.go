package alert

import (
	"net/url"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// QueryOf returns the filters with which the page shows the values of an event, in the form of its address; "" for none. Filters of which
// the alert knows nothing are without their defaults, because the alert is of all their rows. The filter on its periods keeps its default.
func QueryOf(s *dashboard.Spec, r *Reading, e Event) string {
	a := r.Alert
	if a.OfRefresh() {
		return ""
	}
	of := map[string][]string{} // values by column
	for _, w := range a.Where {
		for _, v := range w.Values {
			of[w.Column] = append(of[w.Column], dashboard.AddressValue(v))
		}
	}
	if values := namesOf(e.Findings); a.By != "" && values != nil {
		of[a.By] = values
	}
	q := url.Values{}
	for i := range s.Filters {
		f := &s.Filters[i]
		values := of[f.Column]
		switch {
		case !f.Narrows(a.Data) || f.Locked || f.Single && len(values) != 1:
		case values != nil:
			q["f."+f.Column] = values
		case f.Column != a.X && len(f.Default) > 0:
			q["f."+f.Column] = []string{everything(f)}
		}
	}
	return q.Encode()
}

// everything returns the value of a filter in an address with which it leaves no row out.
func everything(f *dashboard.Filter) string {
	_, err := time.Parse(time.DateOnly, f.Default[0])
	_, _, named := dashboard.DateRange(f.Default[0], time.UTC, cube.Weekday(time.Monday), time.Now())
	if named || err == nil && len(f.Default) == 2 {
		return "all"
	}
	return ""
}

// namesOf returns the values of findings as the address of a page has them; nil if they are too many, or if the rows lack one.
func namesOf(findings []Finding) []string {
	if len(findings) > mostLinked {
		return nil
	}
	out := make([]string, len(findings))
	for i, f := range findings {
		switch {
		case f.Name != nil:
			out[i] = dashboard.AddressValue(cube.Label(f.Name))
		case f.Key == keyOf(nil):
			out[i] = dashboard.AddressNull
		default:
			return nil
		}
	}
	return out
}

// mostLinked is how many values of a filter a link of an alert sets.
const mostLinked = 20
