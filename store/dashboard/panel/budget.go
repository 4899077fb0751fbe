package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/encode"
	"service/store/dashboard/locale"
)

// The results of a page's panels are kept until the page is drawn, so their parts are counted: groups of rows, and cells of the tables
// behind the panels. Bytes of long texts that are sorted count as well (see [encode.Ordering.Texts]). The panel with which a page exceeds
// mostGroups is not drawn, nor are later panels with data. The count does not depend on time, so a view has the same page wherever it is
// drawn. Ten figures of 200,000 groups each fit; a group takes up to about 100 bytes.
const mostGroups = 2_000_000

// tooMuch is the problem of a panel that exceeds the limit of the page.
const tooMuch locale.Key = "Not drawn: there is too much data on this page."

// Overspent reports whether the page has reached its limit.
func (p *Env) Overspent() bool { return p.spent > mostGroups }

// keep counts the cells of a computed panel, and refuses the panel if the page has exceeded its limit.
func (p *Panel) keep() {
	if p.Data == nil {
		return
	}
	if p.Grid != nil {
		for _, row := range p.Grid.Rows {
			p.Data.Spend(len(row))
		}
	}
	if p.Problem == "" && p.Env.Overspent() {
		p.Refuse()
	}
}

// Refuse removes everything from the panel except its title, and reports that it exceeds the limit of the page.
func (p *Panel) Refuse() {
	p.strip(p.Env.Text(tooMuch))
	p.report(encode.Warned(dashboard.WarnCut, "type",
		"the panel is not drawn, because the panels of the page make more than %d groups of rows together, to which long texts add; "+
			"sql that groups or leaves out rows, or shortens texts, makes fewer, and panels can be split among several dashboards.", mostGroups))
}
