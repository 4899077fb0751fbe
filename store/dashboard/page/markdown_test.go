package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/markdown"
)

// TestMarkdownOverLimitsIsShownAsWritten: a document that was published before the limits existed is shown as plain text, cut, and never
// parsed.
func TestMarkdownOverLimitsIsShownAsWritten(t *testing.T) {
	t.Parallel()
	hd := Header{Workspace: "Acme", Slug: "doc", Name: "Doc"}
	const note = "This text is over a limit of Markdown, so it is shown as it was written."
	show := func(text string) string {
		t.Helper()
		body, err := RenderMarkdown(hd, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, article, _ := strings.Cut(string(body), `<article class="card md">`)
		article, _, _ = strings.Cut(article, "</article>")
		return article
	}
	quotes := strings.Repeat(">", 50_000)
	if got, want := show(quotes), "<p><em>"+note+"</em></p><pre>"+strings.Repeat("&gt;", 50_000)+"</pre>"; got != want {
		t.Errorf("%.200s", got)
	}
	long := strings.Repeat("ä<*a*", 1<<20) // 6 MiB
	got := show(long)
	if !strings.HasPrefix(got, "<p><em>"+note+" What is beyond 200000 bytes is left out.</em></p><pre>ä&lt;*a*ä") || len(got) > 350_000 {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	long = long[:200_001-3] + "ä" // cut in the middle of a character
	if got := show(long); strings.ContainsRune(got, '\uFFFD') {
		t.Error("a character is cut in half")
	}

	v := tiny([]dashboard.Panel{{Type: dashboard.Text, Markdown: quotes}, {Type: dashboard.Text, Markdown: "*fine*"}}, nil)
	body, err := Render(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	text := string(body)
	if !strings.Contains(text, note+" What is beyond 20000 bytes is left out.") || !strings.Contains(text, "<em>fine</em>") {
		t.Error("a panel over the limit is not shown as written, or takes the others with it")
	}
}

// TestMarkdownIsParsedOnce: a page shows the HTML that was made when the document was checked for publishing, and does not parse it again.
func TestMarkdownIsParsedOnce(t *testing.T) {
	t.Parallel()
	document := "# Once\n\nOnly *once*, in " + t.Name() + ".\n"
	if err := markdown.Check([]byte(document)); err != nil {
		t.Fatal(err)
	}
	_, src := markdown.CutHeading(document)
	hd := Header{Name: "Once"}
	if got := hd.document([]byte(document)); &got[0] != &markdown.Render(src, "", markdown.MaxPageCells).HTML[0] {
		t.Error("the page parses the document again")
	}
}
