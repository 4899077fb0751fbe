package web

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
)

// The policy also drops a redirect from a form to the identity provider, so a form that
// is sent after the session has ended gets a page with a link.
func TestSignedOutInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	b := browsertest.Open(t)
	b.Visit(s.url + "/sign-in?return_to=/account")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	if err := s.store.Sessions.EndSessions(t.Context(), m.Account()); err != nil {
		t.Fatal(err)
	}
	b.Expect("403")
	b.Follow(chromedp.Click(`.inline button`))
	b.Follow(chromedp.Click(`main a.primary[href^="/sign-in"]`))
	if status := b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r")); status != http.StatusOK || b.Address() != s.url+"/account" {
		t.Errorf("back at %s, %d", b.Address(), status)
	}
}

// A policy with only form-action 'self' makes Chromium drop the redirect to the client
// silently, so this test runs in a real Chromium: sign in, choose, allow, and arrive at
// the client's port; then the same with Cancel.
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

	b := browsertest.Open(t)
	b.Visit(request())
	b.Follow(chromedp.Click(`main a.button.primary`))
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	b.Do(
		chromedp.WaitVisible(`input[name=workspace][value=engine]`),
		chromedp.DoubleClick(`button[value=allow]`), // the second click must not prevent the answer
		chromedp.WaitVisible(`#done`),
	)
	if query := <-arrived; !strings.Contains(query, "code=") {
		t.Errorf("the client got %s", query)
	}
	b.Visit(request())
	b.Follow(chromedp.Click(`button[value=deny]`))
	if query := <-arrived; !strings.Contains(query, "error=access_denied") {
		t.Errorf("the client got %s", query)
	}
}

// The message about a change is where the person looks: the page opens at the changed
// part, and the message is visible and does not cover it.
func TestFlashInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	for range 5 {
		s.publish(t, m, "sales", "Sales")
	}
	b := browsertest.Open(t)
	b.Visit(s.url + "/sign-in?return_to=/account")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	for _, width := range []int64{360, 1100} {
		b.Do(chromedp.EmulateViewport(width, 480))
		for section, form := range map[string]string{"details": "/details", "refresh": "/schedule", "versions": "/name"} {
			b.Visit(s.url + "/w/engine/d/sales")
			b.Follow(chromedp.Evaluate[chromedp.Void](`document.querySelector('form[action$="` + form + `"] button').click(); undefined`))
			where := browsertest.Eval[struct{ Top, Bottom, Heading, Height float64 }](b, `(() => {
				const flash = document.querySelector(".flash").getBoundingClientRect();
				return { Top: flash.top, Bottom: flash.bottom,
			Heading: document.querySelector("#`+section+` h2").getBoundingClientRect().top, Height: innerHeight };
			})()`)
			if where.Top < 0 || where.Bottom > where.Heading || where.Heading > where.Height {
				t.Errorf("%s at %d px: %+v", section, width, where)
			}
		}
	}
}
