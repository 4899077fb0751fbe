package chart

import (
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// Areas are the parts of a whole, nested in groups. Each width of panels has its own layout, because areas that are squares on one would be
// slices on another.
type Areas struct {
	Root *AreaNode
	Bare bool // areas have no names and values in them
}

// An AreaNode is a group, or an area, which has no children.
type AreaNode struct {
	Name, Text string // of an area: its name and its value
	Value      float64
	Children   []*AreaNode
	Color      canvas.Color
	Title      []string // the text of its tooltip, in pieces
	Row        int      // of the table behind, from 1: the link of the area; 0 for none
}

const (
	areaGap  = 2.0  // between groups, in pixels
	areaPad  = 5.0  // from the edge of an area to its texts
	areaLine = 14.0 // height of a line of text
)

func (*Areas) extent(func(axisName, float64)) {}

func (*Areas) boxes(*plotAxes, float64, func(Box)) {}

func (*Areas) draw(canvas.Canvas, *plotAxes) {}

// A placedArea is an area in pixels of a plot.
type placedArea struct {
	*AreaNode
	stat.Rect
	groups []string // whose largest area it is, the outer first
}

// lay computes the places of all areas on a plot of a size in pixels.
func (l *Areas) lay(width, height float64) []placedArea {
	var out []placedArea
	var place func(n *AreaNode, into stat.Rect, depth int, groups []string)
	place = func(n *AreaNode, into stat.Rect, depth int, groups []string) {
		if n.Children == nil {
			out = append(out, placedArea{n, into, groups})
			return
		}
		if depth > 0 {
			into = into.Inset(areaGap/2, areaGap/2)
			groups = append(groups[:len(groups):len(groups)], n.Name)
		}
		values := make([]float64, len(n.Children))
		largest := 0
		for i, c := range n.Children {
			if values[i] = c.Value; c.Value > values[largest] {
				largest = i
			}
		}
		for i, r := range stat.Squarify(values, into) {
			if i == largest {
				place(n.Children[i], r, depth+1, groups)
			} else {
				place(n.Children[i], r, depth+1, nil)
			}
		}
	}
	place(l.Root, stat.Rect{W: width, H: height}, 0, nil)
	return out
}

// drawNames draws the areas too, since their layout depends on the width.
func (l *Areas) drawNames(c canvas.Canvas, at *Laid) {
	high := at.plotAxes.height
	wide := max(at.Room.Inside, at.widths[1])
	for _, tier := range [...]struct {
		width float64
		on    canvas.Widths
		names map[canvas.Widths]float64 // the widths on which they are written, and the least width of the plot there
	}{
		{at.widths[0], canvas.Phone, map[canvas.Widths]float64{canvas.Phone: at.widths[0]}},
		{wide, canvas.Tablet | canvas.Desktop, map[canvas.Widths]float64{canvas.Tablet: at.widths[1], canvas.Desktop: at.widths[2]}},
	} {
		areas := l.lay(tier.width, high)
		c.Group(canvas.Group{Widths: tier.on})
		for i := range areas {
			a := &areas[i]
			c.Rect(canvas.Rect{
				X: canvas.Of(a.X / tier.width), Y: canvas.Of(a.Y / high), Width: canvas.Of(a.W / tier.width), Height: canvas.Of(a.H / high),
				Color: a.Color, Pale: a.Color < canvas.HeatColor, Touching: true, Title: a.Title, Row: a.Row,
			})
		}
		c.End()
		for _, on := range [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop} {
			if width := tier.names[on]; width > 0 && !l.Bare {
				writeAreas(c, areas, on, width/tier.width, tier.width, high)
			}
		}
	}
}

// writeAreas writes names and values in the areas in which they fit. squeezed is the least width of the plot, as a share of the width of
// the layout.
func writeAreas(c canvas.Canvas, areas []placedArea, on canvas.Widths, squeezed, width, height float64) {
	texts := map[canvas.Color][]canvas.Label{}
	var order []canvas.Color
	for i := range areas {
		a := &areas[i]
		ink := a.Color
		if ink < canvas.HeatColor {
			ink = canvas.HeatColor // a pale area
		}
		for k, text := range a.lines(a.W * squeezed) {
			if texts[ink] == nil {
				order = append(order, ink)
			}
			// The texts begin a share of the width from the edge that is at least as wide as the padding.
			texts[ink] = append(texts[ink], canvas.Label{
				X: canvas.Of((a.X + areaPad/squeezed) / width), Y: canvas.Of(a.Y / height), Down: int(areaPad+areaLine*float64(k+1)) - 3, Text: text,
			})
		}
	}
	for _, ink := range order {
		c.Group(canvas.Group{Look: canvas.CellText, Anchor: canvas.AtStart, Widths: on, On: ink})
		for _, t := range texts[ink] {
			c.Label(t)
		}
		c.End()
	}
}

// lines returns the texts of an area of a width in pixels: its name, on one line or two, and its value if it fits; above them the groups
// whose largest area it is.
func (a *placedArea) lines(width float64) []string {
	const leastName = 34 // pixels of a name that is cut
	room, high := width-2*areaPad, int((a.H-2*areaPad+3)/areaLine)
	if high < 1 || room < 12 {
		return nil
	}
	var name []string
	first, second := brokenInTwo([]string{a.Name})
	switch {
	case canvas.LabelWidth(a.Name) <= room:
		name = []string{a.Name}
	case high > 1 && canvas.LabelWidth(first[0]) <= room && canvas.LabelWidth(second[0]) <= room:
		name = []string{first[0], second[0]}
	case room >= leastName:
		name = []string{canvas.ClipWidth(a.Name, room)}
	default:
		return nil
	}
	var out []string
	if groups := strings.Join(a.groups, " · "); groups != "" && high > len(name) && canvas.LabelWidth(groups)+8 <= room {
		out = append(out, groups+" ›")
	}
	out = append(out, name...)
	if len(out) < high && canvas.LabelWidth(a.Text) <= room {
		out = append(out, a.Text)
	}
	return out
}
