package panel

// areaFigure draws areas: lines with the surface under them filled, stacked or not.
var areaFigure = Figure{
	Summarise: func(p *Panel) Content { return summariseLine(p, true) },
	asks:      grainAsks,
}
