package dashboard

import (
	"slices"
	"strings"
)

// axisKeys are the keys that authors expect of every chart along an axis.
var axisKeys = []string{
	keyReference.name, keyThresholds.name, keyLabels.name, keyTooltip.name, keyFacet.name, keyCompare.name, keyTrend.name, keyAverage.name,
	keyScale.name, keyYMin.name, keyYMax.name, keySort.name, keyLimit.name, keyOther.name,
}

// axisTypes are the types of panels that are charts along an axis.
var axisTypes = []string{Line, Area, Bar, Combo, Candlestick, Waterfall, Slope, Box, Histogram, Scatter}

// axisHints explains the keys of axes that a panel has and its type does not, unless the type has another key in their place.
func (t *panelType) axisHints(o *object) map[string]string {
	out := map[string]string{}
	keys := t.keys()
	for _, key := range axisKeys {
		if o.has(key) && !slices.Contains(keys, key) && otherName(key, otherPanelKeys, keys) == "" {
			out[key] = "types that have it: " + strings.Join(typesWith(key), ", ")
		}
	}
	return out
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
