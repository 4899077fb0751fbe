package page

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// contentsFrom is how many sections a page has when it lists them.
const contentsFrom = 3

// drawBar writes what stays in sight while the page is scrolled: the list of its
// sections and the filters.
func (p *page) drawBar(d *doc) {
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
	if !contents && len(p.filters) == 0 {
		return
	}
	d.add(h(`<div class="bar`))
	if contents {
		d.add(h(` full"><nav class="toc" aria-label="`), p.Text("Contents"), h(`" tabindex="0">`))
		for _, s := range sections {
			d.add(h(`<a href="#p`), s.index, h(`">`), s.title, h(`</a>`))
		}
		d.add(h(`</nav>`))
	} else {
		d.add(h(`">`))
	}
	p.drawFilters(d)
	d.add(h(`</div>`))
	if len(p.filters) > 0 {
		d.add(h(`<p class="fsum"><a href="#filters">`))
		for i := range p.filters {
			if i > 0 {
				d.add(h(` · `))
			}
			d.add(p.filters[i].label, h(`: `), p.filters[i].says(p))
		}
		d.add(h(`</a></p>`))
	}
}

// drawFilters writes the form. It works without script: the dates show when
// "Custom dates" is chosen, and a button applies what was set.
func (p *page) drawFilters(d *doc) {
	if len(p.filters) == 0 {
		return
	}
	d.add(h(`<form method="get" class="filters" id="filters" aria-label="`), p.Text("Filters"), h(`">`))
	keep := p.kept()
	maps.DeleteFunc(keep, func(name string, _ []string) bool { return strings.HasPrefix(name, "f.") })
	dropPages(keep)
	d.hidden(fields(keep))
	changed := false
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
	d.add(h(`<button class="apply">`), p.Text("Apply"), h(`</button>`))
	if changed {
		d.add(h(`<a class="reset" href="?`), keep.Encode(), h(`">`), p.Text("Reset"), h(`</a>`))
	}
	d.add(h(`</form>`))
}

// drawFixed writes what a locked filter keeps.
func (p *page) drawFixed(d *doc, f *filter) {
	d.add(h(`<div class="f"><span class="fl">`), f.label, h(`</span><span class="fx">`), f.says(p), h(`</span></div>`))
}

func (p *page) drawDates(d *doc, f *filter) {
	d.add(h(`<div class="f dr"><label>`), f.label, h(`<select name="f.`), f.Column, h(`">`))
	begun, listed := f.period()
	if !f.Single {
		for _, pre := range f.presetsOf() {
			d.option(pre, p.rangeLabel(pre), pre == f.preset)
		}
	}
	if len(f.begun) > 0 {
		if !f.Single {
			d.add(h(`<hr>`))
		}
		for i, day := range f.begun {
			if on := listed && day == begun; i < maxPeriods || on {
				d.option(period(day, f.step.Next(day)-1), p.periodName(f, day), on)
			}
		}
		if !f.Single {
			d.add(h(`<hr>`))
		}
	}
	if f.Single {
		d.add(h(`</select></label></div>`))
		return
	}
	d.option(custom, p.rangeLabel(custom), f.preset == custom && !listed)
	d.add(h(`</select></label><span class="cust">`))
	for i, name := range [...]string{"from", "to"} {
		day, label := f.from, p.Text("%s from", f.label)
		if i == 1 {
			day, label = f.to, p.Text("%s to", f.label)
		}
		d.add(h(`<input type="date" name="f.`), f.Column, h(`.`), name, h(`" aria-label="`), label, h(`"`))
		if day != nil && day.Time().Year() > 1 && day.Time().Year() < 9999 {
			d.add(h(` value="`), day.Time().Format(time.DateOnly), h(`"`))
		}
		d.add(h(`>`))
	}
	d.add(h(`</span></div>`))
}

func (p *page) drawValues(d *doc, f *filter) {
	if f.Single && !f.searched() {
		d.add(h(`<div class="f"><label>`), f.label, h(`<select name="f.`), f.Column, h(`">`))
		for _, o := range f.options {
			d.option(o.value, o.label, o.chosen)
		}
		d.add(h(`</select></label></div>`))
		return
	}
	d.add(h(`<div class="f"><span class="fl">`), f.label, h(`</span><details class="ms"`))
	if f.find != "" {
		d.add(h(` open`))
	}
	d.add(h(`><summary><span class="vh">`), f.label, h(`: </span>`), f.says(p),
		h(`</summary><fieldset><legend class="vh">`), f.label, h(`</legend>`))
	if len(f.Default) > 0 && !f.Single { // so that nothing checked is not the default again
		d.add(h(`<input type="hidden" name="f.`), f.Column, h(`">`))
	}
	if f.searched() {
		d.add(h(`<input type="search" name="`), findParam(f.Column), h(`" value="`), f.find, h(`" maxlength="`), maxFind, h(`" aria-label="`),
			p.Text("Search in %s", f.label), h(`" placeholder="`), p.Text("Search"), h(`" autocomplete="off" data-c="`), f.Column, h(`">`))
	}
	p.drawOptions(d, f)
	d.add(h(`<button>`), p.Text("Apply"), h(`</button></fieldset></details></div>`))
}

// drawOptions writes the list of a filter's values, and what is to be said of it.
func (p *page) drawOptions(d *doc, f *filter) {
	d.add(h(`<div class="opts">`))
	for _, o := range f.options {
		if f.Single {
			d.add(h(`<label><input type="radio" name="f.`))
		} else {
			d.add(h(`<label><input type="checkbox" name="f.`))
		}
		d.add(f.Column, h(`" value="`), o.value, h(`"`))
		if o.chosen {
			d.add(h(` checked`))
		}
		d.add(h(`><span>`), o.label, h(`</span></label>`))
	}
	d.add(h(`</div>`))
	if !f.searched() {
		return
	}
	d.add(h(`<p class="typed" role="status">`))
	switch {
	case f.find != "" && f.hits == 0:
		d.add(p.Text("No value of %s contains “%s”.", f.label, f.find))
	case f.more > 0:
		d.add(p.Count(f.more, "%d more: type a value", "%d more: type a value"))
	}
	d.add(h(`</p>`))
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
	var d doc
	d.add(h(`<!doctype html><meta charset="utf-8"><title>`), p.filters[i].label, h(`</title>`))
	p.drawOptions(&d, &p.filters[i])
	return d.b
}
