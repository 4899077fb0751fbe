package page

import (
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/panel"
)

// A wall is a page for a screen that nobody operates: KPIs first, without controls, and as large as the screen allows, which the script
// computes. Its address has panel.askWall, and for the script alone the pages that follow: see [WallOf].

// hang puts the KPIs of a wall before its other panels, and removes headings that then have no panels below them.
func (p *page) hang() {
	var kpis, others []*panel.Panel
	for _, one := range p.panels {
		if one.Spec.Type == dashboard.KPI {
			kpis = append(kpis, one)
		} else {
			others = append(others, one)
		}
	}
	p.panels = kpis
	for i, one := range others {
		if one.Frame == panel.Unframed && (i+1 == len(others) || others[i+1].Frame == panel.Unframed) {
			continue
		}
		p.panels = append(p.panels, one)
	}
	ordered := *p.Spec
	ordered.Panels = make([]dashboard.Panel, len(p.panels))
	for i, one := range p.panels {
		ordered.Panels[i] = *one.Spec
	}
	p.Spec = &ordered
}

// drawWallHead writes the heading of a wall, its filters, and the age of the data.
func (p *page) drawWallHead(d *html.Doc) {
	d.Add(h(`<div class="wtop"><h1>`), p.heading(), h(`</h1>`))
	if says := p.Says(); len(says) > 0 {
		d.Add(h(`<p class="desc">`), strings.Join(says, " · "), h(`</p>`))
	}
	p.Header.fresh(d, p.Zone, p.Formatter)
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

// opening writes the beginning of a document, up to its title. On a wall, its address determines the colours.
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
