package panel

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

// A Choice is a parameter of the SQL whose value a reader chooses: p.days=30. The rows of each option are stored, and the view has those of
// the option in the address.
type Choice struct {
	*dashboard.Param
	Name    string
	Listed  []option
	now     string // the label of the chosen option
	Changed bool   // it differs from the default
}

// readChoices reads the parameters with options that are used in some SQL.
func (p *Env) readChoices() []Choice {
	var out []Choice
	for i := range p.Spec.Params {
		param := &p.Spec.Params[i]
		named := func(d dashboard.Dataset) bool { return p.Spec.Names(&d, param.ID) }
		if !param.Chosen() || !slices.ContainsFunc(p.Spec.Datasets, named) {
			continue
		}
		c := Choice{Param: param, Name: param.Label}
		if c.Name == "" {
			c.Name = dashboard.Label(param.ID)
		}
		chosen := param.Value(param.Default)
		if asked := p.Query.Get(param.Param()); asked != "" { // one of the options: see [ParamsOf]
			c.Changed, chosen = asked != chosen, asked
		}
		for _, o := range param.Options {
			value := param.Value(o)
			one := option{Value: value, Label: p.optionLabel(param, o), Chosen: value == chosen}
			if one.Chosen {
				c.now = one.Label
			}
			c.Listed = append(c.Listed, one)
		}
		out = append(out, c)
	}
	return out
}

// optionLabel returns an option in words.
func (p *Env) optionLabel(param *dashboard.Param, option json.RawMessage) string {
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

// Says describes the choice in words.
func (c *Choice) Says() string { return c.Name + ": " + c.now }

// Says describes the choices and filters of the page in words.
func (p *Env) Says() []string {
	var out []string
	for i := range p.Choices {
		out = append(out, p.Choices[i].Says())
	}
	for i := range p.Filters {
		out = append(out, p.Filters[i].Name+": "+p.Filters[i].Says(p))
	}
	return out
}

// hasChoice reports whether readers choose the value of a parameter.
func (p *Env) hasChoice(param string) bool {
	return slices.ContainsFunc(p.Choices, func(c Choice) bool { return c.Param.ID == param })
}
