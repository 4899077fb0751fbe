package panel

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/pattern"
)

// The choices of a reader are in the query of the page's URL, so that a link keeps them:
//
// 	f.<column>=…             the filters: see filter.go
// 	p<panel>.<key>=…         of a panel, counted from 0: see [asksOf]
// 	version=…                the version in a preview
// 	as=…                     the member whose view of the page is shown
// 	panel=3&format=csv       a panel to download; xlsx is the other format
// 	wall=light               a page that hangs on a wall: see wall.go
//
// Only this file reads it: [Params.Read] returns the part of a query that applies to the page of a spec.

// Params are the parameters of a URL that a page reads, by name. The function reports whether a value is valid; it is nil if that depends
// on the rows.
type Params map[string]func(value string) bool

// askAs is the parameter with the account of the member whose view is shown. The host checks it.
const askAs = "as"

// formats are the formats of downloads of a panel.
var formats = []string{"csv", "xlsx"}

// ParamsOf returns the parameters that the page of a spec reads; if s is nil, those that every page reads.
func ParamsOf(s *dashboard.Spec) Params {
	out := Params{"version": nil, askAs: nil, askWall: isWall}
	if s == nil {
		return out
	}
	out[AskList] = IsList(s)
	out["format"] = func(v string) bool { return slices.Contains(formats, v) }
	out["panel"] = nil
	for _, f := range s.Filters {
		for _, name := range FilterParams(f.Column) {
			out[name] = nil
		}
		out[FindParam(f.Column)] = nil
	}
	for i := range s.Params {
		if one := &s.Params[i]; one.Chosen() {
			own := *one // without the rest of the spec
			out[one.Param()] = func(v string) bool { _, ok := own.Option(v); return ok }
		}
	}
	for i := range s.Panels {
		for _, a := range asksOf(&s.Panels[i]) {
			out[paramOf(i, a.key)] = a.takes(&s.Panels[i])
		}
	}
	return out
}

// Read returns the part of a query that the page reads: of parameters that it knows, the valid values. Invented parameters thus do not make
// further pages.
func (p Params) Read(query url.Values) url.Values {
	out := url.Values{}
	for name, takes := range p {
		values := once(query[name])
		if takes != nil {
			values = slices.DeleteFunc(values, func(v string) bool { return !takes(v) })
		}
		if len(values) > 0 {
			out[name] = values[:min(len(values), maxChosen+2)] // a blank one, and one more than the maximum of a filter
		}
	}
	for name := range out {
		if astray(name, out.Has) {
			delete(out, name)
		}
	}
	if close := closeUps(out); len(close) > maxCloseUps {
		for name := range out {
			if panel, ok := closeUp(name); ok && panel >= close[maxCloseUps] {
				delete(out, name)
			}
		}
	}
	if !out.Has("format") {
		delete(out, "panel")
	}
	return out
}

// once returns values without duplicates.
func once(values []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool {
		before := seen[v]
		seen[v] = true
		return before
	})
}

// Limits of the report of parameters that the page cannot apply.
const (
	maxUnread     = 8
	maxUnreadText = 80 // bytes
)

// Unread returns, as name=value in order, the filters of a query that the page does not have, and the values that do not apply to its
// panels. The page reports them; otherwise it does not depend on them.
func (p Params) Unread(query url.Values) []string {
	if _, ok := p["panel"]; len(query) == 0 || !ok { // not a page of a spec
		return nil
	}
	read := p.Read(query)
	panels := map[string]bool{}
	for name := range p {
		if panelParam.MatchString(name) {
			panels[panelOf(name)] = true
		}
	}
	var out []string
	for name, values := range query {
		_, ok := p[name]
		switch {
		case !ok && strings.HasPrefix(name, "f.") && len(name) > 2:
			if !goesRound(query) { // another page of the round may have the filter
				out = append(out, name)
			}
		case strings.HasPrefix(name, "p.") && len(name) > 2: // the first option that exists counts
			for _, v := range values {
				if strings.TrimSpace(v) != "" && !slices.Contains(read[name], v) {
					out = append(out, name+"="+v)
				}
			}
		case panelParam.MatchString(name) && panels[panelOf(name)] && !astray(name, query.Has):
			for _, v := range values {
				if strings.TrimSpace(v) != "" && !slices.Contains(read[name], v) && !(v == "1" && strings.HasSuffix(name, "."+askPage)) {
					out = append(out, name+"="+v)
				}
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	out = out[:min(len(out), maxUnread)]
	for i, s := range out {
		out[i] = strings.ToValidUTF8(s[:min(len(s), maxUnreadText)], "")
	}
	return out
}

// panelOf returns the panel of a parameter, as in "p3".
func panelOf(name string) string {
	panel, _, _ := strings.Cut(name, ".")
	return panel
}

// panelParam matches a parameter of a panel.
var panelParam = pattern.New(`^p\d+\..`)

// noteUnread reports to readers which parameters of the address the panel ignores, and which chosen filters its dataset does not follow, so
// that its numbers are not mistaken for filtered ones.
func (p *Panel) noteUnread() {
	p.Notes = append(p.Notes, p.Unread()...)
	if p.Data == nil {
		return
	}
	var others []string
	for i := range p.Env.Filters {
		switch f := &p.Env.Filters[i]; {
		case f.of(p.Data):
			p.Notes = append(p.Notes, f.notes...)
		case f.Chosen():
			others = append(others, canvas.Clip(f.Name, 40))
		}
	}
	if others != nil && p.Content != nil {
		p.Notes = append(p.Notes, p.Env.Text("Not filtered by %s.", strings.Join(others, ", ")))
	}
}

// Unread returns, in sentences, the parameters of the address that the panel ignores.
func (p *Rows) Unread() []string {
	var out []string
	if p.Data == nil {
		return nil
	}
	for i := range p.Env.Filters {
		if f := &p.Env.Filters[i]; f.of(p.Data) {
			out = append(out, f.refused...)
		}
	}
	vain := slices.Clone(p.vain)
	for _, s := range p.Env.unread {
		name, value, _ := strings.Cut(s, "=")
		if column, ok := strings.CutPrefix(name, "f."); ok {
			out = append(out, p.Env.Text("There is no filter %s here, so the address does not filter by it.", canvas.Clip(column, 40)))
		} else if param, ok := strings.CutPrefix(name, "p."); ok {
			if p.Env.Spec.Names(p.Data.Dataset, param) || !p.Env.hasChoice(param) {
				vain = append(vain, value)
			}
		} else if strings.HasPrefix(name, paramOf(p.Index, "")) {
			vain = append(vain, value)
		}
	}
	for _, value := range vain {
		out = append(out, p.Env.Text("The address asks for “%s”, which this panel cannot show.", canvas.Clip(value, 40)))
	}
	return out
}

// maxCloseUps is the number of panels of a page that a reader can search, or whose rows they can see, at once: the first ones. Every search
// computes a table of all rows anew, and is rarely shared with other readers.
const maxCloseUps = 4

// closeUp returns the panel that a parameter searches, or whose rows it shows.
func closeUp(name string) (panel int, ok bool) {
	number, key, _ := strings.Cut(strings.TrimPrefix(name, "p"), ".")
	if !strings.HasPrefix(name, "p") || key != askRows && key != askSearch && !strings.HasPrefix(key, inRows) {
		return 0, false
	}
	panel, err := strconv.Atoi(number)
	return panel, err == nil
}

// closeUps returns the indexes of the panels that a query searches, or whose rows it shows.
func closeUps(query url.Values) []int {
	var out []int
	for name := range query {
		if panel, ok := closeUp(name); ok {
			out = append(out, panel)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// An ask is a parameter of panels of a type.
type ask struct {
	key   string                                           // of the parameter, after the panel
	takes func(p *dashboard.Panel) func(value string) bool // returns the function of [Params], which is kept longer than the spec
}

// paramOf returns the name of a panel's parameter.
func paramOf(panel int, key string) string { return "p" + strconv.Itoa(panel) + "." + key }

// asked returns the value of a parameter of the panel, or "".
func (p *Settings) asked(key string) string { return p.Env.Query.Get(paramOf(p.Index, key)) }

// FilterParams returns the parameters that the filter on a column reads.
func FilterParams(column string) []string {
	return []string{"f." + column, "f." + column + ".from", "f." + column + ".to"}
}

// Kept returns the part of the page's query that its links keep: filters that differ from the spec, parameters of panels, and the version
// of a preview.
func (p *Env) Kept() url.Values {
	keep := url.Values{}
	for name, values := range p.Query {
		if name != "panel" && name != "format" && name != AskList && !strings.HasPrefix(name, "f.") {
			keep[name] = values
		}
	}
	for i := range p.Choices { // the default is omitted
		if c := &p.Choices[i]; !c.Changed {
			keep.Del(c.Param.Param())
		}
	}
	maps.Copy(keep, p.Chosen())
	return keep
}

// KeptOfAll is [Env.Kept] for all rows of the panel: without parameters of other panels, and without those that exclude rows of a table.
func (p *Settings) KeptOfAll() url.Values {
	keep := p.Env.Kept()
	own, table := paramOf(p.Index, ""), paramOf(p.Index, p.inTable())
	maps.DeleteFunc(keep, func(name string, _ []string) bool {
		return panelParam.MatchString(name) && !strings.HasPrefix(name, own) || name == table+askSearch || name == table+askPage
	})
	return keep
}

// Chosen returns the filters of the page's query that differ from the spec.
func (p *Env) Chosen() url.Values {
	out := url.Values{}
	for i := range p.Filters {
		f := &p.Filters[i]
		if !f.Changed {
			continue
		}
		for _, name := range FilterParams(f.Column) {
			if v, ok := p.Query[name]; ok {
				out[name] = v
			}
		}
	}
	return out
}
