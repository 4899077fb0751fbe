package panel

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
)

// visions are the matrices of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency"
// (2009), for linear RGB and full severity.
var visions = map[string][3][3]float64{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// noticeable returns the difference in CIELAB that half of the people see between marks of a size, by Stone, Szafir and Setlur, "An
// Engineering Model for Color Difference as a Function of Size" (2014): for L*, a* and b*, with the size in degrees of visual angle. A
// square of a legend is 9 pixels, a quarter of a degree at a desk.
func noticeable() [3]float64 {
	const size = 0.25
	return [3]float64{5.079 + 0.751/size, 5.339 + 1.541/size, 5.349 + 2.871/size}
}

// TestPalette: each colour has a contrast of 3:1 with a card (WCAG 2.2, 1.4.11), and any two differ noticeably, also for people with colour
// vision deficiencies.
func TestPalette(t *testing.T) {
	t.Parallel()
	pair := regexp.MustCompile(`--(c\d+|card):light-dark\((#\w+),(#\w+)\)`)
	shades := map[string][2]string{}
	for _, m := range pair.FindAllStringSubmatch(html.StyleSource, -1) {
		shades[m[1]] = [2]string{m[2], m[3]}
	}
	names := append(append([]string{}, dashboard.Palette...), dashboard.Gray)
	if len(shades) != len(names)+1 {
		t.Fatalf("%d shades for %d names", len(shades)-1, len(names))
	}
	for theme, of := range []string{"light", "dark"} {
		for i, name := range names {
			shade := shades[fmt.Sprint("c", i+1)][theme]
			if c := contrast(t, shade, shades["card"][theme]); c < 3 {
				t.Errorf("%s, %s: %.2f to the card", of, name, c)
			}
			for j, before := range names[:i] {
				for vision, matrix := range visions {
					d := difference(seen(t, matrix, shade), seen(t, matrix, shades[fmt.Sprint("c", j+1)][theme]))
					if d < 1 {
						t.Errorf("%s, %s: %s and %s differ by %.2f of what is noticeable", of, vision, before, name, d)
					}
				}
			}
		}
	}
}

// TestHeatColors: the number in a cell of a heat map is readable (WCAG 2.2, 1.4.3), and colours show on which side of the middle a cell is,
// also to people with colour vision deficiencies.
func TestHeatColors(t *testing.T) {
	t.Parallel()
	shades := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--(h\d+|ink):light-dark\((#\w+),(#\w+)\)`).FindAllStringSubmatch(html.StyleSource, -1) {
		shades["--"+m[1]] = [2]string{m[2], m[3]}
	}
	values := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--c(\d+):light-dark\((#\w+),(#\w+)\)`).FindAllStringSubmatch(html.StyleSource, -1) {
		values[m[1]] = [2]string{m[2], m[3]}
	}
	inks := map[string][2]string{}
	fill := regexp.MustCompile(`\.(n\d?) text\{fill:(?:var\((--ink)\)|light-dark\((#\w+),(#\w+)\))\}`)
	for _, m := range fill.FindAllStringSubmatch(html.StyleSource, -1) {
		inks[m[1]] = [2]string{m[3], m[4]}
		if m[2] != "" {
			inks[m[1]] = shades[m[2]]
		}
	}
	for _, m := range regexp.MustCompile(`\.(n\d)\{color:light-dark\((#\w+),(#\w+)\)\}`).FindAllStringSubmatch(html.StyleSource, -1) {
		if inks[m[1]] != [2]string{m[2], m[3]} { // in tables, other cells have the ink of the page
			t.Errorf("in tables %s is %v, and in heat maps %v", m[1], m[2:], inks[m[1]])
		}
	}
	of := func(c canvas.Color) [2]string { return shades[fmt.Sprint("--h", int(c-canvas.HeatColor))] }
	for theme, name := range []string{"light", "dark"} {
		for c := canvas.HeatColor; c < canvas.HeatColor+canvas.Color(canvas.HeatColors); c++ {
			if step := int(c-canvas.HeatColor) % canvas.HeatSteps; c.Hue() == canvas.TealHue && !slices.Contains(fromStrong[:], step) ||
				c.Hue() > canvas.TealHue && step >= 5 {
				continue // no ramp uses it, and there are five tones
			}
			ink := inks[strings.TrimSpace(string(html.InkOn(c)))][theme]
			if got := contrast(t, ink, of(c)[theme]); got < 4.5 {
				t.Errorf("%s: a number on h%d has %.2f", name, int(c-canvas.HeatColor), got)
			}
		}
		for c := canvas.Color(1); c <= canvas.OtherColor; c++ { // of cells of texts
			ink := inks[strings.TrimSpace(string(html.InkOn(c)))][theme]
			if got := contrast(t, ink, values[fmt.Sprint(int(c))][theme]); got < 4.5 {
				t.Errorf("%s: a text on c%d has %.2f", name, c, got)
			}
		}
		for vision, matrix := range visions {
			for h := range canvas.TealHue { // neighbouring steps of one ramp differ
				for i := range canvas.HeatSteps - 1 {
					a, b := seen(t, matrix, of(h.Step(i))[theme]), seen(t, matrix, of(h.Step(i + 1))[theme])
					if d := difference(a, b); d < 0.5 {
						t.Errorf("%s, %s: steps %d and %d of %s differ by %.2f of what is noticeable", name, vision, i, i+1, dashboard.Ramps[h], d)
					}
				}
			}
			for ramp, far := range map[string]float64{"blue_red": 3, "violet_orange": 3, "green_red": 1.8} { // of steps equally far from it
				around := domainOf(&dashboard.Column{}, &dashboard.Ramp{Name: ramp}, canvas.BlueHue, []float64{-1, 1})
				for i := range canvas.SignSteps {
					above := seen(t, matrix, of(around.color((float64(i) + 0.5) / canvas.SignSteps))[theme])
					for j := range canvas.SignSteps {
						below := seen(t, matrix, of(around.color(-(float64(j) + 0.5) / canvas.SignSteps))[theme])
						least := 1.0
						if i == j && i > 0 {
							least = far
						}
						if d := difference(above, below); d < least {
							t.Errorf("%s, %s: step %d above the middle of %s and %d below differ by %.2f of what is noticeable",
								name, vision, i, ramp, j, d)
						}
					}
				}
			}
		}
	}
}

// difference returns the difference between two colours in CIELAB as a multiple of the noticeable one.
func difference(a, b [3]float64) float64 {
	sum := 0.0
	for i, n := range noticeable() {
		sum += (a[i] - b[i]) * (a[i] - b[i]) / (n * n)
	}
	return math.Sqrt(sum)
}

// seen returns a colour, in CIELAB under D65, as seen with a colour vision.
func seen(t *testing.T, vision [3][3]float64, shade string) [3]float64 {
	t.Helper()
	if len(shade) == 4 {
		shade = "#" + shade[1:2] + shade[1:2] + shade[2:3] + shade[2:3] + shade[3:4] + shade[3:4]
	}
	n, err := strconv.ParseUint(shade[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	var linear, rgb [3]float64
	for i := range linear {
		v := float64(n>>(16-8*i)&255) / 255
		if linear[i] = v / 12.92; v > 0.04045 {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	for i, row := range vision {
		rgb[i] = min(max(row[0]*linear[0]+row[1]*linear[1]+row[2]*linear[2], 0), 1)
	}
	f := func(x, white float64) float64 {
		if x /= white; x > 216.0/24389 {
			return math.Cbrt(x)
		}
		return (24389.0/27*x + 16) / 116
	}
	x := f(0.4124564*rgb[0]+0.3575761*rgb[1]+0.1804375*rgb[2], 0.95047)
	y := f(0.2126729*rgb[0]+0.7151522*rgb[1]+0.0721750*rgb[2], 1)
	z := f(0.0193339*rgb[0]+0.1191920*rgb[1]+0.9503041*rgb[2], 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}
