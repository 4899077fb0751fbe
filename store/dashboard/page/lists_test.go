package page

import (
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Expressions that return the values in the list of a filter, and the element with the focus.
const listState = `[...document.querySelectorAll('.ms[open] .opts label')].map(l =>
	l.textContent + (l.firstChild.checked ? '*' : '')).join()`

const focused = `(e => e.value || e.type || e.localName)(document.activeElement)`

// lists goes through a filter's list by keyboard, searches values by typing, and applies the choice.
func lists(b browser) {
	b.Helper()
	b.open("/commerce", 1280)
	press := func(keys ...string) string {
		for _, k := range keys {
			b.Do(chromedp.KeyEvent(k))
		}
		return evaluate[string](b, focused)
	}
	evaluate[string](b, `document.querySelector('.ms summary').focus(), ''`)
	for _, tc := range []struct {
		keys []string
		want string
	}{
		{[]string{kb.Enter}, "summary"},
		{[]string{kb.ArrowDown}, "search"},
		{[]string{kb.ArrowDown}, "France"},
		{[]string{kb.ArrowDown, kb.ArrowDown}, "Italy"},
		{[]string{kb.End}, "~null"},
		{[]string{kb.ArrowUp}, "United States"},
		{[]string{kb.Home}, "France"},
		{[]string{kb.ArrowUp}, "search"},
		{[]string{kb.Escape}, "summary"},
	} {
		if got := press(tc.keys...); got != tc.want {
			b.Errorf("%q led to %s, want %s", tc.keys, got, tc.want)
		}
	}
	if open := evaluate[bool](b, `document.querySelector('.ms').open`); open {
		b.Error("Escape leaves the list open")
	}
	listed := func(want string) {
		b.Helper()
		if got := evaluate[string](b, `new Promise(done => { const end = performance.now() + 5000; (function wait() {
			const s = `+listState+`; s == '`+want+`' || performance.now() > end ? done(s) : requestAnimationFrame(wait) })() })`); got != want {
			b.Errorf("the list has %s, want %s", got, want)
		}
	}
	press(kb.ArrowDown, kb.ArrowDown, " ") // France, which stays in the list during the search
	evaluate[string](b, `document.querySelector('.ms [type=search]').focus(), ''`)
	press("U", "N", "I")
	listed("France*,United Kingdom,United States")
	press("x")
	listed("France*")
	if said := evaluate[string](b, `document.querySelector('.ms [role=status]').textContent`); said != "No value of Country contains “UNIx”." {
		b.Errorf("whoever finds nothing is told %q", said)
	}
	press(kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace, "g", "e", "r")
	listed("France*,Germany")
	b.Do(chromedp.KeyEvent(kb.Enter, func(p *input.DispatchKeyEventParams) { // as sent by a keyboard that only sends characters
		if p.Type != kb.KeyChar {
			p.Type = kb.KeyUp
		}
	}))
	if led := evaluate[string](b, `new Promise(done => setTimeout(() => done(
		location.search + (document.querySelector('main').ariaBusy || '')), 200))`); led != "" {
		b.Errorf("Enter as a character alone led to %q", led)
	}
	b.inPlace(func() { press(kb.Enter) })
	if query := evaluate[string](b, `location.search`); query != "?f.day=last_90_days&f.country=France&f.country=Germany" {
		b.Errorf("Enter on the only value led to %q", query)
	}
	listed("")
	// A filter of one value applies a choice at once.
	b.open("/choices", 1280)
	evaluate[string](b, `document.querySelector('.ms summary').click(), ''`)
	for _, found := range violations(b) {
		b.Errorf("an open list: %s", found)
	}
	evaluate[string](b, `document.querySelector('.ms summary').focus(), ''`)
	if got := press(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown); got != "Germany" {
		b.Errorf("arrows led to %s", got)
	}
	b.inPlace(func() { press(" ") })
	if query := evaluate[string](b, `location.search`); !strings.Contains(query, "f.country=Germany") || strings.Contains(query, "France") {
		b.Errorf("one value led to %q", query)
	}
	// A list on a phone is above the sticky line at the edge of the window, and can be tapped.
	b.open("/commerce", 390)
	evaluate[string](b, `scrollTo(0, document.querySelector('.fsum').offsetTop - 60),
		document.querySelector('.ms summary').click(), ''`)
	if over := evaluate[string](b, `(() => {
		for (const l of document.querySelectorAll('.ms[open] .opts label, .ms[open] input[type=search]')) {
		const r = l.getBoundingClientRect(), e = document.elementFromPoint(r.left + 20, r.top + r.height / 2);
		if (r.top > 0 && r.bottom < innerHeight && e && !e.closest('.ms')) return e.className || e.localName }
		return '' })()`); over != "" {
		b.Errorf("%s lies over an open list", over)
	}
}

// listsAlone searches values without script.
func listsAlone(b browser) {
	b.Helper()
	b.Expect("Blocked script execution")
	b.open("/bare/commerce", 1280)
	b.Do(chromedp.Click(chromedp.CSS(`.ms summary`)))
	b.Do(chromedp.Click(chromedp.CSS(`.ms [type=search]`)))
	for _, k := range []string{"u", "n", "i"} {
		b.Do(chromedp.KeyEvent(k))
	}
	b.Follow(chromedp.KeyEvent(kb.Enter))
	if at := b.Address(); !strings.Contains(at, "f.country.find=uni") {
		b.Errorf("typing led to %s", at)
	}
	if got := evaluate[string](b, listState); got != "United Kingdom,United States" {
		b.Errorf("without script, the list has %s", got)
	}
}
