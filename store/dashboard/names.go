package dashboard

import (
	"fmt"

	"service/store/dashboard/cube"
)

// Names of values: a dictionary by which the page writes values of a dimension, such as codes, by other texts.

// maxLabels is the maximum number of values of a column that have names.
const maxLabels = 200

// readLabels reads names of values by value. It returns nil without them.
func readLabels(o *object) map[string]string {
	if !o.has("labels") {
		return nil
	}
	labels := o.problems.object(o.at("labels"), o.values["labels"])
	if labels == nil {
		return nil
	}
	if n := len(labels.keys); n > maxLabels {
		o.problems.addf(o.at("labels"), "has %d members, over the limit of %d; with more, the sql can return the names", n, maxLabels)
		return nil
	}
	out := map[string]string{}
	for _, value := range labels.keys {
		name := labels.text(value, maxName)
		if name == "" && kindOf(labels.values[value]) == "a string" {
			o.problems.addf(labels.at(value), "is empty; leave the value out, and it is shown as it is")
		}
		out[value] = name
	}
	return out
}

// ValueName returns the name that the spec gives a value of the column, which can be a [cube.Category]. ok is false without a name.
func (c *Column) ValueName(v any) (name string, ok bool) {
	if len(c.Names) == 0 {
		return "", false
	}
	if of, is := v.(cube.Category); is {
		if v = of.Value; of.Other {
			return "", false
		}
	}
	if v == nil {
		return "", false
	}
	name, ok = c.Names[ValueKey(v)]
	return name, ok
}

// shareNames gives the datasets the names of values that the spec has for all of them. Those of a dataset's own column take precedence.
func (s *Spec) shareNames() {
	for i := range s.Columns {
		a := &s.Columns[i]
		if a.Labels == nil {
			continue
		}
		for k := range s.Datasets {
			d := &s.Datasets[k]
			if d.names == nil {
				d.names = map[string]map[string]string{}
			}
			d.names[a.Column] = a.Labels
		}
	}
}

// namesOf returns the names of the values of a column: its own, or else those of the spec. Only dimensions that are not times have them.
func (d *Dataset) namesOf(c *Column, own map[string]string) map[string]string {
	switch {
	case c.Role != Dimension || c.Type.IsTime():
		return nil
	case own != nil:
		return own
	}
	return d.names[c.Name]
}

// named checks that a column whose values have names is a dimension of texts, numbers or true and false.
func (c *checker) named(path string, set *resolved, name string) {
	col := find(set.columns, name)
	if col == nil {
		return
	}
	switch {
	case isMeasure(*col):
		c.problems.addf(path, "are names of the values of a dimension, and %s is a measure in dataset %s", quote(name), quote(set.ID))
	case isTime(col.Type):
		c.problems.addf(path, "%s is of type %s in dataset %s, and times have a format; leave it out", quote(name), col.Type, quote(set.ID))
	}
}

// labelsKind is the kind of a dictionary of names.
var labelsKind = kind{
	schema: `"type": "object"`, tail: `"additionalProperties": {"type": "string"}`,
	words: fmt.Sprintf("names of at most %d values, by value", maxLabels),
}
