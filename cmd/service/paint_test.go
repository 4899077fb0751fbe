package main

import (
	"context"
	"flag"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
)

var (
	measurePaint = flag.Bool("paint", false, "measure how soon a browser shows the demo's page (make bench-paint)")
	paintBeside  = flag.String("beside", "", "of -paint: the address of another page, which is loaded in turns with ours")
)

// painted has the times at which a page was visible, in milliseconds since its request.
type painted struct{ First, Drawn float64 }

// paintTimes waits until the page is painted. It is drawn when it sets a performance
// mark or, without one, when it is loaded and painted.
const paintTimes = `new Promise(done => requestAnimationFrame(() => setTimeout(function look() {
	const first = performance.getEntriesByName("first-contentful-paint")[0]
	const page = performance.getEntriesByType("navigation")[0]
	if (!first || !page.loadEventEnd) return setTimeout(look, 5)
	const mark = performance.getEntriesByName("drawn")[0]
	done({First: first.startTime, Drawn: mark ? mark.startTime : Math.max(first.startTime, page.domContentLoadedEventEnd)})
})))`

// TestFirstPaint only measures: how soon Chromium shows the demo's page of fourteen panels,
// signed in, with an empty cache, with a filled cache, and as on a phone: 1.6 Mbit/s, 150 ms
// of latency and a quarter of the processor. Each page has its own tab; otherwise it would
// wait for a new process after the other page.
func TestFirstPaint(t *testing.T) {
	if !*measurePaint {
		t.Skip("measures for half a minute: make bench-paint")
	}
	s := startSite(t, "SERVICE_DEMO=true")
	type shown struct {
		name, address string
		*browsertest.Tab
	}
	pages := []shown{{"here", s.workspace("acme") + "/seattle-weather", s.person(t).at("/", "ann@example.com").Tab}}
	if *paintBeside != "" {
		pages = append(pages, shown{"beside", *paintBeside, browsertest.Open(t)})
	}
	for _, way := range []string{"empty cache", "seen before", "phone, empty cache"} {
		if way == "phone, empty cache" {
			for _, page := range pages {
				tell(page.Tab, "Network.emulateNetworkConditions", map[string]any{
					"offline": false, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8,
				})
				tell(page.Tab, "Emulation.setCPUThrottlingRate", map[string]any{"rate": 4})
			}
		}
		times := map[string][]painted{}
		for range 15 {
			for _, page := range pages {
				if way != "seen before" {
					tell(page.Tab, "Network.clearBrowserCache", nil)
				}
				page.Visit(page.address)
				times[page.name] = append(times[page.name], browsertest.Eval[painted](page.Tab, paintTimes))
			}
		}
		for _, page := range pages {
			first := middle(times[page.name], func(m painted) float64 { return m.First })
			drawn := middle(times[page.name], func(m painted) float64 { return m.Drawn })
			t.Logf("%-6s %-18s first paint %3.0f ms (%.0f to %.0f), drawn %3.0f ms (%.0f to %.0f)",
				page.name, way, first[1], first[0], first[2], drawn[1], drawn[0], drawn[2])
		}
	}
}

// tell sends a tab a command of the browser's protocol.
func tell(b *browsertest.Tab, command string, params any) {
	b.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, command, params, nil)
	}))
}

// middle returns the minimum, the median and the maximum of a figure, without the first
// value, which warms up.
func middle(all []painted, of func(painted) float64) [3]float64 {
	var figures []float64
	for _, m := range all[1:] {
		figures = append(figures, of(m))
	}
	slices.Sort(figures)
	return [3]float64{figures[0], figures[len(figures)/2], figures[len(figures)-1]}
}
