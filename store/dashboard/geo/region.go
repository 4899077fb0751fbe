package geo

import (
	"math"
	"slices"
	"strings"
	"sync"
)

// World and US are the names of the regions that are not continents.
const (
	World = "world"
	US    = "us" // its states
)

// A continent is shown by a map that includes some of its places.
type continent struct {
	name   string
	places [][2]float64 // degrees of latitude and longitude
}

// continents are in order of preference: if the maps of several continents show all countries of a selection, the first is used.
var continents = []continent{
	{"europe", [][2]float64{{71.2, 26}, {66.5, -24.5}, {37, -9.5}, {34.5, 24}, {34.6, 34}, {37.5, 45}, {62, 45}}},
	{"south_america", [][2]float64{{13, -72}, {-56, -68}, {-7, -34}, {-4.6, -81.8}}},
	{"africa", [][2]float64{{37.6, 10}, {15, -25.5}, {-35, 20}, {11.8, 51.5}, {-20.5, 58}}},
	{"oceania", [][2]float64{{-35, 113}, {-47.5, 168}, {16, 145.5}, {-23, -148}, {7, 134}}},
	{"north_america", [][2]float64{{60, -166}, {71.5, -157}, {80, -80}, {76, -60}, {47, -52}, {7, -78}, {13, -59}, {54, -164}}},
	{"asia", [][2]float64{{42, 26}, {12.5, 43}, {-11, 100}, {-10, 141}, {45.5, 146}, {53.6, 123}, {55.5, 70}}},
	{"antarctica", [][2]float64{{-62, 0}, {-62, 45}, {-62, 90}, {-62, 135}, {-62, 180}, {-62, -135}, {-62, -90}, {-62, -45}}},
}

// Regions are the names of the regions that are not countries.
var Regions = regions()

func regions() []string {
	out := []string{World, US}
	for _, c := range continents {
		out = append(out, c.name)
	}
	slices.Sort(out[2:])
	return out
}

// otherRegions maps other names, in the form that fold returns, to regions.
var otherRegions = map[string]string{
	"global": World, "globe": World, "earth": World, "all": World,
	"usstates": US, "states": US, "unitedstatesamerica": US,
	"eu": "europe", "europeanunion": "europe", "northamerica": "north_america", "southamerica": "south_america", "australasia": "oceania",
}

// FindRegion returns the region that a text means: one of [Regions], or the code of a country. For the country US, it returns [US], the
// region of its states.
func FindRegion(text string) (region string, ok bool) {
	key := fold(text)
	if slices.Contains(Regions, strings.ToLower(text)) {
		return strings.ToLower(text), true
	}
	if r := otherRegions[key]; r != "" {
		return r, true
	}
	if slices.Contains(Regions, key) {
		return key, true
	}
	g := Countries()
	i := g.Find(text)
	switch {
	case i < 0 || len(world().polys[i]) == 0:
		return "", false
	case g.Areas[i].Code == "US":
		return US, true
	}
	return g.Areas[i].Code, true
}

var views = sync.OnceValue(func() map[string]func() *View {
	out := map[string]func() *View{World: worldView(WorldAspect), "": worldView(GlobeAspect), US: statesView}
	for _, c := range continents {
		out[c.name] = sync.OnceValue(func() *View { return fit(c.places, 0.015, math.Sqrt2) })
	}
	g := Countries()
	for i := range g.Areas {
		out[g.Areas[i].Code] = sync.OnceValue(func() *View { return fit(mainland(i), 0.06, math.Sqrt2) })
	}
	return out
})

// ViewOf returns the map of a region that [FindRegion] has returned. The world has Antarctica only if antarctica is set.
func ViewOf(region string, antarctica bool) *View {
	if region == World && antarctica {
		region = ""
	}
	return views()[region]()
}

// mainland returns the vertices of a country's largest polygon, of the islands near it, of the islands near those, and so on.
func mainland(area int) [][2]float64 {
	a, all := world(), caps()[area]
	if len(all) == 0 {
		return nil
	}
	var out [][2]float64
	left := indices(len(all))
	for near := []int{a.largest[area]}; len(near) > 0; near = near[1:] {
		for _, v := range a.ring(nil, a.polys[area][near[0]][0], level(1)) {
			out = append(out, [2]float64{float64(v.y) / a.units, float64(v.x) / a.units})
		}
		from := all[near[0]]
		p := newAzimuthal(from.lat, from.lon)
		left = slices.DeleteFunc(left, func(i int) bool {
			found := i == near[0] || p.away(all[i].lat, all[i].lon)-all[i].reach-from.reach < island
			if found && i != near[0] {
				near = append(near, i)
			}
			return found
		})
	}
	return out
}

// island is the largest distance of an island that counts as near, in radii of the globe: 500 km.
const island = 0.08

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Limits of views, in radii of the globe: leastReach is the smallest half width and half height. mostReach is the largest half diagonal;
// beyond it, the view becomes one of the world.
const (
	leastReach = 75. / 6371
	mostReach  = 1.15
)

// Around returns a map that shows points, given as latitudes and longitudes in degrees: the whole world if they are far apart. They need
// not be on land. It takes a few milliseconds.
func Around(points [][2]float64) *View {
	if len(points) == 0 {
		return ViewOf(World, false)
	}
	south := slices.ContainsFunc(points, func(p [2]float64) bool { return p[0] < -56 })
	if discOf(points).reach > 1.5*mostReach {
		return ViewOf(World, south)
	}
	if v := fit(points, 0.08, mostReach); v != nil {
		return v
	}
	return ViewOf(World, south)
}

// fit returns a view of points, with a margin on all sides as a fraction of its size, or nil if it would extend farther than most, in radii
// of the globe.
func fit(points [][2]float64, margin, most float64) *View {
	middle := discOf(points)
	p := newAzimuthal(middle.lat, middle.lon)
	for range 2 { // the centre of the box is not the centre of the points
		lo, hi := bounds(p, points)
		p = newAzimuthal(p.invert(place{(lo.x + hi.x) / 2, (lo.y + hi.y) / 2}))
	}
	lo, hi := bounds(p, points)
	w, h := (hi.x-lo.x)*(0.5+margin), (hi.y-lo.y)*(0.5+margin)
	x, y := (lo.x+hi.x)/2, (lo.y+hi.y)/2
	if w, h = max(w, leastReach), max(h, leastReach); math.Hypot(w, h) > most {
		return nil
	}
	return around(p, place{x - w, y - h}, place{x + w, y + h})
}

func bounds(p azimuthal, points [][2]float64) (lo, hi place) {
	lo, hi = place{math.Inf(1), math.Inf(1)}, place{math.Inf(-1), math.Inf(-1)}
	for _, q := range points {
		at := p.project(q[0], q[1])
		lo, hi = place{min(lo.x, at.x), min(lo.y, at.y)}, place{max(hi.x, at.x), max(hi.y, at.y)}
	}
	return lo, hi
}

// Fit returns the region that shows a selection of countries, by their index in [Countries]: the continent to which all belong, or else one
// whose map shows all of them, or the world.
func Fit(areas []int) string {
	g, all := Countries(), caps()
	shows := func(has func(c string, area int) bool) string {
		for _, c := range continents {
			if !slices.ContainsFunc(areas, func(i int) bool { return !has(c.name, i) }) {
				return c.name
			}
		}
		return World
	}
	if len(areas) == 0 {
		return World
	}
	if c := shows(func(c string, i int) bool { return g.Areas[i].Continent == c }); c != World {
		return c
	}
	return shows(func(c string, i int) bool {
		if g.Areas[i].Continent == c || len(all[i]) == 0 {
			return g.Areas[i].Continent == c
		}
		heart := all[i][world().largest[i]]
		_, _, ok := ViewOf(c, false).At(heart.lat, heart.lon)
		return ok
	})
}
