package page

import (
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// A filter that takes exactly one value always has one: that of the address, else its default, else the first of its column. A
// locked filter keeps its default, whatever the address asks for. Where the address asks for something else, the panels say so.

// asksOf is what the address asks of the filter, by parameter. Nothing can be asked of a locked one.
func (p *env) asksOf(f *filter) url.Values {
	if !f.Locked {
		return p.Query
	}
	for _, v := range p.Query["f."+f.Column] {
		if v != "" && !slices.Contains(f.Default, strings.TrimPrefix(v, "~")) {
			p.refuseFixed(f)
			return nil
		}
	}
	for _, name := range filterParams(f.Column)[1:] {
		if p.Query.Get(name) != "" {
			p.refuseFixed(f)
			break
		}
	}
	return nil
}

func (p *env) refuseFixed(f *filter) {
	f.refused = append(f.refused, p.Text("The filter %s is fixed, so the address does not change it.", canvas.Clip(f.label, 40)))
}

// chooseOne settles the value of a filter that takes exactly one. found are all values that there are; said reports whether the
// address has one.
func (p *env) chooseOne(f *filter, col dashboard.Column, found []stored, said bool) {
	if len(found) == 0 { // there are no rows yet
		return
	}
	has := func(v any) bool {
		if v == nil {
			return f.null
		}
		return slices.Contains(f.values, cube.Label(v))
	}
	one := len(f.values)+stat.One(f.null) == 1
	if one && slices.ContainsFunc(found, func(c stored) bool { return has(c.Value) }) {
		return
	}
	missed := said && !f.Locked
	f.values, f.null, f.all = nil, false, false
	at := -1
	if len(f.Default) > 0 {
		at = slices.IndexFunc(found, func(c stored) bool { return c.Value != nil && cube.Label(c.Value) == f.Default[0] })
	}
	vanished := at < 0 && len(f.Default) > 0
	if at < 0 {
		at = p.firstOf(f, found)
	}
	f.changed = false
	if v := found[at].Value; v == nil {
		f.null = true
	} else {
		f.values = []string{cube.Label(v)}
	}
	shows := canvas.Clip(p.Cell(col, cube.Exact, found[at].Value), 40)
	if missed {
		f.refused = append(f.refused, p.Text("The filter %s takes exactly one of its values, so it ignores the address and shows “%s”.",
			canvas.Clip(f.label, 40), shows))
	}
	if vanished {
		f.notes = append(f.notes, p.Text("The filter %s shows “%s”, because no row has its default “%s”.",
			canvas.Clip(f.label, 40), shows, canvas.Clip(f.Default[0], 40)))
	}
}

// firstOf is the place of the first value in the order of the column. A missing one and the empty text are last.
func (p *env) firstOf(f *filter, found []stored) int {
	o := p.filterOrder(f.Column, found)
	first := 0
	for i := range found {
		a, b := found[i].Category, found[first].Category
		if blankA, blankB := blank(a.Value), blank(b.Value); blankA == blankB && o.Compare(a, b) < 0 || blankB && !blankA {
			first = i
		}
	}
	return first
}

func blank(v any) bool { return v == nil || v == "" }

// fixed names what the filters leave of the panel's dataset where they always have one value, or keep their default.
func (p *panel) fixed() string {
	var out []string
	for i := range p.env.filters {
		if f := &p.env.filters[i]; p.data != nil && f.of(p.data) && (f.Single || f.Locked) {
			out = append(out, f.label+": "+f.says(p.env)+".")
		}
	}
	return strings.Join(out, " ")
}

// fewOptions is up to how many values are a list without a search: more do not fit in a window.
const fewOptions = 8

// chosenFirst brings the chosen options to the front of a list that is longer than its window.
func (f *filter) chosenFirst() {
	if len(f.options) <= fewOptions && f.find == "" {
		return
	}
	slices.SortStableFunc(f.options, func(a, b option) int { return stat.One(b.chosen) - stat.One(a.chosen) })
}

// A reader types into a filter to find its values, in any case and without accents:
//
//	f.<column>.find=berl           the list has the values that contain it, and those that are chosen
//	list=<column>                  that list alone, which the script shows while a reader types
const (
	askList = "list"
	maxFind = 80 // letters
)

// findParam is the parameter of the words that are looked for in the values of a column.
func findParam(column string) string { return "f." + column + ".find" }

// findIn are those of found whose name contains what is typed.
func (p *env) findIn(f *filter, col dashboard.Column, found []stored, chosen func(any) bool) []stored {
	needle := string(fold(nil, f.find))
	var b []byte
	var out []stored
	for _, c := range found {
		b = fold(b[:0], p.Cell(col, cube.Exact, c.Value))
		hit := strings.Contains(string(b), needle)
		if f.hits += stat.One(hit); hit || chosen(c.Value) {
			out = append(out, c)
		}
	}
	return out
}

// searched reports whether a filter's list of values has a search.
func (f *filter) searched() bool { return f.find != "" || f.more > 0 || len(f.options) > fewOptions }

// isList reports whether a filter's list of values is asked for by its column.
func isList(s *dashboard.Spec) func(string) bool {
	var columns []string
	for i := range s.Filters {
		if !s.Filters[i].Locked {
			columns = append(columns, s.Filters[i].Column)
		}
	}
	return func(v string) bool { return slices.Contains(columns, v) }
}
