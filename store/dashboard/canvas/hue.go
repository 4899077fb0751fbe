package canvas

// A Hue is the colors of one ramp, from pale to dark, as tokens of the style: h0 to h6 are the first.
type Hue uint8

// The hues, in the order of the ramps that a spec can name. Teal is the green that people who are colour-blind can tell from red.
const (
	BlueHue Hue = iota
	GreenHue
	OrangeHue
	RedHue
	VioletHue
	GrayHue
	TealHue

	hueCount
)

// HeatColors is the number of colors of all hues.
const HeatColors = int(hueCount) * HeatSteps

// NoLogColor is the color of a number that a logarithmic ramp does not have: zero and below.
const NoLogColor = HeatColor + Color(GrayHue)*HeatSteps + 1

// Step returns a color of the hue, from 0, the palest, to [HeatSteps]-1.
func (h Hue) Step(i int) Color { return HeatColor + Color(int(h)*HeatSteps+i) }

// Hue returns the hue of a color of a ramp.
func (c Color) Hue() Hue { return Hue((c - HeatColor) / HeatSteps) }

// String returns the name that the parts of the style have for the hue.
func (h Hue) String() string {
	return [...]string{"blue", "green", "orange", "red", "violet", "gray", "teal"}[h]
}
