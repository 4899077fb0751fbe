package web

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
	"service/store"
)

// TestConnectionFormsInBrowser: the forms of warehouses with fields of their own, one after a failed test, and the page with a public key
// fit windows of a desktop and a phone, in light and dark colours, and can be used by everybody. SCREENSHOTS names a folder for pictures of
// them.
func TestConnectionFormsInBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) {
		for _, kind := range []string{"bigquery", "snowflake", "trino", "redshift", "files"} {
			o.Warehouses[kind] = openFar
		}
	})
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/connections"
	key := p.post(at, url.Values{
		"kind": {"snowflake"}, "label": {"Sales"}, "host": {"acme-main.snowflakecomputing.com"}, "port": {"443"}, "database": {"SALES.SHOP"},
		"user": {"dashboards"}, "tls": {"verify"}, "month": {"5000"},
	}).want(http.StatusOK).url.Path
	s.exec(t, `INSERT INTO connection_usage SELECT workspace_id, id, m::date, 1234567890123, 5678 FROM connection,
		generate_series(timestamp '2026-06-01', '2026-11-01', '1 month') m`)
	l := &looker{Tab: browsertest.Open(t), source: browsertest.Axe(t), pictures: os.Getenv("SCREENSHOTS")}
	l.Visit(s.url + "/sign-in?return_to=/account")
	l.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	l.Expect("422")
	for name, open := range map[string]func(){
		"bigquery":  func() { l.Visit(s.url + at + "/new?kind=bigquery") },
		"snowflake": func() { l.Visit(s.url + at + "/new?kind=snowflake") },
		"trino":     func() { l.Visit(s.url + at + "/new?kind=trino") },
		"redshift":  func() { l.Visit(s.url + at + "/new?kind=redshift") },
		"files":     func() { l.Visit(s.url + at + "/new?kind=files") },
		"key":       func() { l.Visit(s.url + key) },
		"failed": func() {
			l.Visit(s.url + at + "/new?kind=redshift")
			const fill = `const f = document.querySelector("button.primary").form; f.label.value = "Sales"; f.database.value = "dev";
				f.host.value = "sales.abc123.eu-central-1.redshift.amazonaws.com"; f.user.value = "dashboards"; f.password.value = "wrong";
				document.querySelector("button.primary").click(); undefined`
			if status := l.Follow(chromedp.Evaluate[chromedp.Void](fill)); status != http.StatusUnprocessableEntity {
				t.Errorf("a failed test: status %d", status)
			}
		},
	} {
		open()
		for _, width := range []int64{1280, 390} {
			l.Do(chromedp.EmulateViewport(width, 900))
			for _, theme := range []string{"light", "dark"} {
				l.Do(set(theme))
				if l.pictures == "" {
					continue
				}
				picture := browsertest.Run(l.Tab, chromedp.FullScreenshot(100))
				file := fmt.Sprintf("connection-%s-%d-%s.png", name, width, theme)
				if err := os.WriteFile(filepath.Join(l.pictures, file), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, v := range l.Violations(l.source, wcag) {
				t.Errorf("%s at %d px: %s", name, width, v)
			}
			if problems := browsertest.Eval[[]string](l.Tab, inspect); len(problems) > 0 {
				t.Errorf("%s at %d px:\n%s", name, width, strings.Join(problems, "\n"))
			}
		}
	}
}
