package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// Figures are the types of panels. To add one: write its file, and add it here
// and to the types of package dashboard.
var Figures = map[string]Figure{
	dashboard.KPI:       kpiFigure,
	dashboard.Line:      lineFigure,
	dashboard.Area:      areaFigure,
	dashboard.Bar:       barFigure,
	dashboard.Combo:     comboFigure,
	dashboard.Histogram: histogramFigure,
	dashboard.Box:       boxFigure,
	dashboard.Scatter:   scatterFigure,
	dashboard.Pie:       pieFigure,
	dashboard.Funnel:    funnelFigure,
	dashboard.Waterfall: waterfallFigure,
	dashboard.Slope:     slopeFigure,
	dashboard.Treemap:   treemapFigure,
	dashboard.Sankey:    sankeyFigure,
	dashboard.Timeline:  timelineFigure,
	dashboard.Heatmap:   heatmapFigure,
	dashboard.Calendar:  calendarFigure,
	dashboard.Table:     tableFigure,
	dashboard.Pivot:     pivotFigure,
	dashboard.Text:      textFigure,
	dashboard.Section:   sectionFigure,
	dashboard.Map:       mapFigure,

	dashboard.Candlestick: candlestickFigure,
}

// A Figure is a type of panel: what is drawn of a panel of the type, and how it
// stands on the page.
type Figure struct {
	// summarise works out the panel: its summary, its notes, the grid of its
	// numbers when it has some, and what is drawn of them. It returns nil when it
	// has said in the panel's problem or empty why nothing is drawn.
	Summarise func(*Panel) Content
	Frame     frame
	Small     bool // several share a row evenly, also on a phone, and one alone is not stretched
	Behind    behind
	asks      []ask // what readers can ask of it, by parameters of the address
}

// A Content draws the body of a panel that is worked out.
type Content interface {
	Draw(c canvas.Canvas)
}

// A sketcher is a content that has a form of its own in text, such as a table. The others are
// painted as characters (see [text.Painter]).
type sketcher interface {
	Content
	// sketch returns lines of text, or nil. The lines are cut to their place later.
	sketch() []string
}

// A frame is what stands around a figure.
type frame uint8

const (
	InFigure frame = iota // a card, and in it a <figure>
	inCard                // a card
	Unframed              // nothing: it begins a part of the page
)

// behind says how readers get at the numbers that a figure draws.
type behind uint8

const (
	tableBehind   behind = iota // as a table and as CSV
	CSVBehind                   // as CSV: the figure is the table
	NothingBehind               // they read them: there are no others
)
