package dashboard

import (
	"slices"
	"strings"

	"service/store/dashboard/locale"
)

// A panelType is all that is to be known of a type of panel but how it is drawn,
// which package page knows. Its file has its name: panel_kpi.go.
type panelType struct {
	name     string
	also     []string // other names that people and models use
	doc      string   // what it shows, for the reference
	required []panelKey
	either   [2][]panelKey // it needs all of the one or all of the other; they are optional as well
	optional []panelKey
	hints    map[string]string // more of keys that are often tried, and that it does not take
	width    int               // of 12 columns, unless the spec says otherwise
	single   bool              // y takes one column
	columns  bool              // a threshold names the column that it is about

	// verify checks what the keys say of each other, once they are read; nil when
	// there is nothing to check but what holds for all types.
	verify func(*object, *Panel)

	// check checks the columns that the panel names against its dataset. It is not
	// called when the type needs data and the columns of its dataset are not known.
	check func(*panelCheck)

	// title is the title of a panel without one.
	title func(*Panel, labeler) string
}

// Widths of panels, in columns.
const (
	chartWidth = 6
	fullWidth  = 12
)

// types are the types of panels, in the order of the reference. A type that is
// not here cannot be parsed.
var types = withMarks([]*panelType{
	&kpiPanel, &linePanel, &areaPanel, &barPanel,
	&comboPanel,
	&histogramPanel,
	&boxPanel,
	&candlestickPanel,
	&scatterPanel, &piePanel,
	&funnelPanel,
	&waterfallPanel,
	&heatmapPanel,
	&calendarPanel,
	&mapPanel,
	&tablePanel,
	&pivotPanel,
	&textPanel, &sectionPanel,
})

// withMarks gives the types whose marks stand for something the keys that say what a
// mark does: all that show data, but a single number and ranges of numbers.
func withMarks(types []*panelType) []*panelType {
	for _, t := range types {
		if t.needsData() && t.name != KPI && t.name != Histogram {
			t.optional = append(slices.Clone(t.optional), keyClick)
			if t.name != Table { // its columns have links
				t.optional = append(t.optional, keyLink)
			}
		}
	}
	return types
}

var (
	panelTypes      = PanelTypes()
	otherPanelTypes = otherTypes()
)

// PanelTypes are the names of the types of panels, in the order of the reference.
func PanelTypes() []string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = t.name
	}
	return out
}

// NeedsData reports whether panels of a type show a dataset. It is false for a
// type that does not exist.
func NeedsData(panelType string) bool {
	t := typeNamed(panelType)
	return t != nil && t.needsData()
}

// DefaultWidth is the width of panels of a type to which the spec gives none, in
// columns of 12. It is 0 for a type that does not exist.
func DefaultWidth(panelType string) int {
	t := typeNamed(panelType)
	if t == nil {
		return 0
	}
	return t.width
}

// DefaultTitle is the title of a panel to which the spec gives none, such as
// "Revenue by day and country". It is composed of what label calls the columns;
// where they are all empty, it is the name of the type. Panels that show no
// dataset go without a title: theirs is "".
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

// keys are all the keys that a panel of the type can have.
func (t *panelType) keys() []string { return keyNames(everyPanel, t.required, t.optional) }

// rounds reports whether panels of the type round the times of an axis down, by their spec or as readers ask it.
func (t *panelType) rounds() bool {
	return t.name != KPI && t.name != Table && slices.ContainsFunc(t.optional, func(k panelKey) bool { return k.name == keyGrain.name })
}

func (t *panelType) needsData() bool {
	return slices.ContainsFunc(t.optional, func(k panelKey) bool { return k.name == keyData.name })
}

// panelKeys are the keys of panels of all types together.
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

// A labeler gives a column its name for people, in sentences of a language.
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

// untitled is the title of panels that go without.
func untitled(*Panel, labeler) string { return "" }
