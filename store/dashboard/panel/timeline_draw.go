package panel

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

func (m *timelinePanel) plotted() *chart.Chart { return m.chart() }

func (m *timelinePanel) Draw(c canvas.Canvas) { m.chart().Draw(c) }

// chart returns the chart of the bars, with the legend of their colours. On a phone, names that do not fit beside the bars are over them,
// in all small plots if one has such a name.
func (m *timelinePanel) chart() *chart.Chart {
	h := m.rowsOfBars(false)
	long := func(name string) bool { return canvas.LabelWidth(name) > phoneRowName }
	if slices.ContainsFunc(m.rows, func(r spanRow) bool { return long(r.name) }) || slices.ContainsFunc(m.margin, long) {
		h.Phone = m.rowsOfBars(true)
	}
	return h
}

// phoneRowName is the room beside the bars for the name of a row on a phone, in pixels.
const phoneRowName = canvas.PhoneMargin - 8

// rowsOfBars returns the chart of the bars. The names of rows are to the left of the bars or, if over is true, above them.
func (m *timelinePanel) rowsOfBars(over bool) *chart.Chart {
	h := m.newChart(dashboard.Column{})
	if len(m.legend) > 0 {
		h.Key = m.Panel.legend(m.legend)
	}
	switch {
	case m.tones == nil:
	case h.Key != nil:
		h.Key.Items = append(h.Key.Items, m.tones...)
	default:
		h.Key = &chart.Key{Kind: canvas.LegendList, Items: m.tones}
	}
	h.Events, h.Flush = m.chartEvents(), over
	lanes := &chart.Lanes{Lanes: m.lanes, Now: m.nowAt(), Over: over}
	if lanes.Now > 0 {
		lanes.NowText = m.nowText()
	}
	names := &chart.RowAxis{}
	var full []string
	for k := range m.rows {
		r := &m.rows[k]
		full = append(full, r.name)
		row := chart.LaneRow{First: r.first}
		if !over {
			row.Name, row.Phone = m.rowName(k), canvas.ClipWidth(r.name, phoneRowName)
			names.Margin = append(names.Margin, row.Name)
		}
		lanes.Rows = append(lanes.Rows, row)
	}
	if over {
		lanes.Lanes = chart.NameLanes(lanes.Rows, full, h.Room.FullWidths()[0]-canvas.RightMargin, m.lanes)
	}
	lane, above := make([]int, len(m.spans)), 0
	for k := range lanes.Rows {
		row := &lanes.Rows[k]
		above += row.Above
		row.First += above
		for _, i := range m.rows[k].spans {
			lane[i] = row.First + m.spans[i].lane
		}
	}
	ways := m.Ways()
	for _, i := range m.drawn {
		lanes.Bars = append(lanes.Bars, m.bar(i, lane[i], ways))
	}
	grain := cube.Daily
	if m.clock {
		grain = cube.Exact
	}
	if m.margin != nil && !over {
		names.Margin = m.margin
	}
	h.Y.Rows = names
	h.X.Labels = func(width float64) []chart.Label { return m.Env.timeLabels(m.lo, m.hi, grain, width) }
	lanes.Labels = h.X.Labels
	lanes.Events = h.EventLines()
	if m.labelled() {
		h.Values = chart.AnyValues
	}
	h.Height, h.Lines = lanes.Height(), lanes.Lanes+lanes.Above()
	h.Over = []chart.Layer{lanes}
	return h
}

// bar returns the bar of a span.
func (m *timelinePanel) bar(i, lane int, ways *ways) chart.LaneBar {
	s := &m.spans[i]
	end := m.reach(s)
	if !s.until.IsZero() && s.until.Before(end) {
		end = s.until
	}
	b := chart.LaneBar{
		From: m.place(m.begin(s)), To: m.place(end), Lane: lane, Color: m.colorOf(s),
		Row: row(m.offset+i, ways.Of(m.Grid.Columns[0].Mark(m.Grid.Rows[i][0]))), Title: m.title(i),
	}
	if m.labelled() {
		b.Text = m.textIn(s)
	}
	if m.toned != nil && m.toned[i] > 0 {
		b.Color, b.Bare = m.toned[i], true
	}
	if s.open(0) {
		b.Fades[0] = min(timelineFade, b.To)
		b.From = b.Fades[0]
	}
	if s.open(1) {
		b.Fades[1] = min(timelineFade, 1-b.To)
	}
	m.cutBar(&b, s, end)
	return b
}

// sketch returns the bars in characters: as many of the first rows as fit with one line for each lane, because bars that share a line
// cannot be told apart.
func (m *timelinePanel) sketch() []string {
	drawn, rows := *m, len(m.rows)
	for rows > 1 && m.rows[rows-1].first+m.rows[rows-1].lanes > mostSketched {
		rows--
	}
	left := len(m.rows) - rows
	if left > 0 {
		drawn.rows, drawn.lanes, drawn.drawn = m.rows[:rows], m.rows[rows].first, nil
		for _, r := range drawn.rows {
			drawn.drawn = append(drawn.drawn, r.spans...)
		}
	}
	lines, names := m.painted(drawn.chart().Draw, sketchLines-2)
	if left > 0 {
		lines = append(lines, "… "+m.Env.moreRows(left))
	}
	return append(lines, m.largest(names)...)
}
