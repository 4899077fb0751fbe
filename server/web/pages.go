package web

import (
	"net/url"
	"slices"
)

// rowsPerPage is how many rows a page of a list shows.
const rowsPerPage = 50

// pages are the ways from one page of a list to the others, as addresses.
type pages struct {
	reader
	First string // empty: this is it
	Next  string // empty: there is none
	Left  int    // rows after this page
}

// cut returns the page of the list at base that the visitor asks for: what comes
// after the row with the key in the address. When that row is gone it is the first.
func cut[T any](v *visit, r reader, base string, all []T, key func(T) string) ([]T, pages) {
	p := pages{reader: r}
	if after := v.r.URL.Query().Get("after"); after != "" {
		if i := slices.IndexFunc(all, func(row T) bool { return key(row) == after }); i >= 0 {
			all, p.First = all[i+1:], base
		}
	}
	if len(all) > rowsPerPage {
		p.Next = base + "?" + url.Values{"after": {key(all[rowsPerPage-1])}}.Encode()
		p.Left = len(all) - rowsPerPage
		all = all[:rowsPerPage]
	}
	return all, p
}
