package dashboard

import "strings"

// The keys of reference lines and thresholds.
var (
	referenceMembers = []member{
		{"value", aNumber, "Where it is."},
		{"kind", oneOf(refKinds), "Of the drawn values, in place of value."},
		{"from", aNumber, "Range from."},
		{"to", aNumber, "Range to."},
		{"label", textOf(maxName), "Its name."},
		{"tone", oneOf(tones), "Default neutral."},
		{"axis", oneOf(axes), "Of a scatter."},
	}
	thresholdMembers = []member{
		{"column", aName, "table: the measure."},
		{"if", oneOf(comparisons), "Default >=."},
		{"value", aNumber, "What is compared with."},
		{"tone", oneOf(tones), "Its tone then."},
	}
	referenceKeys = memberNames(referenceMembers)
	thresholdKeys = memberNames(thresholdMembers)

	axes = []string{"x", "y"}

	otherReferenceKeys = map[string]string{
		"y": "value", "color": "tone", "type": "kind", "name": "label", "at": "value", "y0": "from", "y1": "to", "x0": "from", "x1": "to",
		"min": "from", "max": "to", "low": "from", "high": "to", "lower": "from", "upper": "to", "start": "from", "end": "to",
	}
	otherThresholdKeys = map[string]string{"color": "tone", "op": "if", "operator": "if", "field": "column", "when": "if"}
)

func readReferences(o *object, scatter bool) []Reference {
	var out []Reference
	for i, raw := range o.list("reference", MaxReferences) {
		o := o.problems.object(index(o.at("reference"), i), raw)
		if o == nil {
			continue
		}
		o.closed("a reference line", referenceKeys, otherReferenceKeys, nil)
		shaded := o.has("from") || o.has("to")
		if ways := count(o.has("value"), o.has("kind"), shaded); ways != 1 {
			o.problems.addf(o.path, "must have a value, a kind (%s), or from and to; it has %d of these", strings.Join(refKinds, ", "), ways)
		}
		if kindOf(o.values["value"]) == "a string" {
			o.problems.addf(o.at("value"), `must be a number, not a string; a measure is drawn by its name in "y" or "lines", or as "target" of a bar`)
			continue
		}
		value, _ := o.number("value")
		r := Reference{
			Value: value, Kind: o.enum("kind", refKinds, otherKinds), Label: o.text("label", maxName),
			Tone: o.enum("tone", tones, otherTones),
		}
		for key, end := range map[string]**float64{"from": &r.From, "to": &r.To} {
			if v, ok := o.number(key); ok {
				*end = &v
			}
		}
		if r.From != nil && r.To != nil && *r.From >= *r.To {
			o.problems.addf(o.at("to"), "must be above from; a line at one number has a value")
		}
		if r.Tone == "" {
			r.Tone = "neutral"
		}
		if r.Axis = AxisY; o.enum("axis", axes, nil) == "x" {
			if r.Axis = AxisX; !scatter {
				o.problems.addf(o.at("axis"), `"x" is for a scatter, whose x is a number; leave it out`)
			}
		}
		out = append(out, r)
	}
	return out
}

// count returns how many of the conditions hold.
func count(conditions ...bool) int {
	n := 0
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n
}

// readThresholds reads thresholds, of columns or of the one value of the panel.
func readThresholds(o *object, columns bool) []Threshold {
	var out []Threshold
	for i, raw := range o.list("thresholds", MaxThresholds) {
		o := o.problems.object(index(o.at("thresholds"), i), raw)
		if o == nil {
			continue
		}
		o.closed("a threshold", thresholdKeys, otherThresholdKeys, nil)
		o.require("value", "tone")
		if columns {
			o.require("column")
		} else if o.has("column") {
			o.problems.addf(o.at("column"), "is for tables; the threshold of a kpi is about its value")
		}
		value, _ := o.number("value")
		t := Threshold{
			Column: o.name("column"), If: o.enum("if", comparisons, otherIfs), Value: value,
			Tone: o.enum("tone", tones, otherTones),
		}
		if t.If == "" {
			t.If = ">="
		}
		out = append(out, t)
	}
	return out
}
