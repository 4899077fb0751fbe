package format

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// Positive numbers of a column with signs have a plus, in all languages, formats and sizes. Zero has none, nor has what is rounded to it.
func TestPlusOfPositiveNumbers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		locale, format, unit string
		v                    float64
		want                 string
	}{
		{"en-US", "integer", "", 1234, "+1,234"},
		{"en-US", "integer", "", -1234, "−1,234"},
		{"en-US", "integer", "", 0, "0"},
		{"en-US", "integer", "", 0.4, "0"},
		{"en-US", "currency2", "", 1234.5, "+$1,234.50"},
		{"en-US", "currency_compact", "", 12300, "+$12.3K"},
		{"en-US", "percent1", "", 0.139, "+13.9%"},
		{"en-US", "number1", "kg", 3.25, "+3.3 kg"},
		{"en-US", "duration", "", 90, "+1 m 30 s"},
		{"en-US", "", "", 1.5e-12, "+1.50e−12"},
		{"en-US", "", "", -1.5e-12, "−1.50e−12"},
		{"de-DE", "percent1", "", 0.139, "+13,9 %"},
		{"fr-FR", "currency", "", 1234, "+1 234 $US"},
		{"ar-EG", "integer", "", 1234, "+1,234"},
	} {
		f, c := inDollars(tc.locale), dashboard.Column{Role: dashboard.Measure, Format: tc.format, Suffix: tc.unit, Signed: true}
		c.Type = cube.Number
		if got := plainSpaces(f.Cell(c, cube.Exact, tc.v)); got != tc.want {
			t.Errorf("%s %s of %v: %s, want %s", tc.locale, tc.format, tc.v, got, tc.want)
		}
		if twice := Signed(f.Quantity(c, tc.v), tc.v); strings.Contains(twice, "++") {
			t.Errorf("%s %s of %v: %s", tc.locale, tc.format, tc.v, twice)
		}
		c.Brackets = true
		if both := f.Cell(c, cube.Exact, tc.v); strings.Contains(both, "+(") || strings.Contains(both, "(+") {
			t.Errorf("%s %s of %v with brackets: %s", tc.locale, tc.format, tc.v, both)
		}
		c.Brackets, c.Signed = false, false
		if plain := f.Cell(c, cube.Exact, tc.v); strings.Contains(plain, "+") {
			t.Errorf("%s %s of %v: a sign that nobody asked for: %s", tc.locale, tc.format, tc.v, plain)
		}
	}
}
