package dashboard

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"service/store/rawjson"
	"service/store/suggest"
)

// Keys of other tools that a key of a panel replaces: the refusal contains the members to write, which the panel accepts.

// A foreignKey is a key of another tool in a panel, with its value.
type foreignKey struct {
	t                  *panelType
	o                  *object
	plain              string // the key, as in [suggest.Plain]
	raw                json.RawMessage
	measure, dimension string // the first of the panel as they are in JSON, such as "revenue"; "…" if they are not known
}

// unknownName is in place of the name of a column that the author must fill in.
const unknownName = `"…"`

// foreignKey returns a key of the panel that o is.
func (t *panelType) foreignKey(o *object, key string) *foreignKey {
	measure, dimension := t.namesIn(o)
	return &foreignKey{t, o, suggest.Plain(key), o.values[key], measure, dimension}
}

// namesIn returns the first measure and the first dimension that a panel names.
func (t *panelType) namesIn(o *object) (measure, dimension string) {
	first := func(keys ...string) string {
		for _, key := range keys {
			if names := namesIn(o.values[key]); len(names) > 0 && t.has(key) {
				return names[0]
			}
		}
		return unknownName
	}
	switch t.name {
	case Heatmap:
		return first("value"), first("x")
	case Scatter:
		return first("y", "x"), first("label", "series")
	}
	return first("value", "y", "bars", "lines", "values", "close", "high"), first("x", "label", "rows", "area", "steps", "from", "series")
}

// namesIn returns the strings of a value that is a string or a list of strings, as they are in JSON.
func namesIn(raw json.RawMessage) (out []string) {
	switch kindOf(raw) {
	case "a string":
		out = append(out, trimmed(raw))
	case "a list":
		for m := range rawjson.Elements(raw) {
			if kindOf(m) != "a string" {
				return nil
			}
			out = append(out, trimmed(m))
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { return len(name) > maxQuoted })
}

// otherKeys returns the other names of keys for a panel, of which some depend on their value: "interval" is a grain if it is "month", and
// the ends of a band if it is an object.
func (t *panelType) otherKeys(o *object) map[string]string {
	own, keys := map[string]string{}, t.keys()
	for _, key := range o.keys {
		if slices.Contains(keys, key) {
			continue
		}
		w := foreignKey{t: t, plain: suggest.Plain(key), raw: o.values[key]}
		meant, ok := w.byValue()
		if !ok {
			meant = otherPanelKeys[w.plain]
		}
		if strings.HasPrefix(meant, keySeries.name+"|") {
			meant, ok = t.notTaken(o, meant), true
		}
		if ok {
			own[w.plain] = meant
		}
	}
	if len(own) == 0 {
		return otherPanelKeys
	}
	return merge(otherPanelKeys, own)
}

// notTaken returns those of several keys for a dimension, separated by |, that the panel does not have already, unless the type has none of
// them and no reason against one.
func (t *panelType) notTaken(o *object, meant string) string {
	keys := t.keys()
	var left []string
	possible := false
	for key := range strings.SplitSeq(meant, "|") {
		if !o.has(key) || !slices.Contains(keys, key) {
			left = append(left, key)
			possible = possible || slices.Contains(keys, key) || t.hints[key] != ""
		}
	}
	if !possible {
		return meant
	}
	return strings.Join(left, "|")
}

// byValue returns the keys that an ambiguous word means with its value. ok is false for other words.
func (w *foreignKey) byValue() (meant string, ok bool) {
	text, kind := w.text(), kindOf(w.raw)
	color, _ := colorNamed(text)
	isGrain := slices.Contains(grains, text) || otherName(text, otherGrains, grains) != ""
	switch w.plain {
	case "interval", "period", "frequency", "resolution", "step":
		return "grain", isGrain
	case "direction":
		return "", slices.Contains(goods, text) // of a column
	case "pivot":
		return "", kind != "a number" // a type, or a dimension across
	case "range", "domain":
		if kind == "a list" && len(w.numbers()) == 2 {
			return "y_min|ramp", true
		}
		return "", w.plain == "range"
	case "colour", "colorby", "hue", "color":
		switch {
		case color != "" && slices.Contains([]string{Heatmap, Treemap, Calendar, Map, Pivot}, w.t.name):
			return "ramp", true
		case color != "":
			return "color", true
		}
		return "series|ramp", true
	case "onclick", "clickaction":
		return "click", slices.Contains(clicks, text)
	case "cols":
		return "width", kind == "a number"
	case "row", "col":
		return "rows|facet", kind == "a string"
	case "rows":
		return "", kind != "a number"
	case "label":
		return "", kind == "a string"
	case "median", "mean":
		return "reference", kind == "a boolean"
	case "percent", "percentage":
		return "share|stack", true
	case "filter":
		return "where", kind == "an object"
	}
	return "", false
}

// instead returns the hint for the foreign key, which is another name of a key of the type: the members to write, or the reason why no key
// replaces it; "" if neither is known.
func (w *foreignKey) instead(meant string) string {
	if why := w.against(meant); why != "" {
		return itIs + why
	}
	value := ""
	if form := insteadOf[meant]; form != nil {
		value = form(w)
	} else {
		value = w.asWritten(meant)
	}
	switch {
	case value == "" || strings.HasPrefix(value, itIs):
		return value
	case w.o.has(meant):
		return `it is another name of "` + meant + `", which the panel has already; leave it out`
	}
	return "write " + w.beside(meant, `"`+meant+`": `+value)
}

// itIs begins the reason why a key of the panel does not replace a foreign key.
const itIs = "it is "

// beside adds to a member the others that it needs and that the panel lacks.
func (w *foreignKey) beside(meant, member string) string {
	for _, need := range besides {
		if need.key == meant && slices.Contains(need.types, w.t.name) && !w.o.has(need.needs) {
			return `"` + need.needs + `": ` + need.value + ", " + member
		}
	}
	parts := w.o.has("series") || len(namesIn(w.o.values["y"])) > 1
	if meant == keyStack.name && slices.Contains([]string{Area, Bar, Histogram}, w.t.name) && !strings.HasSuffix(member, "false") && !parts {
		return `"series": ` + unknownName + ", " + member
	}
	return member
}

// besides are keys that need another one beside them.
var besides = []struct {
	key, needs, value string
	types             []string
}{
	{"share", "horizontal", "true", []string{Bar}},
	{"sort", "facet", unknownName, []string{KPI}},
	{"sort", "limit", "10", []string{Scatter}},
	{"grain", "sparkline", unknownName, []string{KPI}},
	{"partial", "sparkline", unknownName, []string{KPI}},
	{"ramp", "heat", `"all"`, []string{Pivot}},
}

// against returns the reason why the type refuses a key in this panel, "" for none.
func (w *foreignKey) against(meant string) string {
	switch {
	case w.t.name == Table && (meant == keyGrain.name || meant == keyPartial.name):
		return `"` + meant + `", which is about small lines: "columns": [{"column": "…", "sparkline": "…"}]`
	case w.t.name == Map && meant == keyLabel.name && !w.o.has("lat"):
		return `"label" of points; areas are named by themselves, and "area" is their dimension`
	case w.t.name == Waterfall && meant == keyReference.name && w.says("median", "average", "mean", "avg"):
		return `"reference", whose kinds are of values alike, and a waterfall has changes and totals; write "reference": [{"value": 100}]`
	case w.t.name == Combo && meant == keyStack.name && w.parts():
		return `"stack", whose "percent" is for bars and areas; write "stack": true`
	case w.t.name == Histogram && meant == keyStack.name && w.parts():
		return `"stack"; the bars of a histogram are as high as their counts: write "series": "…", "stack": true`
	}
	return ""
}

// asWritten returns the value as it is if the key takes values of its kind, and else an example.
func (w *foreignKey) asWritten(meant string) string {
	i := slices.IndexFunc(keyOrder, func(k panelKey) bool { return k.name == meant })
	if i < 0 {
		return ""
	}
	switch k := keyOrder[i]; {
	case k.words == aName.words, k.name == keyLabel.name:
		if kindOf(w.raw) == "a string" && len(w.raw) <= maxQuoted {
			return trimmed(w.raw)
		}
		if names := namesIn(w.raw); k.name == keyLabel.name && w.t.name == Treemap && names != nil {
			return trimmed(w.raw)
		}
		return unknownName
	case k.words == aText.words, strings.HasPrefix(k.words, "text"):
		if kindOf(w.raw) == "a string" && len(w.raw) <= maxQuoted {
			return trimmed(w.raw)
		}
		return unknownName
	case strings.HasPrefix(k.words, "list of") && strings.HasSuffix(k.words, " names"):
		if names := namesIn(w.raw); names != nil {
			return "[" + strings.Join(names, ", ") + "]"
		}
		return "[" + unknownName + "]"
	case k.words == aFlag.words:
		return strconv.FormatBool(!w.denied())
	}
	return ""
}

// text returns the value if it is a string, in small letters, else "".
func (w *foreignKey) text() string {
	if kindOf(w.raw) != "a string" {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(rawjson.String(json.RawMessage(trimmed(w.raw)))))
}

// denied reports whether the key says no: by the value false, or by its own name, such as hide_legend.
func (w *foreignKey) denied() bool {
	no := trimmed(w.raw) == "false" || slices.Contains([]string{"none", "no", "off", "hidden", "hide"}, w.text())
	return no != (strings.HasPrefix(w.plain, "hide") && trimmed(w.raw) != "false")
}

// says reports whether the key or its text contains one of some words.
func (w *foreignKey) says(words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(w.plain, word) || strings.Contains(w.text(), word) })
}

// numbers returns the numbers of the value: one, those of a list, or one in a string such as "10".
func (w *foreignKey) numbers() (out []string) {
	switch kindOf(w.raw) {
	case "a number":
		out = append(out, trimmed(w.raw))
	case "a list":
		for m := range rawjson.Elements(w.raw) {
			if kindOf(m) == "a number" {
				out = append(out, trimmed(m))
			}
		}
	case "a string":
		if isJSONNumber(w.text()) {
			out = append(out, w.text())
		}
	}
	return out
}

// numberOr returns the first number of the value, or another text.
func (w *foreignKey) numberOr(other string) string {
	if n := w.numbers(); len(n) > 0 {
		return n[0]
	}
	return other
}

// wholeOr returns the number of the value if it is whole and from lo to hi, or another text.
func (w *foreignKey) wholeOr(lo, hi float64, other string) string {
	n := w.numberOr(other)
	if f, err := strconv.ParseFloat(n, 64); err != nil || f != math.Trunc(f) || f < lo || f > hi {
		return other
	}
	return n
}

// wordOr returns the text of the value if it is one of words, or another name of one, else another.
func (w *foreignKey) wordOr(words []string, also map[string]string, other string) string {
	if slices.Contains(words, w.text()) {
		return quote(w.text())
	}
	if word := otherName(w.text(), also, words); word != "" {
		return quote(word)
	}
	return quote(other)
}

// insteadOf returns the values of keys that do not have the value of the foreign key as it is.
var insteadOf map[string]func(w *foreignKey) string

func init() { // they refer to keys
	insteadOf = map[string]func(w *foreignKey) string{
		"type": func(*foreignKey) string { return "" }, "data": func(*foreignKey) string { return "" },
		"sort":  (*foreignKey).sort,
		"limit": func(w *foreignKey) string { return w.wholeOr(1, 1000, "10") },
		"width": (*foreignKey).width,
		"horizontal": func(w *foreignKey) string {
			upright := w.says("vertical") || slices.Contains([]string{"v", "x", "col", "column"}, w.text())
			return strconv.FormatBool(upright == (trimmed(w.raw) == "false"))
		},
		"stack":      (*foreignKey).stack,
		"legend":     (*foreignKey).legend,
		"compare":    (*foreignKey).compare,
		"target":     func(w *foreignKey) string { return w.nameOr(w.numberOr("100")) },
		"reference":  (*foreignKey).reference,
		"thresholds": (*foreignKey).thresholds,
		"trend":      func(*foreignKey) string { return `"linear"` },
		"average":    func(w *foreignKey) string { return `{"of": ` + w.wholeOr(2, 100, "7") + "}" },
		"band":       func(*foreignKey) string { return `{"low": ` + unknownName + `, "high": ` + unknownName + "}" },
		"gaps": func(w *foreignKey) string {
			switch {
			case w.numberOr("") == "0":
				return `"zero"`
			case w.t.name == Heatmap, w.t.name == Bar: // has no line to break or to join
				return quote(GapsAuto)
			case trimmed(w.raw) == "false":
				return `"break"`
			}
			return w.wordOr(gapsModes, otherGaps, "join")
		},
		"grain": func(w *foreignKey) string { return w.wordOr(grains, otherGrains, "month") },
		"partial": func(w *foreignKey) string {
			if strings.HasPrefix(w.plain, "show") || strings.HasPrefix(w.plain, "include") {
				return quote(map[bool]string{true: "hide", false: "show"}[trimmed(w.raw) == "false"])
			}
			return w.wordOr(partials, nil, "hide")
		},
		"ramp": (*foreignKey).ramp,
		"scale": func(*foreignKey) string {
			return `"log"`
		},
		"y_min": func(w *foreignKey) string { return w.end("y", 0, "0") }, "y_max": func(w *foreignKey) string { return w.end("y", 1, "100") },
		"x_min": func(w *foreignKey) string { return w.end("x", 0, "0") }, "x_max": func(w *foreignKey) string { return w.end("x", 1, "100") },
		"y2_min": func(w *foreignKey) string { return w.numberOr("0") }, "y2_max": func(w *foreignKey) string { return w.numberOr("100") },
		"facet_columns": func(w *foreignKey) string { return w.wholeOr(1, maxFacetColumns, "3") },
		"facet_scale":   func(*foreignKey) string { return `"free"` },
		"total":         func(w *foreignKey) string { return w.textOr("true") },
		"page_size":     func(w *foreignKey) string { return w.wholeOr(1, 1000, "10") },
		"share": func(w *foreignKey) string {
			if w.t.name == Funnel {
				return w.wordOr(shares[2:], nil, "first")
			}
			return w.wordOr(shares, nil, "total")
		},
		"heat": func(*foreignKey) string { return `"all"` },
		"click": func(w *foreignKey) string {
			return quote(map[bool]string{true: "none", false: "filter"}[w.denied()])
		},
		"link": func(w *foreignKey) string {
			if strings.ContainsAny(w.text(), "/{") {
				return w.textOr(unknownName)
			}
			return `"https://example.com/{{` + strings.Trim(w.dimension, `"`) + `}}"`
		},
		"bins": func(w *foreignKey) string {
			if f, err := strconv.ParseFloat(w.numberOr(""), 64); err == nil && w.says("width", "size") && f > 0 && f < 1e12 {
				return fmt.Sprintf("[0, %v, %v, %v]", f, 2*f, 3*f) // edges, since it has no width
			}
			return w.wholeOr(2, 100, "10")
		},
		"events": func(*foreignKey) string {
			return `[{"on": "2026-05-01", "label": "v2"}]`
		},
		"source": func(w *foreignKey) string { return `{"name": ` + w.textOr(unknownName) + "}" },
		"where": func(w *foreignKey) string {
			if kindOf(w.raw) == "an object" {
				return example(w.raw, `{`+w.dimension+`: "France"}`)
			}
			return `{` + w.dimension + `: "France"}`
		},
		"highlight": func(w *foreignKey) string {
			if names := namesIn(w.raw); names != nil {
				return "[" + strings.Join(names, ", ") + "]"
			}
			return "[" + unknownName + "]"
		},
		"columns": func(w *foreignKey) string {
			if names := namesIn(w.raw); names != nil {
				return "[" + strings.Join(names, ", ") + "]"
			}
			return "[" + unknownName + "]"
		},
		"names": func(*foreignKey) string { return `"all"` },
		"color": func(w *foreignKey) string { return w.textOr(unknownName) },
	}
	insteadOf["rows"], insteadOf["steps"] = insteadOf["columns"], insteadOf["columns"]
}

// textOr returns the value if it is a short string, as it is in JSON, or another text.
func (w *foreignKey) textOr(other string) string {
	if kindOf(w.raw) == "a string" && len(w.raw) <= maxQuoted {
		return trimmed(w.raw)
	}
	return other
}

// nameOr is textOr for a string that is not a number.
func (w *foreignKey) nameOr(other string) string {
	if len(w.numbers()) > 0 {
		return other
	}
	return w.textOr(other)
}

// sort returns the column and the direction.
func (w *foreignKey) sort() string {
	down := quote("-" + strings.Trim(w.measure, `"`))
	switch text := w.text(); {
	case kindOf(w.raw) == "an object" || kindOf(w.raw) == "a list":
		if _, written, ok := strings.Cut(sortForm(w.raw), "; write "); ok && !strings.Contains(written, " for descending") {
			return written
		}
		return down
	case strings.HasPrefix(text, "desc"), text == "-", text == "descending":
		return down
	case strings.HasPrefix(text, "asc"), text == "+":
		return w.measure
	case text != "":
		if _, written, ok := strings.Cut(sortForm(w.raw), "; write "); ok {
			return written
		}
		return w.textOr(down)
	}
	up := strings.Contains(w.plain, "asc")
	if up != (trimmed(w.raw) == "false") {
		return w.measure
	}
	if w.says("desc") && trimmed(w.raw) == "false" {
		return w.measure
	}
	return down
}

// width returns a number of columns of 12 for a share or a name of a width.
func (w *foreignKey) width() string {
	if share, ok := strings.CutSuffix(w.text(), "%"); ok {
		if f, err := strconv.ParseFloat(strings.TrimSpace(share), 64); err == nil {
			return strconv.Itoa(int(min(max(math.Round(12*f/100), 2), 12)))
		}
	}
	parts := map[string]string{
		"full": "12", "wide": "12", "large": "12", "half": "6", "medium": "6", "third": "4", "quarter": "3", "small": "3",
	}
	if n := parts[w.text()]; n != "" {
		return n
	}
	return w.wholeOr(2, 12, "6")
}

// legend returns the place of the names of several lines. A legend cannot be hidden.
func (w *foreignKey) legend() string {
	if w.denied() || !w.o.has("series") && w.t.measures(w.o) < 2 {
		return ""
	}
	return w.wordOr(legends, otherLegends, LegendEnds)
}

// stack returns whether and how parts are on top of each other.
func (w *foreignKey) stack() string {
	switch {
	case w.parts():
		return `"percent"`
	case w.denied(), w.says("group", "dodge", "beside", "overlay", "cluster", "unstack") && w.plain != "groupmode",
		w.plain == "groupmode" && slices.Contains([]string{"group", "grouped", "beside"}, w.text()):
		return "false"
	}
	return "true"
}

// parts reports whether the key asks for parts of a whole.
func (w *foreignKey) parts() bool {
	return w.says("percent", "100", "pct", "share", "contribution", "normal", "expand", "fill", "relative") && trimmed(w.raw) != "false"
}

// compare returns what the panel is compared with.
func (w *foreignKey) compare() string {
	switch {
	case w.says("year", "yoy"):
		return `"previous_year"`
	case w.t.name == KPI, w.t.name == Table:
		return `"previous_period"`
	}
	return `"previous_year"`
}

// reference returns lines at numbers or of a kind, or a range.
func (w *foreignKey) reference() string {
	numbers := w.numbers()
	switch {
	case w.says("median"):
		return `[{"kind": "median"}]`
	case w.says("average", "mean", "avg"):
		return `[{"kind": "average"}]`
	case w.says("band", "shad", "markarea", "range"):
		if len(numbers) == 2 {
			return `[{"from": ` + numbers[0] + `, "to": ` + numbers[1] + "}]"
		}
		return `[{"from": 90, "to": 110}]`
	case len(numbers) == 0:
		return `[{"value": 100}]`
	}
	return `[{"value": ` + strings.Join(numbers, `}, {"value": `) + "}]"
}

// thresholds returns a tone from a number on.
func (w *foreignKey) thresholds() string {
	column, value := "", w.numberOr("100")
	if w.t.columns || w.t.name == Timeline {
		column = `"column": ` + w.measure + ", "
	}
	if f, err := strconv.ParseFloat(value, 64); w.t.name == Funnel && (err != nil || f < 0 || f > 1) {
		value = "0.5" // the share of the step before
	}
	return `[{` + column + `"if": ">=", "value": ` + value + `, "tone": "bad"}]`
}

// ramp returns the colours of numbers, or the part of a ramp that the key is about.
func (w *foreignKey) ramp() string {
	numbers := w.numbers()
	switch {
	case (w.t.name == Bar || w.t.name == Scatter) && !w.o.has("color"):
		return "" // of the measure in color
	case len(numbers) >= 2:
		return `{"min": ` + numbers[0] + `, "max": ` + numbers[len(numbers)-1] + "}"
	case len(numbers) == 1 && w.says("mid", "pivot"):
		return `{"middle": ` + numbers[0] + "}"
	case len(numbers) == 1 && w.says("max"):
		return `{"max": ` + numbers[0] + "}"
	case len(numbers) == 1 && w.says("min"), w.says("zero"):
		return `{"min": ` + w.numberOr("0") + "}"
	case w.says("revers", "invert", "inverse"):
		return `{"reverse": true}`
	case w.says("log"):
		return `{"scale": "log"}`
	}
	return w.wordOr(slices.Concat(Ramps, DivergingRamps), otherRamps, "blue")
}

// end returns an end of an axis or, of a pair of numbers, both.
func (w *foreignKey) end(axis string, i int, other string) string {
	numbers := w.numbers()
	if len(numbers) == 0 {
		numbers = []string{other}
	}
	from, _ := strconv.ParseFloat(numbers[0], 64) // a number of JSON
	switch {
	case i == 0 && from > 0 && axis == "y" && slices.Contains([]string{Area, Bar, Combo, Waterfall}, w.t.name):
		return itIs + `"y_min", which must not be above zero: ` + zeroOnAxis
	case i == 0 && len(numbers) == 2 && kindOf(w.raw) == "a list":
		return numbers[0] + `, "` + axis + `_max": ` + numbers[1]
	}
	return numbers[0]
}
