package page

// Widths of a panel's inside, in CSS pixels, for which labels are chosen: the
// least on which the style shows them.
const (
	phoneInside   = 300.0 // of a window of 360 pixels
	articleInside = 652.0
	tabletInside  = 480.0
	halfInside    = 560.0 // of a card of half the width of a desktop
	desktopInside = 820.0
	shrunk        = 0.76 // of its width has a panel in the narrowest window in which panels stand beside each other
	padding       = 14.0 // of a card on a phone
	rightMargin   = 12.0 // of a plot
)

// belowPlot is how far under the plot labels stand, in pixels.
const belowPlot = 19

// aboveCells is how far above cells their columns are named, in pixels.
const aboveCells = 7

// mapHeight is how high a map is at most, in pixels. The style says the same.
const mapHeight = 540

// margins are the left margins of plots, in pixels. The style says the same of
// their classes. On a phone none is wider than phoneMargin.
var margins = [...]float64{36, 52, 72, 96, 128, 168, 224}

const phoneMargin = 96

// marginOf is the narrowest of [margins] in which labels fit, and its place there.
func marginOf(labels []string) (class int, pixels float64) {
	longest := 0.0
	for _, s := range labels {
		longest = max(longest, labelWidth(s))
	}
	for class < len(margins)-1 && longest+8 > margins[class]+4 { // some of the card's padding
		class++
	}
	return class, margins[class]
}
