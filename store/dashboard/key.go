package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A kind describes the values of a key, for the JSON Schema and for people.
type kind struct {
	schema string // members of the schema's fragment, before the description
	tail   string // members behind it
	words  string // for the reference, such as "true or false"
}

var (
	aName   = kind{schema: `"type": "string"`, words: "name"}
	aText   = kind{schema: `"type": "string"`, words: "text"}
	aNumber = kind{schema: `"type": "number"`, words: "number"}
	aFlag   = kind{schema: `"type": "boolean"`, words: "true or false"}
)

// textOf is the kind of a text of at most limit characters. The limit is not in the schema: no name is that long, and every model reads
// each word of the schema.
func textOf(limit int) kind {
	return kind{schema: `"type": "string"`, words: fmt.Sprintf("text, at most %s characters", thousands(limit))}
}

// wholeOf is the kind of a whole number from lo to hi.
func wholeOf(lo, hi int) kind {
	return kind{
		schema: fmt.Sprintf(`"type": "integer", "minimum": %d, "maximum": %d`, lo, hi),
		words:  fmt.Sprintf("whole number, %s to %s", thousands(lo), thousands(hi)),
	}
}

// oneOf is the kind of one of a few texts.
func oneOf(values []string) kind {
	return kind{
		schema: `"type": "string", "enum": [` + strings.Join(quoted(values), ", ") + `]`,
		words:  "one of `" + strings.Join(values, "`, `") + "`",
	}
}

// namesOf is the kind of a list of 1 to limit names.
func namesOf(limit int) kind {
	return kind{
		schema: fmt.Sprintf(`"type": "array", "minItems": 1, "maxItems": %d, "items": {"type": "string"}`, limit),
		words:  fmt.Sprintf("list of 1 to %d names", limit),
	}
}

// objectsOf is the kind of a list of at most limit objects, with the members required.
func objectsOf(limit int, members []member, required ...string) kind {
	need := ""
	if len(required) > 0 {
		need = ` "required": [` + strings.Join(quoted(required), ", ") + `],`
	}
	return kind{
		schema: fmt.Sprintf(`"type": "array", "maxItems": %d`, limit),
		tail: `"items": {` + "\n" + `  "type": "object", "additionalProperties": false,` + need + ` "properties": {` + "\n  " +
			properties(members) + "}}",
		words: fmt.Sprintf("list of at most %d objects", limit),
	}
}

// properties returns the lines of the schema for the keys of an object.
func properties(members []member) string {
	lines := make([]string, len(members))
	for i, m := range members {
		lines[i] = property(m.name, m.kind, m.doc)
	}
	return strings.Join(lines, ",\n  ")
}

// property returns a line of the schema. An empty doc leaves the key without a description.
func property(name string, k kind, doc string) string {
	members := []string{k.schema}
	if doc != "" {
		members = append(members, `"description": `+encode(doc))
	}
	if k.tail != "" {
		members = append(members, k.tail)
	}
	return encode(name) + ": {" + strings.Join(members, ", ") + "}"
}

// encode returns s as a JSON string without escaping < and >.
func encode(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always has a JSON form
	return strings.TrimSuffix(b.String(), "\n")
}

func quoted(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = encode(v)
	}
	return out
}

// thousands writes a number of the reference, such as 2,000.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// A member is a key of an object inside a panel, such as a threshold.
type member struct {
	name string
	kind
	doc string // a sentence
}

func memberNames(members []member) []string {
	out := make([]string, len(members))
	for i, m := range members {
		out[i] = m.name
	}
	return out
}

// A panelKey is a key that panels can have. It is declared once, in this file or, when one type alone has it, in that type's; types list
// their keys. The checks, the schema and the reference are derived from it.
type panelKey struct {
	name string
	kind
	doc   string        // its meaning in the types that list it, without a full stop; see [panelKey.as]
	note  string        // sentences that are true for every type
	terse bool          // the schema does not describe it; the reference does
	brief string        // its description in the schema, if the reference has a longer one; "" for the same
	made  func() string // note, if it depends on the types
	read  func(*object, *Panel, *panelType)
}

// as returns the key with the description of one type.
func (k panelKey) as(doc string) panelKey {
	k.doc = doc
	return k
}

// tersely returns the key without a description in the schema.
func (k panelKey) tersely() panelKey {
	k.terse = true
	return k
}

// briefly returns the key with a shorter description in the schema.
func (k panelKey) briefly(doc string) panelKey {
	k.brief = doc
	return k
}

// The keys of panels, one constructor for each way to read one.

func nameKey(name, doc string, field func(*Panel) *string) panelKey {
	return panelKey{name: name, kind: aName, doc: doc, read: func(o *object, p *Panel, _ *panelType) { *field(p) = o.name(name) }}
}

// textKey returns a key for a text of at most limit characters; 0 is no limit.
func textKey(name string, limit int, note string, field func(*Panel) *string) panelKey {
	k := panelKey{name: name, kind: aText, note: note, read: func(o *object, p *Panel, _ *panelType) { *field(p) = o.text(name, limit) }}
	if limit > 0 {
		k.kind = textOf(limit)
	}
	return k
}

func flagKey(name, doc string, field func(*Panel) *bool) panelKey {
	return panelKey{
		name: name, kind: aFlag, doc: doc,
		read: func(o *object, p *Panel, _ *panelType) { *field(p) = o.boolean(name) },
	}
}

// oneDataset describes the key data.
const oneDataset = "Id of a dataset, if there are several."

// Keys of several types. A type in which a key has another meaning describes it with as; a key of a single type is in that type's file.
var (
	keyType        = panelKey{name: "type", kind: kind{words: "one of the types below"}, made: TypesNeed} // read by parser.panelType
	keyTitle       = textKey("title", maxName, "Default: its columns.", func(p *Panel) *string { return &p.Title })
	keySubtitle    = textKey("subtitle", maxName, "Under the title.", func(p *Panel) *string { return &p.Subtitle })
	keyDescription = textKey("description", 0, "For readers.", func(p *Panel) *string { return &p.Description })
	keyData        = panelKey{name: "data", kind: aName, note: oneDataset, brief: oneDataset} // read by parser.data
	keyWidth       = panelKey{name: "width", kind: wholeOf(2, 12), made: widths, read: func(o *object, p *Panel, t *panelType) {
		p.Width, p.OwnWidth = o.integer("width", 2, 12, t.width), o.has("width")
	}}

	keyValue = nameKey("value", "measure", func(p *Panel) *string { return &p.Value }).
			briefly("Measure. kpi: or date. kpi (sort), heatmap: or text. histogram, box: numbers.")
	keyX = nameKey("x", "dimension", func(p *Panel) *string { return &p.X }).
		briefly("Dimension. scatter: measure. calendar: date.")
	keyY = panelKey{
		name: "y", kind: namesOf(MaxSeries), doc: "measures", note: "One name is also accepted without the list.",
		brief: "Measures, or one. scatter: one. heatmap: a dimension.",
		read:  func(o *object, p *Panel, _ *panelType) { p.Y = o.texts("y", MaxSeries, true) },
	}
	keyFacet = nameKey("facet", "dimension with a small plot for each value", func(p *Panel) *string { return &p.Facet }).
			briefly("Dimension: a plot each.")
	keyFacetColumns = panelKey{
		name: "facet_columns", kind: wholeOf(1, maxFacetColumns), doc: "small plots beside each other, on a phone fewer", terse: true,
		read: func(o *object, p *Panel, _ *panelType) {
			p.FacetCols = o.integer("facet_columns", 1, maxFacetColumns, 0)
		},
	}
	keyFacetScale = panelKey{
		name: "facet_scale", kind: oneOf(facetScales), doc: "scales of values of small plots", note: "Default shared.", terse: true,
		read: func(o *object, p *Panel, _ *panelType) {
			p.FacetScale = o.enum("facet_scale", facetScales, otherFacetScales)
		},
	}
	keySeries = nameKey("series", "dimension that splits y", func(p *Panel) *string { return &p.Series }).
			briefly("Dimension that splits y. map: that colours the points.")
	keyLabel = panelKey{
		name: "label", kind: kind{schema: aName.schema, words: "name, or list of names"},
		brief: "Dimension of the marks. scatter without it: points are rows. treemap: or list, outer first.",
		read:  readLabel,
	}
	keyReference = panelKey{
		name: "reference", kind: objectsOf(MaxReferences, referenceMembers),
		doc:   "lines at a value or of a kind (such as average), or shaded ranges",
		brief: "Lines, ranges.",
		read: func(o *object, p *Panel, t *panelType) {
			p.Reference = readReferences(o, t.name == Scatter || t.name == "", t.name == Histogram)
		},
	}
	keyThresholds = panelKey{
		name: "thresholds", kind: objectsOf(MaxThresholds, thresholdMembers, "value", "tone"),
		doc:   "tones of values; if several conditions hold, the one with the closest number applies",
		brief: "Tones of values; the nearest counts.",
		read:  func(o *object, p *Panel, t *panelType) { p.Thresholds = readThresholds(o, t) },
	}
	keyGrain = panelKey{
		name: "grain", kind: oneOf(grains), doc: "rounds times down", note: "Default auto.",
		brief: "Rounds times down. Default auto.",
		read:  func(o *object, p *Panel, _ *panelType) { p.Grain = o.enum("grain", grains, otherGrains) },
	}
	keyPartial = panelKey{
		name: "partial", kind: oneOf(partials), doc: "incomplete periods", note: "Default mark.",
		brief: "Incomplete periods. Default mark.",
		read:  func(o *object, p *Panel, _ *panelType) { p.Partial = o.enum("partial", partials, otherPartials) },
	}
	keySort = nameKey("sort", `column of the dataset, shown or not; "-revenue" for descending`, func(p *Panel) *string { return &p.Sort }).
		briefly(`Column, shown or not; "-revenue" descends. pivot: of values or rows.`)
	keyLimit = panelKey{
		name: "limit", kind: wholeOf(1, 1000),
		doc: "number of categories, the largest (the smallest if sorted ascending); if x is a date, number of series",
		brief: "How many categories, the largest or, as sorted, the smallest; along dates series. " +
			"table: rows in total. pivot: values of the first of rows.",
		read: func(o *object, p *Panel, _ *panelType) { p.Limit = o.integer("limit", 1, 1000, 0) },
	}
	keyClick = panelKey{
		name: "click", kind: oneOf(clicks), note: "Effect of a click on a mark. Default filter.", brief: "Default filter.",
		read: func(o *object, p *Panel, _ *panelType) { p.Click = o.enum("click", clicks, nil) },
	}
	keyLink = panelKey{
		name: "link", kind: aText, note: "Target of a click on a mark, like link of a table column.",
		brief: "Of marks, like link of a table column.",
		read:  func(o *object, p *Panel, _ *panelType) { p.Link = readLink(o) },
	}
	keyTooltip = panelKey{
		name: "tooltip", kind: namesOf(MaxSeries), doc: "further columns in the tooltip; a dimension is shown if a mark has one value of it",
		brief: "More columns.",
		read: func(o *object, p *Panel, _ *panelType) {
			if p.Tooltip = o.texts("tooltip", MaxSeries, true); len(p.Tooltip) == 0 && kindOf(o.values["tooltip"]) == "a list" {
				o.problems.addf(o.at("tooltip"), "is empty; name columns, or leave it out")
			}
		},
	}
	keyOther = flagKey("other", `merge the values beyond limit into "Other"`, func(p *Panel) *bool { return &p.Other }).
			briefly(`Merges values beyond limit into "Other".`)
)

// readLabel reads a dimension or, of a treemap, the dimensions of its levels.
func readLabel(o *object, p *Panel, t *panelType) {
	if t.name != Treemap {
		p.Label = o.name("label")
		return
	}
	p.Levels = o.texts("label", maxLevels, true)
}

// everyPanel are the keys of all types of panels.
var everyPanel = []panelKey{keyType, keyTitle, keySubtitle, keyDescription, keyWidth}

// keyOrder are the keys in the order in which they are read and listed.
var keyOrder = []panelKey{
	keyType, keyTitle, keySubtitle, keyDescription, keyData, keyWhere, keyWidth,
	keyValue,
	keyBins, keyWeight,
	keyLow, keyQ1, keyMedian, keyQ3, keyHigh,
	keyOpen, keyClose,
	keyCompare, keyTarget, keySparkline, keyX, keyY, keyY2, keyBars, keyLines, keyGrain, keyPartial, keyGaps, keySeries,
	keyFacet, keyFacetColumns, keyFacetScale, keySize, keyLabel,
	keySteps, keyFrom, keyTo,
	keyStart, keyEnd,
	keyTotal,
	keyRows, keyValues, keyTotals, keyHeat, keyRamp, keyColor,
	keyHorizontal, keyShare, keyStack, keyOneAxis, keyLabels,
	keyLegend, keyScale, keyYReverse, keyYMin, keyYMax, keyY2Min, keyY2Max, keyXMin, keyXMax, keyTrend, keyAverage,
	keyReference, keyBand, keyThresholds, keyHighlight, keyPointNames, keyConnect, keyEvents,
	keyColumns, keySort, keyLimit, keyPageSize, keySearch, keyOther, keyTooltip, keyClick, keyLink, keySource,
	keyMarkdown,
	keyArea, keyLat, keyLon, keyRegion,
}

// keyNames returns the names of keys.
func keyNames(lists ...[]panelKey) []string {
	var out []string
	for _, list := range lists {
		for i := range list {
			out = append(out, list[i].name)
		}
	}
	return out
}

// describe returns the description of a key for the schema.
func (k panelKey) describe() string { return strings.Join(k.meanings(), " ") }

// meanings returns the meaning of a key in each of its types, and last the sentences for all types.
func (k panelKey) meanings() []string {
	if k.made != nil {
		return []string{k.made()}
	}
	sentences := byType(func(t *panelType) string {
		for _, key := range slices.Concat(t.required, t.optional) {
			if key.name == k.name {
				return key.doc
			}
		}
		return ""
	})
	if k.note != "" {
		sentences = append(sentences, k.note)
	}
	return sentences
}

// byType returns sentences such as "kpi, pie: measure.", one for all types with the same text; say returns the text of a type, "" for none.
func byType(say func(*panelType) string) []string {
	var said []string
	of := map[string][]string{}
	for _, t := range types {
		what := say(t)
		if what == "" {
			continue
		}
		if of[what] == nil {
			said = append(said, what)
		}
		of[what] = append(of[what], t.name)
	}
	for i, what := range said {
		said[i] = strings.Join(of[what], ", ") + ": " + what + "."
	}
	return said
}

// TypesNeed lists the keys that each type of panel requires, such as "line: x, y.", for the
// schema and for the tool that takes a spec.
func TypesNeed() string {
	return strings.Join(byType((*panelType).needs), " ")
}

// needs returns the keys that a type requires, such as "x, y".
func (t *panelType) needs() string {
	if t.either[0] != nil {
		return strings.Join(keyNames(t.either[0]), ", ") + " or " + strings.Join(keyNames(t.either[1]), ", ")
	}
	return strings.Join(keyNames(t.required), ", ")
}

// PanelKeys returns the keys of each type of panel, such as "label, value; optional: share, labels" for funnel. The entry "all types" has
// those of every type and of every type that draws rows, which the others do not repeat, and "values" the values that some keys take.
func PanelKeys() map[string]string {
	rows := []panelKey{keyData, keyWhere, keySource}
	common := keyNames(everyPanel, rows)
	out := map[string]string{"all types": strings.Join(keyNames(everyPanel), ", ") + "; with rows: " + strings.Join(keyNames(rows), ", ")}
	for _, t := range types {
		optional := slices.DeleteFunc(keyNames(t.optional), func(name string) bool { return slices.Contains(common, name) })
		out[t.name] = t.needs()
		if len(optional) > 0 {
			out[t.name] = strings.TrimPrefix(t.needs()+"; optional: "+strings.Join(optional, ", "), "; ")
		}
	}
	var values []string
	for _, k := range keyOrder {
		if words, found := strings.CutPrefix(k.words, "one of `"); found && k.name != keyGrain.name {
			values = append(values, k.name+": "+strings.ReplaceAll(words, "`", ""))
		} else if strings.Contains(k.words, ", or") || strings.Contains(k.words, " or list") || k.name == keyTotals.name {
			values = append(values, k.name+": "+k.words)
		}
	}
	out["values"] = strings.Join(values, "; ")
	return out
}

// widths describes the default widths of panels.
func widths() string {
	var out []string
	for _, t := range types {
		if t.width != chartWidth && t.width != fullWidth {
			out = append(out, fmt.Sprintf("%s %d", t.name, t.width))
		}
	}
	return fmt.Sprintf("Of %d columns. Default: %s, charts %d, others %d.", fullWidth, strings.Join(out, ", "), chartWidth, fullWidth)
}

// Other names that people and models use for keys of panels, by
// [suggest.Plain]: of several between |, the first that the type takes.
var otherPanelKeys = map[string]string{
	"dataset": "data", "datasource": "data", "query": "data",
	"credit": "source", "credits": "source", "attribution": "source", "datacredit": "source", "copyright": "source",
	"name": "title", "heading": "title",
	"metric": "value|y", "measure": "value|y", "measures": "y|value", "metrics": "y|value", "values": "y|value",
	"field": "value|x", "column": "value|x",
	"bar": "bars", "line": "lines", "bin": "bins", "buckets": "bins", "edges": "bins",
	"xaxis": "x", "dimension": "x|label", "category": "x|label", "yaxis": "y",
	"groupby": "series|x|label|facet", "group": "series|x|label|facet", "breakdown": "series|x|label|facet",
	"color": "series|ramp", "splitby": "series",
	"stacked": "stack", "comparison": "compare", "percent": "share", "percentage": "share", "delta": "compare", "trend": "sparkline",
	"orderby": "sort", "order": "sort", "rows": "limit", "top": "limit", "maxrows": "limit",
	"totals": "total", "grandtotal": "total|totals", "footer": "total",
	"rowsperpage": "page_size", "perpage": "page_size", "pagination": "page_size",
	"span": "width", "colspan": "width", "cols": "columns|width", "w": "width",
	"references": "reference", "target": "reference", "goal": "target|reference", "bullet": "target",
	"threshold": "thresholds", "fields": "columns",
	"latitude": "lat", "longitude": "lon", "lng": "lon", "long": "lon", "country": "area", "state": "area", "location": "area|label",
	"only": "where", "condition": "where", "conditions": "where", "subset": "where", "selection": "where",
	"areas": "area", "locations": "area|label", "scope": "region", "radius": "size", "popup": "tooltip|label",
	"hover": "tooltip|label", "hoverdata": "tooltip", "tooltips": "tooltip", "tooltipcolumns": "tooltip", "detail": "tooltip",
	"begin": "start", "begins": "start", "startdate": "start", "starttime": "start", "startat": "start", "startsat": "start",
	"finish": "end", "ends": "end", "enddate": "end", "endtime": "end", "endat": "end", "endsat": "end", "stop": "end", "until": "end",
	"task": "label", "tasks": "label", "lane": "label", "lanes": "label", "resource": "label",
	"levels": "label|steps", "path": "label|steps|link", "stages": "steps", "stage": "steps", "journey": "steps",
	"origin": "from", "origins": "from", "destination": "to", "destinations": "to", "dest": "to", "parent": "label", "parents": "label",
	"text": "markdown", "content": "markdown", "body": "markdown", "names": "names|label",
	"highlighted": "highlight", "emphasis": "highlight", "emphasize": "highlight", "focus": "highlight", "muted": "highlight",
	"graybut":  "highlight",
	"selected": "highlight", "highlights": "highlight",
	"connected": "connect", "joinby": "connect", "pathorder": "connect", "lineorder": "connect", "trail": "connect", "showlines": "connect",
	"annotate": "names", "labelpoints": "names", "shownames": "names", "pointlabels": "names", "labelvalues": "names", "namedpoints": "names",
	"axis2": "y2", "secondaryaxis": "y2", "secondaryy": "y2", "right": "y2", "rightaxis": "y2", "yaxis2": "y2", "y2axis": "y2", "yright": "y2",
	"righty": "y2", "dualaxis": "y2", "secondary": "y2", "y2min": "y2_min", "y2max": "y2_max", "rightmin": "y2_min", "rightmax": "y2_max",
	"ymin": "y_min", "ymax": "y_max", "xmin": "x_min", "xmax": "x_max", "min": "y_min|ramp", "max": "y_max|ramp", "minimum": "y_min|ramp",
	"maximum": "y_max|ramp",
	"scheme":  "ramp", "palette": "ramp", "colorscale": "ramp", "colorscheme": "ramp", "colormap": "ramp", "cmap": "ramp", "gradient": "ramp",
	"domain": "ramp", "zmin": "ramp", "zmax": "ramp", "zmid": "ramp", "domainmid": "ramp", "pivot": "ramp", "midpoint": "ramp",
	"middle":     "ramp",
	"colorrange": "ramp", "colordomain": "ramp", "coloraxis": "ramp", "heatcolors": "ramp",
	"reverse": "ramp|y_reverse", "reversescale": "ramp|y_reverse",
	"scale": "scale|ramp", "colour": "series|ramp",
	"log": "scale|ramp", "logscale": "scale|ramp", "yscale": "scale", "xscale": "scale", "normalize": "stack", "stacking": "stack",
	"facets": "facet", "smallmultiples": "facet", "trellis": "facet", "panelby": "facet",
	"facetrow": "facet", "facetcol": "facet", "facetwrap": "facet", "facetcolwrap": "facet_columns", "colwrap": "facet_columns",
	"facetncol": "facet_columns", "ncol": "facet_columns|columns", "ncols": "facet_columns|columns", "maxperrow": "facet_columns",
	"wrap": "facet_columns", "facetscales": "facet_scale", "scales": "facet_scale|scale", "resolve": "facet_scale",
	"sharey": "facet_scale", "sharex": "facet_scale", "matches": "facet_scale",
	"spangaps": "gaps", "spannulls": "gaps", "connectnulls": "gaps", "connectgaps": "gaps", "missing": "gaps", "missingvalues": "gaps",
	"gap": "gaps", "fillgaps": "gaps", "nulls": "gaps",
	"errorband": "band", "confidence": "band", "confidenceinterval": "band", "ci": "band", "interval": "band", "envelope": "band",
	"fillbetween": "band", "corridor": "band", "tunnel": "band", "errorbars": "band", "shading": "band|reference",
	"trendline": "trend", "regression": "trend", "fit": "trend", "leastsquares": "trend", "movingaverage": "average", "rolling": "average",
	"rollingaverage": "average", "smooth": "average", "smoothing": "average", "window": "average",
	"colorby": "series|ramp", "colorfield": "series|ramp", "hue": "series|ramp", "seriesfield": "series", "breakout": "series|x|label|facet",
	"stackby": "series", "lineby": "series", "legendfield": "series",
	"xfield": "x", "xcolumn": "x", "xcol": "x", "xkey": "x", "xaxiscolumn": "x", "xaxiskey": "x", "axisx": "x", "argumentfield": "x",
	"yfield": "y", "ycolumn": "y", "ycol": "y", "ykey": "y", "ykeys": "y", "yaxiscolumn": "y", "axisy": "y", "yfields": "y",
	"valuefield": "value|y", "valuecolumn": "value|y", "anglefield": "value", "z": "value", "cellvalue": "value", "intensity": "value",
	"labelfield": "label|x", "labelcolumn": "label|x", "namefield": "label|x", "categoryfield": "x|label", "categories": "x|label",
	"colorlabel": "label", "hierarchy": "label|rows", "ids": "label",
	"orientation": "horizontal", "indexaxis": "horizontal", "swapaxes": "horizontal", "flip": "horizontal|y_reverse",
	"coordflip": "horizontal", "barmode": "stack", "groupmode": "stack", "stackmode": "stack", "stackingmode": "stack", "stackedmode": "stack",
	"charttype": "type", "chart": "type", "plottype": "type", "viz": "type", "viztype": "type", "visualization": "type", "kind": "type",
	"visualtype": "type", "graphtype": "type",
	"drilldown": "link", "drillthrough": "link", "onclick": "link|click", "href": "link", "url": "link", "datalinks": "link",
	"crossfilter": "click", "clickaction": "click|link", "clickbehavior": "click|link", "interactive": "click",
	"graphmode": "sparkline", "showsparkline": "sparkline", "trendchart": "sparkline",
	"comparewith": "compare", "compareto": "compare", "comparisonperiod": "compare", "previousperiod": "compare", "showdelta": "compare",
	"goalvalue": "target|reference", "objective": "target|reference", "targetvalue": "target|reference", "maxvalue": "target|y_max",
	"conditionalformatting": "thresholds", "conditionalformat": "thresholds", "rules": "thresholds", "colorrules": "thresholds",
	"colorthresholds": "thresholds", "ranges": "thresholds", "rag": "thresholds",
	"referencelines": "reference", "hline": "reference", "hlines": "reference", "annotations": "reference", "annotation": "reference",
	"markline": "reference", "markarea": "reference", "plotlines": "reference", "shapes": "reference", "goalline": "reference",
	"averageline": "reference", "meanline": "reference",
	"columnorder": "columns", "visiblecolumns": "columns", "tablecolumns": "columns", "pivotcolumns": "columns",
	"sorting": "sort", "sortby": "sort", "sortfield": "sort", "sortcolumn": "sort", "orderbys": "sort",
	"showtotals": "total|totals", "summaryrow": "total", "rowtotals": "totals", "columntotals": "totals",
	"index": "rows|x", "pivotrows": "rows", "rowgroups": "rows", "rowfields": "rows", "columnfields": "columns", "valuefields": "values",
	"bubblesize": "size", "sizefield": "size", "sizeby": "size", "r": "size", "pointlabel": "label",
	"nbins": "bins", "nbinsx": "bins", "bincount": "bins", "binwidth": "bins", "binsize": "bins", "maxbins": "bins",
	"geofield": "area", "countryfield": "area", "countrycode": "area", "isocode": "area", "statecode": "area", "geo": "area|region",
	"center": "region", "zoomlevel": "region", "basemap": "region", "maptype": "region",
	"facetby": "facet", "facetfield": "facet", "smallmultiple": "facet", "repeat": "facet",
	"timeunit": "grain", "timegrain": "grain", "granularity": "grain", "bucket": "grain", "datetrunc": "grain", "timebucket": "grain",
	"resolution": "grain", "dategrain": "grain", "frequency": "grain",
	"topn": "limit", "maxitems": "limit", "maxcategories": "limit", "showtop": "limit", "n": "limit",
	"others": "other", "groupothers": "other", "showother": "other", "includeother": "other", "otherbucket": "other",
	"datasetid": "data", "queryid": "data", "queries": "data", "targets": "data", "help": "description", "helptext": "description",
	"info":  "description",
	"datum": "value|y", "binned": "bins", "bucketing": "grain|bins", "groups": "series|x|label|facet|rows",
	"breakouts": "series|x|label|facet|rows", "dimensions": "x|label|rows|steps", "split": "series|columns", "key": "x|label|area",
	"normalized": "stack", "percentstacked": "stack", "contribution": "share|stack", "cumulativepercent": "share|stack",
	"pct": "share|stack", "conversion": "share|stack", "orient": "horizontal", "direction": "horizontal", "transpose": "horizontal",
	"showvalue": "labels|label", "textinfo": "labels|label", "texttemplate": "labels|label", "textposition": "labels|label",
	"yaxismin": "y_min|ramp", "beginatzero": "y_min|ramp", "zero": "y_min|ramp", "startatzero": "y_min|ramp",
	"softmin": "y_min|ramp", "suggestedmin": "y_min|ramp", "yaxisrange": "y_min|ramp", "mincolor": "y_min|ramp",
	"yaxismax": "y_max|ramp", "suggestedmax": "y_max|ramp", "softmax": "y_max|ramp", "maxcolor": "y_max|ramp",
	"logarithmic": "scale|ramp", "scaletype": "scale|ramp", "rollingwindow": "average", "smoothed": "average",
	"rollingtype": "average", "showgoal": "target|reference", "benchmark": "target|reference",
	"thresholdvalue": "thresholds|reference", "referenceline": "reference", "refline": "reference", "baseline": "reference",
	"annotationslayers": "reference", "timecompare": "compare", "timecomparison": "compare", "change": "compare",
	"deltatype": "compare", "trendcolumn": "sparkline", "backgroundtrend": "sparkline", "showtrend": "sparkline",
	"sortorder": "sort", "orderdesc": "sort", "descending": "sort|y_reverse", "ascending": "sort", "rowlimit": "limit",
	"serieslimit": "limit", "groupother": "other", "queryname": "data", "tooltipfields": "tooltip", "hovertemplate": "tooltip",
	"hovername": "tooltip", "customdata": "tooltip", "showtooltip": "tooltip", "yvalues": "y|value|values", "xvalues": "x|label",
	"geojson": "region", "projection": "region", "zoom": "region", "mapbox": "region", "iso": "area", "nodes": "from|steps|label",
	"sourcecolumn": "from|steps|label", "targetcolumn": "to", "drill": "link", "links": "link", "children": "label",
	"swimlane": "label", "volume": "bars", "paginate": "page_size", "rowtotal": "total|totals", "summary": "total|totals",
	"html": "markdown", "md": "markdown", "message": "markdown", "nullvalue": "gaps", "error": "band", "errory": "band",
	"lower": "band", "upper": "band", "ylower": "band", "yupper": "band", "time": "x|start|sparkline",
	"timecolumn": "x|start|sparkline", "datecolumn": "x|start|sparkline", "datetime": "x|start|sparkline", "quartiles": "q1",
	"whiskers":     "high",
	"directlabels": "legend", "directlabel": "legend", "endlabels": "legend", "endlabel": "legend", "labellines": "legend",
	"linelabels": "legend", "labelends": "legend", "endnames": "legend", "nameends": "legend", "linenames": "legend", "namelines": "legend",
	"showlegend": "legend", "legendposition": "legend", "legendpos": "legend", "legends": "legend",
	"reversed": "y_reverse|ramp", "invert": "y_reverse|ramp", "inverted": "y_reverse|ramp", "inverse": "y_reverse|ramp",
	"yinverted": "y_reverse", "yinvert": "y_reverse", "inverty": "y_reverse", "yinverse": "y_reverse", "yreversed": "y_reverse",
	"reversey": "y_reverse", "yflip": "y_reverse", "flipy": "y_reverse", "yaxisinverted": "y_reverse", "yaxisreversed": "y_reverse",
	"yaxisreverse": "y_reverse", "yaxisinverse": "y_reverse", "invertyaxis": "y_reverse",
	"reverseaxis": "y_reverse", "reversedaxis": "y_reverse", "invertaxis": "y_reverse", "invertedaxis": "y_reverse",
	"upsidedown": "y_reverse", "ydescending": "y_reverse",
	"event": "events", "vline": "events", "vlines": "events", "verticallines": "events", "deployments": "events",
	"yrange": "y_min|ramp", "ylim": "y_min|ramp", "ydomain": "y_min|ramp", "axisrange": "y_min|ramp", "xrange": "x_min", "xlim": "x_min",
	"xdomain": "x_min",
	"avgline": "reference", "medianline": "reference", "bands": "reference|band", "shade": "reference", "shades": "reference",
	"limitrows": "limit", "topvalues": "limit", "numrows": "limit", "nrows": "limit", "head": "limit", "showrows": "limit",
	"sortdesc": "sort", "sortasc": "sort", "sortdescending": "sort", "sortascending": "sort", "sortdirection": "sort",
	"orderdirection": "sort",
	"segment":        "series|x|label|facet", "segments": "series|x|label|facet", "segmentby": "series|x|label|facet",
	"hidelegend": "legend", "nolegend": "legend", "previous": "compare", "showchange": "compare", "showcomparison": "compare",
	"yoy": "compare", "mom": "compare", "wow": "compare", "priorperiod": "compare", "lastperiod": "compare", "lastyear": "compare",
	"incomplete": "partial", "hideincomplete": "partial", "excludeincomplete": "partial", "excludecurrent": "partial",
	"hidecurrent": "partial", "includecurrent": "partial", "droplast": "partial", "showpartial": "partial", "hidepartial": "partial",
	"partialperiods": "partial",
	"currentperiod":  "partial", "includepartial": "partial", "hidelast": "partial",
	"grouped": "stack", "clustered": "stack", "vertical": "horizontal", "subtotals": "totals", "subtotal": "totals", "heatmap": "heat",
	"labels": "label", "datalabels": "labels", "showlabels": "labels", "showvalues": "labels", "valuelabels": "labels",
}

// captionHint names the keys that replace a caption or a footnote.
const captionHint = `"description" is a sentence for readers, under the figure of a panel and under the title of a page; ` +
	`"source": {"name", "url"} names whose data it is`

// partHint names the keys for a part of the rows: of one panel, or chosen by readers.
const partHint = `"where" keeps rows of some values in this panel, such as {"country": "France"}; "filters" at the top of the spec ` +
	"are for readers, and act on every dataset that has the column"

// panelHints are explanations for keys that are often tried.
var panelHints = map[string]string{
	"caption": captionHint, "footnote": captionHint, "note": captionHint, "notes": captionHint,
	"id":          "panels need no id",
	"sql":         "SQL belongs to a dataset; a panel names one by data",
	"format":      "formats are set once per column, under columns of the dataset",
	"agg":         "how a measure adds up is set once per column, under columns of the dataset",
	"aggregation": "how a measure adds up is set once per column, under columns of the dataset",
	"unit":        unitHint, "suffix": unitHint, "decimals": unitHint, "precision": unitHint, "prefix": prefixHint,
	"hidden":    `it is set once per column, under columns of the dataset; a panel is left out of panels`,
	"good":      "it is set once per column, under columns of the dataset",
	"height":    "panels have no height; the page makes a row equally high",
	"position":  "there are no positions; panels follow in reading order, each with a width",
	"layout":    "there are no positions; panels follow in reading order, each with a width",
	"colors":    valueColorsHint,
	"filters":   partHint,
	"filter":    partHint,
	"search":    "tables have a search in their texts, dates and ids",
	"sortable":  "readers sort a table by a click on a head",
	"vega_lite": "it is a reserved name that version 1 refuses",
}
