package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/alert"
	"service/store/dashboard/cube"
	"service/store/dashboard/export"
	"service/store/dashboard/scene"
)

var (
	mutateFor  = flag.Duration("mutate", 0, "mutate specs for so long, in place of a fixed number of cases")
	mutateSeed = flag.Uint64("seed", 0, "the first seed of mutated specs; with -mutate, 0 is one of the clock")
)

// mutants is the number of mutated specs that are tried if no time is given.
const mutants = 400

// TestMutants changes specs with panels of every type at random, by one to three steps each: a key is dropped, its value gets another type,
// or a key is taken from elsewhere, such as a panel of another type. It reads, checks and draws them over odd rows in all forms of a page.
// Nothing may panic, a refused panel must not be drawn, and the markup of pages must be sound. A failure names its seed: -run TestMutants
// -seed N repeats it first.
func TestMutants(t *testing.T) {
	t.Parallel()
	passed, n := tryMutants(t, mutants, func(seed uint64) *mutant { return newMutant(t, seed) })
	if passed < n/20 || passed > n-n/20 {
		t.Errorf("%d of %d cases passed the checks: the test sees too little of the one or the other", passed, n)
	}
}

// tryMutants tries as many mutants as given, or mutants for the time of -mutate. It returns how many passed the checks, of how many.
func tryMutants(t *testing.T, most uint64, mutant func(seed uint64) *mutant) (passed, n int) {
	t.Helper()
	seed, end := *mutateSeed, time.Time{}
	if *mutateFor > 0 {
		end = time.Now().Add(*mutateFor)
		if seed == 0 {
			seed = uint64(time.Now().UnixNano())
		}
	}
	t.Logf("the first seed is %d", seed)
	slowest := time.Duration(0)
	for ; n < int(most) && end.IsZero() || time.Now().Before(end); n++ {
		begin := time.Now()
		m := mutant(seed + uint64(n))
		if m.try(t) {
			passed++
		}
		if took := time.Since(begin); took > slowest {
			slowest = took
			t.Logf("seed %d took %v", m.seed, took.Round(time.Millisecond))
		}
		if t.Failed() && *mutateFor == 0 {
			break // the first is enough
		}
	}
	t.Logf("%d cases, of which %d passed the checks", n, passed)
	return passed, max(n, 1)
}

// A mutant is a mutated spec, and the rows from which it is drawn.
type mutant struct {
	chooser
	seed    uint64
	raw     []byte
	columns map[string][]cube.Column
	cubes   map[string]*cube.Cube
	step    string
	spec    *dashboard.Spec
}

func newMutant(t *testing.T, seed uint64) *mutant {
	m := &mutant{chooser: chooser{rand.New(rand.NewPCG(seed, 28))}, seed: seed}
	doc := m.document(t)
	for range m.IntN(4) { // no steps: only the rows are odd
		m.mutate(doc)
	}
	m.raw = encoded(t, doc)
	m.columns, m.cubes = map[string][]cube.Column{}, map[string]*cube.Cube{}
	for _, id := range slices.Sorted(maps.Keys(randomSets)) {
		columns := slices.Clone(randomSets[id])
		if m.rarely(15) { // the source has changed
			columns[m.IntN(len(columns))].Type = []cube.Type{
				cube.Text, cube.Number, cube.Integer, cube.Boolean, cube.Date, cube.Timestamp, cube.Instant,
			}[m.IntN(7)]
		}
		if m.rarely(40) {
			i := m.IntN(len(columns))
			columns = slices.Delete(columns, i, i+1)
		}
		m.columns[id] = columns
		if !m.rarely(30) {
			m.cubes[id] = m.oddRows(t, columns)
		}
	}
	return m
}

// document returns a spec that uses everything a spec can have, most of which passes the checks.
func (m *mutant) document(t *testing.T) map[string]any {
	doc := map[string]any{
		"version": 1, "title": "Random", "description": "Said at the top.", "locale": m.of("en-US", "de-DE", "fr-FR", "hi-IN", "ar", "ja"),
		"timezone": m.of("UTC", "America/Santiago", "Asia/Kathmandu", "Pacific/Apia"), "currency": m.of("EUR", "JPY"),
		"datasets": json.RawMessage(randomDatasets),
		"filters": []any{
			map[string]any{
				"column": "day", "default": m.of("all", "last_90_days", "last_365_days", "this_year"),
				"grain": m.of("day", "week", "month", "quarter", "year"),
			},
			map[string]any{"column": "name", "multiple": m.IntN(2) == 0},
			map[string]any{"column": "flag", "default": m.of("true", "false"), "locked": m.IntN(2) == 0},
		},
	}
	may := func(key string, v any) {
		if m.rarely(3) {
			doc[key] = v
		}
	}
	may("layout", m.of("article", "dashboard"))
	may("contents", true)
	may("week_starts", m.of("monday", "saturday", "sunday"))
	may("params", []any{
		map[string]any{"id": "since", "type": "date_range", "default": "last_30_days"},
		map[string]any{"id": "least", "type": "number", "default": 3},
	})
	may("columns", map[string]any{"name": map[string]any{
		"colors": map[string]any{"Ada": "blue", "n1": "#112233"}, "order": []any{"Ada", "Grace"},
	}})
	if m.rarely(2) {
		may("events", []any{
			map[string]any{"on": "2026-05-01", "label": "v2"},
			map[string]any{"on": "2026-04-01", "to": m.of("2026-04-01", "2026-05-20", "9999-12-31 23:59"), "label": "span"},
			map[string]any{"on": "0001-01-01 00:30", "label": "first"},
			map[string]any{"on": "9999-12-31", "label": strings.Repeat("last ", 30)},
		})
	} else {
		events := map[string]any{"data": "d", "x": m.of("day", "at"), "label": "name"}
		if m.rarely(2) {
			events["to"] = m.of("day", "at")
		}
		may("events", events)
	}
	may("alerts", []any{
		map[string]any{"id": "a", "data": "d", "value": "amount", "x": m.of("day", "at"), "if": "<", "than": 1000, "for": 2, "by": "name"},
		map[string]any{"id": "b", "data": "d", "value": "size", "x": "day", "change": map[string]any{"against": "previous_week", "by": -0.2}},
		map[string]any{
			"id": "c", "data": "d", "value": "amount", "x": "at", "anomaly": m.of("low", "any"), "grain": m.of("day", "hour", "month"),
		},
		map[string]any{"id": "d", "data": "d", "x": "day", "rows": "none", "where": map[string]any{"name": "Ada"}},
		map[string]any{"id": "e", "stale": "26h"},
		map[string]any{"id": "f", "failing": true, "for": 3},
	})
	may("deliver", []any{map[string]any{"to": "team", "every": "weekly", "on": "mon", "at": "08:00", "attach": "xlsx"}})
	var panels []any
	for most := 1 + m.IntN(3); len(panels) < most; {
		panel := m.panel(t, m.of(dashboard.PanelTypes()...))
		doc["panels"] = []any{panel}
		s, err := dashboard.Parse(encoded(t, doc))
		if err == nil {
			_, err = s.Check(randomSets)
		}
		if err == nil {
			panels = append(panels, panel)
		} else if most--; most == 0 { // so that some specs have a refused panel
			panels = append(panels, panel)
		}
	}
	doc["panels"] = panels
	plain := map[string]any{}
	if err := json.Unmarshal(encoded(t, doc), &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

func encoded(t *testing.T, doc any) []byte {
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A node is the place of a value in a document: a key of an object, or a position in a list.
type node struct {
	in  any // map[string]any, or []any
	key string
	at  int
}

func (p node) get() any {
	if m, ok := p.in.(map[string]any); ok {
		return m[p.key]
	}
	return p.in.([]any)[p.at]
}

func (p node) set(v any) {
	if m, ok := p.in.(map[string]any); ok {
		m[p.key] = v
		return
	}
	p.in.([]any)[p.at] = v
}

// nodes returns all places of a document, always in the same order.
func nodes(v any) (out []node) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(append(out, node{in: v, key: key}), nodes(v[key])...)
		}
	case []any:
		for i := range v {
			out = append(append(out, node{in: v, at: i}), nodes(v[i])...)
		}
	}
	return out
}

// mutate changes one place of a document, usually in its panels.
func (m *mutant) mutate(doc map[string]any) {
	root := any(doc)
	if panels, ok := doc["panels"].([]any); ok && len(panels) > 0 && !m.rarely(3) {
		root = panels
	}
	all := nodes(root)
	if len(all) == 0 {
		return
	}
	p := all[m.IntN(len(all))]
	switch m.IntN(5) {
	case 0: // drop it
		if in, ok := p.in.(map[string]any); ok {
			delete(in, p.key)
		} else {
			p.set(nil)
		}
	case 1: // another type
		p.set(m.value())
	case 2: // a value from elsewhere
		p.set(all[m.IntN(len(all))].get())
	case 3: // a key that it lacks, from elsewhere or from the list of all keys
		into, ok := p.in.(map[string]any)
		if !ok {
			if into, ok = p.get().(map[string]any); !ok {
				return
			}
		}
		into[m.of(m.keys()...)] = m.value()
	case 4: // a key of a panel of another type
		from := m.panel(nil, m.of(dashboard.PanelTypes()...))
		keys := slices.Sorted(maps.Keys(from))
		if panels, ok := doc["panels"].([]any); ok && len(panels) > 0 {
			if into, ok := panels[m.IntN(len(panels))].(map[string]any); ok {
				key := m.of(keys...)
				into[key] = from[key]
			}
		}
	}
	if raw, err := json.Marshal(doc); err != nil || len(raw) > 1<<20 { // a value that contains itself
		clear(doc)
	}
}

// keys returns keys of specs and of everything within them.
func (m *mutant) keys() []string {
	return strings.Fields(`type title subtitle description data width value compare target sparkline grain partial x y bars lines series facet
		size label horizontal area lat lon region share stack percent labels scale y_min y_max x_min x_max trend average reference thresholds
		columns sort limit page_size other markdown click link total rows values totals heat bins weight low q1 median q3 high open close
		column tone if kind axis id sql default format role agg ratio good order colors than change anomaly
		where by for again to every on at attach`)
}

// value returns a value of any type.
func (m *mutant) value() any {
	switch m.IntN(12) {
	case 0:
		return nil
	case 1:
		return m.rarely(2)
	case 2:
		return []float64{0, 1, -1, 2, 12, 1e308, -1e308, 5e-324, -5e-324, 1e15, 0.5, 1e6}[m.IntN(12)]
	case 3:
		return m.of("", " ", "-", "auto", "previous_period", "log", "-amount", "Ada", "linear", "none", "total", "row",
			"http://x.example/{{name}}")
	case 4, 5:
		return m.of(slices.Concat(randomDims, randomMeasures, []string{"open", "close", "high", "middle", "nothing"})...)
	case 6:
		return strings.Repeat(m.of("long ", "x", "語", "{{d.amount}} ", "[a](https://e.example/) "), 200)
	case 7:
		return []any{}
	case 8:
		return []any{m.value(), m.value()}
	case 9:
		return map[string]any{}
	case 10:
		return map[string]any{m.of(m.keys()...): m.value(), m.of(m.keys()...): m.value()}
	}
	return m.of(dashboard.PanelTypes()...)
}

// oddRows returns rows that break arithmetic, calendars and layouts.
func (m *mutant) oddRows(t *testing.T, columns []cube.Column) *cube.Cube {
	n := []int{0, 1, 1, 2, 3, 40, 200}[m.IntN(7)]
	if m.rarely(60) {
		n = 10_000
	}
	kinds := make([]int, len(columns))
	all := m.IntN(oddKinds)
	for i := range kinds {
		if kinds[i] = all; m.rarely(2) {
			kinds[i] = m.IntN(oddKinds)
		}
	}
	b := cube.NewBuilder(columns)
	for i := range n {
		row := make([]any, len(columns))
		for j, c := range columns {
			row[j] = m.cell(c.Type, kinds[j], i)
		}
		if err := b.Add(row); err != nil {
			t.Fatalf("seed %d: %v", m.seed, err)
		}
	}
	return b.Cube()
}

// oddKinds is the number of kinds of odd values. Those over 11 are kinds of texts only.
const oddKinds = 15

// cell returns a value of a type. Each kind breaks something else.
func (m *mutant) cell(of cube.Type, kind, i int) any {
	if kind == 0 || kind > 6 && m.rarely(10) {
		return nil
	}
	if of == cube.Text {
		return []string{
			1: "", 2: "one", 3: strings.Repeat("very long ", 50), 4: fmt.Sprint("category ", i), 5: "=1+1", 6: "France",
			7: m.of("Ada", "Grace", "Texas", "n1"), 8: m.of("1 to 5", "6 to 10", "over 10"), 9: "مرحبا", 10: "a\x00\ufffe\u202e",
			11: fmt.Sprint("n", i%40), 12: strings.Repeat("\u0301", 1+i), 13: strings.Repeat(m.of("W", "two words ", "語"), 10_000/(1+i)),
			14: m.of("\u200f", "\u200e", "\u2067a", "\u200b", "😀", "<i>"),
		}[kind]
	}
	if kind > 11 {
		kind -= 6
	}
	switch of {
	case cube.Boolean:
		return kind%2 == 0 || m.rarely(2) && kind > 6
	case cube.Integer:
		return []int64{
			1: 0, 2: 1, 3: math.MaxInt64, 4: math.MinInt64, 5: -7, 6: int64(i), 7: m.Int64N(100),
			8: 1 << 53, 9: -int64(i), 10: 5, 11: int64(i % 3),
		}[kind]
	case cube.Number:
		switch kind {
		case 6: // decimals that a float64 cannot represent, with sums that are rounded
			d, err := cube.Parse(cube.Number, fmt.Sprintf("%d.%d", m.Int64N(1e15), m.Int64N(1e18)))
			if err != nil {
				panic(err)
			}
			return d
		case 10:
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1}[m.IntN(4)]
		case 11:
			return []float64{5e-324, -5e-324, 1e308, -1e308, 0, 1, math.Copysign(0, -1), 1e-300, math.MaxFloat64}[m.IntN(9)]
		}
		return []float64{1: 0, 2: 5e-324, 3: -5e-324, 4: math.MaxFloat64, 5: -1e308, 7: m.NormFloat64(), 8: 7, 9: float64(i) * 1e-320}[kind]
	}
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	at := []time.Time{
		1: first, 2: last, 3: first.AddDate(0, 0, i), 4: last.AddDate(0, 0, -i), 5: now, 6: now.AddDate(0, 0, -i),
		7: now.Add(-time.Duration(i) * time.Hour),
		8: []time.Time{first, last, now}[m.IntN(3)], 9: now.AddDate(-i%300, 0, 0), 10: now.Add(-time.Duration(m.IntN(1e15))),
		11: now.AddDate(0, i%24, 0),
	}[kind]
	return at
}

// query returns choices that a reader may have made.
func (m *mutant) query() url.Values {
	q := url.Values{}
	for range m.IntN(4) {
		key := m.of("f.name", "f.day", "f.flag", "f.day.from", "f.day.to", "f.at", "f.nothing")
		if m.rarely(2) {
			key = fmt.Sprintf("p%d.%s", m.IntN(3), m.of("grain", "before", "rows", "sort", "q", "page", "rows.sort", "rows.page"))
		}
		q.Add(key, m.of("Ada", "", "~null", "all", "last_7_days", "this_year", "0001-01-01", "9999-12-31", "2026-02-31", "nonsense",
			"day", "hour", "minute", "year", "auto", "1", "yes", "-1", "999999999999", "amount", "-amount", "e"))
	}
	return q
}

// A faultLog is a log that keeps its text.
type faultLog struct{ bytes.Buffer }

// try does with the mutant everything that the service does with a spec. It reports whether the spec passed the checks.
func (m *mutant) try(t *testing.T) (passed bool) {
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("seed %d: %s panicked: %v\n%s\n%s", m.seed, m.step, v, m.raw, debug.Stack())
		}
	}()
	m.step = "Parse"
	s, parseErr := dashboard.Parse(m.raw)
	if s == nil {
		return false
	}
	m.spec = s
	m.step = "Check"
	_, err := s.CheckRows(m.columns, m.cubes)
	if err := s.CheckColumns(m.columns); err == nil && parseErr == nil {
		s.CheckChannels([]string{"team"})
	}
	passed = parseErr == nil && err == nil
	log := &faultLog{}
	v := View{
		Spec: s, Now: now, Cubes: m.cubes, Query: m.query(), Log: slog.New(slog.NewTextHandler(log, nil)),
		Header: Header{Workspace: "Acme", Slug: "random", Name: "Random", State: "succeeded", AsOf: now},
	}
	m.atAnyTime(&v)
	m.step = "Examine"
	refused := s.PanelProblems(m.columnsOf())
	summaries, _ := Examine(v)
	for i, one := range summaries {
		if _, no := refused[i]; no && (one.Problem == "" || one.Sketch != "" || one.Text != "") {
			t.Errorf("seed %d: panel %d is refused by the checks and drawn: %+v\n%s", m.seed, i, one, m.raw)
		}
	}
	m.draw(t, v)
	if passed {
		m.alerts(v)
	}
	if log.Len() > 0 {
		first, _, _ := strings.Cut(log.String(), "testing.tRunner")
		t.Errorf("seed %d: a figure panicked: %s\n%s", m.seed, strings.ReplaceAll(first, `\n`, "\n"), m.raw)
	}
	return passed
}

func (m *mutant) columnsOf() map[string][]cube.Column {
	out := map[string][]cube.Column{}
	for id, c := range m.cubes {
		out[id] = c.Columns()
	}
	return out
}

// draw draws a view in all its forms.
func (m *mutant) draw(t *testing.T, v View) {
	ctx := context.Background()
	m.step = "Render"
	doc, err := Render(ctx, v)
	if err != nil {
		t.Errorf("seed %d: %v", m.seed, err)
	}
	for _, bad := range []string{"NaN", "+Inf", "-Inf", ",Inf", "−Inf", "=\"-%", "%!"} {
		if i := bytes.Index(doc, []byte(bad)); i >= 0 {
			t.Errorf("seed %d: %s in …%s…\n%s", m.seed, bad, doc[max(0, i-80):min(i+20, len(doc))], m.raw)
		}
	}
	m.step = "Digest"
	Digested(v)
	m.step = "CSV"
	if _, _, err := CSVs(ctx, v, 1<<24); err != nil {
		t.Errorf("seed %d: %v", m.seed, err)
	}
	m.step = "a workbook"
	if _, err := Workbook(ctx, v); err != nil && !errors.Is(err, export.ErrNoPanel) && !errors.Is(err, export.ErrTooLarge) {
		t.Errorf("seed %d: %v", m.seed, err)
	}
	m.step = "a picture"
	for _, paper := range []bool{false, true} {
		w, err := painterOf(v, Shot{})
		if err == nil {
			err = w.lay(ctx, Shot{}, paper)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", m.seed, err)
		}
		m.finite(t, w.Scene)
		w.Letters.Free()
	}
	if !m.rarely(10) {
		return // the others take long and add little
	}
	m.step = "PNG"
	if _, err := PNG(ctx, v, Shot{Scale: 0.5}); err != nil {
		t.Errorf("seed %d: %v", m.seed, err)
	}
	m.step = "PDF"
	if _, err := PDF(ctx, v); err != nil {
		t.Errorf("seed %d: %v", m.seed, err)
	}
	m.step = "a thumbnail"
	if _, err := Thumbnail(ctx, v, true); err != nil && !errors.Is(err, ErrNoFigure) {
		t.Errorf("seed %d: %v", m.seed, err)
	}
}

// finite fails the test if an item of a scene has no finite position.
func (m *mutant) finite(t *testing.T, s *scene.Scene) {
	for _, item := range s.Items {
		b := item.Bounds()
		for _, n := range [...]float64{b.X, b.Y, b.W, b.H} {
			if math.IsNaN(n) || math.IsInf(n, 0) {
				t.Errorf("seed %d: an item of the picture is at %v: %+v\n%s", m.seed, b, item, m.raw)
				return
			}
		}
	}
}

// alerts evaluates the alerts of a view, and replays them.
func (m *mutant) alerts(v View) {
	in := alert.Input{Spec: v.Spec, Cubes: v.Cubes, AsOf: v.Now, LastGood: v.Now.Add(-time.Hour)}
	words := alert.WordsOf(v.Spec)
	for i := range v.Spec.Alerts {
		a := &v.Spec.Alerts[i]
		m.step = "alert " + a.ID
		r := alert.Judge(in, a)
		words.Title(&r)
		for _, f := range r.Findings {
			words.Finding(&r, f)
			words.Value(&r, f)
			words.Name(&r, f)
		}
		alert.PanelOf(v.Spec, a)
		alert.Replay(in, a)
	}
}
