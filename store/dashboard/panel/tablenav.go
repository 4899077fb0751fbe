package panel

import (
	"cmp"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// maxSorting is the maximum size of the addresses in the heads of all tables together, in bytes: each repeats the reader's choices, and a
// table has one for each column.
const maxSorting = 4 << 20

// sorting sets the link of a column's head to the table sorted by it: first in the more common direction, then in the other one, then as in
// the spec.
func (t *tablePanel) sorting(h *canvas.Head, col tableColumn) {
	if t.Env.sorting > maxSorting {
		return
	}
	ways := [...]string{col.Name, "-" + col.Name}
	if col.Role == dashboard.Measure { // readers look for the largest
		ways = [...]string{"-" + col.Name, col.Name}
	}
	by, descending := t.sortedBy("")
	first := by // the spec's own order
	if descending {
		first = "-" + by
	}
	now := cmp.Or(t.how.sort, first)
	next := ways[0]
	switch now {
	case ways[0]:
		next = ways[1]
	case ways[1]:
		next = "" // as in the spec
		if first == ways[0] || first == ways[1] {
			next = ways[0]
		}
	}
	if next == first {
		next = ""
	}
	switch now {
	case col.Name:
		h.Sorted = 1
	case "-" + col.Name:
		h.Sorted = -1
	}
	switch _, falls := sortKey(cmp.Or(next, first)); {
	case next == "" && by != col.Name:
		h.Says = t.Env.Text("as it was at first")
	case falls:
		h.Says = t.Env.Text("sort descending")
	default:
		h.Says = t.Env.Text("sort ascending")
	}
	h.Link = t.address(reading{sort: next, search: t.how.search})
	t.Env.sorting += len(h.Link)
}

// searchForm returns the form of the search.
func (t *tablePanel) searchForm() *canvas.Search {
	keep := t.Env.Kept()
	name := paramOf(t.Index, t.inTable()+askSearch)
	keep.Del(name)
	keep.Del(paramOf(t.Index, t.inTable()+askPage))
	s := &canvas.Search{
		Label: t.Env.Text("Search in %s", t.Title), Name: name, Value: t.how.search, Most: maxSearch, Keep: Fields(keep),
	}
	if t.how.search != "" {
		s.Clear = t.address(reading{sort: t.how.sort})
	}
	return s
}

// shown returns which of the rows this page of the table has.
func (t *tablePanel) shown() string {
	return t.Env.Text("%s–%s of %s", t.number(t.from+1), t.number(t.from+len(t.Grid.Rows)), t.number(t.found))
}

func (t *tablePanel) number(n int) string { return t.Env.Number(float64(n), 0) }

// nearPages is the number of linked pages on either side of the present one.
const nearPages = 1

// pages returns the links to the other pages of the table.
func (t *tablePanel) pages() *canvas.Pages {
	out := &canvas.Pages{Label: t.Env.Text("Pages of %s", t.Title)}
	if t.how.search != "" && t.found > 0 {
		out.Says = t.Env.Count(t.found, "%d row found", "%d rows found")
	}
	if t.found > t.size {
		if out.Says != "" {
			out.Says += " · "
		}
		out.Says += t.shown()
	}
	last := (t.found + t.size - 1) / t.size
	if last < 2 {
		return out
	}
	to := func(page int) string {
		if page < 1 || page > last {
			return ""
		}
		r := t.how
		r.page = page
		return t.address(r)
	}
	out.Previous, out.Next = to(t.how.page-1), to(t.how.page+1)
	for n := 1; n <= last; n++ {
		switch near := n >= t.how.page-nearPages && n <= t.how.page+nearPages; {
		case near || n == 1 || n == last || last <= 5+2*nearPages:
			out.Links = append(out.Links, canvas.PageLink{Text: t.number(n), Link: to(n), Current: n == t.how.page})
		case out.Links[len(out.Links)-1].Link != "":
			out.Links = append(out.Links, canvas.PageLink{})
		}
	}
	return out
}
