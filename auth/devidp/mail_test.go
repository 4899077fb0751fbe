package devidp_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"service/auth/devidp"
)

// aMail is a mail file with an inline picture and an attachment.
const aMail = `From: Dashboards <dashboards@localhost>
To: "Ada" <ada@example.com>
Subject: =?UTF-8?q?=C3=9Cber_<b>all</b>?=
Date: Mon, 23 Nov 2026 07:00:00 +0000
Message-ID: <1@localhost>
List-Unsubscribe: <https://app.example/unsubscribe?token=x>
Content-Type: multipart/mixed; boundary=a

--a
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: quoted-printable

One </pre><script>alert(1)</script> =E2=82=AC
--b
Content-Type: text/html; charset=UTF-8

<html><head></head><body><script>alert(1)</script><img src="cid:page"></body></html>
--b--
--a
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-Disposition: inline; filename="page.png"
Content-ID: <page>

aW1hZ2U=
--a
Content-Type: text/csv
Content-Disposition: attachment; filename="n.csv"

n
--a--
`

// The mailbox shows only mails, only to requests from this machine, and a mail cannot run scripts in it.
func TestMailboxPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"20261123T070000-1.eml": strings.ReplaceAll(aMail, "\n", "\r\n"), "20261122T070000-0.eml": "no mail",
		"draft-1": "secret", "x.txt": "secret",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config("http://localhost:8081")
	cfg.Mail = filepath.Join(dir, "none")
	at := func(host, path string) *httptest.ResponseRecorder {
		t.Helper()
		p, err := devidp.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+path, nil)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w
	}
	if w := at("localhost:8081", "/mail"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "There are none yet.") {
		t.Errorf("without mails: %d %s", w.Code, w.Body)
	}
	cfg.Mail = dir
	list := at("127.0.0.1:8081", "/mail").Body.String()
	if !strings.Contains(list, `<a href="mail/20261123T070000-1">Über &lt;b&gt;all&lt;/b&gt;</a>`) ||
		!strings.Contains(list, "ada@example.com") || strings.Count(list, "<li>") != 1 {
		t.Errorf("the list is\n%s", list)
	}
	w := at("[::1]:8081", "/mail/20261123T070000-1")
	for _, want := range []string{
		"<h1>Über &lt;b&gt;all&lt;/b&gt;</h1>", "One &lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt; €",
		"page.png (image/png, 1 KB) in the mail",
		"n.csv (text/csv, 1 KB) attached", "List-Unsubscribe: &lt;https://app.example/unsubscribe?token=x&gt;",
		`sandbox="allow-popups allow-popups-to-escape-sandbox"`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page of the mail lacks %s:\n%s", want, w.Body)
		}
	}
	w = at("localhost:8081", "/mail/20261123T070000-1/html")
	csp := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(w.Body.String(), `<img src="data:image/png;base64,aW1hZ2U=">`) || !strings.Contains(csp, "default-src 'none'") ||
		!strings.Contains(csp, "sandbox ") || strings.Contains(csp, "allow-scripts") || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("the HTML of the mail, under %s:\n%s", csp, w.Body)
	}
	for _, path := range []string{"/mail/draft-1", "/mail/x.txt", "/mail/x", "/mail/..%2fx", "/mail/%2e%2e/html", "/mail/20261122T070000-0"} {
		if w := at("localhost:8081", path); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for _, host := range []string{"evil.example", "localhost.evil.example:8081", "10.0.0.1", "127.0.0.1.evil.example"} {
		for _, path := range []string{"/mail", "/mail/20261123T070000-1", "/mail/20261123T070000-1/html"} {
			if w := at(host, path); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "ada@") {
				t.Errorf("%s%s: %d", host, path, w.Code)
			}
		}
	}
	cfg.Mail = ""
	if w := at("localhost:8081", "/mail"); w.Code != http.StatusNotFound {
		t.Errorf("without a mailbox: %d", w.Code)
	}
}
