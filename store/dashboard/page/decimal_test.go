package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	us := format.Formatter{Locale: locale.For("en-US"), Currency: "USD"}
	for _, tc := range []struct {
		format string
		v      any
		want   string
	}{
		{"integer", int64(9007199254740993), "9,007,199,254,740,993"},
		{"integer", cube.Decimal("18446744073709551615"), "18,446,744,073,709,551,615"},
		{"number", cube.Decimal("12345678901234567.80"), "12,345,678,901,234,567.8"},
		{"number1", cube.Decimal("-12345678901234567.85"), "−12,345,678,901,234,567.9"},
		{"number2", cube.Decimal("12345678901234567"), "12,345,678,901,234,567.00"},
		{"currency", cube.Decimal("12345678901234567.89"), "$12,345,678,901,234,568"},
		{"currency2", cube.Decimal("-12345678901234567.89"), "−$12,345,678,901,234,567.89"},
		{"currency_compact", cube.Decimal("12345678901234567.89"), "$12,346T"},
		{"", cube.Decimal("12345678901234567.89"), "12,345,678,901,234,567.89"},
		{"", cube.Decimal("1234567890123456789012345678901234567890"), "1.23e+39"},
		{"", cube.Decimal("0.1234567890123456789"), "0.123"},
		{"percent1", cube.Decimal("0.1234567890123456789"), "12.3%"},
		{"integer", 12.0, "12"},
	} {
		if got := strings.ReplaceAll(us.Amount(tc.format, tc.v), format.NBSP, " "); got != tc.want {
			t.Errorf("%s of %v: %q, want %q", tc.format, tc.v, got, tc.want)
		}
	}
}

// TestDigitsReachThePage: a number longer than a float64 is shown and exported with all its digits.
func TestDigitsReachThePage(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Table, Data: "d", Columns: []dashboard.TableColumn{{Column: "city"}, {Column: "amount"}, {Column: "n", Bar: true}}},
		{Type: dashboard.Bar, Data: "d", X: "city", Y: []string{"amount"}},
		{Type: dashboard.Pie, Data: "d", Label: "city", Value: "n"},
		{Type: dashboard.KPI, Data: "d", Value: "amount"},
		{Type: dashboard.Text, Data: "d", Markdown: "In all {{d.amount}}, or {{d.n}}."},
	},
		[]string{"city text", "amount number sum number2", "n integer sum"},
		[]any{"Riga", cube.Decimal("12345678901234567.89"), int64(9007199254740993)},
		[]any{"Riga", 0.01, int64(9007199254740993)},
		[]any{"Oslo", 0.1, int64(1)},
		[]any{"Oslo", 0.2, int64(2)},
	)
	for i := range v.Spec.Panels {
		v.Spec.Panels[i].Width = 6
	}
	doc := string(render(t, v))
	for _, want := range []string{
		"12,345,678,901,234,567.90",                                    // the sum for Riga, in the table
		"18,014,398,509,481,986",                                       // and its count
		"In all 12,345,678,901,234,568.20, or 18,014,398,509,481,989.", // of all rows
		"<td>0.30</td>",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for panel, want := range []string{
		"City,Amount,N\nRiga,12345678901234567.89,9007199254740993\nRiga,0.01,9007199254740993\nOslo,0.1,1\nOslo,0.2,2\n",
		"City,Amount\nRiga,12345678901234567.9\nOslo,0.3\n",
		"City,N\nRiga,18014398509481986\nOslo,3\n",
		"Amount\n12345678901234568.2\n",
	} {
		if got, err := CSV(v, panel); err != nil || string(got) != want {
			t.Errorf("CSV of panel %d: %v\n got %q\nwant %q", panel, err, got, want)
		}
	}
}
