package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/encode"
	"service/store/dashboard/locale"
)

// A page keeps what its panels are worked out to until it is drawn, so what they are made of is
// counted: groups of rows, and cells of the tables behind the panels. The panel with which a
// page comes over mostGroups is not drawn, nor are those after it that have data. The count
// does not depend on time, so that a view has the same page wherever it is drawn. Ten figures
// of 200,000 groups each fit, and a group takes up to about 100 bytes.
const mostGroups = 2_000_000

// tooMuch is said in place of what a page has no room for.
const tooMuch locale.Key = "Not drawn: there is too much data on this page."

// Overspent reports whether the page has no room for another panel.
func (p *Env) Overspent() bool { return p.spent > mostGroups }

// keep counts what a panel that was worked out keeps, and takes it away where the page has no
// room for it.
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

// Refuse leaves the panel only its title, and the problem that the page has no room for it.
func (p *Panel) Refuse() {
	p.strip(p.Env.Text(tooMuch))
	p.report(encode.Warned(dashboard.WarnCut, "type",
		"the panel is not drawn, because the panels of the page make more than %d groups of rows together; "+
			"sql that groups or leaves out rows makes fewer, and panels can be split among several dashboards.", mostGroups))
}
