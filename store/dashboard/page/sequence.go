package page

import (
	"service/store/dashboard/encode"
)

// sequence is the order of the steps of the panel's label: that of sort, that which the spec says of the column, the natural
// one of a scale, or else that in which the rows come.
func (p *panel) sequence() encode.Order {
	by, descending := sortKey(p.spec.Sort)
	col := p.data.Column(by)
	switch {
	case by == "":
	case by == p.spec.Value:
		return encode.Order{Measured: true, Descending: descending}
	case by == p.spec.Label:
		return encode.Order{Said: true, Descending: descending}
	case col != nil:
		p.shows = append(p.shows, by)
		return encode.Order{Column: col, Descending: descending}
	}
	return encode.Order{Rows: true, Said: true}
}
