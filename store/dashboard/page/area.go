package page

// An area is a line with what is under it, stacked or not.
var areaFigure = figure{
	summarise: func(p *panel) content { return summariseLine(p, true) },
	facets:    true,
	asks:      grainAsks,
}
