package geo

import "math"

// degrees returns a ring of an atlas, each longitude as near to the previous one as possible, even beyond 180°.
func degrees(ring []vertex, units float64) []place {
	at := make([]place, 0, len(ring)+2)
	for i, v := range ring {
		p := place{float64(v.x) / units, float64(v.y) / units}
		if i > 0 {
			p.x = at[i-1].x + wrap(p.x-at[i-1].x)
		}
		at = append(at, p)
	}
	return at
}

// cutAt cuts a ring of degrees, given in units of an atlas, at the edge of a map around a meridian: 180° away from it
// on both sides. It returns the pieces, in degrees, with vertices along the edge, which is curved on the map. A ring
// around a pole is closed along the pole.
func cutAt(ring []vertex, units, meridian float64) [][]place {
	at := degrees(ring, units)
	if turns := at[len(at)-1].x - at[0].x; math.Abs(turns) > 180 {
		pole := math.Copysign(90, at[0].y)
		at = append(at, place{at[len(at)-1].x, pole}, place{at[0].x, pole})
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range at {
		lo, hi = min(lo, p.x), max(hi, p.x)
	}
	west, east := meridian-180, meridian+180
	var out [][]place
	for turn := math.Ceil((west - hi) / 360); west <= hi+turn*360 && lo+turn*360 <= east; turn++ {
		piece := make([]place, len(at))
		for i, p := range at {
			piece[i] = place{p.x + turn*360, p.y}
		}
		piece = clip(clip(piece, func(p place) float64 { return p.x - west }), func(p place) float64 { return east - p.x })
		if len(piece) > 2 {
			out = append(out, bent(piece))
		}
	}
	return out
}

// straight is the largest length of an edge, in degrees, that is drawn as a straight line. No projection shows all meridians and parallels
// as straight lines.
const straight = 2

// bent adds vertices on the long edges of a ring of degrees.
func bent(ring []place) []place {
	out := make([]place, 0, len(ring)+len(ring)/8)
	for i, p := range ring {
		out = append(out, p)
		next := ring[(i+1)%len(ring)]
		dx, dy := wrap(next.x-p.x), next.y-p.y // around a pole, the last vertex is the first after a full turn
		n := int(math.Hypot(dx*math.Cos((p.y+next.y)/2*radians), dy) / straight)
		for k := 1; k <= n; k++ {
			t := float64(k) / float64(n+1)
			out = append(out, place{p.x + dx*t, p.y + dy*t})
		}
	}
	return out
}

// clip returns the part of a ring on the side of a line where side, which is linear, is not negative. A ring that the line cuts several
// times stays one ring, with edges along the line (the algorithm of Sutherland and Hodgman).
func clip(ring []place, side func(place) float64) []place {
	if len(ring) == 0 {
		return nil
	}
	out := make([]place, 0, len(ring)+4)
	before := ring[len(ring)-1]
	was := side(before)
	for _, p := range ring {
		is := side(p)
		if is >= 0 != (was >= 0) {
			t := was / (was - is)
			out = append(out, place{before.x + (p.x-before.x)*t, before.y + (p.y-before.y)*t})
		}
		if is >= 0 {
			out = append(out, p)
		}
		before, was = p, is
	}
	return out
}

// clipTo returns the part of a ring in a rectangle.
func clipTo(ring []place, x1, y1, x2, y2 float64) []place {
	inside := true
	for _, p := range ring {
		inside = inside && p.x >= x1 && p.x <= x2 && p.y >= y1 && p.y <= y2
	}
	if inside {
		return ring
	}
	ring = clip(ring, func(p place) float64 { return p.x - x1 })
	ring = clip(ring, func(p place) float64 { return x2 - p.x })
	ring = clip(ring, func(p place) float64 { return p.y - y1 })
	return clip(ring, func(p place) float64 { return y2 - p.y })
}
