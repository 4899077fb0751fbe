package web

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
	"service/store/message"
)

// The browser refuses a file that is too large before it is sent, and the page shows how
// a good one was read.
func TestUploadInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, ada := s.owner(t, "ada@lovelace.org", "engine")
	dir := t.TempDir()
	large, good, bad := filepath.Join(dir, "large.csv"), filepath.Join(dir, "good.csv"), filepath.Join(dir, "picture.png")
	for name, content := range map[string]string{
		large: strings.Repeat("x", message.MaxBytes+1), good: "day,revenue\n2026-01-01,10\n", bad: "\x89PNG",
	} {
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
		chromedp.Click(`.drop button`), // the page stays: the field is invalid
		chromedp.WaitVisible(`#file-problem`),
		chromedp.SetUploadFiles(`#file`, []string{good}),
	)
	b.Follow(chromedp.Click(`.drop button`))
	if text := b.Text(`.flash`); text != "good.csv is uploaded." {
		t.Errorf("it shows %q", text)
	}

	// The problem is shown at the field, nothing is sent again automatically, and another
	// file can be sent.
	b.Expect("422")
	b.Expect("500")
	b.Visit(s.url + "/w/engine/uploads")
	b.Do(chromedp.SetUploadFiles(`#file`, []string{bad}), chromedp.Click(`.drop button`))
	said := func(words string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !strings.Contains(b.Text(`#file-problem`), words); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("it shows %q", b.Text(`#file-problem`))
			}
		}
	}
	said("must end in .csv")
	s.exec(t, `ALTER TABLE upload RENAME TO elsewhere`)
	b.Do(chromedp.SetUploadFiles(`#file`, []string{good}), chromedp.Click(`.drop button`))
	said("The file may not have arrived.")
	s.exec(t, `ALTER TABLE elsewhere RENAME TO upload`)
	b.Follow(chromedp.Click(`.drop button`))
	if text := b.Text(`.flash`); text != "good.csv is uploaded." {
		t.Errorf("it shows %q", text)
	}
	if all, err := s.store.Connections.Connections(t.Context(), ada); err != nil || len(all) != 1 || len(all[0].Uploads) != 2 {
		t.Errorf("connections %+v, %v; want two uploads", all, err)
	}
}

// Times are in the zone of the browser, until the person chooses another.
func TestZoneInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, _ := s.owner(t, "ada@lovelace.org", "engine")
	b := browsertest.Open(t)
	b.Zone("Asia/Tokyo")
	b.Visit(s.url + "/sign-in?return_to=/w/engine/audit")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		account, err := s.store.Accounts.AccountByEmail(t.Context(), "ada@lovelace.org")
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("zone %q, %v", account.Timezone, err)
		}
		if account.Timezone == "Asia/Tokyo" {
			break
		}
	}
	b.Visit(s.url + "/w/engine/audit")
	if text := b.Text(`main`); !strings.Contains(text, "Times are in Asia/Tokyo.") {
		t.Errorf("it shows %q", text)
	}
	ada.post("/account/timezone", url.Values{"timezone": {"Europe/Berlin"}})
	b.Visit(s.url + "/w/engine/audit")
	b.Visit(s.url + "/account")
	if zone := browsertest.Eval[string](b, `document.getElementById("timezone").value`); zone != "Europe/Berlin" {
		t.Errorf("the choice of the person became %q", zone)
	}
}
