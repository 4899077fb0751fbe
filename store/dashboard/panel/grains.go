package panel

import (
	"cmp"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// The grain of a panel with an axis of times is in the address:
//
//	p3.grain=month
//
// Links under the figure offer the grains that it can show.
const askGrain = "grain"

// grainAsks are the parameters of a panel with an axis of times.
var grainAsks = []ask{{askGrain, func(*dashboard.Panel) func(string) bool {
	return func(v string) bool { return grainNames[cube.Grain(v)] != "" }
}}}

// A grainOffer is the grains by which a reader can see a panel.
type grainOffer struct {
	grains []cube.Grain // from fine to coarse; Exact for all times unchanged
	first  cube.Grain   // of the panel if the address has none
	now    cube.Grain   // of the panel at the moment
}

// offers reports whether panels of the type offer readers the parameter key.
func (f *Figure) offers(key string) bool {
	return slices.ContainsFunc(f.asks, func(a ask) bool { return a.key == key })
}

// offerGrains finds the grains for a column, on an axis of at most points places, and returns the one that the reader asked for, or first
// if that is not among them. It offers no grain that is finer than the data, that does not fit, or that makes one point of them all. first
// is the default of the panel.
func (p *Rows) offerGrains(column string, points int, span cube.Span, first cube.Grain) cube.Grain {
	if !p.Figure.offers(askGrain) || p.bothTimes() {
		return first
	}
	all := p.Data.GrainsOf(column)
	if len(all) == 0 {
		return first
	}
	o := &grainOffer{first: finer(all[0], first), now: first}
	for _, g := range all {
		if g == o.first || g != cube.Exact && steps(span, g) <= points && p.several(column, span, g) && !p.splitsNothing(column, g, o.first) {
			o.grains = append(o.grains, g)
		}
	}
	if !slices.Contains(o.grains, o.first) {
		o.grains = append(o.grains, o.first)
		slices.SortFunc(o.grains, func(a, b cube.Grain) int { return cmp.Compare(a.Size(), b.Size()) })
	}
	if len(o.grains) < 2 {
		return first
	}
	p.grains = o
	if asked := cube.Grain(p.asked(askGrain)); asked != cube.Exact && asked != o.first && slices.Contains(o.grains, asked) {
		o.now = asked
		return asked
	}
	o.now = o.first
	return first
}

// splitsNothing reports whether a finer grain g has one period for each period of first: weeks of rows that are one a month.
func (p *Rows) splitsNothing(column string, g, first cube.Grain) bool {
	if first == cube.Exact || g.Size() >= first.Size() {
		return false
	}
	periods := func(g cube.Grain) int {
		by := cube.Dim{Column: column, Grain: g, Week: p.Env.week, Zone: p.Env.Zone}
		return len(p.Data.Group(p.Data.EveryRow(), cube.Query{By: []cube.Dim{by}}).Axes[0])
	}
	return periods(g) == periods(first)
}

// finer returns the grain of times after rounding down to g; own is the grain of the times before that, which may be coarser.
func finer(own, g cube.Grain) cube.Grain {
	if g == cube.Exact || g.Size() < own.Size() {
		return own
	}
	return g
}

// bothTimes reports whether both axes of a heat map, or several dimensions of a pivot, are times, which share one grain.
func (p *Rows) bothTimes() bool {
	if p.Spec.Type == dashboard.Pivot {
		times := 0
		for _, name := range slices.Concat(p.Spec.Rows, p.Spec.Across()) {
			if c := p.Data.Column(name); c != nil && c.Type.IsTime() {
				times++
			}
		}
		return times > 1
	}
	if p.Spec.Type != dashboard.Heatmap || len(p.Spec.Y) == 0 {
		return false
	}
	y, x := p.Data.Column(p.Spec.Y[0]), p.Data.Column(p.Spec.X)
	return y != nil && x != nil && y.Type.IsTime() && x.Type.IsTime()
}

// several reports whether the times of a span are in several periods of a grain.
func (p *Rows) several(column string, span cube.Span, g cube.Grain) bool {
	if g.Floor(span.Min, p.Env.week) != g.Floor(span.Max, p.Env.week) {
		return true
	}
	if g.Size() >= cube.Daily.Size() {
		return false
	}
	by := cube.Dim{Column: column, Grain: g, Zone: p.Env.Zone}
	times := p.Data.Group(p.Data.Rows, cube.Query{By: []cube.Dim{by}}).Axes[0]
	return len(times) > 1 && times[1].Value != nil
}

// A turn is a link to another view of the panel: by another grain, or compared with the period before.
type turn struct {
	canvas.Way
	Name  string
	OneOf bool
}

// Turns returns the links below the panel's figure.
func (p *Panel) Turns() []turn {
	before := p.before
	if before != nil && before.ofSpec {
		before = nil
	}
	if p.grains == nil && before == nil {
		return nil
	}
	var out []turn
	ways := p.Ways()
	var grains []cube.Grain
	if p.grains != nil {
		grains = p.grains.grains
	}
	for _, g := range grains {
		asked := string(g)
		if g == p.grains.first {
			asked = ""
		}
		name := p.Env.Text("Exact")
		if g != cube.Exact {
			name = format.Upper(p.Env.Text(grainNames[g]))
		}
		out = append(out, turn{ways.counted(canvas.Way{To: p.with(askGrain, asked), On: g == p.grains.now}), name, true})
	}
	if b := before; b != nil {
		to := canvas.Way{To: p.with(askBefore, map[bool]string{false: yes}[b.asked]), On: b.asked}
		out = append(out, turn{ways.counted(to), p.Env.Text("Period before"), false})
	}
	return out
}
