package dashboard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"service/store/rawjson"
	"service/store/suggest"
)

// axisKeys are the keys that authors expect of every chart along an axis.
var axisKeys = []string{
	keyReference.name, keyThresholds.name, keyLabels.name, keyTooltip.name, keyFacet.name, keyCompare.name, keyTrend.name, keyAverage.name,
	keyScale.name, keyYMin.name, keyYMax.name, keyHighlight.name, keyColor.name, keySort.name, keyLimit.name, keyOther.name,
}

// axisTypes are the types of panels that are charts along an axis.
var axisTypes = []string{
	Line, Area, Bar, Combo, Candlestick, Waterfall, Slope, Box, Histogram, Scatter, Heatmap, Calendar, Timeline,
}

// axisHints explains the keys of axes that a panel has and its type does not, unless the type has another key in their place.
func (t *panelType) axisHints(o *object) map[string]string {
	out := map[string]string{}
	keys := t.keys()
	for _, key := range axisKeys {
		if o.has(key) && !slices.Contains(keys, key) && otherName(key, otherPanelKeys, keys) == "" {
			out[key] = "leave it out; types that have it: " + strings.Join(typesWith(key), ", ")
		}
	}
	return out
}

// elsewhere adds to the hints of a panel those for its keys that other types have, also by another name, and that nothing else explains.
func (t *panelType) elsewhere(o *object, hints map[string]string) map[string]string {
	keys := t.keys()
	out := maps.Clone(hints)
	for _, key := range o.keys {
		plain := suggest.Plain(key)
		own := slices.ContainsFunc(keys, func(k string) bool { return suggest.Plain(k) == plain })
		known := own || hints[key] != "" || hints[plain] != "" || otherName(key, otherPanelKeys, keys) != ""
		if !known && foreignHint(ofPanel+t.name, key) == "" && !alike(key, likeliest(key, keys)) {
			if out[key] = keyOrTypes(plain); (plain == "xmin" || plain == "xmax") && slices.Contains(keys, keyGrain.name) {
				out[key] = axisEnds
			}
		}
	}
	maps.Copy(out, columnForms(o, hints))
	return out
}

// columnForms adds to the hints for keys that belong to a column, such as format, what to write for the one measure of a panel.
func columnForms(o *object, hints map[string]string) map[string]string {
	var measures []string
	for _, key := range []string{"value", "y", "values"} {
		switch raw := o.values[key]; kindOf(raw) {
		case "a string":
			measures = append(measures, trimmed(raw))
		case "a list":
			for m := range rawjson.Elements(raw) {
				measures = append(measures, trimmed(m))
			}
		}
	}
	out := map[string]string{}
	if len(measures) != 1 || !strings.HasPrefix(measures[0], `"`) {
		return out
	}
	for key, name := range map[string]string{
		"format": "format", "decimals": "decimals", "precision": "decimals", "unit": "unit", "suffix": "unit", "good": "good",
		"agg": "agg", "aggregation": "agg",
	} {
		if raw := o.values[key]; hints[key] != "" && (kindOf(raw) == "a string" || kindOf(raw) == "a number") && len(raw) <= maxQuoted {
			out[key] = hints[key] + `; write "columns": {` + measures[0] + `: {"` + name + `": ` + trimmed(raw) + `}} there`
		}
	}
	return out
}

// keyOrTypes returns the types of panels that have a key, in plain letters, or the key of which it is another name; "" if no type has it.
func keyOrTypes(plain string) string {
	keys := panelKeys()
	if i := slices.IndexFunc(keys, func(key string) bool { return suggest.Plain(key) == plain }); i >= 0 {
		return "leave it out; types that have it: " + someTypes(keys[i])
	}
	if key := otherName(plain, otherPanelKeys, keys); key != "" {
		return "it is " + quote(key) + " in panels of type " + someTypes(key)
	}
	return ""
}

// someTypes lists types of panels that have a key, the first ten.
func someTypes(key string) string {
	of := typesWith(key)
	if n := len(of); n > 10 {
		of = append(slices.Clone(of[:10]), fmt.Sprintf("and %d more", n-10))
	}
	return strings.Join(of, ", ")
}

// alike reports whether one of two keys is the other with an ending.
func alike(a, b string) bool {
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// typesWith returns the types of panels that have a key.
func typesWith(key string) []string {
	var out []string
	for _, t := range types {
		if slices.Contains(t.keys(), key) {
			out = append(out, t.name)
		}
	}
	return out
}

// axisEnds is how an axis of times gets other ends.
const axisEnds = `an axis of times has the dates of the rows: a filter with a default shows fewer, and a row of the sql with ` +
	"a later date and NULL in its measure extends it; histogram and scatter have the key"
