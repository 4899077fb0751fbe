package page

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
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
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
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

// shifts is a script that returns how far the layout has moved since the page was
// opened.
const shifts = `new Promise(done => { let sum = 0;
const o = new PerformanceObserver(l => { for (const e of l.getEntries()) if (!e.hadRecentInput) sum += e.value });
o.observe({type: 'layout-shift', buffered: true});
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum)))) })`

// TestInBrowser opens every page in a real browser under its policy: on a phone,
// a tablet and a desktop, with and without script, in both themes.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	views := cases(t)
	pages := map[string][]byte{}
	for name, v := range views {
		pages["/"+name] = render(t, v)
	}
	pages["/markdown"], pages["/download"] = documents(t)
	paths := slices.Sorted(maps.Keys(pages))
	pages["/refused"] = []byte(`<!doctype html><main style="color:red">`)
	reports := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		policy := CSP + "; report-uri /report"
		path, bare := strings.CutPrefix(r.URL.Path, "/bare")
		if bare { // a sandboxed page runs no script at all
			policy += "; sandbox allow-same-origin allow-forms"
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case path == "/report":
			b, _ := io.ReadAll(r.Body)
			reports <- string(b)
		case path == "/assets/"+ScriptName:
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write(Script)
		case r.URL.RawQuery != "":
			v := views[path[1:]]
			v.Query = r.URL.Query()
			b, _ := Render(v) // as it was without the query
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(b)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(pages[path])
		}
	}))
	t.Cleanup(server.Close)

	b := browser{t, chromium(t), server.URL}
	for _, path := range paths {
		for _, width := range []int64{360, 390, 768, 1360} {
			b.open(path, width)
			for _, f := range evaluate[[]string](b, faults) {
				t.Errorf("%s at %d pixels: %s", path, width, f)
			}
			if shift := evaluate[float64](b, shifts); shift >= 0.01 {
				t.Errorf("%s at %d pixels: the layout shifts by %v", path, width, shift)
			}
		}
	}
	evaluate[string](b, `document.body.prepend(...Array.from({length: 20}, () => document.createElement('br'))), ''`)
	if shift := evaluate[float64](b, shifts); shift < 0.01 {
		t.Errorf("what pushes the page down is measured as a shift of %v: the test sees none", shift)
	}
	use(b)
	keyboard(b, "")
	keyboard(b, "/bare")
	withoutScript(b, paths)
	accessible(b, paths)
	// The last page breaks the policy on purpose, so its report comes last, and
	// shows that others would have come.
	b.open("/refused", 1360)
	for {
		select {
		case r := <-reports:
			if strings.Contains(r, "/refused") {
				return
			}
			t.Errorf("the policy refused: %s", r)
		case <-b.ctx.Done():
			t.Fatal("no report of what breaks the policy")
		}
	}
}

// A browser has one page open.
type browser struct {
	*testing.T
	ctx    context.Context
	server string
}

func (b browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

func (b browser) open(path string, width int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(b.server+path))
}

// follow does what leads to another page, and waits for it.
func (b browser) follow(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if _, err := chromedp.RunResponse(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// evaluate runs a script in the page, and waits for what it promises.
func evaluate[T any](b browser, script string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%.300s: %v", script, err)
	}
	return v
}

// use tries what the script adds: tooltips, the theme, and filters.
func use(b browser) {
	b.Helper()
	b.open("/commerce", 1360)
	tip := evaluate[string](b, `(() => { const s = document.querySelector('.plot[data-n]'), r = s.getBoundingClientRect();
		s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + 1, clientY: r.top + 9, bubbles: true}));
		return document.querySelector('.tip:not([hidden])').textContent })()`)
	if !strings.HasPrefix(tip, "Aug 23, 2026\n€") {
		b.Errorf("tooltip %q", tip)
	}
	if theme := evaluate[string](b, `document.getElementById('theme').click(), document.documentElement.dataset.theme`); theme != "dark" {
		b.Errorf("the theme became %q", theme)
	}
	evaluate[string](b, `document.getElementById('theme').click(), ''`)
	if query := evaluate[string](b, `document.querySelector('.ms summary').click(), document.querySelector('.ms input[value="France"]').click(), location.search`); query != "" {
		b.Errorf("one of several choices was sent at once: %s", query)
	}
	sent := func(script string) string {
		return evaluate[string](b, `new Promise(done => { addEventListener('submit', e => { e.preventDefault(); done(new URLSearchParams(new FormData(e.target)).toString()) }, {once: true}); `+script+` })`)
	}
	if query := sent(`document.querySelector('.ms fieldset button').click()`); query != "f.day=last_90_days&f.country=France" {
		b.Errorf("Apply sent %q", query)
	}
	if query := sent(`const s = document.querySelector('select'); s.value = 'all'; s.dispatchEvent(new Event('change', {bubbles: true}))`); query != "f.day=all&f.country=France" {
		b.Errorf("choosing a period sent %q", query)
	}
}
