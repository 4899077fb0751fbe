package page

import (
	"slices"
	"strings"
)

// drawCard writes a panel in its box. level is that of its heading.
func (p *panel) drawCard(w *htmlPainter, width, level int) {
	if p.frame == unframed {
		p.content.draw(w)
		return
	}
	w.add(h(`<article class="card w`), width)
	if p.wide {
		w.add(h(` wide`))
	}
	if p.small {
		w.add(h(` kpi`))
	}
	w.add(h(`"`))
	if p.title != "" {
		w.add(h(` aria-labelledby="p`), p.index, h(`"><h`), level, h(` class="ct" id="p`), p.index, h(`">`), p.title, h(`</h`), level, h(`>`))
	} else {
		w.add(h(` aria-label="Text">`))
	}
	if p.spec.Subtitle != "" {
		w.add(h(`<p class="sub">`), p.spec.Subtitle, h(`</p>`))
	}
	switch {
	case p.problem != "":
		w.message(p.problem, true)
	case p.empty != "":
		w.message(p.empty, false)
	case p.frame == inFigure:
		w.add(h(`<figure>`))
		p.content.draw(w)
		w.add(h(`</figure>`))
	default:
		p.content.draw(w)
	}
	if text := p.noteText(); text != "" {
		w.note(text)
	}
	if p.content != nil && p.grid != nil {
		p.drawBehind(w.doc)
	}
	w.add(h(`</article>`))
}

// noteText is what one must know to read the panel right, or "".
func (p *panel) noteText() string {
	notes := p.notes
	if p.spec.Description != "" {
		notes = append([]string{p.spec.Description}, notes...)
	}
	if ds := p.data; ds != nil && ds.cube != nil {
		if ds.truncated {
			notes = append(notes, "Not all rows: the result was cut at "+p.page.plural(ds.cube.Rows(), "row")+".")
		}
		if ds.failed != "" && slices.ContainsFunc(p.page.data, func(d *dataset) bool { return d.failed == "" }) {
			notes = append(notes, "Older data: the last refresh of this panel failed.")
		}
	}
	return strings.Join(notes, " ")
}

// maxBehind is how many rows the table behind a figure has.
const maxBehind = 200

// drawBehind writes the same numbers as a table, and the way to the CSV.
func (p *panel) drawBehind(d *doc) {
	switch p.behind {
	case nothingBehind:
		return
	case csvBehind:
		d.add(h(`<p class="src">`))
		p.drawDownload(d)
		d.add(h(`</p>`))
		return
	}
	g := p.grid
	d.add(h(`<details class="src"><summary>View as table<span class="vh">: `), p.title,
		h(`</span></summary><div class="tw" tabindex="0" role="group" aria-label="`), p.title, h(`, as a table"><table><thead><tr>`))
	for _, c := range g.cols {
		d.add(h(`<th scope="col">`), c.Label, h(`</th>`))
	}
	d.add(h(`</tr></thead><tbody>`))
	for _, row := range g.rows[:min(len(g.rows), maxBehind)] {
		d.add(h(`<tr>`))
		for j, v := range row {
			c := g.cols[j]
			if j == 0 {
				d.add(h(`<th scope="row">`), p.page.cell(c.Column, c.grain, v), h(`</th>`))
				continue
			}
			d.add(h(`<td>`), p.page.cell(c.Column, c.grain, v), h(`</td>`))
		}
		d.add(h(`</tr>`))
	}
	d.add(h(`</tbody></table></div>`))
	if n := len(g.rows) - maxBehind; n > 0 {
		d.add(h(`<p>`), p.page.Number(float64(n), 0), h(` more rows in the CSV.</p>`))
	}
	p.drawDownload(d)
	d.add(h(`</details>`))
}

func (p *panel) drawDownload(d *doc) {
	d.add(h(`<a class="csv" href="?panel=`), p.index, h(`&amp;format=csv`), p.page.query(),
		h(`" download>Download CSV<span class="vh">: `), p.title, h(`</span></a>`))
}
