package host

import (
	"bytes"
	"image"
	_ "image/png"
	"net/http"
	"strings"
	"testing"

	"service/store"
	"service/store/dashboard"
)

// Members can get a page, and each of its panels, as a picture and as a PDF.
func TestPicturesOfAPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publishBody(t, m, "report", "index.html", dashboard.TypeReport, `{"version": 1, "title": "Report",
		"datasets": [{"id": "orders", "columns": {"day": {}, "revenue": {"agg": "sum"}},
			"rows": [{"day": "Mon", "revenue": 5}, {"day": "Tue", "revenue": 7}]}],
		"filters": [{"column": "day"}],
		"panels": [{"type": "kpi", "value": "revenue"}, {"type": "table", "columns": ["day", "revenue"]}]}`)
	s.publishBody(t, m, "notes", "index.html", dashboard.TypeMarkdown, "# Notes\n\n**bold**")
	size := func(path string) image.Point {
		t.Helper()
		got := v.get(s.url("engine", path))
		if got.status != http.StatusOK || got.header.Get("Content-Type") != "image/png" || got.header.Get("ETag") == "" {
			t.Fatalf("%s: %d %v", path, got.status, got.header)
		}
		p, _, err := image.Decode(strings.NewReader(got.body))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return p.Bounds().Size()
	}
	if all := size("/report.png"); all.X != 2400 || all.Y < 600 {
		t.Errorf("the page: %v", all)
	}
	first, second := size("/report/1.png"), size("/report/2.png")
	if first.X >= 2400 || first.Y >= second.Y {
		t.Errorf("panels: %v, %v", first, second)
	}
	if filtered := size("/report/2.png?f.day=Mon"); filtered.Y >= second.Y {
		t.Errorf("a table of fewer rows is not lower: %v, %v", filtered, second)
	}
	size("/notes.png")
	for _, path := range []string{"/report.pdf", "/report.pdf?f.day=Mon", "/notes.pdf"} {
		got := v.get(s.url("engine", path))
		if got.status != http.StatusOK || got.header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(got.body, "%PDF-") {
			t.Errorf("%s: %d %v\n%.20s", path, got.status, got.header, got.body)
		}
		again := v.send(http.MethodGet, s.url("engine", path), http.Header{"If-None-Match": {got.header.Get("ETag")}})
		if again.status != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.status)
		}
	}
	for _, path := range []string{
		"/report/0.png", "/report/3.png", "/report/01.png", "/report/-1.png", "/report/1.pdf", "/report/x.png", "/report/1.png/",
		"/none.png", "/none/1.png", "/report.jpg", "/report.png.png", "/notes/1.png", "/.png", "/report.PNG",
	} {
		if got := v.get(s.url("engine", path)); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	stranger := s.signIn(t, "mallory@evil.example")
	for _, path := range []string{"/report.png", "/report.pdf", "/report/1.png"} {
		if got := stranger.get(s.url("engine", path)); got.status != http.StatusNotFound {
			t.Errorf("a stranger at %s: %d", path, got.status)
		}
		if got := s.visitor(t).once().get(s.url("engine", path)); got.status != http.StatusFound {
			t.Errorf("signed out at %s: %d", path, got.status)
		}
	}
	slug := "numbers"
	if _, err := s.store.Dashboards.UpdateDashboard(t.Context(), m, "report", store.Update{NewSlug: &slug}); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"/report.png?f.day=Mon": "/numbers.png?f.day=Mon", "/report.pdf": "/numbers.pdf", "/report/1.png": "/numbers/1.png",
	} {
		got := v.once().get(s.url("engine", from))
		if got.status != http.StatusMovedPermanently || got.header.Get("Location") != s.url("engine", to) {
			t.Errorf("%s: %d to %s", from, got.status, got.header.Get("Location"))
		}
	}
}

// TestDataFileCalledAsAPicture: a data file is sent unchanged, under any name.
func TestDataFileCalledAsAPicture(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	body := "\x89PNG\r\n\x1a\n not really"
	s.publishBody(t, m, "photo", "1.png", "image/png", body)
	if got := v.get(s.url("engine", "/photo/1.png")); got.status != http.StatusOK || !bytes.Equal([]byte(got.body), []byte(body)) ||
		!strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %v %q", got.status, got.header, got.body)
	}
	for _, path := range []string{"/photo.png", "/photo/2.png", "/photo.pdf"} {
		if got := v.get(s.url("engine", path)); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}
