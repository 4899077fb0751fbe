package page

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
	"service/store/dashboard"
	"service/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, browsertest.Stop) }

// all has axe-core judge every page, not only the [judged] ones, and opens every page at each width, not only at two.
var all = flag.Bool("all", false, "open every page at each width, and judge its accessibility in each theme")

// judged are pages that together have every type of panel and every state of a page. The other pages of [cases] draw the same things with
// other numbers.
var judged = []string{
	"/candles", "/choices", "/commerce", "/download", "/failing", "/frame", "/maps", "/markdown", "/names", "/never", "/ordinary", "/preview",
}

// faults is a script that measures a page: it lists elements that extend beyond the page, their card or their neighbours,
// and marks without a colour.
const faults = `(() => {
const out = [], seen = e => { const s = getComputedStyle(e); return s.display !== 'none' && e.getClientRects().length > 0 };
const root = document.scrollingElement;
if (root.scrollWidth > innerWidth) out.push('the page is ' + root.scrollWidth + ' pixels wide');
const name = e => (e.closest('.card')?.querySelector('.ct')?.textContent ?? '?') + ': ' + e.textContent.slice(0, 30);
for (const e of document.querySelectorAll('.card .big, .card .pill, .hb li, .pie li, .lg li, .card p, .card figure')) {
  const card = e.closest('.card').getBoundingClientRect(), r = e.getBoundingClientRect();
  if (seen(e) && !e.closest('.tw') && !e.classList.contains('vh') && (r.right > card.right + 1 || r.left < card.left - 1))
    out.push('sticks out of its card: ' + name(e));
}
for (const e of document.querySelectorAll('.big')) if (e.scrollWidth > e.clientWidth + 1) out.push('too long: ' + name(e));
for (const e of document.querySelectorAll('.card svg :is(rect, circle, path, polygon)')) {
  const style = getComputedStyle(e);
  if (style.fill === 'rgb(0, 0, 0)' && !e.closest('defs, mask, clipPath, pattern') && seen(e))
    out.push('a mark has no colour: ' + name(e) + ' ' + e.outerHTML.slice(0, 60));
}
for (const plot of document.querySelectorAll('.plot')) {
  const texts = [...plot.querySelectorAll('text')].filter(e => seen(e) && !e.classList.contains('rt'));
  const boxes = texts.map(e => e.getBoundingClientRect());
  for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
    const a = boxes[i], b = boxes[j];
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3 &&
        getComputedStyle(texts[i]).transform === 'none' && !texts[j].closest('.turn'))
      out.push('labels collide: ' + texts[j].textContent + ' and ' + name(texts[i]));
  }
  const card = plot.closest('.card').getBoundingClientRect();
  texts.forEach((e, i) => {
    if (boxes[i].right > card.right + 1 || boxes[i].left < card.left - 1) out.push('a label sticks out: ' + name(e))
  });
}
return out })()`

// shifts is a script that returns how far the layout has moved since the page was
// opened.
const shifts = `new Promise(done => { let sum = 0;
const o = new PerformanceObserver(l => { for (const e of l.getEntries()) if (!e.hadRecentInput) sum += e.value });
o.observe({type: 'layout-shift', buffered: true});
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum)))) })`

// TestInBrowser opens every page in a real browser under its policy: on a phone, a tablet and a desktop, with and without script, in both
// themes. Violations of the policy appear in the console, which fails the test.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	s, tabs := serve(t), browsertest.NewTabs(t)
	for _, path := range s.paths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			b := browser{tabs.Take(t), s}
			onPhone(b, path)
			onDesk(b, path)
		})
	}
	for name, try := range map[string]func(browser){
		"use":             use,
		"frames":          frames,
		"fresher":         fresher,
		"clicks":          clicks,
		"days":            clickDays,
		"languages":       inLanguages,
		"lists":           lists,
		"lists alone":     listsAlone,
		"keyboard":        func(b browser) { keyboard(b, "") },
		"keyboard alone":  func(b browser) { keyboard(b, "/bare") },
		"rows":            func(b browser) { behindMarks(b, "") },
		"rows alone":      func(b browser) { behindMarks(b, "/bare") },
		"grains":          func(b browser) { byGrain(b, "") },
		"grains alone":    func(b browser) { byGrain(b, "/bare") },
		"a broken policy": refused,
		"a shift":         shifted,
		"a fault":         faulty,
		"a button":        nameless,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try(s.browser(t))
		})
	}
}

// TestJudgedPages: the pages that are judged without -all have every type of panel.
func TestJudgedPages(t *testing.T) {
	t.Parallel()
	views, missing := cases(t), dashboard.PanelTypes()
	for _, path := range judged {
		if v, ok := views[path[1:]]; ok {
			missing = slices.DeleteFunc(missing, func(name string) bool {
				return slices.ContainsFunc(v.Spec.Panels, func(p dashboard.Panel) bool { return string(p.Type) == name })
			})
		}
	}
	if len(missing) > 0 {
		t.Errorf("no page with %s is judged", missing)
	}
}

// A site serves the pages of the tests as production does.
type site struct {
	url    string
	paths  []string
	answer atomic.Value // of the page /changing: a string
}

func serve(t *testing.T) *site {
	t.Helper()
	views := cases(t)
	pages := map[string][]byte{}
	for name, v := range views {
		pages["/"+name] = render(t, v)
	}
	pages["/markdown"], pages["/download"] = documents(t)
	s := &site{paths: slices.Sorted(maps.Keys(pages))}
	views["days"] = numberedDays()
	pages["/days"] = render(t, views["days"])
	for _, path := range judged {
		if pages[path] == nil {
			t.Errorf("there is no page %s to judge", path)
		}
	}
	for _, tag := range languages {
		v := inLanguage(tag, "EUR")
		v.Header.State, v.Header.FailingSince = "failed", now.Add(-5*time.Hour)
		pages["/in/"+tag] = render(t, v)
	}
	pages["/refused"] = []byte(`<!doctype html><main style="color:red">`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		policy := CSP
		path, bare := strings.CutPrefix(r.URL.Path, "/bare")
		if bare { // a sandboxed page runs no script at all
			policy += "; sandbox allow-same-origin allow-forms"
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case path == "/changing":
			s.changing(w, r)
		case path == "/assets/"+ScriptName:
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write(Script)
		case r.URL.RawQuery != "":
			v := views[path[1:]]
			v.Query = r.URL.Query()
			b := Values(v)
			if v.Header.Wall = WallOf(v.Query); v.Header.Wall != "" {
				v.Header.Slug = path[1:]
			}
			switch {
			case v.Spec == nil && v.Header.Wall != "" && path == "/markdown":
				v.Header.Name = "Release notes"
				b, _ = RenderMarkdown(v.Header, []byte("## Fixed\n\n- Two *things*.\n- A [third](https://example.com) one."))
			case v.Spec == nil && v.Header.Wall != "":
				http.NotFound(w, r)
				return
			case v.Spec != nil && b == nil:
				b, _ = Render(r.Context(), v) // the page without the query
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(b)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(pages[path])
		}
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// changing serves a page whose data change, with an ETag of its content.
func (s *site) changing(w http.ResponseWriter, r *http.Request) {
	total, answer := 1.0, s.answer.Load()
	switch answer {
	case "broken":
		http.Error(w, "", http.StatusInternalServerError)
		return
	case "second":
		total = 2
	}
	b, _ := Render(r.Context(), tiny([]dashboard.Panel{
		{Type: dashboard.KPI, Value: "amount"},
		{Type: dashboard.Line, X: "day", Y: []string{"amount"}},
		{Type: dashboard.Section, Title: "Tall"},
		{Type: dashboard.Text, Markdown: strings.Repeat(prose(9)+"\n\n", 9)},
	}, []string{"day date", "amount number sum"}, []any{day("2026-03-01"), total}))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("ETag", fmt.Sprintf(`"%v"`, total))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// A browser is a browser with one page of a site open.
type browser struct {
	*browsertest.Tab
	site *site
}

func (s *site) browser(t *testing.T) browser { return browser{browsertest.Open(t), s} }

func (b browser) open(path string, width int64) {
	b.Helper()
	b.Do(chromedp.EmulateViewport(width, 900))
	b.Visit(b.site.url + path)
}

// resize sets the width of the window, in pixels, and returns when the page has it.
func (b browser) resize(width int64) {
	b.Helper()
	b.Do(chromedp.EmulateViewport(width, 900))
	evaluate[bool](b, fmt.Sprintf(`new Promise(done => {
		(function wait() { innerWidth === %d ? done(true) : requestAnimationFrame(wait) })() })`, width))
}

// evaluate runs a script in the page, and waits for the promise that it returns.
func evaluate[T any](b browser, script string) T {
	b.Helper()
	return browsertest.Eval[T](b.Tab, script)
}

// onPhone checks a page on phones and on a tablet.
func onPhone(b browser, path string) {
	b.Helper()
	laidOut(b, path, 390, 360, 768)
	accessible(b, path, 390, "dark")
}

// onDesk checks a page on desktops, and without script.
func onDesk(b browser, path string) {
	b.Helper()
	laidOut(b, path, 1360, 1920)
	b.resize(1360)
	says := bodyText(b, path)
	accessible(b, path, 1360, "light")
	withoutScript(b, path, says)
}

// laidOut opens a page at the first width and checks its layout at all of them. Only -all opens it again at each of the others: the script
// reads no width, and the style sheet applies to a new width at once.
func laidOut(b browser, path string, widths ...int64) {
	b.Helper()
	for i, width := range widths {
		if i == 0 || *all {
			b.open(path, width)
			if shift := evaluate[float64](b, shifts); shift >= 0.01 {
				b.Errorf("%s at %d pixels: the layout shifts by %v", path, width, shift)
			}
		}
		b.resize(width)
		for _, f := range evaluate[[]string](b, faults) {
			b.Errorf("%s at %d pixels: %s", path, width, f)
		}
	}
}

// inLanguages checks a page in every language on a narrow phone, where long words overflow first.
func inLanguages(b browser) {
	b.Helper()
	for _, tag := range languages {
		b.open("/in/"+tag, 360)
		for _, f := range evaluate[[]string](b, faults) {
			b.Errorf("%s at 360 pixels: %s", tag, f)
		}
		if lang := evaluate[string](b, `document.documentElement.lang`); lang != tag {
			b.Errorf("the page in %s says it is in %s", tag, lang)
		}
	}
}

// faulty opens a page that is too wide, which must be reported.
func faulty(b browser) {
	b.Helper()
	b.open("/commerce", 1360)
	evaluate[string](b, `document.querySelector('h1').style.width = '2000px', ''`)
	if len(evaluate[[]string](b, faults)) == 0 {
		b.Error("a page that is too wide is not found")
	}
	b.open("/months", 1360)
	evaluate[string](b, `document.querySelector('.days').classList.remove("days"), ''`)
	if got := fmt.Sprint(evaluate[[]string](b, faults)); !strings.Contains(got, "a mark has no colour") {
		b.Errorf("of a calendar without its style, the faults are %s", got)
	}
}

// shifted moves a page after it was shown, which must be measured.
func shifted(b browser) {
	b.Helper()
	b.open("/weather", 1360)
	evaluate[string](b, `document.body.prepend(...Array.from({length: 20}, () => document.createElement('br'))), ''`)
	if shift := evaluate[float64](b, shifts); shift < 0.01 {
		b.Errorf("what pushes the page down is measured as a shift of %v: the test sees none", shift)
	}
}

// refused opens a page that violates the policy, which must appear in the console.
func refused(b browser) {
	b.Helper()
	b.Expect("Content Security Policy")
	b.open("/refused", 1360)
}

// inPlace takes steps by which the page shows another page in its place, and returns when that is shown.
func (b browser) inPlace(steps func()) {
	b.Helper()
	evaluate[string](b, `window.same = 'yes', document.querySelector('main').dataset.before = ''`)
	steps()
	evaluate[bool](b, `new Promise(done => { (function wait() {
		'before' in document.querySelector('main').dataset ? requestAnimationFrame(wait) : done(true) })() })`)
	if !evaluate[bool](b, `window.same == 'yes'`) {
		b.Error("the page was loaded anew")
	}
}

// use tries the features that the script adds: tooltips, the theme, and filters.
func use(b browser) {
	b.Helper()
	b.open("/ordinary", 1360)
	for plot, want := range map[string]string{ // by keyboard
		`[...document.querySelectorAll('.plot')].find(e => e.querySelector('.dot'))`: "Ada\nAmount  $143.75\nSize  15",
		`document.querySelectorAll('.plot')[1]`: "Mar 1, 2026\nAda  $12.50\nEdsger  $30.00\nGrace  $21.25\n" +
			"Not set  $38.75\nTotal  $102.50",
	} {
		tip := evaluate[string](b, `(() => { const s = `+plot+`; s.focus();
			s.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
			return document.querySelector('.tip:not([hidden])').textContent })()`)
		if tip != want {
			b.Errorf("tooltip by keyboard %q, want %q", tip, want)
		}
	}
	if keys := evaluate[float64](b, `document.querySelectorAll('.tip i').length`); keys != 4 {
		b.Errorf("the tooltip of a stack has %v colours, want 4", keys)
	}
	overMaps(b)
	b.open("/commerce", 1360)
	tip := evaluate[string](b, `(() => { const s = document.querySelector('.plot[data-n]'), r = s.getBoundingClientRect();
		s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + 1, clientY: r.top + 9, bubbles: true}));
		return document.querySelector('.tip:not([hidden])').textContent })()`)
	if !strings.HasPrefix(tip, "Aug 23, 2026\n€") {
		b.Errorf("tooltip %q", tip)
	}
	readOut(b)
	if theme := evaluate[string](b, `document.getElementById('theme').click(), document.documentElement.dataset.theme`); theme != "dark" {
		b.Errorf("the theme became %q", theme)
	}
	evaluate[string](b, `document.getElementById('theme').click(), ''`)
	if query := evaluate[string](b, `document.querySelector('.ms summary').click(),
		document.querySelector('.ms input[value="France"]').click(), location.search`); query != "" {
		b.Errorf("one of several choices was sent at once: %s", query)
	}
	sent := func(script string) string {
		return evaluate[string](b, `new Promise(done => {
			addEventListener('submit', e => { e.preventDefault(); e.stopPropagation();
				done(new URLSearchParams(new FormData(e.target)).toString()) }, {once: true, capture: true});
			`+script+` })`)
	}
	if query := sent(`document.querySelector('.ms fieldset button').click()`); query != "f.day=last_90_days&f.country=France" {
		b.Errorf("Apply sent %q", query)
	}
	if query := sent(`const s = document.querySelector('select'); s.value = 'all';
		s.dispatchEvent(new Event('change', {bubbles: true}))`); query != "f.day=all&f.country=France" {
		b.Errorf("choosing a period sent %q", query)
	}
	// The page to which the form leads is shown in place: nothing jumps, and the back button works.
	total := func() string { return evaluate[string](b, `document.querySelector('.kpi .big').textContent`) }
	before := total()
	const rest = `[scrollY, document.querySelector('details.src').open, document.activeElement.className].join()`
	evaluate[string](b, `document.querySelector('details.src').open = true, scrollTo(0, 300),
		document.querySelector('.over .csv').focus(), ''`)
	kept := evaluate[string](b, rest)
	b.inPlace(func() { evaluate[string](b, `document.querySelector('.filters').requestSubmit(), ''`) })
	const search = `decodeURIComponent(location.search)`
	if query, now := evaluate[string](b, search), evaluate[string](b, rest); query != "?f.day=all&f.country=France" || now != kept {
		b.Errorf("the form led to %q; %q became %q", query, kept, now)
	}
	if says := evaluate[string](b, `document.querySelector('[role=status].vh').textContent`); !strings.Contains(says, "France") {
		b.Errorf("whoever does not see the page is told %q", says)
	}
	if total() == before {
		b.Error("the filters changed nothing")
	}
	b.inPlace(func() { evaluate[string](b, `history.back(), ''`) })
	if query := evaluate[string](b, `location.search`); query != "" || total() != before {
		b.Errorf("back at %q, %s", query, total())
	}
	// A page that is not a dashboard, such as the sign-in page, replaces it.
	b.open("/markdown", 1360)
	evaluate[string](b, `document.querySelector('h1').replaceChildren(
		Object.assign(document.createElement('a'), {href: '?none', textContent: 'none'})), ''`)
	b.Follow(chromedp.Click(chromedp.CSS(`h1 a`)))
	if at := b.Address(); !strings.HasSuffix(at, "/markdown?none") {
		b.Errorf("a page that cannot be shown in place led to %s", at)
	}
}

// overMaps shows the tooltips of a map, by pointer and by keyboard.
func overMaps(b browser) {
	b.Helper()
	b.open("/maps", 1360)
	const key = `m.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))`
	for _, tc := range []struct{ script, want string }{
		{key, "France\n$10"},
		{key, "Switzerland\n$240"},
		{`at(m.querySelectorAll('path[class^=h]')[1])`, "Germany\n$160"},
		{`at(m.querySelector('circle'))`, "Malta\n$60"}, // Malta has no mark of its own at this size
		{`at(m.querySelector('path[fill]'))`, "none"},
	} {
		tip := evaluate[string](b, `(() => { const m = document.querySelector('.map'), at = e => { const r = e.getBoundingClientRect();
				e.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + r.width / 2, clientY: r.top + r.height / 2, bubbles: true})) };
			`+tc.script+`;
			const t = document.querySelector('.tip:not([hidden])'), r = t?.getBoundingClientRect(), q = m.getBoundingClientRect();
			return !t ? 'none' : r.left > q.left && r.right < q.right && r.top > q.top && r.top < q.bottom ? t.textContent :
				'far away, at ' + [r.left, r.right, r.top, q.left, q.right, q.top, q.bottom] })()`)
		if tip != tc.want {
			b.Errorf("the map has the tooltip %q, want %q", tip, tc.want)
		}
	}
}

// readOut checks that the live region has the place of a chart at which a reader stops, once, and that Home, End, PageUp and PageDown move
// to the ends and by a tenth.
func readOut(b browser) {
	said := evaluate[string](b, `new Promise(async done => {
		const s = document.querySelector('.plot[data-n="90"]'), out = [], wait = ms => new Promise(r => setTimeout(r, ms));
		const press = key => s.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
		const region = document.querySelector('[role=status].vh');
		const watch = new MutationObserver(() => out.push(region.textContent.split('\n')[0]));
		watch.observe(region, {childList: true});
		s.focus();
		for (const keys of [['End'], ['Home'], ['PageDown'], ['ArrowRight', 'ArrowRight', 'ArrowRight'], ['PageUp']]) {
			keys.forEach(press);
			await wait(600);
		}
		watch.disconnect();
		s.blur();
		done(out.join('; '));
	})`)
	if want := "Nov 20, 2026; Aug 23, 2026; Sep 1, 2026; Sep 4, 2026; Aug 26, 2026"; said != want {
		b.Errorf("read out is %q, want %q", said, want)
	}
}
