package page

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/export"
	"service/store/dashboard/format"
	"service/store/dashboard/panel"
)

// A card is a panel that was drawn, without the box around it.
type card struct {
	*panel.Panel
	page     *page
	from, to int // byte offsets in the document of the cards' contents
	slot
}

// drawCards draws the contents of the cards, before the heights of the rows are known. It returns the error of ctx if ctx ends before.
func (pg *page) drawCards(ctx context.Context, w *html.Painter) ([]card, error) {
	panels, widths := pg.panels, pg.widths()
	cards := make([]card, len(panels))
	long := map[*panel.Panel]bool{}
	for _, run := range runs(panels) {
		is := slices.ContainsFunc(run, (*panel.Panel).Long)
		for _, p := range run {
			long[p] = is
		}
	}
	level, full := 2, false
	for i, p := range panels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.Frame == panel.Unframed {
			level = 3
		}
		w.Index, w.Height, w.Reach, w.Letters, w.Long = p.Index, 0, 0, widths[i]*columnLetters-7, long[p]
		from := len(w.B)
		p.Columns = widths[i]
		hatched := w.Hatched
		if full && p.Data != nil { // the others are short
			p.Refuse()
		}
		c := &cards[i]
		c.Panel, c.page = p, pg
		c.drawGuarded(w, level)
		if !full && p.Data != nil && w.Full() {
			full = true
			p.Refuse()
			w.B, w.Hatched, w.Height, w.Reach = w.B[:from], hatched, 0, 0
			c.drawGuarded(w, level)
		}
		c.from, c.to, c.slot = from, len(w.B), slot{width: widths[i], height: w.Height, reach: w.Reach}
	}
	return cards, nil
}

// columnLetters is the number of letters of a text of 14 pixels that fit into a column of the grid; padding takes some of them.
const columnLetters = 15

// The style has a class for each height of cards that end above the foot of their row, in steps of so many pixels, and up to so many steps.
const (
	ownStep = 100
	maxOwn  = 9
)

// drawBox writes a panel in its card.
func (c *card) drawBox(w *html.Doc, inside []byte) {
	if c.Frame == panel.Unframed {
		w.B = append(w.B, inside...)
		return
	}
	w.Add(h(`<article class="card w`), c.width)
	if c.Wide {
		w.Add(h(` wide`))
	}
	if c.Small {
		w.Add(h(` kpi`))
	}
	if c.own {
		w.Add(h(` own o`), min(c.most()/ownStep, maxOwn))
	}
	if c.grows {
		w.Add(h(` hi`))
	}
	if c.rows > 1 {
		w.Add(h(` r`), c.rows)
	}
	if c.Title != "" {
		w.Add(h(`" aria-labelledby="p`), c.Index, h(`">`))
	} else {
		w.Add(h(`" aria-label="`), c.Env.Text("Text"), h(`">`))
	}
	w.B = append(w.B, inside...)
	w.Add(h(`</article>`))
}

// drawGuarded is drawInside. If that panics, it writes the panel's title with a message instead.
func (p *card) drawGuarded(w *html.Painter, level int) {
	before, from := *w, len(w.B)
	if !p.Guard("draw", func() { p.drawInside(w, level) }) {
		*w = before
		w.B = w.B[:from]
		p.drawInside(w, level)
	}
}

// drawInside writes all contents of the card of a panel. level is the level of its heading.
func (p *card) drawInside(w *html.Painter, level int) {
	if p.Frame == panel.Unframed {
		if p.Content == nil {
			w.Message(p.Problem, true)
			return
		}
		p.Content.Draw(w)
		return
	}
	w.Height += 34
	if p.Title != "" {
		w.Height += 19 * html.Lines(canvas.Letters(p.Title), max(w.Letters-12, 8))
		w.Add(h(`<h`), level, h(` class="ct" id="p`), p.Index, h(`">`), p.Title, h(`</h`), level, h(`>`))
	}
	if p.Spec.Subtitle != "" {
		w.Height += 19 * html.Lines(canvas.Letters(p.Spec.Subtitle), w.Letters)
		w.Add(h(`<p class="sub">`), p.Spec.Subtitle, h(`</p>`))
	}
	p.drawMarks(w)
	if p.FigureOf != nil {
		w.Height += 19
		w.Add(h(`<p class="sub"><a href="`), p.FromRows().To, h(`">`), p.Env.Text("Back to the figure"), h(`</a></p>`))
	}
	switch {
	case p.Problem != "":
		w.Message(p.Problem, true)
	case p.Empty != "":
		w.Message(p.Empty, false)
	case p.Frame == panel.InFigure:
		w.Height += 14
		w.Add(h(`<figure>`))
		p.Content.Draw(w)
		w.Add(h(`</figure>`))
	default:
		p.Content.Draw(w)
	}
	p.drawTurns(w)
	if text := p.NoteText(); text != "" {
		w.Note(text)
	}
	if s := p.Spec.Source; s != nil {
		w.Height += 10 + 18*html.Lines(canvas.Letters(s.Name)+10, w.Letters*7/6)
		w.Add(h(`<p class="note">`))
		writeSource(p.Env.Locale, w.Doc, s)
		w.Add(h(`</p>`))
	}
	if p.Content != nil && p.Grid != nil {
		p.drawBehind(w.Doc)
	}
}

// drawTurns writes the links to the panel by other grains, and to its comparison with the period before.
func (p *card) drawTurns(w *html.Painter) {
	turns := p.Turns()
	if len(turns) == 0 {
		return
	}
	w.Height += 32
	w.Add(h(`<div class="src gr" role="group" aria-label="`), p.Env.Text("Time steps of %s", p.Title), h(`">`))
	for _, t := range turns {
		current := h(`true`)
		if t.OneOf {
			current = h(`page`)
		}
		w.Step(t.Way, current, t.Name)
	}
	w.Add(h(`</div>`))
}

// maxFacetRows is the maximum number of rows of the table behind small plots, which has the rows of each of them.
const maxFacetRows = 1000

// drawBehind writes the same numbers as a table, and the link to the CSV.
func (p *card) drawBehind(d *html.Doc) {
	switch p.Behind {
	case panel.NothingBehind:
		return
	case panel.CSVBehind:
		d.Add(h(`<p class="src">`))
		p.drawDownload(d)
		d.Add(h(`</p>`))
		if to := p.ToRows(); to.To != "" {
			d.Add(h(`<div class="src">`))
			p.drawToRows(d, to)
			d.Add(h(`</div>`))
		}
		return
	}
	g := p.Grid
	d.Add(h(`<details class="src"><summary>`), p.Env.Text("View as table"), h(`<span class="vh">: `), p.Title,
		h(`</span></summary><div class="over"><div class="tw" tabindex="0" role="group" aria-label="`),
		p.Env.Text("%s, as a table", p.Title), h(`"><table><thead><tr>`))
	ways, links := p.Ways(), 0
	link := func(to canvas.Way, text string) {
		links += stat.One(strings.HasPrefix(to.To, "?"))
		d.BeginLink(to)
		d.Esc(canvas.Clip(text, canvas.MaxCell))
		d.EndLink(to)
	}
	drawn := len(g.Columns) - g.Extras()
	head := func(cols []panel.Column) {
		for _, c := range cols {
			d.Raw(`<th scope="col">`)
			link(ways.Of(c.Head), c.Label)
			d.Raw(`</th>`)
		}
	}
	head(g.Columns[:drawn])
	if p.Totals != nil {
		d.Add(h(`<th scope="col">`), p.Env.Text("Total"), h(`</th>`))
	}
	head(g.Columns[drawn:])
	d.Add(h(`</tr></thead><tbody>`))
	most := canvas.MaxBehind
	if p.Spec.Facet != "" {
		most = maxFacetRows
	}
	rows := g.Rows
	if !g.Whole {
		rows = rows[:min(len(rows), most)]
	}
	for i, row := range rows {
		d.Add(h(`<tr>`))
		marks := g.Marks(row)
		total := func(j int) {
			if p.Totals != nil && j == drawn {
				d.Add(h(`<td>`), p.Totals[i], h(`</td>`))
			}
		}
		for j, v := range row {
			c := &g.Columns[j]
			total(j)
			text, m := p.CellOf(j, v), c.Mark(v)
			if j == 0 {
				d.Raw(`<th scope="row">`)
				link(ways.Of(m, marks...), text)
				d.Esc(canvas.Clip(p.Beside[i], 2*canvas.MaxCell))
				d.Raw(`</th>`)
				continue
			}
			if k := j - 1 - stat.One(p.Spec.Facet != ""); k >= 0 && k < len(p.Parts) && v != nil && j < drawn {
				text += " · " + p.Env.Share(p.Parts[k][i], 1)
			}
			d.Raw(`<td>`)
			if m == nil && v != nil {
				link(ways.At(marks, c.Head), text)
			} else {
				link(ways.Of(m), text)
			}
			d.Raw(`</td>`)
		}
		total(len(row))
		d.Add(h(`</tr>`))
	}
	d.Add(h(`</tbody></table></div>`))
	if n := len(g.Rows) - len(rows); n > 0 {
		d.Add(h(`<p>`), p.Env.Count(n, "%d more row in the CSV.", "%d more rows in the CSV."), h(`</p>`))
	}
	p.drawDownload(d)
	if to := p.ToRows(); to.To != "" {
		p.drawToRows(d, to)
	}
	if links > 0 {
		d.Add(h(`<span>`), p.Env.Text("Names are links that filter the page."), h(`</span>`))
	}
	d.Add(h(`</div></details>`))
}

func (p *card) drawToRows(d *html.Doc, to canvas.Way) {
	d.Add(h(`<a class="csv" href="`), to.To, h(`">`), p.Env.Text("Rows behind this"), h(`<span class="vh">: `), p.Title, h(`</span></a>`))
}

func (p *card) drawDownload(d *html.Doc) {
	keep := p.KeptOfAll()
	for _, format := range [...]string{"csv", "xlsx"} {
		if format == "xlsx" && p.Grid.Cells() > export.MaxCells {
			continue
		}
		d.Add(h(`<a class="csv" href="?panel=`), p.Index, h(`&amp;format=`), format)
		if len(keep) > 0 {
			d.Add(h(`&amp;`), keep.Encode())
		}
		name := strings.ToUpper(format)
		d.Add(h(`" download aria-label="`), p.Env.Text("Download %s", name), h(`: `), p.Title, h(`">↓ `), name, h(`</a>`))
	}
	if !canvas.Leads("/"+p.page.Header.Slug) || len(keep.Encode()) > maxPictureQuery {
		return
	}
	d.Add(h(`<a class="csv" href="/`), p.page.Header.Slug, h(`/`), p.Index+1, h(`.png`))
	d.Query(keep)
	d.Add(h(`" download aria-label="`), p.Env.Text("Download %s", "PNG"), h(`: `), p.Title, h(`">↓ PNG</a>`))
}

// maxPictureQuery is the maximum length of the query in links to pictures of panels, in bytes: the page repeats it for each panel.
const maxPictureQuery = 4000

// pictures writes the links to the page as a picture and as a document, which keep the reader's choices.
func (hd *Header) pictures(d *html.Doc, f format.Formatter, keep url.Values) {
	if !canvas.Leads("/" + hd.Slug) {
		return
	}
	d.Add(h(`<span class="ways">`))
	for _, format := range [...]string{"png", "pdf"} {
		name := strings.ToUpper(format)
		d.Add(h(`<a href="/`), hd.Slug, h(`.`), format)
		d.Query(keep)
		d.Add(h(`" download aria-label="`), f.Text("Download %s", name), h(`: `), hd.Name, h(`">↓ `), name, h(`</a>`))
	}
	d.Add(h(`</span>`))
}
