package geo

import "math"

// A place is a point in a projection, in radii of the globe with y to the north or, for the states, in pixels with y to the south.
type place struct{ x, y float64 }

const radians = math.Pi / 180

// A projection maps degrees to a plane.
type projection interface {
	project(lat, lon float64) place
}

// equalEarth is the projection of Šavrič, Patterson and Jenny (2018), around a meridian.
type equalEarth struct{ meridian float64 }

func (p equalEarth) project(lat, lon float64) place {
	const a1, a2, a3, a4 = 1.340264, -0.081106, 0.000893, 0.003796
	t := math.Asin(math.Sqrt(3) / 2 * math.Sin(lat*radians))
	t2 := t * t
	t6 := t2 * t2 * t2
	return place{
		x: 2 * math.Sqrt(3) * (lon - p.meridian) * radians * math.Cos(t) / (3 * (9*a4*t6*t2 + 7*a3*t6 + 3*a2*t2 + a1)),
		y: t * (a4*t6*t2 + a3*t6 + a2*t2 + a1),
	}
}

// azimuthal is Lambert's azimuthal equal-area projection around a point. It has no edge: points beyond 180° of longitude are mapped
// correctly, too.
type azimuthal struct{ lat, lon, sin, cos float64 }

func newAzimuthal(lat, lon float64) azimuthal {
	return azimuthal{lat, lon, math.Sin(lat * radians), math.Cos(lat * radians)}
}

func (p azimuthal) project(lat, lon float64) place {
	sin, cos := math.Sincos(lat * radians)
	sinl, cosl := math.Sincos((lon - p.lon) * radians)
	k := math.Sqrt(2 / max(1+p.sin*sin+p.cos*cos*cosl, 1e-9))
	return place{k * cos * sinl, k * (p.cos*sin - p.sin*cos*cosl)}
}

// invert returns the degrees of a place.
func (p azimuthal) invert(at place) (lat, lon float64) {
	r := math.Hypot(at.x, at.y)
	if r == 0 {
		return p.lat, p.lon
	}
	sin, cos := math.Sincos(2 * math.Asin(min(r/2, 1)))
	lat = math.Asin(cos*p.sin+at.y*sin*p.cos/r) / radians
	lon = p.lon + math.Atan2(at.x*sin, r*p.cos*cos-at.y*p.sin*sin)/radians
	return lat, wrap(lon)
}

// wrap normalizes a longitude to -180 to 180.
func wrap(lon float64) float64 { return lon - 360*math.Floor((lon+180)/360) }

// conic is Albers' equal-area projection, as a piece of the map of the states.
type conic struct {
	n, c, r0 float64
	meridian float64
	scale    float64
	x, y     float64 // of the meridian's crossing with the parallel of the centre
	offset   place
}

// newConic returns a piece of the map from the meridian, the two standard parallels, the centre in degrees of the rotated globe, the scale,
// and the position of the centre.
func newConic(meridian, south, north, cx, cy, scale, x, y float64) conic {
	s0, s1 := math.Sin(south*radians), math.Sin(north*radians)
	p := conic{n: (s0 + s1) / 2, meridian: meridian, scale: scale, x: x, y: y}
	p.c = 1 + s0*(2*p.n-s0)
	p.r0 = math.Sqrt(p.c) / p.n
	p.offset = p.raw(cy, cx)
	return p
}

func (p conic) raw(lat, lon float64) place {
	r := math.Sqrt(p.c-2*p.n*math.Sin(lat*radians)) / p.n
	sin, cos := math.Sincos(lon * radians * p.n)
	return place{r * sin, p.r0 - r*cos}
}

func (p conic) project(lat, lon float64) place {
	at := p.raw(lat, wrap(lon-p.meridian))
	return place{p.x + p.scale*(at.x-p.offset.x), p.y - p.scale*(at.y-p.offset.y)}
}

// The map of the states is 975 by 610 pixels: Alaska, at 35 % of the others' scale, and Hawaii are at the lower left.
var (
	lower48 = newConic(-96, 29.5, 45.5, -0.6, 38.7, 1300, 487.5, 305)
	alaska  = newConic(-154, 55, 65, -2, 58.5, 0.35*1300, 487.5-0.307*1300, 305+0.201*1300)
	hawaii  = newConic(-157, 8, 18, -3, 19.9, 1300, 487.5-0.205*1300, 305+0.212*1300)
)

// albersUSA projects a point of the US; ok is false for a point outside the map of the states.
func albersUSA(lat, lon float64) (at place, ok bool) {
	switch {
	case lat >= 51 && lat <= 72 && (lon <= -129.5 || lon >= 172):
		return alaska.project(lat, lon), true
	case lat >= 18.5 && lat <= 23 && lon >= -161 && lon <= -154:
		return hawaii.project(lat, lon), true
	case lat >= 24 && lat <= 50 && lon >= -125.5 && lon <= -66:
		return lower48.project(lat, lon), true
	}
	return place{}, false
}
