package devidp

import (
	"encoding/base64"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A letter is a mail that would have been sent.
type letter struct {
	Name              string // of its file, without .eml
	Subject, From, To string
	At                time.Time
	Headers           []string // the headers that mail programs act on
	Text, HTML        string
	Files             []file
}

// A file is in a mail: an attachment, or a picture that the HTML shows.
type file struct {
	Name, Type, ID string
	data           []byte
}

// mailRoutes registers the routes of the mailbox.
func (p *Provider) mailRoutes(base string) {
	p.mux.HandleFunc("GET "+base+"/mail", p.local(p.mailList))
	p.mux.HandleFunc("GET "+base+"/mail/{name}", p.local(p.mailPage))
	p.mux.HandleFunc("GET "+base+"/mail/{name}/html", p.local(p.mailHTML))
}

// local refuses requests whose Host is not a name of this machine, so that a web page cannot read mails
// by DNS rebinding.
func (p *Provider) local(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !loopback(strings.Trim(host, "[]")) {
			http.Error(w, "mails are shown on this machine only", http.StatusForbidden)
			return
		}
		if p.cfg.Mail == "" {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}
}

// letters returns the names of the mails, newest first.
func (p *Provider) letters() ([]string, error) {
	entries, err := os.ReadDir(p.cfg.Mail)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range slices.Backward(entries) {
		if name, ok := strings.CutSuffix(e.Name(), ".eml"); ok {
			names = append(names, name)
		}
	}
	return names, err
}

// letter reads a mail. The error is fs.ErrNotExist if there is no mail of that name.
func (p *Provider) letter(name string) (l letter, err error) {
	names, err := p.letters()
	if err != nil {
		return l, err
	}
	if !slices.Contains(names, name) {
		return l, fs.ErrNotExist
	}
	f, err := os.Open(filepath.Join(p.cfg.Mail, name+".eml"))
	if err != nil {
		return l, err
	}
	defer f.Close()
	m, err := mail.ReadMessage(f)
	if err != nil {
		return l, err
	}
	l.Name = name
	words := new(mime.WordDecoder)
	header := func(key string) string {
		text, err := words.DecodeHeader(m.Header.Get(key))
		if err != nil {
			return m.Header.Get(key)
		}
		return text
	}
	l.Subject, l.From, l.To = header("Subject"), header("From"), header("To")
	l.At, _ = m.Header.Date() // the zero time is shown as it is
	for _, key := range []string{"Message-ID", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted"} {
		if value := m.Header.Get(key); value != "" {
			l.Headers = append(l.Headers, key+": "+value)
		}
	}
	return l, l.read(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), "", "", m.Body)
}

// read adds the contents of a part of a mail, and of the parts in it, to l.
func (l *letter) read(contentType, encoding, disposition, id string, body io.Reader) error {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return err
	}
	if strings.HasPrefix(kind, "multipart/") {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			part, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			h := part.Header
			if err := l.read(h.Get("Content-Type"), h.Get("Content-Transfer-Encoding"), h.Get("Content-Disposition"),
				h.Get("Content-Id"), part); err != nil {
				return err
			}
		}
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	place, named, _ := mime.ParseMediaType(disposition) // without a disposition, the part is text
	switch {
	case place == "" && kind == "text/plain":
		l.Text = string(data)
	case place == "" && kind == "text/html":
		l.HTML = string(data)
	default:
		l.Files = append(l.Files, file{Name: named["filename"], Type: kind, ID: strings.Trim(id, "<>"), data: data})
	}
	return nil
}

// Size returns the size of a file in KB, rounded up.
func (f file) Size() int { return (len(f.data) + 999) / 1000 }

func (p *Provider) mailList(w http.ResponseWriter, _ *http.Request) {
	names, err := p.letters()
	if err != nil {
		http.Error(w, "the mailbox cannot be read", http.StatusInternalServerError)
		return
	}
	var all []letter
	for _, name := range names {
		if l, err := p.letter(name); err == nil { // a file that is not a mail is left out
			all = append(all, l)
		}
	}
	show(w, mailListTemplate, all)
}

func (p *Provider) mailPage(w http.ResponseWriter, r *http.Request) {
	l, err := p.letter(r.PathValue("name"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	show(w, mailTemplate, l)
}

// mailHTML serves the mail's own HTML, for a frame that runs no scripts and loads nothing.
func (p *Provider) mailHTML(w http.ResponseWriter, r *http.Request) {
	l, err := p.letter(r.PathValue("name"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	text := l.HTML
	for _, f := range l.Files {
		if f.ID != "" {
			text = strings.ReplaceAll(text, "cid:"+f.ID, "data:"+f.Type+";base64,"+base64.StdEncoding.EncodeToString(f.data))
		}
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'self'; frame-ancestors 'self'; "+
		"sandbox allow-popups allow-popups-to-escape-sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, strings.Replace(text, "<head>", `<head><base target="_blank">`, 1))
}

func show(w http.ResponseWriter, t *template.Template, data any) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_ = t.Execute(w, data)
}

const mailStyle = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{max-width:52rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.35rem;overflow-wrap:anywhere}
h2{font-size:1.05rem}
.note{border-left:.25rem solid #c60;padding-left:.75rem}
.soft{opacity:.75;font-size:.9rem;overflow-wrap:anywhere}
ul{list-style:none;padding:0}
li{border-top:1px solid #8885;padding:.6rem 0}
iframe{width:100%;height:42rem;border:1px solid #8888;border-radius:6px;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8888;border-radius:6px;padding:.75rem}
</style>`

var mailListTemplate = template.Must(template.New("mails").Parse(`<!doctype html>
<html lang="en"><head><title>Mails</title>` + mailStyle + `</head>
<body><main>
<h1>Mails</h1>
<p class="note">For development only: mails that would be sent if a mail server were set up. The last 200 are kept.</p>
{{if .}}<ul>
{{range .}}<li><a href="mail/{{.Name}}">{{.Subject}}</a><br><span class="soft">{{.At.Format "2 Jan 15:04:05"}} · to {{.To}}</span></li>
{{end}}</ul>
{{else}}<p>There are none yet.</p>{{end}}
</main></body></html>
`))

var mailTemplate = template.Must(template.New("mail").Parse(`<!doctype html>
<html lang="en"><head><title>{{.Subject}}</title>` + mailStyle + `</head>
<body><main>
<p><a href="../mail">Mails</a></p>
<h1>{{.Subject}}</h1>
<p class="soft">{{.At.Format "2 Jan 2006 15:04:05 MST"}}<br>from {{.From}}<br>to {{.To}}{{range .Headers}}<br>{{.}}{{end}}</p>
{{with .Files}}<p class="soft">
{{range .}}{{.Name}} ({{.Type}}, {{.Size}} KB){{if .ID}} in the mail{{else}} attached{{end}}<br>{{end}}</p>{{end}}
<h2>HTML</h2>
<iframe src="{{.Name}}/html" title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
<h2>Text</h2>
<pre>{{.Text}}</pre>
</main></body></html>
`))
