package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"service/server/browsertest"
	"service/store/dashboard"
)

var gallery = flag.Bool("gallery", false, "take the pictures of docs/gallery anew")

const galleryFile = "../../docs/gallery.md"

// A shown is the panel of the demo that represents its type in the gallery.
type shown struct {
	slug  string
	index int
	spec  string // as the file has it
	title string
}

// demoSpecs returns the title and the panels of a spec of the demo.
func demoSpecs(t *testing.T, slug, file string) (title string, panels []json.RawMessage) {
	t.Helper()
	var spec struct {
		Title  string
		Panels []json.RawMessage
	}
	if err := json.Unmarshal([]byte(demoText(file)), &spec); err != nil {
		t.Fatalf("%s: %v", slug, err)
	}
	return spec.Title, spec.Panels
}

// TestGallery compares docs/gallery.md with the demo, which shows every type of panel. With
// -update it writes the page, and with -gallery it takes the pictures as well.
func TestGallery(t *testing.T) {
	t.Parallel()
	of := map[string]shown{}
	var page strings.Builder
	var pages []string
	for _, p := range demoPages {
		if len(p.tables) == 0 {
			continue
		}
		title, panels := demoSpecs(t, p.slug, p.file)
		pages = append(pages, p.slug)
		fmt.Fprintf(&page, "### %s\n\nThe spec is [%s](../cmd/service/demo/%s).\n\n", title, p.file, p.file)
		fmt.Fprintf(&page, "![%s](gallery/%s.webp)\n\n", title, p.slug)
		for i, raw := range panels {
			var panel struct{ Type, Title string }
			if err := json.Unmarshal(raw, &panel); err != nil {
				t.Fatalf("%s, panel %d: %v", p.slug, i, err)
			}
			if _, ok := of[panel.Type]; !ok {
				of[panel.Type] = shown{p.slug, i, string(raw), panel.Title}
			}
		}
	}
	page.WriteString("## A panel of each type\n\n")
	for _, name := range dashboard.PanelTypes() {
		s, ok := of[name]
		if !ok {
			t.Errorf("no dashboard of the demo has a panel of type %s", name)
			continue
		}
		fmt.Fprintf(&page, "### %s\n\n```json\n%s\n```\n\n", name, s.spec)
		if name != dashboard.Section {
			fmt.Fprintf(&page, "![%s](gallery/%s.webp)\n\n", s.title, name)
		}
	}
	compareGallery(t, page.String())
	if *gallery {
		takePictures(t, pages, of)
	}
	for _, name := range append(pages, dashboard.PanelTypes()...) {
		if name == dashboard.Section {
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(galleryFile), "gallery", name+".webp")); err != nil {
			t.Errorf("%v: go test ./cmd/service -run TestGallery -gallery takes it", err)
		}
	}
}

// compareGallery compares the generated part of the page.
func compareGallery(t *testing.T, want string) {
	t.Helper()
	text, err := os.ReadFile(galleryFile)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "## Three dashboards\n\n"
	head, _, ok := strings.Cut(string(text), begin)
	if !ok {
		t.Fatalf("%s has no heading %q", galleryFile, begin)
	}
	want = head + begin + strings.TrimSuffix(want, "\n")
	if *update {
		if err := os.WriteFile(galleryFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is not current: go test ./cmd/service -run TestGallery -update (-want +got):\n%s", galleryFile, diff)
	}
}

// takePictures takes a picture of each page in the width of a desktop, and one of each panel.
func takePictures(t *testing.T, pages []string, of map[string]shown) {
	t.Helper()
	s := startSite(t, "SERVICE_DEMO=true")
	p := s.person(t).at("/", demoPeople()[0].Email)
	folder := filepath.Join(filepath.Dir(galleryFile), "gallery")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, slug := range pages {
		p.Do(chromedp.EmulateViewport(1280, 900))
		p.open(demoWorkspace, slug)
		picture(t, p.Tab, "html", filepath.Join(folder, slug+".webp"), 0)
		if slug == pages[0] { // the picture in README.md
			picture(t, p.Tab, "html", filepath.Join(folder, "front.webp"), 800)
		}
		for name, shown := range of {
			if shown.slug == slug && name != dashboard.Section {
				picture(t, p.Tab, fmt.Sprintf(`article[aria-labelledby="p%d"]`, shown.index), filepath.Join(folder, name+".webp"), 0)
			}
		}
	}
}

// picture writes a picture of an element: its whole height, or at most so many pixels.
func picture(t *testing.T, b *browsertest.Tab, selector, file string, most float64) {
	t.Helper()
	type box struct {
		X      float64 `json:"x"`
		Y      float64 `json:"y"`
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
		Scale  float64 `json:"scale"`
	}
	at := browsertest.Eval[box](b, `(()=>{const r=document.querySelector(`+strconv.Quote(selector)+`).getBoundingClientRect();
		return {x:r.x+scrollX,y:r.y+scrollY,width:r.width,height:r.height,scale:1}})()`)
	if most > 0 {
		at.Height = min(at.Height, most)
	}
	var shot struct {
		Data []byte `json:"data"`
	}
	b.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return target.Call(ctx, "Page.captureScreenshot", map[string]any{
			"format": "webp", "quality": 80, "captureBeyondViewport": true,
			"clip": at,
		}, &shot)
	}))
	if err := os.WriteFile(file, shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}
