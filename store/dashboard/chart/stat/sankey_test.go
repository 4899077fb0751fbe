package stat

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestSteps: a node is behind all that lead to it, and each cycle has one flow that leads back, to where more flows out than in.
func TestSteps(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		nodes int
		flows []Flow
		step  []int
		back  []bool
	}{
		"chain": {3, []Flow{{From: 0, To: 1, Value: 1}, {From: 1, To: 2, Value: 1}}, []int{0, 1, 2}, []bool{false, false}},
		"skipping": {
			3,
			[]Flow{{From: 0, To: 2, Value: 9}, {From: 0, To: 1, Value: 1}, {From: 1, To: 2, Value: 1}},
			[]int{0, 1, 2},
			[]bool{false, false, false},
		},
		"itself":    {2, []Flow{{From: 0, To: 0, Value: 1}, {From: 0, To: 1, Value: 1}}, []int{0, 1}, []bool{true, false}},
		"both ways": {2, []Flow{{From: 1, To: 0, Value: 9}, {From: 0, To: 1, Value: 2}}, []int{1, 0}, []bool{false, true}},
		"cycle": {
			3,
			[]Flow{{From: 0, To: 1, Value: 5}, {From: 1, To: 2, Value: 4}, {From: 2, To: 0, Value: 1}},
			[]int{0, 1, 2},
			[]bool{false, false, true},
		},
		"too long": {
			4,
			[]Flow{{From: 0, To: 1, Value: 1}, {From: 1, To: 2, Value: 1}, {From: 2, To: 3, Value: 1}},
			[]int{0, 1, 2, 2},
			[]bool{false, false, true},
		},
		"alone": {2, nil, []int{0, 0}, []bool{}},
	} {
		step, back := Steps(tc.nodes, tc.flows, 2)
		if !slices.Equal(step, tc.step) || !slices.Equal(back, tc.back) {
			t.Errorf("%s: %v %v, want %v %v", name, step, back, tc.step, tc.back)
		}
	}
}

// TestSankeyOrder: nodes are put where their flows do not cross, unless their order is fixed.
func TestSankeyOrder(t *testing.T) {
	t.Parallel()
	step := []int{0, 0, 0, 1, 1, 1}
	flows := []Flow{{From: 0, To: 5, Value: 3}, {From: 1, To: 4, Value: 2}, {From: 2, To: 3, Value: 1}}
	s := LaySankey(step, flows, nil, nil, 100, 5)
	if !(s.Nodes[5].From < s.Nodes[4].From && s.Nodes[4].From < s.Nodes[3].From) {
		t.Errorf("the flows cross: %v", s.Nodes)
	}
	for i, f := range flows {
		if s.From[i] != s.To[i] || s.From[i] != s.Nodes[f.From] {
			t.Errorf("flow %d is not straight: %v to %v of %v", i, s.From[i], s.To[i], s.Nodes[f.From])
		}
	}
	s = LaySankey(step, flows, nil, []bool{true, true}, 100, 5)
	if !(s.Nodes[3].From < s.Nodes[4].From && s.Nodes[4].From < s.Nodes[5].From) {
		t.Errorf("the order is not kept: %v", s.Nodes)
	}
	if s := LaySankey(nil, nil, nil, nil, 100, 5); len(s.Nodes) != 0 {
		t.Errorf("%v", s)
	}
}

// TestSankeyAddsUp: of random flows, lengths are in proportion to values, flows fill their nodes from the top without gaps, nothing of a
// step overlaps or leaves the height, ways back are below all nodes, and equal flows have equal layouts.
func TestSankeyAddsUp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(51, 52))
	const eps = 1e-6
	for range 400 {
		nodes := 1 + r.IntN(40)
		var flows []Flow
		for range 1 + r.IntN(120) {
			flows = append(flows, Flow{r.IntN(nodes), r.IntN(nodes), math.Exp(r.NormFloat64() * 2), r.IntN(3)})
		}
		step, back := Steps(nodes, flows, 7)
		if r.IntN(2) == 0 {
			flows = slices.DeleteFunc(flows, func(f Flow) bool { return step[f.To] <= step[f.From] })
			back = make([]bool, len(flows))
		}
		height, gap := 100+r.Float64()*400, r.Float64()*12
		s := LaySankey(step, flows, nil, nil, height, gap)
		if again := LaySankey(step, flows, nil, nil, height, gap); !reflect.DeepEqual(again, s) {
			t.Fatal("equal flows have different layouts")
		}
		in, out := make([]float64, nodes), make([]float64, nodes)
		fullest, lowest := 0.0, 0.0
		for i, f := range flows {
			long := f.Value * s.Scale
			for _, end := range []Span{s.From[i], s.To[i]} {
				if math.Abs(end.To-end.From-long) > eps {
					t.Fatalf("a flow of %v is %v long at a scale of %v", f.Value, end.To-end.From, s.Scale)
				}
			}
			out[f.From] += long
			in[f.To] += long
			if s.From[i].From < s.Nodes[f.From].From-eps || s.From[i].To > s.Nodes[f.From].To+eps ||
				s.To[i].From < s.Nodes[f.To].From-eps || s.To[i].To > s.Nodes[f.To].To+eps {
				t.Fatalf("flow %d, %v to %v, is not in its nodes", i, s.From[i], s.To[i])
			}
		}
		for n, at := range s.Nodes {
			if math.Abs(at.To-at.From-max(in[n], out[n])) > eps {
				t.Fatalf("node %d is %v long, and %v flow in, %v out", n, at.To-at.From, in[n], out[n])
			}
			if at.From < -eps || at.To > height+eps {
				t.Fatalf("node %d is at %v of %v", n, at, height)
			}
			lowest = max(lowest, at.To)
			for m := range n {
				if o := s.Nodes[m]; step[m] == step[n] && min(at.To, o.To)-max(at.From, o.From) > eps {
					t.Fatalf("nodes at %v and %v of step %d overlap", at, o, step[n])
				}
			}
		}
		for i := range flows {
			w := s.Way[i]
			if !back[i] {
				if w != (Span{}) {
					t.Fatalf("flow %d leads forward by %v", i, w)
				}
				continue
			}
			if w.From < lowest-eps || w.To > height+eps {
				t.Fatalf("a way back is at %v, nodes reach to %v of %v", w, lowest, height)
			}
			for k := range i {
				if o := s.Way[k]; back[k] && min(w.To, o.To)-max(w.From, o.From) > eps {
					t.Fatalf("ways at %v and %v overlap", w, o)
				}
			}
			fullest = max(fullest, w.To)
		}
		ends := func(of []Span, node func(f Flow) int) {
			for n := range nodes {
				var list []Span
				for i, f := range flows {
					if node(f) == n {
						list = append(list, of[i])
					}
				}
				slices.SortFunc(list, func(a, b Span) int { return cmpFloat(a.From, b.From) })
				at := s.Nodes[n].From
				for _, l := range list {
					if math.Abs(l.From-at) > eps {
						t.Fatalf("a flow begins at %v of node %v, the one before ends at %v", l.From, s.Nodes[n], at)
					}
					at = l.To
				}
			}
		}
		ends(s.From, func(f Flow) int { return f.From })
		ends(s.To, func(f Flow) int { return f.To })
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestSankeyHasFewCrossings: of random flows the order has fewer crossings than the given one.
func TestSankeyHasFewCrossings(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(53, 54))
	better := 0
	for range 100 {
		var step []int
		for k := range 3 {
			for range 8 {
				step = append(step, k)
			}
		}
		var flows []Flow
		for range 30 {
			from := r.IntN(16)
			flows = append(flows, Flow{from, from/8*8 + 8 + r.IntN(8), r.Float64(), 0})
		}
		count := func(nodes []Span) (sum float64) {
			for i, a := range flows {
				for _, b := range flows[:i] {
					if step[a.From] == step[b.From] &&
						(nodes[a.From].From-nodes[b.From].From)*(nodes[a.To].From-nodes[b.To].From) < 0 {
						sum += a.Value * b.Value
					}
				}
			}
			return sum
		}
		given := count(LaySankey(step, flows, nil, []bool{true, true, true}, 400, 6).Nodes)
		sorted := count(LaySankey(step, flows, nil, nil, 400, 6).Nodes)
		if sorted > given+1e-9 {
			t.Fatalf("crossings of %v, %v in the given order", sorted, given)
		}
		if sorted < given*0.6 {
			better++
		}
	}
	if better < 90 {
		t.Errorf("only %d of 100 have much fewer crossings", better)
	}
}

// BenchmarkLaySankey lays out six steps of 24 nodes, each joined with all of the next in eleven classes.
func BenchmarkLaySankey(b *testing.B) {
	r := rand.New(rand.NewPCG(55, 56))
	var step []int
	var flows []Flow
	for k := range 6 {
		for n := range 24 {
			step = append(step, k)
			for to := 0; k < 5 && to < 24; to++ {
				flows = append(flows, Flow{k*24 + n, k*24 + 24 + to, r.Float64(), r.IntN(11)})
			}
		}
	}
	for b.Loop() {
		LaySankey(step, flows, nil, nil, 480, 8)
	}
}
