package web

import (
	"net/url"
	"slices"
)

// rowsPerPage is the number of rows on a page of a list.
const rowsPerPage = 50

// pages are the addresses of other pages of a list.
type pages struct {
	reader
	First string // empty on the first page
	Next  string // empty on the last page
	Left  int    // rows after this page
	Least bool   // there may be more than Left
}

// More returns the number of rows after the page, in words.
func (p pages) More() string {
	if p.Least {
		return p.Number(p.Left) + "+"
	}
	return p.Number(p.Left)
}

// cut returns the rows of the requested page: those after the row whose key is in the
// address, or the first page if that row no longer exists. base is the list's address.
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
