package page

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/scene"
)

// TestSources: sources are at the foot of the page and of panels, with their links, in the language of the page, also above the rows behind
// a figure, in pictures and in mails.
func TestSources(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Bar, X: "k", Y: []string{"n"}, Source: &dashboard.Source{Name: "A <b>", URL: "https://example.org/?a=1&b=2"}},
		{Type: dashboard.KPI, Value: "n", Source: &dashboard.Source{Name: "Own count"}},
		{Type: dashboard.Text, Markdown: "Text", Source: &dashboard.Source{Name: "Somebody"}},
	}, []string{"k text", "n integer sum"}, []any{"a", int64(3)})
	v.Spec.Source, v.Spec.Locale = &dashboard.Source{Name: "Whole", URL: "https://example.com/"}, "de-DE"
	for _, rows := range []string{"", "1"} {
		v.Query = url.Values{}
		v.Query.Set("p0.rows", rows)
		html := string(render(t, v))
		for _, want := range []string{
			`<p class="note">Quelle: <a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer nofollow">A &lt;b&gt;</a></p>`,
			`<p class="note">Quelle: Own count</p>`, `<p class="note">Quelle: Somebody</p>`,
			`<footer><span>Quelle: <a href="https://example.com/" rel="noopener noreferrer nofollow">Whole</a></span>`,
		} {
			if !strings.Contains(html, want) {
				t.Errorf("rows %q: the page lacks %s", rows, want)
			}
		}
	}
	v.Query.Del("p0.rows")
	w, err := painterOf(v, Shot{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.lay(t.Context(), Shot{}, true); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{}
	for _, item := range w.Items {
		if text, ok := item.(*scene.Text); ok && strings.HasPrefix(text.Text, "Quelle: ") {
			links[text.Text] = text.Link
		}
	}
	if len(links) != 4 || links["Quelle: A <b>"] != "https://example.org/?a=1&b=2" || links["Quelle: Whole"] != "https://example.com/" {
		t.Errorf("a document has %v", links)
	}
	d := Digested(v)
	if !slices.Contains(d.Notes, "Quelle: Whole") || !slices.Contains(d.Notes, "Quelle: Own count") ||
		!slices.Contains(d.Panels[0].Lines, "Quelle: A <b>") {
		t.Errorf("a mail has %q and %+v", d.Notes, d.Panels)
	}
}
