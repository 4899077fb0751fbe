package dashboard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"service/store/suggest"
)

// axisKeys are the keys that authors expect of every chart along an axis.
var axisKeys = []string{
	keyReference.name, keyThresholds.name, keyLabels.name, keyTooltip.name, keyFacet.name, keyCompare.name, keyTrend.name, keyAverage.name,
	keyScale.name, keyYReverse.name, keyYMin.name, keyYMax.name, keyHighlight.name, keyColor.name, keySort.name, keyLimit.name, keyOther.name,
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

// elsewhere adds to the hints of a panel those for its keys that other types have, also by another name, and the members to write in place
// of keys of other tools. also has the other names of keys.
func (t *panelType) elsewhere(o *object, also, hints map[string]string) map[string]string {
	keys := t.keys()
	out := maps.Clone(hints)
	for _, key := range o.keys {
		plain := suggest.Plain(key)
		own := slices.ContainsFunc(keys, func(k string) bool { return suggest.Plain(k) == plain })
		if own || hints[key] != "" || hints[plain] != "" {
			continue
		}
		if meant := otherName(key, also, keys); meant != "" {
			out[key] = cmp.Or(t.foreignKey(o, key).instead(meant), foreignHint(ofPanel+t.name, key))
			continue
		}
		if hint := t.ownReason(plain, also, hints); hint != "" {
			out[key] = hint
			continue
		}
		if foreignHint(ofPanel+t.name, key) == "" && !alike(key, likeliest(key, keys)) {
			if out[key] = keyOrTypes(plain); (plain == "xmin" || plain == "xmax") && slices.Contains(keys, keyGrain.name) {
				out[key] = axisEnds
			}
		}
	}
	t.asPivot(o, out)
	t.colorsOfTexts(o, out)
	t.valueForms(o, out)
	maps.Copy(out, t.columnForms(o, out))
	return out
}

// ownReason returns the reason for which the type does not have the key that another name means, if it has a reason of its own.
func (t *panelType) ownReason(plain string, also, hints map[string]string) string {
	for key := range strings.SplitSeq(also[plain], "|") {
		if t.hints[key] != "" && hints[key] != "" && key != keyLegend.name {
			return `it is "` + key + `": ` + hints[key]
		}
	}
	return ""
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
		if t.has(key) {
			out = append(out, t.name)
		}
	}
	return out
}

// axisEnds is how an axis of times gets other ends.
const axisEnds = `an axis of times has the dates of the rows: a filter with a default shows fewer, and a row of the sql with ` +
	"a later date and NULL in its measure extends it; histogram, scatter and timeline have the key"
