package alert

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// Bounds of the history of an anomaly.
const (
	LeastHistory = 6  // periods of the same weekday or hour that are needed
	MostHistory  = 26 // periods that are used at most
)

// An Input is the data for judging alerts at the end of a refresh.
type Input struct {
	Spec      *dashboard.Spec
	Cubes     map[string]*cube.Cube // by dataset; without datasets whose rows are unknown
	Truncated map[string]bool       // datasets whose rows were cut at a limit
	AsOf      time.Time             // of the rows
	Failed    bool                  // the refresh, or a part of it
	LastGood  time.Time             // when the last refresh without a failure ended, or the wait for the first one began
}

// A Reason is the reason why an alert could not be judged, or "".
type Reason string

// The reasons.
const (
	NoRows    Reason = "rows"      // the dataset's rows are unknown
	Failed    Reason = "failed"    // the refresh of the dataset failed, so it has no new rows
	Truncated Reason = "truncated" // the rows were cut at a limit
	TooMany   Reason = "values"    // by has more values than an alert may have
	NoGrain   Reason = "grain"     // times are finer than a minute and the spec names no grain
	NoPeriod  Reason = "period"    // no period is complete
	Unclear   Reason = "unclear"   // rows would be merged without a known aggregation
	NoHistory Reason = "history"   // there is too little history
	NoValue   Reason = "value"     // there is no value
)

// A Finding is the result for one value of the dimension that splits an alert, or for the whole.
type Finding struct {
	Key  string // identifies the value; "" for the whole
	Name any    // the value in its cube

	Holds   bool
	Unknown Reason // why it could not be judged

	Value  any       // of the measure: nil, a float64 or a [cube.Decimal]
	Rows   int       // of AlertRows
	Period time.Time // begin of the judged period; zero for all rows

	Base       float64   // of AlertChange: the value to compare with
	BasePeriod time.Time // zero for a mean
	Low, High  float64   // of AlertAnomaly: the band of usual values
}

// A Reading is the result of judging one alert.
type Reading struct {
	Alert    *dashboard.Alert
	Column   dashboard.Column // the measure
	By       dashboard.Column
	X        dashboard.Column
	Grain    cube.Grain // of the judged period
	Findings []Finding  // in the order of the values
	Unknown  Reason     // why there are no findings
}

// Judge judges an alert by an input.
func Judge(in Input, a *dashboard.Alert) Reading {
	switch a.Condition {
	case dashboard.AlertFailing:
		return Reading{Alert: a, Findings: []Finding{{Holds: in.Failed}}}
	case dashboard.AlertStale:
		return Reading{Alert: a, Findings: []Finding{{Holds: in.AsOf.Sub(in.LastGood) >= a.Stale, Period: in.LastGood}}}
	}
	s := read(in, a)
	if s.Unknown != "" {
		return s.Reading
	}
	at := len(s.judged) - 1
	if s.dated() && at < 0 {
		s.Unknown = NoPeriod
		return s.Reading
	}
	s.Findings = s.findings(at)
	return s.Reading
}

// A series has the values of an alert by the dimension that splits it and by period.
type series struct {
	Reading
	g      *cube.Groups
	x      int         // index of the periods among the dimensions, or -1
	first  []int       // by value of by: its first group, and the end
	names  []any       // of each value of by
	keys   []string    // of each value of by
	axis   []time.Time // begins of the periods that the rows have; zero for rows without a time
	whole  []bool      // by axis: whether the period is complete
	places map[int64]int
	judged []time.Time // begins of the complete periods that can be judged, ascending
}

func (s *series) dated() bool { return s.Alert.X != "" }

// read groups the rows of an alert's dataset.
func read(in Input, a *dashboard.Alert) *series {
	s := &series{Reading: Reading{Alert: a}, x: -1}
	set, rows := in.Spec.Dataset(a.Data), in.Cubes[a.Data]
	switch {
	case set != nil && rows == nil && in.Failed:
		s.Unknown = Failed
		return s
	case set == nil || rows == nil:
		s.Unknown = NoRows
		return s
	case in.Truncated[a.Data] && !(a.Condition == dashboard.AlertRows && a.Rows == "any"):
		s.Unknown = Truncated
		return s
	}
	columns := set.Resolve(rows.Columns())
	s.Column, s.By, s.X = column(columns, a.Value), column(columns, a.By), column(columns, a.X)
	zone := in.Spec.Location()
	chosen := rows.Select(dashboard.Filters(a.Where)...)
	var q cube.Query
	if a.By != "" {
		q.By = append(q.By, cube.Dim{Column: a.By})
	}
	if a.Value != "" {
		q.Measures = []cube.Measure{measure(columns, s.Column, rows.Select())}
	}
	if s.dated() {
		s.Grain = a.Grain
		if s.Grain == cube.Exact {
			if g := rows.Grains(a.X, zone, in.Spec.Week()); len(g) > 0 {
				s.Grain = g[0]
			}
		}
		s.x = len(q.By)
		q.By = append(q.By, cube.Dim{Column: a.X, Grain: s.Grain, Week: in.Spec.Week(), Zone: zone})
	}
	s.g = rows.Group(chosen, q)
	if a.Value != "" {
		if merged, _ := s.g.Unclear(0); merged > 0 {
			s.Unknown = Unclear
			return s
		}
	}
	if a.By != "" && s.g.Len() > 0 && len(s.g.Axes[0]) > dashboard.MaxAlertValues {
		s.Unknown = TooMany
		return s
	}
	s.split()
	if s.dated() {
		s.periods(in, rows, zone, q.Measures)
	}
	return s
}

// split finds the groups of each value of by: they are adjacent, because it is the first dimension.
func (s *series) split() {
	if s.Alert.By == "" {
		s.names, s.keys, s.first = []any{nil}, []string{""}, []int{0, s.g.Len()}
		return
	}
	for _, c := range s.g.Axes[0] {
		s.names, s.keys = append(s.names, c.Value), append(s.keys, keyOf(c.Value))
	}
	for g := range s.g.Len() {
		if len(s.first) == 0 || s.g.At(g, 0) != s.g.At(s.first[len(s.first)-1], 0) {
			s.first = append(s.first, g)
		}
	}
	s.first = append(s.first, s.g.Len())
}

// periods determines the periods, and which of them can be judged.
func (s *series) periods(in Input, rows *cube.Cube, zone *time.Location, measures []cube.Measure) {
	every := rows.Select()
	span, ok := rows.Span(every, s.Alert.X, zone, 0)
	if !ok {
		return
	}
	if s.Grain == cube.Exact {
		s.Unknown = NoGrain
		return
	}
	asOf := in.Spec.DataEnd(in.AsOf).In(zone)
	p := dashboard.Periods{
		Step: s.Grain, At: dashboard.ClockOf(s.X.Type, asOf), Min: span.Min, Max: span.Max,
		Ranges: in.Spec.Ranges(in.Spec.Dataset(s.Alert.Data), asOf),
	}
	var busy *[7]bool
	days := func() [7]bool {
		if busy == nil {
			busy = new(dashboard.BusyDays(rows, every, s.Alert.X, zone))
		}
		return *busy
	}
	if g := rows.Grains(s.Alert.X, zone, in.Spec.Week()); len(g) > 0 && g[0].Size() < cube.Weekly.Size() {
		p.Busy = days
	}
	s.places = map[int64]int{}
	for i, c := range s.g.Axes[s.x] {
		t, ok := c.Value.(time.Time)
		s.axis, s.whole = append(s.axis, t), append(s.whole, ok && p.Complete(t))
		if ok {
			s.places[t.Unix()] = i
		}
		if ok && s.whole[i] && s.Alert.Condition != dashboard.AlertRows {
			s.judged = append(s.judged, t)
		}
	}
	stock := len(measures) > 0 && measures[0].IsAlong(s.Alert.X)
	if stock || len(s.Alert.Where) > 0 && len(s.axis) > 0 { // periods without rows after where have no value
		s.judged = nil
		by := cube.Dim{Column: s.Alert.X, Grain: s.Grain, Week: in.Spec.Week(), Zone: zone}
		for _, c := range rows.Group(every, cube.Query{By: []cube.Dim{by}}).Axes[0] {
			if t, ok := c.Value.(time.Time); ok && p.Complete(t) {
				s.judged = append(s.judged, t)
			}
		}
	}
	if s.Alert.Condition == dashboard.AlertRows {
		s.judged = calendar(&p, span, in.Spec, s.X.Type, days)
	}
}

// mostPeriods is the largest number of periods of a calendar: earlier ones are ignored.
const mostPeriods = 2400

// calendar returns the complete periods between the first time of the data and now, with or without rows, except days of the week that
// never have rows, days that the clock of the zone skips, and hours that it shortens.
func calendar(p *dashboard.Periods, span cube.Span, spec *dashboard.Spec, kind cube.Type, busy func() [7]bool) []time.Time {
	var out []time.Time
	begin := cube.Day.Time
	if kind == cube.Instant {
		begin = func(d cube.Day) time.Time { return d.In(spec.Location()) }
	}
	if long := map[cube.Grain]time.Duration{cube.Minutely: time.Minute, cube.Hourly: time.Hour}[p.Step]; long > 0 {
		t := begin(max(span.Min, cube.DayOf(p.At.Add(-mostPeriods*long))))
		for next := t; !t.After(p.At); t = next {
			next = p.Step.After(t)
			if p.Complete(t) && !next.Before(t.Add(long)) {
				out = append(out, t)
			}
		}
	} else {
		longest := map[cube.Grain]cube.Day{cube.Daily: 7, cube.Weekly: 7, cube.Monthly: 31, cube.Quarterly: 92, cube.Yearly: 366}[p.Step]
		if longest == 0 {
			longest = 1
		}
		// Of days, at least one of each week has rows. Some more, because the last periods and skipped days do not count.
		from := max(span.Min, cube.DayOf(p.At)-(mostPeriods+100)*longest)
		for d := p.Step.Floor(from, spec.Week()); d <= cube.DayOf(p.At); d = p.Step.Next(d) {
			if p.Complete(d.Time()) && (p.Step != cube.Daily || busy()[d.Time().Weekday()] && begin(d).Before(begin(d+1))) {
				out = append(out, d.Time())
			}
		}
	}
	return out[max(0, len(out)-mostPeriods):]
}

// findings judges every value in the judged period at; at is -1 without periods.
func (s *series) findings(at int) []Finding {
	if s.g.Len() == 0 && s.Alert.By == "" && s.Alert.Condition != dashboard.AlertRows {
		return []Finding{{Unknown: NoValue}}
	}
	out := make([]Finding, len(s.keys))
	for k := range s.keys {
		out[k] = s.finding(k, at)
		out[k].Key, out[k].Name = s.keys[k], s.names[k]
	}
	return out
}

func (s *series) finding(k, at int) (f Finding) {
	place := -1
	if at >= 0 && s.dated() {
		f.Period = s.judged[at]
		if i, ok := s.places[f.Period.Unix()]; ok {
			place = i
		}
	}
	g := s.group(k, place)
	if s.Alert.Condition == dashboard.AlertRows {
		if g >= 0 {
			f.Rows = s.g.Rows(g)
		}
		f.Holds = (f.Rows > 0) == (s.Alert.Rows == "any")
		return f
	}
	if g >= 0 {
		f.Value = s.g.Exact(g, 0)
	}
	if f.Value == nil {
		f.Unknown = NoValue
		return f
	}
	switch s.Alert.Condition {
	case dashboard.AlertThreshold:
		f.Holds = compares(s.Alert.If, f.Value, s.Alert.Than)
	case dashboard.AlertChange:
		s.change(&f, k, g, place)
	case dashboard.AlertAnomaly:
		s.anomaly(&f, k, g, place)
	}
	return f
}

// group returns the group of a value in a period, or -1.
func (s *series) group(k, place int) int {
	from, to := s.first[k], s.first[k+1]
	switch {
	case from == to:
		return -1
	case !s.dated():
		return from
	case place < 0:
		return -1
	}
	g := from + lowerBound(to-from, func(i int) bool { return s.g.At(from+i, s.x) >= place })
	if g < to && s.g.At(g, s.x) == place {
		return g
	}
	return -1
}

// lowerBound returns the first of n for which ok holds. It must hold for all that follow.
func lowerBound(n int, ok func(int) bool) int {
	lo, hi := 0, n
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); ok(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// compares reports whether the comparison of a value with a number by sign holds.
func compares(sign string, v any, than float64) bool {
	order, ok := cube.Compare(v, than)
	if !ok {
		return false
	}
	switch sign {
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	}
	return order == 0
}

// change compares a value with that of another period, or with the mean of earlier ones.
func (s *series) change(f *Finding, k, g, place int) {
	v, _ := s.g.Value(g, 0)
	c := s.Alert.Change
	var before []float64
	if c.Against == dashboard.AgainstMean {
		before = s.before(k, g, c.Of, func(time.Time) bool { return true })
		if len(before) < c.Of {
			f.Unknown = NoHistory
			return
		}
		for _, b := range before {
			f.Base += b / float64(len(before))
		}
	} else {
		other := s.other(place)
		if f.Unknown = NoHistory; other < 0 || !s.whole[other] {
			return
		}
		b := s.group(k, other)
		if b < 0 {
			return
		}
		base, ok := s.g.Value(b, 0)
		if !ok {
			return
		}
		f.Base, f.BasePeriod, f.Unknown = base, s.axis[other], ""
		before = []float64{base}
	}
	if f.Base == 0 { // zero cannot be a divisor
		f.Unknown = NoHistory
		return
	}
	share := (v - f.Base) / math.Abs(f.Base)
	if math.Abs(share-c.By) <= nearLimit {
		share = c.By + float64(compareChange(v, before, c.By))
	}
	f.Holds = c.By < 0 && share <= c.By || c.By > 0 && share >= c.By
}

// nearLimit is the difference from a limit below which binary fractions may decide on which side of it a value is: 0.8 is 20% less than 1,
// and (0.8-1)/1 is above -0.2.
const nearLimit = 1e-9

// compareChange compares the change of a value from the mean of others with a share of that mean, exactly.
func compareChange(v float64, before []float64, by float64) int {
	exact := func(v float64) *big.Rat {
		r, ok := new(big.Rat).SetString(cube.Label(v))
		if !ok { // an infinity, which is not near a limit
			return new(big.Rat)
		}
		return r
	}
	base := new(big.Rat)
	for _, b := range before {
		base.Add(base, exact(b))
	}
	base.Quo(base, big.NewRat(int64(len(before)), 1))
	change := new(big.Rat).Sub(exact(v), base)
	return change.Cmp(base.Mul(base.Abs(base), exact(by)))
}

// other returns the index of the period with which the period at place is compared, or -1.
func (s *series) other(place int) int {
	t := s.axis[place]
	clock := s.Grain == cube.Hourly || s.Grain == cube.Minutely
	switch s.Alert.Change.Against {
	case dashboard.AgainstPeriod:
		return place - 1 // among the periods in the data: the trading day before a Monday is a Friday
	case dashboard.AgainstWeek:
		t = t.AddDate(0, 0, -7)
		if !clock && s.Grain.Size() > cube.Weekly.Size() {
			return -1
		}
	case dashboard.AgainstYear:
		day := t.Day()
		if s.Grain == cube.Weekly {
			t = t.AddDate(0, 0, -52*7)
		} else if t = t.AddDate(-1, 0, 0); t.Day() != day { // of a 29 February; the day before is that of the other year
			t = t.AddDate(0, 0, -1)
		}
	}
	if i, ok := s.places[t.Unix()]; ok {
		return i
	}
	return -1
}

// before returns the values of up to n complete periods before that of a group for which like holds, the latest first.
func (s *series) before(k, g, n int, like func(time.Time) bool) []float64 {
	var out []float64
	for b := g - 1; b >= s.first[k] && len(out) < n; b-- {
		i := s.g.At(b, s.x)
		if !s.whole[i] || !like(s.axis[i]) {
			continue
		}
		if v, ok := s.g.Value(b, 0); ok {
			out = append(out, v)
		}
	}
	return out
}

// anomaly compares a value with the median of the same weekday, or of the same hour, or of all periods before.
func (s *series) anomaly(f *Finding, k, g, place int) {
	t := s.axis[place]
	like := func(time.Time) bool { return true }
	switch s.Grain {
	case cube.Daily:
		like = func(o time.Time) bool { return o.Weekday() == t.Weekday() }
	case cube.Hourly:
		like = func(o time.Time) bool { return o.Hour() == t.Hour() }
	}
	before := s.before(k, g, MostHistory, like)
	if len(before) < LeastHistory {
		f.Unknown = NoHistory
		return
	}
	middle, half := band(before, s.Alert.K)
	f.Low, f.High = middle-half, middle+half
	v, _ := s.g.Value(g, 0)
	slack := 1e-12 * max(math.Abs(v), math.Abs(middle)) // the last binary digits of equal values may differ
	f.Holds = v < f.Low-slack && s.Alert.Anomaly != "high" || v > f.High+slack && s.Alert.Anomaly != "low"
}

// band returns the median of values and half the width of the usual band: k times the median of the distances from the median or, if more
// than half of the values are equal, k times the mean distance.
func band(values []float64, k float64) (middle, half float64) {
	middle = median(values)
	far := make([]float64, len(values))
	sum := 0.0
	for i, v := range values {
		far[i] = math.Abs(v - middle)
		sum += far[i]
	}
	if half = median(far); half == 0 {
		half = sum / float64(len(far))
	}
	return middle, k * half
}

// median sorts values and returns the middle one, or the mean of the two middle ones.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return values[n/2-1]/2 + values[n/2]/2
}

// column returns the column called name, or the zero Column.
func column(columns []dashboard.Column, name string) dashboard.Column {
	for _, c := range columns {
		if c.Name == name {
			return c
		}
	}
	return dashboard.Column{}
}

// measure returns the aggregation of a column. The time of a stock is determined among all rows, not only those of where.
func measure(columns []dashboard.Column, c dashboard.Column, all cube.Selection) cube.Measure {
	one := func(c dashboard.Column) cube.Measure {
		m := cube.Measure{Column: c.Name, Agg: cube.Agg(c.Agg)}
		switch {
		case c.IsStock() && c.Along != "":
			m.Along, m.Among = c.Along, all
		case c.IsStock(), m.Agg == "":
			m.Agg = cube.None
		}
		return m
	}
	if !c.IsRatio() {
		return one(c)
	}
	m, over := one(column(columns, c.Ratio[0])), one(column(columns, c.Ratio[1]))
	m.Over = &over
	return m
}

// keyOf returns the stored key of a value of by: at most 200 bytes of text that any database can store.
func keyOf(v any) string {
	if v == nil {
		return "null"
	}
	label := "=" + cube.Label(v)
	if len(label) <= 200 && utf8.ValidString(label) && !strings.Contains(label, "\x00") {
		return label
	}
	sum := sha256.Sum256([]byte(label))
	return "#" + hex.EncodeToString(sum[:])
}
