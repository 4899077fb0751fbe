package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// chromium starts a browser in which all hosts below localhost are this machine.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Chromium is installed, and CI needs one")
		}
		t.Skip("no Chromium is installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
	)
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // the first call starts the browser, and must not be limited
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(ctx, 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// The policy also drops a redirect from a form to the identity provider, so a
// form that is sent after the session has ended leads there by a link.
func TestSignedOutInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	ctx := chromium(t)
	err := chromedp.Do(ctx,
		chromedp.Navigate(s.url+"/sign-in?return_to=/account"),
		chromedp.SendKeys(`#email`, "ada@lovelace.org\r"),
		chromedp.WaitVisible(`#timezone`),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.EndSessions(t.Context(), m.Account()); err != nil {
		t.Fatal(err)
	}
	err = chromedp.Do(ctx,
		chromedp.Click(`.inline button`),
		chromedp.Click(`main a.primary[href^="/sign-in"]`),
		chromedp.SendKeys(`#email`, "ada@lovelace.org\r"),
		chromedp.WaitVisible(`#timezone`),
	)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := chromedp.Run(ctx, chromedp.Location()); err != nil || at != s.url+"/account" {
		t.Errorf("back at %s, %v", at, err)
	}
}

// A policy with form-action 'self' alone makes Chromium drop the redirect to the
// client without a word, so this runs in a real one: sign in, choose, allow, and
// arrive at the client's port; then the same with Cancel.
func TestConsentInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.owner(t, "ada@lovelace.org", "engine")
	arrived := make(chan string, 4)
	waiting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			arrived <- r.URL.RawQuery
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<p id="done">Done</p>`))
		}
	}))
	t.Cleanup(waiting.Close)
	_, port, err := net.SplitHostPort(waiting.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := s.register(t, "Claude Code", "http://localhost:"+port+"/callback")
	request := func() string {
		page, _ := s.browser(t).authorize(c)
		return page.url.String()
	}

	ctx := chromium(t)
	err = chromedp.Do(ctx,
		chromedp.Navigate(request()),
		chromedp.Click(`main a.button.primary`),
		chromedp.SendKeys(`#email`, "ada@lovelace.org\r"),
		chromedp.WaitVisible(`input[name=workspace][value=engine]`),
		chromedp.DoubleClick(`button[value=allow]`), // the second click must not cost the answer
		chromedp.WaitVisible(`#done`),
	)
	if err != nil {
		t.Fatalf("allowing: %v", err)
	}
	if query := <-arrived; !strings.Contains(query, "code=") {
		t.Errorf("the client got %s", query)
	}
	err = chromedp.Do(ctx,
		chromedp.Navigate(request()),
		chromedp.Click(`button[value=deny]`),
		chromedp.WaitVisible(`#done`),
	)
	if err != nil {
		t.Fatalf("declining: %v", err)
	}
	if query := <-arrived; !strings.Contains(query, "error=access_denied") {
		t.Errorf("the client got %s", query)
	}
}
