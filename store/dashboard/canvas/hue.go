package canvas

import "slices"

// A Hue is the colors of one ramp, from pale to dark, as tokens of the style: h0 to h6 are the first.
type Hue uint8

// The hues, in the order of the ramps that a spec can name. Teal is a green that colour-blind people can distinguish from red.
const (
	BlueHue Hue = iota
	GreenHue
	OrangeHue
	RedHue
	VioletHue
	GrayHue
	TealHue
	ToneHue // not a ramp: the tones, each under numbers
	PaleHue // the tones, each under a row of a table

	hueCount
)

// tones are the tones of thresholds, in the order of the colors of their hues.
var tones = []string{"good", "warn", "bad", "info", "neutral"}

// ToneColor returns the color of a cell or a mark with the tone of a threshold, or 0 for no tone.
func ToneColor(tone string) Color {
	if i := slices.Index(tones, tone); i >= 0 {
		return ToneHue.Step(i)
	}
	return 0
}

// PaleTone returns the color of a row of a table with the tone of a threshold, or 0 for no tone.
func PaleTone(tone string) Color {
	if i := slices.Index(tones, tone); i >= 0 {
		return PaleHue.Step(i)
	}
	return 0
}

// HeatColors is the number of colors of all hues.
const HeatColors = int(hueCount) * HeatSteps

// NoLogColor is the color of a number that is not on a logarithmic ramp: zero and below.
const NoLogColor = HeatColor + Color(GrayHue)*HeatSteps + 1

// PaleColor is the color of marks that recede, because others of their panel are highlighted.
const PaleColor = HeatColor + Color(GrayHue)*HeatSteps + 2

// Step returns a color of the hue, from 0, the palest, to [HeatSteps]-1.
func (h Hue) Step(i int) Color { return HeatColor + Color(int(h)*HeatSteps+i) }

// Hue returns the hue of a color of a ramp.
func (c Color) Hue() Hue { return Hue((c - HeatColor) / HeatSteps) }

// String returns the name of the hue in the style.
func (h Hue) String() string {
	return [...]string{"blue", "green", "orange", "red", "violet", "gray", "teal", "tone", "pale"}[h]
}
