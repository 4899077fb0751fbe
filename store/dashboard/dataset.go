package dashboard

import (
	"encoding/json"
	"slices"
	"strings"

	"service/store/pattern"
)

func (p *parser) datasets(o *object, s *Spec) {
	if !o.has("datasets") {
		p.problems.addf("datasets", "is missing; declare at least one dataset")
		return
	}
	list := o.list("datasets", MaxDatasets)
	if len(list) == 0 && kindOf(o.values["datasets"]) == "a list" {
		p.problems.addf("datasets", "is empty; declare at least one dataset")
	}
	for i, raw := range list {
		d := p.dataset(index("datasets", i), raw, s)
		if d.ID != "" && slices.Contains(p.declared, d.ID) {
			p.problems.addf(join(index("datasets", i), "id"), "%s is the id of two datasets", quote(d.ID))
		}
		p.declared = append(p.declared, d.ID)
		s.Datasets = append(s.Datasets, d)
	}
	p.checkFrom(s)
}

func (p *parser) dataset(path string, raw json.RawMessage, s *Spec) Dataset {
	o := p.problems.object(path, raw)
	if o == nil {
		return Dataset{}
	}
	if p.report {
		o.closed("a dataset of a report", rowsetKeys, otherDatasetKeys, merge(datasetHints, reportHints))
		o.require("id", "rows")
	} else {
		o.closed("a dataset", datasetKeys, otherDatasetKeys, datasetHints)
		o.require("id")
		if !o.has("from") {
			o.require("sql")
		}
	}
	d := Dataset{ID: p.id(o), Rows: MaxRows}
	if o.has("columns") {
		d.Columns = p.columns(o)
	}
	if p.report {
		p.rows[d.ID] = o.values["rows"]
		d.read = true // there is no SQL
		return d
	}
	d.SQL = o.text("sql", 0)
	if o.has("from") {
		p.from(o, &d)
	}
	p.shared(o, &d)
	d.Upload, d.Sheet = p.uploadID(o, "upload"), p.sheet(o)
	d.Rows = o.integer("row_limit", 1, MaxRows, DefaultRows)
	if o.has("sql") && kindOf(o.values["sql"]) == "a string" && strings.TrimSpace(d.SQL) == "" {
		p.problems.addf(o.at("sql"), "is empty; write one SELECT statement")
	}
	placeholders(&p.problems, o.at("sql"), d.SQL, s.Params)
	d.readList(d.SQL)
	d.inner = &keptInner{}
	return d
}

// columns reads the settings of a dataset's columns: an object with a key for each, or a list of objects with a name, or of bare names.
func (p *parser) columns(o *object) []Meta {
	var out []Meta
	path := o.at("columns")
	add := func(path, name string, o *object) {
		switch {
		case name == "": // reported
		case slices.ContainsFunc(out, func(m Meta) bool { return m.Name == name }):
			p.problems.addf(path, "%s is there twice; keep one", quote(name))
		default:
			m := Meta{Name: name}
			if o != nil {
				m = p.column(o, name)
			}
			out = append(out, m)
		}
	}
	raw := o.values["columns"]
	switch kindOf(raw) {
	case "an object":
		columns := p.problems.object(path, raw)
		if columns == nil {
			return nil
		}
		for _, name := range columns.keys {
			if o := p.problems.object(columns.at(name), columns.values[name]); o != nil {
				o.closed("a column", columnKeys, otherColumnKeys, columnHints)
				add(columns.at(name), name, o)
			}
		}
	case "a list":
		for i, raw := range p.problems.list(path, raw, MaxColumns) {
			path := index(path, i)
			if kindOf(raw) == "a string" {
				name, _ := p.problems.text(path, raw, maxName)
				p.problems.emptyAt(path, raw)
				add(path, name, nil)
				continue
			}
			if o := p.problems.object(path, raw); o != nil {
				o.closed("a column", append([]string{"name"}, columnKeys...), otherColumnKeys, columnHints)
				o.require("name")
				add(path, o.name("name"), o)
			}
		}
	default:
		p.problems.addf(path, "must be an object with a key for each column, not %s", kindOf(raw))
	}
	return out
}

// quantiles matches the names of aggregates that are computed of all rows at once.
var quantiles = pattern.New(`^(?i:(approx_?)?(median|percentile|quantile|quartile|mode|stddev|variance|p[0-9]{1,2})[a-z_0-9]*)$`)

// ofAllRows is the explanation of an aggregate that is computed of all rows.
const ofAllRows = "cannot be merged from that of groups: " + ofRows

// ofRows is the remedy for such an aggregate.
const ofRows = `return single rows, of which "agg": "median", "p90", "p95" or "p99" is computed and "box" draws quartiles; or the sql ` +
	"returns it, in a dataset of its own with a row for each value that is shown"

// agg reads how the values of a measure add up.
func (p *parser) agg(o *object) Agg {
	if text := o.text("agg", maxName); quantiles.MatchString(text) && otherName(text, otherAggs, aggs) == "" && !slices.Contains(aggs, text) {
		p.problems.addf(o.at("agg"), "%s %s", quote(text), ofAllRows)
		return ""
	}
	return Agg(o.enum("agg", aggs, otherAggs))
}

func (p *parser) column(o *object, name string) Meta {
	m := Meta{
		Name: name, Label: o.text("label", maxName), Description: o.text("description", maxLong),
		Role:   Role(o.enum("role", roles, otherRoles)),
		Agg:    p.agg(o),
		Along:  o.name("along"),
		Format: readFormat(o), Unit: readUnit(o), Hidden: o.boolean("hidden"),
		Brackets: o.enum("negative", negatives, otherNegatives) == inBrackets, Signed: o.boolean("sign"),
		Good:   o.enum("good", goods, otherGoods),
		Labels: readLabels(o),
	}
	m.Decimals = readDecimals(o, m.Format)
	if m.Labels != nil && (m.Role == Measure || o.has("ratio")) {
		p.problems.addf(o.at("labels"), "are names of the values of a dimension, and this is a measure; leave it out")
	}
	if m.Role == Dimension {
		for _, key := range []string{"agg", "along", "ratio", "good"} {
			if o.has(key) {
				p.problems.addf(o.at(key), `is for measures; leave it out, or write "role": "measure"`)
			}
		}
	}
	switch {
	case !o.has("along"):
	case o.has("ratio"):
		p.problems.addf(o.at("along"), "does not go with ratio: its two measures say along which times they are")
	case m.Along == name:
		p.problems.addf(o.at("along"), "%s cannot be along itself; name the date or the year of its values", quote(name))
	case !m.Agg.isStock() && (m.Agg != "" || !o.has("agg")) && m.Role != Dimension:
		p.problems.addf(o.at("along"), `is the time of which "last" and "first" take one; write "agg": "last", or leave it out`)
	}
	if o.has("agg") && m.Agg == "" {
		m.Agg = Sum // the mistake is reported, and should not make others
	}
	if !o.has("ratio") {
		return m
	}
	if o.has("agg") {
		p.problems.addf(o.at("agg"), "does not go with ratio: a ratio is computed after its two measures were added up")
	}
	if kindOf(o.values["ratio"]) != "a list" {
		p.problems.addf(o.at("ratio"), `must be a list of two measures, such as ["revenue", "orders"]`)
		return m
	}
	parts := o.texts("ratio", 2, true)
	switch {
	case len(parts) != 2:
		p.problems.addf(o.at("ratio"), `must be a list of two measures, such as ["revenue", "orders"]`)
	case slices.Contains(parts, name):
		p.problems.addf(o.at("ratio"), "%s cannot be a part of itself", quote(name))
	default:
		m.Ratio = [2]string(parts)
	}
	return m
}
