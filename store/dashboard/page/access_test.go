package page

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
	"service/store/dashboard/canvas"
)

// accessible checks the open page with axe-core, with everything opened that can be opened, at a width in a theme: on a desktop in the
// light theme and on a phone in the dark one, or with -all every page at both widths in both themes. It leaves everything open.
func accessible(b browser, path string, width int64, theme string) {
	b.Helper()
	themes := []string{theme}
	switch {
	case *all:
		themes = []string{"light", "dark"}
	case !slices.Contains(judged, path):
		return
	}
	b.resize(width)
	for _, theme := range themes {
		evaluate[string](b, `document.documentElement.dataset.theme = '`+theme+`'`)
		for i, v := range violations(b) {
			if i == 5 {
				break
			}
			b.Errorf("%s at %d pixels, %s: %s", path, width, theme, v)
		}
	}
}

func violations(b browser) []string {
	b.Helper()
	evaluate[string](b, `document.querySelectorAll('details').forEach(d => d.open = true), ''`)
	return b.Violations(browsertest.Axe(b), `{resultTypes: ["violations"]}`)
}

// nameless opens a page with a button without a name, which axe-core must report.
func nameless(b browser) {
	b.Helper()
	b.open("/frame", 1360)
	evaluate[string](b, `document.querySelector('h1').insertAdjacentElement('afterend', document.createElement('button')), ''`)
	if found := violations(b); !slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, "button-name") }) {
		b.Errorf("a button without a name is not found: %s", found)
	}
}

// bodyText returns the text of the page at a path; its script must have run.
func bodyText(b browser, path string) string {
	b.Helper()
	if !evaluate[bool](b, `document.documentElement.classList.contains('js')`) {
		b.Errorf("%s: the script did not run", path)
	}
	return evaluate[string](b, said)
}

const said = `[...document.querySelectorAll('h1, .desc, .card, .sec, .alert, footer, .fresh, .filters summary, .filters label')]
	.map(e => e.innerText).join('\n')`

// withoutScript compares the text of a page without script on a desktop with the text with script.
func withoutScript(b browser, path, with string) {
	b.Helper()
	b.Expect("Blocked script execution")
	b.open("/bare"+path, 1360)
	if evaluate[bool](b, `document.documentElement.classList.contains('js')`) {
		b.Errorf("%s: the script ran", path)
	}
	if without := evaluate[string](b, said); with != without || len(without) < 20 {
		b.Errorf("%s says without script:\n%s\nwith it:\n%s", path, canvas.Clip(without, 500), canvas.Clip(with, 500))
	}
}

// keyboard filters a page with the keyboard alone.
func keyboard(b browser, prefix string) {
	b.Helper()
	if prefix != "" {
		b.Expect("Blocked script execution")
	}
	tabTo := func(selector string) {
		b.Helper()
		for range 40 {
			b.Do(chromedp.KeyEvent("\t"))
			if evaluate[bool](b, `document.activeElement.matches('`+selector+`')`) {
				return
			}
		}
		b.Fatalf("%s cannot be reached by keyboard", selector)
	}
	total := func() string { return evaluate[string](b, `document.querySelector('.kpi .big').textContent`) }

	follow := func(key string) {
		b.Helper()
		if prefix != "" {
			b.Follow(chromedp.KeyEvent(key))
			return
		}
		b.inPlace(func() { b.Do(chromedp.KeyEvent(key)) })
	}

	b.open(prefix+"/commerce", 1360)
	before := total()
	tabTo("a.skip")
	if left := evaluate[float64](b, `document.querySelector('a.skip').getBoundingClientRect().left`); left < 0 {
		b.Error("the link that skips to the content is not seen when it has the focus")
	}
	tabTo(".ms summary")
	b.Do(chromedp.KeyEvent("\r"))
	tabTo(`input[value="France"]`)
	b.Do(chromedp.KeyEvent(" "))
	tabTo(".ms fieldset button")
	follow("\r")
	query := evaluate[map[string]string](b, `Object.fromEntries(new URLSearchParams(location.search))`)
	if query["f.country"] != "France" || query["f.day"] != "last_90_days" {
		got, _ := json.Marshal(query)
		b.Errorf("%s: choosing a country by keyboard asked for %s", prefix, got)
	}
	france := total()
	if france == before {
		b.Errorf("%s: the filter changed nothing", prefix)
	}
	if prefix == "" && !evaluate[bool](b, `document.activeElement.matches('.ms summary')`) {
		b.Error("the focus is not on the filter that was set")
	}
	tabTo(".lg a")
	follow("\r")
	if channel := evaluate[string](b, `new URLSearchParams(location.search).get('f.channel')`); channel != "app" {
		b.Errorf("%s: the first name of a legend filters by %q", prefix, channel)
	}
	tabTo(".reset")
	follow("\r")
	if after := total(); after != before {
		b.Errorf("%s: after a reset %s, before it %s", prefix, after, before)
	}
}
