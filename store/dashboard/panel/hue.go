package panel

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// hueNamed returns the hue of a name in [dashboard.Ramps], or else blue.
func hueNamed(name string) canvas.Hue { return canvas.Hue(max(slices.Index(dashboard.Ramps, name), 0)) }

// A rampSide is the colors on one side of the middle of a diverging ramp.
type rampSide struct {
	hue   canvas.Hue
	steps [canvas.SignSteps]int // of the hue, from the middle outwards
}

// color returns the color of a step; step 0 is at the middle.
func (s rampSide) color(step int) canvas.Color { return s.hue.Step(s.steps[step]) }

// The steps of a hue on one side of a middle that are easy to tell from those on the other side: for hues that all people distinguish, and
// for other hues.
var (
	fromPale   = [canvas.SignSteps]int{1, 3, 4, 6}
	fromStrong = [canvas.SignSteps]int{2, 3, 4, 6}
)

// sidesOf returns the colors of a diverging ramp, for low and for high values. Without a name, the ramp has the hue of the measure, if
// there is such a ramp.
func sidesOf(name string, own canvas.Hue) [2]rampSide {
	switch {
	case name == "green_red", name == "" && own == canvas.GreenHue:
		return [2]rampSide{{canvas.TealHue, fromStrong}, {canvas.RedHue, fromStrong}}
	case name == "violet_orange", name == "" && (own == canvas.VioletHue || own == canvas.OrangeHue):
		return [2]rampSide{{canvas.VioletHue, fromPale}, {canvas.OrangeHue, fromPale}}
	}
	return [2]rampSide{{canvas.BlueHue, fromPale}, {canvas.RedHue, fromPale}}
}

// HuesOf returns the names of the styles that a ramp of measures needs: the hues of its colors, regardless of whether the ramp diverges for
// the present rows. Blue is omitted, because every heat map has it.
func HuesOf(s *dashboard.Spec, r *dashboard.Ramp, measures ...string) []string {
	var out []string
	add := func(hues ...canvas.Hue) {
		for _, h := range hues {
			if h != canvas.BlueHue {
				out = append(out, "hue_"+h.String())
			}
		}
	}
	if r == nil {
		r = &dashboard.Ramp{}
	}
	if r.Scale == dashboard.RampLog {
		add(canvas.GrayHue)
	}
	if r.Name != "" && !r.Diverging() {
		add(hueNamed(r.Name))
		return out
	}
	for _, name := range measures {
		own := ownHue(s, name)
		add(own)
		sides := sidesOf(sidesNamed(r), own)
		add(sides[0].hue, sides[1].hue)
	}
	return out
}

// ownHue returns the hue of a measure's color on the page, or else blue.
func ownHue(s *dashboard.Spec, measure string) canvas.Hue {
	if a := s.Appearance(measure); a != nil {
		return hueNamed(a.Color)
	}
	return canvas.BlueHue
}

// sidesNamed returns the diverging ramp that a spec names, or chooses by a middle alone; "" for none.
func sidesNamed(r *dashboard.Ramp) string {
	if r.Name == "" && r.Middle != nil {
		return "blue_red"
	}
	return r.Name
}
