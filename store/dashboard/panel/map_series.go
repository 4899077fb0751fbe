package panel

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// lead sets the legend, and returns the groups that have the largest measure of their area. order has all groups, those with the largest
// measure first. For each of these groups, led has the index in the legend of the value of the dimension that leads, or -1 if two values
// are equally large. Values that lead in few areas are merged into Other if there are more than colours.
func (p *areasPanel) lead(g *cube.Groups, order []int) (first, led []int) {
	leader := map[int]int{} // the group, by area
	equal := map[int]bool{} // areas with several leaders
	for _, i := range order {
		area := g.At(i, 0)
		before, known := leader[area]
		if !known {
			leader[area] = i
			first = append(first, i)
			continue
		}
		a, okA := g.Value(before, 0)
		b, okB := g.Value(i, 0)
		if okA && okB && a == b {
			equal[area] = true
		}
	}
	wins := make([]int, len(g.Axes[1]))
	for _, i := range first {
		if !equal[g.At(i, 0)] {
			wins[g.At(i, 1)]++
		}
	}
	place := p.legendOfLeaders(g.Axes[1], wins)
	led = make([]int, g.Len())
	for _, i := range first {
		if led[i] = -1; !equal[g.At(i, 0)] {
			led[i] = place[g.At(i, 1)]
		}
	}
	if len(first) < len(order) {
		p.report(encode.Noted("Each area has the color of its largest value."))
	}
	if n := len(equal); n > 0 {
		p.report(encode.NotedCount(n, "%d area is gray: two values are equally large.", "%d areas are gray: two values are equally large."))
	}
	return first, led
}

// legendOfLeaders sets the legend to the values of the dimension that lead in areas, in their order, and returns the index in it of each
// value. wins has the number of areas in which each value leads.
func (p *areasPanel) legendOfLeaders(axis []cube.Category, wins []int) (place []int) {
	kept := leading(wins)
	cats := encode.Picked(axis, kept)
	place = make([]int, len(axis))
	for s := range place {
		place[s] = len(kept) // Other
	}
	p.legend = []seriesOf{}
	for k, color := range p.valueColors(p.Spec.Series, cats) {
		place[kept[k]] = k
		p.legend = append(p.legend, seriesOf{
			name: p.Env.Cell(*p.Data.Column(p.Spec.Series), cube.Exact, cats[k]), color: color,
			mark: &Mark{Column: p.Spec.Series, Category: cats[k]},
		})
	}
	if slices.ContainsFunc(stat.Indices(len(wins)), func(s int) bool { return wins[s] > 0 && place[s] == len(kept) }) {
		p.legend = append(p.legend, seriesOf{name: p.Env.Text("Other"), color: canvas.OtherColor})
	}
	return place
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

// leader returns the name of the value of the dimension that leads in an area.
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
	return text.Most(lines, sketchRow, "areas")
}
