package page

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeVersion is the version of axe-core that pages are checked with.
const axeVersion = "4.10.3"

// axe fetches axe-core into a temporary directory. It is "" where that is
// impossible, with the reason.
func axe(t *testing.T) (source, reason string) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", "npm is not installed"
	}
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), npm, "install", "--prefix", dir, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "axe-core@"+axeVersion)
	install.Dir = dir
	if err := install.Run(); err != nil {
		return "", "npm cannot fetch axe-core: " + err.Error()
	}
	b, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), ""
}

// accessible checks pages with axe-core in both themes, with everything opened
// that can be.
func accessible(b browser, paths []string) {
	b.Helper()
	source, reason := axe(b.T)
	if source == "" {
		if os.Getenv("CI") == "true" {
			b.Errorf("CI needs axe-core: %s", reason)
		}
		b.Logf("axe-core was not run: %s", reason)
		return
	}
	check := func() []string {
		return evaluate[[]string](b, `document.querySelectorAll('details').forEach(d => d.open = true);
			axe.run({resultTypes: ['violations']}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.failureSummary + ' ' + n.html.slice(0, 200))))`)
	}
	for _, path := range paths {
		for _, width := range []int64{390, 1360} {
			b.open(path, width)
			evaluate[bool](b, source+"; true")
			for _, theme := range []string{"light", "dark"} {
				evaluate[string](b, `document.documentElement.dataset.theme = '`+theme+`'`)
				for i, v := range check() {
					if i == 5 {
						break
					}
					b.Errorf("%s at %d pixels, %s: %s", path, width, theme, v)
				}
			}
		}
	}
	// What axe-core is there to find, it finds.
	evaluate[string](b, `document.querySelector('h1').insertAdjacentElement('afterend', document.createElement('button')), ''`)
	if found := check(); !slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, "button-name") }) {
		b.Errorf("a button without a name is not found: %s", found)
	}
}

// withoutScript compares what pages say with and without script.
func withoutScript(b browser, paths []string) {
	b.Helper()
	const text = `[...document.querySelectorAll('h1, .desc, .card, .sec, .alert, footer, .fresh, .filters summary, .filters label')].map(e => e.innerText).join('\n')`
	for _, path := range paths {
		b.open(path, 1360)
		if !evaluate[bool](b, `document.documentElement.classList.contains('js')`) {
			b.Errorf("%s: the script did not run", path)
		}
		with := evaluate[string](b, text)
		b.open("/bare"+path, 1360)
		if evaluate[bool](b, `document.documentElement.classList.contains('js')`) {
			b.Errorf("%s: the script ran", path)
		}
		if without := evaluate[string](b, text); with != without || len(without) < 20 {
			b.Errorf("%s says without script:\n%s\nwith it:\n%s", path, clip(without, 500), clip(with, 500))
		}
	}
}

// keyboard filters a page with nothing but keys.
func keyboard(b browser, prefix string) {
	b.Helper()
	tabTo := func(selector string) {
		b.Helper()
		for range 40 {
			b.do(chromedp.KeyEvent("\t"))
			if evaluate[bool](b, `document.activeElement.matches('`+selector+`')`) {
				return
			}
		}
		b.Fatalf("%s cannot be reached by keyboard", selector)
	}
	total := func() string { return evaluate[string](b, `document.querySelector('.kpi .big').textContent`) }

	b.open(prefix+"/commerce", 1360)
	before := total()
	tabTo("a.skip")
	if left := evaluate[float64](b, `document.querySelector('a.skip').getBoundingClientRect().left`); left < 0 {
		b.Error("the link that skips to the content is not seen when it has the focus")
	}
	tabTo(".ms summary")
	b.do(chromedp.KeyEvent("\r"))
	tabTo(`input[value="France"]`)
	b.do(chromedp.KeyEvent(" "))
	tabTo(".ms fieldset button")
	b.follow(chromedp.KeyEvent("\r"))
	query := evaluate[map[string]string](b, `Object.fromEntries(new URLSearchParams(location.search))`)
	if query["f.country"] != "France" || query["f.day"] != "last_90_days" {
		got, _ := json.Marshal(query)
		b.Errorf("%s: choosing a country by keyboard asked for %s", prefix, got)
	}
	france := total()
	if france == before {
		b.Errorf("%s: the filter changed nothing", prefix)
	}
	tabTo(".reset")
	b.follow(chromedp.KeyEvent("\r"))
	if after := total(); after != before {
		b.Errorf("%s: after a reset %s, before it %s", prefix, after, before)
	}
}
