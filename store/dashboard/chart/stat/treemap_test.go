package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSquarify: the parts of the example in the paper of the algorithm.
func TestSquarify(t *testing.T) {
	t.Parallel()
	got := Squarify([]float64{6, 6, 4, 3, 2, 2, 1}, Rect{W: 6, H: 4})
	want := []Rect{
		{0, 0, 3, 2},
		{0, 2, 3, 2},
		{3, 0, 12.0 / 7, 7.0 / 3},
		{3 + 12.0/7, 0, 9.0 / 7, 7.0 / 3},
		{3, 7.0 / 3, 6.0 / 5, 5.0 / 3},
		{3 + 6.0/5, 7.0 / 3, 6.0 / 5, 5.0 / 3},
		{3 + 12.0/5, 7.0 / 3, 3.0 / 5, 5.0 / 3},
	}
	near := func(a, b Rect) bool {
		return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y), math.Abs(a.W-b.W), math.Abs(a.H-b.H)) < 1e-9
	}
	if !slices.EqualFunc(got, want, near) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, none := range [][]float64{nil, {0, 0}, {-1}} {
		for _, r := range Squarify(none, Rect{1, 2, 3, 4}) {
			if r.Area() != 0 {
				t.Errorf("%v has %v", none, r)
			}
		}
	}
}

// TestSquarifyDivides: of random values, each part has its share of the area, parts do not overlap, and are less elongated than slices.
func TestSquarifyDivides(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		values := make([]float64, 1+r.IntN(80))
		total, some := 0.0, 0
		for i := range values {
			if values[i] = math.Exp(r.NormFloat64() * 3); r.IntN(9) == 0 {
				values[i] = 0
			}
			if total += values[i]; values[i] > 0 {
				some++
			}
		}
		into := Rect{r.Float64() * 10, r.Float64() * 10, 1 + r.Float64()*900, 1 + r.Float64()*500}
		parts := Squarify(values, into)
		elongated, sliced := 0.0, 0.0 // sums over the parts
		for i, p := range parts {
			if share := values[i] / max(total, 1e-300) * into.Area(); math.Abs(p.Area()-share) > 1e-9*into.Area() {
				t.Fatalf("%v of %v has an area of %v, want %v", values[i], total, p.Area(), share)
			}
			const eps = 1e-6
			if p.X < into.X-eps || p.Y < into.Y-eps || p.X+p.W > into.X+into.W+eps || p.Y+p.H > into.Y+into.H+eps {
				t.Fatalf("%v is not in %v", p, into)
			}
			if p.Area() > 0 {
				slice := Rect{W: into.W * values[i] / total, H: into.H}
				elongated += max(p.W/p.H, p.H/p.W)
				sliced += max(slice.W/slice.H, slice.H/slice.W)
			}
			for _, o := range parts[:i] {
				if p.X+eps < o.X+o.W && o.X+eps < p.X+p.W && p.Y+eps < o.Y+o.H && o.Y+eps < p.Y+p.H {
					t.Fatalf("%v overlaps %v", p, o)
				}
			}
		}
		if some > 5 && elongated > sliced {
			t.Errorf("%d values in %v are more elongated than slices: %v, %v", some, into, elongated, sliced)
		}
	}
}

// TestInset: a margin leaves at least half of a length.
func TestInset(t *testing.T) {
	t.Parallel()
	if got := (Rect{1, 2, 10, 4}).Inset(2, 3); got != (Rect{3, 3, 6, 2}) {
		t.Errorf("%v", got)
	}
}

// TestMerge: the largest areas are kept, and the rest is merged by the innermost level that leaves room for them.
func TestMerge(t *testing.T) {
	t.Parallel()
	if m := Merge([]float64{3, 2, 1}, [][]int{{0, 0, 1}}, 3); m.Kept != nil {
		t.Errorf("three of three areas: %v", m)
	}
	for _, tc := range []struct {
		values []float64
		groups [][]int
		limit  int
		want   Merged
	}{
		{[]float64{5, 4, 3, 2, 1}, nil, 4, Merged{[]bool{true, true, true, false, false}, 0}},
		{[]float64{5, 4, 3, 2, 1}, [][]int{{0, 0, 0, 1, 1}}, 4, Merged{[]bool{true, true, true, false, false}, 1}},
		{[]float64{5, 4, 3, 2, 1, 1}, [][]int{{0, 1, 0, 1, 0, 1}}, 5, Merged{[]bool{true, true, true, false, false, false}, 1}},
		{[]float64{6, 5, 4, 3, 2, 1}, [][]int{{0, 1, 2, 3, 4, 5}}, 4, Merged{[]bool{true, true, true, false, false, false}, 0}},
		{
			[]float64{6, 5, 4, 3, 2, 1},
			[][]int{{0, 0, 0, 1, 1, 1}, {0, 1, 2, 3, 4, 5}},
			4,
			Merged{[]bool{true, true, true, false, false, false}, 1},
		},
	} {
		if got := Merge(tc.values, tc.groups, tc.limit); !slices.Equal(got.Kept, tc.want.Kept) || got.Level != tc.want.Level {
			t.Errorf("Merge(%v, %v, %d) = %v, want %v", tc.values, tc.groups, tc.limit, got, tc.want)
		}
	}
}

// TestMergeFits: of random areas at most as many as the limit are drawn, and none that is merged is larger than one that is kept.
func TestMergeFits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		n, limit := 1+r.IntN(200), 1+r.IntN(60)
		values, outer, inner := make([]float64, n), make([]int, n), make([]int, n)
		groups, each := 1+r.IntN(40), 1+r.IntN(8)
		for i := range values {
			values[i] = float64(r.IntN(50))
			outer[i] = r.IntN(groups)
			inner[i] = outer[i]*each + r.IntN(each)
		}
		m := Merge(values, [][]int{outer, inner}, limit)
		if m.Kept == nil {
			if n > limit {
				t.Fatalf("%d areas of at most %d are all kept", n, limit)
			}
			continue
		}
		drawn := map[int]bool{}
		count, least, most := 0, math.Inf(1), math.Inf(-1)
		for i, kept := range m.Kept {
			if kept {
				count++
				least = min(least, values[i])
				continue
			}
			most = max(most, values[i])
			switch m.Level {
			case 2:
				drawn[inner[i]] = true
			case 1:
				drawn[outer[i]] = true
			default:
				drawn[0] = true
			}
		}
		if count+len(drawn) > limit || most > least || len(drawn) == 0 {
			t.Fatalf("of %d areas, at most %d: %d kept, %d merged areas, the least kept %v, the largest merged %v",
				n, limit, count, len(drawn), least, most)
		}
	}
}

func BenchmarkSquarify(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	values := make([]float64, 400)
	for i := range values {
		values[i] = math.Exp(r.NormFloat64() * 2)
	}
	for b.Loop() {
		Squarify(values, Rect{W: 800, H: 360})
	}
}
