package canvas

import (
	"slices"
	"strings"

	"service/store/dashboard/geo"
)

// A Canvas is the interface on which figures draw. A figure names shapes and texts, their places and their meanings; the painter behind the
// canvas determines the format, the fonts and the look of each token. So figures contain no markup, colours or sizes of text.
//
// Blocks are drawn one below another, as wide as their panel. Marks are drawn inside a picture, at its coordinates. Picture, Viewport,
// Extent, Group, List, Item, Facets, Facet, Only, Beside and Halves begin something, and End ends it; they nest in the order that the
// figures show.
//
// Painters must not keep the slices that they get, because figures reuse them.
type Canvas interface {
	// Blocks.
	Section(title, text string)
	Number(text, tone string) // the large number of a KPI
	Words(text, tone string)  // a text in its place, in as many lines as it needs
	Delta(d Delta)            // how it has changed
	Ramp(r Ramp)
	AxisName(text string, of Side)                // the name of an axis of numbers
	AxisNames(left string, of Side, right string) // of the axes of numbers on either side, of which the left one is YSide or YDown
	Table(t Table)
	CrossTable(t CrossTable)
	RichText(t Formatted)
	Note(text string)              // a remark that readers need to interpret the panel
	Message(text string, bad bool) // instead of a figure: why there is nothing to show, or why it cannot be shown
	Facets(p SmallPlots)           // small plots in a grid
	Facet(name string)             // one of them, with its name
	Only(on Widths)                // blocks of some widths of panels
	Beside()                       // a ring and, on its right, a list
	Halves()                       // two pictures of a year
	List(kind ListKind)            // of items
	Item(i Item)                   // of a list; may hold a strip
	Picture(p Picture)             // holds marks
	Viewport()                     // the whole picture: 1000 by 1000 units, stretched; lines keep their width; it clips
	Extent(width, height int)      // the whole map: this many units, for shapes; it clips
	Group(g Group)                 // of marks
	End()                          // of the last of these that was begun

	// Marks.
	Line(l Line)
	Rect(r Rect)
	Circle(c Circle)
	Arc(a Arc)
	Curve(c Curve)
	Area(a Area)
	Label(l Label)
	Shape(s Shape)
	Ribbon(r Ribbon)
}

// A cell has at most this many characters, and the table behind a figure at most this many rows, unless it is the table of small plots. CSV
// has all.
const (
	MaxCell   = 200
	MaxBehind = 200
)

// A Color is a token: 1 to 10 are those of [dashboard.Palette].
type Color uint8

const (
	OtherColor Color = MaxSeries + 1  // gray: of Other, and of marks without a value
	HeatColor  Color = OtherColor + 1 // the first, palest, of the HeatColors of ramps: see [Hue.Step]
)

const (
	MaxSeries = 10 // series with a colour; further ones become Other
	HeatSteps = 7  // colours of a hue
	SignSteps = 4  // colours of a ramp on either side of a middle
)

// Depth returns how dark a colour is under a text, from 0 to 2, or 3 for one that is pale in both themes: each has an ink in which texts
// are legible.
func (c Color) Depth() int {
	if c < HeatColor {
		if slices.Contains(paleColors, c) {
			return 3
		}
		return 2
	}
	switch step := (c - HeatColor) % HeatSteps; {
	case c == ToneColor("warn"):
		return 3
	case c.Hue() == ToneHue:
		return 2
	case step < 4, c.Hue() == PaleHue:
		return 0
	case step == 4:
		return 1
	}
	return 2
}

// paleColors are the colours of values on which dark texts are legible in both themes: blue, orange, green, lime and gray.
var paleColors = []Color{1, 2, 3, 10, OtherColor}

// A Ramp is the legend of colors that represent numbers.
type Ramp struct {
	Colors []Color
	Texts  []string // at the ends of the colors, one more than these; "" for none
}

// SeriesColor returns a colour by its index in the palette, from 0.
func SeriesColor(i int) Color { return Color(i%MaxSeries + 1) }

// A Coord is a place along one axis of a picture, or a length. The zero coord is not set: it means the left or upper edge or, of a size,
// the whole.
type Coord struct {
	V    float64
	Unit Unit
}

// A Unit is the unit of a [Coord].
type Unit uint8

// The units of coordinates.
const (
	Unset    Unit = iota
	Fraction      // of the picture's width or height
	Pixels        // of CSS; in a ring, its units
)

// Of returns a fraction of a picture, from 0 on the left or at the top to 1.
func Of(v float64) Coord { return Coord{v, Fraction} }

// Px returns a number of pixels.
func Px(v float64) Coord { return Coord{v, Pixels} }

// A PictureKind is the kind of a [Picture].
type PictureKind uint8

// The kinds of pictures.
const (
	PlotPicture     PictureKind = iota // a chart with axes; its labels are outside it, on the left and below
	RingPicture                        // a square of 42 by 42 units
	SparkPicture                       // a viewport of its own
	StripPicture                       // a bar in an item of a list
	ProgressPicture                    // a bar, on the track that it runs along
	MapPicture                         // a map, which keeps its aspect ratio at any width
	HalfPicture                        // a plot of half a year: it is beside the other half if both fit, and otherwise above it
	FullPicture                        // a plot without texts around it
	MonthsPicture                      // a plot of some months by days, whose names are above it as those of half a year
)

// A Picture holds marks.
type Picture struct {
	Kind   PictureKind
	Title  string     // what it shows, and in one sentence what the data mean, for
	Says   string     // people who do not see it; both "" if a text beside it has the same content
	Height int        // in pixels; of a map, on a desktop
	Aspect geo.Aspect // of a map
	Left   []string   // the labels on the left of a plot, which need a margin
	Right  []string   // the same on its right, if it has an axis there
	Places Places
	List   RowList // of places whose cells are rows
	Offset int     // the index of its first row in the table behind, after the rows of other plots
	Top    bool    // a scale is above the plot, too
	Small  bool    // it is one of several that share their labels
	Flush  bool    // it has no room on the left
	Lines  int     // the number of lines of marks, one below another, each of which is a line of a drawing in characters; 0 for none
	Sketch Widths  // the width of panels whose marks are drawn in characters; 0 for a desktop
}

// RowReach is the number of pixels by which a row of a list of bars can usefully be higher than its text and its bar.
const RowReach = 30

// Reach returns by how many pixels a picture can usefully be drawn higher than its height, next to a higher panel.
func (p Picture) Reach() int {
	switch p.Kind {
	case PlotPicture, FullPicture, MonthsPicture:
		if !p.Small {
			return p.Height
		}
	case SparkPicture:
		return SparkReach
	}
	return 0
}

// SparkReach is [Picture.Reach] of a small line: the style gives it this height and its own.
const SparkReach = 184

// Places are the positions on a plot of the rows of the table behind: this many columns, evenly spaced from edge to edge.
type Places struct {
	Columns int       // 0 for rows at irregular places
	Rows    int       // of a grid of rows and columns
	Turned  bool      // the rows of the grid are columns of the table
	Bands   bool      // columns are as wide as their share, instead of points
	At      []float64 // of points that are not evenly spaced, from 0 to 1
}

// A RowList selects the rows of the table behind that are the cells of a grid, one column after the other. Rows are counted from 0.
type RowList struct {
	First    int // the row of the first cell, even if it does not exist
	From, To int // the existing rows, without To; equal for no list
}

// A Group is marks with a common look, or with a common link.
type Group struct {
	Look   Look // of its labels
	Anchor Anchor
	Widths Widths // on which it is shown
	On     Color  // the ground under its labels
	Title  string // the text of its tooltip
	Link   string // where it leads

	TwoLines bool // its labels are under the plot, some of them in two lines
}

// Widths are a set of widths of panels, as a mask: 0 is all of them.
type Widths uint8

// Masks of widths.
const (
	Phone Widths = 1 << iota
	Tablet
	Desktop
	Half // combined with others: these meet at HalfInside instead of DesktopInside
)

// A Line is a straight line.
type Line struct {
	X1, X2, Y1, Y2 Coord
	Stroke         Stroke
	Tone           string // of a reference
	Color          Color  // of a thin or bold line
}

// A Stroke is the look of a line.
type Stroke uint8

// The strokes of lines.
const (
	GridLine      Stroke = iota // across a plot
	ZeroLine                    // of a grid
	ReferenceLine               // dashed
	LinkLine                    // from one mark to the next
	MarkLine                    // short, across a bar
	CutLine                     // a gap through a bar
	ThinLine                    // in a colour
	BoldLine                    // in a colour
	EventLine                   // thin, from top to bottom
)

// A Rect is a rectangle, such as a bar.
type Rect struct {
	X, Y, Width, Height Coord
	Round               int // radius of its corners, in pixels
	Color               Color
	Hatched             bool // of an incomplete period
	Touching            bool // neighbours touch it
	Pale                bool // of a lost part, or under a text
	Fade                Fade // towards an end that is not known
	Outlined            bool // by a line of its colour, and pale inside
	Bare                bool // a bar in the colour of a tone, without the edge of cells
	Title               []string
	Row                 int  // as of a circle
	Cell                int  // of the row: its link, from 0
	Shade               bool // a range of values, or a span of time, in a tone and under all marks
	Veil                bool // thin stripes over a cell of an incomplete period, between its Color and its text, which stay legible
	Tone                string
}

// A Fade is the side at which a mark fades out.
type Fade uint8

// The sides at which marks fade.
const (
	NoFade Fade = iota
	FadesLeft
	FadesRight
)

// A Circle is a dot.
type Circle struct {
	X, Y   Coord
	Radius float64 // in pixels
	Color  Color
	Sheer  bool     // other shapes may be under it, and it has a tooltip
	Rimmed bool     // it keeps a distance from marks under it, and covers them
	Title  []string // the text of its tooltip, in pieces
	Row    int      // of the table behind, from 1: its link; 0 for none
}

// An Arc is a piece of a ring, clockwise from the top.
type Arc struct {
	From, Share float64 // of the whole
	Gap         float64 // distance to the next arc, in hundredths of the whole
	Color       Color
	Title       []string
	Row         int // as of a circle
}

// A Point is a point of a curve, in the units of a viewport. If Broken, a gap precedes it.
type Point struct {
	X, Y    int
	Broken  bool
	Partial bool // of an incomplete period
}

// A Curve joins points of a viewport.
type Curve struct {
	Points []Point
	Color  Color
	Thin   bool
	Dashed bool // of incomplete periods
	Over   bool // it keeps a distance from marks under it
	Bold   bool // a moving average, over its line
	Trend  bool
	Title  string // the text of its tooltip, or ""
}

// An Area is between points and others below them or, without these, a level. Its colour lets other shapes shine through, unless it is
// solid.
type Area struct {
	Points, Under []Point
	Floor         int
	Color         Color
	Solid         bool
}

// A Shape is a filled outline in an extent.
type Shape struct {
	Rings   [][]geo.Point // in its units; by the even-odd rule
	Color   Color         // 0 for land that has no area in the data
	Hatched bool          // there is no value
	Title   []string
	Row     int // of the table behind, from 1
}

// A Ribbon is a band from one place to another, in the units of a viewport. Both its ends are horizontal.
type Ribbon struct {
	X1, X2   int
	From, To [2]int // its upper and its lower edge at X1 and at X2
	Way      [2]int // of one that leads back, the edges of its way below all others; zero for none
	Reach    int    // how far beyond its ends it turns to that way
	Color    Color
	Title    []string
	Row      int // as of a circle
	Cell     int // of the row: its link, from 0
}

// A Label is text in a picture.
type Label struct {
	X, Y   Coord
	Down   int // pixels further down
	Right  int // and to the right
	Look   Look
	Anchor Anchor
	Text   string
}

// A Look is the look of a text in a picture.
type Look uint8

// The looks of texts.
const (
	Grouped     Look = iota // as its group
	AxisText                // small and muted
	MarkedText              // the same, readable on top of marks
	TotalText               // large, in the middle of a ring
	CaptionText             // under it
	CellText                // in a cell of a heat map, readable on its colour
	ValueText               // the value of a mark, beside or above it
)

// An Anchor is the part of a text that is at its place.
type Anchor uint8

// The anchors of texts.
const (
	AtStart Anchor = iota
	AtMiddle
	AtEnd
)

// A Side is a side of a plot with an axis.
type Side uint8

// The sides of plots.
const (
	YSide Side = iota // the side of the axis of y
	XSide
	TopSide // the same, above the plot
	YDown   // that of an axis of y whose numbers rise downwards
)

// Arrow returns the direction in which the numbers of an axis of y rise.
func (s Side) Arrow() string {
	if s == YDown {
		return "↓"
	}
	return "↑"
}

// A Delta is the comparison of a KPI with another value.
type Delta struct {
	Missing string // instead of all the others: why it is compared with nothing, or how much of a target it is
	Way     int    // -1, 0 or 1, as the change is written
	Tone    string
	Change  string // in words, with its sign
	Was     string
	Versus  string // the name of the other value
}

// A Formatted text has headings, lists and links.
type Formatted interface {
	Markup() string // as HTML, which is safe
	Plain() string  // on one line
}

// A Way is a link, or no link.
type Way struct {
	To string // an address that was checked; "" for none
	On bool   // its choice is active already, and the link removes it
}

// A Field is a hidden field of a form.
type Field struct{ Name, Value string }

// Absolute reports whether s has a scheme that is allowed in links: http or https.
func Absolute(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// Leads reports whether a link may lead to s: an absolute address, or a path that no browser interprets as a host.
func Leads(s string) bool {
	return Absolute(s) || strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") && !strings.HasPrefix(s, `/\`)
}

// A ListKind is the kind of a list of items.
type ListKind uint8

// The kinds of lists.
const (
	LegendList ListKind = iota // the series of each colour
	RingList                   // colour, name, value and share of a ring's arcs
	BarList                    // name, value and share over a strip
	KeyList                    // the meaning of colours that are not series
)

// An Item is a line of a list.
type Item struct {
	Way
	Color  Color // 0 for none
	Line   bool  // the color belongs to a line, beside bars
	Dashed bool  // which is dashed
	Pale   bool  // its color is pale inside
	Mark   bool  // a MarkLine of a tone, instead of a colour
	Flat   bool  // which is across vertical bars
	Shade  bool  // a shade of a tone, instead of a colour
	Tone   string
	Name   string
	Value  string // "" for none
	Share  string // "" for none
	More   string // under the strip; "" for none
}

// A Table has cells that are made while they are drawn, or measured before.
type Table struct {
	Title  string
	Heads  []Head
	Rows   int
	Cell   func(row, column int) Cell
	Foot   []Cell  // a row of totals, which Rows does not count; nil for none
	None   string  // the text instead of rows if there are no rows
	Search *Search // nil for none
	Pages  *Pages  // nil if all rows are drawn
	Pin    int     // the column that stays visible where not all columns fit; 0 for none beside the first
}

// A Head is the head of a column of a table.
type Head struct {
	Text   string
	Group  string // the head over it and its neighbours of the same group; "" for none
	Number bool   // the column holds numbers
	Barred bool   // and bars beside them
	Lined  bool   // and small lines
	Sorted int    // 1 if its values ascend, -1 if they descend
	Link   string // to the table sorted by it, or ""
	Says   string // what the link does, in words
}

// Span returns the number of columns under a head.
func (c *Head) Span() int {
	n := 1
	if c.Barred {
		n++
	}
	if c.Lined {
		n++
	}
	return n
}

// Grouped reports whether heads are over heads.
func (t *Table) Grouped() bool {
	return slices.ContainsFunc(t.Heads, func(h Head) bool { return h.Group != "" })
}

// GroupEnd returns the index after the last head of the group that begins with a head. A head without a group is a group of its own.
func (t *Table) GroupEnd(from int) int {
	to := from + 1
	for to < len(t.Heads) && t.Heads[from].Group != "" && t.Heads[to].Group == t.Heads[from].Group {
		to++
	}
	return to
}

// A Search is a form that asks for words and keeps the other parameters of the address.
type Search struct {
	Label, Name, Value string
	Most               int // characters of the words
	Keep               []Field
	Clear              string // the address of the link that ends a search, or ""
}

// Pages are the links to the other rows of a table.
type Pages struct {
	Label          string
	Says           string // which rows these are
	Previous, Next string // addresses, or ""
	Links          []PageLink
}

// A PageLink is a link to a page. Without a text it is a gap.
type PageLink struct {
	Text, Link string
	Current    bool
}

// A CrossTable has heads over heads, and lines in groups, which are made while they are drawn.
type CrossTable struct {
	Title  string
	Corner string        // over the names of the lines
	Heads  [][]CrossHead // in rows, from the outermost to the heads of single columns
	Lines  int
	Line   func(i int) CrossLine
}

// A CrossHead is a head over columns of a [CrossTable].
type CrossHead struct {
	Text  string
	Span  int // columns under it
	Deep  int // the number of rows of heads that it spans
	Total bool
	Way   Way
}

// A CrossLine is a line of a [CrossTable].
type CrossLine struct {
	Name  string
	Way   Way
	Level int  // how many groups it is in
	Group bool // it names those below
	Total bool
	Cells []CrossCell // empty for a group without totals
}

// A CrossCell is a cell of a [CrossLine].
type CrossCell struct {
	Text    string
	Color   Color // 0 for none
	Total   bool
	Missing bool
	Way     Way
}

// A Cell is a cell of a [Table].
type Cell struct {
	Text    string
	Name    bool    // it names its row
	Number  bool    // it is aligned to the right
	Barred  bool    // a bar precedes the text
	Bar     float64 // its length, of the longest in the column
	Below   bool    // the bar is of a number below zero
	Heat    Color   // under the text, of a heat map; 0 for none
	Lined   bool    // a small line precedes the text
	Line    CellLine
	Tone    string
	Way     Way
	Missing bool // it represents NULL
}

// A CellLine is a small line in a cell; without points, nothing is drawn.
type CellLine struct {
	Points []Point // of a viewport
	Color  Color
	Says   string // its description, in words
}
