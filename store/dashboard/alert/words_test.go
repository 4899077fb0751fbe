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

// TestWordsTellNumbersApart: a value is not written like the limit that it passes, whatever the format of its column.
func TestWordsTellNumbersApart(t *testing.T) {
	t.Parallel()
	w := Words{Formatter: format.Formatter{Locale: locale.For("en-US"), Currency: "USD"}}
	limit := func(than float64) *dashboard.Alert {
		return &dashboard.Alert{Value: "n", Condition: dashboard.AlertThreshold, If: "<", Than: than}
	}
	anomaly := &dashboard.Alert{Value: "n", Condition: dashboard.AlertAnomaly}
	for _, tc := range []struct {
		alert  *dashboard.Alert
		format string
		f      Finding
		want   string
	}{
		{limit(1000), "currency", Finding{Value: 999.7}, "N is $999.7: below $1,000.0."},
		{limit(1000), "currency", Finding{Value: 999.2}, "N is $999: below $1,000."},
		{limit(1000), "integer", Finding{Value: 999.96}, "N is 999.96: below 1,000.00."},
		{limit(0.5), "percent", Finding{Value: 0.4996}, "N is 49.96%: below 50.00%."},
		{limit(2.68), "number2", Finding{Value: 2.675}, "N is 2.675: below 2.680."},
		{limit(2e6), "compact", Finding{Value: cube.Decimal("1999999.5")}, "N is 1,999,999.5: below 2,000,000.0."},
		{limit(60), "minutes_seconds", Finding{Value: 59.7}, "N is 0:59.7: below 1:00.0."},
		{limit(60), "minutes_seconds", Finding{Value: 59.2}, "N is 0:59: below 1:00."},
		{limit(90), "hours_minutes", Finding{Value: 89.8}, "N is 1\u00a0h\u00a029.8\u00a0m: below 1\u00a0h\u00a030.0\u00a0m."},
		{limit(90_000), "duration", Finding{Value: 89_990.0}, "N is 89,990\u00a0s: below 90,000\u00a0s."},
		{limit(2e6), "bytes", Finding{Value: 1_999_999.0}, "N is 1.999999\u00a0MB: below 2.000000\u00a0MB."},
		{anomaly, "integer", Finding{Value: 100.4, Low: 90, High: 100}, "N is 100.4: usual is 90.0 to 100.0."},
		{
			&dashboard.Alert{Value: "n", Condition: dashboard.AlertChange, Change: dashboard.Change{Against: dashboard.AgainstMean, Of: 7}},
			"integer",
			Finding{Value: 99.8, Base: 100.2},
			"N is 99.8: 0.4% less than the mean of the 7 before, 100.2.",
		},
	} {
		tc.f.Holds = true
		r := &Reading{Alert: tc.alert, Column: dashboard.Column{Column: cube.Column{Name: "n", Type: cube.Number}, Label: "N", Format: tc.format}}
		if got := w.Finding(r, tc.f); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.format, got, tc.want)
		}
	}
}

// TestNamesOfAlertsAreApart: rows without a value are not named like a value, in any language.
func TestNamesOfAlertsAreApart(t *testing.T) {
	t.Parallel()
	for language, taken := range map[string]string{"en-US": "Not set", "de-DE": "Nicht angegeben"} {
		s := &dashboard.Spec{Locale: language, Alerts: []dashboard.Alert{{Data: "d", By: "k"}}}
		b := cube.NewBuilder([]cube.Column{{Name: "k", Type: cube.Text}})
		for _, v := range []any{taken, nil} {
			if err := b.Add([]any{v}); err != nil {
				t.Fatal(err)
			}
		}
		r := &Reading{Alert: &s.Alerts[0], By: dashboard.Column{Column: cube.Column{Name: "k", Type: cube.Text}, Role: dashboard.Dimension}}
		w := WordsOf(s).Over(map[string]*cube.Cube{"d": b.Cube()})
		value, missing := w.Name(r, Finding{Key: "=" + taken, Name: taken}), w.Name(r, Finding{Name: nil})
		if value != taken || missing == value || missing == "" {
			t.Errorf("%s: a value is named %q, and rows without one %q", language, value, missing)
		}
	}
}
