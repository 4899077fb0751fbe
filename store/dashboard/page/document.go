package page

import (
	"net/url"
	"time"

	"service/store/dashboard/canvas/html"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
	"service/store/dashboard/markdown"
)

// RenderMarkdown draws a published Markdown document. Its first heading is omitted if it equals the page's title.
func RenderMarkdown(hd Header, markdownText []byte) ([]byte, error) {
	if hd.State == "" {
		hd.State = "static"
	}
	d := &html.Doc{B: make([]byte, 0, 32<<10)}
	f := format.Formatter{Locale: locale.For("")}
	hd.top(d, time.UTC, f, []string{"document"})
	if hd.Wall != "" {
		d.Add(h(`<main id="main" class="paper wall"><div class="wtop"><h1>`), hd.Name, h(`</h1>`))
		hd.fresh(d, time.UTC, f)
		d.Add(h(`</div><div class="grid" id="panels"><article class="card w12 md">`))
		d.B = append(d.B, hd.document(markdownText)...) // safe: sanitized
		d.Add(h(`</article></div></main></body></html>`))
		return d.B, nil
	}
	d.Add(h(`<main id="main" class="paper">`))
	hd.preview(d, time.UTC, f)
	d.Add(h(`<h1>`), hd.Name, h(`</h1><article class="card md">`))
	d.B = append(d.B, hd.document(markdownText)...) // safe: sanitized
	d.Add(h(`</article><footer>`))
	hd.pictures(d, f, hd.kept())
	d.Add(h(`</footer></main></body></html>`))
	return d.B, nil
}

// kept returns the query parameters that links must preserve: in a preview, the version.
func (hd *Header) kept() url.Values {
	if !hd.Preview {
		return nil
	}
	return url.Values{"version": {hd.Version}}
}

// document returns the HTML of a Markdown document. A document that exceeds a limit (it was published before the limits existed) is shown
// as plain text.
func (hd *Header) document(text []byte) []byte {
	if len(text) > markdown.MaxPage {
		return markdown.Plain(markdown.Clean(text[:markdown.MaxPage+1]), markdown.MaxPage)
	}
	src := markdown.Clean(text)
	if heading, rest := markdown.CutHeading(src); heading == hd.Name {
		src = rest
	}
	v := markdown.Render(src, hd.URL, markdown.MaxPageCells)
	if v.Err != nil {
		return markdown.Plain(src, markdown.MaxPage)
	}
	return v.HTML
}

// RenderDownload renders the page of a published data file, with a download link.
func RenderDownload(hd Header, filename, contentType string, size int) ([]byte, error) {
	if hd.State == "" {
		hd.State = "static"
	}
	f := format.Formatter{Locale: locale.For("")}
	d := &html.Doc{B: make([]byte, 0, 16<<10)}
	hd.top(d, time.UTC, f, []string{"document"})
	d.Add(h(`<main id="main" class="paper">`))
	hd.preview(d, time.UTC, f)
	d.Add(h(`<h1>`), hd.Name, h(`</h1><section class="card file" aria-label="`), f.Text("Data file"), h(`"><div><p class="fn">`), filename,
		h(`</p><p class="sub">`), contentType, h(` · `), f.Amount("bytes", int64(size)),
		h(`</p></div><a class="button" href="/`), hd.Slug, h(`/`), filename)
	if hd.Preview {
		d.Add(h(`?version=`), hd.Version)
	}
	d.Add(h(`" download>`), f.Text("Download"), h(`</a></section>`))
	d.Add(h(`</main></body></html>`))
	return d.B, nil
}
