package scene

import (
	"math"
	"slices"
)

// A polyline is a line of straight segments.
type polyline struct {
	points []Point
	closed bool
}

// flatten converts a path, scaled by scale, to straight segments. They differ from the curves by at most a tenth of a pixel.
func (p *Path) flatten(scale float64, to func(Point) Point) []polyline {
	var out []polyline
	var now polyline
	end := func() {
		if len(now.points) > 0 {
			out = append(out, now)
		}
		now = polyline{}
	}
	i := 0
	take := func() Point {
		q := p.points[i]
		i++
		if to != nil {
			return to(q)
		}
		return Point{q.X * scale, q.Y * scale}
	}
	for _, op := range p.ops {
		switch op {
		case 'm':
			end()
			now.points = append(now.points, take())
		case 'l':
			now.points = append(now.points, take())
		case 'c':
			from := now.points[len(now.points)-1]
			a, b, c := take(), take(), take()
			d := math.Abs(from.X-2*a.X+b.X) + math.Abs(from.Y-2*a.Y+b.Y) + math.Abs(a.X-2*b.X+c.X) + math.Abs(a.Y-2*b.Y+c.Y)
			steps := min(max(int(math.Ceil(math.Sqrt(d*2))), 1), 64)
			for k := 1; k <= steps; k++ {
				t := float64(k) / float64(steps)
				u := 1 - t
				w0, w1, w2, w3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
				now.points = append(now.points, Point{
					w0*from.X + w1*a.X + w2*b.X + w3*c.X, w0*from.Y + w1*a.Y + w2*b.Y + w3*c.Y,
				})
			}
		case 'z':
			now.closed = true
			first := now.points[0]
			end()
			now.points = append(now.points, first) // if a path continues without a new MoveTo
			if i < len(p.points) {
				continue
			}
			now = polyline{}
		}
	}
	if len(now.points) > 1 {
		end()
	}
	return out
}

// maxDashes is the largest number of dashes of a line: no picture is large enough to show more.
const maxDashes = 50_000

// dashed cuts a line into dashes. A line of more than maxDashes dashes is not cut.
func (l polyline) dashed(dash []float64) []polyline {
	sum := 0.0
	for _, d := range dash {
		sum += d
	}
	points := l.points
	if l.closed {
		points = append(points[:len(points):len(points)], points[0])
	}
	all := 0.0
	for i := 1; i < len(points); i++ {
		all += math.Hypot(points[i].X-points[i-1].X, points[i].Y-points[i-1].Y)
	}
	if !(sum > 0 && all/sum*float64(len(dash)) < maxDashes) {
		return []polyline{l}
	}
	var out []polyline
	now := polyline{points: []Point{points[0]}}
	at, left, drawn := 0, dash[0], true
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		length := math.Hypot(to.X-from.X, to.Y-from.Y)
		for done := 0.0; done < length; {
			step := min(left, length-done)
			done += step
			left -= step
			p := Point{from.X + (to.X-from.X)*done/length, from.Y + (to.Y-from.Y)*done/length}
			if drawn {
				now.points = append(now.points, p)
			}
			if left > 1e-9 {
				continue
			}
			if drawn {
				out = append(out, now)
			}
			at = (at + 1) % len(dash)
			left, drawn = max(dash[at], 1e-3), !drawn
			now = polyline{points: []Point{p}}
		}
	}
	if drawn && len(now.points) > 1 {
		out = append(out, now)
	}
	return out
}

// outline calls poly with the polygons that make up a line of a width. All have the same orientation, so that overlaps are not holes.
func (l polyline) outline(width float64, rounded bool, poly func([]Point)) {
	half := width / 2
	points := l.points
	if l.closed && len(points) > 1 {
		points = append(points[:len(points):len(points)], points[0])
	}
	if len(points) == 1 {
		if rounded {
			dot(points[0], half, poly)
		}
		return
	}
	var quad [4]Point
	var px, py float64 // the previous direction
	drawn := false
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		dx, dy := b.X-a.X, b.Y-a.Y
		length := math.Hypot(dx, dy)
		if length < 1e-9 {
			continue
		}
		dx, dy = dx/length, dy/length
		nx, ny := -dy*half, dx*half
		quad = [4]Point{{a.X + nx, a.Y + ny}, {a.X - nx, a.Y - ny}, {b.X - nx, b.Y - ny}, {b.X + nx, b.Y + ny}}
		poly(quad[:])
		switch {
		case !drawn && !l.closed && rounded:
			dot(a, half, poly)
		case drawn && (px*dx+py*dy < 0 || math.Abs(px*dy-py*dx)*half > 0.1): // a corner that leaves a gap
			if rounded || px*dx+py*dy < -0.5 {
				dot(a, half, poly)
			} else {
				miter(a, Point{px, py}, Point{dx, dy}, half, poly)
			}
		}
		px, py, drawn = dx, dy, true
	}
	last := points[len(points)-1]
	switch {
	case !drawn && rounded:
		dot(points[0], half, poly)
	case drawn && l.closed:
		dot(last, half, poly)
	case drawn && rounded:
		dot(last, half, poly)
	}
}

// miter fills the gap at a corner between two directions.
func miter(at, in, out Point, half float64, poly func([]Point)) {
	turn := in.X*out.Y - in.Y*out.X
	side := 1.0
	if turn > 0 {
		side = -1
	}
	a := Point{at.X - in.Y*half*side, at.Y + in.X*half*side}
	b := Point{at.X - out.Y*half*side, at.Y + out.X*half*side}
	mx, my := a.X+b.X-2*at.X, a.Y+b.Y-2*at.Y
	length := math.Hypot(mx, my)
	if length < 1e-9 {
		return
	}
	reach := half * half * 2 / length
	tip := Point{at.X + mx/length*reach, at.Y + my/length*reach}
	corner := []Point{at, a, tip, b}
	if area(corner) < 0 {
		slices.Reverse(corner)
	}
	poly(corner)
}

// dot adds a disc with the same orientation as the polygons of a line.
func dot(at Point, radius float64, poly func([]Point)) {
	n := min(max(int(radius*3)+4, 6), 40)
	points := make([]Point, n)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		points[i] = Point{at.X + cos*radius, at.Y + sin*radius}
	}
	poly(points)
}

// cut returns the part of a polygon inside a rectangle.
func cut(points []Point, r Rect, spare *[2][]Point) []Point {
	sides := [...]func(Point) float64{
		func(p Point) float64 { return p.X - r.X },
		func(p Point) float64 { return r.X + r.W - p.X },
		func(p Point) float64 { return p.Y - r.Y },
		func(p Point) float64 { return r.Y + r.H - p.Y },
	}
	for i, in := range sides {
		out := spare[i%2][:0]
		for k, b := range points {
			a := points[(k+len(points)-1)%len(points)]
			da, db := in(a), in(b)
			if (da < 0) != (db < 0) {
				t := da / (da - db)
				out = append(out, Point{a.X + (b.X-a.X)*t, a.Y + (b.Y-a.Y)*t})
			}
			if db >= 0 {
				out = append(out, b)
			}
		}
		spare[i%2] = out
		points = out
	}
	return points
}
