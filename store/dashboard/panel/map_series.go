package panel

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// lead returns the groups that have the largest measure of their area, and which of them have a second value of the dimension with the same
// measure. order has all groups, those with the largest measure first.
func lead(g *cube.Groups, order []int) (first []int, tied map[int]bool) {
	leader := map[int]int{} // by area
	tied = map[int]bool{}
	for _, i := range order {
		before, known := leader[g.At(i, 0)]
		if !known {
			leader[g.At(i, 0)] = i
			first = append(first, i)
			continue
		}
		a, okA := g.Value(before, 0)
		b, okB := g.Value(i, 0)
		if okA && okB && a == b {
			tied[before] = true
		}
	}
	return first, tied
}

// nameLeaders makes the legend of the values of the dimension that lead in the drawn areas, in their order, and changes the leader of each
// area from its index in the axis to that in the legend. Values that lead in few areas are merged into Other if there are more than
// colours. chosen reports that areas have several values, of which the largest leads.
func (p *areasPanel) nameLeaders(axis []cube.Category, chosen bool) {
	wins, gray := make([]int, len(axis)), 0
	for i := range p.values {
		if s := p.values[i].led; s >= 0 {
			wins[s]++
		} else {
			gray++
		}
	}
	kept := leading(wins)
	place := make([]int, len(axis))
	for s := range place {
		place[s] = len(kept) // Other
	}
	cats := encode.Picked(axis, kept)
	for k, color := range p.valueColors(p.Spec.Series, cats) {
		place[kept[k]] = k
		p.legend = append(p.legend, seriesOf{
			name: p.Env.Cell(*p.Data.Column(p.Spec.Series), cube.Exact, cats[k]), color: color,
			mark: &Mark{Column: p.Spec.Series, Category: cats[k]},
		})
	}
	for i := range p.values {
		a := &p.values[i]
		if a.led < 0 {
			continue
		}
		if a.led = place[a.led]; a.led == len(p.legend) {
			p.legend = append(p.legend, seriesOf{name: p.Env.Rest(p.Spec.Series), color: canvas.OtherColor})
		}
	}
	if chosen {
		p.report(encode.Noted("Each area has the color of its largest value."))
	}
	if gray > 0 {
		p.report(encode.NotedCount(gray, "%d area is gray: two values are equally large.", "%d areas are gray: two values are equally large."))
	}
}

// leading returns the indices of the values that lead in areas, at most one for each colour: those that lead in the most.
func leading(wins []int) []int {
	var out []int
	for s, n := range wins {
		if n > 0 {
			out = append(out, s)
		}
	}
	if len(out) > canvas.MaxSeries {
		slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(wins[b], wins[a]) })
		out = out[:canvas.MaxSeries-1]
		slices.Sort(out)
	}
	return out
}

// leader returns the name of the value of the dimension that leads in an area, or a dash for two equal ones.
func (p *areasPanel) leader(a *areaValue) string {
	return canvas.Clip(p.words(1, p.Grid.Rows[a.row][1]), 60)
}

// leaders returns the sentence of a map of leaders: in how many areas each of them leads, the most first.
func (p *areasPanel) leaders() string {
	count := make([]int, len(p.legend))
	for i := range p.values {
		if s := p.values[i].led; s >= 0 {
			count[s]++
		}
	}
	order := make([]int, 0, len(count))
	for s, n := range count {
		if n > 0 {
			order = append(order, s)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	var said []string
	for _, s := range order[:min(len(order), named)] {
		said = append(said, canvas.Clip(p.legend[s].name, 40)+" "+strconv.Itoa(count[s]))
	}
	if more := len(order) - len(said); more > 0 {
		said = append(said, p.Env.Count(more, "and %d more", "and %d more"))
	}
	return p.Env.Count(len(p.values), "%d area: %s.", "%d areas: %s.", strings.Join(said, ", "))
}

// sketchLeaders returns a line for each area: its name, the value that leads there and the measure.
func (p *areasPanel) sketchLeaders() []string {
	names, leaders := make([]string, len(p.values)), make([]string, len(p.values))
	for i := range p.values {
		names[i], leaders[i] = text.OneLine(p.values[i].name), p.leader(&p.values[i])
	}
	wide, led := widest(names), widest(leaders)
	lines := make([]string, len(names))
	for i := range names {
		lines[i] = text.Pad(names[i], wide) + " " + text.Pad(leaders[i], led) + " " + text.OneLine(p.values[i].text)
	}
	return text.Most(lines, sketchRow, func(left int) string { return p.Env.Count(left, "%d more area", "%d more areas") })
}
