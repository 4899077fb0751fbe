package dashboard

// Line and Area are the types of panels that draw measures along an axis, as
// lines or as what is under them.
const (
	Line = "line"
	Area = "area"
)

// lineLabels says which values of a line are written.
const lineLabels = "values written at the points, or where not all have room at the ends, the highest and the lowest"

var linePanel = panelType{
	name:     Line,
	also:     []string{"linechart", "timeseries", "trend"},
	doc:      "measures along a dimension, most often a date",
	required: []panelKey{keyX, keyY},
	optional: []panelKey{keyData, keyGrain, keyPartial, keySeries, keyLabels.as(lineLabels), keyReference, keyLimit, keyOther},
	width:    chartWidth,
	check:    checkLine,
	title:    titleOfAxes,
}

var areaPanel = panelType{
	name:     Area,
	also:     []string{"areachart", "stackedarea"},
	doc:      "the same as filled areas",
	required: []panelKey{keyX, keyY},
	optional: []panelKey{keyData, keyGrain, keyPartial, keySeries, keyStack, keyLabels.as(lineLabels), keyReference, keyLimit, keyOther},
	width:    chartWidth,
	check:    checkLine,
	title:    titleOfAxes,
}

func checkLine(c *panelCheck) { c.axes() }

// titleOfAxes names a chart that draws measures along a dimension.
func titleOfAxes(p *Panel, label labeler) string { return label.by(label.of(p.Y...), p.X, p.Series) }
