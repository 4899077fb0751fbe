package page

import "github.com/chromedp/chromedp"

// byGrain follows the grains of a panel by keyboard, with the script or without it: that figure changes, the others do not, and the focus
// stays.
func byGrain(b browser, prefix string) {
	b.Helper()
	if prefix != "" {
		b.Expect("Blocked script execution")
	}
	b.open(prefix+"/commerce", 1360)
	rows := func() float64 {
		return evaluate[float64](b, `document.querySelector('.card:has(.gr) .src table').rows.length - 1`)
	}
	if got := rows(); got != 90 {
		b.Fatalf("%v days", got)
	}
	for _, step := range []struct {
		name string
		rows float64
	}{{"Month", 4}, {"Day", 90}} {
		evaluate[string](b, `document.querySelector('.gr a').focus(), ''`)
		for range 9 {
			if evaluate[string](b, `document.activeElement.textContent`) == step.name {
				break
			}
			b.Do(chromedp.KeyEvent("\t"))
		}
		if prefix != "" {
			b.Follow(chromedp.KeyEvent("\r"))
		} else {
			b.inPlace(func() { b.Do(chromedp.KeyEvent("\r")) })
			if got := evaluate[string](b, `document.activeElement.textContent`); got != step.name {
				b.Errorf("after %s the focus is on %q", step.name, got)
			}
		}
		if got := rows(); got != step.rows {
			b.Errorf("by %s there are %v rows, want %v", step.name, got, step.rows)
		}
		if got := b.Text(`.gr [aria-current]`); got != step.name {
			b.Errorf("%q is marked, want %s", got, step.name)
		}
	}
}
