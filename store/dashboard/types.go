package dashboard

import (
	"maps"
	"slices"
	"strings"

	"service/store/dashboard/locale"
)

// A panelType describes a type of panel, except for its drawing, which is in package panel. Its file is named after it: panel_kpi.go.
type panelType struct {
	name     string
	also     []string // other names that people and models use
	doc      string   // its contents, for the reference
	required []panelKey
	either   [2][]panelKey // it requires all keys of one of the two; these are also optional
	optional []panelKey
	hints    map[string]string // explanations for keys that are often tried and that it does not have
	width    int               // default, of 12 columns
	single   bool              // y has one column
	columns  bool              // a threshold names its column

	// verify checks that the keys are consistent, after they are read; nil if only the checks of all types apply.
	verify func(*object, *Panel)

	// check checks the columns that the panel names against its dataset. It is not called if the type needs data and the columns of its
	// dataset are unknown.
	check func(*panelCheck)

	// title returns the title of a panel without one.
	title func(*Panel, labeler) string
}

// Widths of panels, in columns.
const (
	chartWidth = 6
	fullWidth  = 12
)

// types are the types of panels, in the order of the reference. A type that is not in this list cannot be parsed.
var types = withColors(withSources(withMarks(withEvents(withWhere([]*panelType{
	&kpiPanel, &linePanel, &areaPanel, &barPanel,
	&comboPanel,
	&histogramPanel,
	&boxPanel,
	&candlestickPanel,
	&scatterPanel, &piePanel,
	&funnelPanel,
	&waterfallPanel,
	&slopePanel,
	&treemapPanel,
	&sankeyPanel,
	&timelinePanel,
	&heatmapPanel,
	&calendarPanel,
	&mapPanel,
	&tablePanel,
	&pivotPanel,
	&textPanel, &sectionPanel,
})))))

// withMarks adds the keys for actions of marks to the types that show data, except those that show a single number or ranges of numbers.
func withMarks(types []*panelType) []*panelType {
	for _, t := range types {
		if t.needsData() && t.name != KPI && t.name != Histogram {
			t.optional = append(slices.Clone(t.optional), keyClick)
			if t.name != Table { // its columns have links instead
				t.optional = append(t.optional, keyLink)
			}
		}
	}
	return types
}

// colorOfMeasure is an example of the colour of a measure.
const colorOfMeasure = `{"columns": {"revenue": {"color": "red"}}}`

// withColors adds a hint on colours to the types that show data and have no key for them.
func withColors(types []*panelType) []*panelType {
	for _, t := range types {
		if t.needsData() && t.hints["color"] == "" && !slices.ContainsFunc(t.optional, func(k panelKey) bool { return k.name == keyColor.name }) {
			t.hints = maps.Clone(t.hints)
			if t.hints == nil {
				t.hints = map[string]string{}
			}
			t.hints["color"] = `"columns" at the top of the spec has colours: ` + colorOfMeasure + "; series splits by a dimension"
		}
	}
	return types
}

var (
	panelTypes      = PanelTypes()
	otherPanelTypes = otherTypes()
)

// PanelTypes returns the names of the types of panels, in the order of the reference.
func PanelTypes() []string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = t.name
	}
	return out
}

// NeedsData reports whether panels of a type show a dataset. It returns false for a type that does not exist.
func NeedsData(panelType string) bool {
	t := typeNamed(panelType)
	return t != nil && t.needsData()
}

// DefaultWidth returns the default width of panels of a type, in columns of 12. It returns 0 for a type that does not exist.
func DefaultWidth(panelType string) int {
	t := typeNamed(panelType)
	if t == nil {
		return 0
	}
	return t.width
}

// DefaultTitle returns the title of a panel without one in the spec, such as "Revenue by day and country". It is composed of the columns'
// labels; if all are empty, it is the name of the type. It returns "" for panels that show no dataset.
func (p *Panel) DefaultTitle(l *locale.Locale, label func(column string) string) string {
	t := typeNamed(p.Type)
	if t == nil || t.title == nil {
		return ""
	}
	title := t.title(p, labeler{l, label})
	if strings.TrimSpace(title) == "" && t.needsData() {
		return Label(t.name)
	}
	return title
}

// typeNamed returns the type called name, or nil.
func typeNamed(name string) *panelType {
	if i := slices.IndexFunc(types, func(t *panelType) bool { return t.name == name }); i >= 0 {
		return types[i]
	}
	return nil
}

// otherTypes maps other names of types to theirs.
func otherTypes() map[string]string {
	out := map[string]string{}
	for _, t := range types {
		for _, name := range t.also {
			out[name] = t.name
		}
	}
	return out
}

// keys returns all keys that a panel of the type can have.
func (t *panelType) keys() []string { return keyNames(everyPanel, t.required, t.optional) }

// has reports whether a panel of the type can have a key. A spec asks for each of its keys several times, so this lists none.
func (t *panelType) has(key string) bool {
	for _, list := range [][]panelKey{everyPanel, t.required, t.optional} {
		for i := range list {
			if list[i].name == key {
				return true
			}
		}
	}
	return false
}

// rounds reports whether panels of the type round the times of an axis down, by their spec or by a reader's choice.
func (t *panelType) rounds() bool {
	return t.name != KPI && t.name != Table && slices.ContainsFunc(t.optional, func(k panelKey) bool { return k.name == keyGrain.name })
}

// needsData reports whether panels of the type show one dataset. A text shows values of several.
func (t *panelType) needsData() bool {
	return t.name != Text && slices.ContainsFunc(t.optional, func(k panelKey) bool { return k.name == keyData.name })
}

// panelKeys returns the keys of panels of all types together.
func panelKeys() []string {
	var out []string
	for _, t := range types {
		for _, key := range t.keys() {
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

// A labeler returns the labels of columns in sentences of a language.
type labeler struct {
	*locale.Locale
	label func(column string) string
}

// of names measures: "Revenue and orders".
func (l labeler) of(measures ...string) string {
	out := ""
	for _, m := range measures {
		switch {
		case m == "":
		case out == "":
			out = l.label(m)
		default:
			out = l.Text("%s and %s", out, InSentence(l.Locale, l.label(m)))
		}
	}
	return out
}

// by adds dimensions to the names of measures: "Revenue by country and day".
func (l labeler) by(of string, dimensions ...string) string {
	by := ""
	for _, d := range dimensions {
		switch {
		case d == "":
		case by == "":
			by = InSentence(l.Locale, l.label(d))
		default:
			by = l.Text("%s and %s", by, InSentence(l.Locale, l.label(d)))
		}
	}
	if by == "" {
		return of
	}
	return l.Text("%s by %s", of, by)
}

// untitled is the title function of panels without a default title.
func untitled(*Panel, labeler) string { return "" }
