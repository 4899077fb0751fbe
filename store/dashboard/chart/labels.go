package chart

import (
	"math"
	"slices"

	"service/store/dashboard/canvas"
)

func drawGridline(c canvas.Canvas, s Scale, v float64) {
	y, stroke := canvas.Of(s.at(v)), canvas.GridLine
	if v == 0 {
		stroke = canvas.ZeroLine
	}
	c.Line(canvas.Line{X2: canvas.Of(1), Y1: y, Y2: y, Stroke: stroke})
}

// drawRight writes the names of the gridlines on the right, by another scale.
func drawRight(c canvas.Canvas, s Scale, texts []string) {
	for i, v := range s.Ticks() {
		if texts[i] != "" {
			c.Label(canvas.Label{
				X: canvas.Of(1), Right: 8, Y: canvas.Of(s.at(v)), Down: 4, Look: canvas.AxisText, Anchor: canvas.AtStart, Text: texts[i],
			})
		}
	}
}

func drawTick(c canvas.Canvas, s Scale, v float64, text string) {
	c.Label(canvas.Label{X: canvas.Px(-8), Y: canvas.Of(s.at(v)), Down: 4, Look: canvas.AxisText, Anchor: canvas.AtEnd, Text: text})
}

// A Label is a text under the plot.
type Label struct {
	At   float64
	Text string
	more string        // its second line
	over bool          // it is above the plot
	pull bool          // it would leave the panel, and is pulled into it
	edge canvas.Anchor // the label begins or ends at its place
}

// drawX draws labels in up to three tiers, one for each width: the tier that fits is shown. Texts never collide, not even on a phone. A
// width without labels has none of another.
func drawX(c canvas.Canvas, tiers [3][]Label) {
	for i := 0; i < len(tiers); {
		g := canvas.Group{}
		j := i
		for ; j < len(tiers) && slices.Equal(tiers[j], tiers[i]); j++ {
			g.Widths |= 1 << j
		}
		if g.Widths == canvas.Phone|canvas.Tablet|canvas.Desktop {
			g.Widths = 0
		}
		if tiers[i] != nil {
			drawTier(c, tiers[i], g)
		}
		i = j
	}
}

func drawTier(c canvas.Canvas, labels []Label, g canvas.Group) {
	g.TwoLines = slices.ContainsFunc(labels, func(l Label) bool { return l.more != "" })
	g.Look, g.Anchor = canvas.AxisText, canvas.AtMiddle
	c.Group(g)
	for _, l := range labels {
		out := canvas.Label{X: canvas.Of(l.At), Y: canvas.Of(1), Down: canvas.BelowPlot, Text: l.Text}
		if l.over {
			out.Y, out.Down = canvas.Coord{}, -canvas.AboveCells
		}
		if l.pull {
			out.Look, out.Anchor = canvas.AxisText, l.edge
		}
		if l.Text != "" {
			c.Label(out)
		}
		if out.Text = l.more; l.more != "" {
			out.Down += lineHeight
			c.Label(out)
		}
	}
	c.End()
}

// kept moves labels at the edges into the panel, and drops those that then overlap their neighbours. left and right are the room beside the
// plot.
func kept(labels []Label, width, left, right float64) []Label {
	out := labels[:0]
	ends := [2]float64{math.Inf(-1), math.Inf(-1)} // of the last label of each line, in pixels
	for i, l := range labels {
		w := max(canvas.LabelWidth(l.Text), canvas.LabelWidth(l.more))
		from := l.At*width - w/2
		switch {
		case from+w > width+right:
			l.At, l.pull, l.edge = 1, true, canvas.AtEnd
			from = width - w
		case from < -left:
			l.At, l.pull, l.edge = 0, true, canvas.AtStart
			from = 0
		}
		in := [2]bool{l.Text != "" || l.more == "", l.more != ""}
		if i > 0 && (in[0] && from < ends[0]+4 || in[1] && from < ends[1]+4) {
			continue
		}
		out = append(out, l)
		for line := range ends {
			if in[line] {
				ends[line] = from + w
			}
		}
	}
	return out
}

// lineHeight is the distance between lines of a label, in pixels.
const lineHeight = 14

// brokenInTwo returns texts in two lines, each broken at the space, or after the hyphen, that makes its longer line shortest.
func brokenInTwo(texts []string) (first, second []string) {
	first, second = slices.Clone(texts), make([]string, len(texts))
	for i, t := range texts {
		least := canvas.LabelWidth(t)
		for at, r := range t {
			if r != ' ' && r != '-' {
				continue
			}
			a, b := t[:at], t[at+1:]
			if r == '-' {
				if a = t[:at+1]; at == 0 || b == "" || t[at-1] == ' ' || b[0] <= '9' { // a sign, a dash, or a range
					continue
				}
			}
			if w := max(canvas.LabelWidth(a), canvas.LabelWidth(b)); w < least {
				first[i], second[i], least = a, b, w
			}
		}
	}
	return first, second
}

// Bands returns the middles of n bands of equal width, as fractions of the width.
func Bands(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = (float64(i) + 0.5) / float64(n)
	}
	return out
}

// everyOne returns a label for each place.
func everyOne(texts []string, at []float64) []Label {
	out := make([]Label, len(texts))
	for i, t := range texts {
		out[i] = Label{At: at[i], Text: t}
	}
	return out
}

// EveryNth returns labels of every n-th place, for the smallest n with which they do not touch.
func EveryNth(texts []string, at []float64, width float64) []Label {
	wide := make([]float64, len(texts))
	for i, t := range texts {
		wide[i] = canvas.LabelWidth(t)
	}
	step := 1
	for ; step < len(texts); step++ {
		free := true
		for i := step; i < len(texts) && free; i += step {
			free = math.Abs(at[i]-at[i-step])*width >= (wide[i]+wide[i-step])/2+12
		}
		if free {
			break
		}
	}
	var out []Label
	for i := 0; i < len(texts); i += step {
		out = append(out, Label{At: at[i], Text: texts[i]})
	}
	return out
}

// Thinned returns the labels of places that fit, from the first.
func Thinned(texts []string, at []float64, width float64) []Label {
	var out []Label
	end := math.Inf(-1) // of the last label, in pixels
	for i, t := range texts {
		half := canvas.LabelWidth(t) / 2
		if x := at[i] * width; x-half >= end {
			out = append(out, Label{At: at[i], Text: t})
			end = x + half + 12
		}
	}
	return out
}

// Fits reports whether labels fit side by side without touching.
func Fits(labels []Label, width float64) bool {
	for i := 1; i < len(labels); i++ {
		if (labels[i].At-labels[i-1].At)*width < (canvas.LabelWidth(labels[i].Text)+canvas.LabelWidth(labels[i-1].Text))/2+14 {
			return false
		}
	}
	return true
}

// FitsInside is [Fits] of labels of which the first and the last are moved into the panel if they would leave it.
func FitsInside(labels []Label, width float64) bool {
	end := math.Inf(-1)
	for i, l := range labels {
		w := canvas.LabelWidth(l.Text)
		from, to := l.At*width-w/2, l.At*width+w/2
		if i == 0 && from < -canvas.Padding {
			to = max(to, w)
		}
		if i == len(labels)-1 && to > width+canvas.RightMargin+canvas.Padding {
			from = width - w
		}
		if from < end+10 {
			return false
		}
		end = to
	}
	return true
}
