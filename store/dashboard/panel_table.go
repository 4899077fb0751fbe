package dashboard

import (
	"cmp"
	"slices"
)

// Table is the type of panel that lists rows.
const Table = "table"

var tablePanel = panelType{
	name: Table,
	also: []string{"grid"},
	doc:  "rows",
	optional: []panelKey{
		keyData, keyColumns, keySort, keyLimit.as("maximum number of rows of the whole table"), keyPageSize, keySearch, keyThresholds,
		keyTotal.as("a row of totals: true, or its name"),
		keyCompare.as("previous_period or previous_year (as in a kpi), whose values and changes are columns beside each measure"),
		keyGrain, keyPartial,
	},
	hints: map[string]string{
		"y": "columns is the list of what a table shows", "x": "columns is the list of what a table shows",
		"link":    `a column of a table has it: "columns": [{"column": "…", "link": "…"}]`,
		"tooltip": "columns is the list of what a table shows; leave it out", "labels": "columns is the list of what a table shows; leave it out",
		"highlight": "thresholds colours cells and, with row, whole rows by a value",
		"group":     "sort keeps equal values together; a pivot has a total of each group",
		"series":    "a pivot has a column for each value of a dimension",
		"groupby":   "the sql groups rows; a pivot has a total of each group",
		"facet":     "sort keeps equal values together; a pivot has a total of each group",
		"ramp":      "a column of a table has it, beside heat",
		"heat":      "a column of a table has it", "bar": "a column of a table has it",
		"sparkline": `a column of a table has it: "columns": [{"column": "…", "sparkline": "…"}]`,
		"rowcolors": rowToneHint, "rowcolor": rowToneHint, "rowcolours": rowToneHint, "rowtone": rowToneHint,
		"totals": `write "total": true`,
	},
	width:   fullWidth,
	columns: true,
	verify:  func(o *object, p *Panel) { verifyOnePeriod(o, p, "a table", "a column by its name in columns") },
	check:   checkTable,
	title:   func(p *Panel, _ labeler) string { return Label(p.Data) },
}

var (
	keyPageSize = panelKey{
		name: "page_size", kind: wholeOf(1, 1000), doc: "rows shown at a time, 25 by default", brief: "Rows a page.",
		read: func(o *object, p *Panel, _ *panelType) { p.PageSize = o.integer("page_size", 1, 1000, 0) },
	}
	keySearch = panelKey{
		name: "search", kind: aFlag, doc: "a search in the rows, by default from 12 rows on", terse: true,
		read: func(o *object, p *Panel, _ *panelType) {
			if o.has("search") {
				p.Search = new(o.boolean("search"))
			}
		},
	}
	keyColumns = panelKey{
		name: "columns", kind: objectsOf(MaxColumns, columnMembers, "column"), doc: "columns to show, by default all",
		note: `A name is short for {"column": name}.`,
		read: func(o *object, p *Panel, _ *panelType) { p.Columns = readTableColumns(o) },
	}
	columnMembers = []member{
		{"column", aName, "Its name."},
		{"label", textOf(maxName), "Heading."},
		{"format", aText, "As in datasets."},
		{"decimals", wholeOf(0, MaxDecimals), "As there."},
		{"group", textOf(maxName), "Head over neighbours."},
		{"bar", aFlag, "Bars in the cells."},
		{"heat", aFlag, "Cells in colours."},
		{"ramp", aRamp, "Of heat."},
		{"sparkline", aName, "Date of a small line."},
		{"sign", aFlag, "Plus signs."},
		{
			"link", textOf(maxLong),
			`As https://example.com/{{id}}, slug?country={{country}}, {{url}}.`,
		},
	}
	tableKeys      = memberNames(columnMembers)
	otherTableKeys = map[string]string{
		"field": "column", "name": "column", "title": "label", "header": "label", "href": "link", "url": "link",
		"heatmap": "heat", "colorscale": "ramp|heat", "scheme": "ramp", "palette": "ramp", "colormap": "ramp", "cmap": "ramp", "domain": "ramp",
		"colors": "heat", "gradient": "ramp", "zmin": "ramp", "zmax": "ramp", "zmid": "ramp", "midpoint": "ramp", "middle": "ramp",
		"trend":     "sparkline",
		"precision": "decimals", "digits": "decimals", "decimalplaces": "decimals", "fractiondigits": "decimals", "round": "decimals",
		"headergroup": "group", "columngroup": "group", "spanner": "group", "superheader": "group", "parent": "group", "section": "group",
		"band": "group", "tab": "group",
	}
	tableHints = map[string]string{
		"hidden": hideColumnHint, "hide": hideColumnHint, "visible": hideColumnHint, "show": hideColumnHint,
		"unit": unitHint, "suffix": unitHint, "prefix": prefixHint, "tooltip": "tooltip is a key of a panel that draws marks",
	}
)

func readTableColumns(o *object) []TableColumn {
	var out []TableColumn
	for i, raw := range o.list("columns", MaxColumns) {
		path := index(o.at("columns"), i)
		if kindOf(raw) == "a string" {
			name, _ := o.problems.text(path, raw, maxName)
			o.problems.emptyAt(path, raw)
			out = append(out, TableColumn{Column: name})
			continue
		}
		o := o.problems.object(path, raw)
		if o == nil {
			out = append(out, TableColumn{})
			continue
		}
		o.closed("a column of a table", tableKeys, otherTableKeys, tableHints)
		o.require("column")
		c := TableColumn{
			Column: o.name("column"), Label: o.text("label", maxName), Format: readFormat(o), Group: o.text("group", maxName),
			Bar: o.boolean("bar"), Heat: o.boolean("heat"), Sign: o.boolean("sign"),
			Sparkline: o.name("sparkline"), Link: readLink(o), Ramp: readRamp(o),
		}
		if o.has("ramp") && !c.Heat {
			o.problems.addf(o.at("ramp"), `is the colours of "heat": true; write that too`)
		}
		c.Decimals = readDecimals(o, c.Format)
		out = append(out, c)
	}
	for i, c := range out {
		first := slices.IndexFunc(out, func(d TableColumn) bool { return d.Column == c.Column })
		if c.Column == "" || first == i {
			continue
		}
		also := ""
		if d := out[first]; d.Sparkline != "" || d.Bar || d.Heat || c.Sparkline != "" || c.Bar || c.Heat {
			also = ": a cell with a small line, a bar or a color has the number too"
		}
		o.problems.addf(index(o.at("columns"), i), "%s is there twice; keep one%s", quote(c.Column), also)
	}
	return out
}

// readLink reads the link of a cell or a mark.
func readLink(o *object) string {
	link := o.text("link", maxLong)
	if msg := checkLink(link); o.has("link") && msg != "" {
		o.problems.addf(o.at("link"), "%s", msg)
	}
	return link
}

func checkTable(c *panelCheck) {
	p := c.panel
	if len(p.Columns) == 0 { // every column
		all := c.set.names(visible)
		c.tableSort(all)
		c.tableThresholds(all)
		c.compareLines(all)
		c.grain = slices.DeleteFunc(slices.Clone(c.set.keys), func(key string) bool { return isMeasure(*find(c.set.columns, key)) })
		c.tableTimes()
		return
	}
	var shown []string
	for i := range p.Columns {
		tc := &p.Columns[i]
		at := index(c.at("columns"), i)
		col := c.column(at, c.set, tc.Column)
		if col == nil {
			continue
		}
		shown = append(shown, tc.Column)
		own := *col
		own.Format = cmp.Or(tc.Format, col.Format)
		c.notation(at, &own, tc.Format, tc.Decimals, "")
		if isMeasure(*col) {
			c.measures = append(c.measures, shownMeasure{path: at, Column: col})
			c.numbersOnly(at, tc, col)
			continue
		}
		c.grain = append(c.grain, col.Name)
		for _, key := range tc.ofNumbers() {
			c.problems.addf(join(at, key), "is for measures, and %s is a dimension", quote(tc.Column))
		}
	}
	for i := range p.Columns { // the placeholders of a link distinguish rows as well
		for _, m := range hole.FindAllStringSubmatch(p.Columns[i].Link, -1) {
			c.groups(index(c.at("columns"), i)+".link", m[1])
		}
	}
	c.tableSort(shown)
	c.tableThresholds(shown)
	c.compareLines(shown)
	c.sparklines()
}

// sparklines checks that small lines are over dates, and that a row has several of them.
func (c *panelCheck) sparklines() {
	var dates []string
	for i, tc := range c.panel.Columns {
		at := index(c.at("columns"), i) + ".sparkline"
		col := c.column(at, c.set, tc.Sparkline)
		switch {
		case col == nil:
		case !isDate(*col):
			c.problems.add(Problem{
				Path: at, Message: quote(tc.Sparkline) + " is not a date", Noun: "dates", Allowed: c.set.names(isDate),
			})
		case slices.Contains(c.grain, tc.Sparkline):
			c.problems.addf(at, "%s tells the rows of this table apart, so each has one point; leave it out of columns and links",
				quote(tc.Sparkline))
		}
		if tc.Sparkline != "" {
			dates = append(dates, tc.Sparkline)
		}
	}
	c.tableTimes(dates...)
}

// numbersOnly checks that a column of dates has no bars and signs.
func (c *panelCheck) numbersOnly(at string, tc *TableColumn, col *Column) {
	for _, key := range tc.ofNumbers() {
		if isTime(col.Type) {
			c.problems.addf(join(at, key), "is for numbers, and %s is of type %s", quote(tc.Column), col.Type)
		}
	}
}

// ofNumbers returns the keys of the column about the display of its numbers.
func (t *TableColumn) ofNumbers() []string {
	var out []string
	for _, k := range [...]struct {
		key   string
		given bool
	}{{"bar", t.Bar}, {"heat", t.Heat}, {"sign", t.Sign}, {"sparkline", t.Sparkline != ""}} {
		if k.given {
			out = append(out, k.key)
		}
	}
	return out
}

// tableThresholds checks the columns of thresholds: measures, which are compared with numbers or other measures, and dimensions, which are
// compared with one of their values. Tones by a column that the table does not show are of a shown cell or of the row.
func (c *panelCheck) tableThresholds(shown []string) {
	for i := range c.panel.Thresholds {
		t := &c.panel.Thresholds[i]
		at := index(c.at("thresholds"), i)
		col := c.column(at+".column", c.set, t.Column)
		switch {
		case col == nil:
		case t.Cell != "" && !slices.Contains(shown, t.Cell):
			c.problems.add(Problem{
				Path: at + ".cell", Message: quote(t.Cell) + " is not a column of this table", Noun: "columns shown", Allowed: shown,
				Nearest: likeliest(t.Cell, shown),
			})
		case !slices.Contains(shown, t.Column) && t.Cell == "" && !t.Row:
			c.problems.add(Problem{
				Path: at + ".column", Message: quote(t.Column) + ` is not a column of this table, so it has no cell: write "row": true, ` +
					`and whole rows have the tone, or "cell": the column whose cells have it`, Noun: "columns shown", Allowed: shown,
			})
		case isMeasure(*col):
			if !slices.Contains(shown, t.Column) {
				c.shows(at+".column", t.Column)
			}
			c.limitBy(at, t, t.Column)
		case t.If != "=" && t.If != ">=": // the default, which means = here
			c.problems.addf(at+".if", "compares numbers, and %s is a dimension (%s); write \"=\"", quote(t.Column), col.Type)
		case isTime(col.Type):
			c.problems.addf(at+".column", "%s is of type %s, and tones are for numbers and for values of text", quote(t.Column), col.Type)
		}
	}
}
