package view

import (
	"bytes"
	"errors"
	"net/url"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/page"
)

// drawPictures draws a view as a small picture and as a document.
func (v View) drawPictures(t *testing.T) {
	t.Helper()
	var errs [2]error
	if v.kind == contentMarkdown {
		_, errs[0] = page.MarkdownPNG(t.Context(), v.Header, v.Content, page.Shot{Scale: 0.2})
		_, errs[1] = page.MarkdownPDF(t.Context(), v.Header, v.Content)
	} else {
		_, errs[0] = page.PNG(t.Context(), v.View, page.Shot{Scale: 0.2})
		_, errs[1] = page.PDF(t.Context(), v.View)
	}
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
}

// FuzzDraw draws published bodies as a viewer gets them: reports, their CSVs, and Markdown. An accepted spec is drawn, and runs no script
// but the page's own.
func FuzzDraw(f *testing.F) {
	f.Add([]byte(`{"datasets":[{"id":"q","rows":[{"month":"2026-01-01","revenue":10,"who":"<script>"},`+
		`{"month":"2026-02-01","revenue":null,"who":"]]>"}],
		"columns":{"revenue":{"agg":"sum","label":"<b>"}}}],"filters":[{"column":"who"}],"panels":[{"type":"kpi","value":"revenue"},`+
		`{"type":"bar","x":"month","y":"revenue","series":"who"},{"type":"table"},`+
		`{"type":"text","markdown":"{{q.who}} <i>"}]}`), "f.who=%3Cscript%3E", true)
	f.Add([]byte(`{"datasets":[{"id":"q","columns":["a","b"],"rows":[["x",1],["y",-2]]}]}`), "panel=0&format=csv", true)
	f.Add([]byte("# Title\n\n<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://e.example/z)\n\n| a |\n|---|\n| `b` |\n"),
		"", false)
	f.Add([]byte("\ufeff\xff<!doctype html>\n\n&#60;script&#62;"), "version=x", false)
	f.Fuzz(func(t *testing.T, content []byte, query string, report bool) {
		v := View{Filename: dashboard.DefaultFile, ContentType: dashboard.TypeMarkdown}
		if report {
			v.ContentType = dashboard.TypeReport
		}
		text, err := read(content, store.KindBody, v.Filename, v.ContentType)
		if err != nil {
			return // as a publish refuses it
		}
		v.Content, v.kind, v.Spec, v.Cubes = text.raw, text.kind, text.spec, text.cubes
		v.Query, _ = url.ParseQuery(query) // what of it can be read
		v.Now = time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
		v.Header = page.Header{Workspace: "Acme", WorkspaceSlug: "acme", Slug: "doc", Name: "Doc", State: "static", AsOf: v.Now}
		p, err := v.draw(t.Context(), store.Dashboard{Slug: "doc"}, v.Query)
		if errors.Is(err, store.ErrNotFound) && v.Query.Get("format") == "csv" {
			return // there is no such panel
		}
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(p.Body) {
			t.Error("the page is not UTF-8")
		}
		if p.ContentType != TypeHTML {
			return
		}
		v.drawPictures(t)
		scripts := 0
		for z := html.NewTokenizer(bytes.NewReader(p.Body)); z.Next() != html.ErrorToken; {
			token := z.Token()
			if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
				continue
			}
			switch token.Data {
			case "script":
				scripts++
			case "iframe", "object", "embed", "img", "base", "foreignobject", "math":
				t.Errorf("the page has an element <%s>", token.Data)
			}
			for _, a := range token.Attr {
				if len(a.Key) > 2 && a.Key[:2] == "on" || a.Key == "style" {
					t.Errorf("<%s> has the attribute %s", token.Data, a.Key)
				}
			}
		}
		if scripts != 1 {
			t.Errorf("%d scripts", scripts)
		}
	})
}
