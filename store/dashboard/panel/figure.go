package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// Figures are the types of panels. To add one, write its file, and add it here and to the types of package dashboard.
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

// FigureOf returns the figure of a panel of a spec. Numbers for each value of a dimension are a panel like small plots.
func FigureOf(p *dashboard.Panel) Figure {
	if p.Type == dashboard.KPI && p.Facet != "" {
		return tilesFigure
	}
	return Figures[p.Type]
}

// A Figure is a type of panel: it defines how a panel of that type is computed, and how it is placed on the page.
type Figure struct {
	// summarise computes the panel: its summary, its notes, the grid of its numbers, if it has one, and the content to draw. If there is
	// nothing to draw, it sets the panel's problem or empty to the reason, and returns nil.
	Summarise func(*Panel) Content
	Frame     frame
	Small     bool // several share a row evenly, also on a phone; a single one is not stretched
	Behind    behind
	asks      []ask // the parameters of the address that readers can set
}

// A Content draws the body of a computed panel.
type Content interface {
	Draw(c canvas.Canvas)
}

// A sketcher is a content with its own form in text, such as a table. Other contents are painted as characters (see [text.Painter]).
type sketcher interface {
	Content
	// sketch returns lines of text, or nil. The caller cuts the lines to the available width.
	sketch() []string
}

// A frame is the box around a figure.
type frame uint8

const (
	InFigure frame = iota // a card that contains a <figure>
	inCard                // a card
	Unframed              // none: the panel begins a part of the page
)

// A behind is how readers get the numbers that a figure draws.
type behind uint8

const (
	tableBehind   behind = iota // as a table and as CSV
	CSVBehind                   // as CSV: the figure is the table
	NothingBehind               // the panel shows all its numbers
)
