package devidp

import (
	"html/template"
	"net/http"
)

// The form has no action, so it posts to the page's own URL, whose query is the authorization request.
// The page's policy has no form-action directive, because browsers apply it to all redirects that
// follow, and this provider does not know their hosts.
var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Development sign-in</title>
<style>
:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{max-width:26rem;margin:10vh auto;padding:0 1.5rem}
h1{font-size:1.35rem}
.note{border-left:.25rem solid #c60;padding-left:.75rem}
.error{color:#c00}
label{display:block;font-weight:600}
input,button{font:inherit;padding:.5rem .75rem;box-sizing:border-box;width:100%;margin:.25rem 0}
</style>
</head>
<body>
<main>
<h1>Development sign-in</h1>
<p class="note">For development only. There is no password: whoever reaches this page signs in as anybody.</p>
<form method="post">
<label for="email">E-mail address</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="email" autofocus
{{if .Error}} aria-describedby="error" aria-invalid="true"{{end}}>
{{with .Error}}<p class="error" id="error" role="alert">{{.}}</p>{{end}}
<button type="submit">Sign in</button>
{{if .People}}<p>Or as one of the people of the demonstration:</p>
{{range .People}}<button type="submit" name="person" value="{{.Email}}">{{.Name}} ({{.Email}})</button>
{{end}}{{end}}</form>
</main>
</body>
</html>
`))

func (p *Provider) page(w http.ResponseWriter, status int, problem string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = pageTemplate.Execute(w, struct {
		Error  string
		People []Person
	}{problem, p.cfg.People})
}
