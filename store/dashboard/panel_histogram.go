package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"

	"service/store/dashboard/cube"
)

// Histogram is the type of panel that shows how often numbers of a size occur.
const Histogram = "histogram"

// MaxBins is the largest number of bins of a histogram.
const MaxBins = 100

var histogramPanel = panelType{
	name:     Histogram,
	also:     []string{"distribution", "hist", "histo", "frequency"},
	doc:      "how often numbers occur, by their size",
	required: []panelKey{keyValue.as("numeric column with one number per row")},
	optional: []panelKey{
		keyData, keyBins, keyWeight, keyFacet, keyFacetColumns, keyFacetScale,
		keySeries.as("dimension that splits the bars"), keyStack.as("bars of a series on top of each other"),
		keyHorizontal.as("a list of the bins"), keyLabels.as("counts over the bars"), keyScale.as("log: bins of equal width of the logarithm"),
		keyYMax.as("end of the axis of the counts"), keyXMin.as("values below are not counted"), keyXMax.as("values above are not counted"),
		keyReference.as("lines at a value or of a kind, which is computed from the counted rows, or shaded ranges"),
		keyPaint, keyThresholds.as("tones of bins, by the value in their middle"),
	},
	hints: map[string]string{
		"x":         "value is the column whose numbers are counted, and weight a measure that counts them",
		"y":         "value is the column whose numbers are counted, and weight a measure that counts them",
		"sort":      "bins are in their order",
		"limit":     "all bins are drawn, and the six largest series; bins is the number of bins, or their edges",
		"other":     "the rest of more than six series is always merged into Other",
		"click":     "a bin is a range of numbers, to which no filter can be set",
		"link":      "a bin is a range of many values, so no value fits into a link; draw a bar",
		"grain":     "a histogram is of numbers; a bar with grain counts by time",
		"events":    "its axis has numbers, and events are times; reference marks a number or a range",
		"y_reverse": noReverse,
		"y_min":     "bars begin at zero; y_max is where the axis of the counts ends",
		"tooltip": "a bin has many rows, which have different values of other columns; its tooltip has its count. " +
			"Show the columns in a table, or points in a scatter",
		"trend":   "bins show a distribution, which is not a line; draw a scatter of two measures",
		"compare": "series draws several distributions over each other; the sql can name the period of each row in a column",
		"average": "bins have no time along which an average moves; write reference with the kind average",
		"share":   "bars are counts; count in SQL, and draw a bar with horizontal and share",
	},
	width:  chartWidth,
	verify: verifyHistogram,
	check:  checkHistogram,
	title: func(p *Panel, label labeler) string {
		of := label.of(p.Value)
		switch {
		case p.Weight != "":
			return label.by(label.of(p.Weight), p.Value, p.Facet)
		case of == "":
			return ""
		}
		return label.by(label.Text("Distribution of %s", InSentence(label.Locale, of)), p.Facet)
	},
}

var (
	keyWeight = nameKey("weight", "measure that adds up, in place of a count of rows", func(p *Panel) *string { return &p.Weight }).tersely()
	keyBins   = panelKey{
		name: "bins", kind: kind{
			schema: fmt.Sprintf(`"type": "array", "minItems": 1, "maxItems": %d, "items": {"type": "number"}`, MaxBins+1),
			words:  fmt.Sprintf("number, 1 to %d, or list of 2 to %d ascending numbers", MaxBins, MaxBins+1),
		},
		doc: "list of bin edges, or the approximate number of bins", brief: "Edges, or a number.",
		read: readBins,
	}
)

// readBins reads a number of bins, or their edges.
func readBins(o *object, p *Panel, _ *panelType) {
	raw, ok := o.values["bins"]
	if !ok {
		return
	}
	members, list := []json.RawMessage{raw}, kindOf(raw) == "a list"
	if list {
		members = o.list("bins", MaxBins+1)
	}
	var edges []float64
	for i, m := range members {
		path := o.at("bins")
		if list {
			path = index(path, i)
		}
		v, ok := o.problems.number(path, m)
		if !ok {
			return
		}
		edges = append(edges, v)
		if i > 0 && v <= edges[i-1] {
			o.problems.addf(path, "must be above the edge before it")
			return
		}
	}
	switch {
	case list && len(members) == 0:
		o.problems.addf(o.at("bins"), "is empty; name the edges, or about how many bins")
	case len(edges) > 1:
		p.Edges = edges
	case len(edges) == 1:
		if n := int(edges[0]); float64(n) != edges[0] || n < 1 || n > MaxBins {
			o.problems.addf(o.at("bins"), "must be a whole number from 1 to %d, or a list of edges", MaxBins)
			return
		}
		p.Bins = int(edges[0])
	}
}

// verifyHistogram checks the keys of axes, series and lines. x is the axis of the values, and y that of the counts, which begins at zero.
func verifyHistogram(o *object, p *Panel) {
	switch p.Scale {
	case "log":
		p.Scale = "log_x"
	case "log_y":
		o.problems.addf(o.at("scale"), `"log_y" is the axis of the counts, and bars begin at zero; write "log", which is the axis of the values`)
	}
	verifyAxes(o, p, true)
	verifyTones(o, p, "bars")
	if p.Edges != nil {
		for _, key := range []string{"x_min", "x_max"} {
			if o.has(key) {
				o.problems.addf(o.at(key), "does not go with a list of bins, whose first and last edge are the ends of the axis; leave one of them out")
			}
		}
		if p.Log(AxisX) && p.Edges[0] <= 0 {
			o.problems.addf(o.at("bins"), "must be above zero: a logarithmic axis has neither zero nor what is below it")
		}
	}
	switch {
	case p.Percent:
		o.problems.addf(o.at("stack"), `"percent" does not go with a histogram, whose bars are as high as their counts; write "normal"`)
	case p.Stack && p.Series == "":
		o.problems.addf(o.at("stack"), "is about several series; name a dimension in series, or leave it out")
	case p.Series != "" && !p.Stack && !p.Horizontal && p.Labels != nil && *p.Labels:
		o.problems.addf(o.at("labels"), `has no place at outlines that overlap; write "stack": true, or leave it out`)
	}
	if p.Horizontal && len(p.Reference) > 0 {
		o.problems.addf(o.at("reference"), "is a line between the bars, and a horizontal histogram is a list of bins; leave horizontal out")
	}
}

// checkHistogram checks that each counted value is of one row, so that a sum of rows is not counted as one value.
func checkHistogram(c *panelCheck) {
	p := c.panel
	c.groups(c.at("series"), p.Series)
	c.fixedThresholds(p.Value, "the column that is counted", "a bin has many rows, each with its own %s")
	if p.Series != "" && p.Series == p.Value {
		c.problems.addf(c.at("series"), "is the column of value, so each bin would have one series; name another dimension")
	}
	const instead = "count in SQL, with a column for the bin and one for the count, and draw a bar"
	if c.rowValue(c.at("value"), p.Value, "a histogram of it", instead) && c.set.grouped() && p.Weight == "" && !c.set.single(p.Value) {
		c.problems.addf(c.at("weight"), "is missing: the query groups its rows, so that each has the values of several; "+
			"name the measure that counts them")
	}
	if col := c.measure(c.at("weight"), c.set, p.Weight); col != nil && (col.Agg != Sum || col.IsRatio()) {
		c.problems.addf(c.at("weight"), `%s does not add up, as a count does; name a measure whose "agg" is "sum"`, quote(p.Weight))
	}
}

// rowValue checks that name is a column of numbers that are each of one row, and not aggregated by the query. what names the contents of
// the panel, and instead the remedy.
func (c *panelCheck) rowValue(path, name, what, instead string) bool {
	col := c.column(path, c.set, name)
	switch {
	case col == nil:
		return false
	case col.IsRatio():
		c.problems.addf(path, "%s is a ratio of what is added up, so no row has one; return it as a column of the query, and of rows that are "+
			"not grouped", quote(name))
	case col.Type != cube.Integer && col.Type != cube.Number:
		c.problems.add(Problem{
			Path: path, Message: fmt.Sprintf("%s is of type %s, and this must be a column of numbers", quote(name), col.Type),
			Noun: "columns of numbers", Allowed: c.set.names(func(col Column) bool {
				return (col.Type == cube.Integer || col.Type == cube.Number) && !col.IsRatio()
			}),
		})
	case c.set.perGroup(name) && !c.set.single(name):
		c.problems.addf(path, `%s is one number for all rows of a group of the query, and %s would count groups. `+
			`Return the rows themselves, without GROUP BY; or %s. `+
			`If each group is a thing to be counted, write "agg": "none" in %s`, quote(name), what, instead, c.set.at(name))
	default:
		return true
	}
	return false
}

// perGroup reports whether the query aggregates a column, as far as its text shows.
func (r *resolved) perGroup(column string) bool {
	outputs := matchOutputs(r.selectList(), r.cols)
	i := slices.IndexFunc(r.cols, func(c cube.Column) bool { return c.Name == column })
	return i >= 0 && outputs[i].perGroup
}

// grouped reports whether the query groups rows.
func (r *resolved) grouped() bool {
	list := r.selectList()
	return list != nil && list.grouped
}

// single reports whether the spec declares that numbers of a column are not added up, so that each row is counted by itself.
func (r *resolved) single(column string) bool {
	m := r.Meta(column)
	return m != nil && m.Agg == None
}
