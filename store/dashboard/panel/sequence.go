package panel

import "service/store/dashboard/encode"

// sequence returns the order of the steps of the panel's label: the order of sort, or that which the spec sets for the column, or the
// natural order of a scale, or else the order of the rows.
func (p *Rows) sequence() encode.Order {
	by, descending := sortKey(p.Spec.Sort)
	col := p.Data.Column(by)
	switch {
	case by == "":
	case by == p.Spec.Value:
		return encode.Order{Measured: true, Descending: descending}
	case by == p.Spec.Label:
		return encode.Order{Said: true, Descending: descending}
	case col != nil:
		p.shows = append(p.shows, by)
		return encode.Order{Column: col, Descending: descending}
	}
	return encode.Order{Rows: true, Said: true}
}
