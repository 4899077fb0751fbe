package dashboard

import (
	"fmt"
	"slices"

	"service/store/dashboard/cube"
)

// A Where keeps the rows of a panel or an alert that have one of the values of a dimension.
type Where struct {
	Column string
	Values []string // in the form of [cube.Label]
}

// Filters returns the filters that keep the rows of all of them.
func Filters(where []Where) []cube.Filter {
	out := make([]cube.Filter, len(where))
	for i, w := range where {
		out[i] = cube.Filter{Column: w.Column, Values: w.Values}
	}
	return out
}

var keyWhere = panelKey{
	name: "where", kind: kind{schema: `"type": "object"`, words: "object of dimensions and their values"},
	doc:   `only rows with these values, such as {"country": "France"} or {"plan": ["Team", "Business"]}`,
	brief: `{"country": "France"}: only these.`,
	read:  func(o *object, p *Panel, _ *panelType) { p.Where = readWhere(o) },
}

// withWhere adds the key for a part of the rows to the types that show data, after the key for the dataset.
func withWhere(types []*panelType) []*panelType {
	for _, t := range types {
		if i := slices.IndexFunc(t.optional, func(k panelKey) bool { return k.name == keyData.name }); i >= 0 && t.needsData() {
			t.optional = slices.Insert(slices.Clone(t.optional), i+1, keyWhere)
		}
	}
	return types
}

// readWhere reads which rows count: columns with a value, or a list of values.
func readWhere(of *object) []Where {
	raw, ok := of.values["where"]
	if !ok {
		return nil
	}
	if kindOf(raw) != "an object" {
		of.problems.addf(of.at("where"), `must be an object of columns and their values, such as {"country": "France"}, not %s`, kindOf(raw))
		return nil
	}
	o := of.problems.object(of.at("where"), raw)
	if o == nil {
		return nil
	}
	if len(o.keys) > MaxFilters {
		of.problems.addf(o.path, "has %d columns, over the limit of %d", len(o.keys), MaxFilters)
		return nil
	}
	var out []Where
	for _, column := range o.keys {
		w := Where{Column: column, Values: o.texts(column, MaxValues, false)}
		if len(w.Values) == 0 && kindOf(o.values[column]) == "a list" {
			of.problems.addf(o.at(column), "is empty; name the values that count")
		}
		out = append(out, w)
	}
	return out
}

// where checks that the columns are dimensions of a dataset and not times, whose remedy is given. It warns, with a code, of values that no
// row has.
func (c *checker) where(path string, set *resolved, where []Where, code, times string) {
	for _, w := range where {
		at := join(path, w.Column)
		col := c.dimension(at, set, w.Column)
		if col != nil && isTime(col.Type) {
			c.problems.addf(at, `is of type %s; %s`, col.Type, times)
		}
		c.values(code, at, set, col, w.Values)
	}
}

// where checks which rows the panel shows. A column of which it shows one value tells no rows apart.
func (c *panelCheck) where() {
	c.checker.where(c.at("where"), c.set, c.panel.Where, WarnNoRows, `a filter at the top of the spec keeps a range of dates`)
	for _, w := range c.panel.Where {
		if len(w.Values) == 1 {
			c.fixed = append(c.fixed, w.Column)
		}
	}
}

// values warns of values that no row of a dataset has in a column of texts.
func (c *checker) values(code, path string, set *resolved, col *Column, values []string) {
	if col == nil || col.Type != cube.Text || set.rows == nil || set.rows.Rows() == 0 {
		return
	}
	all := set.rows.Texts(col.Name)
	for _, v := range values {
		if !slices.Contains(all, v) {
			near := ""
			if like := likeliest(v, all); like != "" {
				near = fmt.Sprintf("; did you mean %s?", quote(like))
			}
			c.warnf(code, path, "no row of dataset %s has the value %s at present%s.", quote(set.ID), quote(v), near)
		}
	}
}
