package page

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/format"
	"service/store/decimal"
)

// A choice is a parameter of the SQL whose value a reader chooses: p.days=30. The rows of each option are stored, and the view has
// those that the address asks for.
type choice struct {
	*dashboard.Param
	label   string
	options []option
	now     string // the label of the chosen one
	changed bool   // it is not the default
}

// readChoices reads the parameters with options that some SQL names.
func (p *env) readChoices() []choice {
	var out []choice
	for i := range p.Spec.Params {
		param := &p.Spec.Params[i]
		named := func(d dashboard.Dataset) bool { return p.Spec.Names(&d, param.ID) }
		if !param.Chosen() || !slices.ContainsFunc(p.Spec.Datasets, named) {
			continue
		}
		c := choice{Param: param, label: param.Label}
		if c.label == "" {
			c.label = dashboard.Label(param.ID)
		}
		chosen := param.Value(param.Default)
		if asked := p.Query.Get(param.Param()); asked != "" { // one of the options: see [ParamsOf]
			c.changed, chosen = asked != chosen, asked
		}
		for _, o := range param.Options {
			value := param.Value(o)
			one := option{value: value, label: p.optionLabel(param, o), chosen: value == chosen}
			if one.chosen {
				c.now = one.label
			}
			c.options = append(c.options, one)
		}
		out = append(out, c)
	}
	return out
}

// optionLabel is an option in words.
func (p *env) optionLabel(param *dashboard.Param, option json.RawMessage) string {
	value := param.Value(option)
	switch from, to, dates := strings.Cut(value, "/"); {
	case param.Type == dashboard.ParamNumber:
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			return p.Digits(decimal.UpTo(value, format.MostDigits))
		}
	case param.Type == dashboard.ParamText:
	case dates:
		a, err1 := time.Parse(time.DateOnly, from)
		b, err2 := time.Parse(time.DateOnly, to)
		if err1 == nil && err2 == nil {
			return p.Date(a) + " – " + p.Date(b)
		}
	default:
		if day, err := time.Parse(time.DateOnly, value); err == nil {
			return p.Date(day)
		}
		return rangeLabel(p.Locale, value)
	}
	return canvas.Clip(value, format.MaxText)
}

// says returns the choice in words.
func (c *choice) says() string { return c.label + ": " + c.now }

// says are the choices and filters of the page in words.
func (p *env) says() []string {
	var out []string
	for i := range p.choices {
		out = append(out, p.choices[i].says())
	}
	for i := range p.filters {
		out = append(out, p.filters[i].label+": "+p.filters[i].says(p))
	}
	return out
}

// hasChoice reports whether readers choose the value of a parameter.
func (p *env) hasChoice(param string) bool {
	return slices.ContainsFunc(p.choices, func(c choice) bool { return c.Param.ID == param })
}
