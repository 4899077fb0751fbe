package dashboard

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"service/store/rawjson"
	"service/store/suggest"
)

// Keys of a column that are written in a panel: the refusal contains the column with the key.

// A columnWord is the key of a column that a key of other tools in a panel means.
type columnWord struct {
	words string // as in [suggest.Plain], separated by spaces
	key   string // of the column
	axis  bool   // the column is the dimension of the axis, not the measure
}

var columnWords = func() map[string]columnWord {
	out := map[string]columnWord{}
	for _, w := range []columnWord{
		{words: "format yformat yaxisformat tickformat axisformat valueformat numberformat fmt d3format currency prefix", key: "format"},
		{words: "xformat xaxisformat dateformat timeformat datetimeformat", key: "format", axis: true},
		{words: "ytitle ylabel yaxislabel yaxistitle axistitle axislabel", key: "label"},
		{words: "xtitle xlabel xaxislabel xaxistitle", key: "label", axis: true},
		{words: "decimals precision", key: "decimals"},
		{words: "unit suffix units", key: "unit"},
		{words: "good direction polarity higherisbetter lowerisbetter invertcolors invertcolours inversecolors goodisdown", key: "good"},
		{words: "agg aggregation aggregate aggfunc func estimator", key: "agg"},
	} {
		for word := range strings.FieldsSeq(w.words) {
			out[word] = w
		}
	}
	return out
}()

// columnForms adds to the hints for keys that belong to a column, such as format, the column to write them in.
func (t *panelType) columnForms(o *object, hints map[string]string) map[string]string {
	out := map[string]string{}
	first, dimension := t.namesIn(o)
	measure := first
	if t.measures(o) > 1 {
		measure = unknownName // it is not known which one is meant
	}
	for _, key := range o.keys {
		plain, raw := suggest.Plain(key), o.values[key]
		word := columnWords[plain]
		name, hint := measure, hints[key]
		if hint == "" {
			hint = hints[plain]
		}
		if hint == "" {
			hint = foreignHint(ofPanel+t.name, key)
		}
		if word.axis {
			name = dimension
		}
		color, _ := colorNamed(strings.Trim(trimmed(raw), `"`))
		if color != "" && first != unknownName && strings.Contains(hint, colorOfMeasure) {
			out[key] = strings.Replace(hint, colorOfMeasure, `{"columns": {`+first+`: {"color": "`+color+`"}}}`, 1)
		}
		if word.key == "" || hint == "" || t.has(key) || len(raw) > maxQuoted || strings.HasPrefix(hint, "write ") {
			continue
		}
		if agg := strings.Trim(trimmed(raw), `"`); word.key == "agg" && quantiles.MatchString(agg) && !slices.Contains(aggs, agg) {
			out[key] = trimmed(raw) + " " + ofAllRows
			continue
		}
		if member := columnMember(word.key, plain, raw); member != "" && name != unknownName {
			out[key] = hint + `; write "columns": {` + name + `: {` + member + `}} there`
		}
	}
	return out
}

// measures returns the number of measures that a panel names, without that of the horizontal axis of a scatter.
func (t *panelType) measures(o *object) (n int) {
	for _, key := range []string{"value", "y", "bars", "lines", "y2", "values", "open", "low", "high", "close"} {
		if t.has(key) && !(t.name == Heatmap && key == "y") {
			n += len(namesIn(o.values[key]))
		}
	}
	return n
}

// columnMember returns a member of a column, such as "format": "percent1"; "" if the key does not have the value.
func columnMember(key, plain string, raw json.RawMessage) string {
	kind, text := kindOf(raw), ""
	if kind == "a string" {
		text = rawjson.String(json.RawMessage(trimmed(raw)))
	}
	switch key {
	case "format":
		if plain == "currency" {
			return `"format": "currency"`
		}
		return formatMember(text)
	case "label", "unit":
		if kind == "a string" {
			return `"` + key + `": ` + trimmed(raw)
		}
	case "decimals":
		if n, err := strconv.Atoi(trimmed(raw)); err == nil && n >= 0 && n <= MaxDecimals {
			return `"decimals": ` + trimmed(raw)
		}
	case "agg":
		if !slices.Contains(aggs, text) {
			text = otherName(text, otherAggs, aggs)
		}
		if text != "" {
			return `"agg": ` + quote(text)
		}
	case "good":
		return goodMember(plain, text, trimmed(raw))
	}
	return ""
}

// goodMember returns the direction in which a column is good.
func goodMember(plain, text, raw string) string {
	switch {
	case slices.Contains(goods, text):
		return `"good": ` + quote(text)
	case plain == "higherisbetter" && raw == "true", plain != "higherisbetter" && raw == "false":
		return `"good": "up"`
	case raw == "true", raw == "false":
		return `"good": "down"`
	}
	if other := otherName(text, otherGoods, goods); other != "" {
		return `"good": ` + quote(other)
	}
	return ""
}

// formatMember returns the member for a format by its name, another name or a pattern of other tools, such as "$0,0.00", ".1%" and
// "%Y-%m-%d": "format": "currency2". It returns "" for other texts.
func formatMember(text string) string {
	if slices.Contains(formats, text) {
		return `"format": ` + quote(text)
	}
	if name := otherName(text, otherFormats, formats); name != "" {
		return `"format": ` + quote(name)
	}
	if slices.Contains(scaleWords, suggest.Plain(text)) {
		return `"format": "compact"`
	}
	name, decimals := patternFormat(text)
	if name == "" {
		return ""
	}
	if decimals > 0 || name == "number" {
		if with := name + strconv.Itoa(decimals); slices.Contains(formats, with) {
			return `"format": ` + quote(with)
		}
		if slices.Contains(decimalFormats, name) {
			return `"format": ` + quote(name) + `, "decimals": ` + strconv.Itoa(min(decimals, MaxDecimals))
		}
	}
	return `"format": ` + quote(name)
}

// patternFormat returns the format without decimals that a pattern means, and its decimals; "" if it is not a pattern.
func patternFormat(text string) (name string, decimals int) {
	text = strings.TrimSpace(text)
	lower := strings.ToLower(text)
	if name := datePattern(text); name != "" {
		return name, 0
	}
	if strings.Trim(lower, "0123456789#,.~$€£¥%+-sdfekmba() ") != "" || !strings.ContainsAny(lower, "0#$€£¥%.,~") {
		return "", 0
	}
	number := strings.TrimRight(lower, "%sdfekmba) ")
	if _, after, ok := strings.Cut(number, "."); ok {
		if n, err := strconv.Atoi(after); err == nil && strings.Trim(after, "0") != "" { // the decimals of d3: .2f
			decimals = n
		} else {
			decimals = len(after)
		}
	}
	money, short := strings.ContainsAny(text, "$€£¥"), strings.ContainsAny(lower[len(lower)-1:], "askmb")
	switch {
	case strings.Contains(text, "%"):
		return "percent", decimals
	case money && short:
		return "currency_compact", 0
	case money:
		return "currency", decimals
	case short:
		return "compact", 0
	case decimals > 0:
		return "number", decimals
	}
	return "integer", 0
}

// datePattern returns the format of a pattern of times, such as "YYYY-MM-DD", "%b %Y" and "HH:mm"; "" for other texts.
func datePattern(text string) string {
	if text == "" || strings.ContainsAny(text, "0#$€£¥") || !strings.ContainsAny(text, "YyMmDdHhb") || len(text) > 30 {
		return ""
	}
	d3 := strings.Contains(text, "%")
	if strings.Trim(text, "%YyMmDdHhSsbBeajIpAuTtfLqQ-/.,: '[]") != "" || !d3 && strings.Trim(text, "YyMmDdHhSsAaQqTt-/.,: '[]") != "" {
		return ""
	}
	has := func(letters ...string) bool {
		return slices.ContainsFunc(letters, func(l string) bool { return strings.Contains(text, l) })
	}
	year, month, day, hour := has("YY", "yy"), has("MM"), has("DD", "dd", "D"), has("HH", "hh", "H", "h")
	if d3 {
		year, month, day, hour = has("%Y", "%y"), has("%m", "%b", "%B"), has("%d", "%e", "%j"), has("%H", "%I")
	}
	switch {
	case hour && (year || month || day):
		return "minute"
	case hour:
		return "time"
	case day:
		return "date"
	case month:
		return "month"
	case year:
		return "year"
	}
	return ""
}
