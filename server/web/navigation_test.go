package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
)

var navLinks = regexp.MustCompile(`<a href="([^"]*)"( aria-current="(?:page|true)")?>`)

// linksOf returns the addresses in the navigation with a class on a page, and those that are
// marked as current.
func linksOf(t *testing.T, page, class string) (all, current []string) {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<nav class="`+class+`"`)
	if !ok {
		return nil, nil
	}
	nav, _, _ := strings.Cut(rest, "</nav>")
	for _, m := range navLinks.FindAllStringSubmatch(nav, -1) {
		if all = append(all, m[1]); m[2] != "" {
			current = append(current, m[1])
		}
	}
	return all, current
}

// A workspace has at most five places. Each former tab is a screen in one of them, with the same
// address, and marks its place.
func TestNavigation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	for screen, place := range map[string]string{
		"": "", "alerts": "alerts", "channels": "alerts", "connections": "connections", "connections/new?kind=postgres": "connections",
		"uploads": "connections", "connect": "connect", "clients": "connect", "settings": "settings", "members": "settings", "audit": "settings",
	} {
		const home = "/w/engine/"
		page := p.get(home + screen).want(http.StatusOK)
		all, current := linksOf(t, page.body, "tabs")
		if len(all) > 5 || len(current) != 1 || current[0] != home+place {
			t.Errorf("%s: %d places, at %v", screen, len(all), current)
		}
		_, at := linksOf(t, page.body, "screens")
		screen, _, _ = strings.Cut(screen, "/")
		if want := home + screen; screen != "" && (len(at) != 1 || at[0] != want) {
			t.Errorf("%s: at %v", screen, at)
		}
	}
	page := p.get("/clients").want(http.StatusOK)
	if all, at := linksOf(t, page.body, "screens"); len(all) != 2 || len(at) != 1 || at[0] != "/clients" {
		t.Errorf("outside of a workspace: %v, at %v", all, at)
	}
}

// Header, navigation, content and footer of every screen have the same left edge, on narrow
// screens too, whether or not the page scrolls.
func TestOneLeftEdge(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	b := browsertest.Open(t)
	b.Visit(s.url + "/sign-in?return_to=/account")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	b.Expect("404")
	// Where each part begins, relative to the frame.
	const edges = `(() => {
		const wide = document.body.clientWidth, side = Math.max(0, (wide - 1080) / 2) + (wide > 560 ? 24 : 14);
		return [...document.querySelectorAll(".brand, .tabs a:first-child, .screens a:first-child, main > *, .foot span")].map((e) => {
			const inside = e.matches("nav a") ? parseFloat(getComputedStyle(e).paddingLeft) : 0;
			return Math.round(e.getBoundingClientRect().left + inside - side);
		});
	})()`
	for _, address := range []string{
		"/account", "/clients", "/workspaces/new", "/nothing", "/w/engine/", "/w/engine/alerts", "/w/engine/audit", "/w/engine/channels",
		"/w/engine/channels/new?kind=slack", "/w/engine/connect", "/w/engine/connections/new?kind=postgres", "/w/engine/d/sales",
		"/w/engine/d/sales/delete", "/w/engine/d/sales/send", "/w/engine/members", "/w/engine/settings", "/w/engine/uploads",
	} {
		b.Visit(s.url + address)
		for _, width := range []int64{1280, 1000, 390} {
			b.Do(chromedp.EmulateViewport(width, 900))
			if at := browsertest.Eval[[]int](b, edges); len(at) < 3 || slices.ContainsFunc(at, func(off int) bool { return off != 0 }) {
				t.Errorf("%s at %d px: parts are off by %v", address, width, at)
			}
		}
	}
	b.Do(chromedp.EmulateViewport(1280, 900))
	wide := map[int]bool{}
	for _, address := range []string{"/w/engine/connect", "/w/engine/clients"} { // one scrolls, the other does not
		b.Visit(s.url + address)
		wide[browsertest.Eval[int](b, `document.body.clientWidth`)] = true
	}
	if len(wide) != 1 {
		t.Errorf("screens are %v wide", wide)
	}
}
