package dashboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"service/store/rawjson"
	"service/store/suggest"
)

// Values that are written in the form of another tool, such as {"column": "day", "grain": "month"} in place of "day". The refusal of such a
// value contains the value to write, and nothing else is reported of its key.

// forms reports the values of a panel that have the form of another tool, and removes them.
func (o *object) forms(t *panelType) {
	for _, key := range keyOrder {
		raw, ok := o.values[key.name]
		if !ok || !t.has(key.name) {
			continue
		}
		path, message := o.at(key.name), ""
		switch {
		case key.name == keySort.name:
			message = sortForm(raw)
		case key.words == aName.words && key.name != keyData.name:
			message = nameForm(raw, key.name)
		case key.name == keyLabel.name && t.name != Treemap:
			message = nameForm(raw, key.name)
		case strings.HasPrefix(key.words, "list of") && strings.HasSuffix(key.words, " names"),
			key.name == keyLabel.name:
			path, message = namesForm(path, raw)
			if form := keyForms[key.name]; form != nil && !strings.Contains(message, "; write ") {
				message = cmp.Or(form(raw, t), message)
			}
		case key.name == keyColumns.name && kindOf(raw) == "a string":
			o.values[key.name] = slices.Concat([]byte("["), raw, []byte("]"))
		default:
			if form := keyForms[key.name]; form != nil {
				message = form(raw, t)
			}
		}
		if message != "" {
			o.problems.addf(path, "%s", message)
			o.meant = append(o.meant, key.name)
			delete(o.values, key.name)
		}
	}
}

// keyForms return the messages for values of other forms, "" for a value of the right form.
var keyForms = map[string]func(raw json.RawMessage, t *panelType) string{
	"target": func(raw json.RawMessage, t *panelType) string {
		kind := kindOf(raw)
		if kind == "a string" && meantNumber(raw) != "" {
			return "must be a number or the name of a measure" + meantNumber(raw)
		}
		if kind == "a number" || kind == "a string" || kind == "a list" && slices.Contains([]string{Bar, Line, Area}, t.name) {
			return ""
		}
		if value := memberOf(raw, "value", "goal", "target", "column", "field"); value != nil {
			return "must be a number or the name of a measure, not " + kind + "; write " + string(value)
		}
		return "must be a number or the name of a measure, not " + kind
	},
	"compare": func(raw json.RawMessage, t *panelType) string {
		kind, what := kindOf(raw), "must be a word"
		if kind == "a string" || kind == "a list" {
			return ""
		}
		if t.name == KPI {
			what += " or the name of a measure"
		}
		return what + ", not " + kind + `; write "previous_year" or "previous_period"`
	},
	"reference": func(raw json.RawMessage, _ *panelType) string {
		switch kind := kindOf(raw); kind {
		case "a list":
			return ""
		case "a number":
			return `must be a list, not a number; write [{"value": ` + trimmed(raw) + "}]"
		case "an object":
			return "must be a list, not an object; write [" + example(raw, `{"value": 100}`) + "]"
		default:
			return "must be a list, not " + kind + `; write [{"kind": "average"}] or [{"value": 100}]`
		}
	},
	"thresholds": func(raw json.RawMessage, t *panelType) string {
		column := ""
		if t.columns || t.name == Timeline {
			column = `"column": ` + unknownName + ", "
		}
		switch kind := kindOf(raw); kind {
		case "a list":
			for m := range rawjson.Elements(raw) {
				if kindOf(m) == "a number" {
					return `must be a list of objects, not of numbers; write [{` + column + `"value": ` + trimmed(m) + `, "tone": "bad"}]`
				}
			}
			return ""
		case "an object":
			for name, m := range rawjson.Members(raw) {
				tone := rawjson.String(name)
				if other := otherTones[suggest.Plain(tone)]; other != "" {
					tone = other
				}
				if slices.Contains(tones, tone) && kindOf(m) == "a number" {
					return `must be a list, not an object; write [{` + column + `"value": ` + trimmed(m) + `, "tone": "` + tone + `"}]`
				}
			}
			return "must be a list, not an object; write [" + example(raw, `{`+column+`"if": ">=", "value": 100, "tone": "bad"}`) + "]"
		default:
			return "must be a list, not " + kind + `; write [{` + column + `"value": ` + number(raw, "100") + `, "tone": "bad"}]`
		}
	},
	"tooltip": func(raw json.RawMessage, _ *panelType) string {
		if kind := kindOf(raw); kind != "a string" && kind != "a list" {
			return "must be a list of columns, not " + kind + "; each mark has a tooltip of its values; " +
				`write ["…"] for more columns, or leave it out`
		}
		return ""
	},
	"width": func(raw json.RawMessage, t *panelType) string {
		if kindOf(raw) == "a number" {
			return ""
		}
		w := &foreignKey{t: t, plain: "width", raw: raw}
		return "must be a whole number of 12 columns, not " + kindOf(raw) + "; write " + w.width()
	},
	"average": func(raw json.RawMessage, _ *panelType) string {
		w := &foreignKey{raw: raw}
		digits := strings.TrimRight(w.text(), "abcdefghijklmnopqrstuvwxyz -")
		write := "" // of a text such as "7d"
		if n, err := strconv.Atoi(digits); err == nil && n > 1 && n <= 100 {
			write = digits
		}
		return formOf(raw, "the number of points, such as 7", write, "a number", "an object")
	},
	"trend": func(raw json.RawMessage, _ *panelType) string {
		return formOf(raw, `true or "linear"`, "", "a boolean", "a string")
	},
	"heat":  func(raw json.RawMessage, _ *panelType) string { return formOf(raw, "a word", `"all"`, "a string") },
	"share": func(raw json.RawMessage, _ *panelType) string { return formOf(raw, "a word", `"total"`, "a string") },
	"other": func(raw json.RawMessage, _ *panelType) string {
		return formOf(raw, "true or false", "true", "a boolean")
	},
	"labels": func(raw json.RawMessage, t *panelType) string {
		if t.name != Combo {
			return formOf(raw, "true or false", "true", "a boolean")
		}
		if text := trimmed(raw); text == `"bars"` || text == `"lines"` {
			return ""
		}
		return formOf(raw, `true, false, "bars" or "lines"`, "true", "a boolean")
	},
	"limit": func(raw json.RawMessage, _ *panelType) string {
		if kindOf(raw) == "a number" {
			return ""
		}
		n := "10"
		if kindOf(raw) == "a string" && kindOf(json.RawMessage(rawjson.String(bytes.TrimSpace(raw)))) == "a number" {
			n = rawjson.String(bytes.TrimSpace(raw))
		} else if m := memberOf(raw, "n", "count", "limit", "value", "top", "first", "number", "size"); kindOf(m) == "a number" {
			n = string(m)
		}
		return "must be a whole number, not " + kindOf(raw) + "; write " + n
	},
}

// formOf returns the message for a value that is not of one of kinds: what it must be and, unless it is "", an example.
func formOf(raw json.RawMessage, what, write string, kinds ...string) string {
	kind := kindOf(raw)
	switch {
	case slices.Contains(kinds, kind):
		return ""
	case write == "":
		return "must be " + what + ", not " + kind
	}
	return "must be " + what + ", not " + kind + "; write " + write
}

// nameForm returns the message for a value that is not the name of one column.
func nameForm(raw json.RawMessage, key string) string {
	switch kind := kindOf(raw); kind {
	case "a string":
		return ""
	case "an object":
		return "must be the name of a column, not an object" + columnForm(raw, key)
	case "a list":
		var names []string
		for m := range rawjson.Elements(raw) {
			if kindOf(m) != "a string" {
				return "must be the name of one column, not a list"
			}
			names = append(names, trimmed(m))
		}
		switch {
		case len(names) == 1:
			return "must be the name of one column, not a list; write " + names[0]
		case key == keyValue.name:
			return "must be the name of one column, not a list; make a panel of each"
		case key == keyX.name && len(names) == 2:
			return "must be the name of one column, not a list; write " + names[0] + ", and " + names[1] + ` as "series"`
		}
		return "must be the name of one column, not a list; the sql can join several in one"
	default:
		if key == keySparkline.name {
			return "must be the name of a date, not " + kind + `; write "…", a date of the dataset`
		}
		return "must be the name of a column, not " + kind
	}
}

// namesForm returns the path and the message of the first member of a list that is not the name of a column.
func namesForm(path string, raw json.RawMessage) (at, message string) {
	if kindOf(raw) == "an object" {
		return path, "must be the name of a column, not an object" + columnForm(raw, "")
	}
	if kindOf(raw) != "a list" {
		return path, ""
	}
	i := 0
	for m := range rawjson.Elements(raw) {
		if kindOf(m) == "an object" {
			return index(path, i), "must be the name of a column, not an object" + columnForm(m, "")
		}
		i++
	}
	return path, ""
}

// sortForm returns the message for a value that is not the name of a column with an optional minus sign.
func sortForm(raw json.RawMessage) string {
	switch kind := kindOf(raw); kind {
	case "a string":
		words := strings.Fields(rawjson.String(bytes.TrimSpace(raw)))
		if len(words) == 2 && (strings.EqualFold(words[1], "asc") || strings.EqualFold(words[1], "desc")) {
			return "must be the name of a column, alone; write " + sortName(words[0], words[1])
		}
		return ""
	case "a list":
		for m := range rawjson.Elements(raw) { // the first
			switch kindOf(m) {
			case "an object":
				return "must be the name of one column, not a list" + sortMembers(m)
			case "a string":
				return "must be the name of one column, not a list; write " + trimmed(m)
			}
			break
		}
		return `must be the name of one column, not a list; write "revenue", or "-revenue" for descending`
	case "an object":
		return "must be the name of a column, not an object" + sortMembers(raw)
	default:
		return "must be the name of a column, not " + kind + `; "-revenue" is descending`
	}
}

// sortMembers returns the remedy for an object such as {"by": "revenue", "order": "desc"}.
func sortMembers(raw json.RawMessage) string {
	name := memberOf(raw, "column", "field", "by", "name", "key", "id", "measure")
	if kindOf(name) != "a string" {
		return `; write "revenue", or "-revenue" for descending`
	}
	direction := memberOf(raw, "order", "direction", "dir", "desc", "descending")
	return "; write " + sortName(rawjson.String(name), strings.Trim(string(direction), `"`))
}

// sortName returns the value of sort for a column and a direction.
func sortName(column, direction string) string {
	if d := strings.ToLower(direction); strings.HasPrefix(d, "desc") || d == "true" {
		column = "-" + column
	}
	return quote(column)
}

// columnForm returns the remedy for an object in place of the name of a column: the name, and where its other members belong.
func columnForm(raw json.RawMessage, key string) string {
	name := memberOf(raw, "column", "field", "name", "dimension", "measure", "id", "key", "x")
	if kindOf(name) != "a string" {
		return ""
	}
	out := "; write " + string(name)
	var panel, column []string
	for m := range rawjson.Members(raw) {
		switch member := rawjson.String(m); suggest.Plain(member) {
		case "agg", "aggregate", "aggregation", "label", "title", "format", "unit", "decimals", "type", "role":
			column = append(column, quote(member))
		case "grain", "timeunit", "sort", "limit", "color":
			if key != "" {
				panel = append(panel, quote(member))
			}
		}
	}
	if len(panel) > 0 {
		out += ", and " + strings.Join(panel, " and ") + " as a key of the panel"
	}
	if len(column) > 0 {
		out += ", and " + strings.Join(column, " and ") + ` under "columns" of the dataset`
	}
	return out
}

// memberOf returns the first of some members that an object has, or nil.
func memberOf(raw json.RawMessage, names ...string) json.RawMessage {
	if kindOf(raw) != "an object" {
		return nil
	}
	for _, name := range names {
		for key, value := range rawjson.Members(raw) {
			if rawjson.String(key) == name {
				if text := trimmed(value); len(text) <= maxQuoted {
					return json.RawMessage(text)
				}
			}
		}
	}
	return nil
}

// example returns raw if it is short, and else another value.
func example(raw json.RawMessage, other string) string {
	if text := trimmed(raw); len(text) <= maxQuoted && !strings.Contains(text, "\n") {
		return text
	}
	return other
}

// number returns raw if it is a number, and else another one.
func number(raw json.RawMessage, other string) string {
	if kindOf(raw) == "a number" {
		return trimmed(raw)
	}
	return other
}

func trimmed(raw json.RawMessage) string { return string(bytes.TrimSpace(raw)) }
