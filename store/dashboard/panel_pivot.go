package dashboard

import (
	"slices"
	"strings"
)

// Pivot is the type of panel that crosses dimensions in a table, with totals.
const Pivot = "pivot"

// Limits of a pivot.
const (
	maxPivotRows    = 3
	maxPivotColumns = 2
	maxPivotValues  = 5
)

var pivotPanel = panelType{
	name:     Pivot,
	also:     []string{"pivottable", "crosstab", "crosstable", "crosstabulation", "matrixtable"},
	doc:      "measures by dimensions down and across, with totals",
	required: []panelKey{keyRows, keyValues},
	optional: []panelKey{
		keyData, keyColumns.as("dimensions across, at most 2"), keyGrain, keyPartial, keyTotals, keyHeat, keyRamp, keyThresholds,
		keySort.as("one of values, by its totals, or of rows"), keyLimit.as("how many values of the first of rows, as sorted"),
	},
	hints: map[string]string{
		"tooltip":   "values is the list of what each cell shows; leave it out",
		"compare":   "columns with a date of the dataset and grain has a column for each period",
		"labels":    "cells always have their numbers; leave it out",
		"series":    "columns are the dimensions across",
		"x":         "rows are the dimensions down, columns those across",
		"y":         "values are the measures",
		"colors":    rampHint,
		"page_size": "a pivot shows all of its rows, at most 200; limit shows fewer",
	},
	width:  fullWidth,
	verify: verifyPivot,
	check:  checkPivot,
	title: func(p *Panel, label labeler) string {
		return label.by(label.of(p.Values...), append(slices.Clone(p.Rows), p.Across()...)...)
	},
}

// The cells that the colours of a pivot compare.
const (
	HeatRow    = "row"
	HeatColumn = "column"
	HeatAll    = "all"
)

// The totals of one side of a pivot.
const (
	TotalsOfRows    = "rows"
	TotalsOfColumns = "columns"
)

var (
	otherTotals = map[string]string{
		"row": TotalsOfRows, "right": TotalsOfRows, "column": TotalsOfColumns, "col": TotalsOfColumns, "cols": TotalsOfColumns,
		"bottom": TotalsOfColumns,
	}

	heats      = []string{HeatRow, HeatColumn, HeatAll}
	otherHeats = map[string]string{
		"rows": HeatRow, "columns": HeatColumn, "col": HeatColumn, "true": HeatAll, "table": HeatAll, "cells": HeatAll,
	}

	keyRows = panelKey{
		name: "rows", kind: namesOf(maxPivotRows), doc: "dimensions down", terse: true,
		read: func(o *object, p *Panel, _ *panelType) { p.Rows = o.texts("rows", maxPivotRows, true) },
	}
	keyValues = panelKey{
		name: "values", kind: namesOf(maxPivotValues), doc: "measures", terse: true,
		read: func(o *object, p *Panel, _ *panelType) { p.Values = o.texts("values", maxPivotValues, true) },
	}
	keyTotals = panelKey{
		name: "totals", kind: kind{schema: aFlag.schema, words: `true, false, "rows" or "columns"`},
		doc: "totals of rows, of columns and of everything, or of rows or columns alone", note: "Default true.", brief: "Default true.",
		read: readTotals,
	}
	keyHeat = panelKey{
		name: "heat", kind: oneOf(heats), doc: "colours that compare the cells of each row, of each column, or all", terse: true,
		read: func(o *object, p *Panel, _ *panelType) { p.Heat = o.enum("heat", heats, otherHeats) },
	}
)

// readTotals reads whether a pivot has totals, and of what.
func readTotals(o *object, p *Panel, _ *panelType) {
	raw := o.values["totals"]
	switch {
	case !o.has("totals"):
	case kindOf(raw) == "a boolean":
		p.NoTotals = !o.boolean("totals")
	case trimmed(raw) == `"rows"`:
		p.TotalsOf = TotalsOfRows
	case trimmed(raw) == `"columns"`:
		p.TotalsOf = TotalsOfColumns
	default:
		problem := Problem{Path: o.at("totals"), Message: `must be true, false, "rows" or "columns"`}
		switch word := strings.Trim(trimmed(raw), `[" ]`); word {
		case "both", "all", "rows_and_columns":
			problem.Message += "; write true"
		default:
			if problem.Nearest = known(word, otherTotals, []string{TotalsOfRows, TotalsOfColumns}); problem.Nearest == "" {
				problem.Message += meantFlag(raw)
			}
		}
		o.problems.add(problem)
	}
}

// HasTotals reports whether each row of a pivot has a total, and each column.
func (p *Panel) HasTotals() (ofRows, ofColumns bool) {
	return !p.NoTotals && p.TotalsOf != TotalsOfColumns && len(p.Columns) > 0, !p.NoTotals && p.TotalsOf != TotalsOfRows
}

// Across returns the names of the dimensions of a pivot's columns.
func (p *Panel) Across() []string {
	out := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		out[i] = c.Column
	}
	return out
}

func verifyPivot(o *object, p *Panel) {
	for key, names := range map[string][]string{"rows": p.Rows, "values": p.Values} {
		if len(names) == 0 && kindOf(o.values[key]) == "a list" {
			o.problems.addf(o.at(key), "is empty; name at least one column")
		}
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				o.problems.addf(index(o.at(key), i), "%s is there twice; keep one", quote(name))
			}
		}
	}
	for i, c := range p.Columns {
		at := index(o.at("columns"), i)
		if i >= maxPivotColumns {
			o.problems.addf(at, "is one too many; a pivot has at most %d", maxPivotColumns)
			break
		}
		if c != (TableColumn{Column: c.Column}) {
			o.problems.addf(at, `of a pivot takes "column" alone; labels and formats are set under columns of the dataset`)
		}
		if slices.Contains(p.Rows, c.Column) {
			o.problems.addf(at, "%s is one of rows too; keep one", quote(c.Column))
		}
	}
	switch r := p.Ramp; {
	case r == nil:
	case p.Heat == "":
		if !o.has("heat") {
			o.problems.add(Problem{
				Path: o.at("ramp"), Message: "is the colours of heat, which says what they compare; write heat too", Allowed: heats, Nearest: HeatAll,
			})
		}
	case p.Heat != HeatAll && (r.Bounded() || r.Scale == RampQuantile):
		o.problems.addf(o.at("ramp"), `has min, max or "quantile", and heat "%s" gives each %s colours of its own; write "heat": "all"`,
			p.Heat, p.Heat)
	}
	if p.TotalsOf == TotalsOfRows && len(p.Columns) == 0 {
		o.problems.addf(o.at("totals"),
			`"rows" adds a total to each row over its columns, and the pivot has no columns: name columns, or write "columns"`)
	}
	if p.Heat == HeatRow && len(p.Columns) == 0 {
		o.problems.addf(o.at("heat"), `"row" compares the columns of each row, and there are none; name columns, or write "column"`)
	}
}

func checkPivot(c *panelCheck) {
	p := c.panel
	for i, name := range p.Rows {
		c.groups(index(c.at("rows"), i), name)
	}
	for i, name := range p.Across() {
		c.groups(index(c.at("columns"), i), name)
	}
	c.times(append(slices.Clone(p.Rows), p.Across()...)...)
	for i, name := range p.Values {
		c.shows(index(c.at("values"), i), name)
	}
	c.thresholds(p.Values)
	by := strings.TrimPrefix(p.Sort, "-")
	switch col := find(c.set.columns, by); {
	case p.Sort == "":
	case !slices.Contains(p.Values, by) && !slices.Contains(p.Rows, by):
		c.problems.add(Problem{
			Path: c.at("sort"), Message: quote(by) + " is neither one of values nor one of rows", Noun: "columns",
			Allowed: slices.Concat(p.Values, p.Rows), Nearest: likeliest(by, slices.Concat(p.Values, p.Rows)),
		})
	case col != nil && isMeasure(*col) && !c.addsUp(col) && len(p.Rows)+len(p.Columns) > 1:
		c.problems.addf(c.at("sort"), `%s has no totals to sort by, for nothing says how it adds up; write its "agg" in %s`,
			quote(by), c.set.at(by))
	}
}

// addsUp reports whether rows of a measure can be merged.
func (c *panelCheck) addsUp(col *Column) bool {
	if !col.IsRatio() {
		return col.Agg != None && col.Agg != ""
	}
	for _, part := range col.Ratio {
		if p := find(c.set.columns, part); p == nil || p.Agg == None || p.Agg == "" {
			return false
		}
	}
	return true
}
