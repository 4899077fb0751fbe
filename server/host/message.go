package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"
)

//go:embed message.html
var messageHTML string

//go:embed message.css
var messageCSS string

//go:embed icon.svg
var icon []byte

var messageTemplate = template.Must(template.New("message").Parse(messageHTML))

// A message is a page that only says something.
type message struct {
	CSS                             template.CSS
	Title, Text, Request, URL, Link string
}

func (m message) page() []byte {
	m.CSS = template.CSS(messageCSS)
	var b bytes.Buffer
	if err := messageTemplate.Execute(&b, m); err != nil {
		panic(err) // a template of ours over strings
	}
	return b.Bytes()
}

// messagePolicy is the policy of a message: its one style sheet and nothing else.
func messagePolicy() string {
	hash := sha256.Sum256([]byte(messageCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// notFoundPage is made once, so that no answer can differ from another.
func notFoundPage(appURL string) []byte {
	return message{
		Title: "Not found",
		Text:  "There is no such dashboard, or it belongs to a workspace that your account is not a member of.",
		URL:   appURL + "/",
		Link:  "Your workspaces",
	}.page()
}

// notFound is the answer for what does not exist and for what is not the
// visitor's. It holds nothing of the request, not even its id.
func (h *Host) notFound(w http.ResponseWriter) {
	w.Header().Del("X-Request-Id")
	h.say(w, http.StatusNotFound, h.notFoundPage)
}

// failed logs what went wrong and shows the page that names the request. That a
// visitor has left is no failure.
func (h *Host) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == context.Canceled {
		return
	}
	id := r.Header.Get("X-Request-Id")
	h.Log.ErrorContext(r.Context(), "dashboard page failed", "path", r.URL.Path, "err", err)
	h.say(w, http.StatusInternalServerError, message{
		Title:   "Something went wrong",
		Text:    "This is our fault, and it is in the log. Try again in a moment.",
		Request: id,
		URL:     h.AppURL + "/",
		Link:    "Your workspaces",
	}.page())
}

func (h *Host) say(w http.ResponseWriter, status int, page []byte) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", h.policy)
	header.Set("Cache-Control", "private, no-store")
	header.Set("Content-Length", strconv.Itoa(len(page)))
	w.WriteHeader(status)
	_, _ = w.Write(page) // net/http drops it for HEAD
}
