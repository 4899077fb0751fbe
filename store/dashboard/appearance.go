package dashboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

// Palette are the names of the colours of values and measures, in the order in which a page uses them. The page's style defines their
// shades, which people, including those who are colour-blind, can distinguish from a card and from each other in both themes.
var Palette = []string{"blue", "orange", "green", "pink", "violet", "cyan", "yellow", "brown", "red", "lime"}

// Gray is the colour of "Other" and "Not set". Other values are gray only if the spec assigns it.
const Gray = "gray"

// An Appearance is the order and the colours of a column, the same in all panels
// and filters of a page.
type Appearance struct {
	Column string
	Order  Order             // of a dimension
	Colors map[string]string // of a dimension: colours by value, in the form of [cube.Label]
	Color  string            // of a measure; "" takes the next
	Labels map[string]string // of a dimension: names of values, by value in the form of [ValueKey]

	near []string // words on colours that are drawn in the nearest one; see [nearColor]
}

// An Order is the order of a dimension's values. The zero Order is the natural order (see [Natural]), which is also that of values missing
// in another order.
type Order struct {
	Rows       bool     // in the order of the query
	Values     []string // as listed
	Column     string   // by another column of the dataset
	Descending bool     // of Column
}

// The orders that are not columns.
const (
	orderNatural = "natural"
	orderRows    = "rows"
)

var appearanceMembers = []member{
	{
		"order",
		kind{schema: fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {"type": "string"}`, maxOrder)},
		`Dimension: values in order, or natural (default), rows (of the SQL), a column, "-column".`,
	},
	{
		"colors",
		kind{
			schema: `"type": "object"`,
			tail:   `"additionalProperties": {"type": "string"}`, // as for color, whose schema a model needs to see only once
		},
		"Dimension: colours of values.",
	},
	{"color", oneOf(colorNames), "Measure: its colour."},
	{"labels", labelsKind, "Dimension: of values."},
}

const maxOrder = 200 // values of an order, and of colours

var (
	colorNames     = append(slices.Clone(Palette), Gray)
	appearanceKeys = memberNames(appearanceMembers)

	otherAppearanceKeys = map[string]string{
		"sort": "order", "sortby": "order", "orderby": "order", "values": "order", "colour": "color", "colours": "colors", "palette": "colors",
		"names": "labels", "valuelabels": "labels", "valuenames": "labels", "displaynames": "labels", "aliases": "labels", "mapping": "labels",
		"valuemap": "labels", "valuemapping": "labels", "valuemappings": "labels", "mappings": "labels", "map": "labels", "rename": "labels",
		"dictionary": "labels", "lookup": "labels", "translations": "labels",
	}
	appearanceHints = map[string]string{
		"label":  `a column's own name and format are set under columns of the dataset; "labels" here names its values`,
		"format": "a column's own name and format are set under columns of the dataset",
	}
	// otherColors are names whose nearest colour differs from that of their numbers in CSS, or that CSS does not have.
	otherColors = map[string]string{
		"magenta": "pink", "rose": "pink", "teal": "green", "lightblue": "cyan", "gold": "yellow", "amber": "orange", "crimson": "red",
		"lightgreen": "lime", "dark": Gray, "light": Gray, "charcoal": Gray, "slate": Gray, "emerald": "green",
		"mint": "green", "sky": "cyan", "fuchsia": "pink", "burgundy": "red", "scarlet": "red", "lilac": "violet", "mauve": "violet",
		"peach": "orange", "mustard": "yellow", "cream": "yellow", "petrol": "cyan", "jade": "green", "ruby": "red", "tan": "brown",
		"beige": "brown", "sand": "brown", "bronze": "brown", "copper": "brown", "lightred": "pink", "darkyellow": "yellow",
		"darkbrown": "brown", "lightbrown": "brown", "lightorange": "orange", "lightpurple": "violet", "darkpurple": "violet",
		"lightviolet": "violet", "darkpink": "pink", "rebeccapurple": "violet", "lavender": "violet",
		"darkslategray": Gray, "darkslategrey": Gray, "slategray": Gray, "slategrey": Gray, "chocolate": "brown",
	}
)

// Appearance returns the page-wide order and colours of a column, or nil.
func (s *Spec) Appearance(column string) *Appearance {
	for i := range s.Columns {
		if s.Columns[i].Column == column {
			return &s.Columns[i]
		}
	}
	return nil
}

// appearances reads the columns of the spec.
func (p *parser) appearances(o *object, s *Spec) {
	raw, ok := o.values["columns"]
	if !ok {
		return
	}
	columns := p.problems.object("columns", raw)
	if columns == nil {
		return
	}
	if len(columns.keys) > MaxColumns {
		p.problems.addf("columns", "has %d members, over the limit of %d", len(columns.keys), MaxColumns)
		return
	}
	for _, name := range columns.keys {
		o := p.problems.object(columns.at(name), columns.values[name])
		if o == nil {
			continue
		}
		o.closed("columns of a spec", appearanceKeys, otherAppearanceKeys, appearanceHints)
		if name == "" {
			p.problems.addf(columns.at(name), "is the name of no column")
		}
		a := Appearance{Column: name, Order: readOrder(o), Labels: readLabels(o)}
		a.Colors = a.readColors(o)
		a.Color = a.readColor(o, "color")
		s.Columns = append(s.Columns, a)
		if o.has("color") && (o.has("colors") || o.has("order") || o.has("labels")) {
			p.problems.addf(o.at("color"), "is for measures, and order, colors and labels are for dimensions; keep what fits the column")
		}
	}
}

// readOrder reads the order of a column: a single text is the name of an order or of a column, a list has values.
func readOrder(o *object) Order {
	list := o.texts("order", maxOrder, false)
	if len(list) != 1 {
		for i, v := range list {
			if slices.Contains(list[:i], v) {
				o.problems.addf(index(o.at("order"), i), "%s is there twice; keep one", quote(v))
			}
		}
		if len(list) == 0 && o.has("order") && kindOf(o.values["order"]) == "a list" {
			o.problems.addf(o.at("order"), "is empty; list the values, or leave it out")
		}
		return Order{Values: list}
	}
	switch name := list[0]; name {
	case orderNatural:
		return Order{}
	case orderRows:
		return Order{Rows: true}
	case "", "-":
		o.problems.addf(o.at("order"), "is empty; list the values, or leave it out")
		return Order{}
	default:
		column, descending := strings.CutPrefix(name, "-")
		return Order{Column: column, Descending: descending}
	}
}

// readColor reads the name of a colour.
func (a *Appearance) readColor(o *object, key string) string {
	written := o.text(key, maxName)
	named, words := nearColor(written)
	if words != "" {
		a.near = append(a.near, words)
	}
	if named != "" {
		return named
	}
	return o.enum(key, colorNames, nil)
}

func (a *Appearance) readColors(o *object) map[string]string {
	if !o.has("colors") {
		return nil
	}
	colors := o.problems.object(o.at("colors"), o.values["colors"])
	if colors == nil {
		return nil
	}
	if len(colors.keys) > maxOrder {
		o.problems.addf(o.at("colors"), "has %d members, over the limit of %d", len(colors.keys), maxOrder)
		return nil
	}
	out := map[string]string{}
	for _, value := range colors.keys {
		if name := a.readColor(colors, value); name != "" {
			out[value] = name
		}
	}
	return out
}

// appearance checks the page-wide settings of a column.
func (c *checker) appearance(a *Appearance) {
	path := join("columns", a.Column)
	var with []*resolved
	var all []string
	for i := range c.spec.Datasets {
		set := c.sets[c.spec.Datasets[i].ID]
		if set == nil {
			continue
		}
		for _, name := range set.names(anyColumn) {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
		if find(set.columns, a.Column) != nil {
			with = append(with, set)
		}
	}
	if len(with) == 0 {
		if len(c.sets) == len(c.spec.Datasets) { // an unknown dataset could have it
			c.problems.add(Problem{
				Path: path, Message: fmt.Sprintf("no dataset returns a column %s", quote(a.Column)),
				Noun: "columns", Allowed: all, Nearest: likeliest(a.Column, all),
			})
		}
		return
	}
	c.warnNear(path, a.near)
	ordered := a.Order.Rows || a.Order.Values != nil || a.Order.Column != ""
	for _, set := range with {
		col := find(set.columns, a.Column)
		if a.Labels != nil {
			c.named(path+".labels", set, a.Column)
		}
		switch {
		case isMeasure(*col) && (ordered || a.Colors != nil):
			c.problems.addf(path, "%s is a measure in dataset %s, and order and colors are for dimensions; a measure has a color",
				quote(a.Column), quote(set.ID))
			return
		case isDimension(*col) && a.Color != "":
			c.problems.addf(path+".color", "%s is a dimension in dataset %s, and color is for measures; its values have colors",
				quote(a.Column), quote(set.ID))
			return
		case isTime(col.Type) && ordered:
			c.problems.addf(path+".order", "%s is of type %s in dataset %s, and times have an order of their own; leave it out",
				quote(a.Column), col.Type, quote(set.ID))
			return
		}
	}
	c.orderColumn(path+".order", a, with)
	if a.Colors != nil && !c.spec.colors(a.Column) {
		c.warnf(WarnColorsUnused, path+".colors",
			"no panel shows the values of %s in colours: a panel does by series, a pie, a treemap and a timeline by label, a bar by x, "+
				"a sankey by steps; a table colours cells and rows by thresholds.",
			quote(a.Column))
	}
	if name, same := a.oneColor(); same && slices.ContainsFunc(c.spec.Panels, func(p Panel) bool { return p.Series == a.Column }) {
		c.warnf(WarnColorsShared, path+".colors", "all %d values are %s, so a legend does not tell them apart; "+
			`"facet" in place of series draws a plot for each in one "color".`, len(a.Colors), name)
	}
}

// oneColor returns the colour that all named values have, if there are several.
func (a *Appearance) oneColor() (name string, same bool) {
	for _, color := range a.Colors {
		if name = cmp.Or(name, color); name != color {
			return "", false
		}
	}
	return name, len(a.Colors) > 1
}

// orderColumn checks that every dataset with a column also has the column that orders it.
func (c *checker) orderColumn(path string, a *Appearance, with []*resolved) {
	by := a.Order.Column
	if by == "" {
		return
	}
	var without, unordered, names []string
	for _, set := range with {
		if find(set.columns, by) == nil {
			without = append(without, quote(set.ID))
			if c.spec.draws(set.ID, a.Column) {
				unordered = append(unordered, quote(set.ID))
			}
			names = append(names, set.names(anyColumn)...)
		}
	}
	switch {
	case len(without) == len(with):
		slices.Sort(names)
		names = slices.Compact(names)
		c.problems.add(Problem{
			Path: path,
			Message: fmt.Sprintf(`%s is neither "natural" nor "rows" nor a column that comes with %s; a list of values has at least two`,
				quote(by), quote(a.Column)),
			Noun: "columns", Allowed: names, Nearest: likeliest(by, append(slices.Clone(names), orderNatural, orderRows)),
		})
	case len(unordered) > 0:
		c.warnf(WarnOrderSkips, path, "dataset %s has no column %s, so %s has its natural order there; its sql can return the column.",
			strings.Join(unordered, ", "), quote(by), quote(a.Column))
	}
}

// draws reports whether a panel shows the values of a dimension of a dataset.
func (s *Spec) draws(dataset, column string) bool {
	return slices.ContainsFunc(s.Panels, func(p Panel) bool {
		switch {
		case p.Data != dataset:
			return false
		case p.Type == Table:
			return p.Columns == nil || slices.ContainsFunc(p.Columns, func(t TableColumn) bool { return t.Column == column })
		}
		return p.X == column || p.Series == column || p.Type == Scatter && p.Color == column || p.Type == Heatmap && p.Value == column ||
			p.Label == column || p.Area == column || slices.Contains(p.Y, column) ||
			slices.Contains(p.Levels, column) || slices.Contains(p.Flows(), column)
	})
}

// colors reports whether a panel can show the values of a column in colours.
func (s *Spec) colors(column string) bool {
	return slices.ContainsFunc(s.Panels, func(p Panel) bool {
		return p.colors() == column || p.Type == Bar && p.X == column ||
			(p.Type == Slope || p.Type == Timeline || p.Type == Waterfall) && p.Label == column ||
			p.Type == Sankey && slices.Contains(p.Flows(), column) ||
			p.Type == Treemap && p.Series == "" && len(p.Levels) == 1 && p.Levels[0] == column
	})
}

// colors returns the dimension whose values a panel distinguishes by colours, or "".
func (p *Panel) colors() string {
	switch {
	case p.Type == Pie:
		return p.Label
	case p.Type == Scatter && p.Series == "": // a dimension or, without colours of values, a measure
		return p.Color
	case p.Type == Heatmap: // likewise
		return p.Value
	case p.Type == Sankey && len(p.Flows()) > 0:
		return p.Flows()[0]
	case p.Type == Treemap && p.Series == "" && len(p.Levels) > 1:
		return p.Levels[0]
	}
	return p.Series
}

// Colors are the colours of values, as positions in [Palette] from 1: by column, then by value in the form of [ValueKey]. They are stored
// with a dashboard, so that a value keeps its colour. A Colors is immutable; [Colors.With] returns a new one.
type Colors map[string]map[string]int

const (
	maxColored  = 200 // values of a column whose colours are kept
	maxColorKey = 200 // bytes of such a value
)

// ReadColors reads the output of [Colors.Encode]. It returns no colours for invalid bytes, so that values get new ones.
func ReadColors(b []byte) Colors {
	var c Colors
	if json.Unmarshal(b, &c) != nil {
		return nil
	}
	return c
}

// Encode writes the colours as JSON.
func (c Colors) Encode() []byte {
	if c == nil {
		c = Colors{}
	}
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts and numbers alone
	}
	return b
}

// With assigns a colour to each value of the columns that the spec's panels show in colours. A value keeps its colour, unless the spec
// assigns that to another value; the other values get the next free colours in their natural order. If a column has more values than there
// are colours, the largest ones choose first, and the rest share colours.
func (c Colors) With(s *Spec, cubes map[string]*cube.Cube) Colors {
	out := Colors{}
	for column, values := range c {
		out[column] = values
	}
	for i := range s.Panels {
		column := s.Panels[i].colors()
		if s.Panels[i].mayColorNumbers() && ofNumbers(column, cubes) {
			continue
		}
		if column == "" || slices.ContainsFunc(s.Panels[:i], func(p Panel) bool { return p.colors() == column }) {
			continue
		}
		if values := s.coloredValues(column, cubes); len(values) > 0 {
			out[column] = assign(c[column], s.explicit(column), values)
		}
	}
	return out
}

// mayColorNumbers reports whether the column of the panel's colours may be a measure, whose values have no colours of their own.
func (p *Panel) mayColorNumbers() bool {
	return p.Type == Heatmap || p.Type == Scatter && p.Series == ""
}

// ofNumbers reports whether a column has numbers.
func ofNumbers(column string, cubes map[string]*cube.Cube) bool {
	for _, c := range cubes {
		if c == nil {
			continue
		}
		if i := c.Index(column); i >= 0 && (c.Columns()[i].Type == cube.Integer || c.Columns()[i].Type == cube.Number) {
			return true
		}
	}
	return false
}

// explicit returns the colours that the spec assigns to values of a column: 0 is gray.
func (s *Spec) explicit(column string) map[string]int {
	a := s.Appearance(column)
	if a == nil {
		return nil
	}
	out := make(map[string]int, len(a.Colors))
	for value, name := range a.Colors {
		out[value] = slices.Index(Palette, name) + 1
	}
	return out
}

// assign assigns colours to values in their order.
func assign(kept, explicit map[string]int, values []string) map[string]int {
	var present, ever [11]int // number of values by colour: of the present values, and of all
	for _, color := range explicit {
		present[color]++
		ever[color]++
	}
	out := map[string]int{}
	for value, color := range kept {
		if _, named := explicit[value]; named || color < 1 || color > len(Palette) || present[color] > 0 {
			continue
		}
		out[value] = color
	}
	for _, color := range out {
		ever[color]++
	}
	for _, value := range values {
		if color := out[value]; color > 0 {
			present[color]++
		}
	}
	for _, value := range values {
		if _, named := explicit[value]; named || out[value] > 0 || len(value) > maxColorKey || len(out) >= maxColored ||
			strings.ContainsRune(value, 0) {
			continue
		}
		free := 1
		for color := 2; color <= len(Palette); color++ {
			if present[color] < present[free] || present[color] == present[free] && ever[color] < ever[free] {
				free = color
			}
		}
		out[value] = free
		present[free]++
		ever[free]++
	}
	return out
}
