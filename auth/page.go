package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"service/store"
	"service/store/dashboard/locale"
)

// A Page is a message with a link, for a person in a browser: most often an error. The hosts that show
// it do not know the person, so it uses the theme of the system and the language of the browser, not
// those of the account.
type Page struct {
	Status      int
	Title, Text locale.Key
	Code        string     // for developers to look up, in English; may be empty
	Request     string     // id of the request, to quote when asking for help; may be empty
	Link        locale.Key // text of the link; empty: a link to the home page of the web app
	Href        string
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageStyle string

var (
	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
	pagePolicy   = newPagePolicy()
)

// newPagePolicy returns a policy that allows the page's style sheet and icon. Both are inline, because
// not every host that shows it serves files.
func newPagePolicy() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// WritePage answers r with p, in the language of the browser.
func (s *Server) WritePage(w http.ResponseWriter, r *http.Request, p Page) {
	l := locale.Negotiate(r.Header.Get("Accept-Language"))
	home := s.cfg.AppURL + "/"
	if p.Link == "" {
		p.Link, p.Href = "Home", home
	}
	before, after, _ := strings.Cut(l.Text("Quote this request id when you ask for help: %s"), "%s")
	var body bytes.Buffer
	if err := pageTemplate.Execute(&body, struct {
		Lang, Dir                string
		Title, Text, Link, Brand string
		Before, Request, After   string // the text around the id of the request
		Code, Href, Home         string
		Style                    template.CSS
	}{
		l.Lang, l.Dir, l.Text(p.Title), l.Text(p.Text), l.Text(p.Link), l.Text("Dashboards"),
		before, p.Request, after, p.Code, p.Href, home, template.CSS(pageStyle),
	}); err != nil {
		panic(err) // cannot happen: a constant template with strings
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer") // the address may contain a code or a ticket
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Language", l.Lang)
	h.Add("Vary", "Accept-Language")
	setRetryAfter(w, p.Status)
	w.WriteHeader(p.Status)
	_, _ = body.WriteTo(w) // fails only when the client has disconnected
}

// tryAgain is the page for a temporary failure of the service.
func tryAgain() Page {
	return Page{
		Status: http.StatusServiceUnavailable, Title: "Please try again",
		Text: "Something on our side did not answer, and nothing was changed. Reload this page in a moment.",
	}
}

// Failure returns the page, without a link, for an unexpected error: an internal one (500), or a
// database that is unreachable, overloaded or full (503). A request that exceeded its time limit
// counts as overload.
func Failure(err error) Page {
	switch away := store.Outage(err); {
	case errors.Is(away, store.ErrStorageFull):
		return Page{
			Status: http.StatusServiceUnavailable, Title: "The storage is full",
			Text: "Nothing can be saved until the operator of this service frees storage.",
		}
	case away != nil, errors.Is(err, context.DeadlineExceeded):
		return Page{
			Status: http.StatusServiceUnavailable, Title: "Please try again",
			Text: "The service has too much to do, or its database does not answer. Try again in a moment.",
		}
	}
	return Page{
		Status: http.StatusInternalServerError, Title: "Something went wrong",
		Text: "The problem is on our side, and it has been logged. Try again in a moment.",
	}
}

// seeOther redirects with 303, after which browsers always send GET, so that a form with a secret is
// not posted to the next address (RFC 9700, section 4.12). The URL is sent unchanged.
func seeOther(w http.ResponseWriter, to string) { redirect(w, http.StatusSeeOther, to) }

func redirect(w http.ResponseWriter, status int, to string) {
	h := w.Header()
	h.Set("Location", to)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
}
