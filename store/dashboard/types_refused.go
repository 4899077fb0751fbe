package dashboard

import (
	"strings"

	"service/store/suggest"
)

// A refusedType is a type of panel that other tools have and that does not exist here, because another type shows the same more readably.
type refusedType struct {
	names   []string // as in [suggest.Plain]
	use     string   // the type to use
	because string   // a sentence without a full stop that explains how
}

var refusedTypes = []refusedType{
	{
		[]string{
			"network", "networkgraph", "graph", "force", "forcedirected", "forcegraph", "nodelink", "chord", "chorddiagram", "arcdiagram",
		},
		Sankey, `a sankey shows how much flows "from" one value "to" another, and a heatmap how much is between all pairs`,
	},
	{
		[]string{"gantt", "ganttchart", "swimlane", "swimlanes", "schedule", "statetimeline"},
		Timeline, `a timeline shows spans on rows: "label" names the rows, "start" and "end" are their times, and "series" colours them`,
	},
	{
		[]string{"parallel", "parallelcoordinates", "parcoords"},
		Pivot, `a pivot with one dimension in "rows" and another in "columns" shows how rows are divided by several dimensions`,
	},
	{
		[]string{"gauge", "gaugechart", "speedometer", "meter", "dial", "progress", "progressbar", "radialgauge"},
		KPI, `a kpi with "target" shows how much of a goal is reached, and its "thresholds" give it a tone`,
	},
	{
		[]string{"bullet", "bulletchart", "bulletgraph"},
		Bar, `a bar with "horizontal": true and "target" marks the goal of each; for one number use a kpi with "target"`,
	},
	{
		[]string{"radar", "radarchart", "spider", "spiderchart", "web", "polar", "polararea", "polarbar", "rose", "radial", "radialbar"},
		Bar, `a bar with several measures in "y", or with "series", compares lengths along one axis; a heatmap compares many`,
	},
	{
		[]string{"wordcloud", "tagcloud", "words"},
		Bar, `a bar with "horizontal": true shows the words in the order of their numbers; "limit" keeps the largest`,
	},
	{
		[]string{
			"3d", "3dbar", "bar3d", "3dpie", "pie3d", "3dscatter", "scatter3d", "surface", "surface3d", "3dsurface", "mesh", "mesh3d", "globe",
		},
		Heatmap, `depth hides values; a heatmap shows a measure by two dimensions, and a scatter with "size" three measures`,
	},
	{
		[]string{
			"sunburst", "sunburstchart", "icicle", "flame", "flamegraph", "partition", "circlepack", "circlepacking", "packedbubble",
			"packedbubbles", "bubblecloud", "voronoi",
		},
		"treemap", `a treemap nests areas: list its levels in "label", the outer first`,
	},
	{
		[]string{"tree", "dendrogram", "orgchart", "hierarchy", "mindmap", "decompositiontree"},
		Pivot, `a pivot with several dimensions in "rows" shows a hierarchy with the totals of its groups; a treemap shows its shares`,
	},
	{
		[]string{"violin", "violinplot", "ridgeline", "joyplot", "density", "kde", "densityplot", "beeswarm", "strip", "stripplot", "jitter"},
		Box, `a box shows median, quartiles and outliers of each group, and a histogram the shape of one`,
	},
	{
		[]string{"marimekko", "mekko", "mosaic", "mosaicplot", "spine"},
		Bar, `a bar with "series" and "stack": "percent" shows the shares in each group; a treemap shows both sizes`,
	},
	{
		[]string{"streamgraph", "stream", "themeriver", "horizon", "horizonchart"},
		Area, `an area with "series" and "stack": true has a base from which its values can be read; "facet" draws each series on its own`,
	},
	{
		[]string{"contour", "hexbin", "density2d", "histogram2d", "2dhistogram"},
		Heatmap, `a heatmap shows how many rows are in each cell: group both numbers into ranges in the sql`,
	},
	{
		[]string{"bump", "bumpchart", "rank", "ranking"},
		Line, `a line of the rank, which the sql computes, shows it over time; a slope compares two times`,
	},
	{
		[]string{"venn", "venndiagram", "upset", "upsetplot", "euler"},
		Bar, `a bar of the combinations, which the sql counts, shows the size of each`,
	},
	{
		[]string{"pictogram", "isotype", "waffle", "wafflechart", "dotplot", "lollipop", "lollipopchart", "dumbbell"},
		Bar, `a bar with "horizontal": true shows the same lengths; a slope shows two values of each`,
	},
	{
		[]string{"html", "iframe", "embed", "image", "video", "custom", "script", "d3", "vega", "vegalite", "plotly", "echarts"},
		Text, `a page has no HTML, scripts, images or specs of other libraries; text is Markdown`,
	},
	{
		[]string{"filter", "slicer", "dropdown", "datepicker", "controls", "select"},
		Table, `it is not a panel: filters are in "filters" at the top of the spec, and act on every dataset that has the column`,
	},
	{
		[]string{"alert", "alerts", "alertlist"},
		KPI, `it is not a panel: alerts are in "alerts" at the top of the spec, and the page lists those that fire`,
	},
}

// refusals maps each name of a refused type to that type.
var refusals = func() map[string]*refusedType {
	out := map[string]*refusedType{}
	for i := range refusedTypes {
		for _, name := range refusedTypes[i].names {
			out[name] = &refusedTypes[i]
		}
	}
	return out
}()

// instead returns the type as which the other keys of a panel of a refused type are read, or nil if these keys have other meanings there.
func (r *refusedType) instead() *panelType {
	if r.use != KPI && r.use != Timeline && r.use != Treemap && r.use != Sankey || strings.HasPrefix(r.because, "it is not a panel") {
		return nil
	}
	return typeNamed(r.use)
}

// refuseType returns the refused type of panel that is called name, and adds a problem that names the type to use instead. It returns nil
// for any other name.
func (o *object) refuseType(name string) *refusedType {
	r := refusals[suggest.Plain(name)]
	if r == nil {
		return nil
	}
	o.problems.add(Problem{
		Path: o.at("type"), Message: quote(name) + " is not a type of panel: " + r.because, Nearest: r.use,
	})
	return r
}
