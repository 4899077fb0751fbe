package picture

import (
	"regexp"
	"sync"

	"service/store/dashboard/canvas/html"
	"service/store/dashboard/scene"
)

// nights maps the colours of the light theme to those of the dark one. If two tokens have the same light colour, the earlier one in the
// style counts: the most frequent ones are first there.
var nights = sync.OnceValue(func() map[Rgba]Rgba {
	out := map[Rgba]Rgba{}
	put := func(day, night string) {
		if _, ok := out[inkOf(day)]; !ok {
			out[inkOf(day)] = inkOf(night)
		}
	}
	const hex = `#((?:[0-9a-f]{3}){1,2}(?:[0-9a-f]{2})?)`
	for _, m := range regexp.MustCompile(`light-dark\(`+hex+`,`+hex+`\)`).FindAllStringSubmatch(html.StyleSource, -1) {
		put(m[1], m[2])
	}
	return out
})

// Darken converts the scene to the dark theme.
func (w *Painter) Darken() {
	change := func(c *Rgba) {
		if night, ok := nights()[*c]; ok {
			*c = night
			return
		}
		alpha := c.A
		opaque := *c
		opaque.A = 255
		if night, ok := nights()[opaque]; ok {
			*c = night
			c.A = alpha
		}
	}
	change(&w.Back)
	for _, i := range w.Items {
		switch i := i.(type) {
		case *scene.Shape:
			change(&i.Fill)
			change(&i.Stroke)
			change(&i.Hatch.Ground)
			change(&i.Hatch.Stripe)
		case *scene.Text:
			change(&i.Color)
			change(&i.Halo)
		}
	}
}
