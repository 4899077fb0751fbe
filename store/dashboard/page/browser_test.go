package page

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// chromium starts a browser, or skips the test where there is none.
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
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // the first call starts the browser, and must not be limited
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// faults is a script that measures a page: what sticks out of it, of its cards
// or of its neighbours.
const faults = `(() => {
const out = [], seen = e => { const s = getComputedStyle(e); return s.display !== 'none' && e.getClientRects().length > 0 };
const root = document.scrollingElement;
if (root.scrollWidth > innerWidth) out.push('the page is ' + root.scrollWidth + ' pixels wide');
const name = e => (e.closest('.card')?.querySelector('.ct')?.textContent ?? '?') + ': ' + e.textContent.slice(0, 30);
for (const e of document.querySelectorAll('.card .big, .card .pill, .hb li, .pie li, .lg li, .card p, .card figure')) {
  const card = e.closest('.card').getBoundingClientRect(), r = e.getBoundingClientRect();
  if (seen(e) && !e.closest('.tw') && !e.classList.contains('vh') && (r.right > card.right + 1 || r.left < card.left - 1)) out.push('sticks out of its card: ' + name(e));
}
for (const e of document.querySelectorAll('.big')) if (e.scrollWidth > e.clientWidth + 1) out.push('too long: ' + name(e));
for (const plot of document.querySelectorAll('.plot')) {
  const texts = [...plot.querySelectorAll('text')].filter(e => seen(e) && !e.classList.contains('rt') && !e.closest('.turn'));
  const boxes = texts.map(e => e.getBoundingClientRect());
  for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
    const a = boxes[i], b = boxes[j];
    if (getComputedStyle(texts[i]).transform === 'none' && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
      out.push('labels collide: ' + texts[j].textContent + ' and ' + name(texts[i]));
  }
  const card = plot.closest('.card').getBoundingClientRect();
  texts.forEach((e, i) => { if (boxes[i].right > card.right + 1 || boxes[i].left < card.left - 1) out.push('a label sticks out: ' + name(e)) });
}
return out })()`

// TestInBrowser opens every page in a real browser under its policy, on a
// phone, a tablet and a desktop.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	pages := map[string][]byte{}
	for name, v := range cases(t) {
		pages["/"+name] = render(t, v)
	}
	pages["/refused"] = []byte(`<!doctype html><main style="color:red">`)
	reports := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", CSP+"; report-uri /report")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch r.URL.Path {
		case "/report":
			b, _ := io.ReadAll(r.Body)
			reports <- string(b)
		case "/assets/" + ScriptName:
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write(Script)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(pages[r.URL.Path])
		}
	}))
	t.Cleanup(server.Close)

	ctx := chromium(t)
	for path := range pages {
		if path == "/refused" {
			continue
		}
		for _, width := range []int64{360, 390, 768, 1360} {
			if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(server.URL+path)); err != nil {
				t.Fatalf("%s at %d: %v", path, width, err)
			}
			found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](faults))
			if err != nil {
				t.Fatalf("%s at %d: %v", path, width, err)
			}
			for _, f := range found {
				t.Errorf("%s at %d pixels: %s", path, width, f)
			}
		}
	}
	use(t, ctx, server.URL)
	// The last page breaks the policy on purpose, so its report comes last, and
	// shows that others would have come.
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/refused")); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case r := <-reports:
			if strings.Contains(r, "/refused") {
				return
			}
			t.Errorf("the policy refused: %s", r)
		case <-ctx.Done():
			t.Fatal("no report of what breaks the policy")
		}
	}
}

// use tries what the script adds: tooltips, the theme, and filters.
func use(t *testing.T, ctx context.Context, server string) {
	t.Helper()
	evaluate := func(script string) string {
		s, err := chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		return s
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1360, 900), chromedp.Navigate(server+"/commerce")); err != nil {
		t.Fatal(err)
	}
	tip := evaluate(`(() => { const s = document.querySelector('.plot[data-n]'), r = s.getBoundingClientRect();
		s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + 1, clientY: r.top + 9, bubbles: true}));
		return document.querySelector('.tip:not([hidden])').textContent })()`)
	if !strings.HasPrefix(tip, "Aug 23, 2026\n€") {
		t.Errorf("tooltip %q", tip)
	}
	if theme := evaluate(`document.getElementById('theme').click(), document.documentElement.dataset.theme`); theme != "dark" {
		t.Errorf("the theme became %q", theme)
	}
	if query := evaluate(`document.querySelector('.ms summary').click(), document.querySelector('.ms input[value="France"]').click(), location.search`); query != "" {
		t.Errorf("one of several choices was sent at once: %s", query)
	}
	sent := func(script string) string {
		return evaluate(`new Promise(done => { addEventListener('submit', e => { e.preventDefault(); done(new URLSearchParams(new FormData(e.target)).toString()) }, {once: true}); ` + script + ` })`)
	}
	if query := sent(`document.querySelector('.ms fieldset button').click()`); query != "f.day=last_90_days&f.country=France" {
		t.Errorf("Apply sent %q", query)
	}
	if query := sent(`const s = document.querySelector('select'); s.value = 'all'; s.dispatchEvent(new Event('change', {bubbles: true}))`); query != "f.day=all&f.country=France" {
		t.Errorf("choosing a period sent %q", query)
	}
}
