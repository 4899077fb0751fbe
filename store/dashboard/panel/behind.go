package panel

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// A reader can see the rows behind a figure: those of its dataset that pass the filters, which a mark may just have set. A table with all
// columns replaces the figure:
//
//	p3.rows=1
//	p3.rows.sort=-revenue   its order, search and page, as in any table
const (
	askRows = "rows"
	inRows  = askRows + "." // prefix of parameters of the table of rows
)

// rowsAsks are the parameters of a panel and of its rows.
var rowsAsks = func() []ask {
	out := []ask{{askRows, func(*dashboard.Panel) func(string) bool { return func(v string) bool { return v == yes } }}}
	for _, a := range tableAsks {
		out = append(out, ask{inRows + a.key, func(*dashboard.Panel) func(string) bool { return a.takes(&dashboard.Panel{}) }})
	}
	return out
}()

// asksOf returns the parameters of a panel.
func asksOf(p *dashboard.Panel) []ask {
	f := FigureOf(p)
	if f.Behind == NothingBehind || !dashboard.NeedsData(p.Type) || p.Click == "none" {
		return f.asks
	}
	return slices.Concat(f.asks, rowsAsks)
}

// astray reports whether a parameter is about rows that are not shown.
func astray(name string, has func(string) bool) bool {
	i := strings.Index(name, "."+inRows)
	return strings.HasPrefix(name, "p") && i > 0 && !has(name[:i+len(askRows)+1])
}

// showRows replaces panels by the tables of their rows, if the address asks for them.
func (p *Env) showRows() {
	all := p.Spec.Panels
	for i := range all {
		if p.Query.Get(paramOf(i, askRows)) != yes {
			continue
		}
		if p.RowsOf == nil {
			spec := *p.Spec
			spec.Panels = slices.Clone(all)
			p.Spec, p.RowsOf = &spec, map[int]*dashboard.Panel{}
		}
		p.RowsOf[i] = &all[i]
		p.Spec.Panels[i] = dashboard.Panel{
			Type: dashboard.Table, Title: all[i].Title, Data: all[i].Data, Where: all[i].Where, Source: all[i].Source, Width: 12,
		}
	}
}

// ToRows returns the way to the rows behind the panel. It is empty for a table that shows these rows already, and if the reader sees the
// rows of as many panels as a page shows at once.
func (p *Panel) ToRows() canvas.Way {
	if p.FigureOf != nil || !slices.ContainsFunc(asksOf(p.Spec), func(a ask) bool { return a.key == askRows }) {
		return canvas.Way{}
	}
	if t, ok := p.Content.(*tablePanel); ok && t.each {
		shown := map[string]bool{}
		for _, c := range t.cols {
			shown[c.Name] = true
		}
		if !slices.ContainsFunc(p.Data.Cols, func(c dashboard.Column) bool { return !c.Hidden && !shown[c.Name] }) {
			return canvas.Way{}
		}
	}
	if close := closeUps(p.Env.Query); len(close) >= maxCloseUps && !slices.Contains(close, p.Index) {
		return canvas.Way{} // one panel too many
	}
	return p.Ways().counted(canvas.Way{To: p.with(askRows, yes)})
}

// FromRows returns the way back to the figure.
func (p *Settings) FromRows() canvas.Way {
	back := []string{askRows, ""}
	for _, a := range tableAsks {
		back = append(back, inRows+a.key, "")
	}
	return canvas.Way{To: p.with(back...)}
}
