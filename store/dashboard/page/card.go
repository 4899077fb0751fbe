package page

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

// A card is a panel that was drawn, without the box around it.
type card struct {
	*panel
	from, to int // in the document of the cards' contents
	slot
}

// drawCards draws what stands in the boxes of the panels, before it is known how
// the boxes share their rows. The error is that of ctx, when it ends before.
func drawCards(ctx context.Context, w *htmlPainter, panels []*panel, widths []int) ([]card, error) {
	cards := make([]card, len(panels))
	long := map[*panel]bool{}
	for _, run := range runs(panels) {
		is := slices.ContainsFunc(run, (*panel).long)
		for _, p := range run {
			long[p] = is
		}
	}
	level, full := 2, false
	for i, p := range panels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.frame == unframed {
			level = 3
		}
		w.index, w.height, w.letters, w.long = p.index, 0, widths[i]*columnLetters-7, long[p]
		from := len(w.b)
		p.columns = widths[i]
		hatched := w.hatched
		if full && p.data != nil { // the others are short
			p.refuse()
		}
		p.drawGuarded(w, level)
		if !full && p.data != nil && w.full() {
			full = true
			p.refuse()
			w.b, w.hatched, w.height = w.b[:from], hatched, 0
			p.drawGuarded(w, level)
		}
		cards[i] = card{p, from, len(w.b), slot{width: widths[i], height: w.height}}
	}
	return cards, nil
}

// columnLetters is how many letters of a text of 14 pixels a column of the grid
// holds; padding takes some of them.
const columnLetters = 15

// drawBox writes a panel in its box.
func (c *card) drawBox(w *doc, inside []byte) {
	if c.frame == unframed {
		w.b = append(w.b, inside...)
		return
	}
	w.add(h(`<article class="card w`), c.width)
	if c.wide {
		w.add(h(` wide`))
	}
	if c.small {
		w.add(h(` kpi`))
	}
	if c.own {
		w.add(h(` own`))
	}
	if c.rows > 1 {
		w.add(h(` r`), c.rows)
	}
	if c.title != "" {
		w.add(h(`" aria-labelledby="p`), c.index, h(`">`))
	} else {
		w.add(h(`" aria-label="`), c.page.Text("Text"), h(`">`))
	}
	w.b = append(w.b, inside...)
	w.add(h(`</article>`))
}

// drawGuarded is drawInside, and if that panics, the panel's title with what it says then.
func (p *panel) drawGuarded(w *htmlPainter, level int) {
	before, from := *w, len(w.b)
	if !p.guard("draw", func() { p.drawInside(w, level) }) {
		*w = before
		w.b = w.b[:from]
		p.drawInside(w, level)
	}
}

// drawInside writes all that stands in the box of a panel. level is that of its heading.
func (p *panel) drawInside(w *htmlPainter, level int) {
	if p.frame == unframed {
		if p.content == nil {
			w.message(p.problem, true)
			return
		}
		p.content.draw(w)
		return
	}
	w.height += 34
	if p.title != "" {
		w.height += 19 * lines(letters(p.title), max(w.letters-12, 8))
		w.add(h(`<h`), level, h(` class="ct" id="p`), p.index, h(`">`), p.title, h(`</h`), level, h(`>`))
	}
	if p.spec.Subtitle != "" {
		w.height += 19 * lines(letters(p.spec.Subtitle), w.letters)
		w.add(h(`<p class="sub">`), p.spec.Subtitle, h(`</p>`))
	}
	p.drawMarks(w)
	if p.figureOf != nil {
		w.height += 19
		w.add(h(`<p class="sub"><a href="`), p.fromRows().to, h(`">`), p.page.Text("Back to the figure"), h(`</a></p>`))
	}
	switch {
	case p.problem != "":
		w.message(p.problem, true)
	case p.empty != "":
		w.message(p.empty, false)
	case p.frame == inFigure:
		w.height += 14
		w.add(h(`<figure>`))
		p.content.draw(w)
		w.add(h(`</figure>`))
	default:
		p.content.draw(w)
	}
	p.drawSteps(w)
	if text := p.noteText(); text != "" {
		w.note(text)
	}
	if p.content != nil && p.grid != nil {
		p.drawBehind(w.doc)
	}
}

// drawSteps writes the links to the panel by other grains, and beside the period before.
func (p *panel) drawSteps(w *htmlPainter) {
	if p.grains == nil && p.before == nil {
		return
	}
	ways := p.ways()
	w.height += 32
	w.add(h(`<div class="src gr" role="group" aria-label="`), p.page.Text("Time steps of %s", p.title), h(`">`))
	var grains []cube.Grain
	if p.grains != nil {
		grains = p.grains.grains
	}
	for _, g := range grains {
		asked := string(g)
		if g == p.grains.first {
			asked = ""
		}
		name := p.page.Text("Exact")
		if g != cube.Exact {
			name = upper(p.page.Text(grainNames[g]))
		}
		w.step(ways.counted(way{to: p.with(askGrain, asked), on: g == p.grains.now}), h(`page`), name)
	}
	if b := p.before; b != nil {
		to := way{to: p.with(askBefore, map[bool]string{false: yes}[b.asked]), on: b.asked}
		w.step(ways.counted(to), h(`true`), p.page.Text("Period before"))
	}
	w.add(h(`</div>`))
}

// long reports whether a panel shows a number that takes much room.
func (p *panel) long() bool {
	k, ok := p.content.(*kpiPanel)
	if !ok {
		return false
	}
	n := letters(k.text)
	if k.tone != "" {
		n += 2 // for its sign
	}
	return n > 11
}

// noteText is what one must know to read the panel right, or "".
func (p *panel) noteText() string {
	notes := p.notes
	if p.spec.Description != "" {
		notes = append([]string{p.spec.Description}, notes...)
	}
	if ds := p.data; ds != nil && ds.cube != nil {
		if ds.truncated {
			notes = append(notes, p.page.Count(ds.cube.Rows(),
				"Not all rows: the result was cut at %d row.", "Not all rows: the result was cut at %d rows."))
		}
		if ds.failed != "" && slices.ContainsFunc(p.page.data, func(d *dataset) bool { return d.failed == "" }) {
			notes = append(notes, p.page.Text("Older data: the last refresh of this panel failed."))
		}
	}
	return strings.Join(notes, " ")
}

// maxFacetRows is how many rows the table behind small plots has at most: each of them has its rows there.
const maxFacetRows = 1000

// drawBehind writes the same numbers as a table, and the way to the CSV.
func (p *panel) drawBehind(d *doc) {
	switch p.behind {
	case nothingBehind:
		return
	case csvBehind:
		d.add(h(`<p class="src">`))
		p.drawDownload(d)
		d.add(h(`</p>`))
		if to := p.toRows(); to.to != "" {
			d.add(h(`<div class="src">`))
			p.drawToRows(d, to)
			d.add(h(`</div>`))
		}
		return
	}
	g := p.grid
	d.add(h(`<details class="src"><summary>`), p.page.Text("View as table"), h(`<span class="vh">: `), p.title,
		h(`</span></summary><div class="over"><div class="tw" tabindex="0" role="group" aria-label="`),
		p.page.Text("%s, as a table", p.title), h(`"><table><thead><tr>`))
	ways, links := p.ways(), 0
	link := func(to way, text string) {
		links += truth(strings.HasPrefix(to.to, "?"))
		d.beginLink(to)
		d.esc(clip(text, maxCell))
		d.endLink(to)
	}
	for _, c := range g.cols {
		d.raw(`<th scope="col">`)
		link(ways.of(c.head), c.Label)
		d.raw(`</th>`)
	}
	if p.totals != nil {
		d.add(h(`<th scope="col">`), p.page.Text("Total"), h(`</th>`))
	}
	d.add(h(`</tr></thead><tbody>`))
	most := maxBehind
	if p.spec.Facet != "" {
		most = maxFacetRows
	}
	rows := g.rows
	if !g.whole {
		rows = rows[:min(len(rows), most)]
	}
	for i, row := range rows {
		d.add(h(`<tr>`))
		marks := g.marks(row)
		for j, v := range row {
			c := &g.cols[j]
			text, m := p.page.cell(c.Column, c.grain, v), c.mark(v)
			if j == 0 {
				d.raw(`<th scope="row">`)
				link(ways.of(m, marks...), text)
				d.esc(clip(p.beside[i], 2*maxCell))
				d.raw(`</th>`)
				continue
			}
			if k := j - 1 - truth(p.spec.Facet != ""); p.parts != nil && v != nil && k >= 0 {
				text += " · " + p.page.percent(p.parts[k][i], 1)
			}
			d.raw(`<td>`)
			if m == nil && v != nil {
				link(ways.at(marks, c.head), text)
			} else {
				link(ways.of(m), text)
			}
			d.raw(`</td>`)
		}
		if p.totals != nil {
			d.add(h(`<td>`), p.totals[i], h(`</td>`))
		}
		d.add(h(`</tr>`))
	}
	d.add(h(`</tbody></table></div>`))
	if n := len(g.rows) - len(rows); n > 0 {
		d.add(h(`<p>`), p.page.Count(n, "%d more row in the CSV.", "%d more rows in the CSV."), h(`</p>`))
	}
	p.drawDownload(d)
	if to := p.toRows(); to.to != "" {
		p.drawToRows(d, to)
	}
	if links > 0 {
		d.add(h(`<span>`), p.page.Text("Names are links that filter the page."), h(`</span>`))
	}
	d.add(h(`</div></details>`))
}

func (p *panel) drawToRows(d *doc, to way) {
	d.add(h(`<a class="csv" href="`), to.to, h(`">`), p.page.Text("Rows behind this"), h(`<span class="vh">: `), p.title, h(`</span></a>`))
}

func (p *panel) drawDownload(d *doc) {
	keep := p.page.kept()
	own, table := paramOf(p.index, ""), paramOf(p.index, p.inTable())
	maps.DeleteFunc(keep, func(name string, _ []string) bool { // what others are asked, and what leaves rows out
		return strings.HasPrefix(name, "p") && !strings.HasPrefix(name, own) || name == table+askSearch || name == table+askPage
	})
	for _, format := range formats {
		if format == "xlsx" && p.grid.cells() > workbookCells {
			continue
		}
		d.add(h(`<a class="csv" href="?panel=`), p.index, h(`&amp;format=`), format)
		if len(keep) > 0 {
			d.add(h(`&amp;`), keep.Encode())
		}
		name := strings.ToUpper(format)
		d.add(h(`" download aria-label="`), p.page.Text("Download %s", name), h(`: `), p.title, h(`">↓ `), name, h(`</a>`))
	}
	if !leads("/"+p.page.Header.Slug) || len(keep.Encode()) > maxPictureQuery {
		return
	}
	d.add(h(`<a class="csv" href="/`), p.page.Header.Slug, h(`/`), p.index+1, h(`.png`))
	d.query(keep)
	d.add(h(`" download aria-label="`), p.page.Text("Download %s", "PNG"), h(`: `), p.title, h(`">↓ PNG</a>`))
}

// maxPictureQuery is how long the query of the links to pictures of panels can be: the page repeats it for each.
const maxPictureQuery = 4000

// pictures writes the links to the page as a picture and as a document, with what the reader has chosen.
func (hd *Header) pictures(d *doc, f formatter, keep url.Values) {
	if !leads("/" + hd.Slug) {
		return
	}
	d.add(h(`<span class="ways">`))
	for _, format := range [...]string{"png", "pdf"} {
		name := strings.ToUpper(format)
		d.add(h(`<a href="/`), hd.Slug, h(`.`), format)
		d.query(keep)
		d.add(h(`" download aria-label="`), f.Text("Download %s", name), h(`: `), hd.Name, h(`">↓ `), name, h(`</a>`))
	}
	d.add(h(`</span>`))
}
