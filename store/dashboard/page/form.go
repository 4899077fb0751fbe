package page

import (
	"maps"
	"slices"
	"strings"
	"time"

	"service/store/dashboard/canvas/html"
)

// contentsFrom is how many sections a page has when it lists them.
const contentsFrom = 3

// drawBar writes what stays in sight while the page is scrolled: the list of its
// sections and the filters.
func (p *page) drawBar(d *html.Doc) {
	var sections []*panel
	for _, s := range p.panels {
		if s.frame == unframed && s.title != "" {
			sections = append(sections, s)
		}
	}
	contents := len(sections) >= contentsFrom
	if want := p.Spec.Contents; want != nil {
		contents = *want && len(sections) > 0
	}
	if !contents && len(p.filters)+len(p.choices) == 0 {
		return
	}
	d.Add(h(`<div class="bar`))
	if contents {
		d.Add(h(` full"><nav class="toc" aria-label="`), p.Text("Contents"), h(`" tabindex="0">`))
		for _, s := range sections {
			d.Add(h(`<a href="#p`), s.index, h(`">`), s.title, h(`</a>`))
		}
		d.Add(h(`</nav>`))
	} else {
		d.Add(h(`">`))
	}
	p.drawFilters(d)
	d.Add(h(`</div>`))
	if says := p.says(); len(says) > 0 {
		d.Add(h(`<p class="fsum"><a href="#filters">`), strings.Join(says, " · "), h(`</a></p>`))
	}
}

// drawFilters writes the form. It works without script: the dates show when
// "Custom dates" is chosen, and a button applies what was set.
func (p *page) drawFilters(d *html.Doc) {
	if len(p.filters)+len(p.choices) == 0 {
		return
	}
	d.Add(h(`<form method="get" class="filters" id="filters" aria-label="`), p.Text("Filters"), h(`">`))
	keep := p.kept()
	maps.DeleteFunc(keep, func(name string, _ []string) bool {
		return strings.HasPrefix(name, "f.") || strings.HasPrefix(name, "p.")
	})
	dropPages(keep)
	d.Hidden(fields(keep))
	changed := false
	for i := range p.choices {
		c := &p.choices[i]
		changed = changed || c.changed
		p.drawChoice(d, c)
	}
	for i := range p.filters {
		f := &p.filters[i]
		changed = changed || f.changed
		if f.Locked {
			p.drawFixed(d, f)
		} else if f.date {
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
func (p *page) drawChoice(d *html.Doc, c *choice) {
	d.Add(h(`<div class="f"><label>`), c.label, h(`<select name="`), c.Param.Param(), h(`">`))
	for _, o := range c.options {
		d.Option(o.value, o.label, o.chosen)
	}
	d.Add(h(`</select></label></div>`))
}

// drawFixed writes what a locked filter keeps.
func (p *page) drawFixed(d *html.Doc, f *filter) {
	d.Add(h(`<div class="f"><span class="fl">`), f.label, h(`</span><span class="fx">`), f.says(p.env), h(`</span></div>`))
}

func (p *page) drawDates(d *html.Doc, f *filter) {
	d.Add(h(`<div class="f dr"><label>`), f.label, h(`<select name="f.`), f.Column, h(`">`))
	for i, group := range f.dates(p.env) {
		if i > 0 {
			d.Add(h(`<hr>`))
		}
		for _, o := range group {
			d.Option(o.value, o.label, o.chosen)
		}
	}
	if f.Single {
		d.Add(h(`</select></label></div>`))
		return
	}
	d.Add(h(`</select></label><span class="cust">`))
	for i, name := range [...]string{"from", "to"} {
		day, label := f.from, p.Text("%s from", f.label)
		if i == 1 {
			day, label = f.to, p.Text("%s to", f.label)
		}
		d.Add(h(`<input type="date" name="f.`), f.Column, h(`.`), name, h(`" aria-label="`), label, h(`"`))
		if day != nil && day.Time().Year() > 1 && day.Time().Year() < 9999 {
			d.Add(h(` value="`), day.Time().Format(time.DateOnly), h(`"`))
		}
		d.Add(h(`>`))
	}
	d.Add(h(`</span></div>`))
}

func (p *page) drawValues(d *html.Doc, f *filter) {
	if f.Single && !f.searched() {
		d.Add(h(`<div class="f"><label>`), f.label, h(`<select name="f.`), f.Column, h(`">`))
		for _, o := range f.options {
			d.Option(o.value, o.label, o.chosen)
		}
		d.Add(h(`</select></label></div>`))
		return
	}
	d.Add(h(`<div class="f"><span class="fl">`), f.label, h(`</span><details class="ms"`))
	if f.find != "" {
		d.Add(h(` open`))
	}
	d.Add(h(`><summary><span class="vh">`), f.label, h(`: </span>`), f.says(p.env),
		h(`</summary><fieldset><legend class="vh">`), f.label, h(`</legend>`))
	if len(f.Default) > 0 && !f.Single { // so that nothing checked is not the default again
		d.Add(h(`<input type="hidden" name="f.`), f.Column, h(`">`))
	}
	if f.searched() {
		d.Add(h(`<input type="search" name="`), findParam(f.Column), h(`" value="`), f.find, h(`" maxlength="`), maxFind,
			h(`" aria-label="`), p.Text("Search in %s", f.label), h(`" placeholder="`), p.Text("Search"),
			h(`" autocomplete="off" data-c="`), f.Column, h(`">`))
	}
	p.drawOptions(d, f)
	d.Add(h(`<button>`), p.Text("Apply"), h(`</button></fieldset></details></div>`))
}

// drawOptions writes the list of a filter's values, and what is to be said of it.
func (p *page) drawOptions(d *html.Doc, f *filter) {
	d.Add(h(`<div class="opts">`))
	for _, o := range f.options {
		if f.Single {
			d.Add(h(`<label><input type="radio" name="f.`))
		} else {
			d.Add(h(`<label><input type="checkbox" name="f.`))
		}
		d.Add(f.Column, h(`" value="`), o.value, h(`"`))
		if o.chosen {
			d.Add(h(` checked`))
		}
		d.Add(h(`><span>`), o.label, h(`</span></label>`))
	}
	d.Add(h(`</div>`))
	if !f.searched() {
		return
	}
	d.Add(h(`<p class="typed" role="status">`))
	switch {
	case f.find != "" && f.hits == 0:
		d.Add(p.Text("No value of %s contains “%s”.", f.label, f.find))
	case f.more > 0:
		d.Add(p.Count(f.more, "%d more: type a value", "%d more: type a value"))
	}
	d.Add(h(`</p>`))
}

// Values is the list of a filter's values that the query of a view asks for, as a document; nil when it asks for none.
func Values(v View) []byte {
	column := v.Query.Get(askList)
	if v.Spec == nil || column == "" || !isList(v.Spec)(column) {
		return nil
	}
	p := open(v)
	i := slices.IndexFunc(p.filters, func(f filter) bool { return f.Column == column && !f.date })
	if i < 0 {
		return nil
	}
	var d html.Doc
	d.Add(h(`<!doctype html><meta charset="utf-8"><title>`), p.filters[i].label, h(`</title>`))
	p.drawOptions(&d, &p.filters[i])
	return d.B
}
