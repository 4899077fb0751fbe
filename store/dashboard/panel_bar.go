package dashboard

// Bar is the type of panel that draws measures as bars.
const Bar = "bar"

var barPanel = panelType{
	name:     Bar,
	also:     []string{"barchart", "column", "columnchart", "hbar", "horizontalbar", "stackedbar"},
	doc:      "measures of the values of a dimension",
	required: []panelKey{keyX, keyY},
	optional: []panelKey{
		keyData, keyGrain, keyPartial, keySeries, keyFacet, keyStack, keyHorizontal, keyShare, keyLabels, keyYMin, keyYMax, keyReference,
		keySort, keyLimit, keyOther, keyTooltip,
	},
	hints:  map[string]string{"scale": noLog, "log": noLog},
	width:  chartWidth,
	verify: verifyBar,
	check:  checkBar,
	title:  titleOfAxes,
}

var keyHorizontal = flagKey("horizontal", "lying bars", func(p *Panel) *bool { return &p.Horizontal }).briefly("Lying bars.")

var keyShare = panelKey{
	name: "share", kind: oneOf(shares), doc: "of what the percentages beside lying bars are", note: "Default total, if all of it is drawn.",
	brief: "Base of the percentages beside lying bars.",
	read:  func(o *object, p *Panel, _ *panelType) { p.Share = o.enum("share", shares, nil) },
}

// verifyBar checks that percentages have horizontal bars next to which they are written.
func verifyBar(o *object, p *Panel) {
	if p.Share != "" && p.Share != "none" && (!p.Horizontal || p.Series != "" || len(p.Y) > 1) {
		o.problems.addf(o.at("share"), "is about lying bars of one measure: write horizontal, one measure in y and no series, or leave it out")
	}
	verifyAxes(o, p, true)
}

func checkBar(c *panelCheck) {
	c.axes()
	c.stacked()
	c.sort()
	if p := c.panel; p.Share == "total" && len(p.Y) == 1 {
		if col := find(c.set.columns, p.Y[0]); col != nil && isMeasure(*col) && !col.sums(p.X) {
			c.problems.addf(c.at("share"), `%s does not add up to a total; write "first" or "previous", or its "agg" if that is "sum"`,
				quote(col.Name))
		}
	}
}
