package panel

import (
	"cmp"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// tiles returns the numbers of a KPI: one or, with a facet, one for each value; nil for other panels.
func (p *Panel) tiles() (out []*kpiPanel) {
	switch c := p.Content.(type) {
	case *kpiPanel:
		return []*kpiPanel{c}
	case *facetPanel:
		for _, plot := range c.plots {
			if k, ok := plot.plot.(*kpiPanel); ok {
				out = append(out, k)
			}
		}
	}
	return out
}

// sortTiles sorts the numbers of a kpi, and the values that they are of, by its sort. Values without a number are last.
func (p *facetPanel) sortTiles(values []cube.Category) {
	if p.Spec.Type != dashboard.KPI || p.Spec.Sort == "" {
		return
	}
	by, descending := sortKey(p.Spec.Sort)
	order := stat.Indices(len(values))
	if descending && by == p.Spec.Facet {
		slices.Reverse(order)
	}
	if by == p.Spec.Value {
		number := func(i int) (v float64, ok bool) {
			k, ok := p.plots[i].plot.(*kpiPanel)
			if !ok || k.text == format.None {
				return 0, false
			}
			return k.value, true
		}
		slices.SortStableFunc(order, func(x, y int) int {
			a, hasA := number(x)
			b, hasB := number(y)
			switch {
			case !hasA || !hasB:
				return cmp.Compare(stat.One(hasB), stat.One(hasA))
			case descending:
				return cmp.Compare(b, a)
			}
			return cmp.Compare(a, b)
		})
	}
	plots, was := slices.Clone(p.plots), slices.Clone(values)
	for to, from := range order {
		p.plots[to], values[to] = plots[from], was[from]
	}
}

// share sets the height of the tiles to that of the highest.
func (*kpiPanel) share(f *family, all []Content) {
	f.height = 0
	for _, c := range all {
		k, high := c.(*kpiPanel), 45
		words := stat.One(k.met != "") + stat.One(k.taken != "")
		for _, there := range [...]int{words, len(k.others), 2 * stat.One(k.goal != nil), stat.One(k.line != nil)} {
			high += 30 * there
		}
		if k.verbal {
			high += 24 * (canvas.Letters(k.text) / 20)
		}
		f.height = max(f.height, high)
	}
}

// A Number is a KPI in words.
type Number struct {
	Title  string
	Value  string
	Change string // the change and the value that it is compared with, in words; "" for none
	Tone   string // of the change: good, bad, or ""
}

// Numbers returns the numbers of a KPI. Those of several tiles have the name of the panel before theirs.
func (p *Panel) Numbers() []Number {
	tiles := p.tiles()
	out := make([]Number, len(tiles))
	for i, k := range tiles {
		if out[i] = k.number(); k.family != nil {
			out[i].Title = canvas.Clip(p.Title, 100) + " · " + out[i].Title
		}
	}
	return out
}

// number returns the number in words.
func (p *kpiPanel) number() Number {
	n := Number{Title: canvas.Clip(p.Title, 200), Value: p.text}
	var change []string
	for _, line := range []string{p.met, p.taken} {
		if line != "" {
			change = append(change, line)
		}
	}
	for i, other := range p.others {
		d := p.delta(other)
		if i == 0 {
			n.Tone = d.Tone
		}
		if d.Missing != "" {
			change = append(change, d.Missing)
		} else {
			change = append(change, deltaWords(d))
		}
	}
	if p.goal != nil {
		change = append(change, strings.TrimSuffix(p.goal.words, "."))
	}
	n.Change = strings.Join(change, " · ")
	return n
}
