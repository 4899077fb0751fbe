package panel

// An area is a line with what is under it, stacked or not.
var areaFigure = Figure{
	Summarise: func(p *Panel) Content { return summariseLine(p, true) },
	asks:      grainAsks,
}
