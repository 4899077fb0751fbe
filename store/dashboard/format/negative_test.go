package format

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// Negative numbers of a column with brackets have these in place of the sign, in all languages, formats and sizes; its unit follows them.
func TestNegativesInBrackets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		locale, format, unit string
		v                    float64
		want                 string
	}{
		{"en-US", "integer", "", -1234, "(1,234)"},
		{"en-US", "integer", "", 1234, "1,234"},
		{"en-US", "integer", "", 0, "0"},
		{"en-US", "integer", "", -0.4, "0"},
		{"en-US", "currency2", "", -1234.5, "($1,234.50)"},
		{"en-US", "currency_compact", "", -12300, "($12.3K)"},
		{"en-US", "percent1", "", -0.125, "(12.5%)"},
		{"en-US", "number1", "kg", -3.25, "(3.3) kg"},
		{"en-US", "duration", "", -90, "(1 m 30 s)"},
		{"en-US", "", "", 1.5e-12, "1.50e−12"},
		{"de-DE", "currency2", "", -1234.5, "(1.234,50 $)"},
		{"fr-FR", "currency", "", -1234, "(1 234 $US)"},
		{"nl-NL", "currency", "", -1234, "(US$ 1.234)"},
		{"ja-JP", "currency", "", -1234, "($1,234)"},
		{"es-ES", "integer", "", -12345, "(12.345)"},
		{"pt-BR", "currency", "", -1234, "(US$ 1.234)"},
		{"it-IT", "percent", "", -0.5, "(50%)"},
		{"zh-CN", "integer", "", -1234, "(1,234)"},
		{"ko-KR", "integer", "", -1234, "(1,234)"},
		{"ar-EG", "integer", "", -1234, "(1,234)"},
	} {
		f, c := inDollars(tc.locale), dashboard.Column{Role: dashboard.Measure, Format: tc.format, Suffix: tc.unit, Brackets: true}
		c.Type = cube.Number
		if got := plainSpaces(f.Cell(c, cube.Exact, tc.v)); got != tc.want {
			t.Errorf("%s %s of %v: %s, want %s", tc.locale, tc.format, tc.v, got, tc.want)
		}
		c.Brackets = false
		if plain := f.Cell(c, cube.Exact, tc.v); strings.Contains(plain, "(") {
			t.Errorf("%s %s of %v: brackets that nobody asked for: %s", tc.locale, tc.format, tc.v, plain)
		}
	}
}

// inDollars returns a formatter of US dollars.
func inDollars(locale string) Formatter {
	return New(&dashboard.Spec{Locale: locale, Currency: "USD"})
}

// plainSpaces returns a text with plain spaces in place of those that do not break, and without signs of direction.
func plainSpaces(text string) string {
	return strings.NewReplacer(NBSP, " ", "\u202f", " ", "\u200f", "", "\u200e", "", "\u061c", "").Replace(text)
}
