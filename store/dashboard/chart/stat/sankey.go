package stat

import (
	"cmp"
	"math"
	"slices"
)

// A Flow leads an amount, above zero, from one node to another, or to itself. Flows between the same nodes may differ in their class.
type Flow struct {
	From, To int
	Value    float64
	Class    int
}

// Steps puts the nodes of flows on steps, so that flows lead from one step to a later one if that is possible. The step of a node is the
// length of the longest path to it, at most last. back reports which flows lead to the same step or an earlier one: each cycle has one,
// usually the flow to its node with more outflow than inflow. It takes O(n log n) time for n nodes and flows.
func Steps(nodes int, flows []Flow, last int) (step []int, back []bool) {
	out := make([][]int, nodes) // flows, the largest first
	net, incoming := make([]float64, nodes), make([]int, nodes)
	for i, f := range flows {
		if f.From != f.To {
			out[f.From] = append(out[f.From], i)
			net[f.From] += f.Value
			net[f.To] -= f.Value
			incoming[f.To]++
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(flows[b].Value, flows[a].Value) })
	}
	starts := Indices(nodes)
	slices.SortStableFunc(starts, func(a, b int) int {
		return cmp.Or(cmp.Compare(One(incoming[a] > 0), One(incoming[b] > 0)), cmp.Compare(net[b], net[a]))
	})
	// A flow to an open node closes a cycle. In the reverse of the order in which the search leaves the nodes, all other flows lead forward.
	const fresh, open, left = 0, 1, 2
	state, next := make([]int, nodes), make([]int, nodes)
	closes := make([]bool, len(flows))
	var order, way []int
	for _, start := range starts {
		if state[start] != fresh {
			continue
		}
		state[start] = open
		for way = append(way, start); len(way) > 0; {
			n := way[len(way)-1]
			if next[n] == len(out[n]) {
				state[n] = left
				order, way = append(order, n), way[:len(way)-1]
				continue
			}
			i := out[n][next[n]]
			next[n]++
			switch to := flows[i].To; state[to] {
			case open:
				closes[i] = true
			case fresh:
				state[to] = open
				way = append(way, to)
			}
		}
	}
	step, back = make([]int, nodes), make([]bool, len(flows))
	for _, n := range slices.Backward(order) {
		for _, i := range out[n] {
			if !closes[i] {
				step[flows[i].To] = min(max(step[flows[i].To], step[n]+1), last)
			}
		}
	}
	for i, f := range flows {
		back[i] = step[f.To] <= step[f.From]
	}
	return step, back
}

// A Sankey is the layout of nodes and flows, from the top down. All lengths are in the unit of the height.
type Sankey struct {
	Nodes    []Span // each as long as the larger of its inflow and outflow, or as least requires
	From, To []Span // of each flow: its places at its first node and at the other
	Way      []Span // of each flow that leads back: its place under all nodes; zero for others
	Scale    float64
}

// Numbers of rounds that improve the layout; further rounds change little.
const (
	orderRounds = 12
	placeRounds = 8
)

// LaySankey lays out flows between nodes on steps. Nodes of a step are gap apart, or less if the gaps would take more than two thirds of
// the height. The lengths of flows are in proportion to their values. The length of a node is in proportion to the larger of its flow and
// its amount in least; least may be nil. The order of the nodes of a step has few crossings, weighted by the values, unless fixed is set
// for the step: then they are in the order of their numbers. Nodes are as close to the nodes that they are joined with as their order
// allows. Flows that lead back pass below all nodes. Equal arguments give equal layouts.
func LaySankey(step []int, flows []Flow, least []float64, fixed []bool, height, gap float64) Sankey {
	s := &sankey{step: step, flows: flows, least: least, gap: gap, height: height}
	s.measure()
	s.sort(fixed)
	s.place()
	return s.ends()
}

type sankey struct {
	step         []int
	flows        []Flow
	least        []float64
	gap, height  float64
	scale, below float64 // below is the share of the height for flows that lead back
	value        []float64
	columns      [][]int // nodes by step, in order
	in, out      [][]int // forward flows by node
	top          []float64
}

func (s *sankey) leadsBack(i int) bool { return s.step[s.flows[i].To] <= s.step[s.flows[i].From] }

func (s *sankey) long(node int) float64 { return s.value[node] * s.scale }

// measure computes the scale at which the fullest step fits.
func (s *sankey) measure() {
	n := len(s.step)
	in, out := make([]float64, n), make([]float64, n)
	s.in, s.out = make([][]int, n), make([][]int, n)
	returning, ways := 0.0, 0
	for i, f := range s.flows {
		out[f.From] += f.Value
		in[f.To] += f.Value
		if s.leadsBack(i) {
			returning += f.Value
			ways++
			continue
		}
		s.out[f.From] = append(s.out[f.From], i)
		s.in[f.To] = append(s.in[f.To], i)
	}
	s.value = make([]float64, n)
	for node, step := range s.step {
		if s.value[node] = max(in[node], out[node]); s.least != nil {
			s.value[node] = max(s.value[node], s.least[node])
		}
		for len(s.columns) <= step {
			s.columns = append(s.columns, nil)
		}
		s.columns[step] = append(s.columns[step], node)
	}
	most := 0
	for _, nodes := range s.columns {
		most = max(most, len(nodes))
	}
	if gaps := float64(most-1) + float64(ways); gaps > 0 {
		s.gap = min(s.gap, s.height*2/3/gaps)
	}
	s.scale = math.Inf(1)
	for _, nodes := range s.columns {
		sum := returning
		for _, node := range nodes {
			sum += s.value[node]
		}
		if sum > 0 {
			s.scale = min(s.scale, (s.height-s.gap*float64(max(len(nodes)-1, 0)+ways))/sum)
		}
	}
	if math.IsInf(s.scale, 1) {
		s.scale = 0
	}
	s.below = returning*s.scale + s.gap*float64(ways)
}

// sort orders the nodes of each step by the middles of the nodes that they are joined with, forwards and backwards, and keeps the order
// with the fewest crossings.
func (s *sankey) sort(fixed []bool) {
	rank := make([]float64, len(s.step))
	for _, nodes := range s.columns {
		for k, node := range nodes {
			rank[node] = (float64(k) + 0.5) / float64(len(nodes)) // steps have different numbers of nodes
		}
	}
	best, least := s.copyColumns(), s.crossings()
	for round := range orderRounds {
		if least == 0 {
			break
		}
		for k := range s.columns {
			at, joined := k, s.in
			if round%2 == 1 {
				at, joined = len(s.columns)-1-k, s.out
			}
			if at < len(fixed) && fixed[at] {
				continue
			}
			nodes := s.columns[at]
			wanted := map[int]float64{}
			for _, node := range nodes {
				sum, weight := 0.0, 0.0
				for _, i := range joined[node] {
					other := s.flows[i].From
					if other == node {
						other = s.flows[i].To
					}
					sum += rank[other] * s.flows[i].Value
					weight += s.flows[i].Value
				}
				if wanted[node] = rank[node]; weight > 0 {
					wanted[node] = sum / weight
				}
			}
			slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(wanted[a], wanted[b]) })
			for r, node := range nodes {
				rank[node] = (float64(r) + 0.5) / float64(len(nodes))
			}
		}
		if c := s.crossings(); c < least {
			best, least = s.copyColumns(), c
		}
	}
	s.columns = best
}

func (s *sankey) copyColumns() [][]int {
	out := make([][]int, len(s.columns))
	for i, nodes := range s.columns {
		out[i] = slices.Clone(nodes)
	}
	return out
}

// crossings sums the products of the values of flows between neighbouring steps that cross.
func (s *sankey) crossings() float64 {
	place := make([]int, len(s.step))
	for _, nodes := range s.columns {
		for k, node := range nodes {
			place[node] = k
		}
	}
	total := 0.0
	for k := 0; k+1 < len(s.columns); k++ {
		tree := make([]float64, len(s.columns[k+1])+1) // sums of the values that reach the first places
		all := 0.0
		var ends []Flow
		for _, node := range s.columns[k] {
			from := len(ends)
			for _, i := range s.out[node] {
				if f := s.flows[i]; s.step[f.To] == k+1 {
					ends = append(ends, f)
				}
			}
			for _, f := range ends[from:] {
				before := 0.0
				for at := place[f.To] + 1; at > 0; at -= at & -at {
					before += tree[at]
				}
				total += f.Value * (all - before)
			}
			for _, f := range ends[from:] { // flows of one node do not cross
				for at := place[f.To] + 1; at < len(tree); at += at & -at {
					tree[at] += f.Value
				}
				all += f.Value
			}
		}
	}
	return total
}

// place moves the nodes of each step towards the nodes that they are joined with.
func (s *sankey) place() {
	s.top = make([]float64, len(s.step))
	room := s.height - s.below
	for _, nodes := range s.columns {
		at := 0.0
		for _, node := range nodes {
			s.top[node] = at
			at += s.long(node) + s.gap
		}
		for _, node := range nodes { // in the middle
			s.top[node] += max(room-at+s.gap, 0) / 2
		}
	}
	for round := range placeRounds {
		for k := range s.columns {
			at, joined := k, s.in
			if round%2 == 1 {
				at, joined = len(s.columns)-1-k, s.out
			}
			nodes := s.columns[at]
			wanted := make([]float64, len(nodes))
			for n, node := range nodes {
				sum, weight := 0.0, 0.0
				for _, i := range joined[node] {
					other := s.flows[i].From
					if other == node {
						other = s.flows[i].To
					}
					sum += (s.top[other] + s.long(other)/2) * s.flows[i].Value
					weight += s.flows[i].Value
				}
				if wanted[n] = s.top[node]; weight > 0 {
					wanted[n] = sum/weight - s.long(node)/2
				}
			}
			s.stack(nodes, wanted, room)
		}
	}
}

// stack places the nodes of a step in their order, apart from each other and between 0 and room, as close to the wanted places as possible:
// see [Spread].
func (s *sankey) stack(nodes []int, wanted []float64, room float64) {
	type block struct {
		n            int
		total, value float64 // weights are the values, so that large nodes are where they belong
	}
	var blocks []block
	mean := func(b block) float64 { return b.total / b.value }
	offset, all := make([]float64, len(nodes)), 0.0
	for n, node := range nodes {
		offset[n] = all
		all += s.long(node) + s.gap
		weight := max(s.value[node], 1e-300)
		blocks = append(blocks, block{1, (wanted[n] - offset[n]) * weight, weight})
		for last := len(blocks) - 1; last > 0 && mean(blocks[last-1]) >= mean(blocks[last]); last-- {
			blocks[last-1].n += blocks[last].n
			blocks[last-1].total += blocks[last].total
			blocks[last-1].value += blocks[last].value
			blocks = blocks[:last]
		}
	}
	n := 0
	for _, b := range blocks {
		start := max(min(mean(b), room-(all-s.gap)), 0)
		for range b.n {
			s.top[nodes[n]] = start + offset[n]
			n++
		}
	}
}

// ends computes the places of flows at their nodes: in the order of the nodes at their other ends, and flows that lead back last.
func (s *sankey) ends() Sankey {
	n := len(s.step)
	out := Sankey{
		Nodes: make([]Span, n), From: make([]Span, len(s.flows)), To: make([]Span, len(s.flows)), Way: make([]Span, len(s.flows)),
		Scale: s.scale,
	}
	leave, reach := make([][]int, n), make([][]int, n)
	var ways []int
	for i, f := range s.flows {
		leave[f.From], reach[f.To] = append(leave[f.From], i), append(reach[f.To], i)
		if s.leadsBack(i) {
			ways = append(ways, i)
		}
	}
	middle := func(node int) float64 { return s.top[node] + s.long(node)/2 }
	for node := range n {
		out.Nodes[node] = Span{s.top[node], s.top[node] + s.long(node)}
		side := func(list []int, ends []Span, other func(f Flow) int) {
			slices.SortStableFunc(list, func(a, b int) int {
				return cmp.Or(cmp.Compare(One(s.leadsBack(a)), One(s.leadsBack(b))),
					cmp.Compare(middle(other(s.flows[a])), middle(other(s.flows[b]))), cmp.Compare(s.flows[a].Class, s.flows[b].Class))
			})
			at := s.top[node]
			for _, i := range list {
				ends[i] = Span{at, at + s.flows[i].Value*s.scale}
				at = ends[i].To
			}
		}
		side(leave[node], out.From, func(f Flow) int { return f.To })
		side(reach[node], out.To, func(f Flow) int { return f.From })
	}
	// The shortest way is the uppermost.
	length := func(i int) int { return s.step[s.flows[i].From] - s.step[s.flows[i].To] }
	slices.SortStableFunc(ways, func(a, b int) int { return cmp.Compare(length(a), length(b)) })
	at := s.height - s.below
	for _, i := range ways {
		at += s.gap
		out.Way[i] = Span{at, at + s.flows[i].Value*s.scale}
		at = out.Way[i].To
	}
	return out
}
