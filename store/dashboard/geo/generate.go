//go:build ignore

// Generate writes names.json, world.bin and us.bin: the names of countries and US states, and their outlines. It takes the data from npm's
// packages of Natural Earth, of the Census Bureau and of the Unicode Common Locale Data Repository, so it needs npm and a network; no other
// part of the project does.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

var packages = []string{
	"world-atlas@2.0.2", "us-atlas@3.0.1", "cldr-localenames-full@48.2.0", "cldr-core@48.2.0",
}

// languages are those in which all countries are named. The countries' own languages are added.
var languages = strings.Fields("en de fr es pt it nl ja zh ko ar")

// A part is an area with a code in ISO 3166 that Natural Earth shows as part of a country: the polygons whose middle is in the box are cut
// off the country's outline.
type part struct {
	code, of                 string
	west, south, east, north float64
}

var parts = []part{
	{"GF", "FR", -55, 2, -51, 6},
	{"GP", "FR", -62, 15.7, -61, 16.6},
	{"MQ", "FR", -61.4, 14.3, -60.7, 15},
	{"RE", "FR", 55, -21.5, 56, -20.8},
	{"YT", "FR", 44.9, -13.1, 45.4, -12.6},
	{"SJ", "NO", 10, 74, 34, 81},
	{"SJ", "NO", -10, 70, -7, 72},
	{"BQ", "NL", -69, 12, -68, 12.5},
	{"BQ", "NL", -63.4, 17.4, -62.8, 17.8},
	{"TK", "NZ", -173, -10, -171, -8},
	{"CC", indian, 96, -13, 97.5, -11},
	{"CX", indian, 105, -11, 106, -10},
}

// Codes of shapes without a code in ISO 3166. Siachen, for which there are no data, has no name.
const (
	ncyprus, somaliland, siachen = "-ncyprus", "-somaliland", "-siachen"
	indian                       = "-indian"
)

var without = map[string]string{
	"N. Cyprus": ncyprus, "Somaliland": somaliland, "Siachen Glacier": siachen, "Indian Ocean Ter.": indian, "Kosovo": "XK",
}

// belongs maps an area without a value of its own to the country with whose value it is drawn.
var belongs = map[string]string{ncyprus: "CY", somaliland: "SO", "CC": "AU", "CX": "AU"}

func main() {
	dir, err := os.MkdirTemp("", "geo")
	check(err)
	defer os.RemoveAll(dir)
	cmd := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--prefix", dir}, packages...)...)
	cmd.Stderr = os.Stderr
	check(cmd.Run())
	g := &generator{dir: filepath.Join(dir, "node_modules")}
	g.countries()
	g.states()
	b, err := json.MarshalIndent(map[string]any{"countries": g.named, "states": g.stateNames}, "", "\t")
	check(err)
	check(os.WriteFile("names.json", append(b, '\n'), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

type generator struct {
	dir        string
	named      []area
	stateNames []area
}

// An area is a line of names.json.
type area struct {
	Code      string            `json:"code"` // ISO 3166-1 alpha-2; of a state, its postal code
	ISO3      string            `json:"iso3,omitempty"`
	Numeric   string            `json:"numeric,omitempty"` // ISO 3166-1, or FIPS
	Continent string            `json:"continent,omitempty"`
	Of        string            `json:"of,omitempty"`
	Names     map[string]string `json:"names,omitempty"` // by language
	Also      []string          `json:"also,omitempty"`  // variants, and names in the area's own languages
}

func (g *generator) read(v any, path ...string) {
	b, err := os.ReadFile(filepath.Join(append([]string{g.dir}, path...)...))
	check(err)
	check(json.Unmarshal(b, v))
}

// A topology is a TopoJSON file whose objects are polygons.
type topology struct {
	Transform struct{ Scale, Translate [2]float64 }
	Arcs      [][][2]int
	Objects   map[string]struct {
		Geometries []struct {
			Type       string
			ID         string
			Arcs       json.RawMessage
			Properties struct{ Name string }
		}
	}
}

// An outline is the outline of an area in world.bin.
type outline struct {
	code  string
	polys [][][]int // polygons of rings of arcs; ^n is arc n backwards
}

type vertex struct{ x, y float64 }

func (t *topology) arcs() [][]vertex {
	out := make([][]vertex, len(t.Arcs))
	for i, arc := range t.Arcs {
		x, y := 0, 0
		for _, d := range arc {
			x, y = x+d[0], y+d[1]
			out[i] = append(out[i], vertex{
				float64(x)*t.Transform.Scale[0] + t.Transform.Translate[0], float64(y)*t.Transform.Scale[1] + t.Transform.Translate[1],
			})
		}
	}
	return out
}

func polygons(kind string, raw json.RawMessage) [][][]int {
	var many [][][]int
	switch kind {
	case "MultiPolygon":
		check(json.Unmarshal(raw, &many))
	case "Polygon":
		var one [][]int
		check(json.Unmarshal(raw, &one))
		many = [][][]int{one}
	}
	return many
}

func (g *generator) countries() {
	var codes struct {
		Supplemental struct {
			CodeMappings map[string]struct {
				Numeric string `json:"_numeric"`
				Alpha3  string `json:"_alpha3"`
			}
		}
	}
	g.read(&codes, "cldr-core", "supplemental", "codeMappings.json")
	english := g.territories("en")
	byNumber := map[string]string{}
	for code, m := range codes.Supplemental.CodeMappings {
		if len(code) == 2 && m.Numeric != "" && m.Numeric < "900" && english[code] != "" {
			byNumber[m.Numeric] = code
		}
	}

	var world, fine topology
	g.read(&world, "world-atlas", "countries-50m.json")
	g.read(&fine, "world-atlas", "countries-10m.json")
	arcs := world.arcs()
	found := map[string]*outline{}
	also := map[string][]string{}
	var order []string
	add := func(code string, polys [][][]int) {
		if found[code] == nil {
			found[code] = &outline{code: code}
			order = append(order, code)
		}
		found[code].polys = append(found[code].polys, polys...)
	}
	for _, geo := range world.Objects["countries"].Geometries {
		name := geo.Properties.Name
		code := byNumber[geo.ID]
		if code == "" {
			code = without[name]
		}
		if code == "" {
			log.Fatalf("no code for %s, %s", geo.ID, name)
		}
		if code != siachen && code != indian && name != "Ashmore and Cartier Is." {
			also[code] = append(also[code], name)
		}
		for _, p := range polygons(geo.Type, geo.Arcs) {
			middle := middleOf(arcs, p[0])
			to := code
			for _, part := range parts {
				if part.of == code && middle.x > part.west && middle.x < part.east && middle.y > part.south && middle.y < part.north {
					to = part.code
				}
			}
			add(to, [][][]int{p})
		}
	}
	extra := fine.arcs() // of countries that are too small for the others
	for _, geo := range fine.Objects["countries"].Geometries {
		code := byNumber[geo.ID]
		if code == "" || code == "UM" || found[code] != nil {
			continue
		}
		polys := polygons(geo.Type, geo.Arcs)
		log.Printf("%s, %s: %d polygons of 1:10 million", code, geo.Properties.Name, len(polys))
		for _, p := range polys {
			for _, ring := range p {
				for i, n := range ring {
					arc := max(n, ^n)
					arcs = append(arcs, extra[arc])
					if ring[i] = len(arcs) - 1; n < 0 {
						ring[i] = ^ring[i]
					}
				}
			}
		}
		add(code, polys)
	}
	if found[indian] != nil {
		log.Fatal("a polygon of the Indian Ocean Territories is neither CC nor CX")
	}
	of := map[string]string{}
	for _, p := range parts {
		of[p.code] = p.of
		if found[p.code] == nil {
			log.Fatalf("no shape of %s", p.code)
		}
	}
	for code, parent := range belongs {
		of[code] = parent
	}

	names := map[string]map[string]string{}
	for _, lang := range languages {
		names[lang] = g.territories(lang)
	}
	continents := g.continents()
	own := g.ownLanguages()
	all := slices.Clone(order)
	for _, code := range byNumber {
		if found[code] == nil {
			all = append(all, code)
			log.Printf("%s, %s: no shape", code, english[code])
		}
	}
	slices.Sort(all)
	for _, code := range all {
		a := area{Code: code, Continent: continents[code], Of: of[code], Names: map[string]string{}}
		if m := codes.Supplemental.CodeMappings[code]; len(code) == 2 {
			a.ISO3 = m.Alpha3
			if m.Numeric < "900" {
				a.Numeric = m.Numeric
			}
		}
		keep := func(name string) {
			if name != "" && !slices.Contains(a.Also, name) {
				a.Also = append(a.Also, name)
			}
		}
		for _, lang := range languages {
			if name := names[lang][code]; name != "" {
				a.Names[lang] = name
			}
			for _, variant := range []string{"variant", "short", "chagos"} {
				keep(names[lang][code+"-alt-"+variant])
			}
		}
		for _, name := range also[code] {
			keep(name)
		}
		for _, lang := range own[code] {
			if slices.Contains(languages, lang) {
				continue
			}
			t := g.territories(lang)
			keep(t[code])
			keep(t[code+"-alt-short"])
		}
		switch code {
		case ncyprus:
			a.Names["en"], a.Continent = "Northern Cyprus", continents["CY"]
		case somaliland:
			a.Names["en"], a.Continent = "Somaliland", continents["SO"]
		}
		a.Also = slices.DeleteFunc(a.Also, func(name string) bool {
			for _, n := range a.Names {
				if n == name {
					return true
				}
			}
			return false
		})
		g.named = append(g.named, a)
	}
	slices.Sort(order)
	var out []outline
	for _, code := range order {
		out = append(out, *found[code])
	}
	// A degree is 400 units; a step of the weights is a factor of two, from 0.01 km² on.
	kilometres := func(a, b, c vertex) float64 {
		scale := math.Cos((a.y + b.y + c.y) / 3 * math.Pi / 180)
		return 111.2 * 111.2 * scale * area2(a, b, c) / 2
	}
	write("world.bin", arcs, out, 400, 0.01, kilometres)
}

// area2 returns twice the area of a triangle.
func area2(a, b, c vertex) float64 { return math.Abs((b.x-a.x)*(c.y-a.y) - (c.x-a.x)*(b.y-a.y)) }

func middleOf(arcs [][]vertex, ring []int) vertex {
	lo, hi := vertex{math.Inf(1), math.Inf(1)}, vertex{math.Inf(-1), math.Inf(-1)}
	for _, n := range ring {
		for _, v := range arcs[max(n, ^n)] {
			lo = vertex{min(lo.x, v.x), min(lo.y, v.y)}
			hi = vertex{max(hi.x, v.x), max(hi.y, v.y)}
		}
	}
	return vertex{(lo.x + hi.x) / 2, (lo.y + hi.y) / 2}
}

// territories are the names of countries in a language.
func (g *generator) territories(lang string) map[string]string {
	var file struct {
		Main map[string]struct {
			LocaleDisplayNames struct{ Territories map[string]string }
		}
	}
	path := []string{"cldr-localenames-full", "main", lang, "territories.json"}
	if _, err := os.Stat(filepath.Join(append([]string{g.dir}, path...)...)); err != nil {
		return nil // a language in which CLDR has no names
	}
	g.read(&file, path...)
	return file.Main[lang].LocaleDisplayNames.Territories
}

// continents returns the continents of the UN's M49, by country.
func (g *generator) continents() map[string]string {
	var file struct {
		Supplemental struct {
			TerritoryContainment map[string]struct {
				Contains []string `json:"_contains"`
			}
		}
	}
	g.read(&file, "cldr-core", "supplemental", "territoryContainment.json")
	out := map[string]string{}
	var walk func(code, continent string)
	walk = func(code, continent string) {
		for _, c := range file.Supplemental.TerritoryContainment[code].Contains {
			if len(c) == 2 && c != "QO" && c != "EU" && c != "UN" && c != "EZ" {
				out[c] = continent
			} else {
				walk(c, continent)
			}
		}
	}
	for code, continent := range map[string]string{
		"002": "africa", "150": "europe", "142": "asia", "009": "oceania", "003": "north_america", "005": "south_america",
	} {
		walk(code, continent)
	}
	out["AQ"] = "antarctica"
	return out
}

// ownLanguages returns the official languages of countries.
func (g *generator) ownLanguages() map[string][]string {
	var file struct {
		Supplemental struct {
			TerritoryInfo map[string]struct {
				LanguagePopulation map[string]struct {
					Status string `json:"_officialStatus"`
				}
			}
		}
	}
	g.read(&file, "cldr-core", "supplemental", "territoryInfo.json")
	out := map[string][]string{}
	for code, info := range file.Supplemental.TerritoryInfo {
		for lang, l := range info.LanguagePopulation {
			if l.Status != "" {
				out[code] = append(out[code], strings.ReplaceAll(lang, "_", "-"))
			}
		}
		slices.Sort(out[code])
	}
	return out
}

// postal are the codes of the US Postal Service by those of FIPS 5-2.
var postal = map[string]string{}

func init() {
	fields := strings.Fields(`01 AL 02 AK 04 AZ 05 AR 06 CA 08 CO 09 CT 10 DE 11 DC 12 FL 13 GA 15 HI 16 ID 17 IL 18 IN 19 IA 20 KS 21 KY
		22 LA 23 ME 24 MD 25 MA 26 MI 27 MN 28 MS 29 MO 30 MT 31 NE 32 NV 33 NH 34 NJ 35 NM 36 NY 37 NC 38 ND 39 OH 40 OK 41 OR 42 PA
		44 RI 45 SC 46 SD 47 TN 48 TX 49 UT 50 VT 51 VA 53 WA 54 WV 55 WI 56 WY 60 AS 66 GU 69 MP 72 PR 78 VI`)
	for i := 0; i < len(fields); i += 2 {
		postal[fields[i]] = fields[i+1]
	}
}

// states writes us.bin: the states in Albers' projection, with Alaska and Hawaii next to the others, on 975 by 610 units; and names the
// territories that are not on that map.
func (g *generator) states() {
	var albers, all topology
	g.read(&albers, "us-atlas", "states-albers-10m.json")
	g.read(&all, "us-atlas", "states-10m.json")
	var out []outline
	for _, geo := range albers.Objects["states"].Geometries {
		out = append(out, outline{postal[geo.ID], polygons(geo.Type, geo.Arcs)})
	}
	slices.SortFunc(out, func(a, b outline) int { return strings.Compare(a.code, b.code) })
	for _, geo := range all.Objects["states"].Geometries {
		if postal[geo.ID] == "" {
			log.Fatalf("no postal code of %s", geo.Properties.Name)
		}
		g.stateNames = append(g.stateNames, area{
			Code: postal[geo.ID], Numeric: geo.ID, Names: map[string]string{"en": geo.Properties.Name},
		})
	}
	slices.SortFunc(g.stateNames, func(a, b area) int { return strings.Compare(a.Code, b.Code) })
	write("us.bin", albers.arcs(), out, 8, 0.01, func(a, b, c vertex) float64 { return area2(a, b, c) / 2 })
}

// write writes outlines with the arcs that they share. See the comment of decode in shapes.go.
func write(name string, arcs [][]vertex, outlines []outline, units, least float64, size func(a, b, c vertex) float64) {
	used := map[int]int{}
	var list []int
	for _, o := range outlines {
		for _, p := range o.polys {
			for _, ring := range p {
				for i, n := range ring {
					arc := max(n, ^n)
					if _, ok := used[arc]; !ok {
						used[arc] = len(list)
						list = append(list, arc)
					}
					if ring[i] = used[arc]; n < 0 {
						ring[i] = ^ring[i]
					}
				}
			}
		}
	}
	var points, weights, shapes []byte
	points = binary.AppendUvarint(points, uint64(len(list)))
	total := 0
	for _, n := range list {
		arc := arcs[n]
		w := effective(arc, size)
		var xs, ys []int
		var levels []byte
		for i, v := range arc {
			level := 0
			if !math.IsInf(w[i], 1) {
				level = int(math.Floor(math.Log2(w[i]/least))) + 1
				if level <= 0 { // invisible at any size
					continue
				}
				level = min(level, 30)
			} else {
				level = 31
			}
			xs, ys = append(xs, int(math.Round(v.x*units))), append(ys, int(math.Round(v.y*units)))
			levels = append(levels, byte(level))
		}
		points = binary.AppendUvarint(points, uint64(len(xs)))
		x, y := 0, 0
		for i := range xs {
			points = binary.AppendVarint(points, int64(xs[i]-x))
			points = binary.AppendVarint(points, int64(ys[i]-y))
			x, y = xs[i], ys[i]
		}
		weights = append(weights, levels...)
		total += len(xs)
	}
	shapes = binary.AppendUvarint(shapes, uint64(len(outlines)))
	for _, o := range outlines {
		shapes = binary.AppendUvarint(shapes, uint64(len(o.code)))
		shapes = append(shapes, o.code...)
		shapes = binary.AppendUvarint(shapes, uint64(len(o.polys)))
		for _, p := range o.polys {
			shapes = binary.AppendUvarint(shapes, uint64(len(p)))
			for _, ring := range p {
				shapes = binary.AppendUvarint(shapes, uint64(len(ring)))
				for _, n := range ring {
					shapes = binary.AppendVarint(shapes, int64(n))
				}
			}
		}
	}
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestCompression)
	check(err)
	for _, part := range [][]byte{points, weights, shapes} {
		_, err := z.Write(part)
		check(err)
	}
	check(z.Close())
	check(os.WriteFile(name, b.Bytes(), 0o644))
	log.Printf("%s: %d arcs, %d vertices, %d areas, %d bytes", name, len(list), total, len(outlines), b.Len())
}

// effective returns the effective areas of Visvalingam and Whyatt: the loss of an arc's shape if a vertex is removed after all those with a
// smaller area. The area of both ends is infinite.
func effective(arc []vertex, size func(a, b, c vertex) float64) []float64 {
	out := make([]float64, len(arc))
	type node struct{ before, after int }
	links := make([]node, len(arc))
	for i := range arc {
		out[i] = math.Inf(1)
		links[i] = node{i - 1, i + 1}
	}
	left := map[int]float64{}
	for i := 1; i+1 < len(arc); i++ {
		left[i] = size(arc[i-1], arc[i], arc[i+1])
	}
	most := 0.0
	for len(left) > 0 {
		best := -1
		for i, s := range left {
			if best < 0 || s < left[best] || s == left[best] && i < best {
				best = i
			}
		}
		most = max(most, left[best])
		out[best] = most
		delete(left, best)
		l := links[best]
		links[l.before].after, links[l.after].before = l.after, l.before
		for _, i := range []int{l.before, l.after} {
			if _, ok := left[i]; ok {
				left[i] = size(arc[links[i].before], arc[i], arc[links[i].after])
			}
		}
	}
	return out
}
