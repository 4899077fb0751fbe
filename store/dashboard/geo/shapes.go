package geo

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"io"
	"math"
	"sync"
)

//go:embed world.bin
var worldBin []byte

//go:embed us.bin
var usBin []byte

// An atlas has the outlines of areas. Neighbours share one arc along their border, so that it stays one line at any level of detail.
type atlas struct {
	units  float64 // of the vertices, to a degree or to a pixel of the states
	arcs   [][]vertex
	levels [][]uint8   // of the vertices: see [atlas.level]
	polys  [][][][]int // by index of the area in its gazetteer: polygons of rings of arcs; ^n is arc n backwards

	largest []int // by area: the index of its largest polygon
}

type vertex struct{ x, y int32 }

// leastArea is the area that a vertex of level 1 adds to its shape, in square kilometres or square pixels of the states; it doubles with
// each level. The ends of arcs have level 31.
const leastArea = 0.01

// level returns the lowest level of the vertices that a shape needs if smaller areas than area are invisible.
func level(area float64) uint8 {
	return uint8(min(max(math.Ceil(math.Log2(area/leastArea))+1, 0), 31))
}

var (
	world = sync.OnceValue(func() *atlas { return decode(worldBin, Countries(), 400) })
	us    = sync.OnceValue(func() *atlas { return decode(usBin, States(), 8) })
)

// decode reads what generate.go wrote: the arcs with differences of their vertices, the levels of all vertices, and
// for each area its code and its polygons.
func decode(data []byte, g *Gazetteer, units float64) *atlas {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	if err != nil {
		panic(err) // it is part of the program
	}
	r := &reader{raw}
	a := &atlas{units: units, arcs: make([][]vertex, r.count()), polys: make([][][][]int, len(g.Areas))}
	total := 0
	for i := range a.arcs {
		arc := make([]vertex, r.count())
		var at vertex
		for j := range arc {
			at.x += int32(r.signed())
			at.y += int32(r.signed())
			arc[j] = at
		}
		a.arcs[i] = arc
		total += len(arc)
	}
	levels := r.take(total)
	for _, arc := range a.arcs {
		a.levels = append(a.levels, levels[:len(arc):len(arc)])
		levels = levels[len(arc):]
	}
	byCode := map[string]int{}
	for i := range g.Areas {
		byCode[g.Areas[i].Code] = i
	}
	for range r.count() {
		i, ok := byCode[string(r.take(r.count()))]
		if !ok {
			panic("geo: an outline of no area")
		}
		polys := make([][][]int, r.count())
		for p := range polys {
			polys[p] = make([][]int, r.count())
			for k := range polys[p] {
				ring := make([]int, r.count())
				for n := range ring {
					ring[n] = int(r.signed())
				}
				polys[p][k] = ring
			}
		}
		a.polys[i] = polys
	}
	a.largest = make([]int, len(a.polys))
	for i, polys := range a.polys {
		most := -1.0
		for p, poly := range polys {
			for _, ring := range poly { // the outer ring of Antarctica is the pole
				if size := a.size(ring); size > most {
					a.largest[i], most = p, size
				}
			}
		}
	}
	return a
}

// A reader reads numbers and bytes from the front. Its data is part of the program, so it is not checked.
type reader struct{ b []byte }

func (r *reader) count() int {
	v, n := binary.Uvarint(r.b)
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.b)
	r.b = r.b[n:]
	return v
}

func (r *reader) take(n int) []byte {
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// ring appends the vertices of a ring of at least a level. The last vertex equals the first.
func (a *atlas) ring(out []vertex, arcs []int, least uint8) []vertex {
	for _, n := range arcs {
		arc, back := n, false
		if n < 0 {
			arc, back = ^n, true
		}
		vs, levels := a.arcs[arc], a.levels[arc]
		for i := range vs {
			if back {
				i = len(vs) - 1 - i
			}
			if levels[i] < least || len(out) > 0 && out[len(out)-1] == vs[i] {
				continue
			}
			out = append(out, vs[i])
		}
	}
	return out
}
