package panel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/chart"
	"service/store/dashboard/geo"
)

// areas computes a map of areas.
func areas(t *testing.T, panel dashboard.Panel, columns []string, rows ...[]any) (*areasPanel, *Panel) {
	t.Helper()
	panel.Type = dashboard.Map
	p := open(tiny([]dashboard.Panel{panel}, columns, rows...)).Panel(0)
	if p.Content == nil {
		t.Fatalf("%+v: %s%s", panel, p.Problem, p.Empty)
	}
	return p.Content.(*areasPanel), p
}

// TestMapAddsUp: an area has the colour of the sum of its rows, in every spelling of its name.
func TestMapAddsUp(t *testing.T) {
	t.Parallel()
	names := [][]string{{"UK", "United Kingdom", "GBR", "826"}, {"Germany", "de"}, {"Côte d'Ivoire", "Ivory Coast"}, {"Atlantis"}, {"Malta"}}
	var rows [][]any
	sums, counts := map[string]float64{}, map[string]float64{}
	for i := range 200 {
		of := names[i%len(names)]
		v, n := float64(i*7%13)+0.25, int64(i%3+1)
		rows = append(rows, []any{of[i/len(names)%len(of)], v, n})
		sums[of[0]] += v
		counts[of[0]] += float64(n)
	}
	columns := []string{"country text", "v number sum", "n integer sum"}
	for _, ratio := range []bool{false, true} {
		panel := dashboard.Panel{Type: dashboard.Map, Area: "country", Value: "v"}
		if ratio {
			panel.Value = "r"
		}
		v := tiny([]dashboard.Panel{panel}, columns, rows...)
		v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: "r", Ratio: [2]string{"v", "n"}})
		p := open(v).Panel(0)
		m := p.Content.(*areasPanel)
		if len(m.values) != 4 || len(p.Grid.Rows) != 5 {
			t.Fatalf("%d areas, %d rows", len(m.values), len(p.Grid.Rows))
		}
		for i, name := range []string{"UK", "Germany", "Côte d'Ivoire", "Malta"} {
			want := sums[name]
			if ratio {
				want /= counts[name]
			}
			at := slices.IndexFunc(m.values, func(a areaValue) bool { return a.area == geo.Countries().Find(name) })
			if at < 0 || math.Abs(m.values[at].value-want) > 1e-9 {
				t.Errorf("%d: %s is %v, want %v", i, name, m.values, want)
			}
		}
		if notes := strings.Join(p.Notes, " "); !strings.HasPrefix(notes, "5 values are other names of an area, such as United Kingdom of UK. "+
			"1 value of country is not on the map: Atlantis.") {
			t.Errorf("notes: %s", notes)
		}
		if got := codes(v); got != "merged panels[0].area, not_on_map panels[0].area" {
			t.Errorf("warnings: %s", got)
		}
	}
}

// TestMapColors: every value has the colour of its step: of equally wide steps, of two colours around zero, or, if most areas would be in
// the first step, of steps with equal numbers of areas.
func TestMapColors(t *testing.T) {
	t.Parallel()
	var even, signs, skew [][]any
	g := geo.Countries()
	for i := range 70 {
		code := g.Areas[i*3].Code
		even = append(even, []any{code, float64(i)})
		signs = append(signs, []any{code, float64(i - 20)})
		skew = append(skew, []any{code, math.Exp(float64(i) / 5)})
	}
	columns := []string{"country text", "v number sum"}
	panel := dashboard.Panel{Area: "country", Value: "v", Region: "world"}
	m, _ := areas(t, panel, columns, even...)
	count := map[canvas.Color]int{}
	for _, a := range m.values {
		count[m.domain.color(a.value)]++
		step := min(int(a.value/m.domain.hi*canvas.HeatSteps), canvas.HeatSteps-1)
		if want := canvas.HeatColor + canvas.Color(step); m.domain.color(a.value) != want {
			t.Errorf("%v has colour %d, want %d", a.value, m.domain.color(a.value), want)
		}
	}
	if len(count) != canvas.HeatSteps {
		t.Errorf("steps of even values: %v", count)
	}
	m, _ = areas(t, panel, columns, signs...)
	for _, a := range m.values {
		if above := m.domain.color(a.value) >= canvas.HeatColor+canvas.HeatSteps; above != (a.value >= 0) {
			t.Errorf("%v has colour %d", a.value, m.domain.color(a.value))
		}
	}
	m, p := areas(t, panel, columns, skew...)
	clear(count)
	for _, a := range m.values {
		count[m.domain.color(a.value)]++
	}
	for c, n := range count {
		if n < 7 || n > 13 {
			t.Errorf("%d of %d areas have colour %d", n, len(m.values), c)
		}
	}
	if len(count) != canvas.HeatSteps || !strings.Contains(strings.Join(p.Notes, " "), "Each color has about as many areas.") {
		t.Errorf("steps of skewed values: %v, %q", count, p.Notes)
	}
	r := &canvas.Recorder{}
	m.Draw(r)
	texts := p.Env.key(&m.domain, &m.col).Texts
	if want := fmt.Sprintf("ramp %q of ", texts); !strings.Contains(r.String(), want) || len(texts) != canvas.HeatSteps+1 {
		t.Errorf("the legend lacks %s", want)
	}
}

// TestMapWithoutValues: a missing value differs from zero: its area is hatched. An area without a code of its own is drawn with its
// country, unless it has a value.
func TestMapWithoutValues(t *testing.T) {
	t.Parallel()
	columns := []string{"country text", "v number sum"}
	panel := dashboard.Panel{Area: "country", Value: "v", Region: "world"}
	drawn := func(rows ...[]any) (hatched, colored string) {
		m, _ := areas(t, panel, columns, rows...)
		r := &shapes{}
		m.Draw(r)
		return r.hatched, r.colored
	}
	rings := func(texts ...string) int {
		n := 0
		for _, text := range texts {
			n += len(geo.ViewOf(geo.World, false).Shapes[geo.Countries().Find(text)].Rings)
		}
		return n
	}
	all := 0
	for _, s := range geo.ViewOf(geo.World, false).Shapes {
		all += len(s.Rings)
	}
	for name, tc := range map[string]struct {
		rows    [][]any
		colored string
		shown   int // rings with a colour
	}{
		"zero and null": {[][]any{{"Germany", 0.0}, {"Spain", nil}, {"Italy", 5.0}}, "Italy|5 Germany|0", rings("DE", "IT")},
		"parts": {[][]any{{"Somalia", 1.0}, {"France", 2.0}}, "France|2 Somalia|1", rings("SO", "Somaliland", "FR", "GF", "GP", "MQ",
			"RE", "YT")},
		"their own": {[][]any{{"Somalia", 1.0}, {"Somaliland", 3.0}}, "Somaliland|3 Somalia|1", rings("SO", "Somaliland")},
		"without":   {[][]any{{"Somaliland", 3.0}, {"Serbia", 1.0}}, "Somaliland|3 Serbia|1", rings("Somaliland", "RS")},
	} {
		hatched, colored := drawn(tc.rows...)
		if colored != tc.colored || hatched != fmt.Sprint(all-tc.shown) {
			t.Errorf("%s: %s coloured, %s rings hatched, want %s and %d", name, colored, hatched, tc.colored, all-tc.shown)
		}
	}
}

// A shapes is a canvas that keeps which areas are coloured, and the number of hatched rings.
type shapes struct {
	canvas.Recorder
	hatched, colored string
}

func (s *shapes) Shape(a canvas.Shape) {
	if a.Hatched {
		s.hatched = fmt.Sprint(len(a.Rings))
		return
	}
	s.colored = strings.TrimSpace(s.colored + " " + strings.ReplaceAll(strings.Join(a.Title, ""), "\n", "|"))
}

// TestSmallAreasHaveDots: each small area has a dot in the colour of its value; on a phone more areas have one.
func TestSmallAreasHaveDots(t *testing.T) {
	t.Parallel()
	m, _ := areas(t, dashboard.Panel{Area: "country", Value: "v", Region: "world"}, []string{"country text", "v number sum"},
		[]any{"Singapore", 1.0}, []any{"Malta", 2.0}, []any{"Netherlands", 3.0}, []any{"Brazil", 4.0}, []any{"Tuvalu", 5.0})
	r := &canvas.Recorder{}
	m.Draw(r)
	always, phones, _ := strings.Cut(r.String(), "group")
	if n := strings.Count(always, "circle"); n != 3 {
		t.Errorf("%d dots on all widths, want 3: Singapore, Malta and Tuvalu\n%s", n, always)
	}
	if n := strings.Count(phones, "circle"); n != 1 || !strings.Contains(phones, "on phone\n") {
		t.Errorf("%d more dots on a phone, want 1: the Netherlands\n%s", n, phones)
	}
}

// TestMapRegions: the region of the map does not change when a reader filters, and the panel reports values outside of it.
func TestMapRegions(t *testing.T) {
	t.Parallel()
	columns := []string{"country text", "v number sum"}
	rows := [][]any{{"France", 1.0}, {"Kenya", 2.0}, {"Puerto Rico", 3.0}, {"Bouvet Island", 4.0}}
	for _, tc := range []struct {
		region, country, codes, note string
		aspect                       geo.Aspect
		drawn                        int
	}{
		{"", "", "not_on_map panels[0].region", "1 area is outside of this map: Bouvet Island.", geo.WorldAspect, 3},
		{"", "France", "", "", geo.WorldAspect, 1},
		{"europe", "", "not_on_map panels[0].region", "3 areas are outside of this map: Bouvet Island, Puerto Rico, Kenya.", geo.BroadAspect, 1},
		{"KE", "", "not_on_map panels[0].region", "3 areas are outside", geo.TallAspect, 1},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Map, Area: "country", Value: "v", Region: tc.region}}, columns, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "country"}}
		if tc.country != "" {
			v.Query = map[string][]string{"f.country": {tc.country}}
		}
		p := open(v).Panel(0)
		m := p.Content.(*areasPanel)
		if m.view.Aspect != tc.aspect || len(m.values) != tc.drawn || !strings.Contains(strings.Join(p.Notes, " "), tc.note) {
			t.Errorf("%+v: aspect %d, %d drawn, %q", tc, m.view.Aspect, len(m.values), p.Notes)
		}
		if got := codes(v); got != tc.codes {
			t.Errorf("%+v: warnings %s", tc, got)
		}
	}
	m, _ := areas(t, dashboard.Panel{Area: "country", Value: "v"}, columns, []any{"France", 1.0}, []any{"Cyprus", 1.0})
	if m.view != geo.ViewOf("europe", false) {
		t.Error("France and Cyprus are not on a map of Europe")
	}
	m, _ = areas(t, dashboard.Panel{Area: "country", Value: "v"}, columns, []any{"Antarctica", 1.0}, []any{"France", 2.0})
	if m.view != geo.ViewOf(geo.World, true) {
		t.Error("Antarctica is not on the map of the world that has a value of it")
	}
}

// TestMapNames: only the author reads the most similar name; names are in the language of the page.
func TestMapNames(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Map, Area: "country", Value: "v"}}, []string{"country text", "v number sum"},
		[]any{"DE", 1.0}, []any{"Frnace", 2.0}, []any{"World", 3.0}, []any{"a", 1.0}, []any{"b", 1.0}, []any{"c", 1.0}, []any{"d", 1.0})
	want := `[not_on_map] panels[0].area: 6 of 7 values of "country" are no country that a map knows: ` +
		`"World", "Frnace" (France?), "a", "b", "c", ` +
		`and 1 more; the sql can rename them, or leave them out.`
	if got := fmt.Sprint(warnings(v)); got != "["+want+"]" {
		t.Errorf("%s\nwant %s", got, want)
	}
	v.Spec.Locale = "de-DE"
	doc := string(render(t, v))
	for _, want := range []string{
		"<title>Deutschland\n1</title>", "6 Werte von Country sind nicht auf der Karte: World, Frnace, a, b, c, und 1 weiterer.",
		"Karte: Natural Earth.", "Schraffiert: keine Daten.",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the page in German lacks %s", want)
		}
	}
	if strings.Contains(doc, "France?") {
		t.Error("readers are told what the author may have meant")
	}
}

// TestMapPicks: a click on an area filters by the value of its rows; if several values name the area, it leads nowhere.
func TestMapPicks(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Map, Area: "country", Value: "v"}}, []string{"country text", "v number sum"},
		[]any{"DE", 1.0}, []any{"UK", 2.0}, []any{"GB", 2.0}, []any{"World", 3.0}, []any{nil, 4.0}, []any{"Malta", nil})
	v.Spec.Filters = []dashboard.Filter{{Column: "country"}}
	p := open(v).Panel(0)
	ways := p.Ways()
	var got []string
	for _, row := range p.Grid.Rows {
		got = append(got, p.words(0, row[0])+" "+ways.Of(p.Grid.Columns[0].Mark(row[0])).To)
	}
	want := []string{
		"United Kingdom ", "Not set ?f.country=~null", "World ?f.country=World", "Germany ?f.country=DE", "Malta ?f.country=Malta",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	doc := string(render(t, v))
	if !strings.Contains(doc, `z" data-i="4"><title>Germany`) || strings.Contains(doc, `data-i="1"`) {
		t.Error("the shapes do not tell their rows")
	}
}

// TestEmptyMaps: a map without areas reports the values that are there instead.
func TestEmptyMaps(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		rows  [][]any
		want  string
	}{
		"no areas":  {dashboard.Panel{Area: "name", Value: "v"}, [][]any{{"x", 1.0, 1.0, 1.0}}, "1 value of name is not on the map: x."},
		"no values": {dashboard.Panel{Area: "name", Value: "v"}, [][]any{{"France", nil, 1.0, 1.0}}, "Every value is missing."},
		"outside": {
			dashboard.Panel{Area: "name", Value: "v", Region: "asia"},
			[][]any{{"France", 1.0, 1.0, 1.0}},
			"1 area is outside of this map: France.",
		},
		"no places": {
			dashboard.Panel{Lat: "lat", Lon: "lon"},
			[][]any{{"x", 1.0, 91.0, 1.0}, {"x", 1.0, nil, 1.0}},
			"2 rows without a place on the globe left out.",
		},
		"elsewhere": {
			dashboard.Panel{Lat: "lat", Lon: "lon", Region: "us"},
			[][]any{{"x", 1.0, 48.0, 2.0}},
			"1 point is outside of this map.",
		},
		"below zero": {dashboard.Panel{Lat: "lat", Lon: "lon", Size: "v"}, [][]any{{"x", -1.0, 48.0, 2.0}}, "1 point without a value left out."},
	} {
		tc.panel.Type = dashboard.Map
		p := open(tiny([]dashboard.Panel{tc.panel}, []string{"name text", "v number sum", "lat number none", "lon number none"},
			tc.rows...)).Panel(0)
		if p.Empty != tc.want || p.Content != nil || p.Problem != "" || len(p.Notes) > 0 {
			t.Errorf("%s: %q %q %q", name, p.Empty, p.Problem, p.Notes)
		}
	}
}

// points computes a map of points, and draws it.
func points(t *testing.T, panel dashboard.Panel, rows ...[]any) (m *pointsPanel, drawn *spots) {
	t.Helper()
	panel.Type, panel.Lat, panel.Lon = dashboard.Map, "lat", "lon"
	p := open(tiny([]dashboard.Panel{panel}, []string{"name text", "lat number none", "lon number none", "v number sum", "kind text"},
		rows...)).Panel(0)
	m, ok := p.Content.(*pointsPanel)
	if !ok {
		t.Fatalf("%s%s", p.Problem, p.Empty)
	}
	drawn = &spots{}
	m.Draw(drawn)
	return m, drawn
}

// A spots is a canvas that keeps the circles.
type spots struct {
	canvas.Recorder
	circles []canvas.Circle
}

func (s *spots) Circle(c canvas.Circle) {
	c.Title = slices.Clone(c.Title)
	s.circles = append(s.circles, c)
}

// TestMapPoints: the area of a circle represents its size, the largest are at the bottom, and positions are correct.
func TestMapPoints(t *testing.T) {
	t.Parallel()
	m, r := points(t, dashboard.Panel{Label: "name", Size: "v", Region: "world"},
		[]any{"Rome", 41.9, 12.5, 4.0, "a"}, []any{"Paris", 48.85, 2.35, 9.0, "a"}, []any{"Quito", -0.2, -78.5, 1.0, "b"},
		[]any{"Rome", 41.9, 12.5, 12.0, "a"}, []any{"Nowhere", nil, 1.0, 1.0, "b"}, []any{"Beyond", 95.0, 1.0, 1.0, "b"})
	var got []string
	for i, c := range r.circles {
		x, y, ok := m.view.At(m.spots[i].lat, m.spots[i].lon)
		if !ok || c.X.V != x || c.Y.V != y {
			t.Errorf("%s lies at %v, %v", m.spots[i].name, c.X, c.Y)
		}
		if want := chart.LargestSpot * math.Sqrt(m.spots[i].size/16); math.Abs(c.Radius-want) > 1e-9 {
			t.Errorf("%s has radius %v, want %v", m.spots[i].name, c.Radius, want)
		}
		got = append(got, strings.ReplaceAll(strings.Join(c.Title, ""), "\n", " "))
	}
	if want := "Rome V  16, Paris V  9, Quito V  1"; strings.Join(got, ", ") != want {
		t.Errorf("circles: %s", strings.Join(got, ", "))
	}
	if notes := strings.Join(m.Notes,
		" "); notes != "2 rows without a place on the globe left out. The area of the circles is V, at most 16. Map: Natural Earth." {
		t.Errorf("notes: %s", notes)
	}
	if m.Summary != "3 points, the largest 16 (Rome), the smallest 1 (Quito)." {
		t.Errorf("summary: %s", m.Summary)
	}
	if g := m.Grid; len(g.Rows) != 3 || g.Rows[0][1] != 41.9 || g.Rows[0][3] != 16.0 {
		t.Errorf("the table begins with %v", g.Rows[0])
	}
}

// TestMapPointsOfOnePlace: without a size, rows at one place are one circle, and counted; with a size that the spec does not define how to
// add up, and without a label, each row is a circle.
func TestMapPointsOfOnePlace(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"a", 10.0, 20.0, 1.0, "k"}, {"b", 10.0, 20.0, 2.0, "k"}, {"c", 11.0, 20.0, 3.0, "l"}}
	m, r := points(t, dashboard.Panel{}, rows...)
	if len(r.circles) != 2 || strings.Join(r.circles[0].Title, "") != "2 rows\n10°, 20°" || strings.Join(r.circles[1].Title,
		"") != "11°, 20°" {
		t.Errorf("%d circles: %q", len(r.circles), r.circles[0].Title)
	}
	if len(m.Grid.Columns) != 3 || m.Grid.Columns[2].Label != "Rows" || m.Grid.Rows[0][2] != int64(2) {
		t.Errorf("the table: %v", m.Grid)
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Map, Lat: "lat", Lon: "lon", Size: "v"}},
		[]string{"name text", "lat number none", "lon number none", "v number none", "kind text"}, rows...)
	if p := open(v).Panel(0); p.Problem != "" || len(p.Content.(*pointsPanel).spots) != 3 {
		t.Errorf("each row: %s", p.Problem)
	}
	_, r = points(t, dashboard.Panel{Series: "kind"}, rows...)
	if len(r.circles) != 2 || r.circles[0].Color == r.circles[1].Color || !strings.Contains(r.String(), `item 2 "l"`) {
		t.Errorf("series: %v\n%s", r.circles, r.String())
	}
}

// TestManyMapPointsKeepSmallSeries: if points are selected, each series keeps some.
func TestManyMapPointsKeepSmallSeries(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 5000 {
		kind := "common"
		if i%1999 == 1 {
			kind = "rare"
		}
		rows = append(rows, []any{fmt.Sprint("n", i), float64(i%50) - 25, float64(i / 50), 1.0, kind})
	}
	m, _ := points(t, dashboard.Panel{Series: "kind"}, rows...)
	drawn := map[string]int{}
	for _, s := range m.spots {
		drawn[m.legend[s.series].name]++
	}
	if drawn["rare"] != 3 || len(m.spots) > mapPoints || len(m.spots) < mapPoints*9/10 {
		t.Errorf("%v; %q", drawn, m.Notes)
	}
}

// TestManyMapPoints: points beyond the maximum are left out, and counted: the largest are drawn, or an even choice.
func TestManyMapPoints(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 2500 {
		rows = append(rows, []any{fmt.Sprint("n", i), float64(i%50) - 25, float64(i / 50), float64((i * 7) % 2500), fmt.Sprint("k", i%12)})
	}
	for _, tc := range []struct {
		panel       dashboard.Panel
		circles     int
		note, codes string
	}{
		{dashboard.Panel{Size: "v", Label: "name"}, 2000, "The 2,000 largest of 2,500 points are drawn.", "cut panels[0].size"},
		{dashboard.Panel{Label: "name"}, 2000, "2,000 of 2,500 points are drawn, evenly chosen.", "cut panels[0].lat"},
		{
			dashboard.Panel{Series: "kind", Region: "asia"},
			2000, "points are outside of this map.",
			"cut panels[0].series, colors_shared panels[0].series, not_on_map panels[0].region",
		},
	} {
		m, r := points(t, tc.panel, rows...)
		if len(r.circles) > tc.circles || !strings.Contains(strings.Join(m.Notes, " "), tc.note) {
			t.Errorf("%+v: %d circles, %q", tc.panel, len(r.circles), m.Notes)
		}
		if tc.panel.Size != "" && slices.ContainsFunc(m.spots, func(s mapSpot) bool { return s.size < 500 }) {
			t.Error("one of the 500 smallest is drawn")
		}
		v := viewOf(m.Env)
		if got := codes(v); got != tc.codes {
			t.Errorf("%+v: warnings %s", tc.panel, got)
		}
		if len(m.Grid.Rows) != 2500 && tc.panel.Series == "" {
			t.Errorf("%d rows in the table", len(m.Grid.Rows))
		}
	}
}

// TestMapOfPointsStays: filters do not change the region of the map.
func TestMapOfPointsStays(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "name"}}, []string{
		"name text", "lat number none",
		"lon number none",
	},
		[]any{"Rome", 41.9, 12.5}, []any{"Paris", 48.85, 2.35}, []any{"Vienna", 48.2, 16.4})
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
	x, y, _ := open(v).Panel(0).Content.(*pointsPanel).view.At(41.9, 12.5)
	v.Query = map[string][]string{"f.name": {"Rome"}}
	p := open(v).Panel(0).Content.(*pointsPanel)
	if len(p.spots) != 1 || p.spots[0].x != x || p.spots[0].y != y {
		t.Errorf("Rome moved from %v, %v to %v", x, y, p.spots)
	}
}

// TestShapePath: a path has as many steps as its rings have points.
func TestShapePath(t *testing.T) {
	t.Parallel()
	w := &html.Painter{Doc: &html.Doc{}}
	w.Shape(canvas.Shape{Rings: [][]geo.Point{{{X: 10, Y: 20}, {X: 15, Y: 14}, {X: 8, Y: 14}, {X: 8, Y: 30}}, {{X: -3, Y: 0}, {X: 0, Y: 0}, {
		X: 0,
		Y: -7,
	}}}, Color: canvas.HeatColor + 3})
	w.Shape(canvas.Shape{Rings: [][]geo.Point{{{X: 1, Y: 2}, {X: 3, Y: 4}, {X: 5, Y: 5}}}, Title: []string{"<a>", "b"}})
	w.Shape(canvas.Shape{})
	want := `<path class="h3" d="M10 20l5-6-7 0 0 16zM-3 0l3 0 0-7z"/><path class="land" d="M1 2l2 2 2 1z"><title>&lt;a&gt;b</title></path>`
	if got := string(w.B); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestMapOfLeaders: with series, an area has the colour of the value of the dimension that has the largest measure there, in every spelling
// of the area's name; an area without a measure is hatched, and one with two equal leaders is gray.
func TestMapOfLeaders(t *testing.T) {
	t.Parallel()
	panel := dashboard.Panel{Area: "state", Series: "party", Value: "votes", Region: geo.US}
	m, p := areas(t, panel, []string{"state text", "party text", "votes integer sum"},
		[]any{"WA", "Reds", int64(3)}, []any{"Washington", "Blues", int64(2)}, []any{"Washington", "Blues", int64(2)},
		[]any{"OR", "Reds", int64(9)}, []any{"OR", "Blues", int64(1)},
		[]any{"CA", "Reds", int64(5)}, []any{"CA", "Blues", int64(5)},
		[]any{"TX", "Greens", nil}, []any{"NY", "Blues", int64(7)}, []any{"Atlantis", "Greens", int64(1)})
	colors := map[string]canvas.Color{}
	for i := range m.values {
		colors[geo.States().Areas[m.values[i].area].Code] = m.colorOf(&m.values[i])
	}
	byName := map[string]canvas.Color{}
	for _, s := range m.legend {
		byName[s.name] = s.color
	}
	want := map[string]canvas.Color{"WA": byName["Blues"], "OR": byName["Reds"], "CA": canvas.OtherColor, "NY": byName["Blues"]}
	if fmt.Sprint(colors) != fmt.Sprint(want) || byName["Blues"] == byName["Reds"] || byName["Blues"] == 0 {
		t.Errorf("colours: %v, want %v of %v", colors, want, byName)
	}
	if want := "4 areas: Blues 2, Reds 1."; p.Summary != want {
		t.Errorf("sentence: %q, want %q", p.Summary, want)
	}
	notes := strings.Join(p.Notes, " ")
	for _, want := range []string{
		"1 area is gray: two values are equally large.", "Each area has the color of its largest value.", "Atlantis", "Hatched",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in the notes: %s", want, notes)
		}
	}
	if n := len(p.Grid.Rows); n != 6 {
		t.Errorf("%d rows in the table, want one for each area", n)
	}
	if sketch := m.sketch(); len(sketch) != 4 || !strings.Contains(sketch[0], "Reds") || !strings.Contains(sketch[0], "9") {
		t.Errorf("sketch: %q", sketch)
	}
	r := &canvas.Recorder{}
	m.Draw(r)
	for _, want := range []string{"Blues", "Reds"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("%s is not in the drawing", want)
		}
	}
}

// TestMapOfEqualLeaders: a map of gray areas alone has no legend, and its sentence, table and drawing name no leader; values that lead
// only in areas that are not on the map are not in the legend.
func TestMapOfEqualLeaders(t *testing.T) {
	t.Parallel()
	panel := dashboard.Panel{Area: "state", Series: "party", Value: "votes", Region: geo.US}
	m, p := areas(t, panel, []string{"state text", "party text", "votes integer sum"},
		[]any{"WA", "Reds", int64(3)}, []any{"WA", "Blues", int64(3)}, []any{"Atlantis", "Greens", int64(1)}, []any{"TX", "Greens", nil})
	if len(m.legend) != 0 || m.colorOf(&m.values[0]) != canvas.OtherColor {
		t.Errorf("legend %+v, colour %d", m.legend, m.colorOf(&m.values[0]))
	}
	r := &canvas.Recorder{}
	m.Draw(r)
	for what, text := range map[string]string{"sentence": p.Summary, "drawing": r.String(), "sketch": strings.Join(m.sketch(), "\n")} {
		if strings.Contains(text, "Reds") || strings.Contains(text, "Blues") || !strings.Contains(text, "3") {
			t.Errorf("%s: %s", what, text)
		}
	}
	if row := p.Grid.Rows[0]; row[1] != nil {
		t.Errorf("the row of equal leaders: %v", row)
	}
}

// TestMapOfManyLeaders: values that lead in few areas are merged into Other if there are more than colours.
func TestMapOfManyLeaders(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, a := range geo.States().Areas {
		rows = append(rows, []any{a.Code, fmt.Sprintf("Party %02d", min(i, 29)), int64(i + 1)})
	}
	m, p := areas(t, dashboard.Panel{Area: "state", Series: "party", Value: "votes", Region: geo.US},
		[]string{"state text", "party text", "votes integer sum"}, rows...)
	last := m.legend[len(m.legend)-1]
	if len(m.legend) != canvas.MaxSeries || last.name != "Other" || last.color != canvas.OtherColor {
		t.Errorf("%d values in the legend, the last %+v", len(m.legend), last)
	}
	if !strings.HasPrefix(p.Summary, fmt.Sprintf("%d areas: ", len(m.values))) || !strings.Contains(p.Summary, "Other ") {
		t.Errorf("sentence: %q", p.Summary)
	}
	rows[0][1] = "Other"
	m, _ = areas(t, dashboard.Panel{Area: "state", Series: "party", Value: "votes", Region: geo.US},
		[]string{"state text", "party text", "votes integer sum"}, rows...)
	var names []string
	for _, item := range m.legend {
		names = append(names, item.name)
	}
	if slices.Sort(names); len(slices.Compact(names)) != canvas.MaxSeries {
		t.Errorf("the rest has the name of a value: %q", names)
	}
}
