package panel

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/geo"
)

const (
	calendarYears = 6  // the maximum drawn
	halfWeeks     = 27 // in half a year: a year has days in at most 54 weeks
)

var calendarFigure = Figure{Summarise: summariseCalendar}

// A calendarPanel shows the days of years, coloured by a measure. A year is drawn as two halves, so that its weeks are readable on a phone
// too. Days of a few months are drawn as one block of these months, whether or not a year begins among them.
type calendarPanel struct {
	*Panel
	col    dashboard.Column
	years  []calendarYear // in their order
	weeks  int            // of the only block, of some months; 0 if years are drawn
	value  map[cube.Day]float64
	domain domain
	toned  map[cube.Day]canvas.Color // days with the tone of a threshold
	tones  *toner
	framed map[cube.Day]bool // the days of events
	open   map[cube.Day]bool // days that are not over
}

// A calendarYear contains the days from January 1 to the day before the next one, or those of some months.
type calendarYear struct {
	first, next cube.Day
	start       cube.Day // of the week of the first day
	row         int      // of start in the grid, or where it would be
	from, to    cube.Day // days listed in the grid; from is after to if the grid lists no day
}

func summariseCalendar(p *Panel) Content {
	spec, d := p.Spec, p.Data
	xcol, col := *p.col(spec.X), p.col(spec.Value)
	if p.Problem == "" && !xcol.Type.IsTime() {
		p.Problem = p.Env.Text("%s has no dates.", xcol.Label)
	}
	if p.Problem != "" {
		return nil
	}
	tones := p.toner()
	if p.Problem != "" {
		return nil
	}
	t := p.run(encode.Query{
		By: []encode.Channel{{Column: spec.X, Key: "x", Grain: cube.Daily}}, Measures: append([]cube.Measure{d.Measure(col)},
			tones.measures()...),
	})
	if t == nil {
		return nil
	}
	out := &calendarPanel{
		Panel: p, col: *col, value: map[cube.Day]float64{}, tones: tones, toned: map[cube.Day]canvas.Color{},
	}
	exact, limits := map[cube.Day]any{}, map[cube.Day]limit{}
	for i := range t.Len() {
		at, ok := t.Category(i, 0).Value.(time.Time)
		if !ok {
			p.report(encode.WithoutTime(&xcol))
			continue
		}
		if v, ok := t.Value(i, 0); ok {
			out.value[cube.DayOf(at)], exact[cube.DayOf(at)] = v, t.Exact(i, 0)
			limits[cube.DayOf(at)] = tones.limits(t.Groups, i, 1)
		}
	}
	if len(out.value) == 0 {
		p.Empty = p.missing()
		return nil
	}
	out.findOpen(&xcol)
	if p.Empty != "" {
		return nil
	}
	maps.DeleteFunc(exact, func(d cube.Day, _ any) bool { _, shown := out.value[d]; return !shown })
	out.lay()
	values := slices.Collect(maps.Values(out.value))
	for d, v := range out.value {
		if of := tones.color(v, limits[d], spec.Value, 0); of > 0 {
			out.toned[d] = of
		}
	}
	out.domain = p.Env.domain(col, spec.Ramp, values)
	if p.family == nil && p.keepsDomain(d.Measure(col)) {
		if all, ok := p.unfiltered(cube.Exact).(*calendarPanel); ok {
			out.domain = all.domain.kept(values)
		}
	}
	if p.alone() {
		p.sayRamp(&out.domain, spec.Ramp, "ramp")
	}
	xcol.Format = "" // days are written as days
	out.list(xcol, exact)
	out.says(xcol)
	out.markDays()
	p.Summary += tones.says()
	if p.labelled() {
		out.noteDays()
	}
	return out
}

// layMonths sets one block to draw if the months with data have no more weeks than half a year. Small plots have the months of all of them.
func (p *calendarPanel) layMonths() bool {
	from, to := cube.Day(math.MaxInt64), cube.Day(math.MinInt64)
	for d := range p.value {
		from, to = min(from, d), max(to, d)
	}
	y := calendarYear{from: from, to: to}
	if all := p.Data.Span(p.Spec.X); p.family != nil && all.OK {
		from, to = min(from, all.Min), max(to, all.Max)
	}
	y.first, y.next = cube.Monthly.Floor(from, p.Env.week), cube.Monthly.Next(cube.Monthly.Floor(to, p.Env.week))
	y.start = cube.Weekly.Floor(y.first, p.Env.week)
	y.row = -int(y.from - y.start)
	weeks := int(y.next-1-y.start)/7 + 1
	if weeks > halfWeeks {
		return false
	}
	p.weeks, p.years = weeks, []calendarYear{y}
	return true
}

// columns returns the number of weeks of a block.
func (p *calendarPanel) columns() int { return cmp.Or(p.weeks, halfWeeks) }

// halves returns the number of blocks of a year.
func (p *calendarPanel) halves() int {
	if p.weeks > 0 {
		return 1
	}
	return 2
}

// lay sets the years to draw, and removes the days of other years.
func (p *calendarPanel) lay() {
	if p.layMonths() {
		return
	}
	numbers := map[int]bool{}
	for d := range p.value {
		numbers[d.Time().Year()] = true
	}
	var years []int
	for y := range numbers {
		years = append(years, y)
	}
	slices.Sort(years)
	if all := len(years); all > calendarYears {
		years = years[all-calendarYears:]
		p.report(encode.Noted("The last %s of %s years are drawn.", strconv.Itoa(calendarYears), all).
			Warned(dashboard.WarnCut, "x",
				`%d of %d years of "%s" {is|are} drawn, the last {one|ones}; a filter on it shows others.`,
				calendarYears, all, p.Spec.X))
	}
	if n := len(years); years[n-1]-years[0] >= n {
		p.report(encode.Noted("Years without data are not drawn."))
	}
	first, last := cube.Day(math.MaxInt64), cube.Day(math.MinInt64)
	for d := range p.value {
		if d.Time().Year() < years[0] {
			delete(p.value, d)
			continue
		}
		first, last = min(first, d), max(last, d)
	}
	row := 0
	for _, number := range years {
		y := calendarYear{first: dayOf(number, 1, 1), next: dayOf(number+1, 1, 1)}
		y.start = cube.Weekly.Floor(y.first, p.Env.week)
		y.from, y.to = max(y.first, first), min(y.next-1, last)
		y.row = row - int(y.from-y.start)
		row += int(y.to-y.from) + 1
		p.years = append(p.years, y)
	}
}

// list makes the grid: each day from the first to the last with a value.
func (p *calendarPanel) list(xcol dashboard.Column, exact map[cube.Day]any) {
	xcol.Role = dashboard.Dimension
	p.Grid = &Grid{Columns: []Column{{Column: xcol, Grain: cube.Daily}, {Column: p.col}}, Whole: true}
	for _, y := range p.years {
		for d := y.from; d <= y.to; d++ {
			p.Grid.Rows = append(p.Grid.Rows, []any{cube.Category{Value: d.Time()}, exact[d]})
		}
	}
}

// says writes the notes and the summary.
func (p *calendarPanel) says(xcol dashboard.Column) {
	rows := p.Grid.Rows
	name := func(row int) string { return p.Env.Cell(xcol, cube.Daily, rows[row][0]) }
	value := func(row int) string { return p.Env.Quantity(p.col, rows[row][1]) }
	least, most := -1, -1
	for i, row := range rows {
		if row[1] == nil {
			continue
		}
		if least < 0 || lessNumber(row[1], rows[least][1]) {
			least = i
		}
		if most < 0 || lessNumber(rows[most][1], row[1]) {
			most = i
		}
	}
	days := 0
	for _, y := range p.years {
		days += int(y.next - y.first)
	}
	if days > len(p.value) {
		p.report(encode.Noted("Gray: no data."))
	}
	p.Summary = p.Env.Count(len(p.value),
		"%d day has a value, from %s to %s: the lowest is %s (%s), the highest %s (%s).",
		"%d days have values, from %s to %s: the lowest is %s (%s), the highest %s (%s).",
		name(0), name(len(rows)-1), value(least), name(least), value(most), name(most))
}

// place returns the column and the row of a day of a year.
func (p *calendarPanel) place(y *calendarYear, d cube.Day) (column, row int) {
	return int(d-y.start) / 7, int(d-y.start) % 7
}

func (p *calendarPanel) ramp() (*domain, *dashboard.Column, []float64) {
	return &p.domain, &p.col, slices.Collect(maps.Values(p.value))
}

func (p *calendarPanel) rounded() cube.Grain { return cube.Exact }

func (p *calendarPanel) share(f *family, all []Content) { f.shareRamp(all) }

func (p *calendarPanel) keyAbove() *chart.Key { return p.tones.key(p.Env.key(&p.domain, &p.col)) }

func (p *calendarPanel) Draw(c canvas.Canvas) {
	if p.alone() {
		p.tones.drawKey(c, p.Env.key(&p.domain, &p.col))
	}
	left := p.weekdays()
	for i := range p.years {
		left = append(left, p.Env.Year(p.years[i].first.Time()))
	}
	if p.weeks > 0 {
		p.half(&p.years[0], 0, left).Draw(c)
		return
	}
	for i := range p.years {
		c.Halves()
		p.half(&p.years[i], 0, left).Draw(c)
		p.half(&p.years[i], 1, left).Draw(c)
		c.End()
	}
}

// weekdays returns the names of the rows.
func (p *calendarPanel) weekdays() []string {
	out := make([]string, 7)
	for i := range out {
		out[i] = p.Env.Weekday(time.Weekday((int(p.Env.week)+i+1)%7), true)
	}
	return out
}

// monthsHeight is the height of a day of a block of months, which is as wide as the panel, in pixels.
const monthsHeight = 24

// cellHeight returns the height of a day on a desktop, in pixels: of a year about its width.
func (p *calendarPanel) cellHeight(left []string) int {
	if p.weeks > 0 {
		return monthsHeight
	}
	_, margin := canvas.MarginOf(left)
	return int(max(12, min((p.within()-margin-canvas.RightMargin)/(2*halfWeeks), 20)))
}

// half returns the first or the second half of a year, or a block of months: cells of days, by weeks and weekdays. left are the names of
// rows and years.
func (p *calendarPanel) half(y *calendarYear, half int, left []string) *chart.Chart {
	columns := p.columns()
	from, to := half*columns, (half+1)*columns
	first, last := max(y.first, y.start+cube.Day(7*from)), min(y.next, y.start+cube.Day(7*to))-1
	high := p.cellHeight(left)
	h := &chart.Chart{
		Title: p.Title, Says: p.Env.DayMonth(first.Time()) + " – " + p.Env.Date(last.Time()), Height: 7 * high, Room: p.room(),
		Kind: canvas.HalfPicture, Places: canvas.Places{Columns: columns, Rows: 7},
		List: canvas.RowList{
			First: p.offset + y.row + 7*from, From: p.offset + y.row + int(y.from-y.start), To: p.offset + y.row + int(y.to-y.start) + 1,
		},
	}
	if half == 0 && y == &p.years[0] {
		h.Says = p.Summary
	}
	if p.weeks > 0 {
		h.Kind = canvas.MonthsPicture
	}
	cells := &chart.CellOutline{Columns: columns, Rows: 7, Lines: p.monthLines(y, from, to)}
	var short func(v float64) string
	if p.labelled() {
		short, _ = p.Env.Shorts(format.OrInteger(p.col), slices.Collect(maps.Values(p.value)))
	}
	for d := first; d <= last; d++ {
		x, row := p.place(y, d)
		cell := chart.OutlinedCell{Column: x - from, Row: row, Framed: p.framed[d], Partial: p.open[d]}
		if v, ok := p.value[d]; ok {
			if cell.Color = cmp.Or(p.toned[d], p.domain.color(v)); short != nil {
				cell.Text = short(v)
			}
		}
		cells.Cells = append(cells.Cells, cell)
	}
	h.Under = []chart.Layer{cells}
	p.nameHalf(h, y, half, high, left)
	return h
}

// monthLines returns the lines before the months that begin in some columns, each drawn there and back.
func (p *calendarPanel) monthLines(y *calendarYear, from, to int) [][]geo.Point {
	var out [][]geo.Point
	for d := cube.Monthly.Next(y.first); d < y.next; d = cube.Monthly.Next(d) {
		column, row := p.place(y, d)
		x, at := int32(column-from), int32(row)
		line := []geo.Point{{X: x + 1, Y: 0}, {X: x + 1, Y: at}, {X: x, Y: at}, {X: x, Y: 7}, {X: x, Y: at}, {X: x + 1, Y: at}}
		switch {
		case row == 0:
			line = line[2:4]
		case column == from-1: // it ends at the edge
			line = line[:2]
			column++
		}
		if column >= from && column < to {
			out = append(out, line)
		}
	}
	return out
}

// nameHalf adds the names of the weekdays, the year and, above the weeks, the months. The second half of a year is next to the first,
// except on a phone, where it has its own names.
func (p *calendarPanel) nameHalf(h *chart.Chart, y *calendarYear, half, high int, left []string) {
	rows := &chart.RowAxis{
		Margin: left, Names: make([]string, 7), Phone: make([]string, 7), Corner: p.Env.Year(y.first.Time()), Again: half > 0,
	}
	for i := range 7 {
		name := canvas.ClipWidth(left[i], canvas.PhoneMargin-8)
		if i%2 == 0 {
			rows.Phone[i] = name
		}
		if i%2 == 0 || float64(high) >= canvas.LabelSize+3 {
			rows.Names[i] = name
		}
	}
	h.Y.Rows = rows
	texts, at := p.months(y, half)
	h.X.Above = true
	h.X.Labels = func(width float64) []chart.Label {
		at := slices.Clone(at)
		at[0] = max(at[0], (canvas.LabelWidth(texts[0])/2-2)/width) // next to the year
		return chart.EveryNth(texts, at, width)
	}
}

// months returns the names of the months whose middle is in half a year, and their positions. The first month of another year than that
// beside the rows has its year.
func (p *calendarPanel) months(y *calendarYear, half int) (texts []string, at []float64) {
	for d := y.first; d < y.next; d = cube.Monthly.Next(d) {
		first, _ := p.place(y, d)
		last, _ := p.place(y, cube.Monthly.Next(d)-1)
		if x := float64(first+last+1)/2/float64(p.columns()) - float64(half); x >= 0 && x < 1 {
			name := p.Env.MonthAlone(d.Time())
			if d != y.first && d.Time().Month() == time.January {
				name = p.Env.Month(d.Time())
			}
			texts, at = append(texts, name), append(at, x)
		}
	}
	return texts, at
}
