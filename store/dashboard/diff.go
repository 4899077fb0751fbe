package dashboard

import (
	"fmt"
	"reflect"
	"slices"
)

// Diff describes the changes from one spec to the next, in the order of the spec: at most
// [MaxProblems], each on one line. It matches panels by type and title, so that a panel that
// only moved is not listed as removed and added.
func Diff(before, after *Spec) []string {
	d := differ{}
	d.value("title", before.Title, after.Title)
	d.flat("description", before.Description, after.Description)
	d.flat("source", before.Source, after.Source)
	d.value("time zone", before.Timezone, after.Timezone)
	d.value("first day of weeks", before.WeekStarts, after.WeekStarts)
	d.value("last day of the data", before.AsOf, after.AsOf)
	d.value("layout", before.Layout, after.Layout)
	d.flat("contents", before.Contents, after.Contents)
	d.value("currency", before.Currency, after.Currency)
	d.value("locale", before.Locale, after.Locale)
	each(&d, "parameter", before.Params, after.Params, func(p Param) string { return p.ID }, func(name string, a, b Param) {
		d.flat("parameter "+name, a, b)
	})
	each(&d, "dataset", before.Datasets, after.Datasets, func(s Dataset) string { return s.ID }, func(name string, a, b Dataset) {
		d.flat("SQL of dataset "+name, a.SQL, b.SQL)
		d.flat("sources of dataset "+name, a.From, b.From)
		d.flat("description of dataset "+name, a.Description, b.Description)
		d.value("offer of dataset "+name, a.Shared, b.Shared)
		d.value("row limit of dataset "+name, a.Rows, b.Rows)
		d.flat("upload of dataset "+name, a.Upload, b.Upload)
		d.value("sheet of dataset "+name, a.Sheet, b.Sheet)
		d.flat("columns of dataset "+name, a.Columns, b.Columns)
	})
	each(&d, "appearance of column", before.Columns, after.Columns, func(a Appearance) string { return a.Column },
		func(name string, a, b Appearance) { d.flat("appearance of column "+name, a, b) })
	each(&d, "filter", before.Filters, after.Filters, func(f Filter) string { return f.Column }, func(name string, a, b Filter) {
		d.flat("filter "+name, a, b)
	})
	d.flat("events", before.Events, after.Events)
	each(&d, "alert", before.Alerts, after.Alerts, func(a Alert) string { return a.ID }, func(name string, a, b Alert) {
		d.flat("alert "+name, a, b)
	})
	d.flat("deliveries", before.Deliver, after.Deliver)
	d.flat("who sees which rows", before.Access, after.Access)
	old, now := numbered(before.Panels), numbered(after.Panels)
	each(&d, "panel", old, now, func(p namedPanel) string { return p.name }, func(name string, a, b namedPanel) {
		d.flat("panel "+name, a.Panel, b.Panel)
	})
	sameOrder := slices.EqualFunc(old, now, func(a, b namedPanel) bool { return a.name == b.name })
	if !sameOrder && len(old) == len(now) && !d.panels {
		d.add("panels in another order")
	}
	if more := len(d.changes) - MaxProblems; more > 0 {
		d.changes = append(d.changes[:MaxProblems], fmt.Sprintf("and %d more", more))
	}
	return d.changes
}

// A differ gathers changes.
type differ struct {
	changes []string
	panels  bool // a panel was added or removed
}

func (d *differ) add(format string, args ...any) {
	d.changes = append(d.changes, fmt.Sprintf(format, args...))
}

// value describes the change of a short value, with both values.
func (d *differ) value(what string, before, after any) {
	if before != after {
		d.add("%s: %v → %v", what, shown(before), shown(after))
	}
}

func shown(v any) any {
	if s, ok := v.(string); ok {
		if r := []rune(s); len(r) > 60 {
			s = string(r[:59]) + "…"
		}
		return `"` + s + `"`
	}
	return v
}

// flat describes the change of a value that is too long to quote.
func (d *differ) flat(what string, before, after any) {
	if !reflect.DeepEqual(before, after) {
		d.add("%s changed", what)
	}
}

// each matches items by name: removed ones, new ones, and those in both.
func each[T any](d *differ, what string, before, after []T, name func(T) string, both func(name string, before, after T)) {
	for _, a := range before {
		if !slices.ContainsFunc(after, func(b T) bool { return name(b) == name(a) }) {
			d.add("%s %s removed", what, name(a))
			d.panels = d.panels || what == "panel"
		}
	}
	for _, b := range after {
		if i := slices.IndexFunc(before, func(a T) bool { return name(a) == name(b) }); i >= 0 {
			both(name(b), before[i], b)
			continue
		}
		d.add("%s %s added", what, name(b))
		d.panels = d.panels || what == "panel"
	}
}

type namedPanel struct {
	Panel
	name string
}

// numbered names panels by type and title, or by their contents if they have no title; panels with the same name are numbered.
func numbered(panels []Panel) []namedPanel {
	out := make([]namedPanel, len(panels))
	seen := map[string]int{}
	for i, p := range panels {
		name := p.Type
		switch {
		case p.Title != "":
			name += fmt.Sprintf(" %v", shown(p.Title))
		case p.Value != "":
			name += " of " + p.Value
		case len(p.Y) > 0:
			name += " of " + p.Y[0]
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		out[i] = namedPanel{p, name}
	}
	return out
}
