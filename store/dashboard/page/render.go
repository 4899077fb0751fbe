package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
)

// Render draws the whole HTML document of a dashboard. Equal views give equal
// bytes. Serve it with the Content-Security-Policy [CSP].
func Render(v View) ([]byte, error) {
	if v.Spec == nil {
		return nil, errors.New("page: a view without a spec")
	}
	p := open(v)
	p.compute()
	d := &doc{b: make([]byte, 0, 64<<10)}
	p.Header.top(d, p.Spec.Location(), p.formatter)
	d.add(h(`<main id="main">`))
	p.Header.preview(d, p.Spec.Location(), p.formatter)
	d.add(h(`<div class="head"><div><h1>`), p.heading(), h(`</h1>`))
	if p.Spec.Description != "" {
		d.add(h(`<p class="desc">`), p.Spec.Description, h(`</p>`))
	}
	d.add(h(`</div>`))
	p.drawFilters(d)
	d.add(h(`</div>`))
	p.drawState(d)
	d.add(h(`<div class="grid">`))
	widths := pack(p.Spec.Panels)
	widenLast(p.figures)
	level := 2
	for i, f := range p.figures {
		if f.panel.Type == dashboard.Section {
			level = 3
		}
		f.drawCard(d, widths[i], level)
	}
	d.add(h(`</div>`))
	p.footer(d)
	d.add(h(`</main></body></html>`))
	return d.b, nil
}

func (p *page) heading() string {
	for _, s := range [...]string{p.Header.Name, p.Spec.Title, p.Header.Slug} {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return "Dashboard"
}

// top writes all before <main>: head, skip link, and the bar with the state.
func (hd *Header) top(d *doc, zone *time.Location, f formatter) {
	title := hd.Name
	if title == "" {
		title = hd.Slug
	}
	d.add(h(`<!doctype html><html lang="en" data-theme="auto"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>`),
		title, h(` · `), hd.Workspace, h(`</title>`))
	if absolute(hd.URL) {
		d.add(h(`<link rel="canonical" href="`), hd.URL, h(`">`))
	}
	d.add(h(`<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'%3E%3Cpath fill='%233468d8' d='M1 9h4v8H1zM7 4h4v13H7z'/%3E%3Cpath fill='%23d97706' d='M13 1h4v16h-4z'/%3E%3C/svg%3E"><style>`))
	d.b = append(d.b, CSS...)
	d.add(h(`</style><script src="/assets/`), ScriptName, h(`"></script></head><body><a class="skip" href="#main">Skip to content</a><header class="top"><nav aria-label="Breadcrumb">`))
	mark := h(`<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><rect class="f1" x="1" y="9" width="4" height="8" rx="1"/><rect class="f1" x="7" y="4" width="4" height="13" rx="1"/><rect class="f2" x="13" y="1" width="4" height="16" rx="1"/></svg>`)
	if leads(hd.Home) {
		d.add(h(`<a class="ws" href="`), hd.Home, h(`">`), mark, h(`<span>`), hd.Workspace, h(`</span></a>`))
	} else {
		d.add(h(`<span class="ws">`), mark, h(`<span>`), hd.Workspace, h(`</span></span>`))
	}
	d.add(h(`<span class="sep" aria-hidden="true">/</span><span class="slug" aria-current="page">`), hd.Slug, h(`</span></nav><div class="meta">`))
	hd.fresh(d, zone, f)
	d.add(h(`<span class="ways">`))
	if leads(hd.Details) {
		d.add(h(`<a href="`), hd.Details, h(`">Details</a>`))
	}
	d.add(h(`<button id="theme" type="button" aria-label="Switch between light and dark">◐</button></span></div></header>`))
}

// absolute reports whether s names a scheme that a link may have, so no script.
func absolute(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// leads reports whether a link may lead to s: it is absolute, or a path that no
// browser takes for a host.
func leads(s string) bool {
	return absolute(s) || strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") && !strings.HasPrefix(s, `/\`)
}

// preview says that this is not what the dashboard shows now, and leads there.
func (hd *Header) preview(d *doc, zone *time.Location, f formatter) {
	if !hd.Preview {
		return
	}
	d.add(h(`<div class="alert preview" role="status"><span><strong>Preview of the version`))
	if !hd.VersionTime.IsZero() {
		d.add(h(` of `))
		moment(d, hd.VersionTime, zone, f)
	}
	d.add(h(`, not the current one.</strong></span> <span class="ways"><a href="`))
	if absolute(hd.URL) {
		d.add(hd.URL)
	} else {
		d.add(h(`?`)) // this address without the version
	}
	d.add(h(`">Open the current page</a>`))
	if leads(hd.Details) {
		d.add(h(`<a href="`), hd.Details, h(`#versions">Back to its versions</a>`))
	}
	d.add(h(`</span></div>`))
}

// fresh writes how old the data is, with a sign whose shape and words do not
// depend on its colour.
func (hd *Header) fresh(d *doc, zone *time.Location, f formatter) {
	class, mark := h(`ok`), h(`●`)
	var text string
	switch {
	case hd.State == "static":
		text = "Published"
	case !hd.FailingSince.IsZero() || hd.State == "failed":
		class, mark, text = h(`bad`), h(`▲`), "Refresh failing"
	case hd.State == "partial":
		class, mark, text = h(`warn`), h(`▲`), "Refreshed in part"
	case hd.State == "queued" || hd.State == "running":
		class, mark, text = h(`info`), h(`◌`), "Refreshing"
	case hd.AsOf.IsZero():
		class, mark, text = h(`info`), h(`○`), "Not refreshed yet"
	}
	d.add(h(`<span class="fresh `), class, h(`"><i aria-hidden="true">`), mark, h(`</i><span>`), text)
	if !hd.AsOf.IsZero() {
		switch {
		case hd.State == "static":
			d.add(h(` `))
		case text != "":
			d.add(h(` · data as of `))
		default:
			d.add(h(`Data as of `))
		}
		moment(d, hd.AsOf, zone, f)
	}
	d.add(h(`</span></span>`))
}

// moment writes an instant in the page's zone, to the minute, and exactly on hover.
func moment(d *doc, t time.Time, zone *time.Location, f formatter) {
	t = t.In(zone)
	name := t.Format("MST")
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		name = "UTC" + name
	}
	utc := t.UTC()
	d.add(h(`<time datetime="`), utc.Format(time.RFC3339), h(`" title="`), utc.Format("2006-01-02 15:04:05 UTC"), h(`">`), f.date(t), h(`, `), t.Format("15:04"), h(` `), name, h(`</time>`))
}

// drawState says above the panels what went wrong in the last refresh.
func (p *page) drawState(d *doc) {
	hd := &p.Header
	failing := !hd.FailingSince.IsZero() || hd.State == "failed"
	var failed []*dataset
	for _, ds := range p.data {
		if ds.failed != "" {
			failed = append(failed, ds)
		}
	}
	if !failing && len(failed) == 0 {
		return
	}
	d.add(h(`<div class="alert" role="status"><strong>`))
	switch {
	case !hd.FailingSince.IsZero():
		d.add(h(`Failing since `))
		moment(d, hd.FailingSince, p.zone, p.formatter)
		d.add(h(`.`))
	case failing:
		d.add(h(`The last refresh failed.`))
	default:
		d.add(h(`The last refresh failed in part.`))
	}
	d.add(h(`</strong>`))
	if !hd.AsOf.IsZero() {
		d.add(h(` Shown is the data of the last refresh that succeeded.`))
	}
	if len(failed) > 0 {
		d.add(h(`<ul>`))
		for _, ds := range failed[:min(len(failed), 5)] {
			d.add(h(`<li><b>`), dashboard.Label(ds.ID), h(`</b>: `), clip(ds.failed, 300), h(`</li>`))
		}
		if n := len(failed) - 5; n > 0 {
			d.add(h(`<li>and `), n, h(` more</li>`))
		}
		d.add(h(`</ul>`))
	}
	d.add(h(`</div>`))
}

// drawCard writes a panel in its box. level is that of its heading.
func (f *figure) drawCard(d *doc, width, level int) {
	p := f.panel
	if p.Type == dashboard.Section {
		d.add(h(`<div class="sec"><h2>`), f.title, h(`</h2>`))
		if s := strings.TrimSpace(p.Subtitle + " " + p.Description); s != "" {
			d.add(h(`<p class="sub">`), s, h(`</p>`))
		}
		d.add(h(`</div>`))
		return
	}
	d.add(h(`<article class="card w`), width)
	if f.wide {
		d.add(h(` wide`))
	}
	if p.Type == dashboard.KPI {
		d.add(h(` kpi`))
	}
	d.add(h(`"`))
	if f.title != "" {
		d.add(h(` aria-labelledby="p`), f.index, h(`"><h`), level, h(` class="ct" id="p`), f.index, h(`">`), f.title, h(`</h`), level, h(`>`))
	} else {
		d.add(h(` aria-label="Text">`))
	}
	if p.Subtitle != "" {
		d.add(h(`<p class="sub">`), p.Subtitle, h(`</p>`))
	}
	switch {
	case f.problem != "":
		d.add(h(`<p class="empty prob"><b>Cannot be shown</b><span>`), f.problem, h(`</span></p>`))
	case f.empty != "":
		d.add(h(`<p class="empty">`), f.empty, h(`</p>`))
	case p.Type == dashboard.KPI || p.Type == dashboard.Text || p.Type == dashboard.Table:
		f.draw(d)
	default:
		d.add(h(`<figure>`))
		f.draw(d)
		d.add(h(`</figure>`))
	}
	f.drawNotes(d)
	if f.problem == "" && f.empty == "" && f.grid != nil {
		f.drawBehind(d)
	}
	d.add(h(`</article>`))
}

// drawNotes writes what one must know to read the panel right.
func (f *figure) drawNotes(d *doc) {
	notes := f.notes
	if f.panel.Description != "" {
		notes = append([]string{f.panel.Description}, notes...)
	}
	if ds := f.data; ds != nil && ds.cube != nil {
		if ds.truncated {
			notes = append(notes, fmt.Sprintf("Not all rows: the result was cut at %s.", plural(f.page, ds.cube.Rows(), "row")))
		}
		if ds.failed != "" && slices.ContainsFunc(f.page.data, func(d *dataset) bool { return d.failed == "" }) {
			notes = append(notes, "Older data: the last refresh of this panel failed.")
		}
	}
	if len(notes) > 0 {
		d.add(h(`<p class="note">`), strings.Join(notes, " "), h(`</p>`))
	}
}

// drawBehind writes the same numbers as a table, and the way to the CSV.
func (f *figure) drawBehind(d *doc) {
	csv := func() {
		d.add(h(`<a class="csv" href="?panel=`), f.index, h(`&amp;format=csv`), f.page.query(), h(`" download>Download CSV<span class="vh">: `), f.title, h(`</span></a>`))
	}
	switch f.panel.Type {
	case dashboard.KPI:
		return
	case dashboard.Table:
		d.add(h(`<p class="src">`))
		csv()
		d.add(h(`</p>`))
		return
	}
	g := f.grid
	d.add(h(`<details class="src"><summary>View as table<span class="vh">: `), f.title, h(`</span></summary><div class="tw" tabindex="0" role="group" aria-label="`), f.title, h(`, as a table"><table><thead><tr>`))
	for _, c := range g.cols {
		d.add(h(`<th scope="col">`), c.Label, h(`</th>`))
	}
	d.add(h(`</tr></thead><tbody>`))
	for _, row := range g.rows[:min(len(g.rows), maxBehind)] {
		d.add(h(`<tr>`))
		for j, v := range row {
			c := g.cols[j]
			if j == 0 {
				d.add(h(`<th scope="row">`), f.page.cell(c.Column, c.grain, v), h(`</th>`))
				continue
			}
			d.add(h(`<td>`), f.page.cell(c.Column, c.grain, v), h(`</td>`))
		}
		d.add(h(`</tr>`))
	}
	d.add(h(`</tbody></table></div>`))
	if n := len(g.rows) - maxBehind; n > 0 {
		d.add(h(`<p>`), f.page.number(float64(n), 0), h(` more rows in the CSV.</p>`))
	}
	csv()
	d.add(h(`</details>`))
}

func (p *page) footer(d *doc) {
	rows, sets := 0, 0
	for _, ds := range p.data {
		if ds.cube != nil {
			rows += ds.cube.Rows()
			sets++
		}
	}
	d.add(h(`<footer>`))
	if p.Header.Version != "" {
		d.add(h(`<span>Version `), p.Header.Version, h(`</span>`))
	}
	if sets > 0 {
		d.add(h(`<span>`), plural(p, rows, "row"), h(` in `), plural(p, sets, "dataset"), h(`</span>`))
	}
	var cut []string
	for _, ds := range p.data {
		if ds.truncated {
			cut = append(cut, ds.ID)
		}
	}
	if len(cut) > 0 {
		d.add(h(`<span>Truncated: `), strings.Join(cut, ", "), h(`</span>`))
	}
	d.add(h(`<span>Times in `), p.zone.String(), h(`</span>`))
	if !p.Header.NextRun.IsZero() {
		d.add(h(`<span>Next refresh `))
		moment(d, p.Header.NextRun, p.zone, p.formatter)
		d.add(h(`</span>`))
	}
	d.add(h(`</footer>`))
}

// pack gives every panel its width on a grid of 12 columns, so that rows are
// full: KPIs in a run are spread evenly over as many rows as they need, and what
// is left over of another row goes to its panels.
func pack(panels []dashboard.Panel) []int {
	out := make([]int, len(panels))
	for i := range panels {
		w := panels[i].Width
		if w == 0 {
			switch panels[i].Type {
			case dashboard.KPI:
				w = 3
			case dashboard.Table, dashboard.Text, dashboard.Section:
				w = 12
			default:
				w = 6
			}
		}
		out[i] = min(max(w, 2), 12)
		if panels[i].Type == dashboard.Section {
			out[i] = 12
		}
	}
	for i := 0; i < len(panels); i++ {
		j := i
		for j < len(panels) && panels[j].Type == dashboard.KPI && out[j] == out[i] {
			j++
		}
		if n := j - i; n > 1 {
			fit := 12 / out[i]
			rows := (n + fit - 1) / fit
			k := i
			for r := range rows {
				in := (n - (k - i) + rows - r - 1) / (rows - r)
				fill(out[k:k+in], 12)
				k += in
			}
			i = j - 1
		}
	}
	from, sum := 0, 0
	for i, w := range out {
		if sum+w > 12 {
			fillRow(panels[from:i], out[from:i])
			from, sum = i, 0
		}
		sum += w
	}
	fillRow(panels[from:], out[from:])
	return out
}

// widenLast lets the last of an odd number of KPIs have the whole width of a
// phone, where they stand two in a row.
func widenLast(figures []*figure) {
	half := 0
	for i, f := range figures {
		if f.panel.Type != dashboard.KPI || f.wide {
			half = 0
			continue
		}
		half++
		if half%2 == 1 && (i+1 == len(figures) || figures[i+1].panel.Type != dashboard.KPI || figures[i+1].wide) {
			f.wide = true
		}
	}
}

// fill shares width equally.
func fill(out []int, width int) {
	for i := range out {
		out[i] = width / len(out)
		if i < width%len(out) {
			out[i]++
		}
	}
}

// fillRow widens the panels of a row until it is full; a lone KPI stays small.
func fillRow(panels []dashboard.Panel, out []int) {
	sum := 0
	for _, w := range out {
		sum += w
	}
	if !slices.ContainsFunc(panels, func(p dashboard.Panel) bool { return p.Type != dashboard.KPI }) && len(out) < 3 {
		return
	}
	for sum < 12 && len(out) > 0 { // the narrowest first
		i := slices.Index(out, slices.Min(out))
		if k := slices.IndexFunc(panels, func(p dashboard.Panel) bool { return p.Type != dashboard.KPI }); k >= 0 {
			for j, p := range panels {
				if p.Type != dashboard.KPI && out[j] < out[k] {
					k = j
				}
			}
			i = k
		}
		out[i]++
		sum++
	}
}
