package geo

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// cities are inside countries, far enough from their borders for a map of the world.
var cities = []struct {
	country  string
	lat, lon float64
}{
	{"FR", 46.3, 2.6},
	{"DE", 50.9, 10},
	{"PL", 52.2, 19.5},
	{"US", 39.7, -105},
	{"US", 65, -150},
	{"CA", 55, -105},
	{"MX", 23, -102},
	{"BR", -15.8, -47.9},
	{"AR", -34, -65},
	{"CL", -33.5, -70.8},
	{"ZA", -29.1, 25},
	{"LS", -29.6, 28.2},
	{"EG", 27, 30},
	{"NG", 9.1, 7.4},
	{"CD", -3, 23},
	{"RU", 55.8, 37.6},
	{"RU", 66.5, 172},
	{"RU", 66.3, -173.5},
	{"CN", 34, 105},
	{"IN", 22, 79},
	{"JP", 36.2, 138.2},
	{"ID", -0.5, 114},
	{"AU", -25, 134},
	{"NZ", -44, 170.5},
	{"KZ", 48, 67},
	{"MN", 46.9, 103.8},
	{"SA", 24, 45},
	{"SE", 62, 15},
	{"FI", 63, 26},
	{"GL", 72, -40},
	{"IS", 64.9, -18.5},
	{
		"GF", 4,
		-53,
	},
	{"SO", 3, 44},
	{"-somaliland", 9.8, 45.5},
	{"XK", 42.6, 20.9},
	{"UA", 49, 32},
	{"PG", -6.5, 145},
	{"MG", -19, 46.7},
	{"FJ", -17.8, 178},
	{
		"AQ", -80,
		60,
	},
	{"AQ", -80, -120},
	{"AQ", -86.5, 60},
}

// in returns the areas that contain a point.
func (v *View) in(x, y float64) []int {
	var out []int
	for i, s := range v.Shapes {
		odd := false
		for _, ring := range s.Rings {
			for k, p := range ring {
				q := ring[(k+1)%len(ring)]
				if (float64(p.Y) > y) != (float64(q.Y) > y) &&
					x < float64(p.X)+(y-float64(p.Y))/float64(q.Y-p.Y)*float64(q.X-p.X) {
					odd = !odd
				}
			}
		}
		if odd {
			out = append(out, i)
		}
	}
	return out
}

// Points are inside the outlines of their countries, on every map that shows them: the projections of the two agree.
func TestPointsLieInTheirCountries(t *testing.T) {
	t.Parallel()
	g := Countries()
	seen := map[string]int{}
	check := func(name string, v *View) {
		for _, c := range cities {
			x, y, ok := v.At(c.lat, c.lon)
			if !ok {
				continue
			}
			seen[name]++
			found := v.in(x*float64(v.Width), y*float64(v.Height))
			if len(found) != 1 || g.Areas[found[0]].Code != c.country {
				if name == World && c.country == "AQ" {
					continue // it is not drawn there
				}
				t.Errorf("%s: %v, %v of %s lies in %v", name, c.lat, c.lon, c.country, found)
			}
		}
	}
	for _, name := range Regions {
		if name != US {
			check(name, ViewOf(name, false))
		}
	}
	check("globe", ViewOf(World, true))
	for _, c := range cities {
		if c.country != "AQ" && c.country != "GL" {
			check(c.country, ViewOf(c.country, false))
		}
	}
	if seen["globe"] != len(cities) || seen["europe"] < 7 || seen["DE"] < 1 || seen["antarctica"] != 3 {
		t.Errorf("points seen: %v", seen)
	}
}

// Albers' pieces are those of the file's outlines.
func TestPointsLieInTheirStates(t *testing.T) {
	t.Parallel()
	v := ViewOf(US, false)
	for _, c := range []struct {
		state    string
		lat, lon float64
	}{
		{"CO", 39.74, -104.98},
		{"AK", 64.84, -147.72},
		{"AK", 58.3, -134.42},
		{"AK", 64.55, -165.2},
		{"AK", 71.2, -156.7},
		{"AK", 55.45, -131.4},
		{"AK", 57, -157.5},
		{"HI", 21.45, -158},
		{"HI", 19.6, -155.5},
		{"TX", 30.27, -97.74},
		{"ME", 45, -69},
		{"FL", 28, -81.7},
		{"WA", 47.5, -120.5},
		{"CA", 36.7, -119.8},
		{"MI", 44.3, -85.4},
		{"DC", 38.9, -77.02},
		{
			"RI",
			41.7, -71.55,
		},
	} {
		x, y, ok := v.At(c.lat, c.lon)
		found := v.in(x*float64(v.Width), y*float64(v.Height))
		if !ok || len(found) != 1 || States().Areas[found[0]].Code != c.state {
			t.Errorf("%v, %v of %s lies in %v", c.lat, c.lon, c.state, found)
		}
	}
	for _, p := range [][2]float64{{18.2, -66.5}, {48.9, 2.3}, {0, 0}, {19.4, -99.1}, {-90, 0}, {90, 180}} {
		if _, _, ok := v.At(p[0], p[1]); ok {
			t.Errorf("%v lies on the map of the states", p)
		}
	}
}

// No country is lost, however small, and no country stretches across the map (as outlines do that are not cut at its edge).
func TestEveryCountryIsDrawn(t *testing.T) {
	t.Parallel()
	g := Countries()
	none := ""
	for _, antarctica := range []bool{false, true} {
		v := ViewOf(World, antarctica)
		for i, a := range g.Areas {
			s := v.Shapes[i]
			if len(s.Rings) == 0 {
				none += " " + a.Code
				continue
			}
			for _, ring := range s.Rings {
				lo, hi := ring[0], ring[0]
				for k, p := range ring {
					lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
					if q := ring[(k+1)%len(ring)]; a.Code != "AQ" && math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)) > 120 {
						t.Errorf("%s: an edge from %v to %v", a.Code, p, q)
					}
				}
				if hi.X-lo.X > 850 && a.Code != "AQ" || len(ring) < 3 {
					t.Errorf("%s: a ring from %v to %v", a.Code, lo, hi)
				}
				if lo.X < 0 || hi.X > int32(v.Width) || lo.Y < 0 && a.Code != "AQ" {
					t.Errorf("%s: a ring leaves the map: %v to %v", a.Code, lo, hi)
				}
			}
			if m := s.Middle; m.X < 0 || m.X > int32(v.Width) || m.Y < 0 || m.Y > int32(v.Height) {
				t.Errorf("%s: its middle is %v", a.Code, m)
			}
		}
	}
	if want := " AQ BV UM BV UM"; none != want {
		t.Errorf("without an outline:%s, want%s", none, want)
	}
	states := ViewOf(US, false)
	none = ""
	for i, a := range States().Areas {
		if len(states.Shapes[i].Rings) == 0 {
			none += " " + a.Code
		}
	}
	if want := " AS GU MP PR VI"; none != want {
		t.Errorf("states without an outline:%s, want%s", none, want)
	}
}

// Neighbours share their borders: the vertices of one are the other's, on every map.
func TestBordersAreShared(t *testing.T) {
	t.Parallel()
	g := Countries()
	for _, name := range []string{World, "europe", "FR"} {
		v := ViewOf(name, false)
		points := map[Point]bool{}
		for _, ring := range v.Shapes[g.Find("FR")].Rings {
			for _, p := range ring {
				points[p] = true
			}
		}
		shared := 0
		for _, neighbour := range []string{"ES", "BE", "DE", "CH", "IT"} {
			for _, ring := range v.Shapes[g.Find(neighbour)].Rings {
				for _, p := range ring {
					if points[p] {
						shared++
					}
				}
			}
		}
		if shared < 20 {
			t.Errorf("%s: France shares %d vertices with its neighbours", name, shared)
		}
	}
}

// Parts with a code of their own are not parts of their country, and a country's map shows its mainland.
func TestParts(t *testing.T) {
	t.Parallel()
	g := Countries()
	france := ViewOf("FR", false)
	for _, p := range [][2]float64{{48.85, 2.35}, {43.3, 5.4}, {42.1, 9.1}} {
		if _, _, ok := france.At(p[0], p[1]); !ok {
			t.Errorf("%v does not lie on the map of France", p)
		}
	}
	if _, _, ok := france.At(4.9, -52.3); ok {
		t.Error("Cayenne lies on the map of France")
	}
	for code, of := range map[string]string{
		"GF": "FR", "RE": "FR", "SJ": "NO", "BQ": "NL", "TK": "NZ", "CX": "AU", "CC": "AU", "-ncyprus": "CY", "-somaliland": "SO", "GL": "",
		"XK": "",
	} {
		i := slices.IndexFunc(g.Areas, func(a Area) bool { return a.Code == code })
		if i < 0 || g.Areas[i].Of != of {
			t.Errorf("%s is drawn with %q", code, g.Areas[max(i, 0)].Of)
		}
	}
	for code, points := range map[string][][2]float64{ // islands that are near, and others that are not
		"NZ": {{-36.8, 174.8}, {-46.4, 168.4}}, "JP": {{43, 141.3}, {31.6, 130.6}}, "ID": {{3.6, 98.7}, {-2.5, 140.7}}, "RU": {
			{43.1, 131.9},
			{54.7, 20.5},
		},
		"NO": {{59.9, 10.7}, {70.1, 29.7}}, "CL": {{-18.5, -70.3}, {-53.2, -70.9}}, "GB": {{50.1, -5.5}, {60.2, -1.1}}, "MY": {
			{3.1, 101.7},
			{5.9, 116.1},
		},
		"GR": {{37.98, 23.7}, {36.4, 28.2}, {35.3, 25.1}}, "FJ": {{-18.1, 178.4}, {-16.8, -179.9}},
	} {
		for _, p := range points {
			if _, _, ok := ViewOf(code, false).At(p[0], p[1]); !ok {
				t.Errorf("%v does not lie on the map of %s", p, code)
			}
		}
	}
	for code, p := range map[string][2]float64{"CL": {-27.1, -109.4}, "ES": {28.1, -15.4}, "NO": {78.2, 15.6}, "NL": {12.2, -68.3}} {
		if _, _, ok := ViewOf(code, false).At(p[0], p[1]); ok {
			t.Errorf("%v, which is far from the mainland, lies on the map of %s", p, code)
		}
	}
}

// Each country has its place on the map of its continent.
func TestContinents(t *testing.T) {
	t.Parallel()
	g := Countries()
	var outside []string
	for i, a := range g.Areas {
		if len(world().polys[i]) > 0 && len(ViewOf(a.Continent, false).Shapes[i].Rings) == 0 {
			outside = append(outside, a.Code)
		}
		if Fit([]int{i}) != a.Continent && a.Continent != "" {
			t.Errorf("%s is shown on the map of %s, and lies in %s", a.Code, Fit([]int{i}), a.Continent)
		}
	}
	if got, want := strings.Join(outside, " "), "CC CX HM IO PN TF"; got != want {
		t.Errorf("outside of the maps of their continents: %s, want %s", got, want)
	}
	find := func(texts string) (out []int) {
		for text := range strings.FieldsSeq(texts) {
			out = append(out, g.Find(text))
		}
		return out
	}
	for want, texts := range map[string]string{
		"europe": "AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE TR RU UA",
		"world":  "DE US", "north_america": "US CA MX", "africa": "EG ZA CV MU", "asia": "JP IN TR", "south_america": "BR CL",
	} {
		if got := Fit(find(texts)); got != want {
			t.Errorf("%s are shown on the map of %s, want %s", texts, got, want)
		}
	}
	if got := Fit(nil); got != World {
		t.Errorf("nothing is shown on the map of %s", got)
	}
}

func TestFindRegion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"world": "world", "World": "world", "global": "world", "europe": "europe", "Europe": "europe", "North America": "north_america",
		"north-america": "north_america", "south_america": "south_america", "us": "us", "US": "us", "USA": "us", "United States": "us",
		"US states": "us",
		"DE":        "DE", "de": "DE", "Germany": "DE", "Deutschland": "DE", "france": "FR", "JPN": "JP", "276": "DE", "EU": "europe", "SG": "SG",
	} {
		if got, ok := FindRegion(text); !ok || got != want {
			t.Errorf("%s is %q", text, got)
		}
	}
	for _, text := range []string{"", "mars", "California", "BV", "-siachen", strings.Repeat("x", 1000)} {
		if got, ok := FindRegion(text); ok {
			t.Errorf("%s is %q", text, got)
		}
	}
	for region := range views() {
		if v := ViewOf(region, false); region != "BV" && region != "UM" && (v == nil || v.Width == 0) {
			t.Errorf("no map of %s", region)
		}
	}
}

// A map around points has all of them, not at its edge, and is as near as it can be.
func TestAround(t *testing.T) {
	t.Parallel()
	for name, points := range map[string][][2]float64{
		"one":      {{48.85, 2.35}},
		"same":     {{48.85, 2.35}, {48.85, 2.35}},
		"germany":  {{53.5, 10}, {48.1, 11.6}, {50.9, 7}, {52.5, 13.4}},
		"pacific":  {{-18, 178.4}, {-21.1, -175.2}, {-13.8, -171.8}, {-36.8, 174.8}},
		"pole":     {{89, 10}, {88, -170}, {87, 90}, {88, -80}},
		"south":    {{-77.8, 166.7}, {-90, 0}, {-64.8, -64}},
		"equator":  {{0, 0}, {0, 20}},
		"antipode": {{0, 0}, {0, 180}},
		"far":      {{40, -100}, {35, 139}, {-34, 151}, {51, 0}},
		"poles":    {{90, 0}, {-90, 0}},
		"america":  {{61, -150}, {-54, -68}},
	} {
		v := Around(points)
		for _, p := range points {
			x, y, ok := v.At(p[0], p[1])
			if !ok {
				t.Errorf("%s: %v lies at %v, %v", name, p, x, y)
			}
		}
		switch _, globe := v.proj.(equalEarth); name {
		case "far", "antipode", "poles", "america":
			if !globe {
				t.Errorf("%s: not the world", name)
			}
		default:
			if globe {
				t.Errorf("%s: the world", name)
			}
		}
	}
	x, y, ok := Around([][2]float64{{48.85, 2.35}}).At(48.85, 2.35)
	if !ok || math.Abs(x-0.5) > 1e-9 || math.Abs(y-0.5) > 1e-9 {
		t.Errorf("one point lies at %v, %v", x, y)
	}
	if v := Around(nil); v != ViewOf(World, false) {
		t.Error("no points are not on a map of the world")
	}
}

// Areas are true: the projections keep them (Greenland is a fourteenth of Africa).
func TestAreasAreTrue(t *testing.T) {
	t.Parallel()
	g := Countries()
	v := ViewOf(World, true)
	scale := 0.0
	for _, tc := range []struct {
		code string
		km2  float64 // as known
	}{
		{"BR", 8_515_767},
		{"AU", 7_692_024},
		{"GL", 2_166_086},
		{"CD", 2_344_858},
		{"FR", 551_500},
		{"FI", 338_424},
		{"IN", 3_287_263},
		{"SE", 450_295},
	} {
		per := v.Shapes[g.Find(tc.code)].Area / tc.km2
		if scale == 0 {
			scale = per
		}
		if math.Abs(per/scale-1) > 0.08 { // lakes, islands, and disputed areas
			t.Errorf("%s has %.3f of Brazil's scale", tc.code, per/scale)
		}
	}
}

func BenchmarkAround(b *testing.B) {
	points := [][2]float64{{53.5, 10}, {38.1, 15.6}, {40.4, -3.7}, {59.3, 18}}
	caps()
	for b.Loop() {
		Around(points)
	}
}
