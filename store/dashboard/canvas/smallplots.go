package canvas

// SmallPlots describes a grid of plots, as it is on a desktop.
type SmallPlots struct {
	Names   []string // of the plots, row by row
	Columns int
	Height  int      // of each, in pixels
	Left    []string // the labels on the left, which the plots of a row share
	Own     bool     // each plot has its labels beside it
	Tiles   bool     // they are numbers, which need less width than plots
}

// TileInside is the minimal width of a number, in pixels, and TileGap the gap between two of them: a phone has room for two.
const (
	TileInside = 140.0
	TileGap    = 30.0
)

// TilesIn returns how many numbers have room side by side in a panel that is so wide inside, in pixels: at least one.
func TilesIn(inside float64) int { return max(int((inside+TileGap)/(TileInside+TileGap)), 1) }

// FacetInside is how wide a panel is inside, at least, that has room for three small plots side by side, in pixels: each is 160 wide.
const FacetInside = 592.0

// ColumnsIn returns how many plots are side by side in a panel that is so wide inside, in pixels: on a phone one, so that none is
// narrower than about 160 pixels.
func (p *SmallPlots) ColumnsIn(inside float64) int {
	switch {
	case p.Tiles:
		return max(min(TilesIn(inside), p.Columns), 1)
	case inside <= TabletInside:
		return 1
	case inside > DesktopInside:
		return p.Columns
	case inside < FacetInside || p.Own || len(p.Names) == 4: // of four, none is alone in its row
		return min(p.Columns, 2)
	}
	return min(p.Columns, 3)
}

// An AxisPlace says which labels of the axes that small plots share are at one of them.
type AxisPlace struct {
	Left, Below bool
	Roomy       bool // a plot of its row has labels below it
}

// AxesOf returns the labels that a plot has in a panel that is so wide inside, in pixels: the first of each row has those on the left, and
// the last of each column those below it. On a phone each plot has all, because the last is far away.
func (p *SmallPlots) AxesOf(plot int, inside float64) AxisPlace {
	columns := p.ColumnsIn(inside)
	if p.Own || inside <= TabletInside {
		return AxisPlace{true, true, true}
	}
	below := func(i int) bool { return i+columns >= len(p.Names) }
	last := min((plot/columns+1)*columns, len(p.Names)) - 1
	return AxisPlace{Left: plot%columns == 0, Below: below(plot), Roomy: below(last)}
}
