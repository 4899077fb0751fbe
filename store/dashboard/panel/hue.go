package panel

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// hueNamed is the hue of one of [dashboard.Ramps], or blue.
func hueNamed(name string) canvas.Hue { return canvas.Hue(max(slices.Index(dashboard.Ramps, name), 0)) }

// A rampSide is the colors on one side of the middle of a ramp that goes both ways.
type rampSide struct {
	hue   canvas.Hue
	steps [canvas.SignSteps]int // of the hue, from the middle on
}

// color is the color of a step, from 0 at the middle.
func (s rampSide) color(step int) canvas.Color { return s.hue.Step(s.steps[step]) }

// The steps of a hue on one side of a middle, where they are far from those on the other side: of hues that differ for everybody, and of
// others.
var (
	fromPale   = [canvas.SignSteps]int{1, 3, 4, 6}
	fromStrong = [canvas.SignSteps]int{2, 3, 4, 6}
)

// sidesOf are the colors of a diverging ramp: of low values, and of high ones. Without a name it has the hue of the measure, if one does.
func sidesOf(name string, own canvas.Hue) [2]rampSide {
	switch {
	case name == "green_red", name == "" && own == canvas.GreenHue:
		return [2]rampSide{{canvas.TealHue, fromStrong}, {canvas.RedHue, fromStrong}}
	case name == "violet_orange", name == "" && (own == canvas.VioletHue || own == canvas.OrangeHue):
		return [2]rampSide{{canvas.VioletHue, fromPale}, {canvas.OrangeHue, fromPale}}
	}
	return [2]rampSide{{canvas.BlueHue, fromPale}, {canvas.RedHue, fromPale}}
}

// HuesOf are what a ramp of measures needs styles for: the hues of its colors, whether or not these go both ways for the rows. Blue is one
// of every heat map.
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

// ownHue is the hue of a measure's color on the page, or blue.
func ownHue(s *dashboard.Spec, measure string) canvas.Hue {
	if a := s.Appearance(measure); a != nil {
		return hueNamed(a.Color)
	}
	return canvas.BlueHue
}

// sidesNamed is the diverging ramp that a spec names, by a middle alone too; "" for none.
func sidesNamed(r *dashboard.Ramp) string {
	if r.Name == "" && r.Middle != nil {
		return "blue_red"
	}
	return r.Name
}
