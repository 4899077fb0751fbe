package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

const (
	sankeyRibbons = 1000 // at most
	sankeySteps   = 12   // of flows from one column to another
)

var sankeyFigure = Figure{
	Summarise: summariseSankey,
}

// A sankeyPanel shows amounts that flow between values.
type sankeyPanel struct {
	*Panel
	cols  []*dashboard.Column // of the steps; if ends is set, two columns between whose values flows have any direction
	ends  bool
	col   dashboard.Column
	rows  []flowRow // the largest first
	nodes []sankeyNode
	at    map[stepValue]int // nodes
	flows []sankeyFlow
	total float64
	fixed []bool
	steps int
}

// A flowRow is a row of the table behind: its values, and the amount that flows.
type flowRow struct {
	cats  []cube.Category
	value float64
	exact any
}

// A sankeyNode is a value of a step.
type sankeyNode struct {
	cat       cube.Category
	step      int
	amount    float64 // that flows through it
	in, out   float64
	row, cell int // of the table behind, from 0; the row is -1 for none
	color     canvas.Color
}

// A stepValue identifies a node: by a step and a value or, if a value is one node everywhere, by step 0 and the value.
type stepValue struct {
	step int
	cat  cube.Category
}

// A sankeyFlow is a ribbon.
type sankeyFlow struct {
	stat.Flow
	color     canvas.Color
	row, cell int
}

func summariseSankey(p *Panel) Content {
	spec, d := p.Spec, p.Data
	out := &sankeyPanel{Panel: p, ends: len(spec.Steps) == 0, at: map[stepValue]int{}}
	q := encode.Query{Positive: "A sankey cannot show negative values; use a bar chart."}
	for _, name := range spec.Flows() {
		out.cols = append(out.cols, p.col(name))
		ch := encode.Channel{Column: name, Key: "steps", Order: encode.Order{Said: true}}
		if !out.ends {
			ch.Keep.Names = out.keptNodes()
		}
		q.By = append(q.By, ch)
	}
	out.col = *p.col(spec.Value)
	if len(out.cols) < 2 && p.Problem == "" {
		p.Problem = p.Env.Text("No columns are named for the steps.")
	}
	if p.Problem != "" {
		return nil
	}
	m := d.Measure(&out.col)
	for _, name := range spec.Flows() {
		if m.Over != nil || m.Agg != cube.None && !encode.Sums(m, name) {
			p.Problem = p.Env.Text(`A sankey shows how an amount is divided, and "%s" does not add up to one. `+
				`Use a bar chart, or a measure with agg "sum".`, out.col.Name)
			return nil
		}
	}
	q.Measures = []cube.Measure{m}
	notes, warnings := p.Notes, p.Warnings
	t := p.run(q)
	if t == nil {
		return nil
	}
	out.read(t)
	if out.ends && out.returns() && out.cutsEnds() { // the values of each end are merged by themselves
		for i := range q.By {
			q.By[i].Keep.Names = out.keptNodes()
		}
		p.Notes, p.Warnings = notes, warnings
		if t = p.run(q); t == nil {
			return nil
		}
		out.rows, out.total, out.ends = nil, 0, false
		out.read(t)
	}
	switch {
	case len(out.rows) == 0:
		p.Empty = p.Env.Text("Every value is zero or missing for these filters.")
		return nil
	case math.IsInf(out.total, 0):
		p.Problem = p.Env.Text("The values are too large to add up.")
		return nil
	}
	if out.ends = out.ends && !out.returns(); out.ends {
		out.joinEnds(t)
	} else {
		out.joinSteps(t)
	}
	out.cutFlows()
	out.paint()
	out.tabulate()
	p.Summary = out.say()
	return out
}

// limit returns the maximum number of values of a step, one of which is Other if there are more.
func (m *sankeyPanel) limit() int { return cmp.Or(m.Spec.Limit, dashboard.MaxNodes) }

// keptNodes returns the values of a step that are drawn, and merges the others.
func (m *sankeyPanel) keptNodes() encode.Top {
	out := encode.Top{Most: m.limit() - 1, Slack: true, Other: true, Sum: true}
	if m.Spec.Limit == 0 {
		out.Advice = fmt.Sprintf("a sankey has %d values a step; a filter, or sql that groups the small ones, leaves those that matter",
			dashboard.MaxNodes)
	}
	return out
}

// cutsEnds reports whether the values at one of the two ends of the flows are more than the limit.
func (m *sankeyPanel) cutsEnds() bool {
	for end := range m.cols {
		values := map[cube.Category]bool{}
		for i := range m.rows {
			values[m.rows[i].cats[end]] = true
		}
		if len(values) > m.limit() {
			return true
		}
	}
	return false
}

// returns reports whether much of the amount stays at its value or also flows back, like customers who change between plans. In one chain
// of values these flows would be loops around everything else, so the values are drawn twice: at the left, where flows begin, and at the
// right, where they end.
func (m *sankeyPanel) returns() bool {
	flows, from, to := map[[2]cube.Category]float64{}, map[cube.Category]bool{}, map[cube.Category]bool{}
	for _, r := range m.rows {
		if len(r.cats) != 2 {
			return false
		}
		flows[[2]cube.Category(r.cats)] += r.value
		from[r.cats[0]], to[r.cats[1]] = true, true
	}
	back := 0.0
	for ends, v := range flows {
		back += min(v, flows[[2]cube.Category{ends[1], ends[0]}])
	}
	return back > m.total/4 && len(from) > 2 && len(from) <= dashboard.MaxNodes && len(to) <= dashboard.MaxNodes
}

// read reads the rows, the largest first. Rows without a value, or without a first step, are not flows.
func (m *sankeyPanel) read(t *encode.Table) {
	without := 0
	for i := range t.Len() {
		v, ok := t.Value(i, 0)
		switch {
		case !ok:
			without++
		case v > 0:
			r := flowRow{value: v, exact: t.Exact(i, 0)}
			for dim := range m.cols {
				r.cats = append(r.cats, t.Category(i, dim))
			}
			m.rows = append(m.rows, r)
			m.total += v
		}
	}
	if without > 0 && len(m.rows) > 0 {
		m.report(encode.WithoutValue(without, &m.col))
	}
	slices.SortStableFunc(m.rows, func(a, b flowRow) int { return compareNumbers(b.exact, a.exact) })
}

// unranked returns a value without its position in a column, so that values of two columns can be compared.
func unranked(c cube.Category) cube.Category {
	c.Rank = 0
	return c
}

// node returns the index of the node of a value of a step, which it adds if it is new. The value is in a cell of a row of the table behind.
func (m *sankeyPanel) node(step int, c cube.Category, row, cell int) int {
	key := stepValue{step, unranked(c)}
	if m.ends && !c.Other {
		key.step = 0
	}
	i, ok := m.at[key]
	if !ok {
		i = len(m.nodes)
		m.at[key] = i
		m.nodes = append(m.nodes, sankeyNode{cat: c, step: step, row: row, cell: cell})
	}
	return i
}

// joinSteps makes the nodes and flows of steps. Flows are separated by the values of the first step, and have its colours. A row without
// values for its last steps ends before these.
func (m *sankeyPanel) joinSteps(t *encode.Table) {
	m.steps = len(m.cols)
	for step, c := range m.cols {
		m.fixed = append(m.fixed, m.inOrder(c))
		seen := map[cube.Category][2]int{}
		for row := range m.rows {
			if c := m.rows[row].cats[step]; step < m.rows[row].length() {
				if _, ok := seen[c]; !ok {
					seen[c] = [2]int{row, step}
				}
			}
		}
		for _, c := range t.Axis(step) {
			if at, ok := seen[c]; ok {
				m.node(step, c, at[0], at[1])
			}
		}
	}
	type between struct{ from, to, first int }
	at := map[between]int{}
	for row := range m.rows {
		r := &m.rows[row]
		first := m.node(0, r.cats[0], row, 0)
		m.nodes[first].amount += r.value
		to := first
		for step := 1; step < r.length(); step++ {
			from := to
			to = m.node(step, r.cats[step], row, step)
			m.nodes[to].amount += r.value
			m.nodes[from].out += r.value
			m.nodes[to].in += r.value
			key := between{from, to, first}
			i, ok := at[key]
			if !ok {
				i = len(m.flows)
				at[key] = i
				m.flows = append(m.flows, sankeyFlow{Flow: stat.Flow{From: from, To: to, Class: first}, row: row, cell: step - 1})
			}
			m.flows[i].Value += r.value
		}
	}
}

// length returns the number of steps of a row, without those at its end that have no value.
func (r *flowRow) length() int {
	n := len(r.cats)
	for n > 1 && r.cats[n-1].Value == nil && !r.cats[n-1].Other {
		n--
	}
	return n
}

// inOrder reports whether the values of a column have an order that the bars keep.
func (m *sankeyPanel) inOrder(c *dashboard.Column) bool {
	o := m.Data.Ordering(c.Name)
	return o.Said || o.Ordered
}

// joinEnds makes the nodes and flows of rows from one value to another. A value is one node everywhere.
func (m *sankeyPanel) joinEnds(t *encode.Table) {
	for row := range m.rows {
		r := &m.rows[row]
		from, to := m.node(0, r.cats[0], row, 0), m.node(0, r.cats[1], row, 1)
		m.flows = append(m.flows, sankeyFlow{Flow: stat.Flow{From: from, To: to, Value: r.value}, row: row})
		m.nodes[from].out += r.value
		m.nodes[to].in += r.value
	}
	flows := make([]stat.Flow, len(m.flows))
	for i := range flows {
		flows[i] = m.flows[i].Flow
	}
	step, _ := stat.Steps(len(m.nodes), flows, sankeySteps-1)
	for i := range m.nodes {
		m.nodes[i].step = step[i]
		m.steps = max(m.steps, step[i]+1)
	}
	m.mergeNodes()
	for i := range m.nodes {
		m.nodes[i].amount = max(m.nodes[i].in, m.nodes[i].out)
	}
	m.fixed = slices.Repeat([]bool{m.inOrder(m.cols[0])}, m.steps)
	if m.fixed[0] {
		m.sortNodes(t)
	}
}

// sortNodes sorts the nodes by the order of the first column's values, if they have one.
func (m *sankeyPanel) sortNodes(t *encode.Table) {
	place := map[cube.Category]int{}
	for i, c := range t.Axis(0) {
		place[unranked(c)] = i + 1
	}
	order := stat.Indices(len(m.nodes))
	rank := func(i int) int { return cmp.Or(place[unranked(m.nodes[i].cat)], math.MaxInt) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	to, nodes := make([]int, len(order)), make([]sankeyNode, len(order))
	for n, i := range order {
		to[i], nodes[n] = n, m.nodes[i]
	}
	for i := range m.flows {
		f := &m.flows[i]
		f.From, f.To = to[f.From], to[f.To]
	}
	m.nodes = nodes
}

// mergeNodes merges the smallest nodes of each step into one, if there are too many.
func (m *sankeyPanel) mergeNodes() {
	size := func(i int) float64 { return max(m.nodes[i].in, m.nodes[i].out) }
	order := stat.Indices(len(m.nodes))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	of := make([]int, m.steps) // nodes of each step
	for i := range m.nodes {
		of[m.nodes[i].step]++
	}
	kept, left := make([]int, m.steps), 0
	others := slices.Repeat([]int{-1}, m.steps)
	to := make([]int, len(m.nodes))
	var nodes []sankeyNode
	for _, i := range order {
		n := m.nodes[i]
		if of[n.step] <= m.limit() || kept[n.step] < m.limit()-1 {
			kept[n.step]++
			left++
			to[i], nodes = len(nodes), append(nodes, n)
			continue
		}
		if others[n.step] < 0 {
			others[n.step] = len(nodes)
			nodes = append(nodes, sankeyNode{cat: cube.Category{Other: true}, step: n.step, row: -1})
		}
		to[i] = others[n.step]
		nodes[to[i]].in += n.in
		nodes[to[i]].out += n.out
	}
	all := len(m.nodes)
	if left == all {
		return
	}
	at := map[[2]int]int{}
	var flows []sankeyFlow
	for _, f := range m.flows {
		f.From, f.To = to[f.From], to[f.To]
		k, ok := at[[2]int{f.From, f.To}]
		if !ok {
			at[[2]int{f.From, f.To}] = len(flows)
			flows = append(flows, f)
			continue
		}
		flows[k].Value += f.Value
	}
	m.nodes, m.flows = nodes, flows
	issue := encode.Noted("%s of %s values are drawn; the smallest of each step are merged into %s.", left, all, m.Env.Rest(m.cols[0].Name))
	if m.Spec.Limit == 0 {
		issue = issue.Warned(dashboard.WarnMerged, "from", "%d of %d values {is|are} drawn, the others merged with those of their step, "+
			"because a sankey draws %d a step; a filter, or sql that groups the small ones, leaves those that matter.",
			left, all, dashboard.MaxNodes)
	}
	m.report(issue)
}

// cutFlows leaves out the smallest ribbons, if there are too many. The lengths of bars do not change.
func (m *sankeyPanel) cutFlows() {
	all := len(m.flows)
	if all <= sankeyRibbons {
		return
	}
	slices.SortStableFunc(m.flows, func(a, b sankeyFlow) int { return cmp.Compare(b.Value, a.Value) })
	m.flows = m.flows[:sankeyRibbons]
	key := "steps"
	if m.ends {
		key = "from"
	}
	m.report(encode.Noted("The %s largest of %s flows are drawn; the others are too thin.", sankeyRibbons, all).
		Warned(dashboard.WarnCut, key, "the %d largest of %d flows are drawn, and bars are as long as all of them; "+
			"columns with fewer values draw all.",
			sankeyRibbons, all))
}

// paint sets the colours of flows to those of the values of the first step, or of their sources. Other bars are gray.
func (m *sankeyPanel) paint() {
	var cats []cube.Category
	size := map[cube.Category]float64{}
	for i := range m.nodes {
		n := &m.nodes[i]
		n.color = canvas.OtherColor
		if n.out > 0 && !n.cat.Other && (m.ends || n.step == 0) {
			cats = append(cats, n.cat)
			size[n.cat] = n.out
		}
	}
	slices.SortStableFunc(cats, func(a, b cube.Category) int { return cmp.Compare(size[b], size[a]) })
	key := "steps"
	if m.ends {
		key = "from"
	}
	of, _ := m.fewColors(m.cols[0], cats, func(c cube.Category) float64 { return size[c] }, key)
	for i := range m.nodes {
		n := &m.nodes[i]
		if n.out > 0 && (m.ends || n.step == 0) {
			n.color = cmp.Or(of[n.cat], canvas.OtherColor)
			continue
		}
		column := m.cols[1].Name
		if !m.ends {
			column = m.cols[n.step].Name
		}
		if m.Env.names(column, n.cat) {
			n.color = m.Env.valueColor(column, n.cat)
		}
	}
	for i := range m.flows {
		f := &m.flows[i]
		f.color = m.nodes[f.Class].color
		if m.ends {
			f.color = m.nodes[f.From].color
		}
	}
}

// tabulate makes the table behind the flows: a row for each path through all steps.
func (m *sankeyPanel) tabulate() {
	m.Grid = &Grid{}
	for _, c := range m.cols {
		column := Column{Column: *c}
		column.Role = dashboard.Dimension
		m.Grid.Columns = append(m.Grid.Columns, column)
	}
	m.Grid.Columns = append(m.Grid.Columns, Column{Column: m.col})
	for i := range m.rows {
		var row []any
		for _, c := range m.rows[i].cats {
			row = append(row, c)
		}
		m.Grid.Rows = append(m.Grid.Rows, append(row, m.rows[i].exact))
	}
}

// name returns the name of a node.
func (m *sankeyPanel) name(n *sankeyNode) string {
	step := n.step
	if m.ends {
		step = 0
	}
	return m.Env.Cell(*m.cols[step], cube.Exact, n.cat)
}

const saidFlows = 3 // in a sentence

// say returns the sentence of a sankey: the total amount, and the largest flows.
func (m *sankeyPanel) say() string {
	var largest []string
	for i := range m.rows[:min(len(m.rows), saidFlows)] {
		r := &m.rows[i]
		var names []string
		for step, c := range r.cats[:r.length()] {
			names = append(names, canvas.Clip(m.Env.Cell(*m.cols[step], cube.Exact, c), 40))
		}
		largest = append(largest, strings.Join(names, " → ")+" "+m.Env.Cell(m.col, cube.Exact, r.exact))
	}
	out := []string{
		m.Env.Count(len(m.rows), "%d flow, %s in all.", "%d flows, %s in all.", m.Env.Quantity(m.col, m.total)),
		m.Env.Text("Largest flows: %s.", strings.Join(largest, ", ")),
	}
	back := 0
	for i := range m.flows {
		back += stat.One(m.nodes[m.flows[i].To].step <= m.nodes[m.flows[i].From].step)
	}
	if back > 0 {
		out = append(out, m.Env.Count(back, "%d flow leads back.", "%d flows lead back."))
	}
	return strings.Join(out, " ")
}
