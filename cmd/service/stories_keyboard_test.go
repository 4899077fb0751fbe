package main

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"service/server/browsertest"
)

// unseen is a script that returns the problem of the visible focus, or "".
const unseen = `(() => {
	const e = document.activeElement;
	if (e === document.body) return ""; // between the end of the page and its start
	const ring = getComputedStyle(e), box = e.getBoundingClientRect();
	if (ring.outlineStyle === "none" || parseFloat(ring.outlineWidth) === 0) return "no ring around " + e.outerHTML;
	if (box.width === 0 || box.bottom <= 0 || box.right <= 0 || box.top >= innerHeight || box.left >= innerWidth)
		return "out of sight: " + e.outerHTML;
	return "";
})()`

// tabTo presses Tab until an element has the focus. The focus must be visible at each step.
func (p *person) tabTo(selector string) {
	p.t.Helper()
	for range 150 {
		p.Do(chromedp.KeyEvent(kb.Tab))
		if problem := browsertest.Eval[string](p.Tab, unseen); problem != "" {
			p.t.Errorf("on the way to %s at %s: %s", selector, p.Address(), problem)
		}
		if p.focused(selector) {
			return
		}
	}
	p.t.Fatalf("%s cannot be reached with Tab on %s", selector, p.Address())
}

func (p *person) focused(selector string) bool {
	p.t.Helper()
	return browsertest.Eval[bool](p.Tab, "document.activeElement.matches(`"+selector+"`)")
}

// enter presses Enter on an element that opens another page.
func (p *person) enter() {
	p.t.Helper()
	if status := p.Follow(chromedp.KeyEvent(kb.Enter)); status != http.StatusOK {
		p.t.Fatalf("Enter led to %s: %d", p.Address(), status)
	}
}

// From the home page on, everything can be done without a mouse.
func TestStoryOfAKeyboard(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.founder(t, "ada@example.com", "acme").connect("Claude Code", "acme").publish("answer", "The answer", "SELECT 42 AS number", nil)
	p := s.person(t)
	opened := func(selector string) bool {
		t.Helper()
		return browsertest.Eval[bool](p.Tab, "document.querySelector(`"+selector+"`).open")
	}

	p.Visit(s.app + "/")
	p.tabTo(`a.skip`)
	p.Do(chromedp.KeyEvent(kb.Enter))
	if !p.focused(`main`) {
		t.Error("the link that skips to the content does not lead there")
	}
	p.tabTo(`a`)
	if !p.focused(`main a.primary`) {
		t.Error("after the skip, Tab does not lead to the first link of the content")
	}
	p.enter()
	p.Do(chromedp.WaitVisible(chromedp.CSS(`#email:focus`))) // it has the focus by default
	if status := p.Follow(chromedp.KeyEvent("ada@example.com" + kb.Enter)); status != http.StatusOK || p.Address() != s.app+"/w/acme/" {
		t.Fatalf("signing in led to %s: %d", p.Address(), status)
	}

	for _, on := range []bool{true, false} { // people who dictate can switch single-key shortcuts off
		p.Do(chromedp.KeyEvent("/"))
		if p.focused(`#q`) != on {
			t.Errorf("/ leads to the search: %t, want %t", !on, on)
		}
		p.Visit(s.app + "/account")
		p.tabTo(`form[action="/account/shortcuts"] button`)
		p.enter()
		p.Visit(s.app + "/w/acme/")
	}
	p.tabTo(`#sort`)
	before := browsertest.Eval[string](p.Tab, `document.activeElement.value`)
	p.Do(chromedp.KeyEvent(kb.ArrowDown))
	if after := browsertest.Eval[string](p.Tab, `document.querySelector("#sort").value`); after == before ||
		!browsertest.Eval[bool](p.Tab, `(async () => {
			for (let i = 0; i < 500 && !location.search.includes("sort="); i++) await new Promise((r) => setTimeout(r, 20));
			return location.search.includes("sort=" + document.querySelector("#sort").value);
		})()`) { // the list changes, and with it the address
		t.Errorf("the order was %s and is %s at %s", before, after, p.Address())
	}
	p.tabTo(`a[href="/w/acme/d/answer"]`)
	p.enter()

	p.tabTo(`#rhythm`)
	p.Do(chromedp.KeyEvent("Every day"))
	p.tabTo(`#at`)
	p.Do(chromedp.KeyEvent("0715AM"))
	p.tabTo(`form.when button`)
	p.enter()
	if said := p.Text(`.flash`); said != "The schedule is set: Every day at 07:15 (UTC)." {
		t.Errorf("it shows %s", said)
	}
	const chosen = `document.querySelector("#rhythm").value + " " + document.querySelector("#at").value`
	if kept := browsertest.Eval[string](p.Tab, chosen); kept != "daily 07:15" {
		t.Errorf("the schedule is %s", kept)
	}

	for _, menu := range []string{`#versions details.menu`, `details.menu.push`, `[aria-label="Workspace"] details`} {
		p.tabTo(menu + ` > summary`)
		p.Do(chromedp.KeyEvent(kb.Enter))
		if !opened(menu) {
			t.Errorf("Enter does not open %s", menu)
		}
		p.tabTo(menu + ` > div *`)
		p.Do(chromedp.KeyEvent(kb.Escape))
		if opened(menu) || !p.focused(menu+` > summary`) {
			t.Errorf("Escape does not close %s, or the focus is lost", menu)
		}
	}
	p.tabTo(`#source summary`)
	p.Do(chromedp.KeyEvent(kb.Enter))
	if !opened(`#source details`) {
		t.Error("Enter does not open the SQL")
	}
	p.tabTo(`#source pre`)
	p.tabTo(`a[href$="/answer"].primary`)
	p.enter()
	if p.Address() != s.workspace("acme")+"/answer" {
		t.Errorf("the dashboard is at %s", p.Address())
	}
}
