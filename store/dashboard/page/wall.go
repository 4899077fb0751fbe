package page

import (
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
)

// A wall is a page for a screen that nobody operates: KPIs first, without controls, and as large as the screen allows, which the script
// computes. Its address has askWall; the script alone reads the others, which name the pages that follow.
const (
	askWall  = "wall"
	askNext  = "next"  // a slug, once or several times
	askEvery = "every" // seconds
)

// The colours of a wall. [Header.Wall] is one of them.
const (
	WallDark  = "dark"
	WallLight = "light"
)

// wallRows is how many rows of a table a wall shows, unless the spec has a page_size.
const wallRows = 10

// WallOf returns the colours of the wall that a query asks for, or "" for a page that is read at a desk.
func WallOf(query url.Values) string {
	values := query[askWall]
	switch {
	case len(values) == 0 || !isWall(values[0]):
		return ""
	case values[0] == WallLight:
		return WallLight
	}
	return WallDark
}

func isWall(value string) bool { return slices.Contains([]string{"", WallDark, WallLight}, value) }

// goesRound reports whether a query is of a wall with other pages, which have filters of their own.
func goesRound(query url.Values) bool { return WallOf(query) != "" && query.Has(askNext) }

// hang puts the KPIs of a wall before its other panels, and leaves out headings that have no panels below then.
func (p *page) hang() {
	var kpis, others []*panel
	for _, one := range p.panels {
		if one.small {
			kpis = append(kpis, one)
		} else {
			others = append(others, one)
		}
	}
	p.panels = kpis
	for i, one := range others {
		if one.frame == unframed && (i+1 == len(others) || others[i+1].frame == unframed) {
			continue
		}
		p.panels = append(p.panels, one)
	}
	ordered := *p.Spec
	ordered.Panels = make([]dashboard.Panel, len(p.panels))
	for i, one := range p.panels {
		ordered.Panels[i] = *one.spec
	}
	p.Spec = &ordered
}

// drawWallHead writes the heading of a wall, what it is filtered by, and how old the data is.
func (p *page) drawWallHead(d *html.Doc) {
	d.Add(h(`<div class="wh"><h1>`), p.heading(), h(`</h1>`))
	if says := p.says(); len(says) > 0 {
		d.Add(h(`<p class="desc">`), strings.Join(says, " · "), h(`</p>`))
	}
	p.Header.fresh(d, p.zone, p.Formatter)
	d.Add(h(`</div>`))
}

// drawWallFoot writes the source of the page's data.
func (p *page) drawWallFoot(d *html.Doc) {
	if p.Spec.Source == nil {
		return
	}
	d.Add(h(`<footer><span>`))
	writeSource(p.Locale, d, p.Spec.Source)
	d.Add(h(`</span></footer>`))
}

// opening writes the beginning of a document, up to its title. On a wall, the colours are those of its address.
func (hd *Header) opening(d *html.Doc, lang, dir string) {
	d.Add(h(`<!doctype html><html lang="`), lang)
	if dir != "ltr" {
		d.Add(h(`" dir="`), dir)
	}
	if hd.Wall == "" {
		d.Add(h(`" data-theme="auto">`))
		return
	}
	d.Add(h(`" data-theme="`), hd.Wall)
	if canvas.Leads("/" + hd.Slug) {
		d.Add(h(`" data-wall="`), hd.Slug)
	}
	d.Add(h(`">`))
}
