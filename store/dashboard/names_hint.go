package dashboard

import (
	"encoding/json"
	"slices"
	"strings"

	"service/store/rawjson"
	"service/store/suggest"
)

// Keys of a panel with other names for values, which are labels of a column at the top of the spec, and with plus signs, which are a key of
// a column of the dataset: the refusal contains the members to write.

var (
	// valueNames are the keys of a panel with other names for values, as in [suggest.Plain].
	valueNames = strings.Fields("names valuenames valuelabels displaynames aliases mapping valuemap valuemapping valuemappings mappings " +
		"rename dictionary lookup translations labelmap")

	signWords = strings.Fields("sign showsign signed plus plussign showplus signdisplay")
)

const (
	// labelsHint is the remedy for names of values at the top of a spec.
	labelsHint = `names of values are those of a column: "columns": {"…": {"labels": {"DE": "Germany"}}}`
)

const maxExample = 80 // bytes of an object that a refusal repeats

// valueForms adds to the hints for keys of a panel those for names of values and for plus signs.
func (t *panelType) valueForms(o *object, hints map[string]string) {
	keys := t.keys()
	for _, key := range o.keys {
		plain, raw := suggest.Plain(key), o.values[key]
		switch {
		case slices.Contains(keys, key):
		case slices.Contains(signWords, plain) && t.needsData():
			hints[key] = t.signOfNumber(o)
		case t.name == Timeline && plain == keyLegend.name && o.has("series"):
			hints[key] = `a legend is above the spans where colours need one; leave "series" out for spans of one colour`
		case t.name == Timeline && plain == keyLimit.name:
			hints[key] = `it draws 80 rows at most; a filter, or sql, leaves those that matter: "where": {` + firstName(o, "label") +
				`: ["…"]}, or ORDER BY … LIMIT ` + wholeIn(raw, "20") + " in the sql"
		case slices.Contains(valueNames, plain) && (plain == "names" || kindOf(raw) == "an object"):
			rest := `other names for values are at the top of the spec: "columns": {` + t.namedDimension(o) + `: {"labels": ` + labelsIn(raw) + "}}"
			if said := hints[key]; said == "" && hints[plain] != "" && kindOf(raw) != "an object" {
				hints[key] = hints[plain] + "; " + rest
			} else if said != "" && kindOf(raw) != "an object" {
				hints[key] = said + "; " + rest
			} else {
				hints[key] = rest
			}
		}
	}
}

// signOfNumber returns the remedy for a plus sign in a panel, which is a key of the column.
func (t *panelType) signOfNumber(o *object) string {
	measure, _ := t.namesIn(o)
	out := `a plus before positive numbers belongs to their column: in datasets, write "columns": {` + measure + `: {"sign": true}}`
	if t.name == KPI {
		out += "; the change of compare has its sign by itself"
	}
	return out
}

// namedDimension returns the name of the dimension whose values the panel names most prominently.
func (t *panelType) namedDimension(o *object) string {
	order := []string{"series", "area", "label", "x", "rows", "facet"}
	if t.name == Heatmap {
		order = []string{"y", "x"}
	}
	for _, key := range order {
		if name := firstName(o, key); name != unknownName {
			return name
		}
	}
	return unknownName
}

// firstName returns the first of the names in a key, in quotes, if it is short and plain enough to be repeated.
func firstName(o *object, key string) string {
	if names := namesIn(o.values[key]); len(names) > 0 && len(names[0]) <= maxExample && !strings.Contains(names[0], `\`) {
		return names[0]
	}
	return unknownName
}

// labelsIn returns an object of names as it is if labels of a column take it, and else an example.
func labelsIn(raw json.RawMessage) string {
	if kindOf(raw) != "an object" || len(raw) > maxExample {
		return `{"…": "…"}`
	}
	for _, m := range rawjson.Members(raw) {
		if kindOf(m) != "a string" {
			return `{"…": "…"}`
		}
	}
	return string(raw)
}

// wholeIn returns a whole number as it is, and else another one.
func wholeIn(raw json.RawMessage, other string) string {
	if s := string(raw); len(s) <= 4 && s != "" && strings.Trim(s, "0123456789") == "" {
		return s
	}
	return other
}
