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
	link, href string // the next thing to do; empty for none
}

const pageStyle = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}` +
	`body{max-width:34rem;margin:12vh auto;padding:0 1.5rem}h1{font-size:1.35rem}a{color:inherit}`

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Title}}</title><style>` + pageStyle + `</style></head>
<body><main><h1>{{.Title}}</h1><p>{{.Text}}</p>{{with .Link}}<p><a href="{{$.Href}}">{{.}}</a></p>{{end}}</main></body>
</html>
`))

func writePage(w http.ResponseWriter, p page) {
	var body bytes.Buffer
	if err := pageTemplate.Execute(&body, struct{ Title, Text, Link, Href string }{p.title, p.text, p.link, p.href}); err != nil {
		panic(err) // a template of ours over strings
	}
	sum := sha256.Sum256([]byte(pageStyle))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
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
