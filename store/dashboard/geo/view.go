package geo

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// A View is a part of the world, or the states of the US, on a map. It must not be changed.
type View struct {
	Aspect        Aspect
	Width, Height int     // of the map, in units: about two of them are a pixel
	Shapes        []Shape // by index of the area in its gazetteer

	states bool
	proj   projection
	scale  float64 // units to a radius of the globe
	left   float64 // of the map, in the projection
	top    float64
}

// A Shape is the visible part of an area on a view.
type Shape struct {
	Rings  [][]Point // fill them by the even-odd rule; the first is the largest
	Area   float64   // of the rings, in square units
	Middle Point     // of the first
}

// A Point is a position on a map, in units from its upper left. Rings that cross the edge of the map extend a little beyond it.
type Point struct{ X, Y int32 }

// An Aspect is the aspect ratio of a map. There are few, because a page has a style for each.
type Aspect uint8

// The aspects.
const (
	WorldAspect  Aspect = iota // the world without Antarctica
	GlobeAspect                // the world with Antarctica, and other maps of this ratio
	StatesAspect               // the states of the US
	BroadAspect
	TallAspect
)

// Ratios are the ratios of width to height of maps, by aspect.
var Ratios = [...]float64{WorldAspect: 2.3, GlobeAspect: 2.05, StatesAspect: 1.6, BroadAspect: 1.25, TallAspect: 0.9}

// sizes are the units of maps by aspect.
var sizes = [...]struct{ width, height int }{
	WorldAspect: {2000, 870}, GlobeAspect: {2000, 976}, StatesAspect: {1600, 1000}, BroadAspect: {1250, 1000}, TallAspect: {900, 1000},
}

// The smallest visible areas in square units: of the triangle that a vertex adds, and of a ring.
const (
	leastVertex = 1.6
	leastRing   = 2.5
)

// worldMeridian is the central meridian of the map of the world, chosen so that its edge runs through the Bering Strait and does not cut a
// mainland.
const worldMeridian = 11

func newView(a Aspect) *View { return &View{Aspect: a, Width: sizes[a].width, Height: sizes[a].height} }

// At returns the position of a point of the globe on a view, in fractions of its width and height from the upper left; ok is false if it is
// outside the view.
func (v *View) At(lat, lon float64) (x, y float64, ok bool) {
	if v.states {
		at, ok := albersUSA(lat, lon)
		x, y = at.x/statesWidth, at.y/statesHeight
		return x, y, ok && x >= 0 && x <= 1 && y >= 0 && y <= 1
	}
	if e, ok := v.proj.(equalEarth); ok {
		lon = e.meridian + wrap(lon-e.meridian)
	}
	at := v.proj.project(lat, lon)
	x, y = (at.x-v.left)*v.scale/float64(v.Width), (v.top-at.y)*v.scale/float64(v.Height)
	if a, ok := v.proj.(azimuthal); ok && a.away(lat, lon) > 100*radians {
		return x, y, false
	}
	return x, y, x >= 0 && x <= 1 && y >= 0 && y <= 1
}

// away returns the distance of a point from the centre, in radians.
func (p azimuthal) away(lat, lon float64) float64 {
	sin, cos := math.Sincos(lat * radians)
	return math.Acos(min(max(p.sin*sin+p.cos*cos*math.Cos((lon-p.lon)*radians), -1), 1))
}

// put adds a ring of places to a shape if it is visible, or if keep is set.
func (s *Shape) put(ring []place, keep bool) bool {
	points := make([]Point, 0, len(ring))
	area := 0.0
	lo, hi := Point{math.MaxInt32, math.MaxInt32}, Point{math.MinInt32, math.MinInt32}
	for _, p := range ring {
		q := Point{int32(math.Round(p.x)), int32(math.Round(p.y))}
		if n := len(points); n > 0 && points[n-1] == q {
			continue
		}
		points = append(points, q)
		lo, hi = Point{min(lo.X, q.X), min(lo.Y, q.Y)}, Point{max(hi.X, q.X), max(hi.Y, q.Y)}
	}
	if n := len(points); n > 1 && points[0] == points[n-1] {
		points = points[:n-1]
	}
	for i, p := range ring {
		next := ring[(i+1)%len(ring)]
		area += p.x*next.y - next.x*p.y
	}
	area = math.Abs(area) / 2
	if len(ring) < 3 || !keep && (len(points) < 3 || area < leastRing) {
		return false
	}
	if len(points) < 3 { // a visible shape, however small
		p := points[0]
		points = []Point{p, {p.X + 1, p.Y}, {p.X + 1, p.Y + 1}, {p.X, p.Y + 1}}
	}
	s.Area += area
	s.Rings = append(s.Rings, points)
	if size := boxOf(points); len(s.Rings) == 1 || size > boxOf(s.Rings[0]) {
		last := len(s.Rings) - 1
		s.Rings[0], s.Rings[last] = s.Rings[last], s.Rings[0]
		s.Middle = Point{(lo.X + hi.X) / 2, (lo.Y + hi.Y) / 2}
	}
	return true
}

// boxOf returns the area of the box around points.
func boxOf(points []Point) int64 {
	lo, hi := points[0], points[0]
	for _, p := range points {
		lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
	}
	return int64(hi.X-lo.X) * int64(hi.Y-lo.Y)
}

// build puts all areas on the view. rings converts a ring of the atlas to rings in units of the view.
func (v *View) build(a *atlas, detail uint8, sees func(area, poly int) bool, rings func([]vertex) [][]place) {
	v.Shapes = make([]Shape, len(a.polys))
	var buffer []vertex
	for i, polys := range a.polys {
		largest := a.largest[i]
		for p, poly := range polys {
			if !sees(i, p) {
				continue
			}
			for k, ring := range poly {
				keep := p == largest && k == 0
				for least := detail; ; least -= 2 {
					buffer = a.ring(buffer[:0], ring, least)
					found := false
					if len(buffer) > 3 && !polar(buffer, a.units) {
						for _, piece := range rings(buffer) {
							found = v.Shapes[i].put(piece, keep && len(v.Shapes[i].Rings) == 0) || found
						}
					}
					if found || !keep || least < 2 {
						break
					}
				}
			}
		}
	}
}

// polar reports whether a ring is the pole itself: the outer ring of Antarctica, whose inner ring is the coast.
func polar(ring []vertex, units float64) bool {
	return !slices.ContainsFunc(ring, func(v vertex) bool { return float64(v.y) > -89.9*units })
}

// size returns the approximate area of a ring, in square units of the atlas.
func (a *atlas) size(ring []int) float64 {
	vs := a.ring(nil, ring, level(1))
	sum := 0.0
	for i, v := range vs {
		next := vs[(i+1)%len(vs)]
		scale := 1.0
		if a.units > 100 { // degrees
			scale = math.Cos(float64(v.y) / a.units * radians)
		}
		sum += scale * (float64(v.x)*float64(next.y) - float64(next.x)*float64(v.y))
	}
	return math.Abs(sum)
}

// The size of the map of the states in its file.
const statesWidth, statesHeight = 975, 610

var statesView = sync.OnceValue(func() *View {
	a := us()
	v := newView(StatesAspect)
	v.states = true
	sx, sy := float64(v.Width)/statesWidth/a.units, float64(v.Height)/statesHeight/a.units
	detail := level(leastVertex / (float64(v.Width) / statesWidth * float64(v.Height) / statesHeight))
	v.build(a, detail, func(int, int) bool { return true }, func(ring []vertex) [][]place {
		out := make([]place, len(ring))
		for i, p := range ring {
			out[i] = place{float64(p.x) * sx, float64(p.y) * sy}
		}
		return [][]place{out}
	})
	return v
})

// worldView returns a function that makes the map of the world.
func worldView(aspect Aspect) func() *View {
	return sync.OnceValue(func() *View {
		a := world()
		p := equalEarth{worldMeridian}
		v := newView(aspect)
		v.proj = p
		v.left = p.project(0, worldMeridian-180).x
		v.scale = float64(v.Width) / (2 * -v.left)
		v.top = p.project(84, 0).y
		if aspect == GlobeAspect {
			v.top = p.project(90, 0).y
		}
		v.build(a, level(leastVertex*kilometres2/(v.scale*v.scale)), func(area, _ int) bool {
			return aspect == GlobeAspect || Countries().Areas[area].Code != "AQ"
		}, func(ring []vertex) [][]place {
			pieces := cutAt(ring, a.units, worldMeridian)
			for _, piece := range pieces {
				for i, at := range piece {
					piece[i] = v.units(p.project(at.y, at.x))
				}
			}
			return pieces
		})
		return v
	})
}

// kilometres2 are the square kilometres of a square of the globe's radius.
const kilometres2 = 6371 * 6371

// units converts a place of the projection to units of the view.
func (v *View) units(at place) place {
	return place{(at.x - v.left) * v.scale, (v.top - at.y) * v.scale}
}

// around makes a view of a rectangle of an azimuthal projection, widened to an aspect.
func around(p azimuthal, lo, hi place) *View {
	w, h := hi.x-lo.x, hi.y-lo.y
	aspect := slices.MinFunc([]Aspect{GlobeAspect, StatesAspect, BroadAspect, TallAspect}, func(a, b Aspect) int {
		return cmp.Compare(math.Abs(math.Log(w/h/Ratios[a])), math.Abs(math.Log(w/h/Ratios[b])))
	})
	v := newView(aspect)
	v.proj = p
	v.scale = min(float64(v.Width)/w, float64(v.Height)/h)
	v.left = (lo.x+hi.x)/2 - float64(v.Width)/2/v.scale
	v.top = (lo.y+hi.y)/2 + float64(v.Height)/2/v.scale
	reach := 0.0 // of the corners from the middle, in radians
	for _, corner := range [...]place{
		{v.left, v.top},
		{v.left + float64(v.Width)/v.scale, v.top},
		{v.left, v.top - float64(v.Height)/v.scale},
		{v.left + float64(v.Width)/v.scale, v.top - float64(v.Height)/v.scale},
	} {
		reach = max(reach, 2*math.Asin(min(math.Hypot(corner.x, corner.y)/2, 1)))
	}
	a, all := world(), caps()
	beyond := 0.01 * float64(v.Width) // so that cut edges are invisible
	v.build(a, level(leastVertex*kilometres2/(v.scale*v.scale)), func(area, poly int) bool {
		c := all[area][poly]
		return p.away(c.lat, c.lon) < reach+c.reach
	}, func(ring []vertex) [][]place {
		out := bent(degrees(ring, a.units))
		for i, q := range out {
			out[i] = v.units(p.project(q.y, q.x))
		}
		return [][]place{clipTo(out, -beyond, -beyond, float64(v.Width)+beyond, float64(v.Height)+beyond)}
	})
	return v
}

// A disc is a circle on the globe with a polygon in it.
type disc struct{ lat, lon, reach float64 } // degrees, and radians

// caps returns the discs of all polygons of the world.
var caps = sync.OnceValue(func() [][]disc {
	a := world()
	out := make([][]disc, len(a.polys))
	var buffer []vertex
	for i, polys := range a.polys {
		for _, poly := range polys {
			buffer = buffer[:0]
			for _, ring := range poly {
				buffer = a.ring(buffer, ring, level(1))
			}
			points := make([][2]float64, len(buffer))
			for k, v := range buffer {
				points[k] = [2]float64{float64(v.y) / a.units, float64(v.x) / a.units}
			}
			out[i] = append(out[i], discOf(points))
		}
	}
	return out
})

// discOf returns a circle around points, given as latitudes and longitudes.
func discOf(points [][2]float64) disc {
	var x, y, z float64
	for _, p := range points {
		sin, cos := math.Sincos(p[0] * radians)
		sinl, cosl := math.Sincos(p[1] * radians)
		x, y, z = x+cos*cosl, y+cos*sinl, z+sin
	}
	d := disc{lat: math.Atan2(z, math.Hypot(x, y)) / radians, lon: math.Atan2(y, x) / radians}
	p := newAzimuthal(d.lat, d.lon)
	for _, q := range points {
		d.reach = max(d.reach, p.away(q[0], q[1]))
	}
	return d
}
