package host

import (
	"net/http"
	"testing"
)

// BenchmarkVisit measures a member's visit over HTTP on one connection, with its
// database queries: a page from the cache, the same page for a browser that has it, and
// a page that does not exist.
func BenchmarkVisit(b *testing.B) {
	s := newSite(b)
	v, m := s.owner(b, "ada@lovelace.org", "engine")
	s.publish(b, m, "sales", "Sales")
	if _, err := s.pool.Exec(b.Context(), `ANALYZE`); err != nil {
		b.Fatal(err)
	}
	tag := v.get(s.url("engine", "/sales")).header.Get("ETag")
	for _, bench := range []struct {
		name, path string
		header     http.Header
		status     int
	}{
		{"page", "/sales", nil, http.StatusOK},
		{"unchanged", "/sales", http.Header{"If-None-Match": {tag}}, http.StatusNotModified},
		{"not found", "/none", nil, http.StatusNotFound},
		{"asking nobody", "/robots.txt", nil, http.StatusOK},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if got := v.send(http.MethodGet, s.url("engine", bench.path), bench.header); got.status != bench.status {
					b.Fatal(got.status)
				}
			}
		})
	}
}
