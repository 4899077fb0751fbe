package alert

import (
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// TestWordsRoundInDecimals: the numbers of alerts are rounded as those of pages are, halves away from zero.
func TestWordsRoundInDecimals(t *testing.T) {
	t.Parallel()
	w := Words{Formatter: format.Formatter{Locale: locale.For("en-US"), Currency: "USD"}}
	r := &Reading{Column: dashboard.Column{Column: cube.Column{Type: cube.Number}, Format: "number2"}}
	if got := w.number(r, 2.675) + " " + w.share(0.1245); got != "2.68 12.5%" {
		t.Errorf("an alert has %q", got)
	}
}
