package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// lookAs has ann, an owner, look at a page as each reader does, and has readers try the same with each other.
func (s *site) lookAs(t *testing.T, ann *browser, page string, readers []*reader) {
	t.Helper()
	ids := map[string]string{}
	rows, err := s.db.Query(t.Context(), `SELECT id::text, split_part(email, '@', 1) FROM account`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var id, name string
		if err := rows.Scan(&id, &name); err != nil {
			t.Fatal(err)
		}
		ids[name] = id
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	var views, after int
	count := func(n *int) {
		t.Helper()
		if err := s.db.QueryRow(t.Context(), `SELECT count(*) FROM audit`).Scan(n); err != nil {
			t.Fatal(err)
		}
	}
	count(&views)
	const banner = "This is the page as "
	for _, r := range readers {
		as := "as=" + ids[r.name]
		own := r.get(page).text
		p := ann.get(page + "?" + as)
		r.clean(t, "an owner looks as "+r.name, p.text, "")
		if p.status != http.StatusOK || !strings.Contains(p.text, banner+r.name+"@example.com sees it.") ||
			strings.Contains(p.text, "Send me this") || p.header.Get("Cache-Control") != "no-store" {
			t.Errorf("as %s: %d, %s", r.name, p.status, p.header)
		}
		if strings.Contains(own, banner) || r.get(page).text != own {
			t.Errorf("%s sees that somebody looked", r.name)
		}
		if lacks := strings.Contains(own, "they depend on your attribute “region”, which has no value."); lacks != (r.region == "") ||
			lacks != strings.Contains(p.text, "your attribute “region”") {
			t.Errorf("the page of %s names a missing attribute: %t", r.name, lacks)
		}
		for _, part := range []string{"?f.region=APAC&", "?panel=1&format=csv&", "?list=region&"} {
			r.clean(t, part+" as "+r.name, ann.get(page+part+as).text, part)
		}
		if picture := ann.get(page + ".png?" + as); picture.status != http.StatusOK || picture.text == ann.get(page+".png").text {
			t.Errorf("the picture as %s is that of the owner: %d", r.name, picture.status)
		}
		if got := ann.get(page + "?f.region=EMEA&" + as).text; !strings.Contains(got, as) {
			t.Errorf("links of the page do not keep %s", as)
		}
	}
	if count(&after); after != views {
		t.Errorf("the audit log has %d events more", after-views)
	}
	if p := ann.get(page); strings.Contains(p.text, banner) {
		t.Error("the owner's own page has the banner")
	}
	for _, who := range []string{"00000000-0000-0000-0000-000000000001", "emma", ""} {
		if p := ann.get(page + "?as=" + who); p.status != http.StatusNotFound {
			t.Errorf("as %q: %d", who, p.status)
		}
	}
	details := ann.get(s.app + "/w/vault/d/sales").text
	others := len(slices.Compact(slices.Sorted(names(readers))))
	if n := strings.Count(details, `href="`+page+"?as="); n != others || !strings.Contains(details, "See it as…") {
		t.Errorf("the app links the page as %d members", n)
	}
}

func names(readers []*reader) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, r := range readers {
			if !yield(r.name) {
				return
			}
		}
	}
}
