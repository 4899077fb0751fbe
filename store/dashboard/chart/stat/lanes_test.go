package stat

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLanes: spans that touch share a lane, spans that overlap do not, and moments at one place are apart.
func TestLanes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spans []Span
		want  []int
	}{
		"none":         {nil, nil},
		"one":          {[]Span{{1, 2}}, []int{0}},
		"touching":     {[]Span{{2, 3}, {1, 2}, {3, 4}}, []int{0, 0, 0}},
		"overlapping":  {[]Span{{1, 3}, {2, 4}, {3, 5}}, []int{0, 1, 0}},
		"nested":       {[]Span{{2, 3}, {1, 9}, {4, 5}}, []int{1, 0, 1}},
		"long first":   {[]Span{{1, 2}, {1, 9}}, []int{1, 0}},
		"moments":      {[]Span{{1, 1}, {1, 1}, {1, 1}}, []int{0, 1, 2}},
		"moment after": {[]Span{{1, 2}, {2, 2}, {2, 3}}, []int{0, 1, 0}},
	} {
		lane, lanes := Lanes(tc.spans)
		most := 0
		for _, l := range tc.want {
			most = max(most, l+1)
		}
		if !slices.Equal(lane, tc.want) || lanes != most {
			t.Errorf("%s: %v on %d lanes, want %v on %d", name, lane, lanes, tc.want, most)
		}
	}
}

// TestLanesAreFewAndFree: of random spans, those of a lane never overlap, and there are as many lanes as spans at the busiest place.
func TestLanesAreFewAndFree(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 32))
	for range 500 {
		spans := make([]Span, r.IntN(60))
		for i := range spans {
			from := float64(r.IntN(40))
			spans[i] = Span{from, from + float64(r.IntN(12))}
		}
		given := slices.Clone(spans)
		lane, lanes := Lanes(spans)
		if !slices.Equal(spans, given) {
			t.Fatal("the spans were changed")
		}
		if again, _ := Lanes(spans); !slices.Equal(again, lane) {
			t.Fatal("the same spans are on other lanes")
		}
		overlap := func(a, b Span) bool { return a.From == b.From || a.From < b.To && b.From < a.To }
		busiest := 0
		for i, s := range spans {
			if lane[i] < 0 || lane[i] >= lanes {
				t.Fatalf("lane %d of %d", lane[i], lanes)
			}
			at := 0 // spans that are there when this one begins
			for k, o := range spans {
				if o.From == s.From || o.From < s.From && s.From < o.To {
					at++
				}
				if k < i && lane[k] == lane[i] && overlap(s, o) {
					t.Fatalf("%v and %v are on lane %d", s, o, lane[i])
				}
			}
			busiest = max(busiest, at)
		}
		if lanes != busiest {
			t.Fatalf("%d lanes of %v, want %d", lanes, spans, busiest)
		}
	}
}

func BenchmarkLanes(b *testing.B) {
	r := rand.New(rand.NewPCG(33, 34))
	spans := make([]Span, 2000)
	for i := range spans {
		from := r.Float64()
		spans[i] = Span{from, from + r.Float64()/100}
	}
	for b.Loop() {
		Lanes(spans)
	}
}
