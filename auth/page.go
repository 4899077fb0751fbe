package auth

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
)

// A page tells a person, in a browser, that something did not work.
type page struct {
	status     int
	title      string
	text       string
	link, href string // the next thing to do; empty for the home page of the web app
}

// pageStyle looks like the messages of the workspace hosts (server/host), which
// stand beside these pages on one host. It follows the theme of the system: these
// pages are also on hosts that do not know what a person chose.
const pageStyle = `:root{color-scheme:light dark}` +
	`body{margin:0;background:light-dark(#f6f7f9,#0d1117);color:light-dark(#111827,#e8ebf0);font:14px/1.5 Inter,ui-sans-serif,"Liberation Sans",system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}` +
	`main{max-width:520px;margin:72px auto;padding:20px 24px;background:light-dark(#fff,#161b22);border:1px solid light-dark(#e5e8ec,#262d37);border-radius:12px}` +
	`h1{font-size:24px;line-height:1.2;letter-spacing:-.02em;margin:0 0 8px}` +
	`a{display:inline-block;padding:4px 0;color:light-dark(#2f5fc9,#6b9cff)}` +
	`@media (max-width:560px){main{margin:18px 14px}}`

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Title}} · Dashboards</title><style>` + pageStyle + `</style></head>
<body><main><h1>{{.Title}}</h1><p>{{.Text}}</p><p><a href="{{.Href}}">{{.Link}}</a></p></main></body>
</html>
`))

func (s *Server) writePage(w http.ResponseWriter, p page) {
	if p.link == "" {
		p.link, p.href = "Home", s.cfg.AppURL+"/"
	}
	var body bytes.Buffer
	if err := pageTemplate.Execute(&body, struct{ Title, Text, Link, Href string }{p.title, p.text, p.link, p.href}); err != nil {
		panic(err) // a template of ours over strings
	}
	sum := sha256.Sum256([]byte(pageStyle))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	if p.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(body.Bytes())
}

// tryAgain is the page for a failure of ours that passes.
func tryAgain() page {
	return page{
		status: http.StatusServiceUnavailable, title: "Please try again",
		text: "Something on our side did not answer, and nothing was decided. Reload this page in a moment.",
	}
}

// seeOther redirects with 303, after which a browser always asks with GET: a
// form with a secret in it is never posted on (RFC 9700, section 4.12). The URL
// goes out as it is.
func seeOther(w http.ResponseWriter, to string) { redirect(w, http.StatusSeeOther, to) }

func redirect(w http.ResponseWriter, status int, to string) {
	h := w.Header()
	h.Set("Location", to)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
}
