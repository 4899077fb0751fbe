package page

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func csvOf(t *testing.T, v View, i int) [][]string {
	t.Helper()
	b, err := CSV(v, i)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// behindMarks follows a mark to its rows by keyboard, and goes back, with the script or without it.
func behindMarks(b browser, prefix string) {
	b.Helper()
	if prefix != "" {
		b.Expect("Blocked script execution")
	}
	b.open(prefix+"/commerce", 1360)
	follow := func(selector string) {
		b.Helper()
		evaluate[string](b, `document.querySelector('`+selector+`').closest('details')?.setAttribute('open', ''),
			document.querySelector('`+selector+`').focus(), ''`)
		if !evaluate[bool](b, `document.activeElement.matches('`+selector+`')`) {
			b.Fatalf("%s cannot have the focus", selector)
		}
		if prefix != "" {
			b.Follow(chromedp.KeyEvent("\r"))
			return
		}
		b.inPlace(func() { b.Do(chromedp.KeyEvent("\r")) })
	}
	follow(`.pie li a`)
	if got := evaluate[string](b, `new URLSearchParams(location.search).get('f.channel')`); got != "web" {
		b.Fatalf("the slice filters by %q", got)
	}
	follow(`.card:has(.pie) .src a[href*="rows=1"]`)
	heads := strings.Split(evaluate[string](b, `[...document.querySelector('#p9').parentNode.querySelectorAll('thead a')].map(
		a => a.firstChild.textContent).join()`), ",")
	if !slices.Contains(heads, "Category") || !slices.Contains(heads, "Rating") {
		b.Errorf("the rows have the columns %q", heads)
	}
	got := evaluate[string](b, `document.querySelector('#p9').parentNode.querySelector('tbody').textContent`)
	if !strings.Contains(got, "web") || strings.Contains(got, "partner") {
		b.Errorf("the rows are %.200s", got)
	}
	for _, f := range evaluate[[]string](b, faults) {
		b.Error(f)
	}
	follow(`.sub a[href*="f.channel=web"]`)
	if !evaluate[bool](b, `!!document.querySelector('.pie')`) {
		b.Error("there is no way back")
	}
}
