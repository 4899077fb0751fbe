package dashboard

import (
	"cmp"
	"slices"
	"strings"
)

// Ramps are the names of the ramps of colours that go one way, from pale to dark.
var Ramps = []string{"blue", "green", "orange", "red", "violet", Gray}

// DivergingRamps are the names of the ramps of colours with a middle: the colour of low values, and the colour of high ones.
var DivergingRamps = []string{"blue_red", "green_red", "violet_orange"}

// The scales of ramps. The default is linear, except for a map whose values are very uneven.
const (
	RampLinear   = "linear"   // steps of equal widths
	RampLog      = "log"      // steps of equal factors
	RampQuantile = "quantile" // five steps with as many values each
)

// A Ramp is the colours that represent numbers, from the lowest to the highest.
type Ramp struct {
	Name     string   // one of [Ramps] or [DivergingRamps]; "" is the measure's colour, or for a Middle blue_red
	Min, Max *float64 // of the lowest and the highest colour; nil for the ends of the values
	Middle   *float64 // of a diverging ramp; nil for 0
	Scale    string   // RampLinear, RampLog, RampQuantile, or ""
	Reverse  bool
}

// Diverging reports whether the spec makes the colours go both ways from a middle.
func (r *Ramp) Diverging() bool {
	return r != nil && (r.Middle != nil || slices.Contains(DivergingRamps, r.Name))
}

// Steps reports whether the colours represent steps of unequal widths.
func (r *Ramp) Steps() bool { return r != nil && (r.Scale == RampLog || r.Scale == RampQuantile) }

// Bounded reports whether the spec sets an end of the colours.
func (r *Ramp) Bounded() bool { return r != nil && (r.Min != nil || r.Max != nil) }

var (
	rampNames  = slices.Concat(Ramps, DivergingRamps)
	rampScales = []string{RampLinear, RampLog, RampQuantile}

	rampMembers = []member{
		{"name", oneOf(rampNames), "Its colours."},
		{"min", aNumber, "Of its first colour."},
		{"max", aNumber, "Of its last colour."},
		{"middle", aNumber, "Of a diverging ramp."},
		{"scale", oneOf(rampScales), "Default linear."},
		{"reverse", aFlag, "Turns it round."},
	}
	rampKeys = memberNames(rampMembers)

	aRamp = kind{
		schema: `"type": "object", "additionalProperties": false`,
		tail:   `"properties": {` + properties(rampMembers) + `}`,
		words:  `name, or {"name", "min", "max", "middle", "scale", "reverse"}`,
	}

	otherRamps = map[string]string{
		"blues": "blue", "greens": "green", "oranges": "orange", "reds": "red", "purples": "violet", "purple": "violet", "greys": Gray,
		"grays": Gray, "grey": Gray, "black": Gray, "viridis": "green", "plasma": "violet", "magma": "violet", "inferno": "orange",
		"cividis": "blue", "heat": "red", "hot": "red", "sequential": "blue", "ylgn": "green", "ylgnbu": "green", "bugn": "green",
		"bupu": "violet",
		"pubu": "blue", "gnbu": "green", "orrd": "red", "ylorrd": "red", "ylorbr": "orange", "purd": "red",
		"diverging": "blue_red", "rdbu": "blue_red", "bluered": "blue_red", "redblue": "blue_red", "coolwarm": "blue_red", "bwr": "blue_red",
		"seismic": "blue_red", "rdylbu": "blue_red", "rdylgn": "green_red", "rdgn": "green_red", "greenred": "green_red",
		"redgreen": "green_red", "redyellowgreen": "green_red", "greenyellowred": "green_red", "piyg": "green_red", "prgn": "violet_orange",
		"puor": "violet_orange", "violetorange": "violet_orange", "purpleorange": "violet_orange", "brbg": "violet_orange",
		"turbo": "blue_red", "rainbow": "blue_red", "jet": "blue_red", "spectral": "blue_red",
	}
	otherRampKeys = map[string]string{
		"scheme": "name", "palette": "name", "color": "name", "colors": "name", "colorscale": "name", "colorscheme": "name", "colormap": "name",
		"type": "scale", "ramp": "name", "range": "name", "zmin": "min", "low": "min", "from": "min", "lo": "min", "start": "min",
		"zmax": "max", "high": "max", "to": "max", "hi": "max", "end": "max", "zmid": "middle", "mid": "middle", "domainmid": "middle",
		"pivot": "middle", "midpoint": "middle", "center": "middle", "centre": "middle", "zero": "middle", "reversed": "reverse",
		"reversescale": "reverse", "invert": "reverse", "inverted": "reverse", "flip": "reverse", "transform": "scale", "log": "scale",
	}
	rampHints = map[string]string{
		"domain": `the ends are numbers: "min" and "max"`, "values": `the ends are numbers: "min" and "max"`,
		"steps":      `"scale": "quantile" has five steps with as many values each; other ramps have seven colours`,
		"bins":       `"scale": "quantile" has five steps with as many values each; other ramps have seven colours`,
		"thresholds": `steps of your own are thresholds of the panel`,
	}
	otherRampScales = map[string]string{
		"logarithmic": RampLog, "log10": RampLog, "symlog": RampLog, "quantiles": RampQuantile, "quintile": RampQuantile,
		"quintiles": RampQuantile, "percentile": RampQuantile, "percentiles": RampQuantile, "equal": RampLinear, "lin": RampLinear,
	}

	rampHint = `ramp is the colours of the values: a name such as "green", or {"name", "min", "max", "middle", "scale", "reverse"}`

	keyRamp = panelKey{
		name: "ramp", kind: aRamp, doc: "colours of the values",
		note:  "A name without an object is also accepted. Default: the measure's `color`, or blue.",
		brief: "Colours of values: blue, green, orange, red, violet, gray, blue_red, green_red, violet_orange; as a name or object.",
		read:  func(o *object, p *Panel, _ *panelType) { p.Ramp = readRamp(o) },
	}
)

// readRamp reads the ramp of a panel or a column: a name, or an object.
func readRamp(o *object) *Ramp {
	if !o.has("ramp") {
		return nil
	}
	switch kind := kindOf(o.values["ramp"]); kind {
	case "a string":
		return &Ramp{Name: o.enum("ramp", rampNames, otherRamps)}
	case "an object":
	default:
		o.problems.add(Problem{
			Path: o.at("ramp"), Message: `must be a name or an object such as {"name": "blue", "min": 0, "max": 100}, not ` + kind,
			Noun: "names", Allowed: rampNames,
		})
		return nil
	}
	of := o.problems.object(o.at("ramp"), o.values["ramp"])
	if of == nil {
		return nil
	}
	of.closed("a ramp", rampKeys, otherRampKeys, rampHints)
	r := &Ramp{
		Name: of.enum("name", rampNames, otherRamps), Scale: of.enum("scale", rampScales, otherRampScales), Reverse: of.boolean("reverse"),
	}
	for key, end := range map[string]**float64{"min": &r.Min, "max": &r.Max, "middle": &r.Middle} {
		if v, ok := of.number(key); ok {
			*end = &v
		}
	}
	if r.Diverging() && !r.Steps() && r.Middle == nil && r.Min != nil && r.Max != nil && *r.Min < *r.Max && (*r.Min >= 0 || *r.Max <= 0) {
		r.Middle = new(*r.Min/2 + *r.Max/2) // 0, the default, is not between the ends
	}
	verifyRamp(of, r)
	return r
}

// verifyRamp checks that the keys of a ramp are consistent.
func verifyRamp(o *object, r *Ramp) {
	if r.Min != nil && r.Max != nil && *r.Min >= *r.Max {
		o.problems.addf(o.at("max"), "must be above min")
	}
	if m := r.Middle; m != nil {
		if slices.Contains(Ramps, r.Name) {
			o.problems.add(Problem{
				Path:    o.at("middle"),
				Message: "is of ramps of two colours, and " + quote(r.Name) + " has one; leave middle out, or name another",
				Noun:    "names", Allowed: DivergingRamps, Nearest: twoColours[r.Name],
			})
			return
		}
	}
	if r.Diverging() {
		middle, what := 0.0, "0, the middle, or both min and max must be set, which have the middle between them"
		if r.Middle != nil {
			middle, what = *r.Middle, "middle"
		}
		if r.Min != nil && *r.Min >= middle {
			o.problems.addf(o.at("min"), "must be below %s", what)
		}
		if r.Max != nil && *r.Max <= middle {
			o.problems.addf(o.at("max"), "must be above %s", what)
		}
	}
	switch {
	case r.Steps() && r.Diverging():
		key := "name"
		if r.Middle != nil {
			key = "middle"
		}
		o.problems.addf(o.at(key), `does not go with scale "%s", whose colours go one way; name one of %s`, r.Scale, strings.Join(Ramps, ", "))
	case r.Scale == RampQuantile && r.Bounded():
		o.problems.addf(o.at("scale"), `"%s" has as many values in each step, and no min and max; leave these out`, r.Scale)
	case r.Scale == RampLog && r.Min != nil && *r.Min <= 0:
		o.problems.addf(o.at("min"), "must be above zero: a logarithmic scale has neither zero nor what is below it")
	case r.Scale == RampLog && r.Max != nil && *r.Max <= 0:
		o.problems.addf(o.at("max"), "must be above zero: a logarithmic scale has neither zero nor what is below it")
	}
}

// twoColours are the diverging ramps that are likely meant by a sequential one with a middle.
var twoColours = map[string]string{
	"blue": "blue_red", "red": "blue_red", "green": "green_red", "orange": "violet_orange", "violet": "violet_orange", Gray: "blue_red",
}

// ShowsRamp reports whether cells, areas or points of the panel have the colours of a ramp for their values, and the columns of a table.
func (p *Panel) ShowsRamp() bool {
	switch p.Type {
	case Heatmap, Calendar:
		return true
	case Map:
		return p.Area != "" || p.Value != ""
	case Scatter, Bar:
		return p.Color != ""
	case Treemap:
		return p.Ramp != nil || p.Color != ""
	case Pivot:
		return p.Heat != ""
	case Table:
		return slices.ContainsFunc(p.Columns, func(c TableColumn) bool { return c.Heat })
	}
	return false
}

// reversed warns of green and red that are reversed twice: if more is good, high values are green anyway.
func (c *panelCheck) reversed() {
	type ramp struct {
		key, measure string
		*Ramp
	}
	p := c.panel
	ramps := []ramp{{"ramp", cmp.Or(p.Color, p.Value), p.Ramp}}
	if len(p.Values) > 0 {
		ramps[0].measure = p.Values[0]
	}
	for i, column := range p.Columns {
		ramps = append(ramps, ramp{index("columns", i) + ".ramp", column.Column, column.Ramp})
	}
	for _, r := range ramps {
		if col := find(c.set.columns, r.measure); col != nil && col.Good == "up" && r.Ramp != nil && r.Name == "green_red" && r.Reverse {
			c.warnf(WarnDoubtful, c.path+"."+r.key+".reverse",
				"good of %s is up, so high values are green anyway, and reverse makes them red; leave reverse out.", quote(r.measure))
		}
	}
}
