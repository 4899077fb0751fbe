package panel

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/geo"
)

var mapFigure = Figure{
	Summarise: func(p *Panel) Content {
		if p.Spec.Area != "" {
			return summariseAreas(p)
		}
		return summarisePoints(p)
	},
}

// An areasPanel shows countries or US states, coloured by a measure, or by the value of a dimension that has the largest measure there.
type areasPanel struct {
	*Panel
	places *geo.Gazetteer
	view   *geo.View
	values []areaValue // the largest first
	domain domain
	col    dashboard.Column
	tones  *toner
	legend []seriesOf // the values of the dimension that lead in areas
}

// An areaValue is an area on the map, with its value.
type areaValue struct {
	area  int // its index in the gazetteer
	value float64
	name  string
	text  string       // the value
	toned canvas.Color // of the tone that a threshold sets; 0 for none
	led   int          // the index in the legend of the value that leads; -1 if two values are equally large
	row   int          // of the grid
}

func summariseAreas(p *Panel) Content {
	spec, d := p.Spec, p.Data
	acol, col := p.col(spec.Area), p.col(spec.Value)
	if p.Problem != "" {
		return nil
	}
	m := &areasPanel{Panel: p, places: dashboard.Gazetteer(spec.Region == geo.US), col: *col, tones: p.toner()}
	if p.Problem != "" {
		return nil
	}
	by := []cube.Dim{{Column: spec.Area}}
	if spec.Series != "" {
		by = append(by, cube.Dim{Column: spec.Series})
	}
	g := d.Group(d.Rows, cube.Query{By: by, Measures: append([]cube.Measure{d.Measure(col)}, m.tones.measures()...)})
	axis, to, at, values := m.match(g.Axes[0])
	g = g.Regroup(0, to, axis)
	if p.Problem = p.Data.Env.Unclear(g, 0); p.Problem != "" {
		return nil
	}
	m.choose()
	name := *acol
	name.Type, name.Role, name.Format = cube.Text, dashboard.Dimension, ""
	p.Grid = &Grid{Columns: []Column{{Column: name, values: values}, {Column: *col}}}
	order := g.Sorted(0, true)
	all, tied := len(order), map[int]bool{}
	if spec.Series != "" {
		p.Grid.Columns = slices.Insert(p.Grid.Columns, 1, Column{Column: *p.col(spec.Series)})
		order, tied = lead(g, order)
	}
	var unknown, outside []string
	for _, i := range order {
		cat, area := g.Category(i, 0), at[g.At(i, 0)]
		row := []any{cat, g.Exact(i, 0)}
		switch {
		case spec.Series == "":
		case tied[i]:
			row = slices.Insert(row, 1, any(nil))
		default:
			row = slices.Insert(row, 1, any(g.Category(i, 1)))
		}
		p.Grid.Rows = append(p.Grid.Rows, row)
		text := p.Env.Cell(name, cube.Exact, cat)
		v, ok := g.Value(i, 0)
		switch {
		case area < 0:
			unknown = append(unknown, text)
		case len(m.view.Shapes[area].Rings) == 0:
			outside = append(outside, text)
		case ok:
			a := areaValue{area: area, value: v, name: text, text: p.Env.Cell(*col, cube.Exact, g.Exact(i, 0)), row: len(p.Grid.Rows) - 1}
			switch {
			case spec.Series == "":
				a.toned = m.tones.color(v, m.tones.limits(g, i, 1), spec.Value, 0)
			case tied[i]:
				a.led = -1
			default:
				a.led = g.At(i, 1)
			}
			m.values = append(m.values, a)
		}
	}
	before := len(p.Notes)
	m.say(unknown, outside)
	if len(m.values) == 0 {
		if p.Empty = p.Env.missing(); len(p.Notes) > before {
			p.Empty, p.Notes = strings.Join(p.Notes[before:], " "), nil
		}
		return nil
	}
	if spec.Series == "" {
		m.paint()
	} else {
		m.nameLeaders(g.Axes[1], all > len(order))
	}
	p.Summary = m.sentence() + m.tones.says()
	m.source()
	return m
}

// paint sets the domain of the ramp.
func (p *areasPanel) paint() {
	spec := p.Spec
	numbers := make([]float64, len(p.values))
	for i := range p.values {
		numbers[i] = p.values[i].value
	}
	p.domain = p.Env.domain(&p.col, spec.Ramp, numbers)
	if r := spec.Ramp; !r.Diverging() && (r == nil || r.Scale == "" && !r.Bounded()) {
		p.domain.bounds = skewed(p.values)
	}
	if p.keepsDomain(p.Data.Measure(&p.col)) {
		if all, ok := p.unfiltered(cube.Exact).(*areasPanel); ok {
			p.domain = all.domain.kept(numbers)
		}
	}
	p.sayRamp(&p.domain, spec.Ramp, "ramp")
	if p.domain.bounds != nil && !spec.Ramp.Steps() {
		p.report(encode.Noted("Each color has about as many areas."))
	}
}

// colorOf returns the colour of an area.
func (p *areasPanel) colorOf(a *areaValue) canvas.Color {
	switch {
	case p.Spec.Series == "":
		return cmp.Or(a.toned, p.domain.color(a.value))
	case a.led < 0:
		return canvas.OtherColor
	}
	return p.legend[a.led].color
}

// match finds the areas that categories name. merged is the axis with one category for each area, named in the language of the page, and
// for each other value; to has for each old category its index in merged; at has for each of merged its area, or -1; and values has the old
// category of each of merged that is one of them alone, by its new value.
func (p *areasPanel) match(axis []cube.Category) (merged []cube.Category, to, at []int, values map[any]cube.Category) {
	values = map[any]cube.Category{}
	place := map[int]int{}
	first := map[int]string{}
	var other [2]string // the first two names of one area
	others := 0
	for _, cat := range axis {
		text, ok := dashboard.AreaText(cat.Value)
		area := -1
		if ok {
			area = p.places.Find(text)
		}
		i, known := place[area]
		switch {
		case area < 0:
			i = len(merged)
			shown := cat
			if _, number := cat.Value.(int64); number {
				shown.Value = text
			}
			values[shown.Value] = cat
			merged, at = append(merged, shown), append(at, -1)
		case known:
			delete(values, merged[i].Value)
			if others++; others == 1 {
				other = [2]string{canvas.Clip(text, 40), canvas.Clip(first[area], 40)}
			}
		default:
			i = len(merged)
			place[area], first[area] = i, text
			shown := cube.Category{Value: p.places.Areas[area].Name(p.Env.Lang), Rank: i}
			values[shown.Value] = cat
			merged, at = append(merged, shown), append(at, area)
		}
		to = append(to, i)
	}
	if others > 0 {
		p.report(encode.NotedCount(others, "%d value is another name of an area: %s of %s.",
			"%d values are other names of an area, such as %s of %s.",
			other[0], other[1]).
			Warned(dashboard.WarnMerged, "area",
				`%d {value|values} of "%s" {is another name|are other names} of an area, such as "%s" of "%s", and {is|are} merged with it; `+
					`the sql can give it one name.`, others, p.Spec.Area, other[0], other[1]))
	}
	return merged, to, at, values
}

// choose sets the region of the map: that of the spec, or the one of all rows, regardless of filters.
func (p *areasPanel) choose() {
	all := p.areas()
	region := p.Spec.Region
	if region == "" {
		region = geo.Fit(all)
	}
	antarctica := p.places.Find("AQ")
	p.view = geo.ViewOf(region, region == geo.World && slices.Contains(all, antarctica))
}

// areas returns the areas of all rows.
func (p *areasPanel) areas() []int {
	var out []int
	for _, cat := range p.Data.Group(p.Data.EveryRow(), cube.Query{By: []cube.Dim{{Column: p.Spec.Area}}}).Axes[0] {
		if text, ok := dashboard.AreaText(cat.Value); ok {
			if i := p.places.Find(text); i >= 0 {
				out = append(out, i)
			}
		}
	}
	return out
}

// named is the number of values outside of a map that are named.
const named = 5

// say reports the values that are not on the map.
func (p *areasPanel) say(unknown, outside []string) {
	some := func(values []string) string {
		out := make([]string, 0, named+1)
		for _, v := range values[:min(len(values), named)] {
			out = append(out, canvas.Clip(v, 40))
		}
		if more := len(values) - len(out); more > 0 {
			out = append(out, p.Env.Count(more, "and %d more", "and %d more"))
		}
		return strings.Join(out, ", ")
	}
	label := p.Env.Inside(p.label(p.Spec.Area))
	if n := len(unknown); n > 0 {
		what, nearest := "country", p.places.Nearest
		if !p.Env.Author { // it takes time, and only authors read it
			nearest = nil
		}
		if p.Spec.Region == geo.US {
			what = "US state"
		}
		p.report(encode.NotedCount(n, "%d value of %s is not on the map: %s.", "%d values of %s are not on the map: %s.", label, some(unknown)).
			Warned(dashboard.WarnNotOnMap, "area",
				`%d of %d values of "%s" {is|are} no %s that a map knows: %s; the sql can rename {it|them}, or leave {it|them} out.`,
				n, len(p.Grid.Rows), p.Spec.Area, what, dashboard.Listed(unknown, nearest)))
	}
	if n := len(outside); n > 0 {
		p.report(encode.NotedCount(n, "%d area is outside of this map: %s.", "%d areas are outside of this map: %s.", some(outside)).
			Warned(dashboard.WarnNotOnMap, "region",
				`%d {area is|areas are} outside of what the map shows: %s; another region, such as "world", has more.`,
				n, dashboard.Listed(outside, nil)))
	}
}

// source names the origin of the outlines, and explains hatched areas.
func (p *areasPanel) source() {
	with := make(map[int]bool, len(p.values))
	for _, v := range p.values {
		with[v.area] = true
	}
	for i := range p.view.Shapes {
		if len(p.view.Shapes[i].Rings) > 0 && !with[p.drawnWith(with, i)] {
			p.report(encode.Noted("Hatched: no data."))
			break
		}
	}
	p.report(encode.Noted("Map: %s.", sourceOf(p.Spec.Region)))
}

// sourceOf returns the origin of the outlines of a region.
func sourceOf(region string) string {
	if region == geo.US {
		return "US Census Bureau"
	}
	return "Natural Earth"
}

// drawnWith returns the area whose value an area is drawn with: its own or, if it has none, that of the area to which it belongs.
func (p *areasPanel) drawnWith(with map[int]bool, area int) int {
	if of := p.places.Areas[area].Of; !with[area] && of != "" {
		return p.places.Find(of)
	}
	return area
}

func (p *areasPanel) sentence() string {
	if len(p.legend) > 0 {
		return p.leaders()
	}
	n := len(p.values)
	top, low := p.values[0], p.values[n-1]
	if n == 1 {
		return p.Env.Text("One area has a value: %s (%s).", top.text, canvas.Clip(top.name, 40))
	}
	return p.Env.Count(n, "%d area has a value, the highest %s (%s), the lowest %s (%s).",
		"%d areas have values, the highest %s (%s), the lowest %s (%s).",
		top.text, canvas.Clip(top.name, 40), low.text, canvas.Clip(low.name, 40))
}

// skewed returns the bounds of steps with about equal numbers of values, if values are distributed so unevenly that most of them would be
// in the first of equally wide steps. It returns nil for other values.
func skewed(values []areaValue) []float64 {
	n := len(values)
	hi, lo := values[0].value, values[n-1].value
	if n < 2*canvas.HeatSteps || lo < 0 || stat.Flat(lo, hi) {
		return nil
	}
	first := 0
	for _, v := range values {
		if chart.Within(v.value, lo, hi)*canvas.HeatSteps < 1 {
			first++
		}
	}
	if first*4 < 3*n {
		return nil
	}
	var out []float64
	for step := 1; step < canvas.HeatSteps; step++ {
		bound := rounded(values[n-1-step*n/canvas.HeatSteps].value)
		if bound > lo && bound < hi && (len(out) == 0 || bound > out[len(out)-1]) {
			out = append(out, bound)
		}
	}
	return out
}

// rounded returns a number with two significant digits.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	return roundedTo(v, 1)
}

// roundedTo returns a number with one digit before the point and the given number of digits after it.
func roundedTo(v float64, digits int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits, 64), 64)
	if err != nil {
		return v
	}
	return out
}

func (p *areasPanel) Draw(c canvas.Canvas) {
	if p.Spec.Series != "" {
		p.Panel.legend(p.legend).Draw(c)
	} else {
		p.tones.drawKey(c, p.Env.key(&p.domain, &p.col))
	}
	v := p.view
	p.begin(c, v)
	c.Extent(v.Width, v.Height)
	with := make(map[int]bool, len(p.values))
	for _, a := range p.values {
		with[a.area] = true
	}
	parts := map[int][][]geo.Point{}
	var none [][]geo.Point
	for i, s := range v.Shapes {
		switch of := p.drawnWith(with, i); {
		case of != i && with[of]:
			parts[of] = append(parts[of], s.Rings...)
		case !with[i]:
			none = append(none, s.Rings...)
		}
	}
	c.Shape(canvas.Shape{Rings: none, Hatched: true})
	title, ways := make([]string, 3, 5), p.Ways()
	for i := range p.values {
		a := &p.values[i]
		rings := v.Shapes[a.area].Rings
		if more := parts[a.area]; more != nil {
			rings = slices.Concat(rings, more)
		}
		title = append(title[:0], a.name, "\n", a.text)
		if p.Spec.Series != "" {
			title = append(title[:2], p.leader(a), "  ", a.text)
		}
		c.Shape(canvas.Shape{
			Rings: rings, Color: p.colorOf(a), Title: append(title[:len(title):len(title)], p.extraTitle(a.row)...),
			Row: row(a.row, ways.Of(p.Grid.Columns[0].Mark(p.Grid.Rows[a.row][0]))),
		})
	}
	c.End()
	p.drawDots(c)
	c.End()
}

// begin begins the picture of a map.
func (p *Panel) begin(c canvas.Canvas, v *geo.View) {
	c.Picture(canvas.Picture{
		Kind: canvas.MapPicture, Title: p.Title, Says: p.Summary, Aspect: v.Aspect,
		Height: int(min(canvas.MapHeight, p.inside()/geo.Ratios[v.Aspect])),
	})
}

// Areas that are smaller on the map, in square pixels, get a dot of this size. On a phone there is less space for them.
const (
	leastSeen      = 9
	leastSeenPhone = 5
	dotRadius      = 3
	dotRadiusPhone = 2
)

// drawDots draws dots for areas that are too small to be visible: at all widths, or on a phone.
func (p *areasPanel) drawDots(c canvas.Canvas) {
	v := p.view
	wide, narrow := p.perUnit(p.inside()*canvas.Shrunk), p.perUnit(canvas.PhoneInside)
	draw := func(lo, hi, radius float64) {
		for i := range p.values {
			a := &p.values[i]
			if s := v.Shapes[a.area]; s.Area >= lo && s.Area < hi {
				c.Circle(canvas.Circle{
					X: canvas.Of(float64(s.Middle.X) / float64(v.Width)), Y: canvas.Of(float64(s.Middle.Y) / float64(v.Height)),
					Radius: radius, Color: p.colorOf(a),
				})
			}
		}
	}
	always, phones := leastSeen/(wide*wide), leastSeenPhone/(narrow*narrow)
	draw(0, always, dotRadius)
	c.Group(canvas.Group{Widths: canvas.Phone})
	draw(always, phones, dotRadiusPhone)
	c.End()
}

// perUnit returns the size of a unit of the map, in pixels, in a panel of a width.
func (p *areasPanel) perUnit(inside float64) float64 {
	return min(inside, canvas.MapHeight*geo.Ratios[p.view.Aspect]) / float64(p.view.Width)
}

// sketch returns the largest areas as bars or, with a dimension, with the value that leads in each.
func (p *areasPanel) sketch() []string {
	if p.Spec.Series != "" {
		return p.sketchLeaders()
	}
	return p.sketchBars(false)
}
