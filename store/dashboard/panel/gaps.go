package panel

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A gap is a part of a line without values for periods that are expected to have one: see [rhythm]. It is between two points of a series,
// so a series that begins late or ends early has no gap there.

const (
	gapPoints  = 4  // the minimum of points of a line that is broken by default
	gapShare   = 10 // one in this number of steps can be a gap of such a line
	mostZeros  = 3 * linePoints
	mostLooked = 1_000_000 // the maximum of periods of hours or minutes that gaps: zero considers
)

// A gapFinder finds the breaks of lines along one axis.
type gapFinder struct {
	rhythm *rhythm               // nil for an axis without times
	at     func(x int) time.Time // of a place of the axis
	year   func(x int) int64     // of an axis of whole years; nil for others
	mode   string                // of the panel: see [dashboard.GapsAuto]

	broken, joined gapCount
}

// A gapCount has the gaps, of which one that several series share counts once, and the longest.
type gapCount struct {
	found   map[gapEnds]bool
	longest hole
	years   [2]int64 // on an axis of years, those of the longest gap
}

func (c *gapCount) add(h hole, years [2]int64) {
	ends := gapEnds{h.from.UnixMicro(), h.to.UnixMicro(), years}
	if c.found[ends] {
		return
	}
	if c.found == nil {
		c.found = map[gapEnds]bool{}
	}
	c.found[ends] = true
	if h.periods > c.longest.periods {
		c.longest, c.years = h, years
	}
}

// gapEnds are the ends of a gap: times in microseconds, or years.
type gapEnds struct {
	from, to int64
	years    [2]int64
}

// gapsOf returns the finder for the lines of a split.
func (p *Rows) gapsOf(s *split) *gapFinder {
	f := &gapFinder{mode: p.Spec.Gaps}
	switch {
	case s.years:
		f.year = func(x int) int64 { return s.x[x].Value.(int64) }
	case s.time:
		f.at = func(x int) time.Time { return s.x[x].Value.(time.Time) }
		f.rhythm = p.rhythmOn(s)
	}
	return f
}

// rhythmOn returns the rhythm of the axis of a split.
func (p *Rows) rhythmOn(s *split) *rhythm {
	times := make([]time.Time, len(s.x))
	for x, c := range s.x {
		times[x] = c.Value.(time.Time)
	}
	var measures []cube.Measure
	for _, y := range p.Spec.Y {
		measures = append(measures, p.Data.Measure(p.Data.Column(y)))
	}
	return p.rhythmOf(s.xcol, s.step, times, measures)
}

// between returns the missing periods between two places.
func (f *gapFinder) between(a, b int) (h hole, years [2]int64) {
	switch {
	case f.year != nil:
		from, to := f.year(a)+1, f.year(b)-1
		return hole{periods: int(max(to-from+1, 0))}, [2]int64{from, to}
	case f.rhythm != nil:
		return f.rhythm.between(f.at(a), f.at(b)), years
	}
	return h, years
}

// missing is [gapFinder.between], with the periods that readers miss: see [rhythm.missing].
func (f *gapFinder) missing(a, b int) (h hole, years [2]int64) {
	if f.rhythm != nil {
		return f.rhythm.missing(f.at(a), f.at(b)), years
	}
	return f.between(a, b)
}

// breaks marks the places before which a line is broken. points are those with a value. null reports for the others whether they have rows
// without a value: these break any line if they are expected.
func (f *gapFinder) breaks(points []int, null []bool) []bool {
	out := make([]bool, len(null))
	holes := make([]hole, len(points)) // before each point
	years := make([][2]int64, len(points))
	always := make([]bool, len(points))
	absent := 0
	for k := 1; k < len(points); k++ {
		from, to := points[k-1], points[k]
		holes[k], years[k] = f.missing(from, to)
		for x := from + 1; x < to; x++ {
			if !null[x] || f.rhythm != nil && !f.rhythm.expects(f.at(x)) {
				continue
			}
			always[k] = true
			if f.rhythm != nil && f.rhythm.step == cube.Exact {
				holes[k] = holes[k].with(f.at(x))
			}
		}
		absent += stat.One(holes[k].periods > 0 && !always[k])
	}
	steps := len(points) - 1
	breaks := f.mode == dashboard.GapsBreak ||
		f.mode != dashboard.GapsJoin && len(points) >= gapPoints && (absent == 1 || absent*gapShare <= steps)
	for k, x := range points {
		switch {
		case always[k], holes[k].periods > 0 && breaks:
			out[x] = true
			f.broken.add(holes[k], years[k])
		case holes[k].periods > 0:
			f.joined.add(holes[k], years[k])
		}
	}
	return out
}

// findGaps finds the breaks in the lines of a split. In a stack, a value that only some series lack is zero, and all series are broken
// where all of them lack it.
func (f *gapFinder) findGaps(s *split, stacked bool) {
	s.broken = make([][]bool, len(s.series))
	if !stacked {
		for i := range s.series {
			s.broken[i] = f.breaks(s.points(func(x int) bool { return s.has(i, x) }), s.null[i])
		}
		return
	}
	null := make([]bool, len(s.x))
	for x := range s.x {
		null[x] = slices.ContainsFunc(s.null, func(row []bool) bool { return row[x] })
	}
	broken := f.breaks(s.points(s.some), null)
	for i := range s.broken {
		s.broken[i] = broken
	}
}

// points returns the places that have a value.
func (s *split) points(has func(x int) bool) []int {
	var out []int
	for x := range s.x {
		if has(x) {
			out = append(out, x)
		}
	}
	return out
}

// some reports whether some series has a value at a place.
func (s *split) some(x int) bool {
	return slices.ContainsFunc(s.exact, func(row []any) bool { return row[x] != nil })
}

// breaks reports whether the line of a series is broken between a place and the next point.
func (s *split) breaks(series, x int) bool {
	if s.broken != nil {
		return s.broken[series][x]
	}
	return s.null[series][x]
}

// breakLines finds the gaps in the lines of a split, and reports them to readers.
func (p *Panel) breakLines(s *split, stacked bool) {
	f := p.gapsOf(s)
	f.findGaps(s, stacked)
	p.holes = make([]int, len(s.x))
	for x := 1; x < len(s.x); x++ {
		if slices.ContainsFunc(s.broken, func(row []bool) bool { return row[x] }) {
			h, _ := f.missing(x-1, x)
			p.holes[x] = h.periods
		}
	}
	if longest := p.Env.longestGap(s, &f.broken); longest != "" && p.family != nil { // the numbers of small plots are added up
		p.report(encode.NotedCount(len(f.broken.found), "%d gap without values.", "%d gaps without values."))
	} else if longest != "" {
		p.report(encode.NotedCount(len(f.broken.found), "%d gap without values: %s.",
			"%d gaps without values, of which the longest is %s.", longest))
	}
	if longest := p.Env.longestGap(s, &f.joined); longest != "" && p.family != nil {
		p.report(encode.NotedCount(len(f.joined.found), "The line goes on over %d gap without values.",
			"The lines go on over %d gaps without values."))
	} else if longest != "" {
		p.report(encode.NotedCount(len(f.joined.found), "The line goes on over %d gap without values: %s.",
			"The lines go on over %d gaps without values, of which the longest is %s.", longest))
	}
	p.noteEnd(s, f.rhythm)
	if f.rhythm == nil && f.year == nil && p.Spec.Gaps != "" {
		p.report(encode.Warned(dashboard.WarnKeyIgnored, "gaps",
			`"%s" has neither times nor years, so no periods of it are missing.`, s.xcol.Name))
	}
}

// sparkGaps returns the points of a sparkline that have a value, and before which of them the line is broken. Missing values are NaN.
func (p *Rows) sparkGaps(col dashboard.Column, step cube.Grain, at []time.Time, vs []float64, measures []cube.Measure) (
	times []time.Time, values []float64, broken []bool,
) {
	f := &gapFinder{rhythm: p.rhythmOf(col, step, at, measures), at: func(x int) time.Time { return at[x] }}
	null := make([]bool, len(vs))
	var points []int
	for x, v := range vs {
		if null[x] = math.IsNaN(v); !null[x] {
			points = append(points, x)
		}
	}
	breaks := f.breaks(points, null)
	for _, x := range points {
		times, values, broken = append(times, at[x]), append(values, vs[x]), append(broken, breaks[x])
	}
	return times, values, broken
}

// longestGap returns the name of the longest of some gaps, without a full stop; "" without gaps.
func (p *Env) longestGap(s *split, c *gapCount) string {
	if c.longest.periods == 0 {
		return ""
	}
	name := func(v any) string { return p.Cell(s.xcol, s.grain, cube.Category{Value: v}) }
	from, to := name(c.longest.from), name(c.longest.to)
	if s.years {
		from, to = strconv.FormatInt(c.years[0], 10), strconv.FormatInt(c.years[1], 10)
	}
	if from != to {
		from += " – " + to
	}
	return abbreviated(from)
}

// noteEnd notes since when there are no rows, if the filter of the axis includes complete periods after them.
func (p *Rows) noteEnd(s *split, r *rhythm) {
	if r == nil || len(s.x) == 0 {
		return
	}
	end, limited := cube.DayOf(p.Env.asOf())-1, false
	for i := range p.Env.Filters {
		if f := &p.Env.Filters[i]; f.Column == s.xcol.Name && f.From != nil && f.of(p.Data) {
			end, limited = min(end, *f.To), true
		}
	}
	step := s.step
	if step.Size() < cube.Daily.Size() {
		step = cube.Daily
	}
	last := s.x[len(s.x)-1].Value.(time.Time)
	next := step.Next(cube.DayOf(last))
	if !limited || s.span.Max >= next {
		return
	}
	for ; step.Next(next)-1 <= end; next = step.Next(next) {
		if step != cube.Daily || r.habits().Days[next.Time().Weekday()] {
			p.report(encode.Noted("No rows since %s.", p.Env.Cell(s.xcol, s.grain, cube.Category{Value: last})))
			return
		}
	}
}

// grainOfZeros rounds the times of a split down if gaps: zero would make too many of them, or if they have no periods.
func (p *Rows) grainOfZeros(s *split, points int) {
	own := p.Data.GrainsOf(s.xcol.Name)
	if s.grain != cube.Exact || len(own) == 0 || own[0] != cube.Exact && steps(s.span, own[0]) <= points {
		return
	}
	if s.grain = finest(s.span, points); s.grain != cube.Exact {
		p.noteGrain(cube.Exact, s.grain, points)
	}
}

// zeroTimes returns the periods that gaps: zero fills: the expected ones from the first to the last complete one of the dataset in the
// range of the filters on the axis, regardless of other filters. The axis gets their step.
func (p *Rows) zeroTimes(s *split, measures []cube.Measure) []cube.Category {
	all := p.Data.Cube.Group(p.Data.EveryRow(), cube.Query{By: []cube.Dim{s.dim}}).Axes[0]
	all = slices.DeleteFunc(all, func(c cube.Category) bool { return c.Value == nil })
	if len(all) == 0 || slices.ContainsFunc(measures, func(m cube.Measure) bool { return m.Agg != cube.Sum || m.Over != nil }) {
		return nil
	}
	var out []cube.Category
	if s.years {
		if !encode.AreYears(s.xcol.Name, all) { // the filtered rows are all years
			return nil
		}
		for y := all[0].Value.(int64); y <= all[len(all)-1].Value.(int64); y++ {
			out = append(out, cube.Category{Value: y})
		}
		return out
	}
	if !s.time {
		return nil
	}
	whole := *s
	whole.x, whole.span = all, p.Data.Span(s.xcol.Name).Span
	whole.step = whole.regular()
	r := p.rhythmOn(&whole)
	if r.step == cube.Exact {
		return nil
	}
	s.grain, s.step = whole.grain, r.step
	cut := p.cutter(s.xcol, r.step, true)
	in, from, to := p.inRange(s.xcol.Name)
	has := map[int64]bool{}
	for _, c := range all {
		has[placeOf(c)] = true
	}
	merged := func(t time.Time) bool { // the rows of an hour that the clock shows twice can be those of the other one
		other, ok := twin(t)
		return ok && !has[t.UnixMicro()] && has[other.UnixMicro()]
	}
	first, last := all[0].Value.(time.Time), all[len(all)-1].Value.(time.Time)
	looked := 0
	for t := range r.all(first, from) {
		if t.After(last) || cube.DayOf(t) > to {
			break
		}
		if looked++; looked > mostLooked {
			break
		}
		if !in(t, r.step) || !r.expects(t) || r.every > 0 && merged(t) {
			continue
		}
		if cut != nil {
			if why, _, _ := cut.why(t); why != "" {
				continue
			}
		}
		if out = append(out, cube.Category{Value: t}); len(out) > mostZeros {
			break
		}
	}
	if len(out) > mostZeros || looked > mostLooked {
		p.report(encode.Warned(dashboard.WarnKeyIgnored, "gaps",
			"there are more than %d periods by %s, so those without rows are not filled with 0; "+
				"a coarser grain has fewer.", mostZeros, r.step))
		return nil
	}
	return out
}

// inRange returns a function that reports whether a period has days that pass the filters of a column, and the first and the last day that
// pass.
func (p *Rows) inRange(column string) (in func(t time.Time, step cube.Grain) bool, from, to cube.Day) {
	from, to = math.MinInt32, math.MaxInt32
	var ranges [][2]cube.Day
	for i := range p.Env.Filters {
		if f := &p.Env.Filters[i]; f.Column == column && f.From != nil && f.of(p.Data) {
			ranges = append(ranges, [2]cube.Day{*f.From, *f.To})
			from, to = max(from, *f.From), min(to, *f.To)
		}
	}
	in = func(t time.Time, step cube.Grain) bool {
		from := cube.DayOf(t)
		to := from
		if step.Size() > cube.Daily.Size() {
			to = step.Next(from) - 1
		}
		return !slices.ContainsFunc(ranges, func(r [2]cube.Day) bool { return to < r[0] || from > r[1] })
	}
	return in, from, to
}

// all returns the periods from t on. Hours and minutes begin on the day before a given day: earlier ones are not needed.
func (r *rhythm) all(t time.Time, day cube.Day) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		if r.every == 0 {
			for ; yield(t); t = r.step.Next(cube.DayOf(t)).Time() {
			}
			return
		}
		zone := t.Location()
		if r.walls {
			t = onWall(t)
		}
		if n := (int64(day-1-cube.DayOf(t)) * 24 * 3600) / r.every; n > 0 {
			t = time.Unix(t.Unix()+(n-1)*r.every, 0).In(t.Location())
		}
		for ; ; t = t.Add(time.Duration(r.every) * time.Second) {
			at := t
			if r.walls {
				y, m, d := t.Date()
				at = time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, zone)
			}
			if onWall(at).Equal(onWall(t)) && !yield(at) { // the clock skips other times
				return
			}
		}
	}
}

// fillZero adds to the axis the places that are 0 without rows, and to all series the value 0 there.
func (s *split) fillZero() {
	if len(s.zeros) == 0 {
		return
	}
	zero := map[int64]bool{}
	for _, c := range s.zeros {
		zero[placeOf(c)] = true
	}
	x := slices.Concat(s.x, s.zeros)
	slices.SortStableFunc(x, func(a, b cube.Category) int { return cmp.Compare(placeOf(a), placeOf(b)) })
	s.replace(slices.CompactFunc(x, func(a, b cube.Category) bool { return placeOf(a) == placeOf(b) }))
	for i := range s.series {
		for x, c := range s.x {
			if !s.has(i, x) && !s.null[i][x] && zero[placeOf(c)] {
				s.exact[i][x] = 0.0
			}
		}
	}
}

// placeOf returns a number for each place of an axis of times or whole years, in their order.
func placeOf(c cube.Category) int64 {
	if t, ok := c.Value.(time.Time); ok {
		return t.UnixMicro()
	}
	return c.Value.(int64)
}
