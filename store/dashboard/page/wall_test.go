package page

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
	"service/store/dashboard"
)

// walls is a folder for pictures of walls, for people to look at.
var walls = flag.String("walls", "", "folder to which TestWallInBrowser writes a picture of each wall")

// TestWallOf: the address of a page determines whether it is a wall, and its colours.
func TestWallOf(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"": "", "wall": "dark", "wall=": "dark", "wall=dark": "dark", "wall=light": "light", "wall=loud": "", "f.wall=light": "",
		"wall&wall=light": "dark",
	} {
		values, err := url.ParseQuery(query)
		if got := WallOf(values); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", query, got, err, want)
		}
	}
}

// TestWall: a wall has its KPIs first, then the sections that have panels, and no controls.
func TestWall(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Section, Title: "Numbers"},
		{Type: dashboard.KPI, Data: "d", Value: "n"},
		{Type: dashboard.Section, Title: "Lists"},
		{Type: dashboard.Table, Data: "d"},
		{Type: dashboard.KPI, Title: "Second", Data: "d", Value: "n"},
	}, []string{"name text", "n number sum"}, []any{"a", 1.0}, []any{"b", 2.0})
	v.Header.Slug, v.Header.Home = "sales", "https://app.example.com/w/acme/"
	v.Query = url.Values{"f.other": {"x"}, "wall": {""}, "next": {"stock"}}
	v.Header.Wall = WallOf(v.Query)
	got := string(render(t, v))
	var order []int
	for _, part := range []string{`data-theme="dark" data-wall="sales"`, `<div class="wtop"><h1>`, ">N<", "Second", "Lists", "<table"} {
		order = append(order, strings.Index(got, part))
	}
	if slices.Contains(order, -1) || !slices.IsSorted(order) {
		t.Errorf("the parts of the wall are at %d", order)
	}
	for _, part := range []string{"Numbers", `class="top"`, `id="theme"`, "<footer", v.Header.Home, "There is no filter other"} {
		if strings.Contains(got, part) {
			t.Errorf("the wall has %s", part)
		}
	}
	v.Query.Del("next")
	if got := string(render(t, v)); !strings.Contains(got, "There is no filter other") {
		t.Error("the wall of one page does not name a filter that it lacks")
	}
	v.Header.Wall = ""
	if got := string(render(t, v)); !strings.Contains(got, "Numbers") || strings.Contains(got, "data-wall") {
		t.Error("the page is a wall without being asked")
	}
}

// TestWallCells: the cells of a table on a wall have the styles of cells alone, not those of the wall's own parts.
func TestWallCells(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Table}}, []string{"account text", "at timestamp", "n integer sum"},
		[]any{"Account 106", time.Date(2026, 11, 28, 20, 7, 0, 0, time.UTC), int64(1)})
	v.Header.Wall = "dark"
	page := string(render(t, v))
	_, main, ok := strings.Cut(page, "<main")
	own := regexp.MustCompile(`<(?:main|div|section)[^>]* class="([^"]+)"`).FindAllStringSubmatch(main, -1)
	cells := regexp.MustCompile(`<t[dh][^>]* class="([^"]+)"`).FindAllStringSubmatch(main, -1)
	if !ok || len(own) == 0 || len(cells) == 0 {
		t.Fatal(page)
	}
	of := map[string]bool{}
	for _, m := range own {
		for _, class := range strings.Fields(m[1]) {
			of[class] = true
		}
	}
	for _, m := range cells {
		for _, class := range strings.Fields(m[1]) {
			if of[class] {
				t.Errorf("cells have the class %s, and so has a part of the wall", class)
			}
		}
	}
}

// TestWallParams: every page reads one parameter of walls; only the script reads the others.
func TestWallParams(t *testing.T) {
	t.Parallel()
	query := url.Values{"wall": {"light"}, "next": {"a", "https://example.com"}, "every": {"1"}}
	for _, s := range []*dashboard.Spec{nil, tiny(nil, nil).Spec} {
		if got := ParamsOf(s).Read(query).Encode(); got != "wall=light" {
			t.Errorf("%s is read", got)
		}
	}
}

// TestWallInBrowser: walls fill screens of several sizes, and axe-core reports nothing.
func TestWallInBrowser(t *testing.T) {
	t.Parallel()
	s, tabs := serve(t), browsertest.NewTabs(t)
	for _, path := range []string{"/commerce", "/failing", "/maps", "/markdown"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			b := browser{tabs.Take(t), s}
			for i, size := range [][2]int64{{1920, 1080}, {1280, 720}} {
				for j, theme := range []string{"dark", "light"} {
					if !*all && (i+j)%2 == 1 {
						continue
					}
					b.Do(chromedp.EmulateViewport(size[0], size[1]))
					b.Visit(s.url + path + "?wall=" + theme)
					b.hangs(fmt.Sprintf("%s-%d-%s", path[1:], size[0], theme))
				}
			}
		})
	}
	t.Run("round", func(t *testing.T) {
		t.Parallel()
		goRound(s.browser(t))
	})
}

// hangs checks the open wall.
func (b browser) hangs(name string) {
	b.Helper()
	if *walls != "" {
		picture := browsertest.Run(b.Tab, chromedp.CaptureScreenshot())
		if err := os.WriteFile(filepath.Join(*walls, name+".png"), picture, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for _, fault := range evaluate[[]string](b, `(() => { const out = [], r = document.documentElement, H = r.clientHeight;
		if (r.scrollHeight > H + 2) out.push('it is ' + r.scrollHeight + ' pixels high');
		if (r.scrollWidth > innerWidth + 1) out.push('it is ' + r.scrollWidth + ' pixels wide');
		const cards = [...document.querySelectorAll('.card:not([hidden])')], low = Math.max(...cards.map(c => c.getBoundingClientRect().bottom));
		if (!cards.length) out.push('it has no cards');
		if (low < H * .93) out.push('its cards end at ' + low + ' of ' + H);
		if ([...document.querySelectorAll('header, form, nav')].some(e => e.getClientRects().length)) out.push('it has controls');
		const small = [...document.querySelectorAll('.wall :is(p, td, li, h1, h2, h3, text)')].filter(e => e.getClientRects().length &&
			parseFloat(getComputedStyle(e).fontSize) * (parseFloat(r.querySelector('body').style.getPropertyValue('--z')) || 1) < 9);
		if (small.length) out.push('too small: ' + small[0].textContent);
		const torn = [...document.querySelectorAll('.wall tr>*')].find(e => e.getClientRects().length &&
			getComputedStyle(e).display != 'table-cell');
		if (torn) out.push('no cell of its table: ' + torn.textContent);
		return out })()`) {
		b.Errorf("%s: %s", name, fault)
	}
	for _, f := range evaluate[[]string](b, faults) {
		b.Errorf("%s: %s", name, f)
	}
	for _, v := range b.Violations(browsertest.Axe(b), `{}`) {
		b.Errorf("%s: %s", name, v)
	}
}

// goRound follows a wall of three pages, one of them deleted, until the first one is shown again.
func goRound(b browser) {
	b.Helper()
	// The test controls the time.
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]any{
			"source": `window.ticks = []; window.setInterval = (f, ms) => ticks.push([f, ms])`,
		}, nil)
	}))
	b.Expect("404") // of the deleted page
	b.Do(chromedp.EmulateViewport(1920, 1080))
	b.Visit(b.site.url + "/ordinary?wall&f.country=DE&p0.grain=week&next=gone&next=commerce&every=12")
	const last = `!document.querySelector('.wall .grid:last-of-type > :last-child').hidden`
	screens := 1
	for ; !evaluate[bool](b, last) && screens < 20; screens++ {
		was := evaluate[string](b, `[...document.querySelectorAll('.card')].map(c => +c.hidden) + ''`)
		if now := evaluate[string](b, `ticks.at(-1)[0](), [...document.querySelectorAll('.card')].map(c => +c.hidden) + ''`); now == was {
			b.Fatalf("a screen follows itself: %s", now)
		}
	}
	if screens < 2 {
		b.Errorf("the long page has %d screens", screens)
	}
	if ms := evaluate[int](b, `ticks.at(-1)[1]`); ms != 12_000 {
		b.Errorf("the wall waits for %d ms", ms)
	}
	if status := b.Follow(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, "Runtime.evaluate", map[string]any{"expression": `ticks.at(-1)[0]()`}, nil)
	})); status != http.StatusOK {
		b.Errorf("the next page answers %d", status)
	}
	want := "?wall=&f.country=DE&every=12&next=ordinary&next=gone"
	if got := evaluate[string](b, `location.search`); got != want {
		b.Errorf("the second page is at %s, want %s", got, want)
	}
	if got := evaluate[string](b, `location.pathname + document.documentElement.dataset.wall`); got != "/commercecommerce" {
		b.Errorf("the second page is %s", got)
	}
}
