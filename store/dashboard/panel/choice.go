package panel

import (
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// A filter of exactly one value always has one: the value of the address, else its default, else the first of its column. A locked filter
// keeps its default, regardless of the address. If the address asks for another value, the panels report it.

// asksOf returns the parameters of the filter in the address; none for a locked filter.
func (p *Env) asksOf(f *Filter) url.Values {
	if !f.Locked {
		return p.Query
	}
	for _, v := range p.Query["f."+f.Column] {
		if v != "" && !slices.Contains(f.Default, strings.TrimPrefix(v, "~")) {
			p.refuseFixed(f)
			return nil
		}
	}
	for _, name := range FilterParams(f.Column)[1:] {
		if p.Query.Get(name) != "" {
			p.refuseFixed(f)
			break
		}
	}
	return nil
}

func (p *Env) refuseFixed(f *Filter) {
	f.refused = append(f.refused, p.Text("The filter %s is fixed, so the address does not change it.", canvas.Clip(f.Name, 40)))
}

// chooseOne sets the value of a filter of exactly one. found are all existing values; said reports whether the address has one.
func (p *Env) chooseOne(f *Filter, col dashboard.Column, found []stored, said bool) {
	if len(found) == 0 { // there are no rows yet
		return
	}
	has := func(v any) bool {
		if v == nil {
			return f.null
		}
		return slices.Contains(f.Values, cube.Label(v))
	}
	one := len(f.Values)+stat.One(f.null) == 1
	if one && slices.ContainsFunc(found, func(c stored) bool { return has(c.Value) }) {
		return
	}
	missed := said && !f.Locked
	f.Values, f.null, f.All = nil, false, false
	at := -1
	if len(f.Default) > 0 {
		at = slices.IndexFunc(found, func(c stored) bool { return c.Value != nil && cube.Label(c.Value) == f.Default[0] })
	}
	vanished := at < 0 && len(f.Default) > 0
	if at < 0 {
		at = p.firstOf(f, found)
	}
	f.Changed = false
	if v := found[at].Value; v == nil {
		f.null = true
	} else {
		f.Values = []string{cube.Label(v)}
	}
	shows := canvas.Clip(p.Cell(col, cube.Exact, found[at].Value), 40)
	if missed {
		f.refused = append(f.refused, p.Text("The filter %s takes exactly one of its values, so it ignores the address and shows “%s”.",
			canvas.Clip(f.Name, 40), shows))
	}
	if vanished {
		f.notes = append(f.notes, p.Text("The filter %s shows “%s”, because no row has its default “%s”.",
			canvas.Clip(f.Name, 40), shows, canvas.Clip(f.Default[0], 40)))
	}
}

// firstOf returns the index of the first value in the order of the column. NULL and the empty text are last.
func (p *Env) firstOf(f *Filter, found []stored) int {
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

// fixed names the values of the panel's filters that always have one value, or keep their default.
func (p *Rows) fixed() string {
	var out []string
	for i := range p.Env.Filters {
		if f := &p.Env.Filters[i]; p.Data != nil && f.of(p.Data) && (f.Single || f.Locked) {
			out = append(out, f.Name+": "+f.Says(p.Env)+".")
		}
	}
	return strings.Join(out, " ")
}

// fewOptions is the maximum number of values in a list without a search: more do not fit in a window.
const fewOptions = 8

// chosenFirst moves the chosen options to the beginning of a list that is longer than its window.
func (f *Filter) chosenFirst() {
	if len(f.Listed) <= fewOptions && f.Find == "" {
		return
	}
	slices.SortStableFunc(f.Listed, func(a, b option) int { return stat.One(b.Chosen) - stat.One(a.Chosen) })
}

// A reader types into a filter to find its values, regardless of case and accents:
//
//	f.<column>.find=berl           the list has the values that contain it, and the chosen ones
//	list=<column>                  that list alone, which the script shows while a reader types
const (
	AskList = "list"
	MaxFind = 80 // letters
)

// FindParam returns the parameter with the text to find in the values of a column.
func FindParam(column string) string { return "f." + column + ".find" }

// findIn returns the values of found whose name contains the typed text.
func (p *Env) findIn(f *Filter, col dashboard.Column, found []stored, chosen func(any) bool) []stored {
	needle := string(fold(nil, f.Find))
	var b []byte
	var out []stored
	for _, c := range found {
		b = fold(b[:0], p.Cell(col, cube.Exact, c.Value))
		hit := strings.Contains(string(b), needle)
		if f.Hits += stat.One(hit); hit || chosen(c.Value) {
			out = append(out, c)
		}
	}
	return out
}

// Searched reports whether a filter's list of values has a search.
func (f *Filter) Searched() bool { return f.Find != "" || f.More > 0 || len(f.Listed) > fewOptions }

// IsList returns a function that reports whether a column has a filter whose list of values can be requested.
func IsList(s *dashboard.Spec) func(string) bool {
	var columns []string
	for i := range s.Filters {
		if !s.Filters[i].Locked {
			columns = append(columns, s.Filters[i].Column)
		}
	}
	return func(v string) bool { return slices.Contains(columns, v) }
}
