package dashboard

// Bar is the type of panel that draws measures as bars.
const Bar = "bar"

var barPanel = panelType{
	name:     Bar,
	also:     []string{"barchart", "column", "columnchart", "hbar", "horizontalbar", "stackedbar", "histogram"},
	doc:      "measures of the values of a dimension",
	required: []panelKey{keyX, keyY},
	optional: []panelKey{keyData, keyGrain, keyPartial, keySeries, keyStack, keyHorizontal, keyReference, keySort, keyLimit, keyOther},
	width:    chartWidth,
	check:    checkBar,
	title:    titleOfAxes,
}

var keyHorizontal = flagKey("horizontal", "lying bars", func(p *Panel) *bool { return &p.Horizontal })

func checkBar(c *panelCheck) {
	c.axes()
	c.sort()
}
