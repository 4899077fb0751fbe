package dashboard

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"service/store/dashboard/cube"
	"service/store/dashboard/geo"
)

// Map is the type of panel that colours countries or US states, or draws points.
const Map = "map"

var mapPanel = panelType{
	name:   Map,
	also:   []string{"choropleth", "geo", "geomap", "worldmap", "filledmap", "bubblemap", "pointmap", "symbolmap", "countries", "usmap"},
	doc:    "values by country or US state, or points",
	either: [2][]panelKey{{keyArea, keyValue.as("measure that colours areas or points")}, {keyLat, keyLon}},
	optional: []panelKey{
		keyData, keyArea, keyValue.as("measure that colours areas or points"), keyLat, keyLon, keySize.as("measure of the points' size"),
		keyLabel.as("dimension that names the points"),
		keySeries.as("dimension that colours the points, or each area by its largest value"), keyRegion, keyRamp, keyThresholds, keyTooltip,
	},
	hints: map[string]string{
		"facet":   "a map is read as one; a panel for each, whose dataset has the rows of one value, or a bar with facet",
		"compare": "areas have one colour; a bar with compare has both periods",
		"x":       "points of a map have lon and lat", "y": "points of a map have lon and lat",
		"labels":    "names have no room on a map; areas and points have them in tooltips and in the table",
		"names":     "points have the names of label where there is room, the largest first; areas have theirs in tooltips and in the table",
		"highlight": "areas have the colours of numbers, and points those of series, which columns at the top of the spec can set to gray",
		"limit":     "all areas are drawn, and the 2,000 largest points; a filter or sql leaves those that matter",
		"sort":      "areas and points are at their places; a bar or a table has an order",
		"color":     "value is the measure that colours areas or points, and series the dimension that does",
		"colors":    rampHint, "zoom": "region says what the map shows",
		"projection": "the map chooses it by its region", "geojson": "a map knows countries and US states; for other places give lat and lon",
	},
	width:  mapWidth,
	verify: verifyMap,
	check:  checkMap,
	title: func(p *Panel, label labeler) string {
		if p.Area != "" {
			return label.by(label.of(cmp.Or(p.Series, p.Value)), p.Area)
		}
		if p.Size != "" || p.Value != "" {
			return label.by(label.of(cmp.Or(p.Size, p.Value)), p.Label)
		}
		if p.Label == "" {
			return label.Text("Map")
		}
		return label.of(p.Label)
	},
}

const mapWidth = 8

var (
	keyArea   = nameKey("area", "countries or US states: names or codes", func(p *Panel) *string { return &p.Area })
	keyLat    = nameKey("lat", "degrees", func(p *Panel) *string { return &p.Lat }).tersely()
	keyLon    = nameKey("lon", "degrees", func(p *Panel) *string { return &p.Lon }).tersely()
	keyRegion = panelKey{
		name: "region", kind: aName, doc: "`" + strings.Join(geo.Regions, "`, `") + "`, or a country; default: the region of the data",
		terse: true,
		read:  func(o *object, p *Panel, _ *panelType) { p.Region = readRegion(o) },
	}
)

// readRegion reads the part of the world that a map shows, in the form of [geo.FindRegion].
func readRegion(o *object) string {
	text := o.name("region")
	if text == "" {
		return ""
	}
	if region, ok := geo.FindRegion(text); ok {
		return region
	}
	nearest := likeliest(text, geo.Regions)
	if nearest == "" {
		nearest = geo.Countries().Nearest(text)
	}
	o.problems.add(Problem{
		Path: o.at("region"), Message: quote(text) + ` is no part of the world: name one, a country, or "us" for its states`,
		Noun: "regions", Allowed: geo.Regions, Nearest: nearest,
	})
	return ""
}

// verifyMap checks that a map shows areas or points.
func verifyMap(o *object, p *Panel) {
	areas, points := o.has("area"), o.has("lat") || o.has("lon")
	switch {
	case areas && points:
		o.problems.addf(o.at("area"), "a map shows areas (area and value) or points (lat and lon); of both, make two maps")
	case areas:
		o.require("value")
		for _, key := range []string{"size", "label"} {
			if o.has(key) {
				o.problems.addf(o.at(key), "is for points; areas are coloured by value or series, and named by themselves")
			}
		}
		if p.Series != "" && p.Series == p.Area {
			o.problems.addf(o.at("series"), "is the column of area; name the dimension that colours the areas")
		}
		for _, key := range []string{"ramp", "thresholds"} {
			if o.has(key) && o.has("series") {
				o.problems.addf(o.at(key), "colours the areas, and so does series; keep one of them")
			}
		}
	case points:
		o.require("lat", "lon")
		if o.has("value") && o.has("series") {
			o.problems.addf(o.at("series"), "colours the points, and so does value; keep one of them")
		}
		for _, key := range []string{"ramp", "thresholds"} {
			if o.has(key) && !o.has("value") {
				o.problems.addf(o.at(key), "colours the values of a measure; name it in value")
			}
		}
		if p.Lat != "" && p.Lat == p.Lon {
			o.problems.addf(o.at("lon"), "is the column of lat; a point has two")
		}
	default:
		o.problems.addf(o.path, "must have area and value (countries or US states in colours), or lat and lon (points)")
	}
}

func checkMap(c *panelCheck) {
	if c.panel.Area != "" {
		c.area()
		if c.panel.Series != "" {
			c.groups(c.at("series"), c.panel.Series)
		} else if col := find(c.set.columns, c.panel.Value); col != nil && col.Role == Dimension {
			c.problems.addf(c.at("value"), `%s is a dimension: "series": %s colours the areas by it, and value is a measure, whose largest `+
				`value decides`, quote(col.Name), quote(col.Name))
			return
		}
		c.shows(c.at("value"), c.panel.Value)
		c.thresholds([]string{c.panel.Value})
		return
	}
	c.points()
}

// area checks that the column of a map's areas contains names of areas.
func (c *panelCheck) area() {
	name := c.panel.Area
	c.grain = append(c.grain, name)
	col := c.column(c.at("area"), c.set, name)
	switch {
	case col == nil:
		return
	case col.Type != cube.Text && col.Type != cube.Integer || col.IsRatio():
		c.problems.add(Problem{
			Path: c.at("area"), Message: fmt.Sprintf("%s is of type %s, and areas are names or codes", quote(name), col.Type),
			Noun: "texts", Allowed: c.set.names(func(c Column) bool { return c.Type == cube.Text }),
		})
		return
	case c.set.rows == nil:
		return
	}
	var values []string
	for _, cat := range c.set.rows.Group(c.set.rows.Select(), cube.Query{By: []cube.Dim{{Column: name}}}).Axes[0] {
		if text, ok := AreaText(cat.Value); ok {
			values = append(values, text)
		}
	}
	found := func(g *geo.Gazetteer) (n int) {
		for _, v := range values {
			if g.Find(v) >= 0 {
				n++
			}
		}
		return n
	}
	countries, states := found(geo.Countries()), found(geo.States())
	us := c.panel.Region == geo.US
	c.spelled(values, us)
	switch {
	case len(values) == 0:
	case us && countries > states:
		c.problems.addf(c.at("region"), `%d of %d values of %s are countries, and %d US states; leave region out, or name another`,
			countries, len(values), quote(name), states)
	case !us && states > countries:
		c.problems.addf(c.at("area"), `%d of %d values of %s are US states, and %d countries; write "region": "us"`,
			states, len(values), quote(name), countries)
	case max(countries, states) == 0:
		what := "country"
		if us {
			what = "US state"
		}
		c.problems.addf(c.at("area"), `no value of %s is a %s: %s; a map knows countries (names, or codes of ISO 3166) and, with `+
			`"region": "us", US states (names, postal codes, FIPS); for other places return their lat and lon`,
			quote(name), what, Listed(values, nil))
	}
}

// spelled checks that values that mean the same area can be merged.
func (c *panelCheck) spelled(values []string, us bool) {
	col := find(c.set.columns, c.panel.Value)
	if col == nil || col.Agg != None {
		return
	}
	seen := map[int]string{}
	for _, v := range values {
		i := Gazetteer(us).Find(v)
		if i < 0 {
			continue
		}
		if before, twice := seen[i]; twice {
			c.notAdditive(c.at("value"), c.set, col, fmt.Sprintf("over %s and %s, which are one area", quote(before), quote(v)))
			return
		}
		seen[i] = v
	}
}

// Gazetteer returns the areas of a map: the states of the US, or countries.
func Gazetteer(us bool) *geo.Gazetteer {
	if us {
		return geo.States()
	}
	return geo.Countries()
}

// AreaText returns a value of a column of areas as a text for [geo.Gazetteer.Find]; ok is false for a value that cannot be an area.
func AreaText(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v), strings.TrimSpace(v) != ""
	case int64:
		return fmt.Sprint(v), true
	}
	return "", false
}

// maxExamples is the number of example values in a message.
const maxExamples = 5

// Listed quotes some of the values, each with the result of nearest, which can be nil.
func Listed(values []string, nearest func(string) string) string {
	var out []string
	for _, v := range values[:min(len(values), maxExamples)] {
		s := quote(v)
		if nearest != nil {
			if n := nearest(v); n != "" {
				s += " (" + n + "?)"
			}
		}
		out = append(out, s)
	}
	if more := len(values) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// points checks the columns of a map of points.
func (c *panelCheck) points() {
	p := c.panel
	c.groups(c.at("label"), p.Label)
	c.groups(c.at("series"), p.Series)
	lat, lon := c.degrees(c.at("lat"), p.Lat), c.degrees(c.at("lon"), p.Lon)
	c.grain = append(c.grain, p.Lat, p.Lon)
	c.shows(c.at("size"), p.Size)
	c.shows(c.at("value"), p.Value)
	c.thresholds([]string{p.Value})
	if p.Label == "" { // a point for each row
		c.grain = c.set.keys
		if p.Series == "" && p.Link != "" {
			c.problems.addf(c.at("link"), "leads from points that stand for a value; name a dimension in label or series")
		}
	}
	if lat == nil || lon == nil {
		return
	}
	if isLongitude(p.Lat) && isLatitude(p.Lon) {
		c.problems.addf(c.at("lat"), `lat and lon are swapped: write "lat": %s, "lon": %s`, quote(p.Lon), quote(p.Lat))
		return
	}
	if c.set.rows != nil {
		c.places()
	}
}

// degrees checks that a column holds latitudes or longitudes. Its role does not matter.
func (c *panelCheck) degrees(path, name string) *Column {
	col := c.column(path, c.set, name)
	switch {
	case col == nil:
		return nil
	case col.IsRatio():
		c.problems.addf(path, "%s is a ratio, and this must be degrees that the sql returns", quote(name))
		return nil
	case col.Type == cube.Number || col.Type == cube.Integer:
		return col
	}
	problem := Problem{
		Path: path, Message: fmt.Sprintf("%s is of type %s, and this must be degrees, a number", quote(name), col.Type),
		Noun: "numbers", Allowed: c.set.names(func(c Column) bool { return c.Type == cube.Number || c.Type == cube.Integer }),
	}
	if col.Type == cube.Text {
		problem.Message += "; CAST it in the sql"
	}
	c.problems.add(problem)
	return nil
}

// places checks that the rows of a map have valid coordinates.
func (c *panelCheck) places() {
	p, rows := c.panel, c.set.rows
	lat, lon := rows.Index(p.Lat), rows.Index(p.Lon)
	if lat < 0 || lon < 0 {
		return // of a ratio
	}
	var all, right, swapped int
	var example string
	for row := range rows.Rows() {
		a, okA := cube.Float(rows.Value(row, lat))
		o, okO := cube.Float(rows.Value(row, lon))
		if !okA || !okO {
			continue
		}
		all++
		if OnGlobe(a, o) {
			right++
		} else if example == "" {
			example = fmt.Sprintf("%v, %v", a, o)
		}
		if OnGlobe(o, a) {
			swapped++
		}
	}
	switch {
	case all == right:
	case swapped == all || right == 0 && swapped > 0:
		c.problems.addf(c.at("lat"), `lat and lon are swapped, as in %s: write "lat": %s, "lon": %s`, example, quote(p.Lon), quote(p.Lat))
	case right == 0:
		c.problems.addf(c.at("lat"), `no row has a place on the globe (%s, for one): lat must be degrees from -90 to 90, `+
			`lon from -180 to 180; convert them in the sql`, example)
	}
}

// OnGlobe reports whether a latitude and a longitude in degrees are valid.
func OnGlobe(lat, lon float64) bool { return math.Abs(lat) <= 90 && math.Abs(lon) <= 180 }

func isLatitude(column string) bool {
	return slices.Contains([]string{"lat", "latitude"}, strings.ToLower(column))
}

func isLongitude(column string) bool {
	return slices.Contains([]string{"lon", "lng", "long", "longitude"}, strings.ToLower(column))
}
