package page

import (
	"context"
	"errors"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// Render draws the whole HTML document of a dashboard. Equal views return equal bytes. Serve it with the Content-Security-Policy [CSP]. If
// ctx ends, Render returns its error before it computes or draws another panel.
func Render(ctx context.Context, v View) ([]byte, error) {
	if v.Spec == nil {
		return nil, errors.New("page: a view without a spec")
	}
	p := open(v)
	if err := p.workOutIn(ctx); err != nil {
		return nil, err
	}
	wall := p.Header.Wall != ""
	if wall {
		p.hang()
	}
	widenLast(p.panels)
	inside := &html.Painter{Doc: &html.Doc{B: make([]byte, 0, 64<<10)}, Lang: p.Locale}
	cards, err := p.drawCards(ctx, inside)
	if err != nil {
		return nil, err
	}
	arrange(p.Spec.Panels, cards)

	d := &html.Doc{B: make([]byte, 0, len(inside.B)+64<<10)} // it does not grow while there are two copies of the cards
	head := p.Header
	head.Send = p.sendAddress()
	head.top(d, p.Spec.Location(), p.Formatter, p.needs())
	d.Add(h(`<main id="main"`))
	switch {
	case wall:
		d.Add(h(` class="wall"`))
	case p.Spec.Article():
		d.Add(h(` class="article"`))
	}
	d.Add(h(`>`))
	p.Header.preview(d, p.Spec.Location(), p.Formatter)
	if wall {
		p.drawWallHead(d)
	} else {
		d.Add(h(`<div class="head"><h1>`), p.heading(), h(`</h1>`))
		if p.Spec.Description != "" {
			d.Add(h(`<p class="desc">`), p.Spec.Description, h(`</p>`))
		}
		d.Add(h(`</div>`))
		p.drawBar(d)
	}
	p.drawState(d)
	p.drawAlerts(d)
	d.Add(h(`<div class="grid" id="panels">`))
	for i := range cards {
		if wall && i > 0 && cards[i-1].Small && !cards[i].Small {
			d.Add(h(`</div><div class="grid">`)) // the rows of KPIs do not share the rest of the height
		}
		cards[i].drawBox(d, inside.B[cards[i].from:cards[i].to])
	}
	d.Add(h(`</div>`))
	if wall {
		p.drawWallFoot(d)
	} else {
		p.footer(d)
	}
	d.Add(h(`</main></body></html>`))
	return d.B, nil
}

// sendAddress returns the address at which a member schedules deliveries of the page with its present filters.
func (p *page) sendAddress() string {
	if p.Header.Preview || !canvas.Leads(p.Header.Send) {
		return ""
	}
	if filters := p.Chosen(); len(filters) > 0 {
		return p.Header.Send + "?" + filters.Encode()
	}
	return p.Header.Send
}

func (p *page) heading() string {
	for _, s := range [...]string{p.Header.Name, p.Spec.Title, p.Header.Slug} {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return p.Text("Dashboard")
}

// top writes everything before <main>: head, skip link, and the bar with the state. needs are the styles of the page in addition to those
// of every page.
func (hd *Header) top(d *html.Doc, zone *time.Location, f format.Formatter, needs []string) {
	title := hd.Name
	if title == "" {
		title = hd.Slug
	}
	hd.opening(d, f.Lang, f.Dir)
	d.Add(h(`<head><meta charset="utf-8">`),
		h(`<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>`),
		title, h(` · `), hd.Workspace, h(`</title>`))
	if canvas.Absolute(hd.URL) {
		d.Add(h(`<link rel="canonical" href="`), hd.URL, h(`">`))
	}
	if hd.State != "static" { // nothing is painted before the bar is complete: it would move when the filters arrive
		d.Add(h(`<link rel="expect" href="#panels" blocking="render">`))
	}
	d.Add(h(`<link rel="icon" href="/favicon.ico">`))
	if f.Dir != "ltr" {
		needs = append(needs, f.Dir)
	}
	if hd.Wall != "" {
		needs = append(needs, "wall")
	}
	for _, s := range html.StylesFor(needs) {
		d.Add(h(`<style>`))
		d.B = append(d.B, s.CSS...)
		d.Add(h(`</style>`))
	}
	d.Add(h(`<script src="/assets/`), ScriptName, h(`"></script></head><body>`))
	if hd.Wall != "" {
		return
	}
	d.Add(h(`<a class="skip" href="#main">`), f.Text("Skip to content"),
		h(`</a><header class="top"><nav aria-label="`), f.Text("Breadcrumb"), h(`">`))
	const mark html.H = `<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">` +
		`<rect class="f1" x="1" y="9" width="4" height="8" rx="1"/><rect class="f1" x="7" y="4" width="4" height="13" rx="1"/>` +
		`<rect class="f2" x="13" y="1" width="4" height="16" rx="1"/></svg>`
	if canvas.Leads(hd.Home) {
		d.Add(h(`<a class="ws" href="`), hd.Home, h(`">`), mark, h(`<span>`), hd.Workspace, h(`</span></a>`))
	} else {
		d.Add(h(`<span class="ws">`), mark, h(`<span>`), hd.Workspace, h(`</span></span>`))
	}
	d.Add(h(`<span class="sep" aria-hidden="true">/</span><span class="slug" aria-current="page">`), hd.Slug,
		h(`</span></nav><div class="meta">`))
	hd.fresh(d, zone, f)
	d.Add(h(`<span class="ways">`))
	if canvas.Leads(hd.Send) {
		d.Add(h(`<a href="`), hd.Send, h(`">`), f.Text("Send me this"), h(`</a>`))
	}
	if canvas.Leads(hd.Details) {
		d.Add(h(`<a href="`), hd.Details, h(`">`), f.Text("Details"), h(`</a>`))
	}
	d.Add(h(`<button id="theme" type="button" aria-label="`), f.Text("Switch between light and dark"),
		h(`">◐</button></span></div></header>`))
}

// own returns the address of the page as the reader gets it without another member's view.
func (hd *Header) own() string {
	if canvas.Absolute(hd.URL) {
		return hd.URL
	}
	return "?"
}

// lacking returns why the reader sees no rows.
func (hd *Header) lacking(f format.Formatter) string {
	names := "“" + strings.Join(hd.Lacks, "”, “") + "”"
	return f.Text("Rows are missing here: they depend on your attribute %s, which has no value.", names)
}

// preview reports that this page is not the reader's current view of the dashboard, and links to that.
func (hd *Header) preview(d *html.Doc, zone *time.Location, f format.Formatter) {
	if hd.As != "" {
		d.Add(h(`<div class="alert preview" role="status"><span><strong>`), f.Text("This is the page as %s sees it.", hd.As), h(`</strong> `),
			f.Text("You can look, filter and export."), h(`</span> <span class="ways"><a href="`), hd.own(), h(`">`),
			f.Text("Back to your own page"), h(`</a></span></div>`))
	}
	if len(hd.Lacks) > 0 {
		d.Add(h(`<div class="alert" role="status"><strong>`), hd.lacking(f), h(`</strong> `),
			f.Text("Ask an owner of the workspace to set it."), h(`</div>`))
	}
	if !hd.Preview {
		return
	}
	d.Add(h(`<div class="alert preview" role="status"><span><strong>`))
	if hd.VersionTime.IsZero() {
		d.Add(f.Text("Preview of the version, not the current one."))
	} else {
		d.Around(f.Text("Preview of the version of %s, not the current one."), func() { moment(d, hd.VersionTime, zone, f) })
	}
	d.Add(h(`</strong></span> <span class="ways"><a href="`))
	d.Add(hd.own(), h(`">`), f.Text("Open the current page"), h(`</a>`))
	if canvas.Leads(hd.Details) {
		if hd.Version != "" { // the app asks for a confirmation: a page has no forms
			d.Add(h(`<a href="`), hd.Details, h(`/versions/`), hd.Version, h(`/compare#restore">`), f.Text("Restore this version"), h(`</a>`))
		}
		d.Add(h(`<a href="`), hd.Details, h(`#versions">`), f.Text("Back to its versions"), h(`</a>`))
	}
	d.Add(h(`</span></div>`))
}

// fresh writes the age of the data, with a sign whose shape and words do not depend on its colour.
func (hd *Header) fresh(d *html.Doc, zone *time.Location, f format.Formatter) {
	class, mark, text := hd.condition()
	d.Add(h(`<span class="fresh `), class, h(`" data-stale="`), f.Text("Not up to date"),
		h(`"><i aria-hidden="true">`), mark, h(`</i><span>`))
	d.Around(f.Text(text), func() { moment(d, hd.AsOf, zone, f) })
	d.Add(h(`</span></span>`))
}

// condition returns the age of the data: a class, a sign and a text.
func (hd *Header) condition() (class, mark html.H, text locale.Key) {
	class, mark, text = h(`ok`), h(`●`), "Data as of %s"
	switch {
	case hd.State == "static":
		text = hd.dated("Published %s", "Published")
	case !hd.FailingSince.IsZero() || hd.State == "failed":
		class, mark, text = h(`bad`), h(`▲`), hd.dated("Refresh failing · data as of %s", "Refresh failing")
	case hd.State == "partial":
		class, mark, text = h(`warn`), h(`▲`), hd.dated("Refreshed in part · data as of %s", "Refreshed in part")
	case hd.underWay():
		class, mark, text = h(`info`), h(`◌`), hd.dated("Refreshing · data as of %s", "Refreshing")
	case hd.AsOf.IsZero():
		class, mark, text = h(`info`), h(`○`), "Not refreshed yet"
	}
	return class, mark, text
}

// underWay reports whether a refresh is queued or running.
func (hd *Header) underWay() bool { return hd.State == "queued" || hd.State == "running" }

// freshness is [Header.fresh] for a picture: it returns the text, the sign and the sign's tone, or "".
func (hd *Header) freshness(zone *time.Location, f format.Formatter) (text, mark, tone string) {
	class, sign, key := hd.condition()
	if class != `ok` {
		tone = string(class)
	}
	return strings.Replace(f.Text(key), "%s", momentText(hd.AsOf, zone, f), 1), string(sign), tone
}

// dated returns the text with the time of the data, or before the first refresh the text without it.
func (hd *Header) dated(with, without locale.Key) locale.Key {
	if hd.AsOf.IsZero() {
		return without
	}
	return with
}

// moment writes an instant in the page's zone, to the minute, with the exact time on hover.
func moment(d *html.Doc, t time.Time, zone *time.Location, f format.Formatter) {
	utc := t.UTC()
	d.Add(h(`<time datetime="`), utc.Format(time.RFC3339), h(`" title="`), utc.Format("2006-01-02 15:04:05 UTC"), h(`">`),
		momentText(t, zone, f), h(`</time>`))
}

// momentText is the text of [moment].
func momentText(t time.Time, zone *time.Location, f format.Formatter) string {
	t = t.In(zone)
	name := t.Format("MST")
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		name = "UTC" + name
	}
	return f.Date(t) + ", " + f.Clock(t) + " " + name
}

// drawState reports above the panels the failures of the last refresh.
func (p *page) drawState(d *html.Doc) {
	hd := &p.Header
	failing := !hd.FailingSince.IsZero() || hd.State == "failed"
	var failed []*encode.Dataset
	for _, ds := range p.Data {
		if ds.Failed != "" {
			failed = append(failed, ds)
		}
	}
	if !failing && len(failed) == 0 {
		return
	}
	d.Add(h(`<div class="alert" role="status"><strong>`))
	switch {
	case !hd.FailingSince.IsZero():
		d.Around(p.Text("Failing since %s."), func() { moment(d, hd.FailingSince, p.Zone, p.Formatter) })
	case failing:
		d.Add(p.Text("The last refresh failed."))
	default:
		d.Add(p.Text("The last refresh failed in part."))
	}
	d.Add(h(`</strong>`))
	if more := p.meanwhile(); more != "" {
		d.Add(h(` `), more)
	}
	if len(failed) > 0 {
		d.Add(h(`<ul>`))
		for _, ds := range failed[:min(len(failed), 5)] {
			d.Add(h(`<li><b>`), dashboard.Label(ds.ID), h(`</b>: `), canvas.Clip(ds.Failed, 300), h(`</li>`))
		}
		if n := len(failed) - 5; n > 0 {
			d.Add(h(`<li>`), p.Count(n, "and %d more", "and %d more"), h(`</li>`))
		}
		d.Add(h(`</ul>`))
	}
	d.Add(h(`</div>`))
}

// meanwhile returns what the page shows while refreshes fail, and whether another one is under way.
func (p *page) meanwhile() string {
	var out []string
	if !p.Header.AsOf.IsZero() {
		out = append(out, p.Text("This is the data of the last successful refresh."))
	}
	if p.Header.underWay() {
		out = append(out, p.Text("A refresh is already under way."))
	}
	return strings.Join(out, " ")
}

func (p *page) footer(d *html.Doc) {
	d.Add(h(`<footer>`))
	if p.Spec.Source != nil {
		d.Add(h(`<span>`))
		writeSource(p.Locale, d, p.Spec.Source)
		d.Add(h(`</span>`))
	}
	for _, text := range p.footTexts() {
		d.Add(h(`<span>`), text, h(`</span>`))
	}
	if !p.Header.NextRun.IsZero() {
		d.Add(h(`<span>`))
		d.Around(p.Text("Next refresh %s"), func() { moment(d, p.Header.NextRun, p.Zone, p.Formatter) })
		d.Add(h(`</span>`))
	}
	p.Header.pictures(d, p.Formatter, p.Kept())
	d.Add(h(`</footer>`))
}

// writeSource writes a source, with a link if it has an address.
func writeSource(l *locale.Locale, d *html.Doc, s *dashboard.Source) {
	to := canvas.Way{To: s.URL}
	d.Around(l.Text("Source: %s"), func() {
		if s.URL != "" {
			d.BeginLink(to)
		}
		d.Esc(s.Name)
		if s.URL != "" {
			d.EndLink(to)
		}
	})
}

// maxPath is the maximum number of characters of a path in the foot: those that fit on a phone, where nothing breaks them.
const maxPath = 44

// endOfPath cuts a long path at its beginning, since its end names the file.
func endOfPath(path string) string {
	if r := []rune(path); len(r) > maxPath {
		return "…" + string(r[len(r)-maxPath+1:])
	}
	return path
}

// footTexts returns the number of rows and datasets, the file in Git, and the datasets that are truncated.
func (p *page) footTexts() []string {
	var out []string
	rows, sets := 0, 0
	for _, ds := range p.Data {
		if ds.Cube != nil {
			rows += ds.Cube.Rows()
			sets++
		}
	}
	if sets > 0 {
		out = append(out, p.Text("%s in %s", p.Count(rows, "%d row", "%d rows"), p.Count(sets, "%d dataset", "%d datasets")))
	}
	var cut []string
	for _, ds := range p.Data {
		if ds.Truncated {
			cut = append(cut, ds.ID)
		}
	}
	if h := p.Header; h.CodePath != "" {
		out = append(out, p.Text("From Git: %s, commit %s", endOfPath(h.CodePath), h.CodeCommit))
	}
	if len(cut) > 0 {
		out = append(out, p.Text("Truncated: %s", strings.Join(cut, ", ")))
	}
	return append(out, p.Text("Times in %s", p.Zone.String()))
}

// troubles returns the failures of the last refresh: a sentence, another about the data on the page, and a line for each dataset that
// failed. All are empty if it succeeded.
func (p *page) troubles() (title, more string, list []string) {
	hd := &p.Header
	failing := !hd.FailingSince.IsZero() || hd.State == "failed"
	var failed []*encode.Dataset
	for _, ds := range p.Data {
		if ds.Failed != "" {
			failed = append(failed, ds)
		}
	}
	switch {
	case !hd.FailingSince.IsZero():
		title = strings.Replace(p.Text("Failing since %s."), "%s", momentText(hd.FailingSince, p.Zone, p.Formatter), 1)
	case failing:
		title = p.Text("The last refresh failed.")
	case len(failed) > 0:
		title = p.Text("The last refresh failed in part.")
	default:
		return "", "", nil
	}
	more = p.meanwhile()
	for _, ds := range failed[:min(len(failed), 5)] {
		list = append(list, dashboard.Label(ds.ID)+": "+canvas.Clip(ds.Failed, 300))
	}
	if n := len(failed) - 5; n > 0 {
		list = append(list, p.Count(n, "and %d more", "and %d more"))
	}
	return title, more, list
}
