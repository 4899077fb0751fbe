package web

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
	"service/store/message"
)

// A stranger follows an invitation through sign-in, joins, finds the dashboards,
// previews what an older version was and restores it, and loses everything at once
// when they are removed.
func TestInvitedInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	s.publish(t, m, "sales", "Sales and margin")
	owner.post("/w/engine/members", url.Values{"email": {"bob@work.example"}, "role": {"member"}}).want(http.StatusOK)
	page := owner.post("/w/engine/members/link", url.Values{"email": {"bob@work.example"}}).want(http.StatusOK)

	b := browsertest.Open(t)
	b.Visit(invitationLink.FindString(page.body))
	b.Follow(chromedp.SendKeys(`#email`, "bob@home.example\r"))
	b.Follow(chromedp.Click(`form[action="/invitations"] button`))
	b.Follow(chromedp.Click(`a[href="/w/engine/d/sales"]`))
	b.Do(
		chromedp.WaitVisible(`#versions a[href*="?version="]`),
		chromedp.Click(`#versions details.menu:has(form[action$="/restore"]) summary`),
	)
	b.Follow(chromedp.Click(`form[action$="/restore"] button`))
	b.Do(chromedp.WaitVisible(`.flash`))
	d, err := s.store.Dashboard(t.Context(), m, "sales")
	if err != nil || d.Name != "Sales" {
		t.Errorf("restored to %s, %v", d.Name, err)
	}

	owner.post("/w/engine/members/remove", url.Values{"email": {"bob@home.example"}}).want(http.StatusOK)
	if title := browsertest.Run(b, chromedp.Title()); !strings.HasPrefix(title, "Sales") {
		t.Errorf("title %s", title)
	}
	b.Expect("404")
	if status := b.Follow(chromedp.Reload()); status != http.StatusNotFound {
		t.Errorf("after the removal: %d", status)
	}
}

// The browser refuses a file that is too large before it is sent, and shows what
// a good one was understood as.
func TestUploadInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.owner(t, "ada@lovelace.org", "engine")
	dir := t.TempDir()
	large, good := filepath.Join(dir, "large.csv"), filepath.Join(dir, "good.csv")
	for name, content := range map[string]string{large: strings.Repeat("x", message.MaxBytes+1), good: "day,revenue\n2026-01-01,10\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := browsertest.Open(t)
	b.Visit(s.url + "/sign-in?return_to=/w/engine/uploads")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	b.Do(
		chromedp.SetUploadFiles(`#file`, []string{large}),
		chromedp.WaitVisible(`#file[aria-invalid="true"]`),
		chromedp.Click(`.drop button`), // stays: the field is not valid
		chromedp.WaitVisible(`#file-problem`),
		chromedp.SetUploadFiles(`#file`, []string{good}),
	)
	b.Follow(chromedp.Click(`.drop button`))
	if text := b.Text(`#added`); text != "good.csv is uploaded" {
		t.Errorf("it says %q", text)
	}
}
