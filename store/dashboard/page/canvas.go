package page

import (
	"slices"
	"strings"

	"service/store/dashboard/geo"
)

// A canvas is what figures draw on. A figure says what there is, where it lies and what it means;
// the painter behind the canvas knows the format, the fonts and the look of each token. So figures
// contain no markup, colours or sizes of text.
//
// Blocks stand one below another, as wide as their panel. Marks stand inside a picture, at its
// coordinates. picture, viewport, extent, group, list, item, facets, facet, beside and halves begin something, and end ends it;
// they nest in the order that the figures show.
//
// Painters must not keep the slices that they get, because figures reuse them.
type canvas interface {
	// Blocks.
	section(title, text string)
	number(text, tone string) // the large number of a KPI
	delta(d delta)            // how it has changed
	ramp(r ramp)
	axisName(text string, of side) // the name of an axis of numbers
	axisNames(left, right string)  // of the axes of numbers on either side
	table(t table)
	crossTable(t crossTable)
	richText(t formatted)
	note(text string)              // what one must know to read the panel right
	message(text string, bad bool) // in place of a figure: why there is nothing to show, or why it cannot be shown
	facets(p smallPlots)           // small plots in a grid
	facet(name string)             // one of them, with its name
	beside()                       // a ring and, beside it, a list
	halves()                       // two pictures of a year
	list(kind listKind)            // of items
	item(i item)                   // of a list; may hold a strip
	picture(p picture)             // holds marks
	viewport()                     // of a picture, all over it: 1000 by 1000 units, stretched; lines keep their width; it clips
	extent(width, height int)      // of a map, all over it: this many units, for shapes; it clips
	group(g group)                 // of marks
	end()                          // of the last of these that has begun

	// Marks.
	line(l line)
	rect(r rect)
	circle(c circle)
	arc(a arc)
	curve(c curve)
	area(a area)
	label(l label)
	shape(s shape)
}

// A cell has this many characters at most, and the table behind a figure this many rows, unless it is that of small plots. CSV has
// all.
const (
	maxCell   = 200
	maxBehind = 200
)

// A color is a token: 1 to 10 are those of [dashboard.Palette].
type color uint8

const (
	otherColor color = maxSeries + 1  // gray: of Other, and of what has no value
	heatColor  color = otherColor + 1 // the first, palest, step of a heat map
)

const (
	maxSeries = 10 // series that get a colour; the rest becomes Other
	heatSteps = 7
	signSteps = 4 // on either side of zero
)

// depth is how dark a colour of a heat map is under a text, from 0 to 2: each has an ink in which texts can be read.
func (c color) depth() int {
	switch step := c - heatColor; {
	case step < 4, step == heatSteps, step == heatSteps+1:
		return 0
	case step == 4, step == heatSteps+2:
		return 1
	}
	return 2
}

// A ramp is the legend of colors that stand for numbers.
type ramp struct {
	colors []color
	texts  []string // at the ends of the colors, one more than these; "" for none
}

// seriesColor is a colour by its place in the palette, from 0.
func seriesColor(i int) color { return color(i%maxSeries + 1) }

// A coord is a place along one axis of a picture, or a length. The zero coord is
// not set: the left or upper edge, or, of a size, all of it.
type coord struct {
	v    float64
	unit unit
}

type unit uint8

const (
	unset    unit = iota
	fraction      // of the picture's width or height
	pixels        // of CSS; in a ring, its units
)

// of is a fraction of a picture, from 0 on the left or at the top to 1.
func of(v float64) coord { return coord{v, fraction} }

// px is a number of pixels.
func px(v float64) coord { return coord{v, pixels} }

type pictureKind uint8

const (
	plotPicture     pictureKind = iota // a chart with axes; its labels stand outside of it, on the left and below
	ringPicture                        // a square of 42 by 42 units
	sparkPicture                       // a viewport of its own
	stripPicture                       // a bar in an item of a list
	progressPicture                    // a bar, on the track that it runs along
	mapPicture                         // a map, which keeps its aspect whatever its width
	halfPicture                        // a plot of half a year: it joins the other half where there is room, and else stands above it
	fullPicture                        // a plot that has nothing around it
)

type picture struct {
	kind   pictureKind
	title  string     // what it shows, and in one sentence what it says, for those
	says   string     // who do not see it; both "" when text beside it says the same
	height int        // in pixels; of a map, on a desktop
	aspect geo.Aspect // of a map
	left   []string   // the labels on the left of a plot, which need room
	right  []string   // and on its right, where it has an axis there
	places places
	list   rowList // of places whose cells are rows
	offset int     // of its rows in the table behind, where that has those of other plots before them
	small  bool    // it is one of several, which share their labels
	sketch widths  // the width of panels whose marks a drawing in characters has; 0 for a desktop
}

// places are where the rows of the table behind a plot lie on it: this many
// columns, evenly spaced from edge to edge.
type places struct {
	columns int       // 0 when nothing lies at regular places
	rows    int       // of a grid of rows and columns
	bands   bool      // columns are as wide as their share, and not points
	at      []float64 // of points that are not evenly spaced, from 0 to 1
}

// A rowList says which rows of the table behind are the cells of a grid, one column
// after the other. Rows are counted from 0.
type rowList struct {
	first    int // of the first cell, or what it would be
	from, to int // those that there are, without the last; the same for no list
}

// A group is marks with a look in common, or that lead somewhere together.
type group struct {
	look   look // of its labels
	anchor anchor
	widths widths // on which it is shown
	turn   turn   // of its labels
	on     color  // what lies under its labels
	title  string // what one reads of it
	link   string // where it leads
}

// widths are those of the panels, as masks: 0 is all of them.
type widths uint8

const (
	phone widths = 1 << iota
	tablet
	desktop
	half // with others: they meet at halfInside, and not at desktopInside
)

// A turn is how labels under a plot are laid so that all of them fit.
type turn uint8

const (
	upright   turn = iota
	twoLines       // one below another
	aslant         // always
	narrow         // on a phone
	narrowFew      // on a phone, and they are short
)

// A line is straight.
type line struct {
	x1, x2, y1, y2 coord
	stroke         stroke
	tone           string // of a reference
	color          color  // of a thin or bold line
}

type stroke uint8

const (
	gridLine      stroke = iota
	zeroLine             // of a grid
	referenceLine        // dashed
	linkLine             // from one mark to the next
	markLine             // short, across a bar
	cutLine              // a gap through a bar
	thinLine             // in a colour
	boldLine             // in a colour
	eventLine            // thin, from top to bottom
)

type rect struct {
	x, y, width, height coord
	round               int // radius of its corners, in pixels
	color               color
	hatched             bool // of an incomplete period
	touching            bool // others stand right beside it
	pale                bool // of what is gone, or has a text on it
	outlined            bool // by a line of its colour, and pale inside
	title               []string
	row                 int  // as of a circle
	shade               bool // a range of values, or a span of time, in a tone and under all marks
	tone                string
}

type circle struct {
	x, y   coord
	radius float64 // in pixels
	color  color
	sheer  bool     // others may lie under it, and it has a tooltip
	rimmed bool     // it keeps its distance from marks under it, and lets none shine through
	title  []string // what one reads of it, in pieces
	row    int      // of the table behind, from 1, whose link it follows; 0 for none
}

// An arc is a piece of a ring, clockwise from the top.
type arc struct {
	from, share float64 // of the whole
	gap         float64 // hundredths of the whole that the next arc keeps away
	color       color
	title       []string
	row         int // as of a circle
}

// A point of a curve, in the units of a viewport. A gap comes before it when broken.
type point struct {
	x, y    int
	broken  bool
	partial bool // of an incomplete period
}

type curve struct {
	points []point
	color  color
	thin   bool
	dashed bool // of incomplete periods
	over   bool // other marks: it keeps its distance from them
	bold   bool // a moving average, over the line that it is of
	trend  bool
	title  string // what one reads of it, or ""
}

// An area lies between points and others below them or, without these, a level.
// Its colour lets others shine through, unless it is solid.
type area struct {
	points, under []point
	floor         int
	color         color
	solid         bool
}

// A shape is a filled outline in an extent.
type shape struct {
	rings   [][]geo.Point // in its units; by the even-odd rule
	color   color         // 0 for land, of which the map says nothing
	hatched bool          // there is no value
	title   []string
	row     int // of the table behind, from 1
}

// A label is text in a picture.
type label struct {
	x, y   coord
	down   int // pixels further down
	right  int // and to the right
	look   look
	anchor anchor
	text   string
}

type look uint8

const (
	grouped     look = iota // as its group
	axisText                // small and muted
	markedText              // the same, readable on top of marks
	totalText               // large, in the middle of a ring
	captionText             // under it
	cellText                // in a cell of a heat map, readable on its colour
	valueText               // the value of a mark, beside or on top of it
)

type anchor uint8

const (
	atStart anchor = iota
	atMiddle
	atEnd
)

type side uint8

const (
	ySide side = iota // that of the axis of y
	xSide
)

// A delta is what a KPI is compared with.
type delta struct {
	missing string // in place of all the others: why it is compared with nothing, or how much of a target it is
	way     int    // -1, 0 or 1, as the change is written
	tone    string
	change  string // in its own words, with its sign
	was     string
	versus  string // what the other value is
}

// A formatted text has headings, lists and links.
type formatted interface {
	markup() string // as HTML, which is safe
	plain() string  // on one line
}

// smallPlots are how many plots lie in a grid, as it is on a desktop.
type smallPlots struct {
	count, columns int
	height         int      // of each, in pixels
	left           []string // the labels on the left, which those of a row share
}

// A way is a link, or none.
type way struct {
	to string // an address that was checked; "" for none
	on bool   // what it leads to is so already, and it takes that away
}

// A field is one that a form sends and that its viewer does not see.
type field struct{ name, value string }

// absolute reports whether s names a scheme that a link may have, so no script.
func absolute(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// leads reports whether a link may lead to s: an absolute address, or a path that no browser takes
// for a host.
func leads(s string) bool {
	return absolute(s) || strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") && !strings.HasPrefix(s, `/\`)
}

type listKind uint8

const (
	legendList listKind = iota // which colour is which series
	ringList                   // colour, name, value and share of a ring's arcs
	barList                    // name, value and share over a strip
	keyList                    // what colours mean that are no series
)

type item struct {
	way
	color  color // 0 for none
	line   bool  // the color is that of a line, beside bars
	dashed bool  // which is dashed
	pale   bool  // the color is so inside
	mark   bool  // a markLine of a tone, in place of a colour
	flat   bool  // which is across standing bars
	shade  bool  // a shade of a tone, in place of a colour
	tone   string
	name   string
	value  string // "" for none
	share  string // "" for none
	more   string // under the strip; "" for none
}

// A table has cells that are asked for as they are drawn, or measured before.
type table struct {
	title  string
	heads  []head
	rows   int
	cell   func(row, column int) cell
	foot   []cell  // a row of totals, which is none of rows; nil for none
	none   string  // in place of rows, where there are none
	search *search // nil for none
	pages  *pages  // nil where all rows are drawn
}

type head struct {
	text   string
	group  string // the head over it and its neighbours of the same group; "" for none
	number bool   // the column holds numbers
	barred bool   // and bars beside them
	lined  bool   // and small lines
	sorted int    // 1 where its values ascend, -1 where they descend
	link   string // to the table sorted by it, or ""
	says   string // what the link does
}

// grouped reports whether heads are over heads.
func (t *table) grouped() bool {
	return slices.ContainsFunc(t.heads, func(h head) bool { return h.group != "" })
}

// groupEnd is behind the last head of the group of a head, which is a group of its own where it has none.
func (t *table) groupEnd(from int) int {
	to := from + 1
	for to < len(t.heads) && t.heads[from].group != "" && t.heads[to].group == t.heads[from].group {
		to++
	}
	return to
}

// A search asks for words, and keeps what else the address says.
type search struct {
	label, name, value string
	most               int // characters of the words
	keep               []field
	clear              string // where the link leads that ends a search, or ""
}

// pages are the way to the other rows of a table.
type pages struct {
	label          string
	says           string // which rows these are
	previous, next string // addresses, or ""
	links          []pageLink
}

// A pageLink without a text is a gap.
type pageLink struct {
	text, link string
	current    bool
}

// A crossTable has heads over heads, and lines in groups, which are asked for as they are
// drawn.
type crossTable struct {
	title  string
	corner string        // over the names of the lines
	heads  [][]crossHead // in rows, from the outer to those over one column each
	lines  int
	line   func(i int) crossLine
}

type crossHead struct {
	text  string
	span  int // columns under it
	deep  int // rows of heads that it takes
	total bool
	way   way
}

type crossLine struct {
	name  string
	way   way
	level int  // how many groups it is in
	group bool // it names those below
	total bool
	cells []crossCell // none for a group without totals
}

type crossCell struct {
	text    string
	color   color // 0 for none
	total   bool
	missing bool
	way     way
}

type cell struct {
	text    string
	name    bool    // it names its row
	number  bool    // it stands on the right
	barred  bool    // a bar stands before the text
	bar     float64 // its length, of the longest in the column
	below   bool    // the bar is of a number below zero
	heat    color   // under the text, of a heat map; 0 for none
	lined   bool    // a small line stands before the text
	line    cellLine
	tone    string
	way     way
	missing bool // it stands for NULL
}

// A cellLine is a small line in a cell; without points there is none.
type cellLine struct {
	points []point // of a viewport
	color  color
	says   string // what one reads of it
}
