package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestFootOfCode: the foot of a page from Git names its file and its commit, in the language of the page.
func TestFootOfCode(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "k", Y: []string{"n"}}}, []string{"k text", "n integer sum"}, []any{"a", int64(3)})
	if html := string(render(t, v)); strings.Contains(html, "From Git") {
		t.Errorf("a page that comes from no file: %s", html)
	}
	v.Header.CodePath, v.Header.CodeCommit = "dashboards/<b>.yaml", "0123456"
	if html := string(render(t, v)); !strings.Contains(html, "<span>From Git: dashboards/&lt;b&gt;.yaml, commit 0123456</span>") {
		t.Errorf("the page lacks its file: %s", html)
	}
	v.Header.CodePath = strings.Repeat("long-folder/", 20) + "orders.yaml"
	html := string(render(t, v))
	if !strings.Contains(html, "<span>From Git: …-folder/long-folder/long-folder/orders.yaml, commit 0123456</span>") {
		t.Errorf("the page has a long path: %s", html)
	}
	v.Header.CodePath = "dashboards/<b>.yaml"
	v.Spec.Locale = "de-DE"
	if html := string(render(t, v)); !strings.Contains(html, "<span>Aus Git: dashboards/&lt;b&gt;.yaml, Commit 0123456</span>") {
		t.Errorf("the German page lacks its file: %s", html)
	}
}
