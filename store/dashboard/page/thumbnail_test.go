package page

import (
	"bytes"
	"errors"
	"image"
	"testing"

	"service/store/dashboard"
)

// brightness returns the mean brightness of a picture, from 0 to 1.
func brightness(t *testing.T, p *Picture) float64 {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(p.Bytes))
	if err != nil || img.Bounds() != image.Rect(0, 0, 640, 400) {
		t.Fatal(img, err)
	}
	sum := 0.0
	for y := range 400 {
		for x := range 640 {
			r, g, b, _ := img.At(x, y).RGBA()
			sum += float64(r+g+b) / 3 / 0xffff
		}
	}
	return sum / 640 / 400
}

// TestThumbnails: every page has a light and a dark thumbnail.
func TestThumbnails(t *testing.T) {
	t.Parallel()
	for name, v := range cases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if v.Spec == nil {
				t.Skip("it has no panels")
			}
			light, err := Thumbnail(t.Context(), v, false)
			if errors.Is(err, ErrNoFigure) && len(v.Cubes) == 0 {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			dark, err := Thumbnail(t.Context(), v, true)
			if err != nil {
				t.Fatal(err)
			}
			if l, d := brightness(t, light), brightness(t, dark); l < 0.7 || d > 0.35 {
				t.Errorf("brightness %.2f in the light, %.2f in the dark", l, d)
			}
		})
	}
}

// TestThumbnailsOfOthers: a document has thumbnails, too; a page without rows does not.
func TestThumbnailsOfOthers(t *testing.T) {
	t.Parallel()
	for _, dark := range []bool{false, true} {
		p, err := MarkdownThumbnail(t.Context(), Header{Name: "Notes"}, []byte("# Notes\n\nWords, `code` and **more**."), dark)
		if err != nil {
			t.Fatal(err)
		}
		if got := brightness(t, p); dark == (got > 0.5) {
			t.Errorf("dark %t: brightness %.2f", dark, got)
		}
	}
	spec := &dashboard.Spec{Datasets: []dashboard.Dataset{{ID: "orders"}}, Panels: []dashboard.Panel{{Type: "line"}}}
	if _, err := Thumbnail(t.Context(), View{Spec: spec}, false); !errors.Is(err, ErrNoFigure) {
		t.Errorf("without rows: %v", err)
	}
}

// TestThumbnailsShowFigures: neither numbers nor texts hide the figures. A page of numbers alone shows these.
func TestThumbnailsShowFigures(t *testing.T) {
	t.Parallel()
	types := func(panels ...string) (out []dashboard.Panel) {
		for _, p := range panels {
			out = append(out, dashboard.Panel{Type: p})
		}
		return out
	}
	names := func(panels []dashboard.Panel) (out string) {
		for _, p := range panels {
			out += p.Type + " "
		}
		return out
	}
	for want, given := range map[string][]dashboard.Panel{
		"kpi kpi line ":                 types("text", "kpi", "kpi", "section", "kpi", "line", "text"),
		"kpi kpi kpi ":                  types("kpi", "kpi", "kpi"),
		"text ":                         types("text"),
		"bar bar bar bar bar bar ":      types("bar", "bar", "bar", "bar", "bar", "bar", "bar"),
		"text kpi kpi kpi section kpi ": types("text", "kpi", "kpi", "kpi", "section", "kpi", "kpi"),
	} {
		if got := names(telling(given)); got != want {
			t.Errorf("shows %q, want %q", got, want)
		}
	}
}
