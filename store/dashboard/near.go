package dashboard

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"service/store/pattern"
	"service/store/suggest"
)

// colorNamed returns the colour of [Palette], or gray, that a name means, or "". near reports whether it is only the nearest one, as blue
// is for navy. Names of CSS are known, and colours of numbers, such as #ff8800 and rgb(255, 136, 0).
func colorNamed(name string) (named string, near bool) {
	plain := suggest.Plain(name)
	for _, palette := range colorNames {
		if plain == palette {
			return palette, false
		}
	}
	if other := otherColors[plain]; other != "" {
		return other, true
	}
	switch plain {
	case "grey":
		return Gray, false
	case "purple":
		return "violet", false
	}
	if c, ok := colornames.Map[plain]; ok {
		return nearest(c), true
	}
	if c, ok := colorOfNumbers(name); ok {
		return nearest(c), true
	}
	return "", false
}

// cssColor reports whether a text is written as a colour of numbers is in CSS: #ff8800 or rgb(255, 136, 0).
func cssColor(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return strings.HasPrefix(s, "#") || strings.HasPrefix(s, "rgb") || strings.HasPrefix(s, "hsl")
}

var (
	hexColor   = pattern.New(`^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$`)
	colorParts = pattern.New(`^(rgb|hsl)a?\( *(-?[0-9.]+)(?:deg)?[ ,]+([0-9.]+)%?[ ,]+([0-9.]+)%?(?:[ ,/]+[0-9.]+%?)? *\)$`)
)

// colorOfNumbers reads a colour of CSS that is written in numbers. It ignores opacity.
func colorOfNumbers(s string) (color.RGBA, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if hexColor.MatchString(s) {
		digits := s[1:]
		if len(digits) < 6 {
			digits = strings.Repeat(digits[:1], 2) + strings.Repeat(digits[1:2], 2) + strings.Repeat(digits[2:3], 2)
		}
		n, err := strconv.ParseUint(digits[:6], 16, 32)
		return color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 255}, err == nil
	}
	parts := colorParts.FindStringSubmatch(s)
	if parts == nil {
		return color.RGBA{}, false
	}
	var v [3]float64
	for i, text := range parts[2:5] {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return color.RGBA{}, false
		}
		v[i] = f
	}
	if parts[1] == "hsl" {
		return ofHue(math.Mod(math.Mod(v[0], 360)+360, 360), min(v[1]/100, 1), min(v[2]/100, 1)), true
	}
	part := func(f float64) uint8 { return uint8(min(max(f, 0), 255)) }
	return color.RGBA{R: part(v[0]), G: part(v[1]), B: part(v[2]), A: 255}, true
}

// ofHue returns the colour of a hue in degrees, a saturation and a lightness from 0 to 1.
func ofHue(hue, saturation, lightness float64) color.RGBA {
	part := func(n float64) uint8 {
		k := math.Mod(n+hue/30, 12)
		v := lightness - saturation*min(lightness, 1-lightness)*max(-1, min(k-3, 9-k, 1))
		return uint8(math.Round(255 * v))
	}
	return color.RGBA{R: part(0), G: part(8), B: part(4), A: 255}
}

// nearest returns the colour of [Palette], or gray, whose name people give to c.
func nearest(c color.RGBA) string {
	r, g, b := float64(c.R)/255, float64(c.G)/255, float64(c.B)/255
	high, low := max(r, g, b), min(r, g, b)
	chroma, lightness := high-low, (high+low)/2
	if chroma < 0.12 {
		return Gray
	}
	hue := 0.0
	switch high {
	case r:
		hue = math.Mod((g-b)/chroma+6, 6)
	case g:
		hue = (b-r)/chroma + 2
	default:
		hue = (r-g)/chroma + 4
	}
	hue *= 60
	switch {
	case hue >= 15 && hue < 45 && (lightness < 0.42 || chroma < 0.4 && lightness < 0.75), hue < 15 && chroma < 0.4 && lightness < 0.7:
		return "brown"
	case hue < 15 || hue >= 345:
		if lightness > 0.72 {
			return "pink"
		}
		return "red"
	case hue < 42:
		return "orange"
	case hue < 66:
		return "yellow"
	case hue < 96:
		return "lime"
	case hue < 165:
		return "green"
	case hue < 200:
		return "cyan"
	case hue < 252:
		return "blue"
	case hue < 296:
		return "violet"
	default:
		return "pink"
	}
}

// nearColor returns the colour that a name means and, if that is only the nearest, the words for a warning.
func nearColor(written string) (named, words string) {
	named, near := colorNamed(written)
	if near {
		words = fmt.Sprintf("%s is drawn in %s", quote(written), named)
	}
	return named, words
}

// warnNear warns of colours that are drawn in the nearest one of the page, in words of [nearColor].
func (c *checker) warnNear(path string, words []string) {
	if len(words) > 0 {
		c.warnf(WarnColorsNear, path, "%s: each colour of a page has a shade for light and for dark screens; names: %s.",
			strings.Join(words, ", "), strings.Join(colorNames, ", "))
	}
}
