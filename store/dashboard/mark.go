package dashboard

import "strings"

// The keys of reference lines and thresholds.
var (
	referenceMembers = []member{
		{"value", aNumber, "Where it is."},
		{"kind", oneOf(refKinds), "Of the drawn values, in place of value."},
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

	otherReferenceKeys = map[string]string{"y": "value", "color": "tone", "type": "kind", "name": "label"}
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
		if o.has("value") == o.has("kind") {
			o.problems.addf(o.path, "must have either a value or a kind (%s)", strings.Join(refKinds, ", "))
		}
		value, _ := o.number("value")
		r := Reference{
			Value: value, Kind: o.enum("kind", refKinds, otherKinds), Label: o.text("label", maxName),
			Tone: o.enum("tone", tones, otherTones),
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
