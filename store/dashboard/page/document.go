package page

import (
	"bytes"
	"strings"
	"time"
)

// RenderMarkdown draws a published Markdown document. Its first heading is left
// out when it is the page's own.
func RenderMarkdown(hd Header, markdownText []byte) ([]byte, error) {
	if hd.State == "" {
		hd.State = "static"
	}
	body := string(bytes.ToValidUTF8(markdownText, []byte("\uFFFD")))
	body = strings.TrimPrefix(body, "\ufeff")
	first, rest, _ := strings.Cut(strings.TrimLeft(body, "\r\n\t "), "\n")
	if strings.HasPrefix(first, "# ") && strings.TrimSpace(strings.TrimPrefix(first, "#")) == hd.Name {
		body = rest
	}
	d := &doc{b: make([]byte, 0, 32<<10)}
	f := formatter{locale: localeOf("")}
	hd.top(d, time.UTC, f)
	d.add(h(`<main id="main" class="paper">`))
	hd.preview(d, time.UTC, f)
	d.add(h(`<h1>`), hd.Name, h(`</h1><article class="card md">`))
	d.b = append(d.b, markdown()([]byte(body))...) // safe: sanitized
	d.add(h(`</article>`))
	hd.foot(d)
	return d.b, nil
}

// RenderDownload draws the page of a published data file, which links it.
func RenderDownload(hd Header, filename, contentType string, size int) ([]byte, error) {
	if hd.State == "" {
		hd.State = "static"
	}
	f := formatter{locale: localeOf("")}
	d := &doc{b: make([]byte, 0, 16<<10)}
	hd.top(d, time.UTC, f)
	d.add(h(`<main id="main" class="paper">`))
	hd.preview(d, time.UTC, f)
	d.add(h(`<h1>`), hd.Name, h(`</h1><section class="card file" aria-label="Data file"><div><p class="fn">`), filename,
		h(`</p><p class="sub">`), contentType, h(` · `), f.bytes(float64(size)),
		h(`</p></div><a class="button" href="/`), hd.Slug, h(`/`), filename)
	if hd.Preview {
		d.add(h(`?version=`), hd.Version)
	}
	d.add(h(`" download>Download</a></section>`))
	hd.foot(d)
	return d.b, nil
}

func (hd *Header) foot(d *doc) {
	d.add(h(`<footer>`))
	if hd.Version != "" {
		d.add(h(`<span>Version `), hd.Version, h(`</span>`))
	}
	d.add(h(`</footer></main></body></html>`))
}
