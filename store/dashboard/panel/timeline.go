package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

const (
	timelineLanes = 80   // maximum of rows below each other
	timelineSpans = 2000 // maximum of spans

	// Small plots share three times as many rows, and each has some.
	facetLanes = 3 * timelineLanes
	fewLanes   = 10

	timelineFade = 0.06 // fraction of the width that a span without a beginning or end fades over
)

var timelineFigure = Figure{
	Summarise: summariseTimeline,
}

// A timelinePanel draws spans of time on rows, one row for each value of a label.
type timelinePanel struct {
	*Panel
	label, series *dashboard.Column // series is nil for spans of one colour
	ends          [2]*dashboard.Column
	spans         []timeSpan // by row
	drawn         []int      // indexes of the drawn spans
	rows          []spanRow  // the drawn rows
	lanes         int
	lo, hi        time.Time    // of the axis
	window        [2]time.Time // the ends of the axis that the spec sets: its first moment, and the first one after it; zero for none
	now           time.Time    // the time of the line for now
	clock         bool         // some times are not at midnight
	colors        map[cube.Category]canvas.Color
	legend        []seriesOf
	sums          map[cube.Category]float64 // total length of the spans, by series
	margin        []string                  // the names of the rows of all small plots; nil if the panel is not one of them
	toned         []canvas.Color            // of spans: the colours of tones, else 0; nil without thresholds
	tones         []canvas.Item             // the conditions that some spans meet
}

// A timeSpan is a row of the table behind. Its times are wall clock times, marked UTC.
type timeSpan struct {
	cat, series cube.Category
	from, to    time.Time // zero for an open end; to is the first moment after the span
	exact       [2]any    // nil for an open end
	lane        int       // index in its row
	until       time.Time // the latest end of its bar, because another one begins; zero for none
}

// moment returns an end as its row has it. The end must not be missing.
func (s *timeSpan) moment(end int) time.Time {
	t, _ := TimeOf(s.exact[end])
	return t
}

// open reports whether an end is missing; end 0 is the beginning.
func (s *timeSpan) open(end int) bool { return s.exact[end] == nil }

// A spanRow has the spans of a value of the label, on one or more lanes.
type spanRow struct {
	name         string
	cat          cube.Category
	first, lanes int
	spans        []int
}

func summariseTimeline(p *Panel) Content {
	spec := p.Spec
	out := &timelinePanel{Panel: p, label: p.col(spec.Label), ends: [2]*dashboard.Column{p.col(spec.Start), p.col(spec.End)}}
	q := encode.Query{By: []encode.Channel{{Column: spec.Label, Key: "label", Order: p.rowOrder()}}}
	if spec.Series != "" {
		out.series = p.col(spec.Series)
		q.By = append(q.By, encode.Channel{Column: spec.Series, Key: "series"})
	}
	q.By = append(q.By, encode.Channel{Column: spec.Start, Key: "start"}, encode.Channel{Column: spec.End, Key: "end"})
	if p.Problem != "" {
		return nil
	}
	for _, c := range out.ends {
		if !c.Type.IsTime() {
			p.Problem = p.Env.Text(`"%s" has no times, which a timeline needs for start and end.`, c.Name)
			return nil
		}
	}
	t := p.run(q)
	if t == nil || !out.findWindow() {
		return nil
	}
	if all := out.read(t); len(out.spans) == 0 {
		if p.Empty = p.Env.Text("No row has a start or an end."); all > 0 {
			p.Empty = p.Env.Text("No span is on the axis.")
		}
		return nil
	}
	out.arrange(t)
	out.paint(t)
	out.tabulate()
	p.Summary = out.say()
	return out
}

// most returns the maximum of rows and of spans of the timeline. Small plots share them.
func (m *timelinePanel) most() (lanes, spans int) {
	if m.family == nil {
		return timelineLanes, timelineSpans
	}
	n := len(m.family.table.Axes[len(m.family.table.Axes)-1])
	return min(max(facetLanes/n, fewLanes), timelineLanes), max(timelineSpans/n, fewLanes)
}

// rowOrder returns the order that the spec sets for the rows. Without one, rows are sorted by their beginnings: see
// [timelinePanel.arrange].
func (p *Rows) rowOrder() encode.Order {
	by, descending := sortKey(p.Spec.Sort)
	switch {
	case by == "":
		return encode.Order{}
	case by == p.Spec.Label:
		return encode.Order{Said: true, Descending: descending}
	}
	return encode.Order{Column: p.col(by), Descending: descending}
}

// read reads the spans, and sets the bounds of the axis. It leaves out rows without a time, rows that end before they begin, and spans
// outside of the axis that the spec sets. It returns the number of spans with these.
func (m *timelinePanel) read(t *encode.Table) (all int) {
	none, reversed := 0, 0
	last := len(t.Query.By) - 1
	at := m.Env.Now.In(m.Env.Zone)
	for i := range t.Len() {
		s := timeSpan{cat: t.Category(i, 0), series: t.Category(i, last-2)}
		var times [2]time.Time
		for end := range times {
			if v, ok := t.Category(i, last-1+end).Value.(time.Time); ok {
				times[end], s.exact[end] = onWall(v), cube.Category{Value: v}
				m.clock = m.clock || cube.DayOf(times[end]).Time() != times[end]
			}
		}
		s.from, s.to = times[0], times[1]
		switch {
		case s.open(0) && s.open(1):
			none += t.Rows(i)
			continue
		case m.reversed(&s):
			reversed += t.Rows(i)
			continue
		case !s.open(1) && m.ends[1].Type == cube.Date:
			s.to = s.to.AddDate(0, 0, 1)
		case !s.open(0) && !s.open(1) && s.to.Before(s.from): // the clock was put back in between
			s.to = s.from
		}
		m.spans = append(m.spans, s)
	}
	if m.now = onWall(at).Truncate(15 * time.Minute); !m.clock {
		m.now = cube.DayOf(at).Time().Add(12 * time.Hour)
	}
	all = len(m.spans)
	m.cutToWindow()
	m.findBounds(stat.Indices(len(m.spans)))
	if none > 0 && len(m.spans) > 0 {
		m.report(encode.NotedCount(none, "%d row without a start and an end is left out.", "%d rows without a start and an end are left out.").
			Warned(dashboard.WarnLeftOut, "start", `%d {row has|rows have} neither "%s" nor "%s", and {is|are} left out; `+
				`the sql can leave {it|them} out, too.`,
				none, m.ends[0].Name, m.ends[1].Name))
	}
	if reversed > 0 {
		m.report(encode.NotedCount(reversed,
			"%d row that ends before it begins is left out.", "%d rows that end before they begin are left out.").
			Warned(dashboard.WarnLeftOut, "end", `%d {row has|rows have} "%s" before "%s", and {is|are} left out; `+
				`sql can mend or leave out such rows.`,
				reversed, m.ends[1].Name, m.ends[0].Name))
	}
	return all
}

// reversed reports whether a span ends before it begins. Instants are compared as such, because clocks are put back. A date is a part of
// the span that ends on it. The end of s is that of its row.
func (m *timelinePanel) reversed(s *timeSpan) bool {
	switch {
	case s.open(0) || s.open(1):
		return false
	case m.ends[0].Type == cube.Instant && m.ends[1].Type == cube.Instant:
		return s.moment(1).Before(s.moment(0))
	case m.ends[1].Type == cube.Date:
		return cube.DayOf(s.to) < cube.DayOf(s.from)
	}
	return s.to.Before(s.from)
}

// findBounds sets the ends of the axis for some spans: their first and last time, or now if a span is open, with space to fade.
func (m *timelinePanel) findBounds(spans []int) {
	m.lo, m.hi = time.Time{}, time.Time{}
	var open [2]bool
	some := false // the zero time is a time of the year 1
	add := func(t time.Time) {
		t = m.inWindow(t)
		if !some || t.Before(m.lo) {
			m.lo = t
		}
		if !some || t.After(m.hi) {
			m.hi = t
		}
		some = true
	}
	for _, i := range spans {
		s := &m.spans[i]
		for end, t := range [...]time.Time{s.from, s.to} {
			if open[end] = open[end] || s.open(end); !s.open(end) {
				add(t)
			}
		}
	}
	if !some {
		return
	}
	if open[1] {
		add(m.now)
	}
	m.setEnds()
	if !m.lo.Before(m.hi) {
		long := time.Hour
		if !m.clock {
			long = 24 * time.Hour
		}
		if m.hi = m.lo.Add(long); !m.window[1].IsZero() {
			m.lo, m.hi = m.lo.Add(-long), m.lo
		}
	}
	m.reachEvents()
	m.setEnds()
	for end := range open { // beyond an end that the spec sets, nothing fades
		open[end] = open[end] && m.window[end].IsZero()
	}
	rest := 1 - timelineFade*float64(stat.One(open[0])+stat.One(open[1]))
	room := time.Duration(min(secondsTo(m.lo, m.hi)*timelineFade/rest, math.MaxInt64/2e9) * 1e9)
	if open[0] {
		m.lo = m.lo.Add(-room)
	}
	if open[1] {
		m.hi = m.hi.Add(room)
	}
}

// reach returns the last known moment of a span: for an open span, now or, if it begins later, its beginning.
func (m *timelinePanel) reach(s *timeSpan) time.Time {
	switch {
	case !s.open(1):
		return s.to
	case s.from.After(m.now):
		return s.from
	}
	return m.now
}

// begin returns the first known moment of a span.
func (m *timelinePanel) begin(s *timeSpan) time.Time {
	if s.open(0) {
		return m.lo
	}
	return s.from
}

// place returns the position of a moment as a fraction of the width.
func (m *timelinePanel) place(t time.Time) float64 { return min(max(between(t, m.lo, m.hi), 0), 1) }

// arrange puts the spans on rows and lanes, and chooses the spans that are drawn.
func (m *timelinePanel) arrange(t *encode.Table) {
	m.drawn = stat.Indices(len(m.spans))
	lanes, most := m.most()
	if all := len(m.drawn); all > most {
		long := func(i int) float64 { return secondsTo(m.begin(&m.spans[i]), m.reach(&m.spans[i])) }
		slices.SortStableFunc(m.drawn, func(a, b int) int { return cmp.Compare(long(b), long(a)) })
		m.drawn = m.drawn[:most]
		slices.Sort(m.drawn)
		m.report(encode.Noted("The %s longest of %s spans are drawn.", most, all).Warned(dashboard.WarnCut, "start",
			"the %d longest of %d spans are drawn; a filter, or sql that merges neighbours, leaves fewer.", most, all))
	}
	rows := m.spanRows(t)
	kept, beyond := m.keepRows(rows)
	if len(kept) < len(rows) {
		note, which := encode.LastDrawn, "those that end last"
		if m.Spec.Sort != "" {
			note, which = encode.FirstDrawn, "the first ones as sorted"
		}
		m.report(encode.Noted(note, len(kept), len(rows), encode.Inline(m.label.Label)).
			Cut("label", len(kept), len(rows), m.label.Name,
				fmt.Sprintf("they are %s, because a timeline has %d rows at most; a filter, or sql, leaves those that matter", which, lanes)))
	}
	if beyond > 0 {
		m.report(encode.NotedCount(beyond,
			"%d span is not drawn, because too many overlap.", "%d spans are not drawn, because too many overlap.").
			Warned(dashboard.WarnCut, "label", `%d {span is|spans are} not drawn, because more than %d of a "%s" overlap; `+
				"a label with more values has a row for each.", beyond, lanes, m.label.Name))
	}
	m.rows, m.drawn = kept, nil
	for i := range m.rows {
		m.rows[i].first = m.lanes
		m.lanes += m.rows[i].lanes
		m.drawn = append(m.drawn, m.rows[i].spans...)
	}
	m.findBounds(m.drawn)
}

// spanRows returns the rows of the drawn spans, in order, with the lanes of each.
func (m *timelinePanel) spanRows(t *encode.Table) []spanRow {
	by := map[cube.Category][]int{}
	for _, i := range m.drawn {
		by[m.spans[i].cat] = append(by[m.spans[i].cat], i)
	}
	var out []spanRow
	begins := map[cube.Category]time.Time{}
	for _, c := range t.Axis(0) {
		spans := by[c]
		if len(spans) == 0 {
			continue
		}
		r := spanRow{name: m.Env.Cell(*m.label, cube.Exact, c), cat: c, spans: spans}
		begins[c] = m.begin(&m.spans[spans[0]])
		for _, i := range spans {
			if b := m.begin(&m.spans[i]); b.Before(begins[c]) {
				begins[c] = b
			}
		}
		m.lay(&r)
		out = append(out, r)
	}
	if o := m.Data.Ordering(m.label.Name); m.Spec.Sort == "" && !o.Said && !m.label.Type.IsTime() {
		slices.SortStableFunc(out, func(a, b spanRow) int { return begins[a.cat].Compare(begins[b.cat]) })
	}
	return out
}

// lay puts the spans of a row on lanes. If one span ends on the date at which the next one begins, they are on one lane.
func (m *timelinePanel) lay(r *spanRow) {
	spans := make([]stat.Span, len(r.spans))
	for k, i := range r.spans {
		s := &m.spans[i]
		spans[k] = stat.Span{From: math.Inf(-1), To: math.Inf(1)}
		if !s.open(0) {
			spans[k].From = secondsTo(m.lo, s.from)
		}
		if !s.open(1) {
			spans[k].To = secondsTo(m.lo, s.to)
			if m.ends[1].Type == cube.Date {
				spans[k].To = max(secondsTo(m.lo, s.to.AddDate(0, 0, -1)), spans[k].From)
			}
		}
	}
	lane, lanes := stat.Lanes(spans)
	r.lanes = lanes
	order := stat.Indices(len(spans))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(lane[a], lane[b]), cmp.Compare(spans[a].From, spans[b].From))
	})
	sorted := make([]int, len(order))
	for n, k := range order {
		i := r.spans[k]
		m.spans[i].lane = lane[k]
		if n+1 < len(order) && lane[order[n+1]] == lane[k] {
			m.spans[i].until = m.spans[r.spans[order[n+1]]].from
		}
		sorted[n] = i
	}
	r.spans = sorted
}

// keepRows returns the rows that fit: the first ones if the spec sorts them, or else those that end last. beyond is the number of spans of
// a row that are on lanes that do not fit.
func (m *timelinePanel) keepRows(rows []spanRow) (kept []spanRow, beyond int) {
	order := stat.Indices(len(rows))
	if m.Spec.Sort == "" {
		last := make([]time.Time, len(rows))
		open := make([]bool, len(rows))
		for k := range rows {
			for _, i := range rows[k].spans {
				s := &m.spans[i]
				open[k] = open[k] || s.open(1)
				if r := m.reach(s); r.After(last[k]) {
					last[k] = r
				}
			}
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(stat.One(open[b]), stat.One(open[a])), last[b].Compare(last[a]))
		})
	}
	most, _ := m.most()
	left, keep := most, make([]bool, len(rows))
	for _, k := range order {
		r := &rows[k]
		if left == most && r.lanes > left {
			all := len(r.spans)
			r.spans = slices.DeleteFunc(r.spans, func(i int) bool { return m.spans[i].lane >= left })
			r.lanes, beyond = left, all-len(r.spans)
		}
		if r.lanes > left {
			break
		}
		left -= r.lanes
		keep[k] = true
	}
	for k := range rows {
		if keep[k] {
			kept = append(kept, rows[k])
		}
	}
	return kept, beyond
}

// paint sets the colours of the spans: by their series or, without one, by the values of the label whose colours the spec sets.
func (m *timelinePanel) paint(t *encode.Table) {
	if m.series == nil {
		m.colors = map[cube.Category]canvas.Color{}
		for _, r := range m.rows {
			m.colors[r.cat] = m.markColor(m.Spec.Start)
			if m.Env.names(m.Spec.Label, r.cat) {
				m.colors[r.cat] = m.Env.valueColor(m.Spec.Label, r.cat)
			}
		}
		return
	}
	sum := map[cube.Category]float64{}
	m.sums = sum
	for _, i := range m.drawn {
		s := &m.spans[i]
		sum[s.series] += max(secondsTo(m.begin(s), m.reach(s)), 1)
	}
	cats := slices.DeleteFunc(t.Axis(1), func(c cube.Category) bool { return sum[c] == 0 })
	if m.family == nil {
		m.colors, m.legend = m.fewColors(m.series, cats, func(c cube.Category) float64 { return sum[c] }, "series")
	}
}

// shareColors gives the values of the series the same colours in all small plots.
func (m *timelinePanel) shareColors(all []Content) {
	if m.series == nil {
		return
	}
	sum := map[cube.Category]float64{}
	for _, c := range all {
		for cat, n := range c.(*timelinePanel).sums {
			sum[cat] += n
		}
	}
	p := m.family.of
	cats := slices.DeleteFunc(m.family.table.Axis(1), func(c cube.Category) bool { return sum[c] == 0 })
	colors, legend := p.fewColors(m.series, cats, func(c cube.Category) float64 { return sum[c] }, "series")
	for _, c := range all {
		c := c.(*timelinePanel)
		c.colors, c.legend = colors, legend
	}
}

// share gives small plots one axis of time, and one width for the names of rows.
func (m *timelinePanel) share(_ *family, all []Content) {
	lo, hi := m.lo, m.hi
	var names []string
	for _, c := range all {
		c := c.(*timelinePanel)
		if c.lo.Before(lo) {
			lo = c.lo
		}
		if c.hi.After(hi) {
			hi = c.hi
		}
		for k := range c.rows {
			names = append(names, c.rowName(k))
		}
	}
	for _, c := range all {
		c := c.(*timelinePanel)
		c.lo, c.hi, c.margin = lo, hi, names
	}
}

// settle marks the events on the axis, finds the tones of the spans, and reports the texts that do not fit.
func (m *timelinePanel) settle() {
	m.markEvents()
	m.findTones()
	if m.labelled() {
		m.noteLabels(m.laid(m.chart()).PlaceValues())
	}
}

// rowName returns the name of a row, cut to the width next to the plot on a desktop.
func (m *timelinePanel) rowName(row int) string {
	return canvas.ClipWidth(m.rows[row].name, min(0.3*m.within(), canvas.Margins[len(canvas.Margins)-1]-8))
}

// colorOf returns the colour of a span.
func (m *timelinePanel) colorOf(s *timeSpan) canvas.Color {
	if m.series == nil {
		return m.colors[s.cat]
	}
	return cmp.Or(m.colors[s.series], canvas.OtherColor)
}

// tabulate makes the table behind the bars: a row for each span, first the drawn ones in order.
func (m *timelinePanel) tabulate() {
	m.Grid = &Grid{}
	cols := []*dashboard.Column{m.label}
	if m.series != nil {
		cols = append(cols, m.series)
	}
	for _, c := range append(cols, m.ends[:]...) {
		column := Column{Column: *c}
		column.Role = dashboard.Dimension
		m.Grid.Columns = append(m.Grid.Columns, column)
	}
	shown := make([]bool, len(m.spans))
	order := slices.Clone(m.drawn)
	for _, i := range order {
		shown[i] = true
	}
	for i := range m.spans {
		if !shown[i] {
			order = append(order, i)
		}
	}
	sorted := make([]timeSpan, len(order))
	for row, i := range order {
		s := &m.spans[i]
		sorted[row] = *s
		cells := []any{s.cat}
		if m.series != nil {
			cells = append(cells, s.series)
		}
		m.Grid.Rows = append(m.Grid.Rows, append(cells, s.exact[0], s.exact[1]))
	}
	m.spans = sorted
	row := 0
	for k := range m.rows {
		for j := range m.rows[k].spans {
			m.rows[k].spans[j] = row
			row++
		}
	}
	m.drawn = stat.Indices(row)
}
