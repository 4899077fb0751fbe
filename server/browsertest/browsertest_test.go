package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestMain(m *testing.M) { Main(m) }

// A recorder is a testing.TB that records its errors.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// end ends the test and returns its errors.
func (r *recorder) end() []string {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
	return r.errors
}

// serve serves pages under a policy that refuses inline scripts, and a script.
func serve(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; img-src 'self'")
		switch r.URL.Path {
		case "/favicon.ico": // Chromium requests this sooner or later
		case "/good", "/missing":
			if r.URL.Path == "/missing" {
				w.WriteHeader(http.StatusNotFound)
			}
			fmt.Fprint(w, `<!doctype html><title>Good</title><h1>Good</h1>`)
		case "/throws":
			fmt.Fprint(w, `<!doctype html><title>Throws</title><script src="/throw.js"></script>`)
		case "/throw.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `throw new Error("thrown by the page")`)
		case "/inline":
			fmt.Fprint(w, `<!doctype html><title>Inline</title><script>document.title = "Never"</script>`)
		case "/image":
			fmt.Fprint(w, `<!doctype html><title>Image</title><img alt="" src="/gone.png">`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Every complaint of the console fails the test unless it was expected, and a missing
// expected complaint fails it too.
func TestComplaints(t *testing.T) {
	t.Parallel()
	base := serve(t)
	for _, tc := range []struct{ path, expect, want string }{
		{"/good", "", ""},
		{"/missing", "", "404"},
		{"/missing", "404", ""},
		{"/good", "404", "does not complain: 404"},
		{"/throws", "", "thrown by the page"},
		{"/inline", "", "Content Security Policy"},
		{"/image", "", "gone.png"},
	} {
		r := &recorder{TB: t}
		b := Open(r)
		if tc.expect != "" {
			b.Expect(tc.expect)
		}
		b.Visit(base + tc.path)
		errors := r.end()
		if tc.want == "" && len(errors) > 0 || tc.want != "" && (len(errors) != 1 || !strings.Contains(errors[0], tc.want)) {
			t.Errorf("%s, expecting %q: the test fails with %q, want %q", tc.path, tc.expect, errors, tc.want)
		}
	}
}

// Tabs share no cookies, and scripts can be switched off.
func TestTabs(t *testing.T) {
	t.Parallel()
	base := serve(t)
	first, second := Open(t), Open(t)
	for _, b := range []*Tab{first, second} {
		if status := b.Visit(base + "/good"); status != http.StatusOK || b.Text("h1") != "Good" || b.Address() != base+"/good" {
			t.Errorf("%d at %s", status, b.Address())
		}
	}
	first.Do(chromedp.Evaluate[chromedp.Void](`document.cookie = "mine=1"; undefined`))
	for b, want := range map[*Tab]string{first: "mine=1", second: ""} {
		if got := Eval[string](b, `document.cookie`); got != want {
			t.Errorf("the cookies are %q, want %q", got, want)
		}
	}
	second.Scripts(false)
	second.Visit(base + "/throws") // without Expect, so the console would report an error
}

// A reused tab reports only the complaints of its current test, and two concurrent tests
// have different tabs.
func TestTabsInTurns(t *testing.T) {
	t.Parallel()
	base, tabs := serve(t), NewTabs(t)
	var before *Tab
	for _, tc := range []struct{ path, expect, want string }{
		{"/throws", "", "thrown by the page"}, {"/good", "", ""}, {"/missing", "404", ""}, {"/good", "404", "does not complain: 404"},
	} {
		r := &recorder{TB: t}
		b := tabs.Take(r)
		if before != nil && b.ctx != before.ctx {
			t.Errorf("%s has a new tab", tc.path)
		}
		if other := tabs.Take(t); other.ctx == b.ctx {
			t.Error("two tests have one tab")
		}
		if tc.expect != "" {
			b.Expect(tc.expect)
		}
		b.Visit(base + tc.path)
		if errors := fmt.Sprint(r.end()); !strings.Contains(errors, tc.want) || (errors == "[]") != (tc.want == "") {
			t.Errorf("%s: the test fails with %s, want %q", tc.path, errors, tc.want)
		}
		before = b
	}
}
