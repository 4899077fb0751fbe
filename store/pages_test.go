package store_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/page"
)

const salesSpec = `{"version":1,"title":"Sales","datasets":[{"id":"d","sql":"SELECT n FROM t","columns":{"n":{"agg":"sum"}}}],"panels":[{"type":"kpi","value":"n"}]}`

// note publishes a Markdown page.
func (b bench) note(t testing.TB, slug, text string) store.Published {
	t.Helper()
	p, err := b.Publish(t.Context(), b.owner, store.Publication{
		Slug: slug, Filename: "index.html", DefaultName: slug, DefaultChart: "document", Kind: store.KindBody, ContentType: store.TypeMarkdown, Content: []byte(text),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A preview says that it is one, of when, and leads to the current page.
func TestPreview(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	b := setup(t, func(o *store.Options) {
		o.Now = func() time.Time { return at }
		o.URL = func(workspace, slug string) string { return "https://" + workspace + ".example.com/" + slug }
	})
	old := b.note(t, "notes", "# Notes\n\nThe first.")
	at = at.Add(26 * time.Hour)
	b.note(t, "notes", "# Notes\n\nThe second.")
	b.spec(t, b.owner, "notes", salesSpec)

	show := func(version uuid.UUID) string {
		t.Helper()
		d, err := b.Dashboard(t.Context(), b.owner, "notes")
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.Page(t.Context(), b.owner, d, store.PageRequest{File: "index.html", Version: version})
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(p.Body), "</style>")
		return body
	}
	got := show(old.Dashboard.VersionID)
	for _, want := range []string{"The first.", "Preview of the version of <time datetime=\"2026-03-04T09:00:00Z\"", "not the current one", `<a href="https://acme.example.com/notes">Open the current page</a>`, "Published <time datetime=\"2026-03-04T09:00:00Z\""} {
		if !strings.Contains(got, want) {
			t.Errorf("the preview lacks %s", want)
		}
	}
	if got := show(uuid.Nil); strings.Contains(got, "Preview") || !strings.Contains(got, "No data yet") && !strings.Contains(got, "first refresh") {
		t.Error("the current page is not what was published last")
	}
	d, err := b.Dashboard(t.Context(), b.owner, "notes")
	if err != nil {
		t.Fatal(err)
	}
	if got := show(d.VersionID); strings.Contains(got, "Preview") {
		t.Error("the current version is called a preview")
	}
}

// BenchmarkPage asks for a page as a browser does: from the cache; and drawn
// anew, for a query that nobody sent before. Beside it are its parts: reading
// what a page is drawn from, and drawing it.
func BenchmarkPage(b *testing.B) {
	s := setup(b)
	p := s.spec(b, s.owner, "sales", salesSpec)
	if state := s.finish(b, p, 10_000); state != store.RunSucceeded {
		b.Fatal(state)
	}
	d, err := s.Dashboard(b.Context(), s.owner, "sales")
	if err != nil {
		b.Fatal(err)
	}
	ask := func(b *testing.B, query url.Values) {
		b.Helper()
		if _, err := s.Page(b.Context(), s.owner, d, store.PageRequest{File: "index.html", Query: query}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			ask(b, nil)
		}
	})
	b.Run("drawn", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			ask(b, url.Values{"n": {time.Duration(i).String()}})
		}
	})
	v, err := s.View(b.Context(), s.owner, d, uuid.Nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("reading alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.View(b.Context(), s.owner, d, uuid.Nil, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("drawing alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := page.Render(v.View); err != nil {
				b.Fatal(err)
			}
		}
	})
}
