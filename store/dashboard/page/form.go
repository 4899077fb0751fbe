package page

import (
	"maps"
	"slices"
	"strings"
	"time"

	"service/store/dashboard/canvas/html"
	"service/store/dashboard/panel"
)

// contentsFrom is the number of sections from which on a page lists them.
const contentsFrom = 3

// drawBar writes the part that stays in view while the page is scrolled: the list of its sections and the filters.
func (p *page) drawBar(d *html.Doc) {
	var sections []*panel.Panel
	for _, s := range p.panels {
		if s.Frame == panel.Unframed && s.Title != "" {
			sections = append(sections, s)
		}
	}
	contents := len(sections) >= contentsFrom
	if want := p.Spec.Contents; want != nil {
		contents = *want && len(sections) > 0
	}
	if !contents && len(p.Filters)+len(p.Choices) == 0 {
		return
	}
	d.Add(h(`<div class="bar`))
	if contents {
		d.Add(h(` full"><nav class="toc" aria-label="`), p.Text("Contents"), h(`" tabindex="0">`))
		for _, s := range sections {
			d.Add(h(`<a href="#p`), s.Index, h(`">`), s.Title, h(`</a>`))
		}
		d.Add(h(`</nav>`))
	} else {
		d.Add(h(`">`))
	}
	p.drawFilters(d)
	d.Add(h(`</div>`))
	if says := p.Says(); len(says) > 0 {
		d.Add(h(`<p class="fsum"><a href="#filters">`), strings.Join(says, " · "), h(`</a></p>`))
	}
}

// drawFilters writes the form. It works without script: the dates are shown if "Custom dates" is chosen, and a button applies the form.
func (p *page) drawFilters(d *html.Doc) {
	if len(p.Filters)+len(p.Choices) == 0 {
		return
	}
	d.Add(h(`<form method="get" class="filters" id="filters" aria-label="`), p.Text("Filters"), h(`">`))
	keep := p.Kept()
	maps.DeleteFunc(keep, func(name string, _ []string) bool {
		return strings.HasPrefix(name, "f.") || strings.HasPrefix(name, "p.")
	})
	panel.DropPages(keep)
	d.Hidden(panel.Fields(keep))
	changed := false
	for i := range p.Choices {
		c := &p.Choices[i]
		changed = changed || c.Changed
		p.drawChoice(d, c)
	}
	for i := range p.Filters {
		f := &p.Filters[i]
		changed = changed || f.Changed
		if f.Locked {
			p.drawFixed(d, f)
		} else if f.Date {
			p.drawDates(d, f)
		} else {
			p.drawValues(d, f)
		}
	}
	d.Add(h(`<button class="apply">`), p.Text("Apply"), h(`</button>`))
	if changed {
		d.Add(h(`<a class="reset" href="?`), keep.Encode(), h(`">`), p.Text("Reset"), h(`</a>`))
	}
	d.Add(h(`</form>`))
}

// drawChoice writes the control of a choice.
func (p *page) drawChoice(d *html.Doc, c *panel.Choice) {
	d.Add(h(`<div class="f"><label>`), c.Name, h(`<select name="`), c.Param.Param(), h(`">`))
	for _, o := range c.Listed {
		d.Option(o.Value, o.Label, o.Chosen)
	}
	d.Add(h(`</select></label></div>`))
}

// drawFixed writes the values that a locked filter keeps.
func (p *page) drawFixed(d *html.Doc, f *panel.Filter) {
	d.Add(h(`<div class="f"><span class="fl">`), f.Name, h(`</span><span class="fx">`), f.Says(p.Env), h(`</span></div>`))
}

func (p *page) drawDates(d *html.Doc, f *panel.Filter) {
	d.Add(h(`<div class="f dr"><label>`), f.Name, h(`<select name="f.`), f.Column, h(`">`))
	for i, group := range f.Dates(p.Env) {
		if i > 0 {
			d.Add(h(`<hr>`))
		}
		for _, o := range group {
			d.Option(o.Value, o.Label, o.Chosen)
		}
	}
	if f.Single {
		d.Add(h(`</select></label></div>`))
		return
	}
	d.Add(h(`</select></label><span class="cust">`))
	for i, name := range [...]string{"from", "to"} {
		day, label := f.From, p.Text("%s from", f.Name)
		if i == 1 {
			day, label = f.To, p.Text("%s to", f.Name)
		}
		d.Add(h(`<input type="date" name="f.`), f.Column, h(`.`), name, h(`" aria-label="`), label, h(`"`))
		if day != nil && day.Time().Year() > 1 && day.Time().Year() < 9999 {
			d.Add(h(` value="`), day.Time().Format(time.DateOnly), h(`"`))
		}
		d.Add(h(`>`))
	}
	d.Add(h(`</span></div>`))
}

func (p *page) drawValues(d *html.Doc, f *panel.Filter) {
	if f.Single && !f.Searched() {
		d.Add(h(`<div class="f"><label>`), f.Name, h(`<select name="f.`), f.Column, h(`">`))
		for _, o := range f.Listed {
			d.Option(o.Value, o.Label, o.Chosen)
		}
		d.Add(h(`</select></label></div>`))
		return
	}
	d.Add(h(`<div class="f"><span class="fl">`), f.Name, h(`</span><details class="ms"`))
	if f.Find != "" {
		d.Add(h(` open`))
	}
	d.Add(h(`><summary><span class="vh">`), f.Name, h(`: </span>`), f.Says(p.Env),
		h(`</summary><fieldset><legend class="vh">`), f.Name, h(`</legend>`))
	if len(f.Default) > 0 && !f.Single { // otherwise an empty selection would be the default again
		d.Add(h(`<input type="hidden" name="f.`), f.Column, h(`">`))
	}
	if f.Searched() {
		d.Add(h(`<input type="search" name="`), panel.FindParam(f.Column), h(`" value="`), f.Find, h(`" maxlength="`), panel.MaxFind,
			h(`" aria-label="`), p.Text("Search in %s", f.Name), h(`" placeholder="`), p.Text("Search"),
			h(`" autocomplete="off" data-c="`), f.Column, h(`">`))
	}
	p.drawOptions(d, f)
	d.Add(h(`<button>`), p.Text("Apply"), h(`</button></fieldset></details></div>`))
}

// drawOptions writes the list of a filter's values, and the notes on it.
func (p *page) drawOptions(d *html.Doc, f *panel.Filter) {
	d.Add(h(`<div class="opts">`))
	for _, o := range f.Listed {
		if f.Single {
			d.Add(h(`<label><input type="radio" name="f.`))
		} else {
			d.Add(h(`<label><input type="checkbox" name="f.`))
		}
		d.Add(f.Column, h(`" value="`), o.Value, h(`"`))
		if o.Chosen {
			d.Add(h(` checked`))
		}
		d.Add(h(`><span>`), o.Label, h(`</span></label>`))
	}
	d.Add(h(`</div>`))
	if !f.Searched() {
		return
	}
	d.Add(h(`<p class="typed" role="status">`))
	switch {
	case f.Find != "" && f.Hits == 0:
		d.Add(p.Text("No value of %s contains “%s”.", f.Name, f.Find))
	case f.More > 0:
		d.Add(p.Count(f.More, "%d more: type a value", "%d more: type a value"))
	}
	d.Add(h(`</p>`))
}

// Values returns the list of the values of one filter as an HTML document, if the query of a view asks for it; else nil.
func Values(v View) []byte {
	column := v.Query.Get(panel.AskList)
	if v.Spec == nil || column == "" || !panel.IsList(v.Spec)(column) {
		return nil
	}
	p := open(v)
	i := slices.IndexFunc(p.Filters, func(f panel.Filter) bool { return f.Column == column && !f.Date })
	if i < 0 {
		return nil
	}
	var d html.Doc
	d.Add(h(`<!doctype html><meta charset="utf-8"><title>`), p.Filters[i].Name, h(`</title>`))
	p.drawOptions(&d, &p.Filters[i])
	return d.B
}
