package panel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/geo"
)

// mapPoints is the maximum number of drawn points of a map.
const mapPoints = 2000

// Radii in pixels of points without a size.
const (
	plainSpot = 4.5
	smallSpot = 3.5 // if there are many
	someSpots = 60
	manySpots = 300

	phoneSpots = 0.65 // the radius of points on a phone as a fraction of their radius elsewhere, as in the style
)

// A pointsPanel draws circles on a map.
type pointsPanel struct {
	*Panel
	view   *geo.View
	spots  []mapSpot // the drawn ones, the largest first
	legend []seriesOf
	size   *dashboard.Column // nil for none
	value  *dashboard.Column // measure of the colours; nil for none
	domain domain            // of value
	tones  *toner
}

// A mapSpot is one point of a map.
type mapSpot struct {
	spot                  // x and y in fractions of the map
	lat, lon float64      // degrees
	rows     int          // number of rows at the point
	text     string       // the size
	value    float64      // of the colour; NaN for none
	said     string       // the value
	toned    canvas.Color // of its tone; 0 for none
}

// summarisePoints computes a point for each place, of each series and of each label.
func summarisePoints(p *Panel) Content {
	spec, d := p.Spec, p.Data
	m := &pointsPanel{Panel: p}
	q := encode.Query{}
	for _, name := range [...]string{spec.Label, spec.Series, spec.Lat, spec.Lon} {
		if name == "" {
			continue
		}
		p.col(name)
		if dimOf(q.By, name) < 0 {
			q.By = append(q.By, encode.Channel{Column: name, Key: "label"})
		}
	}
	if spec.Size != "" {
		m.size = p.col(spec.Size)
		q.Measures = []cube.Measure{d.Measure(m.size)}
	}
	if spec.Value != "" {
		m.value = p.col(spec.Value)
		q.Measures = append(q.Measures, d.Measure(m.value))
		m.tones = p.toner()
		q.Measures = append(q.Measures, m.tones.measures()...)
	}
	// Rows at one place are separate points.
	q.Each = spec.Label == "" && slices.ContainsFunc(q.Measures, func(m cube.Measure) bool { return !encode.Additive(m) })
	if p.Problem != "" {
		return nil
	}
	series := dimOf(q.By, spec.Series)
	if spec.Series != "" {
		q.By[series].Key = "series"
		q.By[series].Keep.Names = encode.Top{
			Most: canvas.MaxSeries, Rank: encode.MostRows,
			Advice: "they have most rows; the sql can group the others",
		}
	}
	t := p.run(q)
	if t == nil {
		return nil
	}
	var place []int
	if m.legend = []seriesOf{{color: p.Env.measureColors(cmp.Or(spec.Size, spec.Lat))[0]}}; spec.Series != "" {
		m.legend, place = m.legendOf(t, series)
	}
	m.read(t.Groups, q.By, dimOf(q.By, spec.Lat), dimOf(q.By, spec.Lon), series, place)
	m.paint()
	if len(m.spots) > 0 {
		m.choose()
		m.locate()
	}
	if len(m.spots) == 0 {
		if p.Empty = p.Env.missing(); len(p.Notes) > 0 {
			p.Empty, p.Notes = strings.Join(p.Notes, " "), nil
		}
		return nil
	}
	p.Summary = m.sentence() + m.tones.says()
	m.cut()
	if m.size != nil {
		p.report(encode.Noted("The area of the circles is %s, at most %s.", encode.Inline(m.size.Label), m.spots[0].text))
	}
	if m.value != nil {
		p.report(encode.Noted("Colors show %s.", encode.Inline(m.value.Label)))
	}
	p.report(encode.Noted("Map: %s.", sourceOf(spec.Region)))
	return m
}

// dimOf returns the index of a column among channels; -1 for none.
func dimOf(by []encode.Channel, column string) int {
	return slices.IndexFunc(by, func(c encode.Channel) bool { return c.Column == column })
}

// read fills in the points with valid coordinates, and the grid.
func (p *pointsPanel) read(g *cube.Groups, by []encode.Channel, lat, lon, series int, place []int) {
	p.Grid = &Grid{}
	shown := make([]int, 0, len(by)) // dimensions
	for i, d := range by {
		col := *p.Data.Column(d.Column)
		if (i == lat || i == lon) && col.Role == dashboard.Measure { // the column is not added up
			col.Agg, col.Ratio = dashboard.None, [2]string{}
		}
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: col})
		shown = append(shown, i)
	}
	many := false
	for i := range g.Len() {
		many = many || p.size == nil && p.value == nil && g.Rows(i) > 1
	}
	switch {
	case p.size != nil:
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *p.size})
	case many:
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: dashboard.Column{
			Column: cube.Column{Type: cube.Integer}, Label: p.Env.Text("Rows"), Role: dashboard.Measure,
		}})
	}
	if p.value != nil {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *p.value})
	}
	left, small := 0, 0
	p.spots, p.Grid.Rows = make([]mapSpot, 0, g.Len()), make([][]any, 0, g.Len())
	for i := range g.Len() {
		s := mapSpot{spot: spot{color: p.legend[0].color, size: math.NaN()}, rows: g.Rows(i), value: math.NaN()}
		a, okA := cube.Float(g.Category(i, lat).Value)
		o, okO := cube.Float(g.Category(i, lon).Value)
		if !okA || !okO || !dashboard.OnGlobe(a, o) {
			left += s.rows
			continue
		}
		s.lat, s.lon = a, o
		row := make([]any, 0, len(p.Grid.Columns))
		for _, d := range shown {
			if d == lat || d == lon {
				row = append(row, g.Category(i, d).Value)
			} else {
				row = append(row, g.Category(i, d))
			}
		}
		switch {
		case p.size != nil:
			v, ok := g.Value(i, 0)
			if !ok || v < 0 {
				small++
				continue
			}
			s.size, s.text = v, p.Env.Cell(*p.size, cube.Exact, g.Exact(i, 0))
			row = append(row, g.Exact(i, 0))
		case many:
			row = append(row, int64(s.rows))
		}
		if p.value != nil {
			at := 0
			if p.size != nil {
				at = 1
			}
			if v, ok := g.Value(i, at); ok {
				s.value = v
				s.toned = p.tones.color(v, p.tones.limits(g, i, at+1), p.Spec.Value, 0)
			}
			s.said = p.Env.Cell(*p.value, cube.Exact, g.Exact(i, at))
			row = append(row, g.Exact(i, at))
		}
		if p.Spec.Label != "" {
			s.name = p.Env.Cell(p.Grid.Columns[0].Column, cube.Exact, g.Category(i, 0))
		}
		if place != nil {
			s.series = place[g.At(i, series)]
			s.color = p.legend[s.series].color
		}
		p.spots = append(p.spots, s)
		p.Grid.Rows = append(p.Grid.Rows, row)
	}
	if p.size != nil { // the largest first, in the table as well
		order := stat.Indices(len(p.spots))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.spots[b].size, p.spots[a].size) })
		p.spots, p.Grid.Rows = encode.Picked(p.spots, order), encode.Picked(p.Grid.Rows, order)
	}
	for i := range p.spots {
		p.spots[i].row = i
	}
	p.sayLeft(left, small)
}

// paint sets the colours of points by their values. Those without a value are gray.
func (p *pointsPanel) paint() {
	if p.value == nil {
		return
	}
	var values []float64
	for _, s := range p.spots {
		if !math.IsNaN(s.value) {
			values = append(values, s.value)
		}
	}
	p.domain = p.Panel.Env.domain(p.value, p.Spec.Ramp, values)
	if p.keepsDomain(p.Data.Measure(p.value)) {
		if all, ok := p.unfiltered(cube.Exact).(*pointsPanel); ok {
			p.domain = all.domain.kept(values)
		}
	}
	for i := range p.spots {
		p.spots[i].color = canvas.OtherColor
		if v := p.spots[i].value; !math.IsNaN(v) {
			p.spots[i].color = cmp.Or(p.spots[i].toned, p.domain.color(v))
		}
	}
	if len(values) < len(p.spots) {
		p.report(encode.Noted("Gray: no data."))
	}
	p.sayRamp(&p.domain, p.Spec.Ramp, "ramp")
}

func (p *pointsPanel) sayLeft(left, small int) {
	if left > 0 {
		p.report(encode.NotedCount(left, "%d row without a place on the globe left out.", "%d rows without a place on the globe left out.").
			Warned(dashboard.WarnLeftOut, "lat",
				`%d {row has|rows have} no "%s" from -90 to 90 and "%s" from -180 to 180, and {is|are} left out; the sql can leave {it|them} out.`,
				left, p.Spec.Lat, p.Spec.Lon))
	}
	if small > 0 {
		p.report(encode.NotedCount(small, "%d point without a value left out.", "%d points without a value left out.").
			Warned(dashboard.WarnLeftOut, "size",
				"%d {point has|points have} no size or one below zero, and {is|are} left out; the sql can leave such rows out, or "+
					"COALESCE them.", small))
	}
}

// choose sets the region of the map: that of the spec, or the one that contains all rows, regardless of filters.
func (p *pointsPanel) choose() {
	var all [][2]float64
	if p.Spec.Region == "" && len(p.Data.Rows) < len(p.Data.EveryRow()) {
		g := p.Data.Group(p.Data.EveryRow(), cube.Query{By: []cube.Dim{{Column: p.Spec.Lat}, {Column: p.Spec.Lon}}})
		for i := range g.Len() {
			a, okA := cube.Float(g.Category(i, 0).Value)
			o, okO := cube.Float(g.Category(i, 1).Value)
			if okA && okO && dashboard.OnGlobe(a, o) {
				all = append(all, [2]float64{a, o})
			}
		}
	} else {
		for _, s := range p.spots {
			all = append(all, [2]float64{s.lat, s.lon})
		}
	}
	if p.Spec.Region == "" {
		p.view = geo.Around(all)
		return
	}
	south := slices.ContainsFunc(all, func(p [2]float64) bool { return p[0] < -56 })
	p.view = geo.ViewOf(p.Spec.Region, south)
}

// locate puts the points on the map, and counts those outside of it.
func (p *pointsPanel) locate() {
	all := len(p.spots)
	p.spots = slices.DeleteFunc(p.spots, func(s mapSpot) bool {
		_, _, ok := p.view.At(s.lat, s.lon)
		return !ok
	})
	for i := range p.spots {
		s := &p.spots[i]
		s.x, s.y, _ = p.view.At(s.lat, s.lon)
	}
	if n := all - len(p.spots); n > 0 {
		p.report(encode.NotedCount(n, "%d point is outside of this map.", "%d points are outside of this map.").
			Warned(dashboard.WarnNotOnMap, "region",
				"%d of %d points {is|are} outside of the region; without region, the map shows where {it is|they are}.",
				n, all))
	}
}

func (p *pointsPanel) sentence() string {
	n := len(p.spots)
	top, low := p.spots[0], p.spots[n-1]
	if p.size == nil && p.domain.shown > 0 && p.Spec.Label != "" {
		top, low = p.extremes()
	}
	if (p.size != nil || p.domain.shown > 0) && p.Spec.Label != "" {
		if n == 1 {
			return p.Env.Text("One point: %s (%s).", top.text, canvas.Clip(top.name, 40))
		}
		return p.Env.Count(n, "%d point, the largest %s (%s), the smallest %s (%s).",
			"%d points, the largest %s (%s), the smallest %s (%s).",
			top.text, canvas.Clip(top.name, 40), low.text, canvas.Clip(low.name, 40))
	}
	south, north, west, east := 90.0, -90.0, 180.0, -180.0
	for _, s := range p.spots {
		south, north, west, east = min(south, s.lat), max(north, s.lat), min(west, s.lon), max(east, s.lon)
	}
	return p.Env.Count(n, "%d point: latitude %s to %s, longitude %s to %s.", "%d points: latitude %s to %s, longitude %s to %s.",
		p.Env.degrees(south), p.Env.degrees(north), p.Env.degrees(west), p.Env.degrees(east))
}

// extremes returns the points with the highest and the lowest value, as if these were sizes.
func (p *pointsPanel) extremes() (top, low mapSpot) {
	top.value, low.value = math.Inf(-1), math.Inf(1)
	for _, s := range p.spots {
		if s.value > top.value {
			top = s
		}
		if s.value < low.value {
			low = s
		}
	}
	top.text, low.text = top.said, low.said
	return top, low
}

func (p *Env) degrees(v float64) string { return p.UpTo(v, 2) + "°" }

// cut keeps the maximum of drawn points: the largest, or an even choice.
func (p *pointsPanel) cut() {
	all := len(p.spots)
	if all <= mapPoints {
		return
	}
	if p.size != nil {
		p.spots = p.spots[:mapPoints]
		p.report(encode.Noted("The %s largest of %s points are drawn.", mapPoints, all).
			Warned(dashboard.WarnCut, "size",
				"%d of %d points {is|are} drawn, the largest; sql that groups points near each other has fewer.",
				mapPoints, all))
		return
	}
	p.spots = evenly(p.spots, mapPoints, func(s *mapSpot) *spot { return &s.spot })
	p.report(encode.Noted("%s of %s points are drawn, evenly chosen.", len(p.spots), all).
		Warned(dashboard.WarnCut, "lat",
			"%d of %d points {is|are} drawn, evenly chosen; with size the largest are, and sql that groups points near each other "+
				"has fewer.", len(p.spots), all))
}

func (p *pointsPanel) Draw(c canvas.Canvas) {
	if len(p.legend) > 1 {
		p.Panel.legend(p.legend).Draw(c)
	}
	if p.domain.shown > 0 {
		p.tones.drawKey(c, p.Env.key(&p.domain, p.value))
	}
	v := p.view
	p.begin(c, v)
	c.Extent(v.Width, v.Height)
	var land [][]geo.Point
	for _, s := range v.Shapes {
		land = append(land, s.Rings...)
	}
	c.Shape(canvas.Shape{Rings: land})
	c.End()
	most := p.spots[0].size
	dots := make([]canvas.Circle, len(p.spots))
	names := make([]string, len(p.spots))
	title, ways := make([]string, 0, 8), p.Ways()
	for i, s := range p.spots {
		title = title[:0]
		add := func(label, text string) {
			if len(title) > 0 {
				title = append(title, "\n")
			}
			if label != "" {
				label += "  "
			}
			title = append(title, label, text)
		}
		if names[i] = s.name; s.name != "" {
			add("", canvas.Clip(s.name, 60))
		}
		if len(p.legend) > 1 {
			add("", canvas.Clip(p.legend[s.series].name, 60))
		}
		if p.size != nil {
			add(p.size.Label, s.text)
		}
		if p.value != nil {
			add(p.value.Label, s.said)
		} else if p.size == nil && s.rows > 1 {
			add("", p.Env.Count(s.rows, "%d row", "%d rows"))
		}
		if s.name == "" {
			add("", p.Env.degrees(s.lat)+", "+p.Env.degrees(s.lon))
		}
		title = append(title, p.extraTitle(s.row)...)
		dots[i] = canvas.Circle{X: canvas.Of(s.x), Y: canvas.Of(s.y), Radius: p.radius(s.size, most), Color: s.color, Sheer: true, Title: title}
		if p.Spec.Label != "" || p.Spec.Series != "" {
			dots[i].Row = row(s.row, ways.Of(p.Grid.Columns[0].Mark(p.Grid.Rows[s.row][0])))
		}
		c.Circle(dots[i])
	}
	p.drawNames(c, names, dots)
	c.End()
}

// radius returns the radius of a circle whose area represents a size.
func (p *pointsPanel) radius(size, most float64) float64 {
	switch {
	case math.IsNaN(size) && len(p.spots) > manySpots:
		return smallSpot
	case math.IsNaN(size):
		return plainSpot
	case most == 0:
		return chart.SmallestSpot
	}
	largest := float64(chart.LargestSpot)
	switch n := len(p.spots); {
	case n > manySpots:
		largest = 10
	case n > someSpots:
		largest = 14
	}
	return max(chart.SmallestSpot-1, largest*math.Sqrt(size/most))
}

// drawNames writes the names of the largest points next to them, if they fit.
func (p *pointsPanel) drawNames(c canvas.Canvas, names []string, dots []canvas.Circle) {
	order := slices.DeleteFunc(stat.Indices(len(dots)), func(i int) bool { return strings.TrimSpace(names[i]) == "" })
	if len(order) == 0 {
		return
	}
	order = order[:min(len(order), 4*chart.NamedSpots)]
	names = slices.Clone(names)
	for _, i := range order {
		names[i] = chart.SpotName(names[i])
	}
	ratio := geo.Ratios[p.view.Aspect]
	narrow := p.inside() * canvas.Shrunk
	at := slices.Clone(dots)
	for i := range at {
		at[i].Radius *= phoneSpots
	}
	masks := [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop}
	for tier, width := range [...]float64{min(canvas.PhoneInside, narrow), canvas.TabletInside, max(canvas.DesktopInside, narrow)} {
		width = min(width, canvas.MapHeight*ratio)
		c.Group(canvas.Group{Look: canvas.AxisText, Widths: masks[tier]})
		if tier > 0 {
			at = dots
		}
		labels, _ := chart.SpotNames(names, order, at, nil, chart.SomeNames, width, width/ratio)
		for _, l := range labels {
			c.Label(l)
		}
		c.End()
	}
}

// sketch returns the largest points as bars; without a size, the positions of points: · for one, • for some, ● for many.
func (p *pointsPanel) sketch() []string {
	if (p.size != nil || p.domain.shown > 0) && p.Spec.Label != "" {
		return p.sketchSizes()
	}
	const w, height = 58, 10
	var count [height][w]int
	for _, s := range p.spots {
		count[min(int(s.y*height), height-1)][min(int(s.x*w), w-1)]++
	}
	var lines []string
	for _, row := range count {
		var b strings.Builder
		for _, n := range row {
			b.WriteRune(density(n))
		}
		lines = append(lines, b.String())
	}
	return lines
}

// sketchSizes returns a bar for each of the largest points.
func (p *pointsPanel) sketchSizes() []string {
	spots := p.spots
	if p.size == nil {
		spots = slices.Clone(spots)
		for i := range spots {
			s := &spots[i]
			s.size, s.text = max(s.value, 0), s.said // a bar has no negative length
		}
		slices.SortStableFunc(spots, func(a, b mapSpot) int { return cmp.Compare(b.value, a.value) })
	}
	names := make([]string, min(len(spots), sketchRow))
	for i := range names {
		names[i] = text.OneLine(spots[i].name)
	}
	wide := widest(names)
	var lines []string
	for i, name := range names {
		s := spots[i]
		said := text.OneLine(s.text)
		if p.size != nil && p.value != nil {
			said += " · " + text.OneLine(s.said)
		}
		lines = append(lines, text.Pad(name, wide)+" "+text.Pad(bar(s.size, spots[0].size, 22), 22)+" "+said)
	}
	if more := len(p.spots) - len(names); more > 0 {
		lines = append(lines, "… "+strconv.Itoa(more)+" more points")
	}
	return lines
}
