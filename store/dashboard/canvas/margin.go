package canvas

// Widths of a panel's inside, in CSS pixels, for which labels are chosen: the least width of each class in the style.
const (
	PhoneInside   = 300.0 // of a window of 360 pixels
	ArticleInside = 652.0
	TabletInside  = 480.0
	HalfInside    = 560.0 // of a card of half the width of a desktop
	DesktopInside = 820.0
	Shrunk        = 0.76 // the share of its width that a panel has in the narrowest window with panels side by side
	Padding       = 14.0 // of a card on a phone
	RightMargin   = 12.0 // of a plot
)

// BelowPlot is the distance of labels below the plot, in pixels.
const BelowPlot = 19

// AboveCells is the distance of column names above cells, in pixels.
const AboveCells = 7

// MapHeight is the maximal height of a map, in pixels. The style repeats it.
const MapHeight = 540

// Margins are the left margins of plots, in pixels. The classes of the style repeat them. On a phone all are at most [PhoneMargin] wide.
var Margins = [...]float64{36, 52, 72, 96, 128, 168, 224}

// PhoneMargin is the widest left margin on a phone, in pixels.
const PhoneMargin = 96

// MarginOf returns the narrowest of [Margins] in which labels fit, and its index there.
func MarginOf(labels []string) (class int, pixels float64) {
	longest := 0.0
	for _, s := range labels {
		longest = max(longest, LabelWidth(s))
	}
	for class < len(Margins)-1 && longest+8 > Margins[class]+4 { // some of the card's padding
		class++
	}
	return class, Margins[class]
}
