package web

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

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

	ctx := chromium(t)
	err := chromedp.Do(ctx,
		chromedp.Navigate(invitationLink.FindString(page.body)),
		chromedp.SendKeys(`#email`, "bob@home.example\r"),
		chromedp.Click(`form[action="/invitations"] button`),
		chromedp.Click(`a[href="/w/engine/d/sales"]`),
		chromedp.WaitVisible(`#versions a[href*="?version="]`),
		chromedp.Click(`#versions details.menu:has(form[action$="/restore"]) summary`),
		chromedp.Click(`form[action$="/restore"] button`),
		chromedp.WaitVisible(`.flash`),
	)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.store.Dashboard(t.Context(), m, "sales")
	if err != nil || d.Name != "Sales" {
		t.Errorf("restored to %s, %v", d.Name, err)
	}

	owner.post("/w/engine/members/remove", url.Values{"email": {"bob@home.example"}}).want(http.StatusOK)
	title, err := chromedp.Run(ctx, chromedp.Title())
	if err != nil || !strings.HasPrefix(title, "Sales") {
		t.Errorf("title %s, %v", title, err)
	}
	if err := chromedp.Do(ctx, chromedp.Reload(), chromedp.WaitReady(`#main`)); err != nil {
		t.Fatal(err)
	}
	if title, err := chromedp.Run(ctx, chromedp.Title()); err != nil || !strings.HasPrefix(title, "Not found") {
		t.Errorf("after the removal: %s, %v", title, err)
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
	ctx := chromium(t)
	err := chromedp.Do(ctx,
		chromedp.Navigate(s.url+"/sign-in?return_to=/w/engine/uploads"),
		chromedp.SendKeys(`#email`, "ada@lovelace.org\r"),
		chromedp.WaitVisible(`#file`),
		chromedp.SetUploadFiles(`#file`, []string{large}),
		chromedp.WaitVisible(`#file[aria-invalid="true"]`),
		chromedp.Click(`.drop button`), // stays: the field is not valid
		chromedp.WaitVisible(`#file-problem`),
		chromedp.SetUploadFiles(`#file`, []string{good}),
		chromedp.Click(`.drop button`),
		chromedp.WaitVisible(`#added`),
	)
	if err != nil {
		t.Fatal(err)
	}
	text, err := chromedp.Run(ctx, chromedp.Text(`#added`))
	if err != nil || text != "good.csv is uploaded" {
		t.Errorf("it says %q, %v", text, err)
	}
}
